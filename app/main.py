"""The entry point: a subcommand runs the command line, anything else opens the window with the named files."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Mapping, Sequence

from antidiag.app.cli import COMMANDS, COMPLETION_VARIABLE
from antidiag.app.invocation import PROGRAM
from antidiag.kernels import CHECKOUT

SETUP = "python3 scripts/setup.py" if CHECKOUT else "pip install antidiag"


def main(arguments: Sequence[str]) -> int:
    """Run the command line or open the window; return the exit code."""
    first = arguments[0] if arguments else ""
    if first in COMMANDS or first.startswith("-") or COMPLETION_VARIABLE in os.environ:
        return _run_command_line(arguments)
    for name in arguments:
        if not os.path.exists(name):
            close = difflib.get_close_matches(name, COMMANDS, 3) if name == first else ()
            hint = f"did you mean {' or '.join(close)}?" if close else f"the commands are {', '.join(COMMANDS)}"
            return _print_failure(f"{name!r} is neither a file nor a command; {hint}")
    return _open_window(arguments)


def has_no_display(environment: Mapping[str, str], platform: str) -> bool:
    """Return whether the system has no display for a window."""
    known = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return platform.startswith("linux") and not any(environment.get(name) for name in known)


def _run_command_line(arguments: Sequence[str]) -> int:
    try:
        from antidiag.app.cli.program import main as run
    except ModuleNotFoundError as error:
        return _refuse_missing_package(error)
    return run(arguments, _open_window)


def _open_window(files: Sequence[str]) -> int:
    if has_no_display(os.environ, sys.platform):
        return _print_failure(
            "there is no display to open the window on; set DISPLAY (ssh -X does), or use the command line: "
            f"{PROGRAM} --help"
        )
    try:
        from antidiag.app.application import main as run
    except ModuleNotFoundError as error:
        return _refuse_missing_package(error)
    except ImportError as error:
        return _print_failure(f"Qt cannot be loaded: {error}; {SETUP} installs what it needs")
    return run(list(files))


def _refuse_missing_package(error: ModuleNotFoundError) -> int:
    return _print_failure(
        f"the package {error.name} is not installed; {SETUP} installs what is missing"
        + (", or use .venv/bin/python" if CHECKOUT else "")
    )


def _print_failure(text: str) -> int:
    print("antidiag: " + " ".join(text.split()), file=sys.stderr)
    return 2


def run_and_exit() -> int:
    """Run the command ``antidiag`` with the arguments of this process; return the exit code."""
    return _run_guarded(sys.argv[1:])


def open_window() -> int:
    """Run the command ``antidiag-gui``: open the window with the named files; return the exit code."""
    return _run_guarded([name for name in sys.argv[1:] if not name.startswith("-")])


def _run_guarded(arguments: Sequence[str]) -> int:
    try:
        return main(arguments)
    except KeyboardInterrupt:  # while modules load
        print("antidiag: cancelled", file=sys.stderr)
        return 130
