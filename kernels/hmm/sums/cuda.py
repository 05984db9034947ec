"""Evaluation, posterior and learning on the GPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import cupy
import numpy as np

from antidiag.kernels.cuda.leaving import leaving
from antidiag.kernels.cuda.run import SHORT_AHEAD, Run
from antidiag.kernels.cuda.structs import Constants
from antidiag.kernels.cuda.transfers import recorded
from antidiag.kernels.hmm import cuda_sizes, vanishing
from antidiag.kernels.hmm.cuda_rows import Model
from antidiag.kernels.hmm.hmm import Hmm
from antidiag.kernels.hmm.parameters import HmmParameters
from antidiag.kernels.hmm.problem import HmmProblem
from antidiag.kernels.hmm.sums import underflow
from antidiag.kernels.hmm.sums.cuda_rows import Letters, both_rows, forward_rows, letters_of, of_product, on_device
from antidiag.kernels.hmm.sums.problem import (
    Counts,
    EvaluationAnswer,
    LearningProblem,
    PosteriorAnswer,
    cannot_emit,
    learned,
)
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor, Silent
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Steps

THREADS = 128
PAIR_SIDE = 16
SUMS = (Constants.of(SIDE=PAIR_SIDE), Path(__file__).with_name("sums.cu"))


class Batch(NamedTuple):
    """Sequences that are counted together."""

    parts: Sequence[HmmProblem]
    letters: Letters


def hmm_forward(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The probability of a sequence, over all paths."""
    run = Run(monitor, steps, rows=problem.states)
    if not problem.n:
        return Outcome(EvaluationAnswer(0.0), run.times_ms)
    hmm, letters, piece = problem.hmm, letters_of([problem]), typed(HmmParameters, parameters).piece
    if problem.states <= cuda_sizes.FEW:
        found = of_product(hmm, letters, run, piece, int(problem.observations[-1]))
    else:
        found = _probability(hmm, letters, run, piece)
    notes = underflow.noted(problem, found, monitor)
    run.settle()
    return Outcome(EvaluationAnswer(found), run.times_ms, 2 * problem.n, run.device_bytes, notes)


def hmm_posterior(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The probability of every state at every letter, given the whole sequence."""
    run = Run(monitor, steps, rows=problem.states)
    if not problem.n:
        return Outcome(PosteriorAnswer(0.0, np.empty((0, problem.states))), run.times_ms)
    piece = typed(HmmParameters, parameters).piece
    rows = forward_rows(problem.hmm, letters_of([problem]), run, piece)
    with leaving(run, (problem.n, problem.states), np.dtype(np.float64)) as answer:
        forward, evidence, backward = both_rows(rows, piece, _evidence)
        found = evidence.added()
        notes = underflow.noted(problem, found, monitor)
        backward.finish()
        if found > -np.inf:
            arrays = forward.rows, backward.model.rows, forward.emissions, forward.seen, forward.starts
            _by_letter(forward, "posterior", "posterior", arrays)
            answer.fetch(forward.rows)
    run.settle()
    if found == -np.inf:
        return Outcome(PosteriorAnswer(found, None), run.times_ms, problem.n, run.device_bytes, notes)
    posterior = answer.numbers
    return Outcome(PosteriorAnswer(found, posterior), run.times_ms, posterior.nbytes, run.device_bytes, notes)


def hmm_baum_welch(problem: LearningProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """A model that makes the sequences more probable; InputError where the first model cannot emit one of them."""
    run, piece = Run(monitor, steps, rows=len(problem.hmm)), typed(HmmParameters, parameters).piece
    batches = []
    for numbers in cuda_sizes.batches([len(each) for each in problem.sequences], len(problem.hmm)):
        parts = [HmmProblem(problem.hmm, problem.sequences[number], problem.unknown) for number in numbers]
        batches.append(Batch(parts, on_device(parts, run)))

    def count(hmm: Hmm, part: Monitor, number: int) -> Counts:
        run.monitor = Silent(part)
        return _counted(batches, hmm, run, piece)

    notes: list[str] = []

    def note() -> None:
        if not all(map(vanishing.bounded, problem.parts)):
            notes.append(underflow.NOTE)

    run.meanwhile(note)
    found = learned(problem, count, monitor, run.timed)
    run.settle()
    return Outcome(found, run.times_ms, 2 * problem.letters, run.device_bytes, tuple(notes))


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
    with model.run.phase(phase, ahead=SHORT_AHEAD, waits=False) as launches:
        kernel((_teams(model, length) * team // THREADS,), (THREADS,), (*arrays, *sizes))
        launches.launched(n, n)


def _teams(model: Model, length: int) -> int:
    """Teams that take a slice of the letters each, in whole blocks."""
    block = THREADS // cuda_sizes.team(model.states)
    slices = -(-model.letters // length)
    return -(-slices // block) * block


def _probability(hmm: Hmm, letters: Letters, run: Run, piece: int) -> float:
    """The logarithm of the probability of all letters."""
    forward = forward_rows(hmm, letters, run, piece)
    forward.finish()
    return _evidence(forward.model).added()


class Evidence(NamedTuple):
    """Logarithms on the device, which add up to that of the probability of all letters; ``there`` after an event."""

    logarithms: cupy.ndarray
    there: cupy.cuda.Event

    def added(self) -> float:
        """Their sum; what was queued behind them is not waited for."""
        self.there.synchronize()
        return float(self.logarithms.get(stream=cupy.cuda.Stream.null).sum())


def _evidence(model: Model) -> Evidence:
    """From forward rows, the probability of all letters."""
    logarithms = cupy.zeros(_teams(model, cuda_sizes.slice_letters(model.letters)))
    arrays = (model.rows, model.emissions, model.seen, model.starts, model.sums,
              np.float64(model.initial.sum() / model.one), logarithms)  # fmt: skip
    _by_letter(model, "forward", "evidence", arrays)
    return Evidence(logarithms, recorded(cupy.cuda.get_current_stream()))


def _counted(batches: Sequence[Batch], hmm: Hmm, run: Run, piece: int) -> Counts:
    """What all sequences count under a model, a batch of them at a time."""
    states, symbols = len(hmm), len(hmm.alphabet)
    total, sums = 0.0, np.zeros(1)
    for batch in batches:
        logarithm, counts = _counted_together(batch, hmm, run, piece)
        total, sums = total + logarithm, run.down(counts) + sums
    pairs, letters = sums[: states**2].reshape(states, states), sums[states**2 :].reshape(symbols + 2, states)
    return total, letters[-1], pairs * hmm.transitions, letters[:symbols].T


def _counted_together(batch: Batch, hmm: Hmm, run: Run, piece: int) -> tuple[float, cupy.ndarray]:
    rows = forward_rows(hmm, batch.letters, run, piece)
    forward, evidence, backward = both_rows(rows, piece, _evidence)
    found = evidence.added()
    backward.finish()
    if found == -np.inf:
        del rows, forward, backward  # whose memory is wanted
        _refuse(batch, hmm, run, piece)
    return found, _counts(forward, backward.model, hmm)


def _refuse(batch: Batch, hmm: Hmm, run: Run, piece: int) -> NoReturn:
    """InputError that names the first sequence that the model cannot emit."""
    for part in batch.parts:
        if _probability(hmm, letters_of([part]), run, piece) == -np.inf:
            raise cannot_emit(part)
    raise AssertionError("every sequence is possible, and all of them together are not")


def _counts(forward: Model, backward: Model, hmm: Hmm) -> cupy.ndarray:
    """Expected counts of transitions (before they are multiplied by T) and, behind them, of letters by state.

    After the letters of the alphabet, one that was not seen and the first letters of the sequences are counted.
    """
    states, n = forward.states, forward.letters
    symbols = len(hmm.alphabet) + 2
    length = cuda_sizes.slice_letters(n, 8 * symbols * states)
    tables = cupy.zeros((_teams(forward, length), symbols * states))
    arrays = (forward.rows, backward.rows, forward.emissions, forward.seen, forward.starts, forward.sums,
              tables)  # fmt: skip
    _by_letter(forward, "counts", "factors", arrays, length, (symbols,))
    found = forward.run.empty(states * (states + symbols), np.float64)
    _add_up(forward, _pairs(forward, backward), found[: states**2])
    _add_up(forward, tables, found[states**2 :])
    return found


def _pairs(forward: Model, backward: Model) -> cupy.ndarray:
    """Sums over the letters of each slice, a row of states x states numbers a slice."""
    states, n, per = forward.states, forward.letters, cuda_sizes.pairs_per_thread(forward.states)
    slices = cuda_sizes.pair_slices(states, n)
    tables, tiles = cupy.empty((slices, states**2)), -(-states // (PAIR_SIDE * per))
    kernel, sizes = _kernel(forward, "pairs"), [np.int32(size) for size in (states, n, -(-n // slices))]
    band = min(tiles, max(1, cuda_sizes.PAIR_CELLS // (n * states * PAIR_SIDE * per)))
    with forward.run.phase("counts", waits=False) as phase:
        for first in range(0, tiles, band):
            count = min(band, tiles - first)
            arguments = forward.rows, backward.rows, tables, *sizes, np.int32(first)
            kernel((tiles, count, slices), (PAIR_SIDE**2,), arguments)
            phase.launched(first + count, tiles)
    return tables


def _add_up(model: Model, tables: cupy.ndarray, total: cupy.ndarray) -> None:
    """The sum of the rows."""
    many, size = (int(length) for length in tables.shape)
    kernel = _kernel(model, "add_up")
    with model.run.phase("counts", ahead=SHORT_AHEAD, waits=False) as phase:
        kernel((-(-size // cuda_sizes.WARP),), (256,), (tables, total, np.int32(size), np.int32(many)))
        phase.launched()
