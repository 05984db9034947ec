"""``python -m antidiag``: as the command ``antidiag``."""

import sys

from antidiag.app.main import run_and_exit

if __name__ == "__main__":
    sys.exit(run_and_exit())
