"""Many pairs of large files on the command line: computed and written in pieces, with a report at the end."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

import numpy as np

from antidiag.app import texts
from antidiag.app.cli import report
from antidiag.app.cli.executor_options import ExecutorOptions
from antidiag.app.cli.method_runs import RunInput, RunOutput, RunPlace
from antidiag.app.cli.options import parse_problem_options
from antidiag.app.cli.progress import watch_run
from antidiag.app.cli.shell import messages
from antidiag.kernels.batch_runs.pair_streams import PairStream, StreamedPairs, is_large_input
from antidiag.kernels.io.packed_files import format_suffix
from antidiag.kernels.method import Method
from antidiag.kernels.pairwise.batch.formats import TABLES

ChosenTable = tuple[Path | None, str]
"""The file of a table, None for standard output, and its format as a suffix."""


def choose_table(
    method: Method,
    pairing: str,
    given: RunInput,
    output: RunOutput,
    options: Mapping[str, str],
    is_shared_out: bool = False,
) -> ChosenTable | None:
    """Return the table for which pairs are computed in pieces.

    None where all answers are held: where the files are small and the run ``is_shared_out`` to no workers, or where
    more than one table is wanted.
    """
    files = given.files or []
    targets = output.check(method, files)
    wanted: list[ChosenTable] = [(path, suffix or format_suffix(path)) for path, suffix in targets.files]
    if targets.output_suffix:
        wanted.append((None, targets.output_suffix))
    if len(wanted) != 1 or wanted[0][1] not in TABLES or given.records or "queries" in options:
        return None
    paths = [Path(file) for file in files]
    if not paths or not all(path.is_file() and path.suffix.lower() != ".zip" for path in paths):
        return None
    return wanted[0] if is_shared_out or is_large_input(pairing, paths) else None


def stream_pairs(
    method: Method,
    pairing: str,
    given: RunInput,
    place: RunPlace,
    options: Mapping[str, str],
    table: ChosenTable,
    executor: ExecutorOptions,
) -> None:
    """Compute the pairs of files, write their table, and print a report."""
    parameters, (path, suffix) = given.parse_parameters(method), table
    with watch_run() as monitor, executor.open() if executor.is_chosen else nullcontext() as workers:
        chosen = parse_problem_options(method, options)
        files = [Path(file) for file in given.files or []]
        stream = PairStream(method, pairing, files, chosen, given.letters, monitor, workers)
        for note in stream.reading_notes:
            messages.print_note(note)
        if path is None:
            for line in stream.iterate_lines(suffix, place.backend, place.single_device, parameters):
                sys.stdout.write(line)
            sys.stdout.flush()
            return
        found = stream.write_table(path, suffix, place.backend, place.single_device, parameters)
    if not messages.is_quiet():
        report.print_rows(_report_rows(method, found, path))


def _report_rows(method: Method, found: StreamedPairs, path: Path) -> list[report.LabelledText]:
    """Return what was computed as labelled texts."""
    kind, scores, scoring = method.problem_type, np.concatenate(found.scores), found.template.scoring
    low, middle, high = (scoring.unscale_score(int(one)) for one in (scores.min(), np.median(scores), scores.max()))
    computing = sum(time_ms for name, time_ms in found.times_ms.items() if name not in ("compilation", "transfer"))
    compute_ms = computing or found.wall_ms
    share = f", {texts.format_duration(computing)} of it computing" if computing else ""
    backend, device = found.device
    rate = texts.format_rate(found.cells / compute_ms / 1e6 if compute_ms else 0.0, kind.work_unit)
    best = f"{found.best[1]} x {found.best[2]}, score {high:,}" if found.best else "none"
    settings = [(label.lower(), text) for label, text in kind.setting_rows(found.template) if label != "Pairs"]
    return [
        ("method", f"{method.name} ({method.id}), {'GPU' if backend == 'cuda' else 'CPU'} {device}"),
        ("pairs", f"{found.pair_count:,}, computed in {len(found.scores):,} pieces"),
        *settings,
        ("scores", f"{low:,} to {high:,}, median {middle:,}"),
        ("best pair", best),
        ("time", f"{texts.format_duration(found.wall_ms)}{share}"),
        ("rate", f"{rate}, {texts.format_number(found.cells)} {kind.work_unit}"),
        ("saved", str(path)),
        *(("note", note) for note in found.notes),
    ]
