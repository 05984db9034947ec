"""Formats of sequences that are no alignments, as databases, sequencers and people write them."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.sequences import read_sequence_text, read_sequences, reading_notes
from antidiag.kernels.model import Sequence
from antidiag.kernels.registry import data_loading
from tests.kernels.io.sequence_files import DNA, PROTEIN, RNA, refusal, write

CASES = Path(__file__).parents[2] / "cases"
LETTERS_35 = b"ACGTACGTACGTACGTACGTACGTACGTACGTACG"


def read(text: str) -> list[Sequence]:
    return list(read_sequence_text(text, "file"))


def refused(text: str) -> str:
    with pytest.raises(InputError) as error:
        read_sequence_text(text, "file")
    return str(error.value)


def test_single_sequences_of_gcg(tmp_path):
    body = " x.seq  Length: {}  July 1, 2000  Type: N  Check: 9 ..\n\n   1  ACGTACGTAC GG.TACGTAC\n\n  21  ACGT\n"
    for head in ("", "!!NA_SEQUENCE 1.0\nA text, >1 line\n\n", "LOCUS       X 24 bp DNA\nORIGIN\n"):
        path = write(tmp_path, (head + body.format(24)).encode(), "x.seq")
        for (one,) in (read_sequences(path), data_loading.read_data(path)):
            assert (one.name, one.letters, one.note) == ("x.seq", b"ACGTACGTACGGTACGTACACGT", "1 gap removed")
    assert "the head states 30 letters, and there are 24" in read(body.format(30))[0].note


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("seq/q01_multiline.fq", [("r1", b"ACGTACGTACGT"), ("r2", b"ACGTTCGTAC")]),
        ("seq/q03_at_quality.fq", [("24/2", b"TGCTTCCAAAAC"), ("34/2", b"GCCTTGTTGTCA")]),
        ("seq/s22_nbsp.fa", [("a", b"ACGTACGT"), ("b", b"ACGT")]),
        ("seq/s22c_ctrlz.fa", [("a", b"ACGT"), ("b", b"ACGT")]),
        ("gb/gb10_release_header.seq", [("X1.1", LETTERS_35)]),
        ("gb/em01_xxx.embl", [("X1.1", LETTERS_35)]),
        ("gb/sw02_semicolon.txt", [("P69905", b"MVLSPADKTN")]),
        ("fmt/f14.tab", [("name1", b"ACGTACGT"), ("name2", b"ACGTTCGT")]),
        ("fmt/f06.gff", [("c1", b"ACGTACGTACGT"), ("c2", b"ACGAACGTACGT")]),
    ],
)
def test_cases_are_read_by_all_in_the_same_way(name, expected):
    for found in (read_sequences(CASES / name), data_loading.read_data(CASES / name)):
        assert [(one.name, one.letters) for one in found] == expected


@pytest.mark.parametrize(
    ("name", "notes"),
    [
        ("seq/q01_multiline.fq", ("qualities left out from 2 sequences",)),
        (
            "seq/q03_at_quality.fq",
            ("qualities left out from 2 sequences", "another title after '+' left out from 2 sequences"),
        ),
        ("seq/s22_nbsp.fa", ("1 no-break space removed",)),
        ("seq/s22c_ctrlz.fa", ("1 Ctrl-Z removed",)),
        ("gb/sw02_semicolon.txt", ("the head states 142 letters, and there are 10",)),
        ("fmt/f06.gff", ("1 feature left out",)),
    ],
)
def test_what_was_left_out_is_told(name, notes):
    assert (
        reading_notes(read_sequences(CASES / name)) == data_loading.reading_notes(read_sequences(CASES / name)) == notes
    )


FASTQ = "@r1 one\nACGT\n+\nIIII\n@r2\nAC\nGT\n+r2\n@@\n+I\n"


@pytest.mark.parametrize(
    "text", [FASTQ, FASTQ.replace("\n", "\r\n"), FASTQ.replace("@r2", "\n\n@r2"), FASTQ.lower() + "\x1a"]
)
def test_fastq(text):
    assert [one.letters for one in read(text)] == [b"ACGT", b"ACGT"]


def test_a_read_without_letters_and_its_description():
    first, second, third = read("@a x y\nAC\n+\nII\n@b\n\n+\n\n@c\nAC..N\n+\n!!!!!\n")
    assert (first.name, first.description, second.letters, third.letters) == ("a", "a x y", b"", b"ACNNN")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("@a\nACGT\n+\nIII\n", "line 1: record a has 4 letters, but only 3 qualities; fetch the whole file"),
        ("@a\nACGT\n+\nIIIII\n", "line 1: record a has 4 letters, but 5 qualities"),
        ("@a\nACGT\n+\nIIII\n@b\nACGT\n", "line 5: record b has no line '\\+' and no qualities"),
        ("@a\nACGT\n+\nIIII\nb\nACGT\n+\nIIII\n", "line 5: 'b' begins no record of FASTQ"),
    ],
)
def test_damaged_fastq_names_the_line(text, reason):
    with pytest.raises(InputError, match=f"file, {reason}"):
        read_sequence_text(text, "file")


GENBANK = (
    "LOCUS       X1 {size} {unit}    {kind}     linear   UNA 01-JAN-2000\nDEFINITION  A long\n            text.\n"
    "ACCESSION   X1\nVERSION     X1.1\nFEATURES             Location/Qualifiers\n     gene            1..4\n"
    '                     /gene="x"\n     CDS             1..4\nORIGIN\n        1 {letters}\n//\n'
)


def genbank(letters: str, size: int | None = None, unit: str = "bp", kind: str = "DNA") -> str:
    return GENBANK.format(letters=letters, size=len(letters) if size is None else size, unit=unit, kind=kind)


def test_genbank_names_descriptions_and_features():
    (found,) = read(genbank("acgtacgt"))
    assert (found.name, found.description, found.letters) == ("X1.1", "X1.1 A long text", b"ACGTACGT")
    assert (found.type, found.note) == (DNA, "2 features left out")


def test_an_accession_that_is_a_dot_is_no_name():
    assert read(genbank("acgt").replace("VERSION     X1.1", "VERSION     .").replace("N   X1", "N   ."))[0].name == "X1"


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        (genbank("acgu", kind="RNA"), RNA),
        (genbank("acgt", kind="mRNA"), DNA),
        (genbank("acgt", unit="aa", kind=""), PROTEIN),
        (genbank("acgt", kind="ds-DNA"), DNA),
    ],
)
def test_genbank_states_the_type(text, type_):
    assert read(text)[0].type == type_


@pytest.mark.parametrize(
    "text",
    [
        "GBVRL1.SEQ          Genetic Sequence Data Bank\n\n 2 loci\n\n" + genbank("acgt") + genbank("ttgg"),
        genbank("acgt") + "\n\n" + genbank("ttgg") + "\n\x1a",
        genbank("acgt").replace("VERSION     X1.1\n", "").replace("linear   UNA 01-JAN-2000", "") + genbank("ttgg"),
        (genbank("acgt") + genbank("ttgg")).replace("\n", "\r\n"),
        genbank("acgt") + genbank("ttgg").removesuffix("//\n"),
        genbank("acgt").replace("LOCUS       X1", "LOCUS       my long plasmid name") + genbank("ttgg"),
        genbank("acgt").replace("        1 acgt", "acgt") + genbank("ttgg"),
        "\ufeff\n" + genbank("acgt") + genbank("ttgg"),
    ],
)
def test_genbank_variants(text):
    assert [one.letters for one in read(text)] == [b"ACGT", b"TTGG"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            genbank("acgt", size=9).removesuffix("//\n"),
            "line 1, record X1.1: the head states 9 letters, and there are 4",
        ),
        (genbank("acgt") + genbank("ac5!"), "line 23, record X1.1: '!' at position 3"),
        (genbank("acgt").replace("//\n", "") + genbank("acgt"), "the record has no line // at its end"),
        (genbank("acgt") + "junk\n", "line 13: this is no beginning of a GenBank record"),
        (
            genbank("acgt").partition("ORIGIN")[0] + "CONTIG      join(A:1..4)\n//\n",
            "no letters; fetch the full record",
        ),
    ],
)
def test_damaged_genbank_names_the_line(text, reason):
    assert reason in refused(text)


EMBL = (
    "ID   X1; SV 2; linear; {kind}; STD; PRO; 8 BP.\nXX\nAC   X1; X2;\nXX\nDE   first\nDE   second\nXX\n{more}"
    "SQ   Sequence 8 BP;\n     acgtacgt        8\n//\n"
)
CO_LINES = "CO   join(A.1:1..4,\nCO   gap(4))\nXX\n"


@pytest.mark.parametrize("kind", ["XXX", "genomic DNA", "mRNA", "unassigned DNA", "other", ""])
@pytest.mark.parametrize(
    "more", ["", "CO   join(A.1:1..4,\nCO   gap(4))\nXX\n", "FT   gene            1..4\n", "**   text\n"]
)
def test_embl_variants(kind, more):
    (found,) = read(EMBL.format(kind=kind, more=more))
    assert (found.name, found.description, found.letters) == ("X1.2", "X1.2 first second", b"ACGTACGT")
    assert found.type == DNA and found.note == ("1 feature left out" if "FT" in more else "")


SWISS = (
    "ID   A_B {status} {size} AA.\nAC   P1; P2;\nDE   RecName: Full=A;\n{more}"
    "SQ   SEQUENCE   4 AA;  1 MW;  0 CRC64;\n     ACGT\n//\n"
)
FT_LINES = 'FT   CHAIN           2..4\nFT                   /note="x"\n'


@pytest.mark.parametrize("status", ["Reviewed;", "Unreviewed;", "STANDARD;      PRT;", "PRELIMINARY; PRT;"])
@pytest.mark.parametrize(
    "more", ["", ";\n", "**   x\n", 'FT   CHAIN           2..4\nFT                   /note="x"\n', "\n"]
)
def test_swiss_prot_variants(status, more):
    (found,) = read(SWISS.format(status=status, size=4, more=more))
    assert (found.name, found.letters, found.type) == ("P1", b"ACGT", PROTEIN)


@pytest.mark.parametrize(
    ("character", "said"),
    [
        ("\xa0", "1 no-break space removed"),
        ("\ufeff", "1 byte order mark removed"),
        ("\u200b", "1 zero-width space removed"),
        ("\u200d\u200d", "2 zero-width joiners removed"),
        ("\xad", "1 soft hyphen removed"),
        ("\u2009", "1 wide space removed"),
        ("\u202a", "1 direction mark removed"),
        ("\x1a", "1 Ctrl-Z removed"),
        ("12", "2 digits removed"),
        ("\n;text", "1 comment line left out"),
    ],
)
def test_stray_characters_are_named_and_left_out(tmp_path, character, said):
    data = f">a\nAC{character}\nGT\n>b\nACGT\n".encode()
    first, second = read_sequences(write(tmp_path, data))
    assert (first.letters, first.note, second.note) == (b"ACGT", said, "")
    (alignment,) = data_loading.read_data(write(tmp_path, data.replace(b">b\nA", b">b\n-")))[:1]
    assert said in alignment.note


def test_invisible_characters_before_titles(tmp_path):
    for data in ("\u200b\ufeff\n>a\nACGT\n>b\nAC-T\n", "\ufeff>a\nACGT\n\ufeff>b\nAC-T\n", ">a\nACGT\n\xa0>b\nAC-T\n"):
        path = write(tmp_path, data.encode())
        assert [one.letters for one in read_sequences(path)] == [b"ACGT", b"ACT"]
        assert data_loading.read_data(path)[0].names == ("a", "b")


def test_a_no_break_space_of_latin_1_and_a_visible_character(tmp_path):
    assert read_sequences(write(tmp_path, b">caf\xe9\nAC\xa0GT\n"))[0].note == "1 no-break space removed"
    for sign, name in (("é", "latin small letter e with acute"), ("\u2013", "en dash")):
        assert f"line 2, record a: {sign!r} ({name}) at position 3" in refusal(
            write(tmp_path, f">a\nAC{sign}GT\n".encode())
        )


def test_records_of_numbers_are_no_sequences():
    assert "these are numbers" in refused(">a\n" + "40 38 " * 20 + "\n>b\nACGT\n")
    assert "these are numbers" in refused(">a\nT" + "0123" * 20 + "\n")


def test_comments_before_and_in_fasta():
    (found,) = read("; made by hand\n# on Monday\n\n>a\nAC\n;more\nGT\n")
    assert (found.letters, found.note) == (b"ACGT", "2 comment lines left out; 1 comment line left out")
    assert reading_notes([found]) == ("3 comment lines left out from 2 sequences",)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("name1\tACGTACGT\nname2\tACGTT\n", ["name1", "name2"]),
        ("Homo sapiens\tACGTACGT\nMus\tACGTT\n", ["Homo sapiens", "Mus"]),
        ("id\tsequence\nx\tMKV\ny\tMKVL\n", ["x", "y"]),
        ("name,seq\nx,MKV\n", ["x"]),
        ("sequence\tname\nACGTACGT\ta\nACGT\tb\n", ["a", "b"]),
        ('"a, b";ACGTACGT\n\nc;ACGT\n', ["a, b", "c"]),
        ("x\tMKVLAAGIVRKLDEFGHWYMKV\r\n", ["x"]),
    ],
)
def test_tables_of_names_and_letters(tmp_path, text, names):
    assert [one.name for one in read(text)] == names
    for suffix in ("tab", "tsv", "csv", "txt"):
        assert [one.name for one in data_loading.read_data(write(tmp_path, text.encode(), f"x.{suffix}"))] == names


def test_a_list_of_edges_is_no_table_of_letters(tmp_path):
    path = write(tmp_path, b"alice\tbobb\ncarol\talice\n", "x.tsv")
    assert data_loading.find_kind_of_file(path).id == "graph"
    assert "may be a name before the letters" in refusal(path)


def test_a_damaged_table_names_the_line():
    assert "file, line 2: a row of this table is a name and letters" in refused("id\tsequence\nx MKV\n")


def test_features_of_unknown_sequences_and_gff_without_letters():
    head = "##gff-version 3\nc9\tx\tCDS\t1\t9\t.\t+\t0\tID=x\n"
    assert [one.name for one in read(head + "##FASTA\n>c1\nACGT\n")] == ["c1"]
    assert "features (GFF) without the sequences" in refused(head)
    assert "line 5, record c1: '!'" in refused(head + "##FASTA\n>c1\nAC!T\n")
    assert [one.note for one in read(head.partition("\n")[2].replace("c9", "c1") + "\n>c1\nACGT\n")] == [
        "1 feature left out"
    ]


def abi_file(letters: bytes, name: bytes) -> bytes:
    """A file of a sequencer with its bases and the name of the sample."""
    fields = [(b"PBAS", 2, 2, letters), (b"SMPL", 1, 18, bytes([len(name)]) + name)]
    body, entries, at = b"", b"", 128
    for tag, number, kind, data in fields:
        place = struct.pack(">I", at) if len(data) > 4 else data.ljust(4, b"\0")
        entries += struct.pack(">4sIHHII", tag, number, kind, 1, len(data), len(data)) + place + struct.pack(">I", 0)
        body, at = body + data, at + len(data)
    head = b"ABIF" + struct.pack(">H4sIHHIIII", 101, b"tdir", 1, 1023, 28, len(fields), 28 * len(fields), at, 0)
    return head.ljust(128, b"\0") + body + entries


def snapgene_file(letters: bytes) -> bytes:
    packets = [(9, b"SnapGene" + struct.pack(">HHH", 1, 14, 14)), (0, b"\0" + letters)]
    return b"".join(bytes([kind]) + struct.pack(">I", len(data)) + data for kind, data in packets)


def test_files_of_sequencers_and_of_snapgene(tmp_path):
    for found in (read_sequences, data_loading.read_data):
        (one,) = found(write(tmp_path, abi_file(b"ACGTNACGTT\rA\n", b"sample 1"), "x.ab1"))
        assert (one.name, one.letters, one.type) == ("sample_1", b"ACGTNACGTTA", DNA)
        assert one.note == "trace and qualities left out"
        (one,) = found(write(tmp_path, snapgene_file(b"acgtacgtta"), "plasmid.dna"))
        assert (one.name, one.letters, one.type) == ("plasmid", b"ACGTACGTTA", DNA)


def test_damaged_files_of_sequencers_are_refused_in_words_of_the_program(tmp_path):
    abi, snapgene = abi_file(b"ACGTNACGTT", b"s"), snapgene_file(b"acgtacgtta")
    for data in (*(abi[:size] for size in (5, 30, 140, len(abi) - 9)), *(snapgene[:size] for size in (14, 20, 30))):
        assert "is damaged or cut short; fetch it again, or export it as FASTA" in refusal(write(tmp_path, data))


def test_whole_titles_where_first_words_are_equal(tmp_path):
    path = CASES / "msa" / "m06_names.fa"
    names = ["a(b)[c];d,e:f one", "a(b)[c];d,e:f two", "Mle-Panx\u03b13", "'q''s'", "Hong Kong/VM1", "Hong Kong/VM2"]
    assert [one.name for one in read_sequences(path)] == names
    aligned = write(
        tmp_path, path.read_bytes().replace(b"ACGACGTAC\n", b"ACGACG-TAC\n").replace(b"C\n>", b"C-\n>"), "x.fa"
    )
    aligned.write_bytes(b">Hong Kong/VM1\nAC-T\n>Hong Kong/VM2\nACGT\n>x y\nACGT\n")
    (alignment,) = data_loading.read_data(aligned)
    assert alignment.names == ("Hong Kong/VM1", "Hong Kong/VM2", "x")


def test_equal_titles_keep_their_first_word():
    assert [one.name for one in read(">a b\nAC\n>a b\nAC\n>c d\nAC\n")] == ["a", "a", "c"]


def test_a_directory_without_an_end_is_refused_at_once(tmp_path):
    data = bytearray(abi_file(b"ACGTNACGTT", b"s"))
    data[16:22] = struct.pack(">HI", 0, 2**31)
    assert "this ABI file is damaged or cut short" in refusal(write(tmp_path, bytes(data)))
