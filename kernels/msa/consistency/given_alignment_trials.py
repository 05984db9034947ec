"""Trials of methods that take an alignment: rows with random gaps, with or without sequences to add."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.method import Method, ProblemType
from antidiag.kernels.model import Sequence
from antidiag.kernels.msa import trials
from antidiag.kernels.msa.consistency import given_alignment
from antidiag.kernels.msa.consistency.given_alignment import GivenProblem
from antidiag.kernels.msa.problem import MsaAnswer
from antidiag.kernels.trials import ProblemAndParameters, TrialChooser, Trials


def insert_random_gaps(sequences: tuple[Sequence, ...], random: np.random.Generator, more: int = 3) -> AlignedSequences:
    """Return the sequences as rows with gaps at random places, ``more`` columns longer than the longest."""
    columns = max(map(len, sequences)) + more
    letters = np.full((len(sequences), columns), GAP, np.uint8)
    places = random.permuted(np.tile(np.arange(columns), (len(sequences), 1)), axis=1)
    letters[places < np.array([[len(one)] for one in sequences])] = np.concatenate(
        [one.letter_array for one in sequences]
    )
    letters.setflags(write=False)
    return AlignedSequences(tuple(one.name for one in sequences), letters, sequences[0].type)


def _takes_sequences(kind: ProblemType) -> bool:
    return given_alignment.ADDED in kind.inputs


def _split_data(kind: ProblemType, sequences: tuple[Sequence, ...], random: np.random.Generator) -> tuple[Any, ...]:
    """Return an alignment of all sequences, or of two thirds of them and the others to add."""
    if not _takes_sequences(kind):
        return (insert_random_gaps(sequences, random),)
    sequences = tuple(sorted(sequences, key=len, reverse=True))
    rows = -(-2 * len(sequences) // 3)
    return insert_random_gaps(sequences[:rows], random), *(sequences[rows:] or sequences)


def _draw_problem(kind: ProblemType, limit: int, longest: int, choose: TrialChooser) -> GivenProblem:
    sequences = trials.draw_sequences(choose, limit, longest)
    options = (
        {}
        if _takes_sequences(kind)
        else {
            "refinement": choose.choose_one(given_alignment.REFINEMENT.choices),
            "refinement_seed": choose.choose_one((0, 1)),
        }
    )
    return kind.make_problem(_split_data(kind, sequences, choose.make_generator()), options)


def _make_sized_run(kind: ProblemType, count: int, length: int) -> ProblemAndParameters:
    return kind.make_problem(_split_data(kind, trials.generate_family(count, length), np.random.default_rng(1)), {}), {}


def check_equal(problem: GivenProblem, answer: MsaAnswer, expected: MsaAnswer | None, method: Method) -> None:
    """Check equal alignments; where columns must stay, check that the given rows keep them in order."""
    trials.check_equal(problem, answer, expected, method)
    if problem.rules.refinement == given_alignment.NONE:
        rows = answer.alignment.letters[: len(problem.alignment.names)]
        kept = rows[:, (rows != GAP).any(axis=0)]
        assert np.array_equal(kept, problem.letters), "the given rows stand otherwise beside each other"


def _make_trials(kind: ProblemType) -> Trials:
    return trials.make_trials(
        lambda: kind,
        lambda problem: None,
        draw_problem=partial(_draw_problem, kind, trials.MOST, trials.LONGEST),
        draw_larger_problem=partial(_draw_problem, kind, trials.LARGER, 4 * trials.LONGEST),
        assert_same_answer=check_equal,
        make_large_problem=lambda method, backend, size: _make_sized_run(kind, 4 * size, 32),
        make_long_problem=lambda method, backend, size: _make_sized_run(kind, 8, 32 * size),
    )


REFINING, ADDING = _make_trials(given_alignment.REFINING), _make_trials(given_alignment.ADDING)
