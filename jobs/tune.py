"""``spark-submit jobs/tune.py ...`` is ``nbspark tune ...``: the same code, the same arguments."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main(["tune", *sys.argv[1:]]))
