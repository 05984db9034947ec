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
from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.cuda import devices
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.experiments.measuring import peak_memory, runner
from antidiag.kernels.experiments.point_data import tables
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus
from antidiag.kernels.experiments.point_data.tables import ReportTable
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.experiments.suites import cpu_suite, promised_costs
from antidiag.kernels.experiments.suites.benchmark_cases import BenchmarkCase
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask
from antidiag.kernels.memory import format_bytes
from bench import dot_plot_times

ONE_THREAD = "On the CPU, a method of ours without a number of threads takes one."
PEAKS_AT_ONCE = 4
"""Number of processes whose peak memory is measured at once; each may use several GiB."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print every table as it is measured; return 1 if an answer was wrong."""
    options = _parse_options(arguments)
    if options.promises:
        return _print_promises(options)
    found, reason = devices.discover_devices()
    print(", ".join([engine.cpu_name(), f"{count_processors()} threads", *(gpu.name for gpu in found)]))
    for backend in ["cuda"] * bool(found) + ["cpu"] * (not options.gpu_only):
        limits = roofline.find_roofline(backend)
        rates = f"{limits.operations_per_s:.3g} operations/s, {limits.bytes_per_s:.3g} bytes/s"
        print(f"limits of {limits.device}: {rates}")
    points: list[MeasuredPoint] = []
    known: set[str] = set()
    for case in cpu_suite.benchmark_cases(options.quick, options.gpu_only):
        known.update(case.sweep.contenders)
        if not _is_selected(case, options.only):
            continue
        measured = runner.run_sweep(case.sweep)
        print("\n" + tables.to_markdown(_case_table(case, measured)), flush=True)
        points += measured
    if not options.gpu_only and not options.only:
        print("\n" + tables.to_markdown(dot_plot_times.dot_plots()), flush=True)
    if options.only and not points:
        print(f"--only: no table has {' or '.join(options.only)}; methods: {', '.join(sorted(known))}", file=sys.stderr)
        return 2
    if not found:
        print(f"The GPU was not measured: {reason}")
    if options.json:
        report = {
            "cpu": engine.cpu_name(),
            "versions": dict(engine.package_versions()),
            "rows": [one.to_json() for one in points],
        }
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return int(any(point.status is PointStatus.WRONG for point in points))


def _print_promises(options: argparse.Namespace) -> int:
    """Print promised over taken costs of all methods; return 1 if one is outside of its bar."""
    gpus, _ = devices.discover_devices()
    backends: list[tuple[BackendChoice, str]] = [("cuda", gpu.name) for gpu in gpus[:1]] + [
        ("cpu", engine.cpu_name())
    ] * (not options.gpu_only)
    enough_s = promised_costs.QUICK_S if options.quick else promised_costs.ENOUGH_S
    kept = True
    for backend, device in backends:
        found = []
        try:
            for one in promised_costs.measure_promises(backend, options.only, enough_s=enough_s):
                ratios = f"{one.first_ratio:.2f}, {one.later_ratio:.2f}"
                print(f"{one.method}, {one.size}: {ratios}", file=sys.stderr, flush=True)
                found.append(one)
        finally:  # an interrupted run keeps what was measured
            if options.ship_rates:
                promised_costs.write_shipped_rates(found, backend, device)
        print("\n" + tables.to_markdown(promised_costs.promise_table(found, device)), flush=True)
        kept &= all(one.is_kept for one in found)
    return int(not kept)


def _is_selected(case: BenchmarkCase, only: Sequence[str] | None) -> bool:
    names = " ".join([case.sweep.title, *case.sweep.contenders]).lower()
    return only is None or any(text.lower() in names for text in only)


def _case_table(case: BenchmarkCase, points: Sequence[MeasuredPoint]) -> ReportTable:
    title = f"{case.sweep.title}, {points[0].size}"
    table = tables.summary_table(points, title, case.baseline)
    threads = (ONE_THREAD,) if "cpu" in case.sweep.backends else ()
    return replace(table, notes=(*table.notes, *threads, *(_peak_notes(case) if case.with_peak else ())))


def _peak_notes(case: BenchmarkCase) -> list[str]:
    """Return notes with the peak memory of every task, each measured in a new process; nothing is timed meanwhile."""
    with ThreadPoolExecutor(min(PEAKS_AT_ONCE, count_processors())) as pool:
        return list(pool.map(_peak_note, case.sweep.make_tasks()))


def _peak_note(task: MeasurementTask) -> str:
    bytes_added = peak_memory.measure_peak_bytes(task)
    text = "unknown" if bytes_added is None else format_bytes(bytes_added)
    threads = task.coordinates.get("threads")
    return f"Peak memory of {task.contender}{f', threads = {threads}' if threads else ''}: {text}."


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Benchmark of Antidiag and its peers.")
    parser.add_argument("--quick", action="store_true", help="run fewer repeats, without the slowest peers and pairs")
    parser.add_argument("--gpu-only", action="store_true", help="measure on the GPU only")
    only = "measure tables with TEXT in the title or in a method; may be repeated"
    parser.add_argument("--only", action="append", metavar="TEXT", help=only)
    promises = "print promised over taken cells and times of all methods instead (--only: parts of ids or families)"
    parser.add_argument("--promises", action="store_true", help=promises)
    ship = "with --promises: replace the rates that ship with the program by what was measured"
    parser.add_argument("--ship-rates", action="store_true", help=ship)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also save every point as JSON")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
