"""The program ``antidiag``: its subcommands, and how every error becomes one line."""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs
import typer

from antidiag.app.cli import (
    comparing,
    computing,
    guidelines,
    interrupted,
    listing,
    plays,
    posteriors,
    preparing,
    profiles,
)
from antidiag.app.cli.laboratory import commands, search
from antidiag.app.invocation import PROGRAM, as_typed
from antidiag.kernels import __version__
from antidiag.kernels.errors import AntidiagError, Cancelled

BAD_INPUT, FAULT, INTERRUPTED = 2, 1, 130
"""Exit codes: the user can act; the program is at fault; Ctrl-C."""
UNWRITABLE = (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT)
"""What a full or a failing disk says."""

HELP = f"""
Align sequences by dynamic programming, on a GPU or on the CPU.

Without a command the window opens, with the files that are named: [bold]{PROGRAM} first.fa second.fa[/]
"""

program = typer.Typer(
    name=PROGRAM,
    help=HELP,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
program.command("methods", epilog=as_typed(listing.METHODS_EXAMPLES))(listing.methods)
program.command("info", epilog=as_typed(listing.INFO_EXAMPLES))(listing.info)
program.command("samples", epilog=as_typed(listing.SAMPLES_EXAMPLES))(listing.samples)
program.command("estimate", epilog=as_typed(computing.ESTIMATE_EXAMPLES))(computing.estimate)
program.command("run", epilog=as_typed(computing.RUN_EXAMPLES))(computing.run)
program.command("compare", epilog=as_typed(comparing.COMPARE_EXAMPLES))(comparing.compare)
program.command("posteriors", epilog=as_typed(posteriors.POSTERIORS_EXAMPLES))(posteriors.posteriors)
program.command("sequences", epilog=as_typed(preparing.SEQUENCES_EXAMPLES))(preparing.sequences)
program.command("profile", epilog=as_typed(profiles.PROFILE_EXAMPLES))(profiles.profile)
program.command("runs", epilog=as_typed(interrupted.RUNS_EXAMPLES))(interrupted.runs)
program.command("sweep", epilog=as_typed(commands.SWEEP_EXAMPLES))(commands.sweep)
program.command("tune", epilog=as_typed(search.TUNE_EXAMPLES))(search.tune)
program.command("bench", epilog=as_typed(commands.BENCH_EXAMPLES))(commands.bench)
program.command("reproduce", epilog=as_typed(search.REPRODUCE_EXAMPLES))(search.reproduce)
program.command("play", epilog=as_typed(plays.PLAY_EXAMPLES))(plays.play)
program.command("lecture", epilog=as_typed(plays.LECTURE_EXAMPLES))(plays.lecture)
program.command("guidelines", epilog=as_typed(guidelines.GUIDELINES_EXAMPLES))(guidelines.guidelines)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"Antidiag {__version__}")
        raise typer.Exit


@program.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    """Options before the command."""


def main(arguments: Sequence[str]) -> int:
    """Run a command line; the exit code. No error leaves as a traceback."""
    _write_any_letter()
    try:
        code = _built()(args=list(arguments), prog_name=PROGRAM, standalone_mode=False)
        sys.stdout.flush()
        return _fail("cancelled", INTERRUPTED) if code == INTERRUPTED else int(code or 0)
    except (AntidiagError, typer.TyperException) as error:
        return _fail(_text(error), BAD_INPUT)
    except MemoryError:
        return _fail("there is not enough memory for this; choose shorter sequences, or free some", BAD_INPUT)
    except Cancelled as cancelled:
        goes_on = f"; {cancelled}: give the same command with --resume" if str(cancelled) else ""
        return _fail(f"cancelled{goes_on}", INTERRUPTED)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("cancelled", INTERRUPTED)
    except BrokenPipeError:
        _forget_output()
        return FAULT
    except OSError as error:
        if error.errno not in UNWRITABLE or error.filename is not None:
            return _fault(error, arguments)
        _forget_output()
        return _fail(f"standard output cannot be written: {error.strerror}; write to another place", BAD_INPUT)
    except Exception as error:
        return _fault(error, arguments)


@cache
def _built() -> Any:
    """The program with all its commands, which takes longer to build than most of them to refuse bad input."""
    return typer.main.get_command(program)


def _fault(error: Exception, arguments: Sequence[str]) -> int:
    """What went wrong in the program itself, on one line, and in a log."""
    return _fail(f"internal error: {type(error).__name__}: {error}; {_report(error, arguments)}", FAULT)


def _write_any_letter() -> None:
    """Names may hold letters that the encoding of a terminal or pipe does not know."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _fail(text: str, code: int) -> int:
    """One line on standard error, whatever the text holds."""
    print("antidiag: " + " ".join(text.split()), file=sys.stderr)
    return code


def _text(error: AntidiagError | typer.TyperException) -> str:
    if isinstance(error, typer.TyperException):
        return f"{error.format_message().rstrip('.')}; --help says what is possible"
    return str(error)


def _report(error: Exception, arguments: Sequence[str]) -> str:
    """Write the traceback to a log; what the user should do with it."""
    path = Path(platformdirs.user_log_dir("antidiag")) / "command-line.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a", encoding="utf-8") as log:
            print(f"{datetime.now():%Y-%m-%d %H:%M:%S} Antidiag {__version__}: {list(arguments)}", file=log)
            traceback.print_exception(error, file=log)
    except OSError:
        return "please report it"
    return f"please report it with the file {path}"


def _forget_output() -> None:
    """The reader of standard output is gone; the flush at exit must not fail on it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
