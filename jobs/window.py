"""``spark-submit jobs/window.py ...`` is ``nbspark window ...``: the same code, the same arguments."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main(["window", *sys.argv[1:]]))
