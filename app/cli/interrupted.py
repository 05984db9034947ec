"""Interrupted runs: the command ``runs``, and what ``run`` says of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from antidiag.app import texts
from antidiag.app.cli import report
from antidiag.kernels import memory
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.memory import bytes_text
from antidiag.kernels.method import Method
from antidiag.kernels.recovery import resuming
from antidiag.kernels.recovery.resuming import Run

GIB = 2**30
RUNS_EXAMPLES = """
[bold]Examples[/]

antidiag runs

antidiag runs --clear

antidiag runs --limit 200

antidiag runs 20260131-120000-0123abcd --clear
"""


def runs(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID...]", help="Only these; all by default.")] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Remove them, and what they have kept on the disk.")] = False,
    limit: Annotated[
        float | None,
        typer.Option("--limit", metavar="GIB", min=0, help="From now on let runs take at most so much of the disk."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the long runs that were interrupted; 'run METHOD FILE... --resume' goes on with one.

    Runs of more than a minute keep what they have finished on the disk, and remove it when they end with a result.
    """
    if limit is not None:
        _set_limit(limit)
    found = _chosen(ids or [])
    if clear:
        found = [run for run in found if not run.running]
        for run in found:
            resuming.discard(run)
    if as_json:
        report.print_json([_run_json(run) for run in found])
    elif clear:
        freed = bytes_text(sum(run.nbytes for run in found))
        print(f"{_count(len(found))} removed, {freed} freed")
    elif not found:
        print("no run was interrupted")
    else:
        for number, run in enumerate(found):
            print("\n" * bool(number) + "\n".join(_lines(run)))
    if not as_json:
        free, most = bytes_text(memory.disk_bytes_free()), bytes_text(memory.disk_limit())
        print(f"{free} are free in {memory.disk_folder()}, and runs take at most {most} of them")


def look_for(method: Method, problem: Any, given: Mapping[str, Any], backend: str, resume: bool) -> Run | None:
    """The interrupted run to go on with, where the user wants that; what there is to know is said at once."""
    if method.resumption is None:
        if resume:
            raise ParameterError(f"--resume: a run of {method.name} cannot be continued; leave it out")
        return None
    found = resuming.find(method, problem, given, backend)
    if found and resume:
        _say(f"continuing the run of {_local(found.saved)} from {resuming.percent(found.fraction)}")
        return found
    if found:
        done = f"{resuming.percent(found.fraction)} of it done"
        _say(
            f"a run of this problem was interrupted on {_local(found.saved)}, {done}; --resume continues it, and this "
            "run starts anew"
        )
    elif resume and resuming.at_work(method, problem):
        _say("another process is computing this problem now; 'runs' shows how far it is; this run starts anew")
    elif resume:
        _say("no run of this problem with these parameters was interrupted; this one starts from the beginning")
    return None


def _set_limit(gib: float) -> None:
    if not gib <= memory.MOST_GIB:
        raise ParameterError(f"--limit {gib:g} is no room on a disk; give a number of GiB, such as 200")
    try:
        memory.set_disk_limit(round(gib * GIB))
    except OSError as error:
        raise InputError(f"--limit: it cannot be kept: {error.strerror or error}") from error


def _chosen(ids: list[str]) -> list[Run]:
    every = {run.id: run for run in resuming.runs()}
    for name in ids:
        if name not in every:
            raise ParameterError(f"there is no run {name!r}; known are {', '.join(every) or 'none'}")
    return [every[name] for name in ids] if ids else list(every.values())


def _lines(run: Run) -> list[str]:
    """A run for people."""
    state = "running now" if run.running else "interrupted" + f", {resuming.OTHER_VERSION}" * run.foreign
    settings = texts.settings(run.parameters)
    return [
        f"{run.id}: {run.method}, {resuming.percent(run.fraction)} done, {state}",
        f"  {run.title}, {run.size}",
        f"  {'GPU' if run.backend == 'cuda' else 'CPU'} {run.device}, {settings}",
        f"  begun {_local(run.started)}, saved {_local(run.saved)}, {bytes_text(run.nbytes)} in {run.folder}",
    ]


def _run_json(run: Run) -> dict[str, Any]:
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


def _local(moment: Any) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def _count(number: int) -> str:
    return "1 run" if number == 1 else f"{number} runs"


def _say(text: str) -> None:
    print(f"antidiag: {text}", file=sys.stderr)
