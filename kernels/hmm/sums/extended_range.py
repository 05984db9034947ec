"""Probabilities that underflow: the exact probability in extended range, and the check of what methods return."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun
from antidiag.kernels.errors import ScoreOverflow
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.model.underflow import cannot_underflow, least_safe_number
from antidiag.kernels.hmm.rows.cpu_tables import HmmTables, build_probability_tables, build_tiny_tables
from antidiag.kernels.hmm.sums import cpu_extended_range
from antidiag.kernels.hmm.sums.forward_backward import compute_slices
from antidiag.kernels.monitor import CancelOnlyMonitor, Monitor

ROUNDING = 1e-9
"""Logarithms that differ by less are equal."""
MOST_COMPARED_CELLS = 1 << 28
"""Most cells of a GPU run whose answer is compared with that of the CPU, which takes a second at most."""
LOST_STATES_NOTE = (
    "Some transitions of this model are impossible, or nearly so. A GPU loses a state that is 10^-270 times as "
    "probable as another, even if it becomes probable again. The CPU detects that (--backend cpu)."
)


def compute_log_probability(problem: HmmProblem, model: HmmTables, phase: CpuPhase) -> float:
    """Return the logarithm of the probability of the letters; no state is lost. The phase counts letters."""
    numbers, powers = model.initial.copy(), np.zeros(model.width, np.int64)
    least = least_safe_number(problem.hmm)

    def compute(first: int, last: int) -> bool:
        stopped = cpu_extended_range.compute_scaled_rows(numbers, powers, model, first, last, least, phase.run.stop)
        return bool(stopped == last)

    if not compute_slices(model, phase, compute):
        return -np.inf
    return _sum_logarithm(numbers[: model.states], powers[: model.states]) if problem.n else 0.0


def make_tiny_tables() -> HmmTables:
    """Return a tiny model to compile with."""
    return build_tiny_tables(0.0, np.array([0.5, 0.5]), np.full((2, 2), 0.5), 1.0)


@cache
def compile_extended_range() -> None:
    """Compile, or load from the cache folder, by running a tiny model."""
    model = make_tiny_tables()
    numbers, powers = model.initial.copy(), np.zeros(model.width, np.int64)
    cpu_extended_range.compute_scaled_rows(numbers, powers, model, 0, len(model.seen), 2.0, CpuRun().stop)


def check_gpu_probability(problem: HmmProblem, log_probability: float, monitor: Monitor) -> tuple[str, ...]:
    """Check a logarithm of a probability from a GPU; return a note where that would take too long.

    Up to `MOST_COMPARED_CELLS` cells are checked as by `refuse_lost_states`.
    """
    if cannot_underflow(problem):
        return ()
    if problem.cells > MOST_COMPARED_CELLS:
        return (LOST_STATES_NOTE,)
    refuse_lost_states(problem, build_probability_tables(problem), log_probability, monitor)
    return ()


def refuse_lost_states(problem: HmmProblem, model: HmmTables, log_probability: float, monitor: Monitor) -> None:
    """ScoreOverflow where a logarithm of a probability lacks states that were lost and make a difference."""
    if cannot_underflow(problem):
        return
    with CpuRun(CancelOnlyMonitor(monitor)).phase("forward", problem.n) as phase:
        exact = compute_log_probability(problem, model, phase)
    # Losing a share f of the probability lowers the logarithm by about f, however long the sequence is.
    allowed = ROUNDING + 4 * np.finfo(float).eps * (problem.n * model.width + 64 * abs(exact))
    if exact == log_probability or (math.isfinite(exact) and abs(exact - log_probability) <= allowed):
        return
    raise ScoreOverflow(
        f"{problem.title}: this method loses states that are 10^-270 times as probable as others and become probable "
        f"again (log probability {log_probability:,.6g} instead of {exact:,.6g}); choose hmm-forward on the CPU for "
        "the probability, or a method of Viterbi, which computes in logarithms, for states"
    )


def _sum_logarithm(numbers: np.ndarray, powers: np.ndarray) -> float:
    """Return the logarithm of the sum of numbers times powers of two."""
    possible = numbers > 0
    highest = int(powers[possible].max())
    total = math.fsum(np.ldexp(numbers[possible], np.maximum(powers[possible] - highest, -2000).astype(int)))
    return math.log(total) + highest * math.log(2)
