"""Bytes and work of consistency-based alignment; nothing here computes one."""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt
from typing import Any

import numpy as np

from antidiag.kernels.cpu.workers import cores
from antidiag.kernels.memory import Footprint
from antidiag.kernels.msa.consistency.recipe import Recipe, recipe
from antidiag.kernels.msa.consistency.rules import ENTRY_BYTES, POINTER_BYTES, entries_of, kept_bytes
from antidiag.kernels.msa.parameters import PosteriorParameters
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem
from antidiag.kernels.parameters import typed

LANES, COLUMNS = 16, 16
COPIES = 2.5
"""Old and new posteriors of both orders, and the new ones as they were found."""
GROWN = 1.5
"""Columns of an alignment, for each letter of the longest sequence, about."""
LISTED_BYTES, ROW_BYTES = 70, 136
"""On the host of a device: of a pair in either order, whose entries are counted, placed and listed; of a letter, whose
column is kept, and kept again for each of the splits that are tried together."""

AGREED = 2
"""Letters beside a letter in any of several alignments, of another sequence, about."""

STRIP, PER, WARPS_A_MULTIPROCESSOR = 128, 4, 32
TRIPLET_CELLS = 1 << 26
"""Triples of columns of three groups that are aligned at once at most; larger ones are aligned two by two."""
LONG_CELLS = 1 << 24
"""Cells of a pair from which on the CPU computes it: a warp would take too long, and too much room."""
ENTRIES_A_ROW = 12
"""Entries for which the device has room at first."""
BATCH_ROWS = 1 << 23
"""Rows that the device does at a time at most."""
ROOM_BYTES = 128 << 20
"""What the sums of the pairs that a multiprocessor does side by side take at most, if two pairs or more are to be."""
FOUND_BYTES = 12
"""Of a row whose entries were found, where they are and how many."""
MOST_CELLS, CELL_BYTES = 1 << 26, 9
"""Scores of columns that the device makes at a time, if they are of several merges; bytes of one and of its step."""


def warp_room(cells: int, rows: int, width: int) -> int:
    """Words of a warp: sums and squares of all cells, exponents, borders, and the last row; whole lines of 16 bytes."""
    return -(-(2 * cells + cells // PER + 5 * (rows + 1) + width + width // PER) // 4) * 4


def _largest_room(lengths: np.ndarray) -> int:
    """Words of a warp for the largest pair that the device computes."""
    shorter, longer = (int(length) for length in np.sort(lengths)[[max(lengths.size - 2, 0), -1]])
    width = -(-longer // STRIP) * STRIP
    return warp_room(min((shorter + 31) * width, LONG_CELLS + (shorter + width) * STRIP), shorter, width)


def _device(lengths: np.ndarray, warps: int, least: float) -> dict[str, int]:
    """Bytes of the stage of the device that takes most."""
    n, letters = lengths.size, int(lengths.sum())
    pairs, rows = n * (n - 1) // 2, int(np.sort(lengths)[::-1] @ np.arange(n))
    batch = 4 * ENTRIES_A_ROW * min(rows, BATCH_ROWS)
    kept = kept_bytes(n, letters, least) + 16 * n * n
    found = int(rows * (entries_of(least) * ENTRY_BYTES + FOUND_BYTES))
    shorter, longest = (int(GROWN * length) for length in np.sort(lengths)[[max(n - 2, 0), -1]])
    columns = max(shorter * longest, min(n * shorter * longest // 2, MOST_CELLS))
    stages = (
        {"sums of pairs": 4 * min(warps, pairs) * _largest_room(lengths), "found": found + batch},
        {"posteriors": 2 * kept, "found": max(found, batch)},
        {"posteriors": kept, "columns": CELL_BYTES * columns},
    )  # fmt: skip
    return max(stages, key=lambda stage: sum(stage.values()))


def footprint(problem: MsaProblem, parameters: Mapping[str, Any], backend: str) -> Footprint:
    """Bytes of the posteriors, and of the stage that takes most beside them, where each backend has them."""
    own = typed(PosteriorParameters, parameters)
    lengths = np.array([len(sequence) for sequence in problem.sequences])
    least = problem.rules.least_posterior
    if backend == "cuda":
        host = _beside_device(lengths, recipe(problem))
        return Footprint(host, _device(lengths[lengths > 0], own.warps, least))
    n, letters = lengths.size, int(lengths.sum())
    shorter, longest = _longest_two(lengths)
    # Of two alignments that are merged one is without the longest sequence.
    merging = 9 * int(GROWN * longest) * int(GROWN * shorter)
    kept = int(COPIES * kept_bytes(n, letters, least))
    most = max(_borders(shorter, longest, recipe(problem)) * min(own.threads, n), merging)
    return Footprint({"posteriors": kept, "stages": most, **_triplets(lengths, own.threads, recipe(problem))})


def _beside_device(lengths: np.ndarray, made: Recipe) -> dict[str, int]:
    """Bytes of the host of a device: lists of all pairs, what several alignments say of them, and what pairs take that
    are too long for a warp."""
    n, letters, variants = lengths.size, int(lengths.sum()), len(made.variants)
    rows = int(np.sort(lengths)[::-1] @ np.arange(n))
    agreement = rows * (AGREED * ENTRY_BYTES + POINTER_BYTES) + 4 * variants * n * int(GROWN * lengths.max())
    shorter, longest = _longest_two(lengths)
    long = n * lengths[lengths * longest >= LONG_CELLS].size
    borders = _borders(shorter, longest, made) * min(cores(), long) if shorter * longest >= LONG_CELLS else 0
    told = {"pairs": LISTED_BYTES * n * n, "rows": ROW_BYTES * letters, "long pairs": borders}
    told |= _triplets(lengths, cores(), made)
    return {**told, "agreement": agreement} if variants else told


def _triplets(lengths: np.ndarray, threads: int, made: Recipe) -> dict[str, int]:
    """Bytes of threads that align three groups each, the widest along the planes (`cpu_triplets`)."""
    if not made.triplets or lengths.size < 3:
        return {}
    first, second, third = (int(GROWN * length) for length in np.sort(lengths)[:-4:-1])
    if first * second * third > TRIPLET_CELLS:
        first = second = third = round(TRIPLET_CELLS ** (1 / 3))
    planes = 2 * (isqrt(first) + 2) * (second + 1) * (third + 1)
    return {"triplets": 8 * (planes + first * (second + third)) * min(threads, lengths.size // 3)}


def _borders(shorter: int, longest: int, made: Recipe) -> int:
    """Bytes of a thread that computes posteriors of 16 pairs of the longest sequences."""
    models = max(len(one.models) for one in (made, *made.variants))
    return models * (-(-longest // COLUMNS) + 4) * 5 * 4 * (shorter + 1) * LANES


def _longest_two(lengths: np.ndarray) -> tuple[int, int]:
    """Letters of the longest sequence but one, 0 where there is one sequence, and of the longest."""
    ordered = np.sort(lengths)
    return (int(ordered[-2]) if lengths.size > 1 else 0), int(ordered[-1])


def automatic(problem: MsaProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """A thread a core; as many warps as the device has at a time, if there is room for their sums."""
    if backend == "cpu":
        return {"threads": cores()}
    lengths = np.array([len(sequence) for sequence in problem.sequences if len(sequence)])
    fitting = ROOM_BYTES * (multiprocessors or 1) // (4 * _largest_room(lengths))
    return {"warps": max(min(WARPS_A_MULTIPROCESSOR * (multiprocessors or 1), fitting), 1)}


def work(problem: MsaProblem, parameters: Mapping[str, Any]) -> int:
    """Cells of all pairs, for each of the alignments of which one is made."""
    return problem.cells * max(len(recipe(problem).variants), 1)


def done(problem: MsaProblem, parameters: Mapping[str, Any], answer: MsaAnswer) -> int:
    """The same, of a run."""
    return work(problem, parameters)
