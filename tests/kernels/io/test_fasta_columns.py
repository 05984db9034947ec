"""FASTA is read as columns exactly as record by record."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import fasta_columns, line_blocks, sequences
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.sequences.sequence_set import MANY_SEQUENCES, SequenceSet
from tests.example_counts import try_examples

TITLES = st.one_of(
    st.sampled_from(
        ["a", "b one", "sp|P1|X two  words", "", " c", "c ", "d\te", "é", "x\u2003y", "n\xa0m", "\xe9t\xe9"]
    ),
    st.text(st.characters(exclude_characters="\r\n\x00", exclude_categories=["Cs"]), max_size=6),
)
LETTERS = st.one_of(
    st.text("ACGT", max_size=70),
    st.text("ACGTUNacgtu", max_size=70),
    st.text("ACDEFGHIKLMNPQRSTVWY", max_size=70),
    st.sampled_from(["AC-GT", "MKV*", "10 ACGT", "AC GT", "acgtn", "R" * 40, "ACGTRYKM" * 6, "A!C", "U" * 31, "-.~"]),
)
LINES = st.lists(LETTERS, max_size=3)


@st.composite
def fasta_text(draw: st.DrawFn) -> bytes:
    """Random FASTA: now and then with long records, blank lines, other line ends, and Latin-1."""
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r", "\n\n"]))
    lines = [draw(st.sampled_from(["", "", "", "\n", "text\n", "\ufeff"]))]
    for _ in range(draw(st.integers(1, 5))):
        lines += [f">{draw(TITLES)}{end}", *(f"{line}{end}" for line in draw(LINES))]
        if draw(st.integers(0, 7)) == 0:
            parts = draw(st.lists(st.sampled_from(["A", "E", "U", "R"]), min_size=7, max_size=7))
            lines += ["".join(part * 500 for part in parts), end]
    text = "".join(lines)
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    return text.encode(draw(st.sampled_from(["utf-8", "utf-8", "latin-1"])), "replace")


def outcome(path: Path, type: SequenceType | None) -> tuple[list[Sequence], list[str]] | str:
    try:
        found = sequences.read_sequences(path, type)
    except InputError as error:
        return str(error)
    return list(found), [one.note for one in found]


@try_examples(300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(fasta_text(), st.sampled_from([None, None, *SequenceType]), st.sampled_from([20, 100, 1 << 21]))
@example(b">a\n" + b"E" * 1000 + b"A" * 4000 + b"\n>b\nACGT\n", None, 1 << 21)
@example(b">a\xc3\nAC\n>\xa9b\nGT\n", None, 1 << 21)
@example(b">a\nACGTACGT\n>b\nMKVLEEE\n", None, 20)
def test_columns_are_the_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes, type: SequenceType | None, block: int
) -> None:
    path = tmp_path / "some.fa"
    path.write_bytes(text)
    with monkeypatch.context() as patch:
        patch.setattr(line_blocks, "BLOCK_BYTES", block)
        patch.setattr(sequences, "_read_plain_fasta", lambda *given: None)
        expected = outcome(path, type)
    with monkeypatch.context() as patch:
        patch.setattr(line_blocks, "BLOCK_BYTES", block)
        patch.setattr(sequences, "MANY_SEQUENCES", 0)
        assert outcome(path, type) == expected


@pytest.mark.parametrize("packed", [False, True])
def test_very_many_records_are_a_set(tmp_path: Path, packed: bool) -> None:
    text = b"".join(b">r%d of many\nMKVLAAGIEEKMKVLAAGIEEK\n" % number for number in range(MANY_SEQUENCES))
    path = tmp_path / "many.fa"
    path.write_bytes(gzip.compress(text * 3) if packed else text)
    found = sequences.read_sequences(path)
    assert isinstance(found, SequenceSet)
    assert found[3] == Sequence("r3", b"MKVLAAGIEEKMKVLAAGIEEK", SequenceType.PROTEIN, "r3 of many", str(path))


def test_a_record_of_several_blocks_is_left_to_the_reader_of_records() -> None:
    assert fasta_columns.read_columns([b">a\nAC\n>b\nAC\n", b"GT\n", b"GT\n>c\nA\n"]) is None
    found = fasta_columns.read_columns([b">a\nAC\n>b\nAC\n", b"GT\n>c\nA\n"])
    assert found is not None
    assert found.letters.tobytes() == b"ACACGTA"
