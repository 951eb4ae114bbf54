"""``python -m nbspark COMMAND ...`` is ``nbspark COMMAND ...``."""

import sys

from nbspark.cli import main

if __name__ == "__main__":
    sys.exit(main())
