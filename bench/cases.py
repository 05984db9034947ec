"""What is measured: our methods against peers on the CPU, and against the limits of the chip on a GPU."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Iterator, Mapping

import psutil

from bench import contenders, pairs
from bench.pairs import Pair
from bench.tables import DISAGREEMENT, Row
from bench.timing import Timed, peak_bytes, side_by_side
from kernels.cuda import devices
from kernels.model import Result

INSTRUCTIONS_PER_S = 16.1e12 / 132
"""Simple 32-bit integer instructions of one multiprocessor, as measured on an H200 (64 lanes a clock)."""

INSTRUCTIONS_PER_CELL = 5.5
"""Fewest instructions of an affine cell with Hopper's fused add-and-maximum, letters' score included."""

TRACE_BYTES_PER_CELL = 4
"""What parasail keeps of every cell for an alignment, as measured."""


def cpu(quick: bool) -> Iterator[list[Row]]:
    """Scores and alignments beside parasail and Biopython, with one thread and with all."""
    repeats = 3 if quick else 5
    mitochondria, proteins = pairs.mitochondria(), pairs.proteins()
    yield _score_table(mitochondria, repeats, with_biopython=not quick)
    yield _path_table(mitochondria, repeats)
    yield _score_table(proteins, 4 * repeats, with_biopython=True)
    yield _path_table(proteins, 4 * repeats)
    phages = pairs.phages()
    yield _score_table(phages, repeats, with_biopython=False)
    yield _path_table(phages, repeats, peer=not quick, with_peak=True)


def gpu(quick: bool, with_cpu: bool) -> Iterator[list[Row]]:
    """Scores and alignments of long pairs on the first GPU, over the limit of its instruction rate."""
    for length in (100_000, 300_000) if quick else (100_000, 300_000, 600_000):
        pair = pairs.random_dna(length)
        yield _gpu_table(pair, "striped-score", 5, with_cpu and length == 100_000)
    yield _gpu_table(pairs.random_dna(50_000), "striped-alignment", 5, with_cpu)
    for length in (100_000,) if quick else (100_000, 600_000):
        yield _gpu_table(pairs.random_dna(length), "checkpointed-alignment", 5, False)


def thread_counts() -> list[int]:
    """One thread, and all."""
    return sorted({1, os.cpu_count() or 1})


def _score_table(pair: Pair, repeats: int, with_biopython: bool) -> list[Row]:
    calls = _ours(pair, "striped-score", "StripedScore")
    notes = {}
    peer = f"parasail {contenders.PARASAIL_SCORE}"
    if contenders.has_parasail():
        calls[peer] = contenders.parasail(pair, contenders.PARASAIL_SCORE)
    else:
        notes[peer] = "not installed"
    if with_biopython:
        calls["Biopython PairwiseAligner"] = contenders.biopython(pair)
    return _rows("Score", pair, side_by_side(calls, repeats), peer, notes)


def _path_table(pair: Pair, repeats: int, peer: bool = True, with_peak: bool = False) -> list[Row]:
    calls = _ours(pair, "striped-alignment", "StripedAlignment")
    calls |= _ours(pair, "checkpointed-alignment", "CheckpointedAlignment")
    name = f"parasail {contenders.PARASAIL_PATH}"
    reason = _reason_against_peer(pair) if peer else "left out by --quick"
    if not reason:
        calls[name] = contenders.parasail(pair, contenders.PARASAIL_PATH)
    peaks = {}
    if with_peak:
        peaks = {_label("StripedAlignment", count): peak_bytes(["ours", str(count)]) for count in thread_counts()}
        peaks[name] = None if reason else peak_bytes(["parasail"])
    return _rows("Alignment", pair, side_by_side(calls, repeats), name, {name: reason} if reason else {}, peaks)


def _reason_against_peer(pair: Pair) -> str:
    """Why parasail cannot align this pair here, or nothing: it keeps the whole matrix."""
    if not contenders.has_parasail():
        return "not installed"
    fits = 1.25 * pair.problem.cells * TRACE_BYTES_PER_CELL < psutil.virtual_memory().available
    return "" if fits else "left out: too little free memory for its whole matrix"


def _ours(pair: Pair, method: str, name: str) -> dict[str, Callable[[], object]]:
    """Our contenders, each run once before it is timed."""
    calls: dict[str, Callable[[], object]] = {}
    for count in thread_counts():
        call = contenders.ours(pair, method, threads=count)
        call()
        calls[_label(name, count)] = call
    return calls


def _label(name: str, threads: int) -> str:
    return f"{name}, {threads} thread{'s' * (threads > 1)}"


def _rows(
    table: str,
    pair: Pair,
    timed: Mapping[str, Timed],
    peer: str,
    notes: Mapping[str, str],
    peaks: Mapping[str, int | None] | None = None,
) -> list[Row]:
    peer_s = timed[peer].median_s if peer in timed else None
    scores = {name: _score(found.value) for name, found in timed.items()}
    agree = len(set(scores.values())) == 1
    rows = [
        Row(
            table=table,
            pair=_title(pair),
            contender=name,
            median_s=found.median_s,
            spread=found.spread,
            repeats=len(found.seconds),
            gcups=pair.problem.cells / found.median_s / 1e9,
            ratio=peer_s / found.median_s if peer_s else None,
            score=scores[name],
            peak_bytes=(peaks or {}).get(name),
            note="" if agree else DISAGREEMENT,
        )
        for name, found in timed.items()
    ]
    return rows + [Row(table, _title(pair), name, note=note) for name, note in notes.items()]


def _gpu_table(pair: Pair, method: str, repeats: int, with_cpu: bool) -> list[Row]:
    """The GPU by its kernels' time (the limit is the chip's) and by the wall clock, the CPU beside it."""
    device = devices.device(0)
    call = contenders.ours(pair, method, "cuda")
    call()
    results: list[Result] = []
    calls: dict[str, Callable[[], object]] = {f"{device.name}, whole run": lambda: _kept(call(), results)}
    if with_cpu:
        threads = os.cpu_count() or 1
        calls[f"CPU, {threads} threads"] = contenders.ours(pair, method, "cpu", threads=threads)
        calls[f"CPU, {threads} threads"]()
    rows = _rows(f"{method} on a GPU", pair, side_by_side(calls, repeats), f"CPU, {os.cpu_count() or 1} threads", {})
    times = [result.compute_ms / 1e3 for result in results]
    limit = device.multiprocessors * INSTRUCTIONS_PER_S / INSTRUCTIONS_PER_CELL
    kernels = Row(
        table=rows[0].table,
        pair=rows[0].pair,
        contender=f"{device.name}, kernels",
        median_s=statistics.median(times),
        spread=(max(times) - min(times)) / statistics.median(times),
        repeats=len(times),
        gcups=pair.problem.cells / statistics.median(times) / 1e9,
        of_limit=pair.problem.cells / statistics.median(times) / limit,
        score=rows[0].score,
    )
    return [kernels, *rows]


def _kept(result: Result, results: list[Result]) -> Result:
    results.append(result)
    return result


def _score(value: object) -> float:
    return float(value.score if isinstance(value, Result) else value)  # type: ignore[arg-type]


def _title(pair: Pair) -> str:
    return f"{pair.name}, {len(pair.first):,} x {len(pair.second):,}"
