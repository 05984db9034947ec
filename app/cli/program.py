"""The program ``antidiag``: its subcommands, and how every error becomes one line."""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
from collections.abc import Sequence
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

import platformdirs
import typer

from antidiag.app.cli import (
    compare_command,
    guidelines_command,
    lecture_command,
    list_commands,
    play_command,
    posteriors_command,
    profile_command,
    run_commands,
    runs_command,
    sequences_command,
)
from antidiag.app.cli.laboratory import sweep_commands, tune_commands
from antidiag.app.cli.options import MethodCommand, SingleValueCommand
from antidiag.app.invocation import PROGRAM, as_typed
from antidiag.kernels import __version__
from antidiag.kernels.errors import AntidiagError, Cancelled, ResultNotSaved

BAD_INPUT, FAULT, INTERRUPTED = 2, 1, 130
"""Exit codes: bad input; an error of the program; Ctrl-C."""
UNWRITABLE = (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT)
"""Error numbers of a full or failing disk."""

HELP = f"""
Align sequences by dynamic programming, on a GPU or on the CPU.

Without a command, the window opens with the given files: [bold]{PROGRAM} first.fa second.fa[/]
"""


program = typer.Typer(
    name=PROGRAM,
    help=HELP,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_add_command = partial(program.command, cls=SingleValueCommand)
_add_command("methods", epilog=as_typed(list_commands.METHODS_EXAMPLES))(list_commands.methods)
_add_command("info", epilog=as_typed(list_commands.INFO_EXAMPLES))(list_commands.info)
_add_command("samples", epilog=as_typed(list_commands.SAMPLES_EXAMPLES))(list_commands.samples)
_add_command("estimate", cls=MethodCommand, epilog=as_typed(run_commands.ESTIMATE_EXAMPLES))(run_commands.estimate)
_add_command("run", cls=MethodCommand, epilog=as_typed(run_commands.RUN_EXAMPLES))(run_commands.run)
_add_command("compare", epilog=as_typed(compare_command.COMPARE_EXAMPLES))(compare_command.compare)
_add_command("posteriors", epilog=as_typed(posteriors_command.POSTERIORS_EXAMPLES))(posteriors_command.posteriors)
_add_command("sequences", epilog=as_typed(sequences_command.SEQUENCES_EXAMPLES))(sequences_command.sequences)
_add_command("profile", epilog=as_typed(profile_command.PROFILE_EXAMPLES))(profile_command.profile)
_add_command("runs", epilog=as_typed(runs_command.RUNS_EXAMPLES))(runs_command.runs)
_add_command("sweep", cls=MethodCommand, epilog=as_typed(sweep_commands.SWEEP_EXAMPLES))(sweep_commands.sweep)
_add_command("tune", cls=MethodCommand, epilog=as_typed(tune_commands.TUNE_EXAMPLES))(tune_commands.tune)
_add_command("bench", cls=MethodCommand, epilog=as_typed(sweep_commands.BENCH_EXAMPLES))(sweep_commands.bench)
_add_command("reproduce", epilog=as_typed(tune_commands.REPRODUCE_EXAMPLES))(tune_commands.reproduce)
_add_command("play", epilog=as_typed(play_command.PLAY_EXAMPLES))(play_command.play)
_add_command("lecture", epilog=as_typed(lecture_command.LECTURE_EXAMPLES))(lecture_command.lecture)
_add_command("guidelines", epilog=as_typed(guidelines_command.GUIDELINES_EXAMPLES))(guidelines_command.guidelines)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"Antidiag {__version__}")
        raise typer.Exit


@program.callback()
def _global_options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    """Define the options that stand before the command."""


def main(arguments: Sequence[str]) -> int:
    """Run a command line and return the exit code. No error ends in a traceback."""
    _accept_any_letter()
    try:
        code = _build_program()(args=list(arguments), prog_name=PROGRAM, standalone_mode=False)
        sys.stdout.flush()
        return _print_failure("cancelled", INTERRUPTED) if code == INTERRUPTED else int(code or 0)
    except ResultNotSaved as error:
        return _report_unsaved(error, arguments)
    except (AntidiagError, typer.TyperException) as error:
        return _print_failure(_error_text(error), BAD_INPUT)
    except MemoryError:
        return _print_failure("not enough memory; use shorter sequences or close other programs", BAD_INPUT)
    except Cancelled as cancelled:
        goes_on = f"; {cancelled}: repeat the command with --resume" if str(cancelled) else ""
        return _print_failure(f"cancelled{goes_on}", INTERRUPTED)
    except (KeyboardInterrupt, typer.Abort):
        return _print_failure("cancelled", INTERRUPTED)
    except BrokenPipeError:
        _discard_output()
        return FAULT
    except OSError as error:
        if error.errno not in UNWRITABLE or error.filename is not None:
            return _report_fault(error, arguments)
        _discard_output()
        return _print_failure(
            f"standard output cannot be written: {error.strerror}; use another disk or pipe", BAD_INPUT
        )
    except Exception as error:  # of the program itself, whatever it is: one line, and the traceback in the log
        return _report_fault(error, arguments)


@cache
def _build_program() -> Any:
    """Build the program with all its commands, once."""
    return typer.main.get_command(program)


def _report_fault(error: Exception, arguments: Sequence[str]) -> int:
    """Report an error of the program itself: one line, and a traceback in the log."""
    return _print_failure(f"internal error: {type(error).__name__}: {error}; {_log_traceback(error, arguments)}", FAULT)


def _report_unsaved(error: ResultNotSaved, arguments: Sequence[str]) -> int:
    """Report a result that is saved in another form; a traceback in the log where a writer of the program is wrong."""
    cause = error.__cause__
    if cause is None or isinstance(cause, AntidiagError):
        return _print_failure(str(error), BAD_INPUT)
    return _print_failure(f"{error}; {_log_traceback(cause, arguments)}", FAULT)


def _accept_any_letter() -> None:
    """Let output contain letters that the encoding of the terminal or pipe does not have."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _print_failure(text: str, code: int) -> int:
    """Print one line on standard error and return the exit code."""
    print("antidiag: " + " ".join(text.split()), file=sys.stderr)
    return code


def _error_text(error: AntidiagError | typer.TyperException) -> str:
    if isinstance(error, typer.TyperException):
        return f"{error.format_message().rstrip('.')}; see --help"
    return str(error)


def _log_traceback(error: BaseException, arguments: Sequence[str]) -> str:
    """Write the traceback to a log and return what the user should do."""
    path = Path(platformdirs.user_log_dir("antidiag")) / "command-line.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a", encoding="utf-8") as log:
            print(f"{datetime.now():%Y-%m-%d %H:%M:%S} Antidiag {__version__}: {list(arguments)}", file=log)
            traceback.print_exception(error, file=log)
    except OSError:
        return "please report it"
    return f"please report it with the file {path}"


def _discard_output() -> None:
    """Discard all further output, because its reader is gone; the flush at exit must not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
