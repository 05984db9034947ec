"""Antidiag from a checkout: a command runs the command line; anything else opens the window with the files named.

Any Python reads this file, so that an old one gets a sentence and no SyntaxError.
"""

import sys

if __name__ == "__main__":
    if sys.version_info < (3, 11):  # noqa: UP036
        sys.stderr.write(
            "antidiag: this is Python %d.%d, and Antidiag needs 3.11 or newer; use .venv/bin/python, which "  # noqa: UP031
            "python3.11 scripts/setup.py makes\n" % tuple(sys.version_info[:2])
        )
        sys.exit(2)
    from antidiag.app.main import run_and_exit

    sys.exit(run_and_exit())
