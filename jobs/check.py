"""``spark-submit jobs/check.py ...`` is ``nbspark check ...``: the same code, the same arguments."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main(["check", *sys.argv[1:]]))
