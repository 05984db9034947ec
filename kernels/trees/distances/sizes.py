"""Bytes of the methods for distances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kernels.cpu.workers import cores
from kernels.memory import Footprint
from kernels.parameters import typed
from kernels.trees.distances.problem import AlignedProblem, FullProblem, KtupleProblem, SixmerProblem
from kernels.trees.distances.tiling import TILE
from kernels.trees.parameters import PairParameters

STATE_BYTES = 16 * 16
"""Bytes of a row of 16 pairs: H, F and their counts."""

LETTER_BYTES = 16
"""Bytes a letter: codes, words, and their places."""


BUSY_WARPS, LONE_WARPS = 24, 4
"""Warps a multiprocessor that align pairs of sequences: as many as fit, and few where pairs are long."""
MOST_WARPS = 8192
ALL_COUNTS = 1 << 28
"""Bytes of the counts of one launch, at most."""
ROUNDED = 1 << 14
"""Bytes by which the memory of a GPU is rounded up, for some arrays together."""
MOST_IN_A_BYTE = 255
WORD_TABLES = 1 << 27
"""Bytes of the tables of words of all blocks, where a word may be there more often than a byte can say."""
BORDER_ROOM = 1 << 30
"""Bytes that the borders between the strips of long pairs may take on a GPU."""


def border_warps(longest: int, itemsize: int) -> int:
    """Warps for which there is room to keep H and E of a row of the longest sequence; a whole number of blocks."""
    room = BORDER_ROOM // (2 * itemsize * max(longest, 1))
    return min(MOST_WARPS, max(4, room // 4 * 4))


CHAIN_WARPS = 32
"""Warps a multiprocessor that chain the words of pairs."""
CHAIN_ROOM = 1 << 31
"""Bytes that their diagonals and chains may take on a GPU."""


def chain_numbers(problem: KtupleProblem, lengths: np.ndarray) -> tuple[int, int]:
    """Diagonals and chains that the pair with the most of them can have."""
    shorter, longer = np.sort(np.append(lengths, 0))[-2:].tolist()
    marked = max(problem.diagonals, 2) * (2 * problem.window + 1)
    return shorter + longer, 1 + shorter * min(longer, marked)


def chain_warps(problem: KtupleProblem, lengths: np.ndarray) -> int:
    """Warps that have room for that; whole blocks of them."""
    diagonals, chains = chain_numbers(problem, lengths)
    return max(8, min(MOST_WARPS, CHAIN_ROOM // (12 * diagonals + 16 * chains)) // 8 * 8)


def footprint(problem: Any, parameters: Mapping[str, Any], backend: str) -> Footprint:
    """Bytes of the matrix, of what is counted for each pair, of the letters and of the threads."""
    if isinstance(problem, AlignedProblem):
        return _of_rows(problem, backend)
    lengths = np.array([len(sequence) for sequence in problem.sequences])
    taxa, letters, longest = lengths.size, LETTER_BYTES * int(lengths.sum()), int(lengths.max())
    host = {"distances": 8 * taxa**2, "letters": letters}
    if isinstance(problem, KtupleProblem):
        bins = (26 if problem.protein else 4) ** problem.ktuple
        host["words"] = 12 * taxa * (bins + 1)
    if backend == "cpu":
        if isinstance(problem, FullProblem):
            host["threads"] = typed(PairParameters, parameters).threads * STATE_BYTES * longest
        return Footprint(host)
    host["counts"] = 4 * taxa**2
    device = {"counts": min(ALL_COUNTS, 8 * taxa**2 + 4 * TILE**2), "letters": letters}
    if isinstance(problem, FullProblem):
        device["borders of strips"] = 16 * longest * border_warps(longest, 8)
    if isinstance(problem, KtupleProblem):
        diagonals, chains = chain_numbers(problem, lengths)
        device["words"] = host["words"]
        device["chains"] = (12 * diagonals + 16 * chains) * chain_warps(problem, lengths)
    if isinstance(problem, SixmerProblem):
        device["words"] = WORD_TABLES if longest > MOST_IN_A_BYTE + 5 else 0
    return Footprint(host, device)


def _of_rows(problem: AlignedProblem, backend: str) -> Footprint:
    rows, columns = problem.alignment.letters.shape
    letters = rows * (columns + 4)
    if backend == "cpu":
        return Footprint({"letters": letters, "distances": 8 * rows**2, "a row with all others": 6 * rows * columns})
    host = {"letters": letters, "distances": 8 * rows**2, "counts": 12 * rows**2}
    return Footprint(host, {"letters": letters, "counts": min(ALL_COUNTS, 12 * rows**2 + ROUNDED)})


def automatic(problem: Any, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """A thread a core."""
    return {"threads": cores()}


def work(problem: Any, parameters: Mapping[str, Any]) -> int:
    """Cells of all pairs; at least 1, for one sequence has none."""
    return max(problem.cells, 1)
