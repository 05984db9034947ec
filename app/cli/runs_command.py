"""Interrupted runs: the command ``runs``, and the messages of ``run`` about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from antidiag.app import texts
from antidiag.app.cli import report
from antidiag.app.cli.shell import messages
from antidiag.kernels import memory
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.method import Method
from antidiag.kernels.recovery import interrupted_runs
from antidiag.kernels.recovery.interrupted_runs import InterruptedRun

GIB = 2**30
RUNS_EXAMPLES = """
[bold]Examples[/]

antidiag runs

antidiag runs --clear

antidiag runs --limit 200

antidiag runs 20260131-120000-0123abcd --clear
"""


def runs(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID...]", help="These runs only; by default all.")] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Delete interrupted runs and their files.")] = False,
    limit: Annotated[
        float | None,
        typer.Option("--limit", metavar="GIB", min=0, help="Set the disk space that interrupted runs may use, in GiB."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List interrupted runs; 'run METHOD FILE... --resume' continues one.

    Runs of more than a minute save their progress on disk and delete it when they finish.
    """
    if limit is not None:
        _set_limit(limit)
    found = _select_runs(ids or [])
    if clear:
        found = [run for run in found if not run.running]
        for run in found:
            interrupted_runs.discard_run(run)
    if as_json:
        report.print_json([_run_json(run) for run in found])
    elif clear:
        freed = format_bytes(sum(run.nbytes for run in found))
        print(f"{_count_runs(len(found))} deleted, {freed} freed")
    elif not found:
        print("no interrupted runs")
    else:
        for number, run in enumerate(found):
            print("\n" * bool(number) + "\n".join(_run_lines(run)))
    if not as_json:
        free, most = format_bytes(memory.disk_bytes_free()), format_bytes(memory.disk_limit())
        print(f"{free} free in {memory.disk_folder()}; interrupted runs may use {most}")


def find_interrupted_run(
    method: Method, problem: Any, given: Mapping[str, Any], backend: str, resume: bool
) -> InterruptedRun | None:
    """Return the interrupted run to continue, or None; print what the user should know about it."""
    if method.resumption is None:
        if resume:
            raise ParameterError(f"runs of {method.name} cannot be continued; remove --resume")
        return None
    found = interrupted_runs.find_run(method, problem, given, backend)
    if found and resume:
        messages.print_message(
            f"continuing the run of {_local_time(found.saved)} from {interrupted_runs.format_percent(found.fraction)}"
        )
        return found
    if found:
        done = f"{interrupted_runs.format_percent(found.fraction)} done"
        messages.print_message(
            f"a run of this problem was interrupted on {_local_time(found.saved)} ({done}); --resume continues it. "
            "This run "
            "starts from the beginning"
        )
    elif resume and interrupted_runs.find_running(method, problem):
        messages.print_message(
            "another process is computing this problem ('runs' shows its progress); this run starts from the beginning"
        )
    elif resume:
        messages.print_message(
            "no interrupted run has this problem and these parameters; this run starts from the beginning"
        )
    return None


def _set_limit(gib: float) -> None:
    if not gib <= memory.MOST_GIB:
        raise ParameterError(f"--limit must be a number of GiB, such as 200; got {gib:g}")
    try:
        memory.set_disk_limit(round(gib * GIB))
    except OSError as error:
        raise InputError(f"--limit cannot be saved: {error.strerror or error}") from error


def _select_runs(ids: list[str]) -> list[InterruptedRun]:
    every = {run.id: run for run in interrupted_runs.list_runs()}
    for name in ids:
        if name not in every:
            raise ParameterError(f"no interrupted run {name!r}; known runs: {', '.join(every) or 'none'}")
    return [every[name] for name in ids] if ids else list(every.values())


def _run_lines(run: InterruptedRun) -> list[str]:
    """Return the lines that describe a run."""
    state = "running now" if run.running else "interrupted" + f", {interrupted_runs.OTHER_VERSION}" * run.foreign
    settings = texts.format_settings(run.parameters)
    return [
        f"{run.id}: {run.method}, {interrupted_runs.format_percent(run.fraction)} done, {state}",
        f"  {run.title}, {run.size}",
        f"  {'GPU' if run.backend == 'cuda' else 'CPU'} {run.device}, {settings}",
        f"  begun {_local_time(run.started)}, saved {_local_time(run.saved)}, {format_bytes(run.nbytes)} in "
        f"{run.folder}",
    ]


def _run_json(run: InterruptedRun) -> dict[str, Any]:
    return {
        "id": run.id,
        "method": run.method,
        "backend": run.backend,
        "device": run.device,
        "parameters": dict(run.parameters),
        "title": run.title,
        "size": run.size,
        "started": run.started.isoformat(),
        "saved": run.saved.isoformat(),
        "fraction": run.fraction,
        "bytes": run.nbytes,
        "running": run.running,
        "foreign": run.foreign,
        "folder": str(run.folder),
    }


def _local_time(moment: Any) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def _count_runs(number: int) -> str:
    return "1 run" if number == 1 else f"{number} runs"
