"""Sizes of a run over a hidden Markov model: pieces, cells and bytes, without importing a backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernels import workers
from kernels.memory import Footprint
from kernels.tropical.viterbi import cuda_sizes
from kernels.tropical.viterbi.problem import HmmProblem
from kernels.tropical.viterbi.sums import LearningProblem

LANES = 8
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


def work(problem: HmmProblem, parameters: Mapping[str, Any], method: str) -> int:
    """Sums and comparisons of costs: a letter costs l^2, in a product of matrices l^3."""
    if method.startswith("viterbi-matprod"):
        return problem.cells * (problem.states + 1)
    if method == "viterbi-tree":
        leaves = len(pieces(problem.n, parameters["piece"]))
        return problem.cells * (problem.states + 1) + leaves * problem.states**3
    return problem.cells


def parts(problem: HmmProblem, parameters: Mapping[str, Any], method: str) -> Mapping[str, int]:
    """Bytes of a run on the CPU, by purpose."""
    width = padded(problem.states)
    symbols = len(problem.hmm.alphabet) + 1
    found = {"rows": 8 * width * problem.n, "path": 4 * problem.n, "observations": problem.n, "model": 24 * width**2}
    if method == "viterbi-scalprod":
        found["sums of transition and emission"] = 8 * symbols * width**2
    elif method.startswith("viterbi-matprod"):
        found["products"] = 8 * 4 * (width + 8) * width
    elif method == "viterbi-tree":
        leaves = len(pieces(problem.n, parameters["piece"]))
        found["products"] = 2 * 8 * (leaves + 1) * (width + 8) * width
    elif method == "hmm-posterior":
        found["posterior"] = 8 * problem.states * problem.n
    return found


def device_parts(problem: HmmProblem, parameters: Mapping[str, Any], method: str) -> Mapping[str, int]:
    """Bytes of a run on the GPU, by purpose."""
    tree = method == "viterbi-tree"
    item = 8 if tree or method == "viterbi-scalprod" or not cuda_sizes.exact_in_32_bits(problem) else 4
    states, n = problem.states, problem.n
    row = item * states
    found = {"rows": row * n, "path": 4 * n, "observations": n, "model": 3 * row * states + 8 * row}
    if method == "viterbi-scalprod":
        found["sums of transition and emission"] = row * states * (len(problem.hmm.alphabet) + 1)
    elif method.startswith("viterbi-matprod"):
        found["products"] = row * (states + 1)
    elif method in ("viterbi-tree", "viterbi-persistent"):
        count = len(pieces(n, parameters["piece"])) + 1
        found["starts and ends of pieces"] = 4 * row * count
        if tree:
            found["products"] = 3 * row * states * count
    return found


def footprint(problem: HmmProblem, parameters: Mapping[str, Any], backend: str, method: str) -> Footprint:
    """Bytes on the host, and on the device where the run is there."""
    if backend == "cpu":
        return Footprint(host=parts(problem, parameters, method))
    return Footprint(host={"path": 4 * problem.n}, device=device_parts(problem, parameters, method))


def automatic(problem: HmmProblem, backend: str, multiprocessors: int | None, method: str) -> Mapping[str, Any]:
    """All cores where the sequence is long; pieces that keep them busy."""
    threads = workers.cores() if problem.n > SHORT else 1
    if backend == "cuda":
        piece = cuda_sizes.automatic_piece(problem.states, problem.n, multiprocessors or 1)
        return {"threads": threads, "piece": piece}
    if method == "viterbi-tree":
        return {"threads": threads, "piece": max(PIECE, -(-problem.n // (4 * threads)))}
    return {"threads": threads, "piece": max(PIECE, -(-problem.n // threads))}


SWEEPS = {"hmm-forward": 1, "hmm-posterior": 2, "hmm-baum-welch": 3}
"""Passes of l^2 steps a letter: forward; backward; counting transitions. In Baum-Welch a count takes as many."""


def together(problem: Any, backend: str) -> int:
    """Letters that are in memory at a time: of the sequence, of the longest of several, or of a batch on the GPU."""
    if not isinstance(problem, LearningProblem):
        return problem.n
    lengths = [len(each) for each in problem.sequences]
    if backend == "cpu":
        return max(lengths)
    return max(sum(lengths[number] for number in batch) for batch in cuda_sizes.batches(lengths, len(problem.hmm)))


def sums_automatic(problem: Any, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Pieces that keep a GPU busy; the CPU has none."""
    letters = together(problem, backend)
    return {"piece": cuda_sizes.automatic_piece(len(problem.hmm), letters, multiprocessors or 1)}


def sums_footprint(method: str, problem: Any, parameters: Mapping[str, Any], backend: str) -> Footprint:
    """Bytes of the methods that sum over all paths."""
    n, states = together(problem, backend), len(problem.hmm)
    if backend == "cuda":
        host = {"posterior": 8 * states * n} if method == "hmm-posterior" else {"observations": 4 * n}
        return Footprint(host=host, device=sums_device_parts(method, problem, n, parameters["piece"]))
    if method == "hmm-forward":
        return Footprint(host={"observations": 9 * n, "divisors": 8 * n})
    if method == "hmm-posterior":
        return Footprint(host=parts(problem, parameters, method))
    width = padded(states)
    return Footprint(host={"rows": 8 * width * n, "observations": 17 * n, "counts": 48 * width**2})


def sums_device_parts(method: str, problem: Any, n: int, piece: int) -> Mapping[str, int]:
    """Bytes on the GPU of the methods that sum over all paths, by purpose; ``n`` letters are there at a time."""
    states, symbols = len(problem.hmm), len(problem.hmm.alphabet) + 2
    count, row, directions = len(range(0, n, piece)) + 1, 8 * states, 1 if method == "hmm-forward" else 2
    found = {"rows": directions * row * n, "model": 2 * row * states + row * (symbols + 8)}
    found["observations"] = 2 * (problem.letters if isinstance(problem, LearningProblem) else n) + n
    if states <= cuda_sizes.FEW:
        if method == "hmm-forward":
            del found["rows"]
        found["products of pieces"] = 4 * (row + 8) * states * count + 4 * row * count
    else:
        found["starts and ends of pieces"] = 4 * row * count
    found["sums of slices"] = 16 * cuda_sizes.SLICE_TEAMS
    if method == "hmm-baum-welch":
        table = row * symbols
        found["letters of slices"] = table * (-(-n // cuda_sizes.slice_letters(n, table)) + cuda_sizes.WARP)
        found["transitions of slices"] = row * states * cuda_sizes.pair_slices(states, n)
    return found
