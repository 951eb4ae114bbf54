"""``spark-submit jobs/model.py ...`` is ``nbspark model ...``: the same code, the same arguments."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main(["model", *sys.argv[1:]]))
