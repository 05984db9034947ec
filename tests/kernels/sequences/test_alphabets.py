"""What letters stand for, and which letters are identical: the definition, written here once more by hand."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels.model import SequenceType
from antidiag.kernels.sequences import alphabets
from tests import oracle

PROTEIN = SequenceType.PROTEIN


@pytest.mark.parametrize("kind", SequenceType)
def test_ambiguous_letters_are_those_of_several_residues(kind):
    assert set(alphabets.ambiguous_letters(kind == PROTEIN)) == set(oracle.AMBIGUOUS[kind == PROTEIN])


@pytest.mark.parametrize("second", SequenceType)
@pytest.mark.parametrize("first", SequenceType)
def test_letters_are_identical_unless_either_is_ambiguous(first, second):
    letters = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ*abcu", np.uint8)
    for one in letters:
        found = alphabets.find_identical_letters(np.full(letters.size, one), letters, first, second)
        for other, same in zip(letters, found, strict=True):
            a, b, proteins = chr(one).upper(), chr(other).upper(), [kind == PROTEIN for kind in (first, second)]
            expected = oracle.are_identical(a, b, any(proteins)) and oracle.are_identical(a, a, proteins[0])
            assert same == (expected and oracle.are_identical(b, b, proteins[1])), (a, b)
    gaps = np.frombuffer(b"-.", np.uint8)
    assert not alphabets.find_identical_letters(gaps, gaps, first, second).any()
