"""How the user starts the program: ``antidiag`` if it is installed, ``python main.py`` in a checkout."""

from __future__ import annotations

import re

from antidiag.kernels import CHECKOUT, RESOURCES

PROGRAM = "antidiag" if CHECKOUT is None else "python main.py"
"""The text before a subcommand."""

SAMPLES = "resources/samples" if CHECKOUT is not None else str(RESOURCES / "samples")
"""The folder of the sample files for command lines; in a checkout, relative to its root."""


HOW_TO_INSTALL = "install them with python3 scripts/setup.py" if CHECKOUT is not None else "reinstall antidiag"
"""The end of a message about missing packages."""


def as_typed(text: str) -> str:
    """Return a help text in which commands, also behind a pipe, begin with the words that start this program."""
    return re.sub(r"(?m)(^|\| )antidiag\b", rf"\1{PROGRAM}", text)
