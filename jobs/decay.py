"""``spark-submit jobs/decay.py ...`` is ``nbspark decay ...``: the same code, the same arguments."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main(["decay", *sys.argv[1:]]))
