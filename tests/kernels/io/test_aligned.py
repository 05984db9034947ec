"""Files of alignments: what is read is what others read, what is written is read again as it was."""

import gzip
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from Bio import AlignIO
from Bio.Align import Alignment, MultipleSeqAlignment
from Bio.Align import write as write_alignments
from Bio.Seq import Seq
from Bio.SeqRecord import SeqRecord
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.alignments import alignment_edits
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_sequences, alignment_writer
from antidiag.kernels.io.aligned_sequences import AlignedSequences, written_letters
from antidiag.kernels.io.alignment_formats import aligned_fasta
from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations
from antidiag.kernels.model import SequenceType
from antidiag.kernels.registry import data_loading
from tests.example_counts import try_examples

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
STOCKHOLM = """# STOCKHOLM 1.0
#=GF ID   family
#=GF DE   A family of two
#=GS one  AC  P12345

one          ACDEF
#=GR one SS  HHHH.
two/1-5      AC.eF
#=GC SS_cons HHHH.

one          GHIK
#=GR one SS  CCCC
two/1-5      g--K
#=GC SS_cons CCCC
//
"""
BIOPYTHON = {
    ".fasta": "fasta",
    ".aln": "clustal",
    ".sto": "stockholm",
    ".phy": "phylip-relaxed",
    ".nex": "nexus",
    ".msf": "msf",
    ".maf": "maf",
}


def one(text: str, suffix: str, folder: Path) -> AlignedSequences:
    path = folder / f"given{suffix}"
    path.write_text(text)
    (found,) = aligned_sequences.read_alignments(path)
    return found


def rows(alignment: AlignedSequences) -> list[str]:
    return [row.tobytes().decode() for row in written_letters(alignment)]


def test_stockholm_keeps_what_it_says(tmp_path):
    found = one(STOCKHOLM, ".sto", tmp_path)
    assert found.names == ("one", "two/1-5") and rows(found) == ["ACDEFGHIK", "AC.eFg--K"]
    assert found.letters[1].tobytes() == b"AC-EFG--K" and found.name == "given: family"
    notes = found.annotations
    assert notes.of_file == (("ID", "family"), ("DE", "A family of two")) and notes.of_rows == ((0, "AC", "P12345"),)
    assert notes.of_columns == (("SS_cons", "HHHH.CCCC"),) and notes.of_letters == ((0, "SS", "HHHH.CCCC"),)


FORMS = {
    "clustal": ("CLUSTAL W (1.83)\n\n\na  ACG-T 4\nb  AC-GT 4\n   ** .*\n\na  TT\nb  T-\n   * \n", ".aln"),
    "strict": (" 2 7\na b       ACG-T\nc         AC-GT\n\nTT\nT-\n", ".phy"),
    "relaxed": ("2 7\na ACG-T\nTT\nlonger_than_ten AC-GT\nT-\n", ".phy"),
    "interleaved": ("2 7 I\na ACG-T\nb AC-GT\n\na TT\nb T-\n", ".phy"),
    "nexus": ("#NEXUS\nBegin data;\ndimensions ntax=2 nchar=7;\n"
              "format datatype=dna gap=_ interleave matchchar=.;\n"
              "matrix [a comment]\n'it''s a' ACG_T\nb ...GT\n\n'it''s a' TT\nb T_\n;\nend;\n", ".nex"),
    "msf": ("PileUp\n\n MSF: 7 Type: N Check: 1 ..\n\n Name: a oo Len: 7 Check: 1 Weight: 2.5\n"
            " Name: b Len: 7 Check: 1\n"
            "\n//\n\n     1   7\na  ACG.T\nb  AC.GT\n\na  TT\nb  T~\n", ".msf"),
    "a3m": (">a\nACG-TTT\n>b\nAC-GTT-\n", ".a3m"),
    "maf": ("##maf version=1\n\na score=3\ns a.chr1 5 6 + 90 ACG-TTT\ns b.chr1 0 5 - 80 AC-GTT-\n", ".maf"),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_format_is_told_by_its_first_bytes(form, tmp_path):
    found = one(*FORMS[form], tmp_path)
    wanted = ["ACG-TTT", "ACGGTT-" if form == "nexus" else "AC-GTT-"]
    assert [row.tobytes().decode() for row in found.letters] == wanted
    (again,) = data_loading.read_data(Path(found.source))
    assert again == found and again.type == SequenceType.DNA


def test_comments_of_nexus_may_be_nested_however_deep(tmp_path):
    text, suffix = FORMS["nexus"]
    deep = text.replace("[a comment]", "[" * 50_000 + "a\nb" + "]" * 50_000 + "[a [b] c]")
    assert one(deep, suffix, tmp_path).letters.tolist() == one(text, suffix, tmp_path).letters.tolist()
    for open_ended in ("matrix [[a]", "matrix a]"):  # belongs to the text
        with pytest.raises(InputError):
            one(text.replace("matrix [a comment]", open_ended), suffix, tmp_path)


@pytest.mark.parametrize("sign", ["matchchar=ab", "gap=\N{LATIN SMALL LETTER SHARP S}", "missing=yes"])
def test_a_sign_of_nexus_is_one_character(sign, tmp_path):
    text, suffix = FORMS["nexus"]
    with pytest.raises(InputError, match="is not one ASCII character"):
        one(text.replace("gap=_", f"gap=_ {sign}").replace(" matchchar=.", ""), suffix, tmp_path)


def test_insertions_of_a3m_have_columns_of_their_own(tmp_path):
    found = one(">q\nMKV-L\n>r\nMaaKV-Ll\n>s\n-cKVTL\n", ".a3m", tmp_path)
    assert rows(found) == ["M..KV-L.", "MaaKV-Ll", "-c.KVTL."]
    with pytest.raises(InputError, match="row r: 6 columns of capitals"):
        one(">q\nMKV-L\n>r\nMaaKVVLLl\n", ".a3m", tmp_path)


def test_sam_and_paf_give_pairs_and_say_what_is_left_out(tmp_path):
    sam = "@SQ\tSN:c\tLN:90\n"
    sam += "r\t0\tc\t11\t60\t2S3M1I2M2D1M\t*\t0\t0\tTTACGAGTC\t*\tMD:Z:1A3^GG1\n"
    sam += "x\t4\t*\t0\t0\t*\t*\t0\t0\tA\t*\n"
    (found,) = aligned_sequences.read_alignments(_file(tmp_path / "p.sam", sam))
    assert rows(found) == ["AAG-GTGGC", "ACGAGT--C"] and found.names == ("c", "r")
    assert found.annotations.of_rows == ((0, "place", "11 +"), (1, "place", "3 +"))
    assert found.note == "skipped: 1 of 2 records, without MD, cs or letters, or with an intron (N)"
    paf = "q\t9\t0\t6\t-\tt\t50\t10\t15\t5\t7\t60\tcs:Z:=AC*gt+ta-c=G\n"
    (found,) = aligned_sequences.read_alignments(_file(tmp_path / "p.paf", paf))
    assert rows(found) == ["ACG--CG", "ACTTA-G"]
    with pytest.raises(InputError, match="contradict"):
        aligned_sequences.read_alignments(_file(tmp_path / "bad.sam", sam.replace("1A3^GG1", "1A3^G1")))


def test_records_across_introns_are_left_out(tmp_path):
    record = "{}\t0\tc\t11\t60\t{}\t*\t0\t0\tACGT\t*\tMD:Z:4\n"
    spliced = "@SQ\tSN:c\tLN:900\n" + record.format("s", "2M500N2M")
    (found,) = aligned_sequences.read_alignments(_file(tmp_path / "p.sam", spliced + record.format("r", "4M")))
    assert found.names == ("c", "r") and rows(found) == ["ACGT", "ACGT"]
    assert found.note == "skipped: 1 of 2 records, without MD, cs or letters, or with an intron (N)"
    with pytest.raises(InputError, match="1 record, without MD, cs or letters, or with an intron"):
        aligned_sequences.read_alignments(_file(tmp_path / "p.sam", spliced))


@pytest.mark.parametrize(
    ("cigar", "letters", "first"),
    [
        ("4M2S", "ACGATT", 1),
        ("4M5H", "ACGA", 1),
        ("4M1S2H", "ACGAT", 1),
        ("2S4M", "TTACGA", 3),
        ("2H1S4M1S2H", "TACGAT", 4),
    ],
)
def test_letters_clipped_at_the_front_alone_move_the_place(cigar, letters, first, tmp_path):
    sam = f"@SQ\tSN:c\tLN:90\nr\t0\tc\t11\t60\t{cigar}\t*\t0\t0\t{letters}\t*\tMD:Z:4\n"
    (found,) = aligned_sequences.read_alignments(_file(tmp_path / "p.sam", sam))
    assert rows(found) == ["ACGA", "ACGA"] and found.annotations.of_rows[1] == (1, "place", f"{first} +")


def _file(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_head_line_alone_ends_in_an_error(tmp_path):
    for text in ("CLUSTAL W\n", "# STOCKHOLM 1.0\n", "2 4\nab\n", "PileUp\n", "#NEXUS\nmatrix", "##maf version=1\n"):
        path = _file(tmp_path / "empty.txt", text)
        with pytest.raises(InputError):
            aligned_sequences.read_alignments(path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (">a\nAC-\n>b\nAC\n", "row b: 2 columns, but a has 3"),
        ("CLUSTAL\n\na AC\nb A-\n\nc AC\n", "line 6: row c is not in the first block"),
        ("2 4\na ACG-\nb ACG\n", "row b: 3 letters, but the first line announces 4"),
        ("2 4\na ACGT\nb A.G-\n", "may mean a gap or the letter above"),
        ("# STOCKHOLM 1.0\na AC\nb A-C\n//\n", "row b: 3 columns"),
        (">a\nAC-!\n>b\nACGT\n", "row a: '!' in column 4 is not a letter"),
    ],
)
def test_errors_name_the_place(text, reason, tmp_path):
    with pytest.raises(InputError, match=reason.replace("(", r"\(")):
        aligned_sequences.read_alignments(_file(tmp_path / "bad.txt", text))


def test_rows_of_one_length_with_gaps_open_as_an_alignment(tmp_path):
    def kind(text: str) -> str:
        path = _file(tmp_path / "some.fasta", text)
        return data_loading.find_kind_of_file(path).id

    assert kind(">a\nAC-\n>b\nACG\n") == "alignment" == kind(">a\nA\nC.\n>b\nACG\n")
    assert kind(">a\nACG\n>b\nACG\n") == kind(">a\nA-\n>b\nACG\n") == kind(">a-b\nAC\n>b\nACG\n") == "sequence"
    assert kind(">a\nAC-\n") == "sequence"
    assert kind(">r\nACGT\n" * (aligned_fasta.MANY_RECORDS + 1) + ">r\nACG-\n") == "sequence"  # reads have one length
    packed = tmp_path / "some.fa.gz"
    packed.write_bytes(gzip.compress(b">a\r\nAC-\r\n>b x\r\nACG\r\n"))
    (found,) = data_loading.read_data(packed)
    assert found.names == ("a", "b") and found.name == "some" and found.annotations.of_rows == ((1, "DE", "x"),)
    assert [datum.name for datum in data_loading.parse_text(">a\nAC-\n>b\nACG\n")] == ["pasted text"]


def test_unaligned_rows_say_how_many_gaps_they_had(tmp_path):
    found = one(">a first\nAC--\n>b\n----\n>c\nACGT\n", ".fa", tmp_path)
    sequences = aligned_sequences.unaligned_sequences(found)
    assert [(one.name, one.letters, one.note) for one in sequences] == [
        ("a", b"AC", "2 gaps removed"),
        ("c", b"ACGT", ""),
    ]
    assert sequences[0].description == "a first"


NAMES = st.lists(st.text("abcXYZ0123_|/.", min_size=1, max_size=30), min_size=2, max_size=6, unique=True)


@st.composite
def alignments(draw) -> AlignedSequences:
    names = draw(NAMES)
    columns = draw(st.sampled_from([1, 7, 8, 9, 49, 50, 51, 59, 60, 61, 130]))
    rows = [draw(st.text("ACDEFGHIKLMNPQRSTVWY-", min_size=columns, max_size=columns)) for _ in names]
    rows[0] = "M" + rows[0][1:]
    letters = np.array([list(row.encode()) for row in rows], np.uint8)
    lower = np.packbits((letters != ord("-")) & (np.arange(columns) % 3 == 1), axis=1) if draw(st.booleans()) else None
    return AlignedSequences(tuple(names), letters, SequenceType.PROTEIN, lower=lower)


SUFFIXES = [".fasta", ".aln", ".sto", ".phy", ".nex", ".msf", ".a2m", ".a3m", ".maf", ".fa.gz"]


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(alignment=alignments())
def test_what_is_written_is_read_again(suffix, alignment, tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / f"some{suffix}"
    alignment_writer.write_alignments(path, [alignment])
    (found,) = aligned_sequences.read_alignments(path)
    assert found == alignment
    assert rows(found) == rows(alignment) or suffix == ".a3m"  # where lower case is an insertion, or nothing
    if suffix in BIOPYTHON and not (suffix == ".nex" and alignment.lower is not None):
        by_others = AlignIO.read(StringIO(path.read_text()), BIOPYTHON[suffix])
        letters = [str(record.seq).upper().replace(".", "-").replace("~", "-") for record in by_others]
        assert letters == [row.upper() for row in rows(alignment)]


@given(alignment=alignments(), case=st.sampled_from(["insertions", "lower", "some lower"]), data=st.data())
def test_a3m_goes_round(alignment, case, data, tmp_path_factory):
    """Insertions of one column each: those of several have their letters moved to the left by the format."""
    letters = alignment.letters.copy()
    there = letters != ord("-")
    place = np.arange(letters.shape[1]) % 3 == 1
    if case == "insertions":
        letters[0, place & ~there[0]] = ord("A")
        there[0] |= place
        letters[there & place] += 32
        letters[~there & place] = ord(".")
    else:
        chosen = (
            there
            if case == "lower"
            else there
            & np.array(data.draw(st.lists(st.booleans(), min_size=letters.shape[1], max_size=letters.shape[1])))
        )
        letters[chosen] += 32
    notes = Annotations(of_rows=((1, "DE", "what it is"),))
    given_ = aligned_sequences.with_letters(replace(alignment, annotations=notes), letters)
    path = tmp_path_factory.mktemp("written") / "some.a3m"
    alignment_writer.write_alignments(path, [given_])
    (found,) = aligned_sequences.read_alignments(path)
    assert found == given_ and found.annotations == notes
    if case == "insertions":
        assert rows(found) == rows(given_)


BY_BIOPYTHON = {
    "fasta": ".fa",
    "clustal": ".aln",
    "stockholm": ".sto",
    "phylip": ".phy",
    "phylip-sequential": ".phy",
    "phylip-relaxed": ".phy",
    "nexus": ".nex",
    "maf": ".maf",
}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("form", BY_BIOPYTHON)
@given(alignment=alignments())
@try_examples(15)
def test_what_biopython_writes_is_read(form, packed, alignment, tmp_path_factory):
    strict = form in ("phylip", "phylip-sequential")
    names = [f"n{number}" if strict else re.sub("[|/.]", "_", name) for number, name in enumerate(alignment.names)]
    names = [f"{number}_{name[:20]}" for number, name in enumerate(names)]  # longer ones Clustal cuts
    lines = [row.upper() for row in rows(alignment)]
    records = [
        SeqRecord(Seq(line), id=name, description="", annotations={"molecule_type": "protein"})
        for name, line in zip(names, lines, strict=True)
    ]
    text = StringIO()
    AlignIO.write([MultipleSeqAlignment(records)], text, form)
    path = tmp_path_factory.mktemp("theirs") / f"some{BY_BIOPYTHON[form]}{'.gz' if packed else ''}"
    path.write_bytes(gzip.compress(text.getvalue().encode()) if packed else text.getvalue().encode())
    (found,) = aligned_sequences.read_alignments(path)
    assert [row.upper() for row in rows(found)] == lines
    assert list(found.names) == names


@given(alignment=alignments())
@try_examples(15)
def test_a2m_of_biopython_is_read(alignment, tmp_path_factory):
    full = alignment_edits.delete_columns(alignment, alignment_edits.gap_columns(alignment))  # of gaps it knows nothing
    lines = [row.upper() for row in rows(full)]
    sequences, places = Alignment.parse_printed_alignment([line.encode() for line in lines])
    records = [SeqRecord(Seq(letters), id=f"n{number}") for number, letters in enumerate(sequences)]
    theirs = Alignment(records, places)
    theirs.column_annotations = {"state": "D" * full.letters.shape[1]}
    path = tmp_path_factory.mktemp("theirs") / "some.a2m"
    write_alignments(theirs, path, "a2m")
    (found,) = aligned_sequences.read_alignments(path)
    assert [row.upper() for row in rows(found)] == lines


def test_maf_says_where_the_letters_lie_that_it_has(tmp_path):
    head = "##maf version=1\n\na score=3\n"
    found = one(head + "s hg18 1000 6 + 2000 ACG-TTT\ns mm4 10 5 - 80 AC-GTT-\n", ".maf", tmp_path)
    path = tmp_path / "again.maf"
    part = alignment_edits.take_columns(found, np.arange(1, 4))
    alignment_writer.write_alignments(path, [part, alignment_edits.reverse_complement(part)])
    lines = [line.split()[1:] for line in path.read_text().splitlines() if line.startswith("s ")]
    assert lines == [
        ["hg18", "1001", "2", "+", "2000", "CG-"],
        ["mm4", "11", "2", "-", "80", "C-G"],
        ["hg18", "997", "2", "-", "2000", "-CG"],
        ["mm4", "67", "2", "+", "80", "C-G"],
    ]
    alignment_writer.write_alignments(path, [alignment_edits.set_letters(part, np.arange(1), np.ones(3, bool), "N")])
    assert "s hg18 0 2 + 2 NN-\n" in path.read_text() and "s mm4 11 2 - 80 C-G\n" in path.read_text()


def test_marks_of_clustal_are_told_anew_and_not_by_stockholm(tmp_path):
    found = one(*FORMS["clustal"], tmp_path)
    assert found.annotations.of_columns == (("clustal", "** .** "),)
    alignment_writer.write_alignments(tmp_path / "some.sto", [found])
    assert "clustal" not in (tmp_path / "some.sto").read_text()
    alignment_writer.write_alignments(tmp_path / "some.aln", [found])
    (again,) = aligned_sequences.read_alignments(tmp_path / "some.aln")
    assert again.annotations.of_columns == (("clustal", "**  ** "),)


def test_lower_case_alone_is_no_insertion(tmp_path):
    found = one(">a\nacg-t\n>b\na-gtt\n", ".fa", tmp_path)
    path = tmp_path / "again.a3m"
    alignment_writer.write_alignments(path, [found])
    assert path.read_text() == ">a\nACG-T\n>b\nA-GTT\n"


def test_stockholm_goes_round_with_its_annotation(tmp_path):
    found = one(STOCKHOLM, ".sto", tmp_path)
    path = tmp_path / "again.sto"
    alignment_writer.write_alignments(path, [found, found])
    first, second = aligned_sequences.read_alignments(path)
    assert first.annotations == second.annotations == found.annotations and rows(first) == rows(found)


def test_several_alignments_need_a_format_of_several(tmp_path):
    found = one(STOCKHOLM, ".sto", tmp_path)
    with pytest.raises(InputError, match="FASTA holds one"):
        alignment_writer.write_alignments(tmp_path / "two.fa", [found, found])
    with pytest.raises(InputError, match="is no alignment format"):
        alignment_writer.write_alignments(tmp_path / "one.xyz", [found])


def test_many_blocks_of_a_file_give_the_rows_that_stand_in_it(tmp_path):
    """Rows that cross the blocks in which a file is read."""
    random = np.random.default_rng(1)
    letters = random.choice(np.frombuffer(b"ACGT-", np.uint8), (7, 1_000_003))
    alignment = AlignedSequences(tuple(f"r{row}" for row in range(7)), letters, SequenceType.DNA)
    path = tmp_path / "long.fa"
    alignment_writer.write_alignments(path, [alignment])
    assert data_loading.find_kind_of_file(path).id == "alignment"
    (found,) = aligned_sequences.read_alignments(path)
    assert found == alignment and found.lower is None and found.dots is None and found.annotations == Annotations()


@pytest.mark.skipif(not DATA.exists(), reason="the shared data are elsewhere")
def test_real_files_are_read_as_biopython_reads_them():
    files = dict.fromkeys(sorted(DATA.glob("balibase3/RV1*/*.msf"))[:10], "msf")
    files |= dict.fromkeys(DATA.glob("homfam/*.ref"), "fasta") | {DATA / "families/globins45.ali": "stockholm"}
    assert len(files) > 10
    for path, kind in files.items():
        (found,) = aligned_sequences.read_alignments(path)
        wanted = [str(record.seq).upper() for record in AlignIO.read(path, kind)]
        assert [row.tobytes().decode() for row in found.letters] == [
            row.replace(".", "-").replace("~", "-") for row in wanted
        ]


def test_names_of_very_many_blanks_are_read(tmp_path) -> None:
    path = tmp_path / "blanks.msf"
    path.write_text(f"PileUp\n\n Name: a{' ' * 300_000}x Len: 2\n Name: b Len: 2\n//\n\na  AC\nb  A-\n")
    (found,) = aligned_sequences.read_alignments(path)
    assert found.names == ("a", "b") and found.letters.tobytes() == b"ACA-"


@pytest.mark.parametrize("head", ["0 5", "3 0", "0 0"])
def test_a_phylip_alignment_without_letters_is_refused(tmp_path, head: str) -> None:
    path = tmp_path / "none.phy"
    path.write_text(f" {head}\nabc\nACGTA\n")
    with pytest.raises(InputError, match="line 1: this announces"):
        aligned_sequences.read_alignments(path)


def test_pir_ends_rows_with_a_star_and_has_a_line_of_text(tmp_path):
    path = tmp_path / "some.pir"
    path.write_text(">P1;one\nthe first; of two\nAC-GT\nKK*\n>P1;two\n\nACWGT\n-K*\n")
    (found,) = aligned_sequences.read_alignments(path)
    assert found.names == ("one", "two") and [row.tobytes() for row in found.letters] == [b"AC-GTKK", b"ACWGT-K"]
    assert found.annotations.of_rows == ((0, "DE", "the first; of two"),)
    assert aligned_sequences.is_alignment_file(path, path.read_bytes()[:100]) and aligned_sequences.is_alignment_text(
        path.read_text()
    )
    assert not aligned_sequences.is_alignment_text(">P1;one\n\nACGT*\n>P1;two\n\nACG*\n")
    path.write_text(">P1;one\n\nAC-*\nstray\n")
    with pytest.raises(InputError, match="line 4: text between two sequences"):
        aligned_sequences.read_alignments(path)


def test_names_of_nexus_in_quotes_may_hold_what_means_something_elsewhere(tmp_path):
    names = ("P1;one", "two [2]", "it's; 'three'")
    letters = np.array([list(b"AC-G"), list(b"ACTG"), list(b"A--G")], np.uint8)
    found = aligned_sequences.with_letters(AlignedSequences(names, letters, SequenceType.DNA), letters)
    alignment_writer.write_alignments(tmp_path / "some.nex", [found])
    (again,) = aligned_sequences.read_alignments(tmp_path / "some.nex")
    assert again.names == tuple(name.replace(" ", "_") for name in names) or again.names == names
    assert np.array_equal(again.letters, found.letters)
