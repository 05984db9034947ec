"""Antidiag: a command runs the command line; anything else opens the window with the files named."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from app.cli import COMMANDS

SETUP = "python3 scripts/setup.py"


def main(arguments: Sequence[str]) -> int:
    """Run what the arguments ask for; the exit code."""
    first = arguments[0] if arguments else ""
    if first in COMMANDS or first.startswith("-"):
        return _command_line(arguments)
    for name in arguments:
        if not os.path.exists(name):
            return _fail(f"{name!r} is neither a file nor a command; the commands are {', '.join(COMMANDS)}")
    return _window(arguments)


def no_display(environment: Mapping[str, str], platform: str) -> bool:
    """Whether there is no screen for a window on this system."""
    known = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return platform.startswith("linux") and not any(environment.get(name) for name in known)


def _command_line(arguments: Sequence[str]) -> int:
    try:
        from app.cli.program import main as run
    except ModuleNotFoundError as error:
        return _missing(error)
    return run(arguments)


def _window(files: Sequence[str]) -> int:
    if no_display(os.environ, sys.platform):
        return _fail(
            "there is no display to open the window on; set DISPLAY (ssh -X does), or use the command line: "
            "python main.py --help"
        )
    try:
        from app.application import main as run
    except ModuleNotFoundError as error:
        return _missing(error)
    except ImportError as error:
        return _fail(f"Qt cannot be loaded: {error}; {SETUP} installs what it needs")
    return run(list(files))


def _missing(error: ModuleNotFoundError) -> int:
    return _fail(
        f"the package {error.name} is not installed; {SETUP} installs what is missing, or use .venv/bin/python"
    )


def _fail(text: str) -> int:
    print("antidiag: " + " ".join(text.split()), file=sys.stderr)
    return 2


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:  # while modules load
        print("antidiag: cancelled", file=sys.stderr)
        sys.exit(130)
