"""``spark-submit jobs/score.py ...`` is ``nbspark score ...``: the same code, the same arguments."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main(["score", *sys.argv[1:]]))
