"""Problems for tests: strategies of Hypothesis, and where real sequences lie."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise import trials
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.scoring import Mode, Scoring, SubstitutionMatrix, match_mismatch
from antidiag.kernels.trials import draw_matrix
from tests.choosing import HypothesisChooser

DATA = Path(__file__).with_name("data")
SAMPLES = Path(__file__).parents[1] / "resources" / "samples"

MITOCHONDRIA = "mitochondrion-human.fasta", "mitochondrion-chimpanzee.fasta"
LAMBDOIDS = "phage-lambda.fasta", "prophage-ecoli536.fasta"
"""Files among the samples: pairs of 16.6 and of 48.5 thousand letters."""


def sequence(letters: str, name: str = "x", kind: SequenceType = SequenceType.DNA) -> Sequence:
    return Sequence(name, letters.encode("ascii"), kind)


def pair(
    first: str, second: str, scoring: Scoring, mode: Mode = Mode.LOCAL, kind: SequenceType = SequenceType.DNA
) -> PairProblem:
    return PairProblem(sequence(first, "first", kind), sequence(second, "second", kind), scoring, mode)


def shifted(length: int, shift: int, seed: int = 1) -> PairProblem:
    """A random sequence, and itself without its first letters: the path is a diagonal beside the main one."""
    letters = "".join(np.random.default_rng(seed).choice(list("ACGT"), length))
    return pair(letters, letters[shift:], Scoring(match_mismatch(2, -3), 5, 2))


@st.composite
def matrices(draw: st.DrawFn) -> SubstitutionMatrix:
    """Match and mismatch, BLOSUM62, or any scores at all, not even symmetric ones, some beyond 8 bits."""
    return draw_matrix(HypothesisChooser(draw))


@st.composite
def pairs(draw: st.DrawFn, longest: int = trials.LONGEST) -> PairProblem:
    """Pairs of random, repetitive or related sequences over alphabets of one to four letters, of one strand each."""
    return draw(st.sampled_from(trials.draw_pair(HypothesisChooser(draw), longest).variants))


def assert_same_path(found: PairAnswer, expected: PairAnswer) -> None:
    assert found.alignment is not None and expected.alignment is not None
    assert found.alignment.start == expected.alignment.start
    assert found.alignment.end == expected.alignment.end
    np.testing.assert_array_equal(found.alignment.operations, expected.alignment.operations)
