"""Files that look like another one than they are: each is read as what it is, or refused with the line and a remedy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import alignment_writer
from antidiag.kernels.io.aligned_sequences import AlignedSequences, read_alignments, written_letters
from antidiag.kernels.io.sequences import guess_type, read_sequences, reading_notes
from antidiag.kernels.model import SequenceType
from antidiag.kernels.registry import data_loading
from tests.kernels.io.sequence_files import write

DNA, RNA, PROTEIN = SequenceType.DNA, SequenceType.RNA, SequenceType.PROTEIN
NEXUS = "#NEXUS\nBEGIN DATA;\nDIMENSIONS NTAX=2 NCHAR=4;\nFORMAT DATATYPE={};\nMATRIX\nA {}\nB {}\n;\nEND;\n"


def read_by_all_doors(tmp_path, name, text):
    """Return the sequences of a file, and all data that the window shows of it."""
    path = write(tmp_path, text.encode(), name)
    return read_sequences(path), data_loading.read_data(path)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.fa", ">ref\nACGTACGT\n>b\n..A....C\n", "row b: '.' seems to stand for the letter of the first row"),
        ("a.fa", ">ref\nAC-TACGT\n>b\n........\n", "row b: '.' seems"),
        ("a.aln", "CLUSTAL\n\nref  MKLVWYTRKS\nb    ....I.....\n", "row b: '.' seems"),
        ("a.txt", "ref  MKLVWYTRKSMK\nb    ....I.......\n", "row b: '.' seems"),
        ("a.tab", "ref\tACGTACGT\nb\t..A....C\n", "row b: '.' seems"),
        ("a.nex", NEXUS.format("DNA", "ACGT", "..A."), "row B: '.' seems"),
        ("a.fa", ">a\nMet-Lys-Leu-Val\n", "line 2: record a: these are three-letter codes"),
        ("a.fa", ">a\nMET LYS LEU\nVAL\n", "line 2: record a: these are three-letter codes"),
        ("a.csfasta", "# colours\n>1_1_F3\nT0123012\n", "line 3, record 1_1_F3: 7 digits and 1 letter"),
        ("a.nex", NEXUS.format("MIXED(Standard:1-2,DNA:3-4)", "01AC", "00AC"), "line 5: characters of type MIXED"),
        ("a.nex", NEXUS.format("DNA GAP=-", "ACGT", "A..T"), "row B: '.' is neither the GAP nor the MATCHCHAR"),
        ("a.nex", NEXUS.format("RESTRICTION", "0101", "0111"), "line 5: characters of type RESTRICTION are no letters"),
        ("a.phy", "2 4\na 0101\nb 01?1\n", "line 1: these characters in PHYLIP are states"),
        ("a.phy", "2 4\na\nACGT\nb\n.C..\n", "'.' in a PHYLIP file may mean a gap"),
        ("a.phy", "2 4 W\nWEIGHTS 1100\na ACGT\nb ACGT\n", "line 1: this is PHYLIP with weights"),
        ("a.phy", "2 4\na ACGT\nb ACGA\nc ACGC\n", "the first line announces 2 rows, but there are 3"),
        ("a.xml", "<?xml version='1.0'?>\n<TSeqSet/>\n", "this XML is neither trees nor an alignment"),
        ("a.ct", "9 dG = -1.2 a\n1 G 0 2 9 1\n", "line 1: this is a table of pairs (CT)"),
        ("a.pdb", "HEADER    X\nSEQRES   1 A    2  MET LYS\n", "line 1: this is a structure of PDB"),
        ("a.hhm", "HHsearch 1.5\nSEQ\n>q\nMKVL\n", "line 1: this is a model of HH-suite"),
        ("a.txt", "BLASTP 2.2.26\n\n>b\nLength=10\n", "line 1: this is a report of BLAST"),
        ("a.json", '{\n  "Seq_annot": {"data": {}}\n}\n', "line 1: this is a report of BLAST as JSON"),
        ("a.json", '{"BlastOutput2":[{"report":{}}]}\n', "line 1: this is a report of BLAST as JSON"),
        ("a.bed", "chr1\t100\t200\nchr1\t150\t300\n", "line 1: these are regions (BED)"),
        ("a.txt", "track name=x\n# y\nNC_1.2\t0\t9\tg 1\t0\t-\n", "line 1: these are regions (BED)"),
        ("a.out", "q.fa\tr/s.fna\t97.75\t1303\t1608\nq.fa\tt.fa\t100\t1\t2\n", "line 1: this is a table of FastANI"),
        ("a.fa", ">a\nACGT\n>b\nAC\0GT\n", "line 4: a zero byte, as binary files have; remove it, or give FASTA"),
        ("a.aln", "CLUSTAL W\n\na ACGT\0AC\nb ACGTAAC\n", "line 3: a zero byte, as binary files have"),
        ("a.vcf", "##fileformat=VCFv4.2\n", "line 1: these are variants"),
        ("a.gr", "c x\np sp 2 1\na 1 2 5\n", "line 1: this is a graph of DIMACS"),
        ("a.pir", ">P1;A\n" + "MKLVWYTRKS" * 4 + "\nMKLV*\n", "line 2: this should describe the entry"),
        ("a.txt", "alpha beta\ngamma delta\n", "line 1: these may be words"),
        ("a.txt", "hello world\n", "line 1: these may be words"),
        ("a.txt", "see you all\n", "line 1: these may be words"),
        ("a.txt", "ACGT ACG\nACGTT ACGGT\n", "line 2: lines of 7 and 10 letters may each be a sequence"),
        ("a.txt", "SIINFEKLA\nGILGFVFTL\nNLVPMVATV\n", "line 2: 3 lines of 9 letters may each be a sequence"),
    ],
)
def test_refused_by_all_doors(tmp_path, name, text, reason):
    path = write(tmp_path, text.encode(), name)
    for read in (read_sequences, data_loading.read_data):
        with pytest.raises(InputError) as error:
            read(path)
        assert reason in str(error.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.fa", ">ref\nACGTACGTAC\n>b\n...TACG...\n>c\n....ACGTAC\n"),
        ("a.a2m", ">ref\nACGTACGTAC\n>b\n.......... \n"),
        ("a.sto", "# STOCKHOLM 1.0\nref ACGTACGTAC\nb .........A\n//\n"),
    ],
)
def test_dots_that_are_gaps(tmp_path, name, text):
    path = write(tmp_path, text.encode(), name)
    assert read_alignments(path)[0].letters.shape[1] == 10
    assert read_sequences(path)[0].letters == b"ACGTACGTAC"


@pytest.mark.parametrize(
    "text", ["mklvwytrks mklvwytrks mklv\n", "MKLVW YTEFS MKL\n", "MKLVWYTRKS MKLVWYTRKS\nMKLVWYTRKS MKL\n"]
)
def test_blocks_of_letters_are_no_words(tmp_path, text):
    (one,) = read_sequences(write(tmp_path, text.encode(), "a.txt"))
    assert one.letters == "".join(text.split()).upper().encode()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.nex", NEXUS.format("DNA", "ACGU", "AC-U"), RNA),
        ("a.nex", NEXUS.format("RNA", "ACGT", "AC-T"), DNA),
        ("a.nex", NEXUS.format("RNA", "ACGA", "AC-A"), RNA),
        ("a.nex", NEXUS.format("PROTEIN", "ACGT", "AC-T"), PROTEIN),
        ("a.faa", ">a\nACGTACGT\n>b\nACGTACGA\n", PROTEIN),
        ("a.faa", ">a\nACGTACGT\n>b\nACG-ACGA\n", PROTEIN),
        ("a.fna", ">a\nMMMMRRRRKKKKYYYY\n>b\nMMMMRRRRKKKKYYYT\n", DNA),
        ("a.dbn", ">a\nGGGAAACCC\n(((...)))\n>b\nGGGAAACCU\n(((...)))\n", RNA),
        ("a.gb", "LOCUS       X 8 bp    RNA    linear   PLN 01-JAN-2000\nORIGIN\n        1 acgaacga\n//\n", RNA),
        ("a.gb", "LOCUS       X 8 bp    mRNA   linear   PLN 01-JAN-2000\nORIGIN\n        1 acgtacgt\n//\n", DNA),
    ],
)
def test_all_doors_agree_on_the_type(tmp_path, name, text, expected):
    found, data = read_by_all_doors(tmp_path, name, text)
    assert {one.type for one in (*found, *data)} == {expected}


def test_nucleotides_with_many_ambiguity_codes():
    assert guess_type(b"ACGTNRYKACGTACGT") == DNA
    assert guess_type(b"GAGAGSGAGAGS") == PROTEIN, "silk has no C and T"


def test_uncalled_bases_of_fastq_are_letters(tmp_path):
    (one,) = read_sequences(write(tmp_path, b"@a\nAC.T\n+\nII!I\n", "a.fq"))
    assert (one.letters, one.note) == (b"ACNT", "1 '.' replaced by N; qualities left out")


def test_marks_and_masks_of_clustal_are_no_rows(tmp_path):
    text = "CLUSTAL\n\n!SS_a   HHHHH\na       MKLVW\nb       MKIVW\n**:**\n\na       MKL\nb       MKI\n\t**:\n"
    found, (alignment,) = read_by_all_doors(tmp_path, "a.aln", text)
    assert isinstance(alignment, AlignedSequences)
    assert alignment.names == ("a", "b")
    assert alignment.note == found[0].note == "skipped: 1 line of masks (!SS_, !GM_)"


def test_alignments_between_zero_bytes(tmp_path):
    found, data = read_by_all_doors(tmp_path, "a.a3m", ">q\nMKLV\n>h\nMKLI\n\0>r\nMKL\n>s\nMKI\n")
    assert [one.name for one in found] == ["q", "h", "r", "s"] and len(data) == 2


def test_rows_of_maf_of_another_length_are_told(tmp_path):
    text = "##maf version=1\na score=1\ns A 0 9 + 10 ACGT\ns B 0 3 + 10 AC-T\n"
    found, (alignment,) = read_by_all_doors(tmp_path, "a.maf", text)
    assert alignment.note == "1 row of another length than stated"
    assert found[0].note == alignment.note


@pytest.mark.parametrize("space", ["\u00a0", "\u2003", "\u3000"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.aln", "CLUSTAL W\n\nseq1{0}{0}ACGTACGT-A\nseq2{0}{0}ACGTACGTTA\n"),
        ("a.phy", "2{0}10\nseq1{0}ACGTACGT-A\nseq2{0}ACGTACGTTA\n"),
        (
            "a.nex",
            "#NEXUS\nBEGIN DATA;\nDIMENSIONS NTAX=2{0}NCHAR=10;\nMATRIX\nseq1{0}ACGTACGT-A\nseq2 ACGTACGTTA\n;\nEND;\n",
        ),
        ("a.txt", "seq1{0}ACGTACGT-A\nseq2{0}ACGTACGTTA\n"),
        ("a.sto", "# STOCKHOLM 1.0\nseq1{0}ACGTACGT-A\nseq2{0}ACGTACGTTA\n//\n"),
    ],
)
def test_spaces_of_web_pages_separate_words(tmp_path, name, text, space):
    found, (alignment,) = read_by_all_doors(tmp_path, name, text.format(space) + "\x1a")
    assert [(one.name, one.letters) for one in found] == [("seq1", b"ACGTACGTA"), ("seq2", b"ACGTACGTTA")]
    assert alignment.names == ("seq1", "seq2")


@pytest.mark.parametrize(
    "text",
    ["        10         20\nMKLVWYTRKS MKLVWYTRKS\n        30\nMKL\n", "1\u00a0MKLVWYTRKS MKLVWYTRKS\n21 MKL\n"],
)
def test_numbers_of_letters(tmp_path, text):
    (one,) = read_sequences(write(tmp_path, text.encode(), "a.txt"))
    assert one.letters == b"MKLVWYTRKSMKLVWYTRKSMKL"


def test_text_among_the_letters_of_fasta(tmp_path):
    path = write(tmp_path, b">a\nACGT\n>b\nACGA\nScore 10\n", "a.fa")
    for read in (read_sequences, data_loading.read_data):
        with pytest.raises(InputError, match="line 5: record b: 'Score 10' seems to be text"):
            read(path)
    (one,) = read_sequences(write(tmp_path, b">a\nACGTACGTAC Acgtacgtac\nAcgt acgt\n", "b.fa"))
    assert one.letters == b"ACGTACGTACACGTACGTACACGTACGT"


@pytest.mark.parametrize("genes", ["G2\n111111222222\n", "G 2 6 6\n", "G 2\n111111\n222222\n"])
@pytest.mark.parametrize("names", [("seq1", "seq2"), ("1", "2")])
def test_genes_of_paml(tmp_path, genes, names):
    text = f" 2 12 G\n{genes}{names[0]}\nACGTACGTACGT\n{names[1]}\nACGTACGTACGA\n"
    found, (alignment,) = read_by_all_doors(tmp_path, "a.phy", text)
    assert [(one.name, one.letters) for one in found] == [(names[0], b"ACGTACGTACGT"), (names[1], b"ACGTACGTACGA")]
    assert alignment.note == "skipped: the division into genes in line 2"


def test_titles_that_begin_alike_are_names_in_every_format(tmp_path):
    titles = ("hCoV-19/Hong Kong/1", "hCoV-19/Hong Kong/2")
    record = ">{}\nGGAACC\n((..))\n"
    found, _ = read_by_all_doors(tmp_path, "a.dbn", "".join(map(record.format, titles)))
    assert tuple(one.name for one in found) == titles
    found, _ = read_by_all_doors(tmp_path, "a.phy", f"2 4\n{titles[0]}  ACGT\n{titles[1]}  ACGA\n")
    assert tuple(one.name for one in found) == tuple(title.replace(" ", "_") for title in titles)
    found, _ = read_by_all_doors(tmp_path, "a.meg", "#mega\n!Title x;\n#Hong Kong A\nACGT\n#Hong Kong B\nAC-T\n")
    assert [(one.name, one.letters) for one in found] == [("Hong Kong A", b"ACGT"), ("Hong Kong B", b"ACT")]


@pytest.mark.parametrize(
    "text",
    [
        "name\tkind\tsequence\na\tHomo sapiens\tACGT-CGT\nb\tMus\tACGTACGA\n",
        "name\tkind\tsequence\ra\tHomo sapiens\tACGT-CGT\rb\tMus\tACGTACGA\r",
        'kind,seq,id\n"Homo sapiens",ACGT-CGT,a\nMus,ACGTACGA,b\n',
    ],
)
def test_tables_of_more_columns(tmp_path, text):
    found, (alignment,) = read_by_all_doors(tmp_path, "a.tsv", text)
    assert [(one.description, one.letters) for one in found] == [("a Homo sapiens", b"ACGTCGT"), ("b Mus", b"ACGTACGA")]
    assert alignment.annotations.of_rows == ((0, "DE", "Homo sapiens"), (1, "DE", "Mus"))


def test_headings_of_other_tables(tmp_path):
    path = write(tmp_path, b"name,seq,weight\na,b,1\nc,d e,2\n", "a.csv")
    with pytest.raises(InputError):
        read_sequences(path)


def test_tables_of_long_sequences(tmp_path):
    letters = "ACGT" * 50_000
    (one,) = read_sequences(write(tmp_path, f'name,kind,seq\n"a, b",x,{letters}\n'.encode(), "a.csv"))
    assert (one.name, len(one)) == ("a, b", 200_000)


def test_nexus_with_line_ends_of_old_systems(tmp_path):
    found, (alignment,) = read_by_all_doors(tmp_path, "a.nex", NEXUS.format("DNA", "ACGT", "AC-A").replace("\n", "\r"))
    assert [one.letters for one in found] == [b"ACGT", b"ACA"] and alignment.names == ("A", "B")


def test_features_of_other_sequences_are_told(tmp_path):
    feature = "{}\tx\tgene\t1\t4\t.\t+\t.\tID=g1\n"
    text = "##gff-version 3\n" + feature.format("a") + feature.format("z") * 2 + "##FASTA\n>a\nACGT\n>b\nACGA\n"
    first, second = read_sequences(write(tmp_path, text.encode(), "a.gff3"))
    assert (first.note, second.note) == ("1 feature left out; 2 features of sequences that are not in the file", "")


def test_written_dots_that_could_be_letters_of_the_first_row_are_dashes(tmp_path: Path) -> None:
    rows = np.frombuffer(b"ACGTAC------", np.uint8).reshape(2, 6).copy()
    dots = np.packbits(np.array([[0] * 6, [1] * 6], bool), axis=1)
    made = AlignedSequences(("a", "b"), rows, SequenceType.DNA, dots=dots)
    alignment_writer.write_alignments(tmp_path / "x.fasta", [made])
    (found,) = read_alignments(tmp_path / "x.fasta")
    assert np.array_equal(found.letters, rows)


def test_a_size_of_a_hundred_thousand_digits_is_another_size(tmp_path: Path) -> None:
    (tmp_path / "x.maf").write_text(f"##maf\na score=1\ns a 0 {'9' * 100_000} + 9 ACGT\ns b 0 004 + 9 ACGT\n")
    (found,) = read_alignments(tmp_path / "x.maf")
    assert found.names == ("a", "b")


def test_a_title_like_an_entry_of_pir_is_one_of_fasta_beside_other_titles(
    tmp_path: Path,
) -> None:
    for text in (">XX;\nACGTACGTAA\n>b\nACGTACGTTT\n", ">P1;a\nACGTACGTAA\n>b\nACGTACGTTT\n", ">XX;\nACGTACGTAA\n"):
        found = read_sequences(write(tmp_path, text.encode(), "a.fa"))
        assert [one.letters for one in found] == [b"ACGTACGTAA", b"ACGTACGTTT"][: len(found)]
    (unnamed,) = read_sequences(write(tmp_path, b">P1;\nTRANS FACTOR\nMKVLWY*\n", "a.pir"))
    assert unnamed.letters == b"MKVLWY"


@pytest.mark.parametrize(
    ("name", "text", "note"),
    [
        ("a.msf", "PileUp\n\n MSF: 6 Type: P\n Name: a\n Name: b\n//\n\na MKVL\nb M-VL\n", "the head states 6 columns"),
        ("a.sto", "# STOCKHOLM 1.0\na MKVL\nb M-VL\n", "there is no // at the end"),
        ("a.pir", ">P1;a\n\nMKVL*\n>P1;b\n\nM-VL\n", "there is no * at the end"),
        ("a.maf", "##maf version=1\na score=1\ns a 0 4 + 9 MKVL\ns b 0 3 + 9 M-VL\np &&&&\n", "skipped: 1 other line"),
        (
            "a.nex",
            NEXUS.format("PROTEIN", "MKVL", "M-VL") + NEXUS.format('STANDARD SYMBOLS="01"', "0101", "0111")[7:],
            "skipped: a matrix of type standard",
        ),
    ],
)
def test_what_is_missing_or_left_out_is_noted(tmp_path, name, text, note):
    path = write(tmp_path, text.encode(), name)
    (found,) = read_alignments(path)
    assert note in found.note and written_letters(found)[1].tobytes() == b"M-VL"
    assert any(note in one for one in reading_notes(read_sequences(path)))


@pytest.mark.parametrize(("kind", "rows"), [('STANDARD SYMBOLS="01"', ("0101", "01?1")), ("CONTINUOUS", ("1.5", "2"))])
def test_trees_beside_characters_that_are_no_letters(tmp_path, kind, rows):
    text = NEXUS.format(kind, *rows) + "BEGIN TREES;\nTREE t = (A,B);\nEND;\n"
    (tree,) = data_loading.read_data(write(tmp_path, text.encode(), "a.nex"))
    assert tree.taxa == ("A", "B") and tree.note == f"skipped: a matrix of type {kind.split()[0].lower()}"
