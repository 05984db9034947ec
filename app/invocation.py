"""How the user starts the program: ``antidiag`` where it is installed, ``python main.py`` in a checkout."""

from __future__ import annotations

import re

from antidiag.kernels import CHECKOUT, RESOURCES

PROGRAM = "antidiag" if CHECKOUT is None else "python main.py"
"""The words before a subcommand."""

SAMPLES = "resources/samples" if CHECKOUT is not None else str(RESOURCES / "samples")
"""The folder of the sample files, as it is typed on a command line; in a checkout, from its root."""


HOW_TO_INSTALL = "install them with python3 scripts/setup.py" if CHECKOUT is not None else "reinstall antidiag"
"""The end of a message about missing packages."""


def as_typed(text: str) -> str:
    """Return a help text whose lines that begin with ``antidiag`` begin with the words that start this program."""
    return re.sub(r"(?m)^antidiag\b", PROGRAM, text)
