"""Pieces, work and bytes of a run over a hidden Markov model. Nothing here imports a backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antidiag.kernels.cpu import workers
from antidiag.kernels.hmm.kinds import SumKind, ViterbiKind
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.parameters import HmmParameters
from antidiag.kernels.hmm.rows import cuda_sizes
from antidiag.kernels.hmm.sums.problem import LearningProblem
from antidiag.kernels.memory import Footprint
from antidiag.kernels.parameters import to_dataclass
from antidiag.kernels.steps import ALL_WORK, LoggedWork, WorkShare

LANES = BAND = 8
SHORT_LETTERS = 4096
"""Sequences with fewer letters are not cut into pieces for several threads."""

LEAST_PIECE = 256
"""Least letters of a piece: after so many, rows from different starts are mostly parallel."""


def pad_states(states: int) -> int:
    """Round states up to whole vectors of float64."""
    return -(-states // LANES) * LANES


def split_pieces(n: int, piece: int) -> list[tuple[int, int]]:
    """Return ranges (first, last) of ``piece`` letters: rows first + 1 to last belong to a piece; n - 1 rows in all."""
    steps = max(0, n - 1)
    return [(first, min(first + piece, steps)) for first in range(0, steps, piece)]


def count_pieces(n: int, piece: int) -> int:
    """Return the number of pieces; long sequences have millions."""
    return -(-max(0, n - 1) // piece)


def count_work(problem: HmmProblem, parameters: Mapping[str, Any], kind: ViterbiKind) -> int:
    """Count sums and comparisons of costs: a letter takes l^2, in a product of matrices l^3."""
    if kind.multiplies_matrices:
        return problem.cells * (problem.states + 1)
    if kind.joins_products:
        leaves = count_pieces(problem.n, to_dataclass(HmmParameters, parameters).piece)
        return problem.cells * (problem.states + 1) + leaves * problem.states**3
    return problem.cells


def describe_log(problem: Any, parameters: Mapping[str, Any], backend: str) -> LoggedWork:
    """Describe what the events of a run did: tracing the path computes no cell."""
    return LoggedWork((WorkShare(("path",), 0), WorkShare(total=ALL_WORK)))


def list_host_bytes(problem: HmmProblem, parameters: Mapping[str, Any], kind: ViterbiKind) -> Mapping[str, int]:
    """List the bytes of a run on the CPU, by purpose."""
    width = pad_states(problem.states)
    symbols = len(problem.hmm.alphabet) + 1
    found = {"rows": 8 * width * problem.n, "path": 4 * problem.n, "observations": 8 * problem.n}
    found["model"] = 24 * width**2
    if kind.tabulates_sums:
        found["sums of transition and emission"] = 8 * symbols * width**2
    elif kind.multiplies_matrices:
        found["products"] = 8 * 4 * _count_matrix_rows(problem.states) * width
    elif kind.joins_products:
        leaves = count_pieces(problem.n, to_dataclass(HmmParameters, parameters).piece)
        found["products"] = 2 * 8 * leaves * _count_matrix_rows(problem.states) * width
    return found


def _count_matrix_rows(states: int) -> int:
    """Return the rows of a matrix of all states and one row more, in whole bands."""
    return -(-(states + 1) // BAND) * BAND


def list_device_bytes(problem: HmmProblem, parameters: Mapping[str, Any], kind: ViterbiKind) -> Mapping[str, int]:
    """List the bytes of a run on the GPU, by purpose."""
    item = 8 if kind.joins_products or kind.tabulates_sums or not cuda_sizes.exact_in_32_bits(problem) else 4
    states, n = problem.states, problem.n
    row = item * states
    found = {"rows": row * n, "path and states": 6 * n, "observations": n, "model": 3 * row * states + 8 * row}
    if kind.tabulates_sums or kind.binds_texture:
        found["sums of transition and emission"] = row * states * (len(problem.hmm.alphabet) + 1)
    if kind.multiplies_matrices:
        found["products"] = row * (states + 1)
    elif kind.works_in_pieces:
        count = count_pieces(n, to_dataclass(HmmParameters, parameters).piece) + 1
        found["starts and ends of pieces"] = 4 * row * count
        if kind.joins_products:
            found["products"] = 3 * row * states * count
    return found


def estimate_footprint(
    problem: HmmProblem, parameters: Mapping[str, Any], backend: str, kind: ViterbiKind
) -> Footprint:
    """Estimate the bytes on the host, and on the device where the run is there."""
    if backend == "cpu":
        return Footprint(host=list_host_bytes(problem, parameters, kind))
    host = {"states": 2 * problem.n}
    return Footprint(host=host, device=list_device_bytes(problem, parameters, kind))


def choose_parameters(
    problem: HmmProblem, backend: str, multiprocessors: int | None, kind: ViterbiKind
) -> Mapping[str, Any]:
    """Choose all cores where the sequence is long, and pieces that keep them busy."""
    threads = workers.count_processors() if problem.n > SHORT_LETTERS else 1
    if backend == "cuda":
        piece = cuda_sizes.choose_piece(problem.states, problem.n, multiprocessors or 1)
        return {"threads": threads, "piece": piece}
    if kind.joins_products:
        return {"threads": threads, "piece": max(LEAST_PIECE, -(-problem.n // (4 * threads)))}
    return {"threads": threads, "piece": max(LEAST_PIECE, -(-problem.n // threads))}


def count_letters_in_memory(problem: Any, backend: str) -> int:
    """Count letters that are in memory at a time: of the sequence, of the longest of several, or of a GPU batch."""
    if not isinstance(problem, LearningProblem):
        return problem.n
    lengths = [len(each) for each in problem.sequences]
    if backend == "cpu":
        return max(lengths)
    return max(
        sum(lengths[number] for number in batch) for batch in cuda_sizes.group_sequences(lengths, len(problem.hmm))
    )


def choose_sum_parameters(problem: Any, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """Choose pieces that keep a GPU busy, and threads for the sequences that are learned from."""
    letters = count_letters_in_memory(problem, backend)
    threads = 1
    if isinstance(problem, LearningProblem) and problem.cells > LEAST_THREADED_CELLS:
        threads = min(workers.count_processors(), len(problem.sequences))
    if not isinstance(problem, LearningProblem) and problem.cells > LEAST_THREADED_CELLS:
        threads = max(1, min(workers.count_processors(), problem.states // STATES_PER_THREAD))
    return {"piece": cuda_sizes.choose_piece(len(problem.hmm), letters, multiprocessors or 1), "threads": threads}


STATES_PER_THREAD = 256
"""States per thread where the program chooses the number of threads."""
LEAST_SHARED_STATES = 64
"""Least states per thread that shares the rows of one sequence: fewer cost more waiting than work."""


def count_sharing_threads(problem: HmmProblem, parameters: Mapping[str, Any]) -> int:
    """Return how many threads share the rows of a sequence."""
    threads = min(to_dataclass(HmmParameters, parameters).threads, pad_states(problem.states) // LEAST_SHARED_STATES)
    return max(threads, 1)


MOST_PORTIONS = 64
"""Most portions of the sequences that are counted separately."""
LEAST_THREADED_CELLS = 1 << 20
"""Least cells of a round for which threads are started."""


def estimate_sum_footprint(problem: Any, parameters: Mapping[str, Any], backend: str, kind: SumKind) -> Footprint:
    """Estimate the bytes of a method that sums over all paths."""
    n, states = count_letters_in_memory(problem, backend), len(problem.hmm)
    if backend == "cuda":
        observations = {"observations": (1 if kind.passes == 1 else 2) * n}
        host = {"posterior": 8 * states * n} if kind.posterior else observations
        return Footprint(
            host=host, device=list_sum_device_bytes(problem, n, to_dataclass(HmmParameters, parameters).piece, kind)
        )
    return Footprint(host=list_sum_host_bytes(problem, kind, to_dataclass(HmmParameters, parameters).threads))


def list_sum_host_bytes(problem: Any, kind: SumKind, threads: int = 1) -> Mapping[str, int]:
    """List the bytes on the CPU of a method that sums over all paths; each thread has a sequence of its own."""
    n, states = count_letters_in_memory(problem, "cpu"), len(problem.hmm)
    if isinstance(problem, LearningProblem):
        n = sum(sorted((len(each) for each in problem.sequences), reverse=True)[:threads])
    width = pad_states(states)
    found = {"observations": 8 * n, "divisors": 16 * n, "model": 48 * threads * width**2}
    if kind.counts_transitions and len(problem.sequences) > 1:
        found["counts of portions"] = (
            min(MOST_PORTIONS, len(problem.sequences)) * 8 * (states + len(problem.hmm.alphabet)) * states
        )
    if kind.passes > 1:
        found["rows"] = 8 * width * n
    if kind.posterior and states < width:
        found["posterior"] = 8 * states * n
    return found


def list_sum_device_bytes(problem: Any, n: int, piece: int, kind: SumKind) -> Mapping[str, int]:
    """List the bytes on the GPU of a method that sums over all paths; ``n`` letters are in memory."""
    states, symbols = len(problem.hmm), len(problem.hmm.alphabet) + 2
    count, row, directions = len(range(0, n, piece)) + 1, 8 * states, min(kind.passes, 2)
    found = {"rows": directions * row * n, "model": 2 * row * states + row * (symbols + 8)}
    found["observations"] = 2 * (problem.letters if isinstance(problem, LearningProblem) else n) + n
    if states <= cuda_sizes.FEW_STATES:
        found["products of pieces"] = 4 * (row + 8) * states * count + 4 * row * count
        if kind.passes == 1:  # neither rows nor what is between pieces is kept
            del found["rows"]
            found |= {"observations": 2 * n, "products of pieces": 2 * (row + 8) * states * count}
    else:
        found["starts and ends of pieces"] = 4 * row * count
    found["sums of slices"] = 16 * cuda_sizes.SLICE_TEAMS
    if kind.counts_transitions:
        table = row * symbols
        found["letters of slices"] = table * (-(-n // cuda_sizes.count_slice_letters(n, table)) + cuda_sizes.WARP)
        found["transitions of slices"] = row * states * cuda_sizes.count_pair_slices(states, n)
    return found
