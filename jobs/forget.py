"""``spark-submit jobs/forget.py ...`` is ``nbspark forget ...``: the same code, the same arguments."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main(["forget", *sys.argv[1:]]))
