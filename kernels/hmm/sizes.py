"""Sizes of a run over a hidden Markov model: pieces, cells and bytes, without importing a backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antidiag.kernels.cpu import workers
from antidiag.kernels.hmm import cuda_sizes
from antidiag.kernels.hmm.kinds import Kind, SumKind
from antidiag.kernels.hmm.parameters import HmmParameters
from antidiag.kernels.hmm.problem import HmmProblem
from antidiag.kernels.hmm.sums.problem import LearningProblem
from antidiag.kernels.memory import Footprint
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import WHOLE, Logged, Share

LANES = BAND = 8
SHORT = 4096
"""Letters below which pieces for several threads are not worth their start."""

PIECE = 256
"""Letters of a piece, at least: after so many, rows from different starts are mostly parallel."""


def padded(states: int) -> int:
    """States in whole vectors of float64."""
    return -(-states // LANES) * LANES


def pieces(n: int, piece: int) -> list[tuple[int, int]]:
    """Ranges of rows (first, last) of so many letters each: rows first + 1 to last belong to a piece; n - 1 in all."""
    steps = max(0, n - 1)
    return [(first, min(first + piece, steps)) for first in range(0, steps, piece)]


def count_of_pieces(n: int, piece: int) -> int:
    """How many pieces there are: of a long sequence millions."""
    return -(-max(0, n - 1) // piece)


def work(problem: HmmProblem, parameters: Mapping[str, Any], kind: Kind) -> int:
    """Sums and comparisons of costs: a letter costs l^2, in a product of matrices l^3."""
    if kind.multiplies:
        return problem.cells * (problem.states + 1)
    if kind.joins:
        leaves = count_of_pieces(problem.n, typed(HmmParameters, parameters).piece)
        return problem.cells * (problem.states + 1) + leaves * problem.states**3
    return problem.cells


def logged(problem: Any, parameters: Mapping[str, Any], backend: str) -> Logged:
    """What the events of a run did: going back along the path computes nothing."""
    return Logged((Share(("path",), 0), Share(total=WHOLE)))


def parts(problem: HmmProblem, parameters: Mapping[str, Any], kind: Kind) -> Mapping[str, int]:
    """Bytes of a run on the CPU, by purpose."""
    width = padded(problem.states)
    symbols = len(problem.hmm.alphabet) + 1
    found = {"rows": 8 * width * problem.n, "path": 4 * problem.n, "observations": 8 * problem.n}
    found["model"] = 24 * width**2
    if kind.adds:
        found["sums of transition and emission"] = 8 * symbols * width**2
    elif kind.multiplies:
        found["products"] = 8 * 4 * _height(problem.states) * width
    elif kind.joins:
        leaves = count_of_pieces(problem.n, typed(HmmParameters, parameters).piece)
        found["products"] = 2 * 8 * leaves * _height(problem.states) * width
    return found


def _height(states: int) -> int:
    """Rows of a matrix of all states below one row more, in whole bands."""
    return -(-(states + 1) // BAND) * BAND


def device_parts(problem: HmmProblem, parameters: Mapping[str, Any], kind: Kind) -> Mapping[str, int]:
    """Bytes of a run on the GPU, by purpose."""
    item = 8 if kind.joins or kind.adds or not cuda_sizes.exact_in_32_bits(problem) else 4
    states, n = problem.states, problem.n
    row = item * states
    found = {"rows": row * n, "path and states": 6 * n, "observations": n, "model": 3 * row * states + 8 * row}
    if kind.adds or kind.binds:
        found["sums of transition and emission"] = row * states * (len(problem.hmm.alphabet) + 1)
    if kind.multiplies:
        found["products"] = row * (states + 1)
    elif kind.pieces:
        count = count_of_pieces(n, typed(HmmParameters, parameters).piece) + 1
        found["starts and ends of pieces"] = 4 * row * count
        if kind.joins:
            found["products"] = 3 * row * states * count
    return found


def footprint(problem: HmmProblem, parameters: Mapping[str, Any], backend: str, kind: Kind) -> Footprint:
    """Bytes on the host, and on the device where the run is there."""
    if backend == "cpu":
        return Footprint(host=parts(problem, parameters, kind))
    host = {"states": 2 * problem.n}
    return Footprint(host=host, device=device_parts(problem, parameters, kind))


def automatic(problem: HmmProblem, backend: str, multiprocessors: int | None, kind: Kind) -> Mapping[str, Any]:
    """All cores where the sequence is long; pieces that keep them busy."""
    threads = workers.cores() if problem.n > SHORT else 1
    if backend == "cuda":
        piece = cuda_sizes.automatic_piece(problem.states, problem.n, multiprocessors or 1)
        return {"threads": threads, "piece": piece}
    if kind.joins:
        return {"threads": threads, "piece": max(PIECE, -(-problem.n // (4 * threads)))}
    return {"threads": threads, "piece": max(PIECE, -(-problem.n // threads))}


def together(problem: Any, backend: str) -> int:
    """Letters that are in memory at a time: of the sequence, of the longest of several, or of a batch on the GPU."""
    if not isinstance(problem, LearningProblem):
        return problem.n
    lengths = [len(each) for each in problem.sequences]
    if backend == "cpu":
        return max(lengths)
    return max(sum(lengths[number] for number in batch) for batch in cuda_sizes.batches(lengths, len(problem.hmm)))


def sums_automatic(problem: Any, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Pieces that keep a GPU busy, and threads for the sequences that are learned from."""
    letters = together(problem, backend)
    threads = 1
    if isinstance(problem, LearningProblem) and problem.cells > SHARED_CELLS:
        threads = min(workers.cores(), len(problem.sequences))
    if not isinstance(problem, LearningProblem) and problem.cells > SHARED_CELLS:
        threads = max(1, min(workers.cores(), problem.states // MANY_STATES))
    return {"piece": cuda_sizes.automatic_piece(len(problem.hmm), letters, multiprocessors or 1), "threads": threads}


MANY_STATES = 256
"""States of a thread where the program chooses how many threads there are."""
SHARED_STATES = 64
"""States of each of the threads that share the rows of one sequence: fewer are sooner done than waited for."""


def sharing(problem: HmmProblem, parameters: Mapping[str, Any]) -> int:
    """Threads that share the rows of a sequence; 0 where one does all of them."""
    threads = min(typed(HmmParameters, parameters).threads, padded(problem.states) // SHARED_STATES)
    return threads if threads > 1 else 0


PORTIONS = 64
"""Portions of the sequences, at most, that are counted on their own."""
SHARED_CELLS = 1 << 20
"""Cells of a round that are worth starting threads for."""


def sums_footprint(problem: Any, parameters: Mapping[str, Any], backend: str, kind: SumKind) -> Footprint:
    """Bytes of the methods that sum over all paths."""
    n, states = together(problem, backend), len(problem.hmm)
    if backend == "cuda":
        observations = {"observations": (1 if kind.passes == 1 else 2) * n}
        host = {"posterior": 8 * states * n} if kind.posterior else observations
        return Footprint(host=host, device=sums_device_parts(problem, n, typed(HmmParameters, parameters).piece, kind))
    return Footprint(host=sums_parts(problem, kind, typed(HmmParameters, parameters).threads))


def sums_parts(problem: Any, kind: SumKind, threads: int = 1) -> Mapping[str, int]:
    """Bytes on the CPU of the methods that sum over all paths, by purpose; a thread has a sequence of its own."""
    n, states = together(problem, "cpu"), len(problem.hmm)
    if isinstance(problem, LearningProblem):
        n = sum(sorted((len(each) for each in problem.sequences), reverse=True)[:threads])
    width = padded(states)
    found = {"observations": 8 * n, "divisors": 16 * n, "model": 48 * threads * width**2}
    if kind.counts and len(problem.sequences) > 1:
        found["counts of portions"] = (
            min(PORTIONS, len(problem.sequences)) * 8 * (states + len(problem.hmm.alphabet)) * states
        )
    if kind.passes > 1:
        found["rows"] = 8 * width * n
    if kind.posterior and states < width:
        found["posterior"] = 8 * states * n
    return found


def sums_device_parts(problem: Any, n: int, piece: int, kind: SumKind) -> Mapping[str, int]:
    """Bytes on the GPU of the methods that sum over all paths, by purpose; ``n`` letters are there at a time."""
    states, symbols = len(problem.hmm), len(problem.hmm.alphabet) + 2
    count, row, directions = len(range(0, n, piece)) + 1, 8 * states, min(kind.passes, 2)
    found = {"rows": directions * row * n, "model": 2 * row * states + row * (symbols + 8)}
    found["observations"] = 2 * (problem.letters if isinstance(problem, LearningProblem) else n) + n
    if states <= cuda_sizes.FEW:
        found["products of pieces"] = 4 * (row + 8) * states * count + 4 * row * count
        if kind.passes == 1:  # neither rows nor what is between pieces is kept
            del found["rows"]
            found |= {"observations": 2 * n, "products of pieces": 2 * (row + 8) * states * count}
    else:
        found["starts and ends of pieces"] = 4 * row * count
    found["sums of slices"] = 16 * cuda_sizes.SLICE_TEAMS
    if kind.counts:
        table = row * symbols
        found["letters of slices"] = table * (-(-n // cuda_sizes.slice_letters(n, table)) + cuda_sizes.WARP)
        found["transitions of slices"] = row * states * cuda_sizes.pair_slices(states, n)
    return found
