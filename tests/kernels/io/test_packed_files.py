"""Compressed files of all kinds, in and out, and what is said of those that cannot be read."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import tarfile
import zipfile
from collections.abc import Callable
from io import BufferedReader
from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels import memory
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import alignment_writer, distance_files, files, packed_files, tree_files
from antidiag.kernels.io.distance_matrix import make_distance_matrix
from antidiag.kernels.io.sequences import read_sequence_stream, read_sequences
from antidiag.kernels.registry import data_loading, result_saving
from tests.kernels.io.sequence_files import TWO, Piped, refusal, write

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def zipped(*files: tuple[str, bytes]) -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return found.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1}),
    ".zip": lambda data: zipped(("input.fa", data)),
}
EACH = pytest.mark.parametrize("suffix", PACKERS)


@EACH
def test_compressed_sequences_are_read_by_their_content(tmp_path, suffix):
    data = PACKERS[suffix](TWO)
    for name in (f"input.fa{suffix}", "input.fa"):
        assert [one.letters for one in read_sequences(write(tmp_path, data, name))] == [b"ACGTACGTNN", b"TTGACA"]
    found = read_sequence_stream(BufferedReader(Piped(data)), "standard input")
    assert [one.name for one in found] == ["one", "two"]


@EACH
def test_all_kinds_of_data_are_written_and_read(tmp_path, suffix):
    sequences = read_sequences(write(tmp_path, TWO))
    result_saving.write_sequences(tmp_path / f"a.fa{suffix}", sequences)
    assert [one.name for one in data_loading.read_data(tmp_path / f"a.fa{suffix}")] == ["one", "two"]
    (alignment,) = data_loading.read_data(write(tmp_path, b">a\nAC-GT\n>b\nACGGT\n", "b.fa"))
    for ending in (".aln", ".sto", ".phy"):
        alignment_writer.write_alignments(tmp_path / f"b{ending}{suffix}", [alignment])
        (again,) = data_loading.read_data(tmp_path / f"b{ending}{suffix}")
        assert (again, again.name) == (alignment, "b")
    (tree,) = tree_files.parse_trees("((a:1,b:2):1,c:1);", name="t")
    for ending in (".nwk", ".nex"):
        tree_files.write_trees(tmp_path / f"t{ending}{suffix}", [tree])
        assert data_loading.read_data(tmp_path / f"t{ending}{suffix}")[0].taxa == ("a", "b", "c")
    matrix = make_distance_matrix(("a", "b"), np.array([[0.0, 2.0], [2.0, 0.0]]))
    for ending in (".phy", ".npy"):
        distance_files.write_distances(tmp_path / f"d{ending}{suffix}", matrix)
        assert data_loading.read_data(tmp_path / f"d{ending}{suffix}") == [matrix], ending
    files.write_lines(tmp_path / f"e.csv{suffix}", ["u,v,1\n", "v,w,2\n"])
    assert data_loading.read_data(tmp_path / f"e.csv{suffix}")[0].names == ("u", "v", "w")


@EACH
def test_damaged_and_truncated_files_are_refused(tmp_path, suffix):
    packed = PACKERS[suffix](b">one\n" + bytes(np.random.default_rng(1).choice(list(b"ACGT"), 5000)) + b"\n")
    for size in (12, len(packed) // 2, len(packed) - 1):
        assert "fetch or copy it again" in refusal(write(tmp_path, packed[:size]))
    for place in range(40, len(packed) - 40, 97):
        changed = bytearray(packed)
        changed[place] ^= 0x55
        message = refusal(write(tmp_path, bytes(changed)))
        assert "fetch or copy it again" in message or "binary" in message


@EACH
def test_what_unpacks_to_too_much_is_refused(tmp_path, suffix, monkeypatch):
    monkeypatch.setenv(memory.UNPACKED_VARIABLE, str(2**-10))
    bomb = PACKERS[suffix](b">bomb\n" + b"A" * 3 * 2**20)
    assert "at most 1.0 MiB" in refusal(write(tmp_path, bomb, f"b.fa{suffix}"))
    with pytest.raises(InputError, match=r"standard input.*at most 1\.0 MiB"):
        read_sequence_stream(BufferedReader(Piped(bomb)), "standard input")
    assert len(read_sequences(write(tmp_path, PACKERS[suffix](b">a\n" + b"A" * 2**19)))[0]) == 2**19


def test_a_compressed_file_in_an_archive_is_read(tmp_path):
    (found,) = read_sequences(write(tmp_path, zipped(("a.fa.gz", gzip.compress(b">a\nACGT\n"))), "x.zip"))
    assert (found.name, found.source) == ("a", str(tmp_path / "x.zip" / "a.fa.gz"))


SEVERAL = zipped(
    ("one.fa", b">a\nACGT\n"), ("more/two.fa", b">b\nAC\n>c\nGG\n"), ("__MACOSX/._one.fa", b"\0"), (".DS_Store", b"\0")
)


def test_all_files_of_an_archive_are_read_and_told(tmp_path):
    path = write(tmp_path, SEVERAL, "x.zip")
    for found in (read_sequences(path), data_loading.read_data(path)):
        assert [one.name for one in found] == ["a", "b", "c"]
        assert found[0].note == f"read 2 files of x.zip: one.fa, {Path('more') / 'two.fa'}"
    assert [one.name for one in read_sequences(path / "more" / "two.fa")] == ["b", "c"]
    assert "no such file" in refusal(path / "three.fa")
    with pytest.raises(InputError, match=r"standard input: the zip archive has 2 files: one\.fa, .*two\.fa"):
        read_sequence_stream(BufferedReader(Piped(SEVERAL)), "standard input")


def test_files_of_different_kinds_are_read_from_one_archive(tmp_path):
    data = zipped(("a.fa", b">a\nACGT\n"), ("t.nwk", b"(a,b);"), ("d.phy", b"2\na 0 1\nb 1 0\n"))
    found = data_loading.read_data(write(tmp_path, data, "x.zip"))
    assert [type(one).__name__ for one in found] == ["Sequence", "Tree", "DistanceMatrix"]
    assert [one.name for one in tree_files.read_trees(tmp_path / "x.zip" / "t.nwk")] == ["t"]


def test_names_of_an_archive_lead_nowhere_else(tmp_path):
    secret = write(tmp_path, b">secret\nACGT\n", "secret.fa")
    data = zipped(("../secret.fa", b">b\nAC\n"), (str(secret), b">c\nGG\n"))
    assert [one.name for one in read_sequences(write(tmp_path, data, "x.zip"))] == ["b", "c"]


def test_archives_that_are_not_read(tmp_path, monkeypatch):
    assert "has no files" in refusal(write(tmp_path, zipped(), "empty.zip"))
    document = zipped(("[Content_Types].xml", b"<x/>"), ("word/document.xml", b"<x/>"))
    assert "office program" in refusal(write(tmp_path, document, "x.docx"))
    many = zipped(*((f"{number}.fa", b">a\nAC\n") for number in range(packed_files.MAX_MEMBERS + 1)))
    assert "1,001 files" in refusal(write(tmp_path, many, "many.zip"))
    monkeypatch.setenv(memory.UNPACKED_VARIABLE, str(2**-10))
    parts = zipped(*((f"{number}.fa", b">a\n" + b"A" * 2**19) for number in range(3)))
    assert "at most 1.0 MiB" in refusal(write(tmp_path, parts, "parts.zip")), "all files together"


def test_a_password_and_a_tar_archive_are_named(tmp_path):
    locked = bytearray(zipped(("a.fa", TWO)))
    for at in (6, locked.index(b"PK\x01\x02") + 8):
        locked[at] |= packed_files.ENCRYPTED
    assert "needs a password" in refusal(write(tmp_path, bytes(locked), "a.zip"))
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as archive:
        archive.add(write(tmp_path, TWO), "input.fa")
    assert "tar archive" in refusal(write(tmp_path, target.getvalue(), "a.tar.gz"))


def test_a_missing_library_for_zstd_is_named(tmp_path, monkeypatch):
    def fail(name):
        raise ImportError(name)

    path = write(tmp_path, PACKERS[".zst"](TWO), "a.fa.zst")
    monkeypatch.setattr(packed_files.importlib, "import_module", fail)
    assert "pip install backports.zstd" in refusal(path)


@pytest.mark.parametrize(
    ("name", "suffix", "stem"),
    [("a.fa", ".fa", "a"), ("a.b.FA.GZ", ".fa", "a.b"), ("a.zip", "", "a"), ("a", "", "a"), ("a.nex.zst", ".nex", "a")],
)
def test_the_suffix_of_the_format(name, suffix, stem):
    assert packed_files.format_suffix(Path(name)) == suffix
    assert packed_files.format_stem(Path(name)) == stem
