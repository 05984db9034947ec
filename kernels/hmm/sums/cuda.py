"""Evaluation, posterior and learning on the GPU."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import cupy
import numpy as np

from antidiag.kernels.cuda.run import SHORT_AHEAD, DeviceRun
from antidiag.kernels.cuda.structs import DeviceConstants
from antidiag.kernels.hmm.model.hmm import Hmm
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.model.underflow import cannot_underflow
from antidiag.kernels.hmm.parameters import SumParameters
from antidiag.kernels.hmm.rows import cuda_sizes
from antidiag.kernels.hmm.rows.cuda_rows import DeviceModel
from antidiag.kernels.hmm.sums import extended_range
from antidiag.kernels.hmm.sums.cuda_forward_backward import (
    LetterSequence,
    compute_both_rows,
    compute_forward_rows,
    compute_product_probability,
    join_letters,
    upload_letters,
)
from antidiag.kernels.hmm.sums.problem import (
    EvaluationAnswer,
    ExpectedCounts,
    LearningProblem,
    PosteriorAnswer,
    impossible_sequence_error,
    learn_model,
)
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import CancelOnlyMonitor, Monitor
from antidiag.kernels.steps import StepLog

THREADS = 128
PAIR_SIDE = 16
SUM_SOURCES = (DeviceConstants.from_values(SIDE=PAIR_SIDE), Path(__file__).with_name("sums.cu"))


class LearningBatch(NamedTuple):
    """Sequences that are counted together."""

    parts: Sequence[HmmProblem]
    letters: LetterSequence


def hmm_forward(problem: HmmProblem, parameters: SumParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Compute the probability of a sequence, over all paths."""
    run = DeviceRun(monitor, steps, rows=problem.states)
    if not problem.n:
        return Outcome(EvaluationAnswer(0.0), run.times_ms)
    hmm, letters, piece = problem.hmm, join_letters([problem]), parameters.piece
    if problem.states <= cuda_sizes.FEW_STATES:
        found = compute_product_probability(hmm, letters, run, piece, int(problem.observations[-1]))
    else:
        found = _compute_log_probability(hmm, letters, run, piece)
    notes = _check_probability(run, problem, found)
    run.finish_pending()
    return Outcome(EvaluationAnswer(found), run.times_ms, 2 * problem.n, run.device_bytes, notes)


def hmm_posterior(problem: HmmProblem, parameters: SumParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Compute the probability of every state at every letter, given the whole sequence."""
    run = DeviceRun(monitor, steps, rows=problem.states)
    if not problem.n:
        return Outcome(PosteriorAnswer(0.0, np.empty((0, problem.states))), run.times_ms)
    piece = parameters.piece
    posterior = np.empty((problem.n, problem.states))
    rows = compute_forward_rows(problem.hmm, join_letters([problem]), run, piece)
    forward, evidence, backward = compute_both_rows(rows, piece, _queue_evidence)
    found = evidence.sum_logarithms()
    notes = _check_probability(run, problem, found)
    backward.finish()
    if found > -np.inf:
        arrays = forward.rows, backward.model.rows, forward.emissions, forward.seen, forward.starts
        _launch_by_letter(forward, "posterior", "posterior", arrays)
        run.download_array(forward.rows, posterior)
    run.finish_pending()
    answer = PosteriorAnswer(found, posterior if found > -np.inf else None)
    return Outcome(answer, run.times_ms, posterior.nbytes, run.device_bytes, notes)


def _check_probability(run: DeviceRun, problem: HmmProblem, found: float) -> tuple[str, ...]:
    """Compare a logarithm of a probability with that of the CPU; return a note where that would take too long."""
    if not cannot_underflow(problem):
        run.compile_host_code(extended_range.compile_extended_range)
    return extended_range.check_gpu_probability(problem, found, run.monitor)


def hmm_baum_welch(problem: LearningProblem, parameters: SumParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Learn a model that makes the sequences more probable; InputError where it cannot emit one of them."""
    run, piece = DeviceRun(monitor, steps, rows=len(problem.hmm)), parameters.piece
    batches = []
    for numbers in cuda_sizes.group_sequences([len(each) for each in problem.sequences], len(problem.hmm)):
        parts = [HmmProblem(problem.hmm, problem.sequences[number], problem.unknown) for number in numbers]
        batches.append(LearningBatch(parts, upload_letters(parts, run)))

    def count(hmm: Hmm, part: Monitor, number: int) -> ExpectedCounts:
        run.monitor = CancelOnlyMonitor(part)
        return _count_batches(batches, hmm, run, piece)

    found = learn_model(problem, count, monitor, run.time_phase)
    run.finish_pending()
    longest = max(problem.parts, key=lambda part: part.n)
    notes = () if cannot_underflow(longest) else (extended_range.LOST_STATES_NOTE,)
    return Outcome(found, run.times_ms, 2 * problem.letters, run.device_bytes, notes)


def _compile_kernel(model: DeviceModel, name: str) -> Any:
    """Compile a kernel of sums.cu for a model."""
    team, per = cuda_sizes.count_team_lanes(model.states), cuda_sizes.count_thread_pairs(model.states)
    return model.run.compile_kernel(SUM_SOURCES, name, TEAM=team, PER=per, RAISED=cuda_sizes.SCALE_EXPONENT)


def _launch_by_letter(
    model: DeviceModel, phase: str, name: str, arrays: tuple[Any, ...], length: int = 0, last: tuple[int, ...] = ()
) -> None:
    """Launch a kernel whose teams take a slice of the letters each, of ``length`` letters or as usual (0)."""
    team, n = cuda_sizes.count_team_lanes(model.states), model.letters
    length = length or cuda_sizes.count_slice_letters(n)
    kernel, sizes = _compile_kernel(model, name), map(np.int32, (model.states, n, length, *last))
    with model.run.begin_phase(phase, ahead=SHORT_AHEAD, waits=False) as launches:
        kernel((_count_teams(model, length) * team // THREADS,), (THREADS,), (*arrays, *sizes))
        launches.note_launch(n, n)


def _count_teams(model: DeviceModel, length: int) -> int:
    """Return how many teams take a slice of the letters each, in whole blocks."""
    block = THREADS // cuda_sizes.count_team_lanes(model.states)
    slices = -(-model.letters // length)
    return -(-slices // block) * block


def _compute_log_probability(hmm: Hmm, letters: LetterSequence, run: DeviceRun, piece: int) -> float:
    """Compute the logarithm of the probability of all letters."""
    forward = compute_forward_rows(hmm, letters, run, piece)
    forward.finish()
    return _queue_evidence(forward.model).sum_logarithms()


class DeviceEvidence(NamedTuple):
    """Logarithms on the device that add up to that of the probability of all letters; complete after the event
    ``there``.
    """

    logarithms: cupy.ndarray
    ready_event: cupy.cuda.Event

    def sum_logarithms(self) -> float:
        """Return their sum, without waiting for what was queued behind them."""
        self.ready_event.synchronize()
        return float(self.logarithms.get(stream=cupy.cuda.Stream.null).sum())


def _queue_evidence(model: DeviceModel) -> DeviceEvidence:
    """Queue the probability of all letters, from forward rows."""
    logarithms = model.run.allocate_filled(
        _count_teams(model, cuda_sizes.count_slice_letters(model.letters)), np.float64
    )
    arrays = model.rows, model.emissions, model.seen, model.starts, model.row_sums
    initial_sum = np.float64(model.initial.sum() / model.unit_value)
    _launch_by_letter(model, "forward", "evidence", (*arrays, initial_sum, logarithms))
    return DeviceEvidence(logarithms, cupy.cuda.get_current_stream().record())


def _count_batches(batches: Sequence[LearningBatch], hmm: Hmm, run: DeviceRun, piece: int) -> ExpectedCounts:
    """Count all sequences under a model, one batch at a time."""
    states, symbols = len(hmm), len(hmm.alphabet)
    total, sums = 0.0, np.zeros(1)
    for batch in batches:
        logarithm, counts = _count_batch(batch, hmm, run, piece)
        total, sums = total + logarithm, run.download_array(counts) + sums
    pairs, letters = sums[: states**2].reshape(states, states), sums[states**2 :].reshape(symbols + 2, states)
    return total, letters[-1], pairs * hmm.transitions, letters[:symbols].T


def _count_batch(batch: LearningBatch, hmm: Hmm, run: DeviceRun, piece: int) -> tuple[float, cupy.ndarray]:
    """Count one batch under a model."""
    rows = compute_forward_rows(hmm, batch.letters, run, piece)
    forward, evidence, backward = compute_both_rows(rows, piece, _queue_evidence)
    found = evidence.sum_logarithms()
    backward.finish()
    if found == -np.inf:
        del rows, forward, backward  # whose memory is wanted
        _refuse_impossible(batch, hmm, run, piece)
    return found, _sum_expected_counts(forward, backward.model, hmm)


def _refuse_impossible(batch: LearningBatch, hmm: Hmm, run: DeviceRun, piece: int) -> NoReturn:
    """InputError that names the first sequence that the model cannot emit."""
    for part in batch.parts:
        if _compute_log_probability(hmm, join_letters([part]), run, piece) == -np.inf:
            raise impossible_sequence_error(part)
    raise AssertionError("every sequence is possible, and all of them together are not")


def _sum_expected_counts(forward: DeviceModel, backward: DeviceModel, hmm: Hmm) -> cupy.ndarray:
    """Queue expected counts of transitions (before they are multiplied by T) and, behind them, of letters by state.

    After the letters of the alphabet, unobserved letters and the first letters of the sequences are counted.
    """
    states, n = forward.states, forward.letters
    symbols = len(hmm.alphabet) + 2
    length = cuda_sizes.count_slice_letters(n, 8 * symbols * states)
    tables = forward.run.allocate_filled((_count_teams(forward, length), symbols * states), np.float64)
    arrays = forward.emissions, forward.seen, forward.starts, forward.row_sums, tables
    _launch_by_letter(forward, "counts", "factors", (forward.rows, backward.rows, *arrays), length, (symbols,))
    found = forward.run.allocate_array(states * (states + symbols), np.float64)
    _sum_tables(forward, _sum_pairs(forward, backward), found[: states**2])
    _sum_tables(forward, tables, found[states**2 :])
    return found


def _sum_pairs(forward: DeviceModel, backward: DeviceModel) -> cupy.ndarray:
    """Queue sums over the letters of each slice, a row of states x states numbers per slice."""
    states, n, per = forward.states, forward.letters, cuda_sizes.count_thread_pairs(forward.states)
    slices = cuda_sizes.count_pair_slices(states, n)
    tables, tiles = forward.run.allocate_array((slices, states**2), np.float64), -(-states // (PAIR_SIDE * per))
    kernel, sizes = _compile_kernel(forward, "pairs"), [np.int32(size) for size in (states, n, -(-n // slices))]
    band = min(tiles, max(1, cuda_sizes.PAIR_CELLS // (n * states * PAIR_SIDE * per)))
    with forward.run.begin_phase("counts", waits=False) as phase:
        for first in range(0, tiles, band):
            count = min(band, tiles - first)
            arguments = forward.rows, backward.rows, tables, *sizes, np.int32(first)
            kernel((tiles, count, slices), (PAIR_SIDE**2,), arguments)
            phase.note_launch(first + count, tiles)
    return tables


def _sum_tables(model: DeviceModel, tables: cupy.ndarray, total: cupy.ndarray) -> None:
    """Queue the sum of the rows of ``tables``."""
    many, size = (int(length) for length in tables.shape)
    kernel = _compile_kernel(model, "add_up")
    with model.run.begin_phase("counts", ahead=SHORT_AHEAD, waits=False) as phase:
        kernel((-(-size // cuda_sizes.WARP),), (256,), (tables, total, np.int32(size), np.int32(many)))
        phase.note_launch()
