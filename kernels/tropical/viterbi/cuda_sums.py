"""Evaluation, posterior and learning on the GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import cupy
import numpy as np

from kernels.errors import InputError
from kernels.model import Outcome
from kernels.monitor import Monitor
from kernels.steps import Steps
from kernels.tropical.algebra import PLUS_TIMES
from kernels.tropical.cuda_run import Run
from kernels.tropical.viterbi import cuda_sizes
from kernels.tropical.viterbi.cuda_rows import HERE, Model, Pieces, by_correction
from kernels.tropical.viterbi.hmm import Hmm
from kernels.tropical.viterbi.problem import HmmProblem
from kernels.tropical.viterbi.sums import EvaluationAnswer, LearningProblem, PosteriorAnswer, learned

SUMS = (HERE / "sums.cu",)
TREE = (HERE / "sum_tree.cu",)
THREADS = 128
PAIR_SIDE = 16


def hmm_forward(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The probability of a sequence, over all paths."""
    run = Run(monitor)
    if not problem.n:
        return Outcome(EvaluationAnswer(0.0), run.times_ms)
    found = _log_probability(_forward(problem, run, parameters["piece"]))
    return Outcome(EvaluationAnswer(found), run.times_ms, problem.n, run.device_bytes)


def hmm_posterior(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The probability of every state at every letter, given the whole sequence."""
    run = Run(monitor)
    if not problem.n:
        return Outcome(PosteriorAnswer(0.0, np.empty((0, problem.states))), run.times_ms)
    forward = _forward(problem, run, parameters["piece"])
    found = _log_probability(forward)
    if found == -np.inf:
        return Outcome(PosteriorAnswer(found, None), run.times_ms, problem.n, run.device_bytes)
    backward = _backward(forward, parameters["piece"])
    _by_letter(forward, "posterior", "posterior", (forward.rows, backward.rows, forward.emissions, forward.seen))
    posterior = run.down(forward.rows)
    return Outcome(PosteriorAnswer(found, posterior), run.times_ms, posterior.nbytes, run.device_bytes)


def hmm_baum_welch(problem: LearningProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """A model that makes the sequences more probable; InputError where the first model cannot emit one of them."""
    run = Run(monitor)
    found = learned(problem, lambda model: _counted(problem, model, run, parameters["piece"]), monitor)
    return Outcome(found, run.times_ms, problem.letters, run.device_bytes)


def _forward(problem: HmmProblem, run: Run, piece: int) -> Model:
    """The model on the device, with its forward rows: of letter k before what k emits, each up to a factor."""
    hmm = problem.hmm
    emissions = np.vstack([hmm.emissions.T, np.ones(problem.states)])
    initial = hmm.initial * 2.0**cuda_sizes.RAISED
    rows = cupy.empty((problem.n, problem.states))
    rows[:1].set(initial[None])
    model = Model(run, problem, PLUS_TIMES, rows.dtype, run.up(hmm.transitions), run.up(hmm.transitions.T),
                  run.up(emissions), run.up(problem.observations), rows, initial, name="forward")  # fmt: skip
    _fill(model, piece)
    return model


def _backward(forward: Model, piece: int) -> Model:
    """Backward rows over the reversed sequence: row m is of letter n - 1 - m, after what that letter emits."""
    last = np.full(forward.states, forward.one)
    rows = cupy.empty_like(forward.rows)
    rows[:1].set(last[None])
    model = replace(forward, transitions=forward.columns, columns=forward.transitions, initial=last, rows=rows,
                    seen=forward.run.up(forward.problem.observations[::-1]), reached=forward.rows,
                    name="backward")  # fmt: skip
    _fill(model, piece)
    return model


def _fill(model: Model, piece: int) -> None:
    """All rows of a model: from products of matrices where those are small, else from guesses that are corrected."""
    if model.states > cuda_sizes.FEW:
        by_correction(model, piece)
    elif model.steps:
        length = min(piece, model.steps)
        Pieces(model, _starts(model, length), length).advance()


def _starts(model: Model, length: int) -> cupy.ndarray:
    """The rows that pieces of so many letters start from, by a tree of their products."""
    states, count = model.states, -(-model.steps // length)
    units = cupy.tile(model.run.up(np.eye(states) * model.one), (count, 1))
    leaves = Pieces(model, units, length, repeat=states, keep=False, normalise=cuda_sizes.UP_TO_A_POWER)
    leaves.advance()
    levels, nodes, threads = [(leaves.current, leaves.exponents)], [count], (model.threads,)
    join, descend = (model.run.kernel(TREE, name, RAISED=cuda_sizes.RAISED) for name in ("join", "descend"))
    with model.run.phase(model.name):
        while nodes[-1] > 1:
            half = -(-nodes[-1] // 2)
            above = cupy.empty((half * states, states)), cupy.empty(half * states, np.int64)
            join((half, states), threads, (*levels[-1], *above, np.int32(nodes[-1]), np.int32(states)))
            levels.append(above)
            nodes.append(half)
        starts = model.run.up(model.initial[None])
        for level, size in zip(levels[-2::-1], nodes[-2::-1], strict=True):
            below = cupy.empty((size, states))
            descend((size,), threads, (starts, *level, below, np.int32(states)))
            starts = below
    return starts


def _kernel(model: Model, name: str) -> Any:
    states = model.states
    return model.run.kernel(SUMS, name, TEAM=cuda_sizes.team(states), PER=cuda_sizes.pairs_per_thread(states),
                            RAISED=cuda_sizes.RAISED)  # fmt: skip


def _by_letter(
    model: Model, phase: str, name: str, arrays: tuple[Any, ...], length: int = 0, last: tuple[int, ...] = ()
) -> None:
    """Launch a kernel whose teams take a slice of the letters each, of this length or of the usual one."""
    team, n = cuda_sizes.team(model.states), model.problem.n
    length = length or cuda_sizes.slice_letters(n)
    kernel, sizes = _kernel(model, name), map(np.int32, (model.states, n, length, *last))
    with model.run.phase(phase) as launches:
        kernel((_teams(model, length) * team // THREADS,), (THREADS,), (*arrays, *sizes))
        launches.launched(n, n)


def _teams(model: Model, length: int) -> int:
    """Teams that take a slice of the letters each, in whole blocks."""
    block = THREADS // cuda_sizes.team(model.states)
    slices = -(-model.problem.n // length)
    return -(-slices // block) * block


def _row_sums(model: Model) -> cupy.ndarray:
    return model.run.up(model.problem.hmm.transitions.sum(axis=1))


def _log_probability(model: Model) -> float:
    """The logarithm of the probability of all letters, from forward rows."""
    logarithms = cupy.zeros(_teams(model, cuda_sizes.slice_letters(model.problem.n)))
    arrays = model.rows, model.emissions, model.seen, _row_sums(model), logarithms
    _by_letter(model, "forward", "evidence", arrays)
    return float(model.run.down(logarithms).sum())


def _counted(
    problem: LearningProblem, hmm: Hmm, run: Run, piece: int
) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
    """The logarithm of the probability of all sequences, and the expected counts, as `sums.learned` wants them."""
    states, symbols = len(hmm), len(hmm.alphabet)
    total, counts = 0.0, (np.zeros(states), np.zeros((states, states)), np.zeros((symbols + 1, states)))
    for part in problem.parts:
        forward = _forward(HmmProblem(hmm, part.sequence, part.unknown), run, piece)
        found = _log_probability(forward)
        if found == -np.inf:
            raise InputError(f"{part.title}: the model cannot emit this sequence; take zeros out of the model")
        total += found
        for sums, own in zip(counts, _counts(forward, _backward(forward, piece), symbols + 1), strict=True):
            sums += run.down(own).reshape(sums.shape)
    first, pairs, letters = counts
    return total, first, pairs * hmm.transitions, letters[:symbols].T


def _counts(forward: Model, backward: Model, symbols: int) -> tuple[cupy.ndarray, cupy.ndarray, cupy.ndarray]:
    """Expected counts of first states, of transitions (before they are multiplied by T) and of letters by state."""
    run, states, n = forward.run, forward.states, forward.problem.n
    table = symbols * states
    length = cuda_sizes.slice_letters(n, 8 * table)
    tables, first = cupy.zeros((_teams(forward, length), table)), cupy.empty(states)
    arrays = forward.rows, backward.rows, forward.emissions, forward.seen, _row_sums(forward), tables, first
    _by_letter(forward, "counts", "factors", arrays, length, (symbols,))
    per, slices = cuda_sizes.pairs_per_thread(states), cuda_sizes.pair_slices(states, n)
    pairs, tiles = cupy.empty((slices, states**2)), -(-states // (PAIR_SIDE * per))
    kernel, sizes = _kernel(forward, "pairs"), map(np.int32, (states, n, -(-n // slices)))
    with run.phase("counts"):
        kernel((tiles, tiles, slices), (PAIR_SIDE**2,), (forward.rows, backward.rows, pairs, *sizes))
    return first, _added_up(forward, pairs), _added_up(forward, tables)


def _added_up(model: Model, tables: cupy.ndarray) -> cupy.ndarray:
    """The sum of the rows."""
    many, size = (int(length) for length in tables.shape)
    total, kernel = cupy.empty(size), _kernel(model, "add_up")
    with model.run.phase("counts"):
        kernel((-(-size // cuda_sizes.WARP),), (256,), (tables, total, np.int32(size), np.int32(many)))
    return total
