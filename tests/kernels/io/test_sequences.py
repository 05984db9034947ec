"""Reading sequences: what people have in files, and what is wrong with some of them."""

from __future__ import annotations

import errno
import gzip
import os
import threading
from contextlib import suppress
from io import BufferedReader, BytesIO, StringIO
from pathlib import Path

import numpy as np
import pytest
from Bio import SeqIO
from Bio.Seq import Seq
from Bio.SeqRecord import SeqRecord
from hypothesis import given
from hypothesis import strategies as st

from kernels import memory
from kernels.errors import Cancelled, InputError
from kernels.io import aligned
from kernels.io import records as reading
from kernels.io.fence import Fenced
from kernels.io.sequences import (
    SEQUENCE,
    composition,
    find,
    gc_fraction,
    guess_type,
    read,
    read_stream,
    read_text,
    validate_letters,
    what_reading_changed,
    with_type,
)
from kernels.io.tree_files import TREE
from kernels.model import Sequence, SequenceType
from kernels.monitor import Monitor
from kernels.registry import loading
from kernels.registry.samples import samples
from kernels.registry.saving import write_sequences
from tests.problems import DATA

DNA, RNA, PROTEIN = SequenceType.DNA, SequenceType.RNA, SequenceType.PROTEIN
TWO = b">one first record\nACGTAC\nGTNN\n>two\nTTGACA\n"


def write(folder: Path, data: bytes, name: str = "input.fa") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def refusal(path: Path, **options) -> str:
    with pytest.raises(InputError) as error:
        read(path, **options)
    return str(error.value)


@pytest.mark.parametrize(
    "data",
    [
        TWO,
        TWO.rstrip(b"\n"),
        TWO.replace(b"\n", b"\r\n"),
        TWO.replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + TWO,
        b"\n\n  " + TWO,
        TWO.replace(b"ACGTAC", b"acg TAC\t"),
        TWO.replace(b"ACGTAC", b"1 ACG 4 TAC"),
        TWO.replace(b"GTNN\n", b"\nGTNN\n\n\n"),
        gzip.compress(TWO, mtime=0),
        gzip.compress(TWO[:20], mtime=0) + gzip.compress(TWO[20:], mtime=0),
    ],
)
def test_the_same_records_however_the_file_was_made(tmp_path, data):
    first, second = read(write(tmp_path, data))
    assert (first.name, first.letters, first.description) == ("one", b"ACGTACGTNN", "one first record")
    assert (second.name, second.letters, second.description) == ("two", b"TTGACA", "two")
    assert {first.type, second.type} == {DNA}
    assert first.source == str(tmp_path / "input.fa")
    assert not first.note


@pytest.mark.parametrize("block", [1, 7, 16, 40, 1000])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_records_do_not_depend_on_block_borders(tmp_path, monkeypatch, block, end):
    monkeypatch.setattr(reading, "BLOCK", block)
    text = b"".join(b">r%d\n%s\nAC-GT\n\n" % (number, b"ACGT" * number) for number in range(12))
    found = read(write(tmp_path, text.replace(b"\n", end)))
    assert [(one.name, one.letters) for one in found] == [(f"r{k}", b"ACGT" * k + b"ACGT") for k in range(12)]


def test_gaps_and_final_stop_are_removed_and_said(tmp_path):
    row, protein, both = read(write(tmp_path, b">row\nMK--VL.A-\n>stop\nMKVLW*\n>inner\nMK*VLW\n"))
    assert (row.letters, row.note) == (b"MKVLA", "4 gaps removed")
    assert (protein.letters, protein.note) == (b"MKVLW", "stop * at the end removed")
    assert (both.letters, both.note) == (b"MK*VLW", "")


def test_names_are_kept_in_full_and_in_order(tmp_path):
    long = "n" * 200
    found = read(write(tmp_path, f">{long} a b\nAC\n>same\nAC\n>same\nGT\n>\nGG\n>caf\xe9\nAC\n".encode()))
    assert [one.name for one in found] == [long, "same", "same", "unnamed-4", "caf\xe9"]
    assert found[0].description == f"{long} a b"


def test_latin_1_titles_are_read(tmp_path):
    assert read(write(tmp_path, ">caf\xe9\nAC\n".encode("latin-1")))[0].name == "caf\xe9"


@pytest.mark.parametrize(
    ("data", "parts"),
    [
        (b"", ["empty"]),
        (b" \n\n", ["empty"]),
        (b"hello\n>one\nAC\n", ["line 1", "before the first '>'"]),
        (b">one\nAC\n>two\n\n>three\nAC\n", ["line 3", "record two", "no letters"]),
        (b">one\n--\n", ["line 1", "record one", "no letters"]),
        (b">one\nACGT\nAC!GT\n", ["line 3", "record one", "'!'", "position 7"]),
        (
            b">one\n" + b"ACGT\n" * 10 + b">two\r\nAC\r\nA\xc3\xa9C\r\n",
            ["line 14", "record two", "'\xe9'", "position 4"],
        ),
        (b">one\nAC\0GT\n", ["binary"]),
        (bytes(range(1, 256)), ["line 1"]),
        (b"\x89PNG\r\n\x1a\n\0\0", ["binary"]),
        (TWO.decode().encode("utf-16"), ["UTF-16"]),
        (b"BZh91AY&SY", ["bzip2", "unpack"]),
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


CLUSTAL = b"CLUSTAL W (1.8)\n\n\none  ACGT-A\ntwo  ACGTTA\n     **** *\n"


@pytest.mark.parametrize("data", [b"CLUSTAL X", b"CLUSTAL W\n", b"CLUSTAL\n\n\n", b"CLUSTAL (3.8)\n\n \n"])
def test_a_clustal_file_without_rows_comes_to_an_end(tmp_path, data):
    for read_it in (read, aligned.read):
        with pytest.raises(InputError, match=r"input\.fa"):
            read_it(write(tmp_path, data))


@pytest.mark.parametrize("rows", ["0", "00", "0 5\n\nx  ACGTA\n2"])
def test_a_phylip_alignment_of_no_rows_comes_to_an_end(tmp_path, rows):
    assert "an alignment of 0" in refusal(write(tmp_path, f" {rows} 5\none  ACGTA\ntwo  ACG-A\n".encode()))
    with pytest.raises(InputError, match="line 4: an alignment of -1 rows"):
        read(write(tmp_path, b" 2 5\none  ACGTA\ntwo  ACG-A\n-1 5\none  ACGTA\n"))
    assert len(read(write(tmp_path, b" 2 5\none  ACGTA\ntwo  ACG-A\n"))) == 2


def test_any_beginning_of_an_alignment_is_read_or_refused(tmp_path):
    for size in range(8, len(CLUSTAL)):
        for read_it in (read, aligned.read):
            with suppress(InputError):
                assert len(read_it(write(tmp_path, CLUSTAL[:size]))) > 0


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        (CLUSTAL.replace(b"ACGTTA", b"ACG"), "row two: 3 columns, and one has 6"),
        (CLUSTAL.replace(b"two", b"   "), "line 5: a line without a name"),
        (CLUSTAL + b"\none\n", "line 8: 'one' is no name with letters"),
        (b"CLUSTAL X", "the alignment is empty"),
    ],
)
def test_a_damaged_clustal_alignment_has_a_reason(tmp_path, damaged, reason):
    with pytest.raises(InputError, match=reason):
        aligned.read(write(tmp_path, damaged))


def test_reading_by_biopython_can_be_cancelled():
    monitor = Monitor()
    text = Fenced(CLUSTAL.decode() * 1000, monitor)
    monitor.cancel()
    with pytest.raises(Cancelled):
        list(text)
    with pytest.raises(Cancelled):
        list(reading.records(iter([b"LOCUS       A\n" + b"x\n" * 5000]), "a source", monitor))


@pytest.fixture
def _small_limit(monkeypatch):
    """Files may unpack to 1 MiB."""
    monkeypatch.setenv(memory.UNPACKED_VARIABLE, str(2**-10))


@pytest.mark.usefixtures("_small_limit")
def test_what_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    bomb = gzip.compress(b">bomb\n" + b"A" * 3 * 2**20, mtime=0)
    message = refusal(write(tmp_path, bomb, "b.fa.gz"))
    for part in ("b.fa.gz", "more than 1.0 MiB", "3.0 MiB by its own account", memory.UNPACKED_VARIABLE, "Preferences"):
        assert part in message
    with pytest.raises(InputError, match=r"standard input: unpacked .* more than 1\.0 MiB, the most"):
        read_stream(BufferedReader(Piped(bomb)), "standard input")
    assert len(read(write(tmp_path, gzip.compress(b">one\n" + b"A" * 2**19, mtime=0)))[0]) == 2**19
    monkeypatch.setenv(memory.UNPACKED_VARIABLE, "1")
    assert len(read(write(tmp_path, bomb))[0]) == 3 * 2**20


def test_the_limit_is_kept_and_the_environment_goes_before_it(monkeypatch):
    monkeypatch.delenv(memory.UNPACKED_VARIABLE, raising=False)
    assert memory.unpacked_limit() == memory.UNPACKED_LIMIT
    memory.set_unpacked_limit(5 * 2**30)
    memory.set_disk_limit(7 * 2**30)
    assert (memory.unpacked_limit(), memory.disk_limit()) == (5 * 2**30, 7 * 2**30)
    for text, expected in (("2", 2 * 2**30), ("0.5", 2**29), ("inf", memory.MOST_GIB * 2**30), ("x", 5 * 2**30)):
        monkeypatch.setenv(memory.UNPACKED_VARIABLE, text)
        assert memory.unpacked_limit() == expected


class Piped(BytesIO):
    """Bytes as they come from a pipe."""

    def seekable(self):
        return False


@pytest.mark.parametrize("data", [TWO, TWO.replace(b"\n", b"\r\n"), gzip.compress(TWO, mtime=0)])
def test_a_stream_is_read_as_a_file_is(data):
    found = read_stream(BufferedReader(Piped(data)), "standard input")
    assert [(one.name, one.letters) for one in found] == [("one", b"ACGTACGTNN"), ("two", b"TTGACA")]
    assert {one.source for one in found} == {"standard input"}


@pytest.mark.parametrize(
    ("data", "reason"), [(b"", "empty"), (b"BZh91AY", "bzip2"), (gzip.compress(TWO, mtime=0)[:20], "truncated")]
)
def test_a_stream_that_cannot_be_read(data, reason):
    with pytest.raises(InputError, match=f"standard input: .*{reason}"):
        read_stream(BufferedReader(Piped(data)), "standard input")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of POSIX")
@pytest.mark.parametrize("kind", [SEQUENCE, TREE])
def test_a_device_that_never_ends_is_refused(kind):
    with pytest.raises(InputError, match="/dev/zero: this is a device"):
        kind.read(Path("/dev/zero"), None)


def test_half_a_letter_may_be_pasted():
    assert loading.read_text(">on\ud800e\nACGT\n")[0].name == "on?e"
    assert loading.read_text("(a\udfff,b);")[0].taxa == ("a?", "b")


def test_a_file_of_one_line_is_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "BLOCK", 1000)
    told = []
    path = write(tmp_path, b">one\n" + b"ACGT" * 25_000)
    (found,) = read(path, monitor=Monitor(lambda *far: told.append(far)))
    assert found.letters == b"ACGT" * 25_000
    assert len(told) > 50 and told[-1][0] == told[-1][1]


def test_a_long_word_of_digits_is_looked_at_once():
    with pytest.raises(InputError, match="is no letter"):
        read_text("x " + "1" * 200_000 + "!")


def test_changes_of_many_sequences_are_told_together(tmp_path):
    found = read(write(tmp_path, b">a\nMK--VL.A-\n>b\nMKVLW*\n>c\nM" + b"-" * 2000 + b"KVLWE*\n>d\nMKVLWE\n"))
    gaps, stops = what_reading_changed(found)
    assert gaps == "2,004 gaps removed from 2 sequences"
    assert stops == "stop * at the end removed from 2 sequences"
    assert what_reading_changed(found[:1]) == ("4 gaps removed",)
    assert what_reading_changed(found[3:]) == ()


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
    assert f"input.fa.{suffix}: this is not a {program} file" in message


def test_a_file_that_was_unpacked_under_its_old_name_is_read(tmp_path):
    assert [found.name for found in read(write(tmp_path, TWO, "input.fa.gz"))] == ["one", "two"]
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


def test_plain_letters_are_one_record(tmp_path):
    (one,) = read(write(tmp_path, b"  1 acgtacgt 10\n 11 ttga\n", "pasted.txt"))
    assert (one.name, one.letters, one.type) == ("pasted", b"ACGTACGTTTGA", DNA)


def test_pasted_text():
    (one,) = read_text("MKVLAAGHW")
    assert (one.name, one.letters, one.type, one.source) == ("pasted", b"MKVLAAGHW", PROTEIN, "pasted")
    assert [sequence.name for sequence in read_text(TWO.decode(), source="clipboard")] == ["one", "two"]
    with pytest.raises(InputError, match="clipboard"):
        read_text("", source="clipboard")


def genbank(letters: str = "ACGTACGTAA", molecule: str = "DNA") -> str:
    record = SeqRecord(Seq(letters), id="AB000001.1", name="AB000001", description="A record")
    record.annotations["molecule_type"] = molecule
    text = StringIO()
    SeqIO.write(record, text, "genbank")
    return text.getvalue()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_genbank(tmp_path, end):
    data = (genbank() + genbank("TTTTGGGGCC")).replace("\n", end).encode()
    found = read(write(tmp_path, data, "x.gb"))
    assert [one.letters for one in found] == [b"ACGTACGTAA", b"TTTTGGGGCC"]
    assert (found[0].name, found[0].description, found[0].type) == ("AB000001.1", "AB000001.1 A record", DNA)


@pytest.mark.parametrize("format", ["embl", "fastq"])
def test_other_formats_of_biopython(tmp_path, format):
    record = SeqRecord(Seq("ACGTACGTAA"), id="AB000001.1", name="AB000001", description="A record")
    record.annotations["molecule_type"] = "DNA"
    record.letter_annotations["phred_quality"] = [40] * 10
    path = tmp_path / f"x.{format}"
    SeqIO.write(record, path, format)
    (one,) = read(path)
    assert (one.name, one.letters, one.type) == ("AB000001.1", b"ACGTACGTAA", DNA)


def test_swiss_prot(tmp_path):
    text = (
        "ID   TEST_HUMAN              Reviewed;          10 AA.\nAC   P00001;\nDE   RecName: Full=Test;\n"
        "SQ   SEQUENCE   10 AA;  1111 MW;  0000000000000000 CRC64;\n     ACGTACGTAA\n//\n"
    )
    (one,) = read(write(tmp_path, text.encode(), "x.txt"))
    assert (one.name, one.letters, one.type) == ("P00001", b"ACGTACGTAA", PROTEIN)


def test_genbank_without_letters(tmp_path):
    text = genbank()
    text = text[: text.index("ORIGIN")] + "CONTIG      join(U00001.1:1..10)\n//\n"
    assert "without the letters" in refusal(write(tmp_path, text.encode(), "x.gb"))


def test_genbank_type_is_the_stated_one(tmp_path):
    assert read(write(tmp_path, genbank("ACGTACGTAA", "protein").encode()))[0].type == PROTEIN
    assert read(write(tmp_path, genbank("ACGUACGUAA", "RNA").encode()))[0].type == RNA


def test_types_follow_the_file_where_a_short_record_could_be_either(tmp_path):
    peptide, protein, gene = read(write(tmp_path, b">a\nACGT\n>b\nMKVLWQERTY\n>c\n" + b"ACGT" * 20))
    assert [peptide.type, protein.type, gene.type] == [PROTEIN, PROTEIN, DNA]


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        (b"ACGT", DNA),
        (b"acgu", RNA),
        (
            b"ACGTRYSWKMBDHVNACGTACGTACGTAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            DNA,
        ),
        (b"N" * 50, DNA),
        (b"MKVLW", PROTEIN),
        (b"GAVLIMCFYWHKRQNEDST", PROTEIN),
        (b"MSKDGR", PROTEIN),
        (b"N" * 5_000_000 + b"ACGT" * 500, DNA),
    ],
)
def test_guess_type(letters, expected):
    assert guess_type(letters) == expected


def test_type_can_be_chosen_and_changed(tmp_path):
    path = write(tmp_path, TWO)
    assert {one.type for one in read(path, type=PROTEIN)} == {PROTEIN}
    one = read(path)[0]
    assert with_type(one, PROTEIN).type == PROTEIN
    assert with_type(one, RNA).type == RNA
    with pytest.raises(InputError, match="'L' at position 3"):
        with_type(Sequence("x", b"ACLT", PROTEIN), DNA)


def test_validate_letters_names_record_and_position():
    validate_letters(Sequence("good", b"ACGTNRYX", DNA))
    with pytest.raises(InputError, match=r"bad.*'-' at position 1,?001"):
        validate_letters(Sequence("bad", b"A" * 1000 + b"-A", PROTEIN))


def test_composition_and_gc():
    one = Sequence("x", b"GGCCSAATTWNN", DNA)
    shares = composition(one)
    assert list(shares) == sorted(shares) and sum(shares.values()) == pytest.approx(1)
    assert shares["N"] == pytest.approx(2 / 12)
    assert gc_fraction(one) == 0.5
    assert gc_fraction(Sequence("x", b"NNN", DNA)) is None
    assert gc_fraction(Sequence("x", b"GC", PROTEIN)) is None
    assert composition(Sequence("x", b"", DNA)) == {}


def test_find_by_name_number_and_accession():
    many = [Sequence(name, b"AC", DNA) for name in ("a", "b", "a", "sp|P69905|HBA_HUMAN", "#1")]
    assert find(many, "b") is many[1]
    assert find(many, "P69905") is many[3]
    assert find(many, "#3") is many[2]
    assert find(many, "#1") is many[4], "a name goes before a number"
    with pytest.raises(InputError, match="2 times.*#1, #3"):
        find(many, "a")
    for wanted in ("#0", "#6", "#", "#x", "zzz", "HBA_HUMANN"):
        with pytest.raises(InputError, match="no record"):
            find(many, wanted)
    with pytest.raises(InputError, match="empty"):
        find([], "a")


def test_progress_reaches_the_end_and_cancel_is_heard(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "BLOCK", 64)
    path = write(tmp_path, b">x\nACGTACGT\n" * 200)
    heard = []
    read(path, monitor=Monitor(lambda done, total, phase: heard.append((done, total))))
    assert heard[-1] == (path.stat().st_size,) * 2
    assert [done for done, _ in heard] == sorted(done for done, _ in heard)
    monitor = Monitor(lambda done, total, phase: monitor.cancel())
    with pytest.raises(Cancelled):
        read(path, monitor=monitor)


@pytest.mark.skipif(os.name != "posix", reason="named pipes")
def test_a_pipe_can_be_read(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(TWO,))
    writer.start()
    found = read(path)
    writer.join()
    assert [one.name for one in found] == ["one", "two"]


NAMES = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=30)
LETTERS = st.text("ACDEFGHIKLMNPQRSTVWY", min_size=1, max_size=200)


@given(st.lists(st.tuples(NAMES, NAMES, LETTERS), min_size=1, max_size=8), st.sampled_from(["x.fa", "x.fasta.gz"]))
def test_what_is_written_is_read(tmp_path_factory, records, file_name):
    path = tmp_path_factory.mktemp("round") / file_name
    given_records = [Sequence(name, letters.encode(), PROTEIN, f"{name} {about}") for name, about, letters in records]
    write_sequences(path, given_records)
    found = read(path, type=PROTEIN)
    assert [(one.name, one.letters, one.description) for one in found] == [
        (one.name, one.letters, one.description) for one in given_records
    ]


def test_samples_are_there_and_real():
    by_id = {sample.id: sample.read() for sample in samples()}
    assert [len(one) for one in by_id["haemoglobin-pair"]] == [141, 146]
    assert [len(one) for one in by_id["globin-triple"]] == [141, 146, 153]
    assert [len(one) for one in by_id["cpg-clone"]] == [8, 20612]
    assert [len(one) for one in by_id["yeast-trna"]] == [76]
    assert [len(one) for one in by_id["five-vertices"]] == [5]
    assert [len(one) for one in by_id["globins"][:2]] == [141, 141] and len(by_id["globins"]) == 24
    assert [len(one) for one in by_id["mitochondria"]] == [16569, 16548]
    assert [len(one) for one in by_id["phages"]] == [48502, 48502]
    assert [len(one) for one in by_id["globin-distances"]] == [24]
    assert by_id["mitochondria"][0].letters.find(b"N") == 3106
    for sample in samples():
        assert sample.source and sample.title and sample.description
        expected = PROTEIN if "globin" in sample.id else RNA if "rna" in sample.id else DNA
        assert {one.type for one in by_id[sample.id] if isinstance(one, Sequence)} <= {expected}


@pytest.mark.parametrize(
    ("name", "count", "letters"),
    [
        ("families/kringle.fa.gz", 1091, None),
        ("dna/chlamydia_GCF_000026905.1_ASM2690v1.fna.gz", 1, 1044282),
        ("dna/H_pylori26695_Eslice.fasta.gz", 1, 275287),
        ("families/globins45.ali", 45, None),
        ("families/BB11002.msf", 8, None),
    ],
)
def test_real_files(name, count, letters):
    found = read(DATA / name)
    assert len(found) == count
    assert letters is None or sum(map(len, found)) == letters


def test_letters_equal_those_of_biopython():
    path = DATA / "families" / "kringle.fa.gz"
    with gzip.open(path, "rt") as handle:
        expected = [(record.id, bytes(record.seq).upper()) for record in SeqIO.parse(handle, "fasta")]
    assert [(one.name, one.letters) for one in read(path)] == expected


def test_the_json_of_a_result_is_told_from_a_matrix():
    with pytest.raises(InputError, match=r"pasted: JSON, .*FASTA or Clustal"):
        read_text('{\n "method": "sloped-bt3",\n "start": [\n  0,\n  0\n ]\n}')


@pytest.mark.parametrize(("text", "line"), [
    ("3\nA 0 1 2\nB 1 0 3\nC 2 3 0\n", 2),
    ("A 0 0.1\nB 0.1 0\n", 1),
    ("3\nA\nB 1\nC 2 3\n", 4),
    ("2\nA\nB 1\n", 1),
    ("1\nA 0\n", 1),
    ("2\nalpha_human 0 1\nbeta_human 1 0\n", 2),
])  # fmt: skip
def test_distance_matrices_are_no_sequences(text: str, line: int) -> None:
    with pytest.raises(InputError, match=f"pasted, line {line}: numbers, as in a distance matrix; .*nj-pruned"):
        read_text(text)


@pytest.mark.parametrize("text", [
    "  1 acgtacgt acgtacgt\n 17 acgt\n",
    "acgtacgt acgt 12\nacgtacgt 20\n",
    "1 acgtacgt acgt 12\n13 acgtacgt 20\n",
    "acgtacgtac gtacgtacgt\n        10         20\n",
    "acgt..acgt\n-.acgtacgtacgt\n",
])  # fmt: skip
def test_numbered_letters_are_a_sequence(text: str) -> None:
    (found,) = read_text(text)
    assert found.letters in (b"ACGTACGTACGTACGTACGT",)
