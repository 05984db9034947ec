"""Parameters, work and bytes of the methods that sum over all paths. Nothing here imports a backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antidiag.kernels.cpu import workers
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.parameters import SumParameters
from antidiag.kernels.hmm.rows import cuda_sizes
from antidiag.kernels.hmm.sizes import pad_states
from antidiag.kernels.hmm.sums.problem import LearningProblem
from antidiag.kernels.memory import Footprint

MOST_PORTIONS = 64
"""Most portions of the sequences that are counted separately."""
LEAST_THREADED_CELLS = 1 << 20
"""Least cells of a round for which threads are started."""
STATES_PER_THREAD = 256
"""States per thread where the program chooses the number of threads."""
LEAST_SHARED_STATES = 64
"""Least states per thread that shares the rows of one sequence: fewer cost more waiting than work."""


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


def count_sharing_threads(problem: HmmProblem, parameters: SumParameters) -> int:
    """Return how many threads share the rows of a sequence."""
    return max(1, min(parameters.threads, pad_states(problem.states) // LEAST_SHARED_STATES))


def count_forward_steps(problem: HmmProblem, parameters: SumParameters) -> int:
    """Count the steps of one pass over the letters, l^2 each."""
    return problem.cells


def count_posterior_steps(problem: HmmProblem, parameters: SumParameters) -> int:
    """Count the steps forward and backward."""
    return 2 * problem.cells


def count_learning_steps(problem: LearningProblem, parameters: SumParameters) -> int:
    """Count the steps of all rounds: forward, backward, and counting transitions, which takes as many."""
    return 3 * problem.cells * (problem.iterations + 1)


def estimate_forward_memory(problem: HmmProblem, parameters: SumParameters, backend: str) -> Footprint:
    """Estimate the bytes of Forward."""
    if backend == "cpu":
        return Footprint(list_forward_bytes(problem, parameters.threads))
    states = problem.states
    device = _list_device_bytes(problem, problem.n, parameters.piece, directions=1)
    if states <= cuda_sizes.FEW_STATES:  # neither rows nor what is between pieces is kept
        del device["rows"]
        pieces = _count_row_pieces(problem.n, parameters.piece)
        device |= {
            "observations": 2 * problem.n,
            "products of pieces": 2 * (8 * states + 8) * states * pieces,
        }
    return Footprint({"observations": problem.n}, device)


def estimate_posterior_memory(problem: HmmProblem, parameters: SumParameters, backend: str) -> Footprint:
    """Estimate the bytes of Posterior, which keeps a number for every state and letter."""
    if backend == "cpu":
        return Footprint(list_posterior_bytes(problem, parameters.threads))
    device = _list_device_bytes(problem, problem.n, parameters.piece, directions=2)
    return Footprint({"posterior": 8 * problem.states * problem.n}, device)


def estimate_learning_memory(problem: LearningProblem, parameters: SumParameters, backend: str) -> Footprint:
    """Estimate the bytes of Baum-Welch, which counts letters and transitions."""
    if backend == "cpu":
        return Footprint(list_learning_bytes(problem, parameters.threads))
    n, states = count_letters_in_memory(problem, backend), len(problem.hmm)
    device = _list_device_bytes(problem, n, parameters.piece, directions=2)
    table = 8 * states * (len(problem.hmm.alphabet) + 2)
    slices = -(-n // cuda_sizes.count_slice_letters(n, table))
    device["letters of slices"] = table * (slices + cuda_sizes.WARP)
    device["transitions of slices"] = 8 * states * states * cuda_sizes.count_pair_slices(states, n)
    return Footprint({"observations": 2 * n}, device)


def list_forward_bytes(problem: HmmProblem, threads: int = 1) -> dict[str, int]:
    """List the bytes of Forward on the CPU, by purpose."""
    return _list_host_bytes(problem.n, problem.states, threads)


def list_posterior_bytes(problem: HmmProblem, threads: int = 1) -> dict[str, int]:
    """List the bytes of Posterior on the CPU, by purpose."""
    n, states, width = problem.n, problem.states, pad_states(problem.states)
    posterior = {"posterior": 8 * states * n} if states < width else {}
    return {**_list_host_bytes(n, states, threads), "rows": 8 * width * n, **posterior}


def list_learning_bytes(problem: LearningProblem, threads: int) -> dict[str, int]:
    """List the bytes of Baum-Welch on the CPU, by purpose; each thread has a sequence of its own."""
    states, count = len(problem.hmm), len(problem.sequences)
    n = sum(sorted((len(each) for each in problem.sequences), reverse=True)[:threads])
    portions = min(MOST_PORTIONS, count) * 8 * (states + len(problem.hmm.alphabet)) * states
    return {
        **_list_host_bytes(n, states, threads),
        **({"counts of portions": portions} if count > 1 else {}),
        "rows": 8 * pad_states(states) * n,
    }


def _list_host_bytes(n: int, states: int, threads: int = 1) -> dict[str, int]:
    """List the bytes on the CPU of any sum over n letters."""
    return {"observations": 8 * n, "divisors": 16 * n, "model": 48 * threads * pad_states(states) ** 2}


def _count_row_pieces(n: int, piece: int) -> int:
    """Count the pieces of n letters, and one more."""
    return len(range(0, n, piece)) + 1


def _list_device_bytes(problem: Any, n: int, piece: int, directions: int) -> dict[str, int]:
    """List the bytes on the GPU of any sum over ``n`` letters in memory, in one or two ``directions``."""
    states, symbols = len(problem.hmm), len(problem.hmm.alphabet) + 2
    count, row = _count_row_pieces(n, piece), 8 * states
    found = {"rows": directions * row * n, "model": 2 * row * states + row * (symbols + 8)}
    found["observations"] = 2 * (problem.letters if isinstance(problem, LearningProblem) else n) + n
    if states <= cuda_sizes.FEW_STATES:
        found["products of pieces"] = 4 * (row + 8) * states * count + 4 * row * count
    else:
        found["starts and ends of pieces"] = 4 * row * count
    found["sums of slices"] = 16 * cuda_sizes.SLICE_TEAMS
    return found
