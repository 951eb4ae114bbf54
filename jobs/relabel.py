"""``spark-submit jobs/relabel.py ...`` is ``nbspark relabel ...``: the same code, the same arguments."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main(["relabel", *sys.argv[1:]]))
