"""``spark-submit jobs/retrain.py ...`` is ``nbspark retrain ...``: the same code, the same arguments."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main(["retrain", *sys.argv[1:]]))
