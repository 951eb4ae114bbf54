"""``spark-submit jobs/explain.py ...`` is ``nbspark explain ...``: the same code, the same arguments."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main(["explain", *sys.argv[1:]]))
