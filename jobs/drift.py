"""``spark-submit jobs/drift.py ...`` is ``nbspark drift ...``: the same code, the same arguments."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main(["drift", *sys.argv[1:]]))
