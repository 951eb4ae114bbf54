"""``spark-submit jobs/evaluate.py ...`` is ``nbspark evaluate ...``: the same code, the same arguments."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main(["evaluate", *sys.argv[1:]]))
