"""Sizes of pruning: words, bytes, and the share of the cells that is expected to be computed.

Imports no compiled code before a pair of ESTIMATED_CELLS is estimated. The bounds take a few milliseconds, and the run
uses those of its estimate.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import CheckpointedParameters, PairStripParameters, PruningParameters
from antidiag.kernels.parameters import MethodParameters

if TYPE_CHECKING:
    from antidiag.kernels.pairwise.pruning.bounds import PruningBounds

WORDS_A_LETTER = 16
"""Words of the chosen length that there are for each letter of the longer sequence: so few occur by chance."""
MOST_WORD_BITS = 30
RARE = 0.01
"""Letters that are rarer than this need not fit the bits of a letter."""
ESTIMATED_CELLS = 2**20
"""For problems with fewer cells all are expected to be computed: hardly a block of them is skipped."""
LEAST_CELLS = {"cpu": 0, "cuda": 2**36}
"""Cells of a problem that is pruned unless the user chooses: on a GPU smaller ones are bound by latency, and the bounds
take longer than they save."""
SAMPLES = 256

_known_bounds: WeakKeyDictionary[PairProblem, tuple[PruningBounds | None, float]] = WeakKeyDictionary()
"""Bounds of problems, and the milliseconds that they took."""


def choose_words(rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, int, int]:
    """Return the rank of each code from the commonest on, uint8, the length of words, and the bits of a letter.

    ``rows`` and ``columns`` are uint8 codes.
    """
    counts = np.bincount(rows, minlength=256) + np.bincount(columns, minlength=256)
    ranks = np.empty(256, np.uint8)
    ranks[np.argsort(-counts, kind="stable")] = np.arange(256)
    common = int(np.count_nonzero(counts >= RARE * counts.sum()))
    bits, length = max((common - 1).bit_length(), 1), 1
    while bits * (length + 1) <= MOST_WORD_BITS and 2 ** (bits * length) < WORDS_A_LETTER * max(
        rows.size, columns.size
    ):
        length += 1
    return ranks, length, bits


def table_bytes(length: int, bits: int) -> int:
    """Return the bytes of a table with a bit for each word."""
    return max(2 ** (bits * length) // 8, 1)


def slot_count(words: int) -> int:
    """Return the slots of a hash table of so many words."""
    return 2 ** max(2 * words, 2).bit_length()


def bound_bytes(problem: PairProblem) -> int:
    """Return the most bytes that the bounds take: what a path can gain, the chain, and tables while they are made."""
    m, n = problem.rows, problem.columns
    _, length, bits = choose_words(*problem.codes)
    chain = 16 * (2 * (m // length) + 3)
    tables = max(table_bytes(length, bits) + n, 12 * slot_count(m // length) + 16 * n)
    return 4 * (m + n + 2) + chain + m + n + tables


def footprint(problem: PairProblem, parameters: PairStripParameters, block_rows: int) -> dict[str, int]:
    """Return the host bytes of pruning by name: bounds, and a record of each skipped block; {} without pruning."""
    if not is_pruned(parameters):
        return {}
    blocks, strips = -(-problem.rows // block_rows) + 2, -(-problem.columns // parameters.s)
    if isinstance(parameters, CheckpointedParameters):
        blocks += -(-problem.rows // parameters.rounded_tile)
    return {"pruning": bound_bytes(problem) + strips * blocks * 5 // 4 + 8 * (blocks + strips + 1)}


def is_pruned(parameters: MethodParameters) -> bool:
    """Return whether these parameters ask for pruning."""
    return isinstance(parameters, PruningParameters) and parameters.is_pruned


def count_cells(problem: PairProblem, parameters: PairStripParameters, block_rows: int) -> int:
    """Return the cells that are expected to be computed: in strips, and blocks of so many rows."""
    share = expected_share(problem, parameters.s + block_rows) if is_pruned(parameters) else 1.0
    return max(round(share * problem.cells), 1)


def choose_pruning(problem: PairProblem, backend: str) -> Mapping[str, Any]:
    """Choose whether a problem is pruned."""
    return {"pruning": "on" if problem.cells >= LEAST_CELLS[backend] else "off"}


def share_for_choice(problem: PairProblem, given: Mapping[str, Any], backend: str) -> float:
    """Return the share of the cells for which other parameters are chosen, where the user gave some."""
    asked = given.get("pruning") or choose_pruning(problem, backend)["pruning"]
    is_pruned = asked == "on" and given.get("mapping") != "published"
    return expected_share(problem, 0) if is_pruned else 1.0


def expected_share(problem: PairProblem, block_size: int) -> float:
    """Return the share of the cells in blocks whose rows and columns add to ``block_size``; 1 for short pairs.

    It is the mean of both strands where these are to be compared.
    """
    if problem.cells < ESTIMATED_CELLS:
        return 1.0
    shares = [1.0 if bounds is None else estimate_share(bounds) for bounds in map(known_bounds, problem.variants)]
    return min(1.0, sum(shares) / len(shares) + block_size / problem.columns)


def known_bounds(problem: PairProblem) -> PruningBounds | None:
    """Return the bounds of a problem, which are computed once for the estimate and the run."""
    return timed_bounds(problem)[0]


def forget_bounds(problem: PairProblem) -> None:
    """Forget the bounds of a problem, so that its next run computes them."""
    for variant in problem.variants:
        _known_bounds.pop(variant, None)


def timed_bounds(problem: PairProblem) -> tuple[PruningBounds | None, float]:
    """Return the bounds of a problem, and the milliseconds that they took, now or before."""
    if problem not in _known_bounds:
        from antidiag.kernels.pairwise.encoding import encode_pair
        from antidiag.kernels.pairwise.pruning.bounds import find_bounds

        begun = time.perf_counter()
        found = find_bounds(encode_pair(problem))
        _known_bounds[problem] = found, (time.perf_counter() - begun) * 1e3
    return _known_bounds[problem]


def estimate_share(bounds: PruningBounds) -> float:
    """Return the share of the cells that cannot be skipped, each cell by itself.

    From each cell of the chain a path may leave in a gap, as long as the score there less the gap plus what can be
    gained behind it makes the least score. Where paths begin anywhere, cells behind which as much can be gained count.
    """
    m, n = bounds.row_gains.size - 1, bounds.column_gains.size - 1
    chosen = np.unique(np.linspace(0, len(bounds.chain) - 1, SAMPLES).astype(int))
    (rows, columns), scores = bounds.chain[chosen].T.astype(np.int64), bounds.scores[chosen]
    right = _reach(bounds, rows, columns, scores, n - columns, 0, 1)
    down = _reach(bounds, rows, columns, scores, m - rows, 1, 0)
    along = np.trapezoid(right, rows) + np.trapezoid(down, columns)
    grid = np.meshgrid(np.linspace(0, m, 64).astype(int), np.linspace(0, n, 64).astype(int))
    begins = float((_gains(bounds, *grid) >= bounds.least).mean()) if bounds.starts_anywhere else 0.0
    return float(min(1.0, max(along / (m * n), begins)))


def _gains(bounds: PruningBounds, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return `PruningBounds.gain` of some cells."""
    below, behind = bounds.row_gains.size - 1 - rows, bounds.column_gains.size - 1 - columns
    by_rows = bounds.row_gains[rows] - bounds.column_cost * np.maximum(behind - below, 0)
    by_columns = bounds.column_gains[columns] - bounds.row_cost * np.maximum(below - behind, 0)
    return np.minimum(by_rows, by_columns)


def _reach(
    bounds: PruningBounds,
    rows: np.ndarray,
    columns: np.ndarray,
    scores: np.ndarray,
    most: np.ndarray,
    down: int,
    right: int,
) -> np.ndarray:
    """Return how far gaps from some cells can go, at most ``most`` cells, before nothing more can come of them."""
    low, high = np.zeros_like(most), most.copy()
    while (low < high).any():
        middle = (low + high + 1) // 2
        left_over = scores - bounds.gap_open - bounds.gap_extend * middle
        is_enough = left_over + _gains(bounds, rows + down * middle, columns + right * middle) >= bounds.least
        low, high = np.where(is_enough, middle, low), np.where(is_enough, high, middle - 1)
    return low
