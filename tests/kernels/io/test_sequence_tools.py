"""What is done to sequences before they are aligned."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import sequence_tools as tools
from antidiag.kernels.io.sequences import read_sequences
from antidiag.kernels.model import Sequence, SequenceType

CODES = "ACGTRYSWKMBDHVN"
PARTNERS = dict(zip(CODES, "TGCAYRSWMKVHDBN", strict=True))


def dna(letters: str, name: str = "one", type: SequenceType = SequenceType.DNA) -> Sequence:
    return Sequence(name, letters.encode(), type, f"{name} of something")


@given(st.text(CODES, min_size=1, max_size=80))
def test_the_other_strand(letters: str) -> None:
    found = tools.reverse_complement(dna(letters))
    assert found.letters.decode() == "".join(PARTNERS[letter] for letter in reversed(letters))
    assert tools.reverse_complement(found).letters.decode() == letters
    assert found.name == "one_reverse_complement"


def test_the_other_strand_of_rna_has_u() -> None:
    assert tools.reverse_complement(dna("AACGU", type=SequenceType.RNA)).letters == b"ACGUU"


@pytest.mark.parametrize(
    ("frame", "protein"), [(1, b"MAX*P"), (2, b"WXTN"), (3, b"GXLT"), (-1, b"WLVXH"), (-2, b"G*XA"), (-3, b"VSXP")]
)
def test_translation_in_every_frame(frame: int, protein: bytes) -> None:
    found = tools.translate_sequence(dna("ATGGCNNACTAACCA"), frame)
    assert (found.letters, found.type) == (protein, SequenceType.PROTEIN)


def test_the_last_stop_is_dropped_and_codes_differ() -> None:
    assert tools.translate_sequence(dna("ATGTGATAA")).letters == b"M*"
    assert tools.translate_sequence(dna("ATGTGATAA"), code=2).letters == b"MW"
    assert tools.translate_sequence(dna("AUGGCC", type=SequenceType.RNA)).letters == b"MA"


def test_what_cannot_be_translated_says_why() -> None:
    protein = Sequence("p", b"MKV", SequenceType.PROTEIN, source="x.fa")
    with pytest.raises(InputError, match=r"x\.fa, p: a protein is translated already"):
        tools.translate_sequence(protein)
    with pytest.raises(InputError, match="a protein has no other strand"):
        tools.reverse_complement(protein)
    with pytest.raises(InputError, match="frame 2 of 3 letters has no codon"):
        tools.translate_sequence(dna("ACG"), 2)
    with pytest.raises(InputError, match="only a stop codon"):
        tools.translate_sequence(dna("TAA"))
    with pytest.raises(ParameterError, match="frame 4 is unknown; choose one of 1, 2, 3"):
        tools.translate_sequence(dna("ACGT"), 4)
    with pytest.raises(ParameterError, match="genetic code 99"):
        tools.translate_sequence(dna("ACGT"), code=99)


@pytest.mark.parametrize(
    ("text", "found"), [("2-4", (2, 4)), ("2..", (2, 6)), (":3", (1, 3)), (" 2 - 3 ", (2, 3)), ("-", (1, 6))]
)
def test_ranges(text: str, found: tuple[int, int]) -> None:
    assert tools.parse_range(text, 6) == found


def test_a_part() -> None:
    found = tools.extract_range(dna("ACGTTA"), 2, 4)
    assert (found.letters, found.name) == (b"CGT", "one_2-4")
    for first, last in ((0, 3), (4, 3), (2, 7)):
        with pytest.raises(InputError, match="outside its letters 1 to 6"):
            tools.extract_range(dna("ACGTTA"), first, last)
    with pytest.raises(ParameterError, match="10-200"):
        tools.parse_range("2;4", 6)


def test_the_first_of_equal_sequences_is_kept() -> None:
    given = [dna("ACGU", "a", SequenceType.RNA), dna("AC", "b"), dna("ACGU", "c"), dna("AC", "d")]
    assert tools.unique_rows(given) == [0, 1, 2]


def test_choosing_by_title_and_length() -> None:
    given = [dna("A" * number, f"s{number}") for number in range(1, 6)]
    assert [one.name for one in filter(tools.sequence_filter(r"^S[1-4]\b", 2, 3), given)] == ["s2", "s3"]
    assert len(list(filter(tools.sequence_filter("something"), given))) == 5
    with pytest.raises(ParameterError, match="not a regular expression"):
        tools.sequence_filter("(")


def test_fasta_is_read_again(tmp_path: Path) -> None:
    given = [dna("ACGT" * 40, "long"), dna("AC", "short")]
    path = tmp_path / "out.fa"
    path.write_bytes(b"".join(tools.fasta_records(given)))
    assert [(one.name, one.letters, one.description) for one in read_sequences(path)] == [
        (one.name, one.letters, one.description) for one in given
    ]
    assert max(map(len, path.read_text().splitlines())) == 60
