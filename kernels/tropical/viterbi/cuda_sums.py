"""Evaluation, posterior and learning on the GPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import cupy
import numpy as np

from kernels.model import Outcome
from kernels.monitor import Monitor
from kernels.steps import Steps
from kernels.tropical.algebra import PLUS_TIMES
from kernels.tropical.cuda_run import Run
from kernels.tropical.viterbi import cuda_sizes
from kernels.tropical.viterbi.cuda_rows import HERE, Model, Pieces, by_correction
from kernels.tropical.viterbi.hmm import Hmm
from kernels.tropical.viterbi.problem import HmmProblem
from kernels.tropical.viterbi.sums import (
    Counts,
    EvaluationAnswer,
    LearningProblem,
    PosteriorAnswer,
    cannot_emit,
    learned,
)

SUMS = (HERE / "sums.cu",)
TREE = (HERE / "sum_tree.cu",)
THREADS = 128
PAIR_SIDE = 16


def hmm_forward(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The probability of a sequence, over all paths."""
    run = Run(monitor)
    if not problem.n:
        return Outcome(EvaluationAnswer(0.0), run.times_ms)
    found = _log_probability(_forward(problem.hmm, [problem], run, parameters["piece"]), problem.hmm)
    return Outcome(EvaluationAnswer(found), run.times_ms, problem.n, run.device_bytes)


def hmm_posterior(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The probability of every state at every letter, given the whole sequence."""
    run = Run(monitor)
    if not problem.n:
        return Outcome(PosteriorAnswer(0.0, np.empty((0, problem.states))), run.times_ms)
    forward = _forward(problem.hmm, [problem], run, parameters["piece"])
    found = _log_probability(forward, problem.hmm)
    if found == -np.inf:
        return Outcome(PosteriorAnswer(found, None), run.times_ms, problem.n, run.device_bytes)
    backward = _backward(forward, parameters["piece"])
    arrays = forward.rows, backward.rows, forward.emissions, forward.seen, forward.starts
    _by_letter(forward, "posterior", "posterior", arrays)
    posterior = run.down(forward.rows)
    return Outcome(PosteriorAnswer(found, posterior), run.times_ms, posterior.nbytes, run.device_bytes)


def hmm_baum_welch(problem: LearningProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """A model that makes the sequences more probable; InputError where the first model cannot emit one of them."""
    run = Run(monitor)
    found = learned(problem, lambda model: _counted(problem, model, run, parameters["piece"]), monitor)
    return Outcome(found, run.times_ms, 2 * problem.letters, run.device_bytes)


def _forward(hmm: Hmm, parts: Sequence[HmmProblem], run: Run, piece: int) -> Model:
    """The model on the device, with forward rows of sequences that lie one after another.

    That of letter k is before what k emits, and right up to a factor.
    """
    letters = np.concatenate([part.observations for part in parts])
    starts = np.zeros(len(letters) + 1, np.uint8)
    starts[np.cumsum([0, *(part.n for part in parts)])] = 1
    initial = hmm.initial * 2.0**cuda_sizes.RAISED
    rows = cupy.empty((len(letters), len(hmm)))
    rows[:1].set(initial[None])
    seam = np.stack([np.ones(len(hmm)), hmm.initial])
    model = Model(run, len(hmm), len(letters), PLUS_TIMES, rows.dtype, run.up(hmm.transitions),
                  run.up(hmm.transitions.T), run.up(np.vstack([hmm.emissions.T, np.ones(len(hmm))])), run.up(letters),
                  rows, initial, starts=run.up(starts), seam=run.up(seam), name="forward")  # fmt: skip
    _fill(model, piece)
    return model


def _backward(forward: Model, piece: int) -> Model:
    """Backward rows over the reversed sequence: row m is of letter n - 1 - m, after what that letter emits."""
    last = np.full(forward.states, forward.one)
    rows = cupy.empty_like(forward.rows)
    rows[:1].set(last[None])
    model = replace(
        forward, transitions=forward.columns, columns=forward.transitions, initial=last, rows=rows,
        seen=cupy.ascontiguousarray(forward.seen[::-1]), seam=cupy.ascontiguousarray(forward.seam[::-1]),
        reached=forward.rows, name="backward",
    )  # fmt: skip
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
    team, n = cuda_sizes.team(model.states), model.letters
    length = length or cuda_sizes.slice_letters(n)
    kernel, sizes = _kernel(model, name), map(np.int32, (model.states, n, length, *last))
    with model.run.phase(phase) as launches:
        kernel((_teams(model, length) * team // THREADS,), (THREADS,), (*arrays, *sizes))
        launches.launched(n, n)


def _teams(model: Model, length: int) -> int:
    """Teams that take a slice of the letters each, in whole blocks."""
    block = THREADS // cuda_sizes.team(model.states)
    slices = -(-model.letters // length)
    return -(-slices // block) * block


def _row_sums(model: Model, hmm: Hmm) -> cupy.ndarray:
    return model.run.up(hmm.transitions.sum(axis=1))


def _log_probability(model: Model, hmm: Hmm) -> float:
    """The logarithm of the probability of all letters, from forward rows."""
    logarithms = cupy.zeros(_teams(model, cuda_sizes.slice_letters(model.letters)))
    arrays = (model.rows, model.emissions, model.seen, model.starts, _row_sums(model, hmm),
              np.float64(hmm.initial.sum()), logarithms)  # fmt: skip
    _by_letter(model, "forward", "evidence", arrays)
    return float(model.run.down(logarithms).sum())


def _counted(problem: LearningProblem, hmm: Hmm, run: Run, piece: int) -> Counts:
    """What all sequences count under a model, a batch of them at a time."""
    states, symbols = len(hmm), len(hmm.alphabet)
    total, pairs, letters = 0.0, np.zeros((states, states)), np.zeros((symbols + 2, states))
    for batch in cuda_sizes.batches([len(each) for each in problem.sequences], states):
        parts = [HmmProblem(hmm, problem.sequences[number], problem.unknown) for number in batch]
        forward = _forward(hmm, parts, run, piece)
        found = _log_probability(forward, hmm)
        if found == -np.inf:
            _refuse(hmm, parts, run, piece)
        total += found
        for sums, own in zip((pairs, letters), _counts(forward, _backward(forward, piece), hmm), strict=True):
            sums += run.down(own).reshape(sums.shape)
    return total, letters[-1], pairs * hmm.transitions, letters[:symbols].T


def _refuse(hmm: Hmm, parts: Sequence[HmmProblem], run: Run, piece: int) -> NoReturn:
    """InputError that names the first sequence that the model cannot emit."""
    for part in parts:
        if len(parts) == 1 or _log_probability(_forward(hmm, [part], run, piece), hmm) == -np.inf:
            raise cannot_emit(part)
    raise AssertionError("every sequence is possible, and all of them together are not")


def _counts(forward: Model, backward: Model, hmm: Hmm) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Expected counts of transitions (before they are multiplied by T) and of letters by state.

    After the letters of the alphabet, one that was not seen and the first letters of the sequences are counted.
    """
    states, n = forward.states, forward.letters
    symbols = len(hmm.alphabet) + 2
    length = cuda_sizes.slice_letters(n, 8 * symbols * states)
    tables = cupy.zeros((_teams(forward, length), symbols * states))
    arrays = (forward.rows, backward.rows, forward.emissions, forward.seen, forward.starts, _row_sums(forward, hmm),
              tables)  # fmt: skip
    _by_letter(forward, "counts", "factors", arrays, length, (symbols,))
    return _added_up(forward, _pairs(forward, backward)), _added_up(forward, tables)


def _pairs(forward: Model, backward: Model) -> cupy.ndarray:
    """Sums over the letters of each slice, a row of states x states numbers a slice."""
    states, n, per = forward.states, forward.letters, cuda_sizes.pairs_per_thread(forward.states)
    slices = cuda_sizes.pair_slices(states, n)
    tables, tiles = cupy.empty((slices, states**2)), -(-states // (PAIR_SIDE * per))
    kernel, sizes = _kernel(forward, "pairs"), [np.int32(size) for size in (states, n, -(-n // slices))]
    band = min(tiles, max(1, cuda_sizes.PAIR_CELLS // (n * states * PAIR_SIDE * per)))
    with forward.run.phase("counts") as phase:
        for first in range(0, tiles, band):
            count = min(band, tiles - first)
            arguments = forward.rows, backward.rows, tables, *sizes, np.int32(first)
            kernel((tiles, count, slices), (PAIR_SIDE**2,), arguments)
            phase.launched(first + count, tiles)
    return tables


def _added_up(model: Model, tables: cupy.ndarray) -> cupy.ndarray:
    """The sum of the rows."""
    many, size = (int(length) for length in tables.shape)
    total, kernel = cupy.empty(size), _kernel(model, "add_up")
    with model.run.phase("counts"):
        kernel((-(-size // cuda_sizes.WARP),), (256,), (tables, total, np.int32(size), np.int32(many)))
    return total
