import re

import numpy as np
import pytest

from antidiag.app.views.aligned import pair_text
from antidiag.app.views.aligned.pair_text import AlignmentText
from antidiag.kernels.pairwise.model import DIAGONAL
from tests.app.views import examples


@pytest.fixture(scope="module", params=["local", "global"])
def result(request):
    return examples.result(examples.problem(*examples.related(200), mode=request.param))


@pytest.fixture
def text(result, monkeypatch):
    monkeypatch.setattr(pair_text, "CHUNK", 16)
    return AlignmentText(result)


def gapped(result):
    return result.answer.alignment.gapped(*result.problem.sequences)


def test_stretches_are_parts_of_the_gapped_rows(result, text):
    top, bottom = gapped(result)
    cells = result.answer.alignment.cells()
    for first, last in ((0, text.columns), (3, 60), (59, 61), (text.columns - 1, text.columns + 50)):
        stretch = text.stretch(first, last)
        assert (stretch.top, stretch.bottom) == (top[first:last], bottom[first:last])
        assert stretch.cell == tuple(cells[first])
        assert stretch.end_cell == tuple(cells[min(last, text.columns)])
        assert len(stretch.match) == len(stretch.top)


def test_match_line():
    protein = examples.problem("AILK", "AVLE", mode="global", matrix="BLOSUM62")
    assert AlignmentText(examples.result(protein)).stretch(0, 4).match == "|:|:"
    nucleotides = examples.problem("ACGT", "ACTT", mode="global")
    assert AlignmentText(examples.result(nucleotides)).stretch(0, 4).match == "|| |"


def test_statistics_count_what_the_rows_show(result, text):
    top, bottom = gapped(result)
    counts = text.statistics()
    assert counts.columns == len(top)
    assert counts.identical == counts.positive == sum(a == b for a, b in zip(top, bottom, strict=True))
    assert counts.gap_letters == top.count("-") + bottom.count("-")
    assert counts.gaps == sum(len(re.findall("-+", row)) for row in (top, bottom))
    assert counts.identity_profile.sum() == pytest.approx(counts.identical)
    assert counts.gap_profile.sum() == pytest.approx(counts.gap_letters)


def test_profiles_of_a_long_alignment_are_shares(monkeypatch):
    monkeypatch.setattr(pair_text, "BINS", 30)
    counts = AlignmentText(examples.result(examples.problem("A" * 100, "A" * 100, mode="global"))).statistics()
    assert len(counts.identity_profile) == 30
    assert np.all(counts.identity_profile == 1)


@pytest.mark.parametrize("kind", ["mismatch", "gap"])
def test_find_walks_over_every_place_both_ways(result, text, kind):
    top, bottom = gapped(result)
    operations = result.answer.alignment.operations
    if kind == "mismatch":
        expected = [k for k in range(len(top)) if operations[k] == DIAGONAL and top[k] != bottom[k]]
    else:
        gaps = operations != DIAGONAL
        expected = [k for k in range(len(top)) if gaps[k] and (k == 0 or operations[k] != operations[k - 1])]
    assert expected
    forward, column = [], -1
    while (column := text.find(kind, column)) is not None:
        forward.append(column)
    backward, column = [], text.columns
    while (column := text.find(kind, column, forward=False)) is not None:
        backward.append(column)
    assert forward == expected
    assert backward[::-1] == expected


def test_column_of_a_position(result, text):
    top, bottom = gapped(result)
    for row, letters in ((0, top), (1, bottom)):
        position = result.answer.alignment.start[row]
        for column, letter in enumerate(letters):
            position += letter != "-"
            if letter != "-":
                assert text.column_of(row, position) == column
        assert text.column_of(row, 0) is None
        assert text.column_of(row, position + 1) is None
