"""Many sequences added to an alignment: one to one as two are aligned, threads change nothing, rows stay."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.msa.problem import MsaAnswer
from antidiag.kernels.parttree import ALIGNMENT_PROBLEM
from antidiag.kernels.parttree.insertion.insertion_problem import INSERTION_PROBLEM
from antidiag.kernels.registry import realignment
from tests.kernels.parttree.test_alignment import answer, proteins, related


def given(*rows: str, type: SequenceType = SequenceType.PROTEIN) -> AlignedSequences:
    letters = np.frombuffer("".join(rows).encode(), np.uint8).reshape(len(rows), -1)
    return AlignedSequences(tuple(f"r{at}" for at in range(len(rows))), letters, type)


def added(alignment: AlignedSequences, sequences: tuple[Sequence, ...], threads: int = 2, **options) -> MsaAnswer:
    problem = INSERTION_PROBLEM.make_problem([alignment, *sequences], options)
    planned = engine.plan_run(registry.find_method("parttree-add"), problem, {"threads": threads}, "cpu")
    found = engine.execute(planned, keep_rate=False).answer
    found.check(problem)
    return found


def rows_of(found: MsaAnswer) -> list[str]:
    return [row.tobytes().decode() for row in found.alignment.letters]


@pytest.mark.parametrize("seed", range(12))
def test_one_sequence_and_one_row_are_aligned_as_two_sequences(seed: int) -> None:
    one, other = sorted(related(2, seed), key=len, reverse=True)
    expected = answer(ALIGNMENT_PROBLEM.make_problem([one, other], {"growth": 0.0}))
    found = added(given(one.letters.decode()), (other,), growth=0.0)
    assert rows_of(found)[0].replace("-", "") == one.letters.decode()
    assert _score(rows_of(found)) == pytest.approx(
        _score([row.tobytes().decode() for row in expected.alignment.letters])
    )


def _score(rows: list[str]) -> float:
    """The score of two rows, gaps before and behind a row by the letter."""
    from tests.kernels.parttree.test_alignment import costs_of

    problem = ALIGNMENT_PROBLEM.make_problem(proteins(*(row.replace("-", "") for row in rows)), {"growth": 0.0})
    scores, opening, extension, end = costs_of(problem)
    total, last = 0.0, ""
    ends = [
        (min(at for at, one in enumerate(row) if one != "-"), max(at for at, one in enumerate(row) if one != "-"))
        for row in rows
    ]
    for column, (one, other) in enumerate(zip(*rows, strict=True)):
        if "-" not in (one, other):
            total, last = total + scores[one, other], ""
            continue
        row = 0 if one == "-" else 1
        if not ends[row][0] <= column <= ends[row][1]:
            total -= end
        else:
            total -= extension if last == str(row) else opening
        last = str(row)
    return total


def test_letters_without_a_column_stand_beside_those_they_go_on_with() -> None:
    alignment = given("ACDEFGHIKLMNPQRSTVWY", "ACDEFGHIKLMNPQRSTVWY")
    sequences = proteins("WWACDEFGHIKLMNPQRSTVWY", "WACDEFGHIKLMNPQRSTVWYCC", "ACDEFGHIKLMNPQRSTVWYC")
    found = rows_of(added(alignment, sequences))
    assert found == [
        "--ACDEFGHIKLMNPQRSTVWY--",
        "--ACDEFGHIKLMNPQRSTVWY--",
        "WWACDEFGHIKLMNPQRSTVWY--",
        "-WACDEFGHIKLMNPQRSTVWYCC",
        "--ACDEFGHIKLMNPQRSTVWYC-",
    ]


def test_threads_and_company_change_nothing() -> None:
    many = related(60, 3)
    base = answer(ALIGNMENT_PROBLEM.make_problem(many[:20], {})).alignment
    one, two = added(base, many[20:], 1), added(base, many[20:], 2)
    assert rows_of(one) == rows_of(two)
    alone = added(base, many[30:31])
    assert _in_columns_of(one, len(base.names), 10) == _in_columns_of(alone, len(base.names), 0)


def _in_columns_of(found: MsaAnswer, given: int, number: int) -> bytes:
    """An added row, where the given rows have letters."""
    letters = found.alignment.letters
    return letters[given + number, (letters[:given] != GAP).any(axis=0)].tobytes()


def test_rows_of_gaps_and_empty_sequences_stay() -> None:
    found = added(given("ACDE-", "-----", "ACDEF"), proteins("", "ACDEF"))
    assert rows_of(found) == ["ACDE-", "-----", "ACDEF", "-----", "ACDEF"]


def test_rna_meets_dna_letters() -> None:
    found = added(given("ACGUACGUAC", type=SequenceType.RNA), (Sequence("n", b"ACGTACGTAC", SequenceType.DNA),))
    assert rows_of(found)[1] == "ACGTACGTAC"


def test_proteins_are_not_added_to_nucleotides() -> None:
    with pytest.raises(InputError, match="use sequences of one type"):
        INSERTION_PROBLEM.make_problem([given("ACGT", type=SequenceType.DNA), *proteins("WWW")], {})


def test_many_are_added_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    many = related(30, 5)
    base = answer(ALIGNMENT_PROBLEM.make_problem(many[:15], {})).alignment
    monkeypatch.setattr(realignment, "PAIRWISE_LIMIT", 100)
    found = realignment.add_sequences(base, many[15:])
    assert found.names == (*base.names, *(one.name for one in many[15:]))
    rows = found.letters[: len(base.names)]
    assert np.array_equal(rows[:, (rows != GAP).any(axis=0)], base.letters)
    for row, sequence in zip(found.letters[15:], many[15:], strict=True):
        assert row[row != GAP].tobytes() == sequence.letters
