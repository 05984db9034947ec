"""Paths: cells, gapped rows, CIGAR and the independent score, against slow readable siblings."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import model
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.pairwise import model as pair_model
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment, PairAnswer, PairProblem, rescore_path
from antidiag.kernels.scoring import Mode, Scoring, encode_sequence, match_mismatch, named_matrix

SCORING = Scoring(named_matrix("NUC.4.4"), 5, 2)


@st.composite
def aligned_pairs(draw):
    """A pair problem and a path somewhere inside it."""
    operations = draw(st.lists(st.sampled_from([DIAGONAL, DIAGONAL, UP, LEFT]), max_size=60))
    margins = [draw(st.integers(0, 5)) for _ in range(4)]
    taken = [sum(op != LEFT for op in operations), sum(op != UP for op in operations)]
    letters = [
        draw(st.text("ACGTN", min_size=length, max_size=length))
        for length in (margins[0] + taken[0] + margins[2], margins[1] + taken[1] + margins[3])
    ]
    first, second = (Sequence(name, text.encode(), SequenceType.DNA) for name, text in zip("ab", letters, strict=True))
    start = (margins[0], margins[1])
    end = (margins[0] + taken[0], margins[1] + taken[1])
    return PairProblem(first, second, SCORING), Alignment(start, end, np.array(operations, np.uint8))


def slow_rows(problem, path):
    (i, j), top, bottom = path.start, "", ""
    for operation in path.operations:
        top += "-" if operation == LEFT else chr(problem.first.letters[i])
        bottom += "-" if operation == UP else chr(problem.second.letters[j])
        i, j = i + (operation != LEFT), j + (operation != UP)
    return top, bottom


def slow_score(problem, rows):
    matrix, total = problem.scoring.matrix, 0
    columns = list(zip(*rows, strict=True))
    for x, y in columns:
        if "-" not in (x, y):
            total += problem.scoring.scores[matrix.letters.index(x), matrix.letters.index(y)]
    for kind, run in groupby(columns, lambda column: "UP" if column[1] == "-" else "LEFT" if column[0] == "-" else ""):
        total -= (problem.scoring.open + len(list(run)) * problem.scoring.extend) if kind else 0
    return total


def slow_cigar(rows):
    same = [x == y and x != "N" for x, y in zip(*rows, strict=True)]
    gaps = ["I" if y == "-" else "D" if x == "-" else "" for x, y in zip(*rows, strict=True)]
    kinds = [gap or ("=" if equal else "X") for gap, equal in zip(gaps, same, strict=True)]
    return "".join(f"{len(list(run))}{kind}" for kind, run in groupby(kinds))


@given(aligned_pairs(), st.sampled_from([1, 3, 1 << 20]))
def test_a_path_against_its_slow_siblings(case, chunk):
    problem, path = case
    rows = slow_rows(problem, path)
    whole, pair_model.CHUNK = pair_model.CHUNK, chunk
    try:
        assert path.gapped_rows(problem.first, problem.second) == rows
        assert rescore_path(problem, path) == slow_score(problem, rows)
        assert path.format_cigar(problem.first, problem.second) == slow_cigar(rows)
    finally:
        pair_model.CHUNK = whole
    cells = path.list_cells()
    assert cells.shape == (len(path.operations) + 1, 2)
    assert (tuple(cells[0]), tuple(cells[-1])) == (path.start, path.end)
    steps = np.diff(cells, axis=0)
    assert [(0, 1) if op == LEFT else (1, 0) if op == UP else (1, 1) for op in path.operations] == [
        tuple(step) for step in steps
    ]


def test_an_empty_path():
    problem = PairProblem(Sequence("a", b"AC", SequenceType.DNA), Sequence("b", b"GT", SequenceType.DNA), SCORING)
    path = Alignment((0, 0), (0, 0), np.empty(0, np.uint8))
    assert rescore_path(problem, path) == 0
    assert path.gapped_rows(*problem.sequences) == ("", "")
    assert path.format_cigar(*problem.sequences) == ""
    assert path.list_cells().tolist() == [[0, 0]]


@pytest.mark.parametrize(
    ("start", "end"), [((0, 0), (2, 1)), ((0, 0), (3, 2)), ((1, 1), (3, 3)), ((-1, 0), (1, 2)), ((0, 0), (1, 2))]
)
def test_a_path_that_does_not_fit_its_ends_is_refused(start, end):
    problem = PairProblem(Sequence("a", b"AC", SequenceType.DNA), Sequence("b", b"ACG", SequenceType.DNA), SCORING)
    with pytest.raises(ValueError, match="does not lead"):
        rescore_path(problem, Alignment(start, end, np.zeros(2, np.uint8)))


def test_adjacent_gaps_of_both_kinds_open_twice():
    problem = PairProblem(Sequence("a", b"AC", SequenceType.DNA), Sequence("b", b"AC", SequenceType.DNA), SCORING)
    path = Alignment((0, 0), (2, 2), np.array([DIAGONAL, UP, LEFT], np.uint8))
    assert rescore_path(problem, path) == 5 - (5 + 2) - (5 + 2)


def test_an_asymmetric_matrix_is_read_with_the_first_sequence_as_rows(tmp_path):
    from antidiag.kernels.matrix_files import matrix_from_file

    (tmp_path / "m").write_text("  A C\nA 1 2\nC 3 4\n")
    scoring = Scoring(matrix_from_file(tmp_path / "m"), 1, 1)
    first, second = (Sequence(letters, letters.encode(), SequenceType.DNA) for letters in "AC")
    path = Alignment((0, 0), (1, 1), np.zeros(1, np.uint8))
    assert rescore_path(PairProblem(first, second, scoring), path) == 2
    assert rescore_path(PairProblem(second, first, scoring), path) == 3


def test_u_equals_t_in_the_cigar_of_dna_and_rna():
    dna, rna = Sequence("d", b"ACT", SequenceType.DNA), Sequence("r", b"ACU", SequenceType.RNA)
    path = Alignment((0, 0), (3, 3), np.zeros(3, np.uint8))
    assert path.format_cigar(dna, rna) == "3="
    assert path.format_cigar(dna, Sequence("p", b"ACU", SequenceType.PROTEIN)) == "2=1X"


def result_of(problem, score, end, path):
    return Result(
        method="m",
        problem=problem,
        parameters={},
        backend="cpu",
        device="d",
        answer=PairAnswer(score, end, path),
        times_ms={"phase 1": 2.0, "transfer": 8.0},
        host_bytes=0,
        device_bytes=0,
        started=datetime.now(UTC),
    )


def test_check_finds_a_wrong_score_end_or_mode():
    first, second = Sequence("a", b"ACG", SequenceType.DNA), Sequence("b", b"ACG", SequenceType.DNA)
    problem = PairProblem(first, second, SCORING)
    path = Alignment((0, 0), (2, 2), np.zeros(2, np.uint8))
    result_of(problem, 10, (2, 2), path).check(problem)
    result_of(problem, 10, (2, 2), None).check(problem)
    with pytest.raises(AssertionError, match="scores 10"):
        result_of(problem, 11, (2, 2), path).check(problem)
    with pytest.raises(AssertionError, match="ends at"):
        result_of(problem, 10, (3, 3), path).check(problem)
    whole = PairProblem(first, second, SCORING, Mode.GLOBAL)
    with pytest.raises(AssertionError, match="global path"):
        result_of(whole, 10, (2, 2), path).check(whole)


def test_rate_and_score_of_a_result():
    scoring = Scoring(match_mismatch(0.5, -1), 1, 1)
    problem = PairProblem(
        Sequence("a", b"AC" * 1000, SequenceType.DNA), Sequence("b", b"AC", SequenceType.DNA), scoring
    )
    result = result_of(problem, 15, (2, 2), None)
    assert result.score == 1.5
    assert result.gcups == pytest.approx(4000 / 2.0 / 1e6)


def test_codes_are_writable_and_leave_the_letters_alone():
    sequence = Sequence("a", b"ACGT", SequenceType.DNA)
    codes = encode_sequence(sequence, SCORING)
    codes[:] = 0
    assert sequence.letters == b"ACGT" and not sequence.letter_array.flags.writeable


def test_a_sequence_prints_without_its_letters():
    assert "ACGT" not in repr(Sequence("a", b"ACGT", SequenceType.DNA))


def test_letters_are_joined() -> None:
    texts = b"ACD", b"", b"K", b"LM", b"A"
    sequences = [Sequence(str(number), text, SequenceType.PROTEIN) for number, text in enumerate(texts)]
    for count in range(len(sequences) + 1):
        assert model.concatenate_letters(sequences[:count]).tobytes() == b"".join(texts[:count])


class OneHash(bytes):
    """Letters whose hashes are all the same."""

    def __hash__(self) -> int:
        return 1


@pytest.mark.parametrize("kind", [bytes, OneHash])
@given(texts=st.lists(st.sampled_from([b"", b"A", b"AC", b"CA", b"ACD"]), max_size=12))
def test_the_first_sequence_of_each_content_is_found(kind: type[bytes], texts: list[bytes]) -> None:
    first, own = model.group_equal_sequences([Sequence("x", kind(text), SequenceType.PROTEIN) for text in texts])
    different = list(dict.fromkeys(texts))
    assert first.tolist() == [texts.index(text) for text in different]
    assert own.tolist() == [different.index(text) for text in texts]


@given(values=st.lists(st.integers(-3, 3), max_size=20))
def test_the_different_values_of_an_array_come_ascending_and_once(values: list[int]) -> None:
    assert model.unique_values(np.array(values, np.int64)).tolist() == sorted(set(values))


class OneName(str):
    """Names whose hashes are all the same."""

    def __hash__(self) -> int:
        return 1


@pytest.mark.parametrize("kind", [str, OneName])
@given(first=st.lists(st.sampled_from(["", "a", "b", "ab"]), max_size=6), data=st.data())
def test_names_are_the_same_where_each_is_there_as_many_times(kind: type[str], first: list[str], data: st.DataObject):
    second = data.draw(st.permutations(first) | st.lists(st.sampled_from(["", "a", "b", "ab"]), max_size=6))
    found = model.have_same_names(tuple(map(kind, first)), tuple(map(kind, second)))
    assert found == (sorted(first) == sorted(second))
