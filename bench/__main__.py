"""``python -m bench``: the standard benchmark, as Markdown."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from antidiag.kernels import engine
from antidiag.kernels.cpu.workers import cores
from antidiag.kernels.cuda import devices
from antidiag.kernels.experiments import peak, runner, suite, tables
from antidiag.kernels.experiments.cases import Case
from antidiag.kernels.experiments.points import Point, Status
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.experiments.sweep import Task
from antidiag.kernels.experiments.tables import Table
from antidiag.kernels.memory import bytes_text
from bench import pieces

ONE_THREAD = "On the CPU, a method of ours without a number of threads takes one."
PEAKS_AT_ONCE = 4
"""Processes whose peak memory is measured at once; each may hold some GiB."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print every table as it is measured; 1 where an answer was wrong."""
    options = _options(arguments)
    found, reason = devices.discover()
    print(", ".join([engine.cpu_name(), f"{cores()} threads", *(gpu.name for gpu in found)]))
    for backend in ["cuda"] * bool(found) + ["cpu"] * (not options.gpu_only):
        limits = roofline.of(backend)
        rates = f"{limits.operations_per_s:.3g} operations/s, {limits.bytes_per_s:.3g} bytes/s"
        print(f"limits of {limits.device}: {rates}")
    points: list[Point] = []
    every = list(suite.cases(options.quick, options.gpu_only))
    for case in every:
        if not _wanted(case, options.only):
            continue
        measured = runner.run(case.sweep)
        print("\n" + tables.markdown(_table(case, measured)), flush=True)
        points += measured
    if not options.gpu_only and not options.only:
        print("\n" + tables.markdown(pieces.dot_plots()), flush=True)
    if options.only and not points:
        known = ", ".join(sorted({one for case in every for one in case.sweep.contenders}))
        print(f"--only: no table has {' or '.join(options.only)}; methods here: {known}", file=sys.stderr)
        return 2
    if not found:
        print(f"The GPU was not measured: {reason}")
    if options.json:
        report = {"cpu": engine.cpu_name(), "versions": dict(engine.versions()), "rows": [one.data() for one in points]}
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return int(any(point.status is Status.WRONG for point in points))


def _wanted(case: Case, only: Sequence[str] | None) -> bool:
    names = " ".join([case.sweep.title, *case.sweep.contenders]).lower()
    return only is None or any(text.lower() in names for text in only)


def _table(case: Case, points: Sequence[Point]) -> Table:
    title = f"{case.sweep.title}, {points[0].size}"
    table = tables.summary(points, title, case.baseline)
    threads = (ONE_THREAD,) if "cpu" in case.sweep.backends else ()
    return replace(table, notes=(*table.notes, *threads, *(_peaks(case) if case.with_peak else ())))


def _peaks(case: Case) -> list[str]:
    """What every task of a case adds to the memory of a process of its own; nothing is timed meanwhile, so that they
    run side by side."""
    with ThreadPoolExecutor(min(PEAKS_AT_ONCE, cores())) as pool:
        return list(pool.map(_peak, case.sweep.tasks()))


def _peak(task: Task) -> str:
    bytes_added = peak.peak_bytes(task)
    text = "unknown" if bytes_added is None else bytes_text(bytes_added)
    threads = task.coordinates.get("threads")
    return f"Peak memory of {task.contender}{f', threads = {threads}' if threads else ''}: {text}."


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Antidiag beside its peers, in one run.")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, without the slowest peers and pairs")
    parser.add_argument("--gpu-only", action="store_true", help="measure nothing but the GPU")
    only = "tables of which a method or the title has TEXT; may be given several times"
    parser.add_argument("--only", action="append", metavar="TEXT", help=only)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also save every point as JSON")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
