"""How methods that take an alignment are tried: rows with gaps put in by chance, with or without sequences to add."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.method import Method, ProblemType
from antidiag.kernels.model import Sequence
from antidiag.kernels.msa import trials
from antidiag.kernels.msa.consistency import given
from antidiag.kernels.msa.consistency.given import GivenProblem
from antidiag.kernels.msa.problem import MsaAnswer
from antidiag.kernels.trials import Choose, Run, Trials


def gapped(sequences: tuple[Sequence, ...], random: np.random.Generator, more: int = 3) -> AlignedSequences:
    """The sequences as rows, ``more`` columns longer than the longest, the gaps anywhere."""
    columns = max(map(len, sequences)) + more
    letters = np.full((len(sequences), columns), GAP, np.uint8)
    places = random.permuted(np.tile(np.arange(columns), (len(sequences), 1)), axis=1)
    letters[places < np.array([[len(one)] for one in sequences])] = np.concatenate([one.array for one in sequences])
    letters.setflags(write=False)
    return AlignedSequences(tuple(one.name for one in sequences), letters, sequences[0].type)


def _added(kind: ProblemType) -> bool:
    return given.ADDED in kind.inputs


def _data(kind: ProblemType, sequences: tuple[Sequence, ...], random: np.random.Generator) -> tuple[Any, ...]:
    """An alignment of the sequences; or of two thirds of them, the others to be added."""
    if not _added(kind):
        return (gapped(sequences, random),)
    sequences = tuple(sorted(sequences, key=len, reverse=True))
    rows = -(-2 * len(sequences) // 3)
    return gapped(sequences[:rows], random), *(sequences[rows:] or sequences)


def _draw(kind: ProblemType, most: int, longest: int, choose: Choose) -> GivenProblem:
    sequences = trials.sequences(choose, most, longest)
    options = {} if _added(kind) else {
        "refinement": choose.of(given.REFINEMENT.choices), "refinement_seed": choose.of((0, 1)),
    }  # fmt: skip
    return kind.make(_data(kind, sequences, choose.random()), options)


def _sized(kind: ProblemType, count: int, length: int) -> Run:
    return kind.make(_data(kind, trials.family(count, length), np.random.default_rng(1)), {}), {}


def same(problem: GivenProblem, found: MsaAnswer, expected: MsaAnswer | None, method: Method) -> None:
    """As of all alignments; and where columns are to stay, those of the rows that were given are there, in order."""
    trials.same(problem, found, expected, method)
    if problem.rules.refinement == given.NONE:
        rows = found.alignment.letters[: len(problem.alignment.names)]
        kept = rows[:, (rows != GAP).any(axis=0)]
        assert np.array_equal(kept, problem.letters), "the given rows stand otherwise beside each other"


def _trials(kind: ProblemType) -> Trials:
    return trials.trials(
        lambda: kind,
        lambda problem: None,
        draw=partial(_draw, kind, trials.MOST, trials.LONGEST),
        larger=partial(_draw, kind, trials.LARGER, 4 * trials.LONGEST),
        same=same,
        large=lambda method, backend, size: _sized(kind, 4 * size, 32),
        long=lambda method, backend, size: _sized(kind, 8, 32 * size),
    )


REFINING, ADDING = _trials(given.REFINING), _trials(given.ADDING)
