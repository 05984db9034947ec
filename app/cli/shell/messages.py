"""Messages on standard error and in the log file: how much of them is printed is set by --quiet, --verbose, --log-file.

Results are printed on standard output, and are no messages.
"""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path
from typing import Any

from typer.core import TyperOption

from antidiag.kernels import __version__
from antidiag.kernels.errors import InputError
from antidiag.kernels.monitor import Monitor

LOG = logging.getLogger("antidiag.cli")
PANEL = "Messages"


class _StandardError(logging.Handler):
    """Prints records on what standard error is now, after the name of the program."""

    def emit(self, record: logging.LogRecord) -> None:
        print(f"antidiag: {record.getMessage()}", file=sys.stderr)


def reset_messages() -> None:
    """Print notes and errors on standard error, as without any option, and close the log file."""
    for handler in LOG.handlers:
        handler.close()
    LOG.handlers = [_StandardError(logging.INFO)]
    LOG.setLevel(logging.DEBUG)
    LOG.propagate = False


def print_note(text: str) -> None:
    """Print what the user should know about data, settings or device; --quiet suppresses it."""
    LOG.info("note: %s", text)


def print_message(text: str) -> None:
    """Print what is being done; --quiet suppresses it."""
    LOG.info(text)


def print_detail(text: str) -> None:
    """Print what only --verbose shows, and the log file."""
    LOG.debug(text)


def print_error(text: str) -> None:
    """Print an error in one line."""
    LOG.error(" ".join(text.split()))


def is_quiet() -> bool:
    """Return whether only errors are printed."""
    return any(handler.level > logging.INFO for handler in LOG.handlers if isinstance(handler, _StandardError))


def shows_details() -> bool:
    """Return whether details are printed or logged."""
    return any(handler.level <= logging.DEBUG for handler in LOG.handlers)


class PhaseMessages:
    """Prints each phase of a run as a detail when it begins, with the time of the one before."""

    def __init__(self) -> None:
        self._phase, self._begun = "", time.monotonic()

    def __call__(self, done: int, total: int, phase: str) -> None:
        if phase != self._phase:
            now = time.monotonic()
            if self._phase:
                print_detail(f"{self._phase}: {now - self._begun:.2f} s")
            self._phase, self._begun = phase, now


def silent_monitor() -> Monitor:
    """Return a monitor that draws nothing; phases are printed where details are wanted."""
    return Monitor(PhaseMessages() if shows_details() else None)


def message_options() -> list[TyperOption]:
    """Return the options --quiet, --verbose and --log-file, which every command has."""
    return [
        TyperOption(
            param_decls=["--quiet", "-q"],
            is_flag=True,
            default=False,
            expose_value=False,
            callback=_be_quiet,
            rich_help_panel=PANEL,
            help="Print errors only: no notes, no progress, and no report of what is saved in a file.",
        ),
        TyperOption(
            param_decls=["--verbose", "-v"],
            is_flag=True,
            default=False,
            expose_value=False,
            callback=_be_verbose,
            rich_help_panel=PANEL,
            help="Print what is read, planned and computed, and how long it takes.",
        ),
        TyperOption(
            param_decls=["--log-file"],
            metavar="FILE",
            default=None,
            expose_value=False,
            callback=_open_log,
            rich_help_panel=PANEL,
            help="Append all messages to this file, with their times.",
        ),
    ]


def _set_level(level: int) -> None:
    for handler in LOG.handlers:
        if isinstance(handler, _StandardError):
            handler.setLevel(level)


def _be_quiet(ctx: Any, param: Any, wanted: bool) -> None:
    if wanted:
        _set_level(logging.ERROR)


def _be_verbose(ctx: Any, param: Any, wanted: bool) -> None:
    if wanted and not is_quiet():
        _set_level(logging.DEBUG)


def _open_log(ctx: Any, param: Any, name: str | None) -> None:
    if name is None:
        return
    path = Path(name)
    try:
        handler = logging.FileHandler(path, encoding="utf-8")
    except OSError as error:
        raise InputError(f"--log-file {path}: cannot be written: {error.strerror or error}; choose another") from error
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%Y-%m-%d %H:%M:%S"))
    LOG.addHandler(handler)
    print_detail(f"Antidiag {__version__}: {' '.join(sys.argv)}")
