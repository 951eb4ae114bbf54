"""``spark-submit jobs/set.py ...`` is ``nbspark set ...``: the same code, the same arguments."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main(["set", *sys.argv[1:]]))
