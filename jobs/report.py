"""``spark-submit jobs/report.py ...`` is ``nbspark report ...``: the same code, the same arguments."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main(["report", *sys.argv[1:]]))
