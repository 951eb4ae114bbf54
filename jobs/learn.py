"""``spark-submit jobs/learn.py ...`` is ``nbspark learn ...``: the same code, the same arguments."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main(["learn", *sys.argv[1:]]))
