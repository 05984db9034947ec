"""Memory and work of consistency-based alignment, estimated without running it."""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt, log2
from typing import Any

import numpy as np

from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.memory import Footprint
from antidiag.kernels.msa.consistency.recipe import ConsistencyRecipe, make_recipe
from antidiag.kernels.msa.consistency.rules import ENTRY_BYTES, LEASTS, POINTER_BYTES, count_posterior_bytes
from antidiag.kernels.msa.parameters import PosteriorParameters
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem

LANES, COLUMNS = 16, 16
COPIES = 2.5
"""Old and new posteriors of both orders, and the new ones before layout."""
UNCERTAIN = {True: (7.5, 0.2), False: (9.0, 0.4)}
"""Posteriors of at least .01 of a letter and one other sequence, beside its one certain place, for proteins (True) and
nucleotides: the second number over the share of words that both sequences have in common, but at most the first. On
families of Rfam and BAliBASE, before and after consistency, this gave 0.7 to 2.1 times as many as were found, at .1
0.9 to 1.9 times."""
COLUMN_GROWTH = 0.15
"""Approximate columns of an alignment, per letter of the longest sequence, that each doubling of the sequences adds."""
VARIANTS_MORE = 1.3
"""How many times as many the models of "thorough" find at most."""
LISTED_BYTES, ROW_BYTES = 70, 136
"""Host bytes of a GPU run: of an ordered pair, whose entries are counted, placed and listed; and of a letter, whose
column is stored once more for each of the splits that are tried together."""

AGREED = 2
"""Approximate letters of another sequence that share a column with a letter in any of the variants."""

MEETING_COST = 3.1
"""Time in which a letter's posteriors for two others are met in a round of consistency, in times of a cell of a pair:
1.9 for similar sequences to 5.5 for divergent ones, which have more posteriors (10 sets of BAliBASE)."""

STRIP, PER, WARPS_A_MULTIPROCESSOR = 128, 4, 32
TRIPLET_CELLS = 1 << 26
"""Maximum triples of columns of groups that are aligned three at a time; larger ones are aligned two by two."""
LONG_CELLS = 1 << 24
"""Cells of a pair from which on the CPU computes it: a warp would take too much time and memory."""
ENTRIES_A_ROW = 12
"""Initial capacity, in entries per row."""
BATCH_ROWS = 1 << 23
"""Maximum rows of one slice."""
ROOM_BYTES = 128 << 20
"""Maximum bytes of sums of all pairs that a multiprocessor computes at a time, if that is more than one pair."""
FOUND_BYTES = 12
"""Bytes per row for the begin and the number of its entries."""
MOST_CELLS, CELL_BYTES = 1 << 26, 9
"""Maximum scores of columns that the device computes at a time for several merges; bytes of a score and its
operation."""


def count_warp_words(cells: int, rows: int, width: int) -> int:
    """Count the words of a warp: sums and squares of cells, exponents, borders, last row; in lines of 16 bytes."""
    return -(-(2 * cells + cells // PER + 5 * (rows + 1) + width + width // PER) // 4) * 4


def _largest_warp_words(lengths: np.ndarray) -> int:
    """Count the words of a warp for the largest pair that the device computes."""
    shorter, longer = (int(length) for length in np.sort(lengths)[[max(lengths.size - 2, 0), -1]])
    width = -(-longer // STRIP) * STRIP
    return count_warp_words(min((shorter + 31) * width, LONG_CELLS + (shorter + width) * STRIP), shorter, width)


def estimate_density(problem: MsaProblem) -> float:
    """Estimate the posteriors that are kept of one letter and one other sequence, by words that pairs share."""
    shares = problem.shared_words
    most, per_share = UNCERTAIN[problem.is_protein]
    uncertain = np.minimum(most, per_share / np.maximum(shares, 1e-9)).mean() if shares.size else 0.0
    more = VARIANTS_MORE if make_recipe(problem).variants else 1.0
    return float(1 + more * uncertain * LEASTS[0] / problem.rules.least_posterior)


def estimate_columns(longest: int, sequences: int) -> int:
    """Estimate the columns of an alignment of so many sequences."""
    return int(longest * (1 + COLUMN_GROWTH * log2(max(sequences, 2))))


def _device_bytes(lengths: np.ndarray, warps: int, density: float) -> dict[str, int]:
    """Estimate the device bytes of the stage that takes most."""
    n, letters = lengths.size, int(lengths.sum())
    pairs, rows = n * (n - 1) // 2, int(np.sort(lengths)[::-1] @ np.arange(n))
    batch = 4 * ENTRIES_A_ROW * min(rows, BATCH_ROWS)
    kept = count_posterior_bytes(n, letters, density) + 16 * n * n
    found = int(rows * (density * ENTRY_BYTES + FOUND_BYTES))
    shorter, longest = (estimate_columns(int(length), n) for length in np.sort(lengths)[[max(n - 2, 0), -1]])
    columns = max(shorter * longest, min(n * shorter * longest // 2, MOST_CELLS))
    stages = (
        {"sums of pairs": 4 * min(warps, pairs) * _largest_warp_words(lengths), "found": found + batch},
        {"posteriors": 2 * kept, "found": max(found, batch)},
        {"posteriors": kept, "columns": CELL_BYTES * columns},
    )
    return max(stages, key=lambda stage: sum(stage.values()))


def estimate_memory(problem: MsaProblem, parameters: PosteriorParameters, backend: str) -> Footprint:
    """Estimate the bytes of posteriors and of the largest stage beside them."""
    lengths = np.array([len(sequence) for sequence in problem.sequences])
    density = estimate_density(problem)
    if backend == "cuda":
        host = _host_bytes(lengths, make_recipe(problem))
        return Footprint(host, _device_bytes(lengths[lengths > 0], parameters.warps, density))
    n, letters = lengths.size, int(lengths.sum())
    shorter, longest = _longest_two(lengths)
    # One of two merged alignments is without the longest sequence.
    merging = CELL_BYTES * estimate_columns(longest, n) * estimate_columns(shorter, n)
    kept = int(COPIES * count_posterior_bytes(n, letters, density))
    most = max(_border_bytes(shorter, longest, make_recipe(problem)) * min(parameters.threads, n), merging)
    return Footprint(
        {"posteriors": kept, "stages": most, **_triplet_bytes(lengths, parameters.threads, make_recipe(problem))}
    )


def estimate_block_memory(problem: MsaProblem, parameters: PosteriorParameters, rows: int, backend: str) -> Footprint:
    """Estimate the memory of a block of pairs with so many rows: posteriors, the message, and the largest stage."""
    lengths = np.array([len(sequence) for sequence in problem.sequences if len(sequence)])
    found = int(rows * (estimate_density(problem) * ENTRY_BYTES + FOUND_BYTES))
    host = {"posteriors": found, "message": found}
    if backend == "cuda":
        batch = 4 * ENTRIES_A_ROW * min(rows, BATCH_ROWS)
        sums = 4 * parameters.warps * _largest_warp_words(lengths)
        return Footprint(host, {"sums of pairs": sums, "found": found + batch})
    return Footprint(
        {**host, "stages": parameters.threads * _border_bytes(*_longest_two(lengths), make_recipe(problem))}
    )


def _host_bytes(lengths: np.ndarray, alignment_recipe: ConsistencyRecipe) -> dict[str, int]:
    """Estimate the host bytes of a GPU run: lists of pairs, agreement of variants, and pairs too long for a warp."""
    n, letters, variants = lengths.size, int(lengths.sum()), len(alignment_recipe.variants)
    rows = int(np.sort(lengths)[::-1] @ np.arange(n))
    shorter, longest = _longest_two(lengths)
    agreement = rows * (AGREED * ENTRY_BYTES + POINTER_BYTES) + 4 * variants * n * estimate_columns(longest, n)
    long = n * lengths[lengths * longest >= LONG_CELLS].size
    borders = (
        _border_bytes(shorter, longest, alignment_recipe) * min(count_processors(), long)
        if shorter * longest >= LONG_CELLS
        else 0
    )
    host_bytes = {"pairs": LISTED_BYTES * n * n, "rows": ROW_BYTES * letters, "long pairs": borders}
    host_bytes |= _triplet_bytes(lengths, count_processors(), alignment_recipe)
    return {**host_bytes, "agreement": agreement} if variants else host_bytes


def _triplet_bytes(lengths: np.ndarray, threads: int, alignment_recipe: ConsistencyRecipe) -> dict[str, int]:
    """Estimate the bytes of threads that align three groups each, the widest along the planes."""
    if not alignment_recipe.triplets or lengths.size < 3:
        return {}
    first, second, third = (estimate_columns(int(length), lengths.size) for length in np.sort(lengths)[:-4:-1])
    if first * second * third > TRIPLET_CELLS:
        first = second = third = round(TRIPLET_CELLS ** (1 / 3))
    planes = 2 * (isqrt(first) + 2) * (second + 1) * (third + 1)
    return {"triplets": 8 * (planes + first * (second + third)) * min(threads, lengths.size // 3)}


def _border_bytes(shorter: int, longest: int, alignment_recipe: ConsistencyRecipe) -> int:
    """Estimate the bytes of a thread that computes posteriors of 16 pairs of the longest sequences."""
    models = max(len(one.models) for one in (alignment_recipe, *alignment_recipe.variants))
    return models * (-(-longest // COLUMNS) + 4) * 5 * 4 * (shorter + 1) * LANES


def _longest_two(lengths: np.ndarray) -> tuple[int, int]:
    """Return the letters of the second longest sequence (0 if there is one) and of the longest."""
    ordered = np.sort(lengths)
    return (int(ordered[-2]) if lengths.size > 1 else 0), int(ordered[-1])


def choose_parameters(problem: MsaProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Choose one thread per core, and as many warps as the device runs at a time, if memory allows."""
    if backend == "cpu":
        return {"threads": count_processors(), "warps": 1}
    lengths = np.array([len(sequence) for sequence in problem.sequences if len(sequence)])
    fitting = ROOM_BYTES * (multiprocessors or 1) // (4 * _largest_warp_words(lengths))
    return {
        "threads": count_processors(),
        "warps": max(min(WARPS_A_MULTIPROCESSOR * (multiprocessors or 1), fitting), 1),
    }


def count_cells(problem: MsaProblem, parameters: PosteriorParameters) -> int:
    """Count the cells of all pairs, for each variant."""
    return problem.cells * max(len(make_recipe(problem).variants), 1)


def count_timed_work(problem: MsaProblem, parameters: PosteriorParameters) -> int:
    """Return the work in cells of pairs: those of lanes that stay empty too, and the rounds of consistency.

    Threads beyond the processors take turns, so that they leave no further lanes empty.
    A round meets the posteriors of every pair with those of each third sequence.
    """
    recipe = make_recipe(problem)
    lengths = np.array([len(sequence) for sequence in problem.sequences])
    n = int(np.count_nonzero(lengths))
    pairs = max(n * (n - 1) // 2, 1)
    groups, threads = -(-pairs // LANES), min(parameters.threads, count_processors())
    busy_lanes = LANES * threads * -(-groups // threads)
    rounds = recipe.rounds if n <= recipe.small else min(recipe.rounds, 1)
    met = rounds * n * n * min(recipe.intermediate_count(n), n) * float(lengths.mean())
    alignments = max(len(recipe.variants), 1)
    return max(int(alignments * (problem.cells * busy_lanes / pairs + MEETING_COST * met)), 1)


def count_done_cells(problem: MsaProblem, parameters: PosteriorParameters, answer: MsaAnswer) -> int:
    """Count the cells of a run."""
    return count_cells(problem, parameters)
