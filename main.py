"""Antidiag from a checkout: a command runs the command line; anything else opens the window with the files named."""

import sys

from antidiag.app.main import run_and_exit

if __name__ == "__main__":
    sys.exit(run_and_exit())
