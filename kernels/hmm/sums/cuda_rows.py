"""Forward and backward rows on the GPU: probabilities up to a factor, from products of matrices or from guesses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import cupy
import numpy as np

from antidiag.kernels.cuda import transfers
from antidiag.kernels.cuda.run import Phase, Run
from antidiag.kernels.hmm import cuda_sizes
from antidiag.kernels.hmm.cuda_rows import Correction, Model, Pieces
from antidiag.kernels.hmm.hmm import Hmm
from antidiag.kernels.hmm.problem import HmmProblem
from antidiag.kernels.semiring import PLUS_TIMES

Made = TypeVar("Made")
TREE = (Path(__file__).with_name("sum_tree.cu"),)


class Letters(NamedTuple):
    """Sequences one after another: a symbol a letter; marks of first letters, and after the last one.

    Those on the host come to the device with the first model that they are seen with.
    """

    seen: np.ndarray | cupy.ndarray
    starts: np.ndarray | cupy.ndarray


def letters_of(parts: Sequence[HmmProblem]) -> Letters:
    """The letters of these sequences, none of which is empty, on the host."""
    seen = np.concatenate([part.observations for part in parts])
    starts = np.zeros(len(seen) + 1, np.uint8)
    starts[np.cumsum([0, *(part.n for part in parts)])] = 1
    return Letters(seen, starts)


def on_device(parts: Sequence[HmmProblem], run: Run) -> Letters:
    """The letters of these sequences on the device."""
    return _brought(letters_of(parts), run)[0]


def _brought(letters: Letters, run: Run, *others: np.ndarray) -> tuple[Letters, tuple[cupy.ndarray, ...]]:
    """Letters on the device, and other arrays, by one transfer where all are small."""
    if not isinstance(letters.seen, np.ndarray):
        return letters, run.upload(*others)
    if letters.seen.nbytes > transfers.DIRECT:
        return Letters(*map(run.up, letters)), run.upload(*others) if others else ()
    seen, starts, *arrays = run.upload(*letters, *others)
    return Letters(seen, starts), tuple(arrays)


class Rows(NamedTuple):
    """Rows of a model that are being computed: what is queued behind them is right unless `finish` says otherwise."""

    model: Model
    correction: Correction | None = None

    def finish(self) -> bool:
        """Wait until the rows are right, and say whether they were not after what was queued at first."""
        return self.correction is not None and self.correction.finish()


def forward_rows(hmm: Hmm, letters: Letters, run: Run, piece: int) -> Rows:
    """The model on the device, with forward rows: that of letter k is before what k emits."""
    return _filled(_model(hmm, letters, run, cupy.empty((len(letters.seen), len(hmm)))), piece)


def both_rows(forward: Rows, piece: int, between: Callable[[Model], Made]) -> tuple[Model, Made, Rows]:
    """Forward rows, what is made ``between``, by something queued, of these, and backward rows, not finished yet.

    All is queued before anything is waited for, so that the device does not; it is made again where forward rows were
    not right by then.
    """
    model = forward.model
    made, backward = between(model), _backward_rows(model, piece)
    if forward.finish():
        made, backward = between(model), _backward_rows(model, piece)
    return model, made, backward


def _backward_rows(forward: Model, piece: int) -> Rows:
    """Backward rows over the reversed sequence: row m is of letter n - 1 - m, after what that letter emits."""
    assert forward.seam is not None
    model = replace(
        forward, transitions=forward.columns, columns=forward.transitions, initial=np.full(forward.states, forward.one),
        rows=cupy.empty_like(forward.rows), seen=cupy.ascontiguousarray(forward.seen[::-1]),
        seam=cupy.ascontiguousarray(forward.seam[::-1]), reached=forward.rows, name="backward",
    )  # fmt: skip
    return _filled(model, piece)


def of_product(hmm: Hmm, letters: Letters, run: Run, piece: int, last: int) -> float:
    """The logarithm of the probability of one sequence from the product of all its matrices: no row is kept.

    ``last`` is its last symbol.
    """
    emission = hmm.emissions[:, last] if last < len(hmm.alphabet) else np.ones(len(hmm))
    numbers, exponents = np.eye(len(hmm)), np.zeros(len(hmm))
    model = _model(hmm, letters, run, cupy.empty((0, len(hmm))))
    if model.steps:
        length = min(piece, model.steps)
        root = _products(model, length)[-1]
        numbers, exponents = (run.down(array) for array in root)
        exponents = exponents - float(cuda_sizes.RAISED * -(-model.steps // length))
    with np.errstate(divide="ignore"):
        logarithms = np.log(hmm.initial) + np.log(numbers @ emission)
    return float(np.logaddexp.reduce(logarithms + exponents * np.log(2)))


def _model(hmm: Hmm, letters: Letters, run: Run, rows: cupy.ndarray) -> Model:
    emissions = np.vstack([hmm.emissions.T, np.ones(len(hmm))])
    seam, one = np.stack([np.ones(len(hmm)), hmm.initial]), 2.0**cuda_sizes.RAISED
    units = np.eye(len(hmm)) * one if len(hmm) <= cuda_sizes.FEW else np.empty((0, 0))
    parts = hmm.transitions, emissions, seam, hmm.transitions.sum(axis=1), units
    letters, (ways, emitted, seams, sums, products) = _brought(letters, run, *parts)
    return Model(run, len(hmm), len(letters.seen), PLUS_TIMES, np.dtype(np.float64), ways,
                 cupy.ascontiguousarray(ways.T), emitted, letters.seen, rows, hmm.initial * one, starts=letters.starts,
                 seam=seams, sums=sums, units=products, name="forward")  # fmt: skip


def _filled(model: Model, piece: int) -> Rows:
    """All rows of a model: from products of matrices where those are small, else from guesses that are corrected."""
    model.rows[:1].set(model.initial[None])
    if not model.steps:
        return Rows(model)
    if model.states > cuda_sizes.FEW:
        return Rows(model, Correction(model, piece))
    length = min(piece, model.steps)
    starts = _starts(model, _products(model, length)[:-1])
    Pieces(model, starts, length).advance()
    return Rows(model)


Level = tuple[cupy.ndarray, cupy.ndarray]
"""Matrices one below another, and an exponent of two for each of their rows."""


def _products(model: Model, length: int) -> list[Level]:
    """The products of pieces of so many letters, those of pairs of them, and so on up to that of all."""
    states, count = model.states, -(-model.steps // length)
    units = cupy.tile(model.units, (count, 1))
    leaves = Pieces(model, units, length, repeat=states, keep=False, normalise=cuda_sizes.UP_TO_A_POWER)
    leaves.advance()
    levels = [(leaves.current, leaves.exponents)]
    kernel = model.run.kernel(TREE, "join", RAISED=cuda_sizes.RAISED)
    with model.run.phase(model.name, waits=False) as phase:
        while count > 1:
            levels.append(_joined(model, kernel, phase, levels[-1], count))
            count = -(-count // 2)
        phase.launched()
    return levels


def _joined(model: Model, kernel: Any, phase: Phase, below: Level, nodes: int) -> Level:
    """The products of pairs of nodes, a level up in the tree; a level of one launch, which is short, is not told of."""
    states, halves = model.states, -(-nodes // 2)
    above = model.run.empty((halves * states, states), np.float64), model.run.empty(halves * states, np.int64)
    several = _several(states)
    if halves <= several:
        kernel((halves, states), (model.threads,), (*below, *above, np.int32(nodes), np.int32(states)))
        return above
    for first in range(0, halves, several):
        count = min(several, halves - first)
        parts = *(part[2 * first * states :] for part in below), *(part[first * states :] for part in above)
        kernel((count, states), (model.threads,), (*parts, np.int32(nodes - 2 * first), np.int32(states)))
        phase.launched(first + count, halves)
    return above


def _several(states: int) -> int:
    """Products of a launch of a fraction of a second."""
    return max(1, cuda_sizes.SCALED_AND_JOINED // states**3)


def _starts(model: Model, levels: list[Level]) -> cupy.ndarray:
    """The rows that pieces start from, from the levels of the tree below its root."""
    states, starts = model.states, model.rows[:1].copy()
    kernel = model.run.kernel(TREE, "descend", RAISED=cuda_sizes.RAISED)
    with model.run.phase(model.name, waits=False) as phase:
        for level in levels[::-1]:
            nodes = len(level[1]) // states
            below = model.run.empty((nodes, states), np.float64)
            kernel((nodes,), (model.threads,), (starts, *level, below, np.int32(states)))
            starts = below
        phase.launched()
    return starts
