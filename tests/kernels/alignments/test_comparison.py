"""SP and TC are those of the definition, counted pair by pair."""

import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.alignments.comparison import (
    compare_test_columns,
    compare_to_reference,
    core_columns,
    matching_columns,
)
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_sequences, alignment_writer
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.model import SequenceType

SHARED = Path(__file__).resolve().parents[4] / "shared"


def alignment(rows: list[str]) -> AlignedSequences:
    letters = np.array([list(row.encode()) for row in rows], np.uint8)
    return AlignedSequences(tuple(f"r{row}" for row in range(len(rows))), letters, SequenceType.PROTEIN)


def by_definition(test: list[str], reference: list[str]) -> tuple[float, float]:
    places = [[column for column, letter in enumerate(row) if letter != "-"] for row in test]
    seen = [0] * len(reference)
    good = pairs = whole = counted = 0
    for column in zip(*reference, strict=True):
        here = []
        for row, letter in enumerate(column):
            if letter != "-":
                here.append(places[row][seen[row]])
                seen[row] += 1
        if len(here) > 1:
            counted += 1
            whole += len(set(here)) == 1
            good += sum(one == other for one, other in combinations(here, 2))
            pairs += len(here) * (len(here) - 1) // 2
    return good / max(pairs, 1), whole / max(counted, 1)


@st.composite
def two_alignments(draw) -> tuple[list[str], list[str]]:
    width = draw(st.integers(1, 9))
    sequences = draw(st.lists(st.text("ACD", max_size=width), min_size=1, max_size=5))

    def gapped(letters: str) -> str:
        places = set(draw(st.permutations(range(width)))[: len(letters)])
        left = iter(letters)
        return "".join(next(left) if column in places else "-" for column in range(width))

    return [gapped(one) for one in sequences], [gapped(one) for one in sequences]


@given(pair=two_alignments())
def test_scores_are_those_of_the_definition(pair):
    test, reference = pair
    found = compare_to_reference(alignment(test), alignment(reference))
    assert found.scores() == pytest.approx(by_definition(test, reference))
    assert compare_to_reference(alignment(test), alignment(test)).shares.tolist() == [1] * len(test[0])


def test_other_sequences_are_refused_and_more_rows_do_not_count():
    reference = alignment(["AC-D", "A-CD"])
    more = AlignedSequences(("x", "r1", "r0"), alignment(["DDDD", "A-CD", "AC-D"]).letters, SequenceType.PROTEIN)
    assert compare_to_reference(more, reference).scores() == (1, 1)
    with pytest.raises(InputError, match="r0 is in the reference but not in"):
        compare_to_reference(AlignedSequences(("a", "b"), reference.letters, SequenceType.PROTEIN), reference)
    with pytest.raises(InputError, match="r0: 3 letters in the reference, but 4 in the test"):
        compare_to_reference(alignment(["ACCD", "A-CD"]), reference)
    with pytest.raises(InputError, match="most letters differ"):
        compare_to_reference(alignment(["DA-C", "A-CD"]), reference)


@pytest.mark.skipif(not (SHARED / "tools" / "score-alignment").exists(), reason="the shared data are elsewhere")
def test_scores_on_a_real_family_are_those_of_the_judge(tmp_path):
    folder = SHARED / "data" / "balibase3" / "RV11"
    xml = sorted(folder.glob("*.xml"))[0]
    (reference,) = aligned_sequences.read_alignments(xml)
    core = core_columns(reference)
    assert core is not None and 0 < core.sum() < core.size
    letters = reference.letters.copy()
    for row in range(0, len(letters), 2):  # every second row loses its gaps
        there = letters[row][letters[row] != ord("-")]
        letters[row] = ord("-")
        letters[row, : there.size] = there
    test = AlignedSequences(reference.names, letters, reference.type)
    alignment_writer.write_alignments(tmp_path / "test.fasta", [test])
    judge = [sys.executable, str(SHARED / "tools" / "score-alignment"), str(tmp_path / "test.fasta"), str(xml)]
    told = subprocess.run(judge, capture_output=True, text=True, check=True).stdout.split()
    found = compare_to_reference(test, reference)
    mine = [f"{score:.4f}" for scores in (found.scores(), found.scores(core)) for score in scores]
    assert mine == [word for word in told if word[0].isdigit()]


def test_agreement_is_of_the_rows_that_both_have() -> None:
    test, reference = alignment(["AC-D", "ACE-", "WWWW"]), alignment(["ACD", "ACE"])
    assert compare_test_columns(test, reference).shares.tolist() == [1, 1, 1, 1]
    assert compare_test_columns(alignment(["A-C", "AC-", "WW-"]), alignment(["AC", "AC"])).shares.tolist() == [1, 1, 1]
    assert compare_test_columns(alignment(["AC", "AC"]), alignment(["A-C", "AC-"])).shares.tolist() == [1, 0]
    with pytest.raises(InputError, match="no row of"):
        compare_test_columns(replace(test, names=("x", "y", "z")), reference)


@given(pair=two_alignments())
def test_partners_are_the_columns_that_have_most_of_the_letters(pair):
    test, reference = map(alignment, pair)
    found = compare_test_columns(test, reference)
    places = [matching_columns(one, other) for one, other in zip(test.letters, reference.letters, strict=True)]
    for column in range(test.letters.shape[1]):
        there = [int(row[column]) for row in places if row[column] >= 0]
        counts = {place: there.count(place) for place in there}
        best = max(counts.values(), default=0)
        wanted = min((place for place, count in counts.items() if count == best), default=-1)
        assert found.partner[column] == wanted
        assert found.kept[column] == sum(count * (count - 1) // 2 for count in counts.values())
