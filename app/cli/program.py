"""The program ``antidiag``: its subcommands, and how every error becomes one line."""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs
import typer

from antidiag.app.cli import (
    COMPLETION_VARIABLE,
    batch_command,
    cluster_command,
    compare_command,
    database_command,
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
from antidiag.app.cli.options import MethodCommand, RunCommand, SingleValueCommand
from antidiag.app.cli.shell import config_command, config_file, messages
from antidiag.app.cli.tasks import codon_command, convert_command, figure_command, search_command, view_command
from antidiag.app.cli.tasks.task_commands import TASK_COMMANDS, task_command
from antidiag.app.invocation import PROGRAM, as_typed
from antidiag.kernels import __version__
from antidiag.kernels.errors import AntidiagError, Cancelled, ResultNotSaved
from antidiag.kernels.text import suggest_names

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
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _add_command(
    panel: str,
    name: str,
    command: Callable[..., None],
    examples: str,
    cls: type[SingleValueCommand] = SingleValueCommand,
) -> None:
    """Add a command to the program, below a heading of its help."""
    program.command(name, cls=cls, epilog=as_typed(examples), rich_help_panel=panel)(command)


TASKS, METHODS, FILES, LABORATORY = "Tasks", "Methods", "Files and settings", "Teaching and measuring"
for _name, (_command, _class, _examples) in TASK_COMMANDS.items():
    _add_command(TASKS, _name, _command, _examples, _class)
_search, _search_class = task_command(search_command.search)
_add_command(TASKS, "codon-align", codon_command.codon_align, codon_command.CODON_EXAMPLES)
_add_command(TASKS, "search", _search, search_command.SEARCH_EXAMPLES, _search_class)
_add_command(TASKS, "view", view_command.view, view_command.VIEW_EXAMPLES)
_add_command(TASKS, "figure", figure_command.figure, figure_command.FIGURE_EXAMPLES)
_add_command(TASKS, "convert", convert_command.convert, convert_command.CONVERT_EXAMPLES)
_add_command(METHODS, "methods", list_commands.methods, list_commands.METHODS_EXAMPLES)
_add_command(METHODS, "run", run_commands.run, run_commands.RUN_EXAMPLES, RunCommand)
_add_command(METHODS, "estimate", run_commands.estimate, run_commands.ESTIMATE_EXAMPLES, RunCommand)
_add_command(METHODS, "batch", batch_command.batch, batch_command.BATCH_EXAMPLES, MethodCommand)
_add_command(METHODS, "runs", runs_command.runs, runs_command.RUNS_EXAMPLES)
_add_command(FILES, "sequences", sequences_command.sequences, sequences_command.SEQUENCES_EXAMPLES)
_add_command(FILES, "database", database_command.database, database_command.DATABASE_EXAMPLES)
_add_command(FILES, "profile", profile_command.profile, profile_command.PROFILE_EXAMPLES)
_add_command(FILES, "compare", compare_command.compare, compare_command.COMPARE_EXAMPLES)
_add_command(FILES, "posteriors", posteriors_command.posteriors, posteriors_command.POSTERIORS_EXAMPLES)
_add_command(FILES, "samples", list_commands.samples, list_commands.SAMPLES_EXAMPLES)
_add_command(FILES, "config", config_command.config, config_command.CONFIG_EXAMPLES)
_add_command(FILES, "cluster", cluster_command.cluster, cluster_command.CLUSTER_EXAMPLES)
_add_command(FILES, "info", list_commands.info, list_commands.INFO_EXAMPLES)
_add_command(LABORATORY, "play", play_command.play, play_command.PLAY_EXAMPLES)
_add_command(LABORATORY, "lecture", lecture_command.lecture, lecture_command.LECTURE_EXAMPLES)
_add_command(LABORATORY, "sweep", sweep_commands.sweep, sweep_commands.SWEEP_EXAMPLES, MethodCommand)
_add_command(LABORATORY, "tune", tune_commands.tune, tune_commands.TUNE_EXAMPLES, MethodCommand)
_add_command(LABORATORY, "bench", sweep_commands.bench, sweep_commands.BENCH_EXAMPLES, MethodCommand)
_add_command(LABORATORY, "reproduce", tune_commands.reproduce, tune_commands.REPRODUCE_EXAMPLES)
_add_command(LABORATORY, "guidelines", guidelines_command.guidelines, guidelines_command.GUIDELINES_EXAMPLES)


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


def main(arguments: Sequence[str], open_window: Callable[[Sequence[str]], int] | None = None) -> int:
    """Run a command line and return the exit code. No error ends in a traceback.

    ``open_window`` opens the window with some files and returns the exit code.
    """
    _accept_any_letter()
    messages.reset_messages()
    try:
        code = _run_program(arguments, open_window)
        sys.stdout.flush()
        return _print_failure("cancelled", INTERRUPTED) if code == INTERRUPTED else int(code or 0)
    except ResultNotSaved as error:
        return _report_unsaved(error, arguments)
    except (AntidiagError, typer.TyperException) as error:
        return _print_failure(config_file.name_origin(_error_text(error), arguments), BAD_INPUT)
    except MemoryError:
        return _print_failure("not enough memory; use shorter sequences or close other programs", BAD_INPUT)
    except Cancelled as cancelled:
        goes_on = f"; {cancelled}: repeat the command with --resume" if str(cancelled) else ""
        return _print_failure(f"cancelled{goes_on}", INTERRUPTED)
    except (KeyboardInterrupt, typer.Abort):
        return _print_failure("cancelled", INTERRUPTED)
    except SystemExit as ended:  # typer ends the program after a completion, and where a pipe is closed
        return 0 if isinstance(ended.__context__, BrokenPipeError) else int(ended.code or 0)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        _discard_output()
        return 0
    except OSError as error:
        if error.errno not in UNWRITABLE or error.filename is not None:
            return _report_fault(error, arguments)
        _discard_output()
        return _print_failure(
            f"standard output cannot be written: {error.strerror}; use another disk or pipe", BAD_INPUT
        )
    except Exception as error:  # of the program itself, whatever it is: one line, and the traceback in the log
        return _report_fault(error, arguments)


def _run_program(arguments: Sequence[str], open_window: Callable[[Sequence[str]], int] | None) -> Any:
    """Run a command line with the defaults of the configuration file."""
    built = _build_program()
    completing = COMPLETION_VARIABLE in os.environ or any("-completion" in one for one in arguments[:1])
    return built(
        args=list(arguments),
        prog_name="antidiag" if completing else PROGRAM,
        complete_var=COMPLETION_VARIABLE,
        standalone_mode=False,
        default_map=config_file.default_values(config_file.read_config(), built.commands),
        obj=open_window,
    )


@cache
def _build_program() -> Any:
    """Build the program with all its commands, once."""
    return typer.main.get_command(program)


def _report_fault(error: Exception, arguments: Sequence[str]) -> int:
    """Report an error of the program itself: one line, and a traceback in the log."""
    messages.print_detail("".join(traceback.format_exception(error)))
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
    messages.print_error(text)
    return code


def _error_text(error: AntidiagError | typer.TyperException) -> str:
    """Return the message of an error; one about a wrong option names the option that was probably meant."""
    if not isinstance(error, typer.TyperException):
        return str(error)
    context, wrong = getattr(error, "ctx", None), getattr(error, "option_name", "")
    command = getattr(context, "command", None)
    if hasattr(error, "possibilities") and isinstance(command, SingleValueCommand):
        known = command.known_flags(context)
        return f"{error.message}; {suggest_names(wrong, known) or 'see --help'}"
    return f"{error.format_message().rstrip('.')}; see --help"


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
