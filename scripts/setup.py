"""Set up everything that Antidiag needs to run from this checkout.

    python3 scripts/setup.py          what the window and the command line need
    python3 scripts/setup.py --dev    what the tests, checks and benchmarks need besides

Any Python reads this file, so that an old one gets a sentence and no SyntaxError; the work is in environment_setup.py.
"""

import sys

OLDEST_PYTHON = (3, 11)


def refuse_old_python(version):
    """Return what to do where this Python is too old for the program, else an empty string."""
    if tuple(version[:2]) >= OLDEST_PYTHON:
        return ""
    text = (
        "setup: Antidiag needs Python %d.%d or newer, and this is %d.%d; install a newer one and name it, as in: "
        "make run PYTHON=python%d.%d\n"
    )
    return text % (OLDEST_PYTHON + tuple(version[:2]) + OLDEST_PYTHON)


if __name__ == "__main__":
    if refuse_old_python(sys.version_info):
        sys.stderr.write(refuse_old_python(sys.version_info))
        sys.exit(1)
    from environment_setup import main

    sys.exit(main())
