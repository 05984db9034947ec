"""Sums over all paths where states fall behind others by more than numbers of 64 bits can tell."""

from __future__ import annotations

import math
import time

import numpy as np

from antidiag.kernels.cpu.phases import PhaseLog
from antidiag.kernels.cpu.workers import stop_word
from antidiag.kernels.errors import ScoreOverflow
from antidiag.kernels.hmm.cpu_tables import Tables, probabilities
from antidiag.kernels.hmm.problem import HmmProblem
from antidiag.kernels.hmm.sums import cpu_underflow
from antidiag.kernels.hmm.vanishing import bounded, least
from antidiag.kernels.monitor import Monitor, Silent

SLICE = 1 << 24
"""Cells between two looks at whether the user cancelled."""
ROUNDED = 1e-9
"""What logarithms of equal probabilities differ by at least before they are different."""
COMPARED = 1 << 28
"""Cells of a run on a GPU up to which its answer is compared with that of the CPU, which takes a second at most."""
NOTE = (
    "Some transitions of this model are impossible, or nearly so: on a GPU, a state that is less probable than another "
    "by a factor of 10^-270 is lost, even if it comes back later. The CPU notices that (--backend cpu)."
)


def log_probability(problem: HmmProblem, model: Tables, monitor: Monitor, log: PhaseLog | None = None) -> float:
    """The logarithm of the probability of the letters; no state is lost. Progress is that of the phase "forward"."""
    n = problem.n
    numbers, powers = model.initial.copy(), np.zeros(model.width, np.int64)
    enough, stop = least(problem.hmm), stop_word()
    several = max(1, SLICE // model.width**2)
    for first in range(0, n, several):
        monitor.update(first, n, "forward")
        last, begun_ns = min(first + several, n), time.perf_counter_ns()
        done = cpu_underflow.forward(numbers, powers, model, first, last, enough, stop)
        if log is not None:
            log.add(0, (0, model.states), (first, done), 0, begun_ns)
        if done < last:
            monitor.update(n, n, "forward")
            return -np.inf
    if not n:
        return 0.0
    monitor.update(n, n, "forward")
    return _logarithm(numbers[: model.states], powers[: model.states])


def compile_for(model: Tables) -> None:
    """Run once on a tiny model, so that nothing is compiled while the clock runs."""
    numbers, powers = model.initial.copy(), np.zeros(model.width, np.int64)
    cpu_underflow.forward(numbers, powers, model, 0, len(model.seen), 2.0, stop_word())


def noted(problem: HmmProblem, found: float, monitor: Monitor) -> tuple[str, ...]:
    """What to say of a logarithm of a probability from a GPU: nothing where no state was lost that makes a difference.

    Up to `COMPARED` cells that is found out, as by `compare`.
    """
    if bounded(problem):
        return ()
    if problem.cells > COMPARED:
        return (NOTE,)
    compare(problem, probabilities(problem), found, monitor)
    return ()


def compare(problem: HmmProblem, model: Tables, found: float, monitor: Monitor) -> None:
    """ScoreOverflow where a logarithm of a probability lacks states that were lost and make a difference."""
    if bounded(problem):
        return
    exact = log_probability(problem, model, Silent(monitor))
    # Where a share f of the probability is lost, the logarithm falls by f, about, however long the sequence is.
    allowed = ROUNDED + 4 * np.finfo(float).eps * (problem.n * model.width + 64 * abs(exact))
    if exact == found or (math.isfinite(exact) and abs(exact - found) <= allowed):
        return
    raise ScoreOverflow(
        f"{problem.title}: states that are less probable than others by a factor of 10^-270 come back later, and the "
        f"numbers of this method lose them (log probability {found:,.6g} instead of {exact:,.6g}); choose hmm-forward "
        "on the CPU for the probability, or a method of Viterbi, which computes in logarithms, for states"
    )


def _logarithm(numbers: np.ndarray, powers: np.ndarray) -> float:
    possible = numbers > 0
    highest = int(powers[possible].max())
    total = math.fsum(np.ldexp(numbers[possible], np.maximum(powers[possible] - highest, -2000).astype(int)))
    return math.log(total) + highest * math.log(2)
