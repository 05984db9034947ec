"""MD and cs: what the specifications say, and what our own readers make of files with them."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.file_conventions import CigarStyle
from antidiag.kernels.io import aligned_sequences
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.pairwise import difference_strings
from antidiag.kernels.pairwise.formats import FORMATS
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment, PairAnswer, PairProblem
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch

MD = re.compile(r"[0-9]+(([A-Z]|\^[A-Z]+)[0-9]+)*")
CS = re.compile(r"(=[A-Z]+|\*[a-z][a-z]|[-+][a-z]+)+")
OPERATIONS = {(True, True): DIAGONAL, (True, False): UP, (False, True): LEFT}


def of_rows(query: str, reference: str, before: tuple[str, str] = ("", ""), after: str = "") -> Result:
    """A result with these rows, and letters before and after them that are not aligned."""
    path = [OPERATIONS[one != "-", other != "-"] for one, other in zip(query, reference, strict=True)]
    first, second = (
        Sequence(name, (start + row.replace("-", "") + after).encode(), SequenceType.DNA)
        for name, start, row in zip(("first", "second"), before, (query, reference), strict=True)
    )
    start = (len(before[0]), len(before[1]))
    end = (len(first) - len(after), len(second) - len(after))
    problem = PairProblem(first, second, Scoring(match_mismatch(2, -3), 5, 2), Mode.LOCAL)
    answer = PairAnswer(1, end, Alignment(start, end, np.array(path, np.uint8)))
    return Result("striped-alignment", problem, {}, "cpu", "a processor", answer, {}, 0, 0, None, {}, ())


def tags(result: Result) -> tuple[str | None, str | None]:
    path, sequences = result.answer.alignment, result.problem.sequences
    kinds = path.column_kinds(*sequences)
    md = difference_strings.format_md(path, kinds, *sequences)
    return md, difference_strings.format_cs(path, kinds, *sequences)


@pytest.mark.parametrize(
    ("query", "reference", "md", "cs"),
    [
        ("ACGT", "ACGT", "4", "=ACGT"),
        ("ACGT", "TCAA", "0T1A0A0", "*ta=C*ag*at"),
        ("AC--GT", "ACTTGT", "2^TT2", "=AC-tt=GT"),
        ("AC--GT", "ACTTAT", "2^TT0A1", "=AC-tt*ag=T"),
        ("ACGGGT", "AC--GT", "4", "=AC+gg=GT"),
        ("-A-", "T-G", "0^T0^G0", "-t+a-g"),
        ("A-", "-G", "0^G0", "+a-g"),
        ("AC", "--", "0", "+ac"),
    ],
)
def test_tags_are_those_of_the_specifications(query, reference, md, cs):
    assert tags(of_rows(query, reference)) == (md, cs)


LETTERS = st.lists(
    st.tuples(*[st.sampled_from("ACGTUNR-")] * 2).filter(lambda column: column != ("-", "-")), max_size=40
)


@given(LETTERS, st.sampled_from([SequenceType.DNA, SequenceType.RNA, SequenceType.PROTEIN]))
def test_compiled_kinds_and_cigars_are_those_of_the_alignment(columns, kind):
    rows = ["".join(row) for row in zip(*columns, strict=True)] or ["", ""]
    result = of_rows(*rows)
    path, (first, second) = result.answer.alignment, result.problem.sequences
    first = replace(first, type=kind)
    kinds = difference_strings.find_kinds(path, first, second)
    np.testing.assert_array_equal(kinds, path.column_kinds(first, second))
    for style in CigarStyle:
        is_extended = style is CigarStyle.EXTENDED
        assert difference_strings.format_cigar(path, kinds, is_extended) == path.format_cigar(first, second, style)


def test_letters_that_tags_have_no_sign_for_leave_them_out():
    assert tags(of_rows("AC*T", "ACGT")) == ("2G1", None)
    assert tags(of_rows("ACGT", "AC*T")) == (None, None)


COLUMNS = st.lists(
    st.tuples(*[st.sampled_from("ACGT-")] * 2).filter(lambda column: column != ("-", "-")), min_size=1, max_size=60
)


ENDS = st.tuples(*[st.text("ACGT", max_size=3)] * 3)


@given(COLUMNS, ENDS)
def test_what_is_written_opens_as_the_alignment(tmp_path_factory, columns, ends):
    rows = ["".join(row) for row in zip(*columns, strict=True)]
    result = of_rows(*rows, before=(ends[0], ends[1]), after=ends[2])
    folder = tmp_path_factory.mktemp("pair")
    assert all(form.fullmatch(tag) for form, tag in zip((MD, CS), tags(result), strict=True))
    for suffix in (".sam", ".paf"):
        path = folder / f"pair{suffix}"
        path.write_text("".join(next(one for one in FORMATS if one.suffix == suffix).iterate_lines(result)))
        (found,) = aligned_sequences.read_alignments(path)
        assert found.names == ("second", "first")
        assert [row.tobytes().decode() for row in found.letters] == rows[::-1]
        start = result.answer.alignment.start
        assert found.annotations.of_rows == ((0, "place", f"{start[1] + 1} +"), (1, "place", f"{start[0] + 1} +"))
