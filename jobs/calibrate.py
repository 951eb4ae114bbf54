"""``spark-submit jobs/calibrate.py ...`` is ``nbspark calibrate ...``: the same code, the same arguments."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main(["calibrate", *sys.argv[1:]]))
