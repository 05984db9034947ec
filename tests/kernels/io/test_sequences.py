"""Reading sequences: what people have in files."""

from __future__ import annotations

import gzip
import os
import threading
from io import BufferedReader

import pytest
from Bio import SeqIO
from Bio.Seq import Seq
from Bio.SeqRecord import SeqRecord
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.io import line_blocks
from antidiag.kernels.io.plain_letters import DoubtfulLetters
from antidiag.kernels.io.sequences import (
    find_sequence,
    gc_fraction,
    guess_type,
    letter_composition,
    read_sequence_stream,
    read_sequence_text,
    read_sequences,
    validate_letters,
    with_type,
)
from antidiag.kernels.io.unique_names import names_of_titles
from antidiag.kernels.model import Sequence
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry.result_saving import write_sequences
from antidiag.kernels.registry.samples import bundled_samples
from tests.kernels.io.sequence_files import (
    DNA,
    LETTERS,
    NAMES,
    PROTEIN,
    RNA,
    TWO,
    Piped,
    genbank,
    refusal,
    write,
)
from tests.problems import DATA


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
    first, second = read_sequences(write(tmp_path, data))
    assert (first.name, first.letters, first.description) == ("one", b"ACGTACGTNN", "one first record")
    assert (second.name, second.letters, second.description) == ("two", b"TTGACA", "two")
    assert {first.type, second.type} == {DNA}
    assert first.source == str(tmp_path / "input.fa")
    assert first.note == ("2 digits removed" if b"1 ACG" in data else "")


@pytest.mark.parametrize("block", [1, 7, 16, 40, 1000])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_records_do_not_depend_on_block_borders(tmp_path, monkeypatch, block, end):
    monkeypatch.setattr(line_blocks, "BLOCK_BYTES", block)
    text = b"".join(b">r%d\n%s\nAC-GT\n\n" % (number, b"ACGT" * number) for number in range(12))
    found = read_sequences(write(tmp_path, text.replace(b"\n", end)))
    assert [(one.name, one.letters) for one in found] == [(f"r{k}", b"ACGT" * k + b"ACGT") for k in range(12)]


def test_gaps_and_final_stop_are_removed_and_said(tmp_path):
    row, protein, both = read_sequences(write(tmp_path, b">row\nMK--VL.A-\n>stop\nMKVLW*\n>inner\nMK*VLW\n"))
    assert (row.letters, row.note) == (b"MKVLA", "4 gaps removed")
    assert (protein.letters, protein.note) == (b"MKVLW", "stop * at the end removed")
    assert (both.letters, both.note) == (b"MK*VLW", "")


def test_names_are_kept_in_full_and_in_order(tmp_path):
    long = "n" * 200
    found = read_sequences(write(tmp_path, f">{long} a b\nAC\n>same\nAC\n>same\nGT\n>\nGG\n>caf\xe9\nAC\n".encode()))
    assert [one.name for one in found] == [long, "same", "same", "unnamed-4", "caf\xe9"]
    assert found[0].description == f"{long} a b"


def test_latin_1_titles_are_read(tmp_path):
    assert read_sequences(write(tmp_path, ">caf\xe9\nAC\n".encode("latin-1")))[0].name == "caf\xe9"


@pytest.mark.parametrize("data", [TWO, TWO.replace(b"\n", b"\r\n"), gzip.compress(TWO, mtime=0)])
def test_a_stream_is_read_as_a_file_is(data):
    found = read_sequence_stream(BufferedReader(Piped(data)), "standard input")
    assert [(one.name, one.letters) for one in found] == [("one", b"ACGTACGTNN"), ("two", b"TTGACA")]
    assert {one.source for one in found} == {"standard input"}


def test_plain_letters_are_one_record(tmp_path):
    (one,) = read_sequences(write(tmp_path, b"  1 acgtacgt 10\n 11 ttga\n", "pasted.txt"))
    assert (one.name, one.letters, one.type) == ("pasted", b"ACGTACGTTTGA", DNA)


def test_pasted_text():
    (one,) = read_sequence_text("MKVLAAGHW")
    assert (one.name, one.letters, one.type, one.source) == ("pasted", b"MKVLAAGHW", PROTEIN, "pasted")
    assert [sequence.name for sequence in read_sequence_text(TWO.decode(), source="clipboard")] == ["one", "two"]
    with pytest.raises(InputError, match="clipboard"):
        read_sequence_text("", source="clipboard")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_genbank(tmp_path, end):
    data = (genbank() + genbank("TTTTGGGGCC")).replace("\n", end).encode()
    found = read_sequences(write(tmp_path, data, "x.gb"))
    assert [one.letters for one in found] == [b"ACGTACGTAA", b"TTTTGGGGCC"]
    assert (found[0].name, found[0].description, found[0].type) == ("AB000001.1", "AB000001.1 A record", DNA)


@pytest.mark.parametrize("format", ["embl", "fastq"])
def test_other_formats_of_biopython(tmp_path, format):
    record = SeqRecord(Seq("ACGTACGTAA"), id="AB000001.1", name="AB000001", description="A record")
    record.annotations["molecule_type"] = "DNA"
    record.letter_annotations["phred_quality"] = [40] * 10
    path = tmp_path / f"x.{format}"
    SeqIO.write(record, path, format)
    (one,) = read_sequences(path)
    assert (one.name, one.letters, one.type) == ("AB000001.1", b"ACGTACGTAA", DNA)


def test_swiss_prot(tmp_path):
    text = (
        "ID   TEST_HUMAN              Reviewed;          10 AA.\nAC   P00001;\nDE   RecName: Full=Test;\n"
        "SQ   SEQUENCE   10 AA;  1111 MW;  0000000000000000 CRC64;\n     ACGTACGTAA\n//\n"
    )
    (one,) = read_sequences(write(tmp_path, text.encode(), "x.txt"))
    assert (one.name, one.letters, one.type) == ("P00001", b"ACGTACGTAA", PROTEIN)


def test_genbank_without_letters(tmp_path):
    text = genbank()
    text = text[: text.index("ORIGIN")] + "CONTIG      join(U00001.1:1..10)\n//\n"
    assert "has no letters" in refusal(write(tmp_path, text.encode(), "x.gb"))


def test_genbank_type_is_the_stated_one(tmp_path):
    assert read_sequences(write(tmp_path, genbank("ACGTACGTAA", "protein").encode()))[0].type == PROTEIN
    assert read_sequences(write(tmp_path, genbank("ACGUACGUAA", "RNA").encode()))[0].type == RNA


def test_types_follow_the_file_where_a_short_record_could_be_either(tmp_path):
    peptide, protein, gene = read_sequences(write(tmp_path, b">a\nACGT\n>b\nMKVLWQERTY\n>c\n" + b"ACGT" * 20))
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
    assert {one.type for one in read_sequences(path, type=PROTEIN)} == {PROTEIN}
    one = read_sequences(path)[0]
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
    shares = letter_composition(one)
    assert list(shares) == sorted(shares) and sum(shares.values()) == pytest.approx(1)
    assert shares["N"] == pytest.approx(2 / 12)
    assert gc_fraction(one) == 0.5
    assert gc_fraction(Sequence("x", b"NNN", DNA)) is None
    assert gc_fraction(Sequence("x", b"GC", PROTEIN)) is None
    assert letter_composition(Sequence("x", b"", DNA)) == {}


def test_find_by_name_number_and_accession():
    many = [Sequence(name, b"AC", DNA) for name in ("a", "b", "a", "sp|P69905|HBA_HUMAN", "#1")]
    assert find_sequence(many, "b") is many[1]
    assert find_sequence(many, "P69905") is many[3]
    assert find_sequence(many, "#3") is many[2]
    assert find_sequence(many, "#1") is many[4], "a name goes before a number"
    with pytest.raises(InputError, match="2 times.*#1, #3"):
        find_sequence(many, "a")
    for wanted in ("#0", "#6", "#", "#x", "zzz", "HBA_HUMANN"):
        with pytest.raises(InputError, match="no record"):
            find_sequence(many, wanted)
    with pytest.raises(InputError, match="empty"):
        find_sequence([], "a")


def test_progress_reaches_the_end_and_cancel_is_heard(tmp_path, monkeypatch):
    monkeypatch.setattr(line_blocks, "BLOCK_BYTES", 64)
    path = write(tmp_path, b">x\nACGTACGT\n" * 200)
    heard = []
    read_sequences(path, monitor=Monitor(lambda done, total, phase: heard.append((done, total))))
    assert heard[-1] == (path.stat().st_size,) * 2
    assert [done for done, _ in heard] == sorted(done for done, _ in heard)
    monitor = Monitor(lambda done, total, phase: monitor.cancel())
    with pytest.raises(Cancelled):
        read_sequences(path, monitor=monitor)


@pytest.mark.skipif(os.name != "posix", reason="named pipes")
def test_a_pipe_can_be_read(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(TWO,), daemon=True)
    writer.start()
    found = read_sequences(path)
    writer.join()
    assert [one.name for one in found] == ["one", "two"]


@given(st.lists(st.tuples(NAMES, NAMES, LETTERS), min_size=1, max_size=8), st.sampled_from(["x.fa", "x.fasta.gz"]))
def test_what_is_written_is_read(tmp_path_factory, records, file_name):
    path = tmp_path_factory.mktemp("round") / file_name
    given_records = [Sequence(name, letters.encode(), PROTEIN, f"{name} {about}") for name, about, letters in records]
    write_sequences(path, given_records)
    found = read_sequences(path, type=PROTEIN)
    names = names_of_titles([one.description for one in given_records])
    assert [(one.name, one.letters, one.description) for one in found] == [
        (name, one.letters, one.description) for name, one in zip(names, given_records, strict=True)
    ]


def test_samples_are_there_and_real():
    by_id = {sample.id: sample.read_data() for sample in bundled_samples()}
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
    for sample in bundled_samples():
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
    found = read_sequences(DATA / name)
    assert len(found) == count
    assert letters is None or sum(map(len, found)) == letters


def test_letters_equal_those_of_biopython():
    path = DATA / "families" / "kringle.fa.gz"
    with gzip.open(path, "rt") as handle:
        expected = [(record.id, bytes(record.seq).upper()) for record in SeqIO.parse(handle, "fasta")]
    assert [(one.name, one.letters) for one in read_sequences(path)] == expected


def test_the_json_of_a_result_is_told_from_a_matrix():
    with pytest.raises(InputError, match=r"pasted: this JSON .*FASTA or Clustal"):
        read_sequence_text('{\n "method": "sloped-bt3",\n "start": [\n  0,\n  0\n ]\n}')


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("3\nA 0 1 2\nB 1 0 3\nC 2 3 0\n", 2),
        ("A 0 0.1\nB 0.1 0\n", 1),
        ("3\nA\nB 1\nC 2 3\n", 4),
        ("2\nA\nB 1\n", 1),
        ("1\nA 0\n", 1),
        ("2\nalpha_human 0 1\nbeta_human 1 0\n", 2),
    ],
)
def test_distance_matrices_are_no_sequences(text: str, line: int) -> None:
    with pytest.raises(InputError, match=f"pasted, line {line}: these are numbers, as in a distance matrix.*nj-pruned"):
        read_sequence_text(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [("a b 0.3\nb c 1.0\n", 1), ("score 0.5 of these words\nACGT\n", 1), ("names first\nb c 2.5\n", 2)],
)
def test_numbers_among_words_are_no_distance_matrix(text: str, line: int) -> None:
    with pytest.raises(InputError, match=f"pasted, line {line}: numbers stand among words") as raised:
        read_sequence_text(text)
    assert "distance" not in str(raised.value)


@pytest.mark.parametrize("text", [">r\n..GCGUGC..GAC&GCUGAGA\n", "GCGUGC&GCUGAGA\n"])
def test_two_strands_in_a_record_are_named(text: str) -> None:
    with pytest.raises(InputError, match="'&' at position .* separates two strands"):
        read_sequence_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "  1 acgtacgt acgtacgt\n 17 acgt\n",
        "acgtacgt acgt 12\nacgtacgt 20\n",
        "1 acgtacgt acgt 12\n13 acgtacgt 20\n",
        "acgtacgtac gtacgtacgt\n        10         20\n",
        "acgt..acgtacgtac\n-gtacgt.\n",
    ],
)
def test_numbered_letters_are_a_sequence(text: str) -> None:
    (found,) = read_sequence_text(text)
    assert found.letters in (b"ACGTACGTACGTACGTACGT",)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("hello world this is text", 1),
        ("See you at the\nnext station of it", 1),
        ("Hello", 1),
        ("SEQ ACGTACGT", 1),
        ("seq1 ACGTACGT", 1),
        ("alice\tbobb\ncarol\talice", 1),
        ("my sequence\nACGTACGT", 1),
        ("PLASMID\nACGTACG", 1),
        ("ORIGIN\n    1 acgtacgtac gtacgtacgt\n   21 acgt\n", 1),
        ("MKVLAAG\nMKVLAAGIVR\nMKV", 2),
        ("ACGTACGTAC\nACGTACGTTC", 2),
    ],
)
def test_letters_in_doubt_are_refused_unless_somebody_decides(text: str, line: int) -> None:
    with pytest.raises(DoubtfulLetters, match=rf"pasted, line {line}: .*give FASTA, with a line >name"):
        read_sequence_text(text)
    (found,) = read_sequence_text(text, any_letters=True)
    assert len(found) >= sum(map(str.isalpha, text))


@pytest.mark.parametrize(
    "text",
    [
        "MKVLAAGIVGLCAKAYLQ",
        "MKVLAAGIVG LCAKAYLQEA TWY",
        "1 MKVLAAGIVG LCAKAYLQEA 21 TWY",
        "ACG TACGTAC GT ACGTTA",
        "ATG GCC TAA\nATG GCC",
        "ACGTTTGGCC\nTTGACCATGA\nACGT",
    ],
)
def test_a_line_or_a_block_of_letters_is_one_sequence(text: str) -> None:
    (found,) = read_sequence_text(text)
    assert found.letters.decode() == "".join(filter(str.isalpha, text))
