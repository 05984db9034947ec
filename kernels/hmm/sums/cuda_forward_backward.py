"""Forward and backward rows on the GPU: probabilities up to a factor, from products of matrices or from guesses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import cupy
import numpy as np

from antidiag.kernels.cuda import pinned_transfers
from antidiag.kernels.cuda.run import DeviceRun, LaunchPhase
from antidiag.kernels.hmm.model.hmm import Hmm
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.rows import cuda_sizes
from antidiag.kernels.hmm.rows.cuda_rows import DeviceModel, PieceCorrection, PieceSweep
from antidiag.kernels.semiring import PLUS_TIMES

Evaluation = TypeVar("Evaluation")
TREE_SOURCES = (Path(__file__).with_name("sum_tree.cu"),)


class LetterSequence(NamedTuple):
    """Concatenated sequences: a symbol per letter; marks of first letters, and one behind the last letter.

    Arrays on the host are uploaded with the first model that uses them.
    """

    seen: np.ndarray | cupy.ndarray
    starts: np.ndarray | cupy.ndarray


def join_letters(parts: Sequence[HmmProblem]) -> LetterSequence:
    """Concatenate the letters of these sequences, none of which is empty, on the host."""
    seen = np.concatenate([part.observations for part in parts])
    starts = np.zeros(len(seen) + 1, np.uint8)
    starts[np.cumsum([0, *(part.n for part in parts)])] = 1
    return LetterSequence(seen, starts)


def upload_letters(parts: Sequence[HmmProblem], run: DeviceRun) -> LetterSequence:
    """Upload the letters of these sequences."""
    return _upload_arrays(join_letters(parts), run)[0]


def _upload_arrays(
    letters: LetterSequence, run: DeviceRun, *others: np.ndarray
) -> tuple[LetterSequence, tuple[cupy.ndarray, ...]]:
    """Upload letters and other arrays, by one transfer where all are small."""
    if not isinstance(letters.seen, np.ndarray):
        return letters, run.upload_together(*others)
    if letters.seen.nbytes > pinned_transfers.SMALL_BYTES:
        return LetterSequence(*map(run.upload_array, letters)), run.upload_together(*others) if others else ()
    seen, starts, *arrays = run.upload_together(*letters, *others)
    return LetterSequence(seen, starts), tuple(arrays)


class PendingRows(NamedTuple):
    """Rows of a model that are being computed: what is queued behind them is right unless `finish` returns True."""

    model: DeviceModel
    correction: PieceCorrection | None = None

    def finish(self) -> bool:
        """Wait until the rows are right, and return whether corrections were needed after what was queued at first."""
        return self.correction is not None and self.correction.finish()


def compute_forward_rows(hmm: Hmm, letters: LetterSequence, run: DeviceRun, piece: int) -> PendingRows:
    """Queue the forward rows of a model: the row of letter k is before what k emits."""
    return _fill_rows(
        _upload_model(hmm, letters, run, run.allocate_array((len(letters.seen), len(hmm)), np.float64)), piece
    )


def compute_both_rows(
    forward: PendingRows, piece: int, evaluate: Callable[[DeviceModel], Evaluation]
) -> tuple[DeviceModel, Evaluation, PendingRows]:
    """Queue forward rows, what ``between`` queues from them, and backward rows, which are not finished yet.

    All is queued before anything is waited for, so that the device stays busy; it is queued again where forward rows
    were corrected meanwhile.
    """
    model = forward.model
    made, backward = evaluate(model), _compute_backward_rows(model, piece)
    if forward.finish():
        made, backward = evaluate(model), _compute_backward_rows(model, piece)
    return model, made, backward


def _compute_backward_rows(forward: DeviceModel, piece: int) -> PendingRows:
    """Queue backward rows over the reversed sequence: row m is of letter n - 1 - m, after what it emits."""
    assert forward.seam is not None
    model = replace(
        forward,
        transitions=forward.columns,
        columns=forward.transitions,
        initial=np.full(forward.states, forward.unit_value),
        rows=forward.run.allocate_array(forward.rows.shape, np.float64),
        seen=cupy.ascontiguousarray(forward.seen[::-1]),
        seam=cupy.ascontiguousarray(forward.seam[::-1]),
        reached=forward.rows,
        phase_name="backward",
    )
    return _fill_rows(model, piece)


def compute_product_probability(
    hmm: Hmm, letters: LetterSequence, run: DeviceRun, piece: int, last_symbol: int
) -> float:
    """Compute the logarithm of the probability of one sequence from the product of its matrices; no row is kept.

    ``last`` is its last symbol.
    """
    emission = hmm.emissions[:, last_symbol] if last_symbol < len(hmm.alphabet) else np.ones(len(hmm))
    numbers, exponents = np.eye(len(hmm)), np.zeros(len(hmm))
    model = _upload_model(hmm, letters, run, run.allocate_array((0, len(hmm)), np.float64))
    if model.step_count:
        length = min(piece, model.step_count)
        root = _multiply_pieces(model, length)[-1]
        numbers, exponents = (run.download_array(array) for array in root)
        exponents = exponents - float(cuda_sizes.SCALE_EXPONENT * -(-model.step_count // length))
    with np.errstate(divide="ignore"):
        logarithms = np.log(hmm.initial) + np.log(numbers @ emission)
    return float(np.logaddexp.reduce(logarithms + exponents * np.log(2)))


def _upload_model(hmm: Hmm, letters: LetterSequence, run: DeviceRun, rows: cupy.ndarray) -> DeviceModel:
    """Upload a model, and its letters where they are on the host."""
    emissions = np.vstack([hmm.emissions.T, np.ones(len(hmm))])
    seam, one = np.stack([np.ones(len(hmm)), hmm.initial]), 2.0**cuda_sizes.SCALE_EXPONENT
    units = np.eye(len(hmm)) * one if len(hmm) <= cuda_sizes.FEW_STATES else np.empty((0, 0))
    parts = hmm.transitions, emissions, seam, hmm.transitions.sum(axis=1), units
    letters, (transitions, emitted, seams, sums, products) = _upload_arrays(letters, run, *parts)
    return DeviceModel(
        run,
        states=len(hmm),
        letters=len(letters.seen),
        semiring=PLUS_TIMES,
        dtype=np.dtype(np.float64),
        transitions=transitions,
        columns=cupy.ascontiguousarray(transitions.T),
        emissions=emitted,
        seen=letters.seen,
        rows=rows,
        initial=hmm.initial * one,
        starts=letters.starts,
        seam=seams,
        row_sums=sums,
        identity_matrix=products,
        phase_name="forward",
    )


def _fill_rows(model: DeviceModel, piece: int) -> PendingRows:
    """Compute all rows: from products of matrices where those are small, otherwise from guesses that are corrected."""
    model.rows[:1].set(model.initial[None])
    if not model.step_count:
        return PendingRows(model)
    if model.states > cuda_sizes.FEW_STATES:
        return PendingRows(model, PieceCorrection(model, piece))
    length = min(piece, model.step_count)
    starts = _compute_piece_starts(model, _multiply_pieces(model, length)[:-1])
    PieceSweep(model, starts, length).advance()
    return PendingRows(model)


TreeLevel = tuple[cupy.ndarray, cupy.ndarray]
"""Matrices one below another, and an exponent of two for each of their rows."""


def _multiply_pieces(model: DeviceModel, length: int) -> list[TreeLevel]:
    """Multiply the matrices of pieces of so many letters, of pairs of pieces, and so on up to all."""
    states, count = model.states, -(-model.step_count // length)
    units = cupy.tile(model.identity_matrix, (count, 1))
    leaves = PieceSweep(model, units, length, repeat=states, keep=False, normalise=cuda_sizes.SCALED_BY_POWER)
    leaves.advance()
    levels = [(leaves.current, leaves.exponents)]
    kernel = model.run.compile_kernel(TREE_SOURCES, "join", RAISED=cuda_sizes.SCALE_EXPONENT)
    with model.run.begin_phase(model.phase_name, waits=False) as phase:
        while count > 1:
            levels.append(_join_products(model, kernel, phase, levels[-1], count))
            count = -(-count // 2)
        phase.note_launch()
    return levels


def _join_products(model: DeviceModel, kernel: Any, phase: LaunchPhase, below: TreeLevel, nodes: int) -> TreeLevel:
    """Multiply pairs of nodes, one level up in the tree."""
    states, halves = model.states, -(-nodes // 2)
    above = (
        model.run.allocate_array((halves * states, states), np.float64),
        model.run.allocate_array(halves * states, np.int64),
    )
    several = _count_launch_products(states)
    if halves <= several:
        kernel((halves, states), (model.block_threads,), (*below, *above, np.int32(nodes), np.int32(states)))
        return above
    for first in range(0, halves, several):
        count = min(several, halves - first)
        parts = *(part[2 * first * states :] for part in below), *(part[first * states :] for part in above)
        kernel((count, states), (model.block_threads,), (*parts, np.int32(nodes - 2 * first), np.int32(states)))
        phase.note_launch(first + count, halves)
    return above


def _count_launch_products(states: int) -> int:
    """Return the products of a launch of a fraction of a second."""
    return max(1, cuda_sizes.SCALED_JOIN_SUMS // states**3)


def _compute_piece_starts(model: DeviceModel, levels: list[TreeLevel]) -> cupy.ndarray:
    """Compute the rows that pieces start from, from the levels of the tree below its root."""
    states, starts = model.states, model.rows[:1].copy()
    kernel = model.run.compile_kernel(TREE_SOURCES, "descend", RAISED=cuda_sizes.SCALE_EXPONENT)
    with model.run.begin_phase(model.phase_name, waits=False) as phase:
        for level in levels[::-1]:
            nodes = len(level[1]) // states
            below = model.run.allocate_array((nodes, states), np.float64)
            kernel((nodes,), (model.block_threads,), (starts, *level, below, np.int32(states)))
            starts = below
        phase.note_launch()
    return starts
