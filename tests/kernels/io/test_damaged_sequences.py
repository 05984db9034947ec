"""Files of sequences that are damaged, cut short, too large, packed, or no files: what is said of them."""

from __future__ import annotations

import errno
import gzip
import os
from contextlib import suppress
from io import BufferedReader
from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels import memory
from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.io import aligned_sequences, line_blocks, sequences
from antidiag.kernels.io import sequence_records as reading
from antidiag.kernels.io.sequences import (
    SEQUENCE,
    read_sequence_stream,
    read_sequence_text,
    read_sequences,
    reading_notes,
)
from antidiag.kernels.io.tree_files import TREE
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import data_loading
from tests.kernels.io.sequence_files import (
    CLUSTAL,
    TWO,
    Piped,
    genbank,
    refusal,
    write,
)


@pytest.mark.parametrize(
    ("data", "parts"),
    [
        (b"", ["empty"]),
        (b" \n\n", ["empty"]),
        (b"hello\n>one\nAC\n", ["line 1", "before the first '>'"]),
        (b">one\n>two\n--\n", ["line 1", "record one", "no record of the file has letters"]),
        (b">one\n--\n", ["line 1", "record one", "no record of the file has letters"]),
        (b">one\nACGT\nAC!GT\n", ["line 3", "record one", "'!'", "position 7"]),
        (
            b">one\n" + b"ACGT\n" * 10 + b">two\r\nAC\r\nA\xc3\xa9C\r\n",
            ["line 14", "record two", "'\xe9'", "position 4"],
        ),
        (b">one\nAC\0GT\n", ["binary"]),
        (bytes(range(1, 256)), ["line 1"]),
        (b"\x89PNG\r\n\x1a\n\0\0", ["binary"]),
        (TWO.decode().encode("utf-16"), ["UTF-16"]),
        (b"BZh91AY&SY", ["bzip2", "truncated"]),
        (b"name,length\nx,1\n", ["line 1", "','", "FASTA"]),
        (b">one\n" + b"ACGT" * 10 + b"E\n", ["one", "'E'", "position 41", "DNA"]),
        (b"LOCUS       broken\n", ["GenBank"]),
    ],
)
def test_bad_content_is_an_error_that_says_where(tmp_path, data, parts):
    path = write(tmp_path, data)
    message = refusal(path)
    for part in [str(path), *parts]:
        assert part in message
    assert "\n" not in message


@pytest.mark.parametrize("keep", [12, 30, -1, -8])
def test_truncated_gzip(tmp_path, keep):
    packed = gzip.compress(b">one\n" + bytes(np.random.default_rng(1).choice(list(b"ACGT"), 500)) + b"\n")
    assert "truncated" in refusal(write(tmp_path, packed[:keep]))


@pytest.mark.parametrize("data", [b"CLUSTAL X", b"CLUSTAL W\n", b"CLUSTAL\n\n\n", b"CLUSTAL (3.8)\n\n \n"])
def test_a_clustal_file_without_rows_comes_to_an_end(tmp_path, data):
    for read_it in (read_sequences, aligned_sequences.read_alignments):
        with pytest.raises(InputError, match=r"input\.fa"):
            read_it(write(tmp_path, data))


@pytest.mark.parametrize("rows", ["0", "00", "0 5\n\nx  ACGTA\n2"])
def test_a_phylip_alignment_of_no_rows_comes_to_an_end(tmp_path, rows):
    for read_it in (read_sequences, aligned_sequences.read_alignments):
        with pytest.raises(InputError, match=r"input\.fa"):
            read_it(write(tmp_path, f" {rows} 5\none  ACGTA\ntwo  ACG-A\n".encode()))
        with pytest.raises(InputError, match=r"input\.fa"):
            read_it(write(tmp_path, b" 2 5\none  ACGTA\ntwo  ACG-A\n-1 5\none  ACGTA\n"))
    assert len(read_sequences(write(tmp_path, b" 2 5\none  ACGTA\ntwo  ACG-A\n"))) == 2


def test_any_beginning_of_an_alignment_is_read_or_refused(tmp_path):
    for size in range(8, len(CLUSTAL)):
        for read_it in (read_sequences, aligned_sequences.read_alignments):
            with suppress(InputError):
                assert len(read_it(write(tmp_path, CLUSTAL[:size]))) > 0


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        (CLUSTAL.replace(b"ACGTTA", b"ACG"), "row two: 3 columns, but one has 6"),
        (CLUSTAL.replace(b"two", b"   "), "line 5: this line has no name"),
        (CLUSTAL + b"\none\n", "line 8: 'one' is not a name followed by letters"),
        (b"CLUSTAL X", "the alignment is empty"),
    ],
)
def test_a_damaged_clustal_alignment_has_a_reason(tmp_path, damaged, reason):
    with pytest.raises(InputError, match=reason):
        aligned_sequences.read_alignments(write(tmp_path, damaged))


@pytest.mark.parametrize("text", [genbank().encode(), b">a\nACGT\n", b"@a\nAC\n+\nII\n"])
def test_reading_records_can_be_cancelled(text):
    monitor = Monitor()
    monitor.cancel()
    with pytest.raises(Cancelled):
        list(reading.read_records(iter([text * 3]), "a source", monitor))


@pytest.fixture
def _small_limit(monkeypatch):
    """Files may unpack to 1 MiB."""
    monkeypatch.setenv(memory.UNPACKED_VARIABLE, str(2**-10))


@pytest.mark.usefixtures("_small_limit")
def test_what_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    bomb = gzip.compress(b">bomb\n" + b"A" * 3 * 2**20, mtime=0)
    message = refusal(write(tmp_path, bomb, "b.fa.gz"))
    for part in ("b.fa.gz", "at most 1.0 MiB", "3.0 MiB by its own account", memory.UNPACKED_VARIABLE, "Preferences"):
        assert part in message
    with pytest.raises(InputError, match=r"standard input: compressed input may hold at most 1\.0 MiB"):
        read_sequence_stream(BufferedReader(Piped(bomb)), "standard input")
    assert len(read_sequences(write(tmp_path, gzip.compress(b">one\n" + b"A" * 2**19, mtime=0)))[0]) == 2**19
    monkeypatch.setenv(memory.UNPACKED_VARIABLE, "1")
    assert len(read_sequences(write(tmp_path, bomb))[0]) == 3 * 2**20


def test_the_limit_is_kept_and_the_environment_goes_before_it(monkeypatch):
    monkeypatch.delenv(memory.UNPACKED_VARIABLE, raising=False)
    assert memory.unpacked_limit() == memory.UNPACKED_LIMIT
    memory.set_unpacked_limit(5 * 2**30)
    memory.set_disk_limit(7 * 2**30)
    assert (memory.unpacked_limit(), memory.disk_limit()) == (5 * 2**30, 7 * 2**30)
    for text, expected in (("2", 2 * 2**30), ("0.5", 2**29), ("inf", memory.MOST_GIB * 2**30), ("x", 5 * 2**30)):
        monkeypatch.setenv(memory.UNPACKED_VARIABLE, text)
        assert memory.unpacked_limit() == expected


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"", "empty"), (b"BZh91AY", "bzip2 .*truncated"), (gzip.compress(TWO, mtime=0)[:20], "truncated")],
)
def test_a_stream_that_cannot_be_read(data, reason):
    with pytest.raises(InputError, match=f"standard input: .*{reason}"):
        read_sequence_stream(BufferedReader(Piped(data)), "standard input")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of POSIX")
@pytest.mark.parametrize("kind", [SEQUENCE, TREE])
def test_a_device_that_never_ends_is_refused(kind):
    with pytest.raises(InputError, match="/dev/zero: this is a device"):
        kind.read(Path("/dev/zero"), None)


def test_half_a_letter_may_be_pasted():
    assert data_loading.parse_text(">on\ud800e\nACGT\n")[0].name == "on?e"
    assert data_loading.parse_text("(a\udfff,b);")[0].taxa == ("a?", "b")


def test_a_file_of_one_line_is_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(line_blocks, "BLOCK_BYTES", 1000)
    told = []
    path = write(tmp_path, b">one\n" + b"ACGT" * 25_000)
    (found,) = read_sequences(path, monitor=Monitor(lambda *far: told.append(far)))
    assert found.letters == b"ACGT" * 25_000
    assert len(told) > 50 and told[-1][0] == told[-1][1]


def test_a_long_word_of_digits_is_looked_at_once():
    with pytest.raises(InputError, match="is not a sequence letter"):
        read_sequence_text("x " + "1" * 200_000 + "!")


def test_changes_of_many_sequences_are_told_together(tmp_path):
    found = read_sequences(write(tmp_path, b">a\nMK--VL.A-\n>b\nMKVLW*\n>c\nM" + b"-" * 2000 + b"KVLWE*\n>d\nMKVLWE\n"))
    gaps, stops = reading_notes(found)
    assert gaps == "2,004 gaps removed from 2 sequences"
    assert stops == "stop * at the end removed from 2 sequences"
    assert reading_notes(found[:1]) == ("4 gaps removed",)
    assert reading_notes(found[3:]) == ()


def test_damaged_gzip(tmp_path):
    packed = bytearray(gzip.compress(TWO * 20, mtime=0))
    packed[30] ^= 0xFF
    assert "damaged" in refusal(write(tmp_path, bytes(packed)))


@pytest.mark.parametrize("data", ["\u2713 ready\n".encode(), b"not packed\n", b"<html>gone</html>", b"\x00\x01\x02"])
@pytest.mark.parametrize(
    ("suffix", "program"), [("gz", "gzip"), ("BZ2", "bzip2"), ("xz", "xz"), ("zip", "zip"), ("zst", "zstd")]
)
def test_what_is_named_as_packed_and_is_not(tmp_path, suffix, program, data):
    message = refusal(write(tmp_path, data, f"input.fa.{suffix}"))
    assert f"input.fa.{suffix}: the name says {program}" in message


def test_a_file_that_was_unpacked_under_its_old_name_is_read(tmp_path):
    assert [found.name for found in read_sequences(write(tmp_path, TWO, "input.fa.gz"))] == ["one", "two"]
    assert "empty" in refusal(write(tmp_path, b"", "input.fa.gz"))


def test_missing_file_and_folder(tmp_path):
    assert "no such file" in refusal(tmp_path / "nothing.fa")
    assert "folder" in refusal(tmp_path)


def test_no_permission(tmp_path, monkeypatch):
    def refuse(*_, **how):
        raise PermissionError(errno.EACCES, "Permission denied")

    path = write(tmp_path, TWO)
    path.chmod(0)
    if os.access(path, os.R_OK):  # root may read everything
        monkeypatch.setattr("builtins.open", refuse)
    assert "permission" in refusal(path)


def test_a_record_may_be_empty_where_others_are_not() -> None:
    found = sequences.read_sequence_text(">one\nAC\n>two\n\n>three\n--\n>four\nACDEFGHIKL\n")
    assert [(one.name, one.letters) for one in found] == [
        ("one", b"AC"),
        ("two", b""),
        ("three", b""),
        ("four", b"ACDEFGHIKL"),
    ]
    assert {one.type for one in found} == {SequenceType.PROTEIN}
    assert found[1].summary == "0 letters, protein" and sequences.letter_composition(found[1]) == {}


def test_nexus_takes_every_letter_of_proteins() -> None:
    head = "#NEXUS\nbegin data;\ndimensions ntax=2 nchar=8;\nformat datatype=protein gap=-;\nmatrix\n"
    text = f"{head}a ACDJOUKL\nb ACD-OUKL\n;\nend;\n"
    found = sequences.read_sequence_text(text)
    assert [(one.name, one.letters, one.note) for one in found] == [
        ("a", b"ACDJOUKL", ""),
        ("b", b"ACDOUKL", "1 gap removed"),
    ]


def test_the_rows_of_maf_are_sequences() -> None:
    text = "##maf version=1\na score=1\ns hg.chr1 0 4 + 100 ACGT\ns mm.chr2 0 4 + 100 AC-T\n\n"
    assert [(one.name, one.letters) for one in sequences.read_sequence_text(text)] == [
        ("hg.chr1", b"ACGT"),
        ("mm.chr2", b"ACT"),
    ]
