"""Databases that are prepared: what is in them, what is refused, and what stays when something goes wrong."""

import gzip
import os

import numpy as np
import pytest

from antidiag.kernels.errors import Cancelled, DiskFull, InputError
from antidiag.kernels.io.sequences import read_sequences
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.search import database as databases
from antidiag.kernels.pairwise.search import database_maker

FASTA = b">one first title\nMKVLA\nTHIS\n>two\nACDEF\n>two other\nGGGGGGGGGGGGGGGGGG\n>one first title\nMKV\n"


def make(folder, content, name="in.fa", **options):
    source = folder / name
    source.write_bytes(content)
    return database_maker.make_database([source], folder / "out.adb", **options)


def test_sequences_are_sorted_and_keep_letters_titles_and_numbers(tmp_path):
    made = make(tmp_path, FASTA).database
    assert (made.count, made.letter_count, made.longest, made.type) == (4, 35, 18, SequenceType.PROTEIN)
    opened = databases.open_database(made)
    assert opened.lengths.tolist() == [18, 9, 5, 3]
    assert opened.order.tolist() == [2, 0, 1, 3]
    sequences = opened.take(np.arange(4))
    assert [one.letters for one in sequences] == [b"G" * 18, b"MKVLATHIS", b"ACDEF", b"MKV"]
    assert [one.name for one in sequences] == ["two other", "one first title", "two", "one first title"]
    assert sequences[1].description == "one first title"


@pytest.mark.parametrize("pack", ["plain", "gzip", "windows"])
def test_plain_packed_and_windows_files_give_one_digest(tmp_path, pack):
    content = {"plain": FASTA, "gzip": gzip.compress(FASTA), "windows": FASTA.replace(b"\n", b"\r\n")}[pack]
    made = make(tmp_path, content, "in.fa.gz" if pack == "gzip" else "in.fa").database
    (tmp_path / "other").mkdir()
    assert made.digest == make(tmp_path / "other", FASTA).database.digest


@pytest.mark.parametrize("limits", [{"BATCH_RECORDS": 2}, {"BATCH_LETTERS": 6}])
def test_sorting_in_small_batches_gives_the_same_database(tmp_path, monkeypatch, limits):
    whole = make(tmp_path, FASTA).database.digest
    for name, value in limits.items():
        monkeypatch.setattr(database_maker, name, value)
    assert make(tmp_path, FASTA).database.digest == whole


def test_blocks_of_the_reader_do_not_cut_records(tmp_path, monkeypatch):
    from antidiag.kernels.io import line_blocks

    monkeypatch.setattr(line_blocks, "BLOCK_BYTES", 64)
    random = np.random.default_rng(1)
    records = [(f"s{number}", random.choice(list("ACDEFGHIKL"), random.integers(1, 200))) for number in range(80)]
    text = "".join(f">{name}\n" + "\n".join("".join(letters)[at : at + 30] for at in range(0, len(letters), 30)) + "\n"
                   for name, letters in records)  # fmt: skip
    opened = databases.open_database(make(tmp_path, text.encode()).database)
    found = {one.name: one.letters.decode() for one in opened.take(np.arange(80))}
    assert found == {name: "".join(letters) for name, letters in records}


def test_a_bad_record_is_named_with_its_line_or_left_out(tmp_path):
    lines = [f">s{number}\nACDEFGHIKL\n" for number in range(1000)]
    lines[700] = ">s700\nACD#EF\n"
    content = "".join(lines).encode()
    with pytest.raises(InputError, match=r"line 1402.*--skip-bad"):
        make(tmp_path, content)
    assert not (tmp_path / "out.adb").exists()
    made = make(tmp_path, content, skip_bad=True)
    assert made.database.count == 999 and made.bad_count == 1 and "line 1402" in made.bad[0]
    assert "1 bad record left out" in made.database.note


def test_equal_titles_are_kept_and_counted(tmp_path):
    assert "2 sequences with the title of another" in make(tmp_path, FASTA).database.note
    (read,) = databases.read_database(tmp_path / "in.fa")
    assert "2 sequences with the title of another" in read.note and read.count == 4


def test_a_changed_database_is_refused(tmp_path):
    made = make(tmp_path, FASTA).database
    path = tmp_path / "out.adb"
    content = bytearray(path.read_bytes())
    content[databases.HEADER_BYTES] ^= 1
    path.write_bytes(content)
    os.utime(path, (10, 10))
    with pytest.raises(InputError, match="changed since it was prepared"):
        databases.open_database(made)
    path.write_bytes(content[:-64])
    with pytest.raises(InputError, match="cut off or changed"):
        databases.read_prepared(path)
    path.write_bytes(b"no database at all")
    with pytest.raises(InputError, match="no prepared database"):
        databases.read_header(path)


def test_a_copy_is_checked_and_accepted(tmp_path):
    made = make(tmp_path, FASTA).database
    os.utime(tmp_path / "out.adb", (10, 10))
    phases = []
    databases.open_database(made, Monitor(lambda done, total, phase: phases.append(phase)))
    assert "checking" in phases


def test_a_changed_source_is_refused_and_a_missing_one_is_not(tmp_path):
    made = make(tmp_path, FASTA).database
    (tmp_path / "in.fa").write_bytes(FASTA + b">new\nACD\n")
    with pytest.raises(InputError, match=r"in.fa changed since .*database make"):
        databases.open_database(made)
    (tmp_path / "in.fa").unlink()
    assert databases.open_database(made).order.size == 4


def test_empty_sequences_and_unknown_letters(tmp_path):
    made = make(tmp_path, b">none\n>some\nACD?EF\n>gaps\nAC-DE*\n").database
    assert made.count == 2 and "1 empty sequence left out" in made.note and "removed" in made.note
    assert [one.letters for one in databases.open_database(made).take(np.arange(2))] == [b"ACDXEF", b"ACDE"]
    with pytest.raises(InputError, match="no sequence"):
        make(tmp_path, b">none\n")


def test_a_full_disk_and_a_cancel_leave_nothing(tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(database_maker, "header_bytes", full)
        with pytest.raises(DiskFull, match="No space left"):
            make(tmp_path, FASTA)
    monitor = Monitor(lambda done, total, phase: monitor.cancel() if phase == "writing" else None)
    with pytest.raises(Cancelled):
        make(tmp_path, FASTA, monitor=monitor)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.fa"]


def test_a_packed_file_may_unpack_to_more_than_the_limit_because_it_streams(tmp_path, monkeypatch):
    from antidiag.kernels import memory

    monkeypatch.setattr(memory, "unpacked_limit", lambda: 100)
    text = b"".join(b">s%d\nACDEFGHIKL\n" % number for number in range(500))
    assert make(tmp_path, gzip.compress(text), "in.fa.gz").database.count == 500


def test_a_fasta_as_it_is_is_the_same_database(tmp_path):
    made = make(tmp_path, FASTA)
    (read,) = databases.read_database(tmp_path / "in.fa")
    assert (read.count, read.letter_count, read.letters) == (4, 35, made.database.letters)
    assert not read.is_prepared and list(read.sequences) == list(read_sequences(tmp_path / "in.fa"))


def test_a_million_records_take_seconds_not_minutes(tmp_path):
    text = b"".join(b">s%d\nACDEFGHIKLMNPQ\n" % number for number in range(200_000))
    assert make(tmp_path, text).database.count == 200_000
