"""``spark-submit jobs/train.py ...`` is ``nbspark train ...``: the same code, the same arguments."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main(["train", *sys.argv[1:]]))
