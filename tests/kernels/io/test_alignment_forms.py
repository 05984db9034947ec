"""Forms of alignment formats that differ between programs: names, order of lines, signs, and what files say wrongly."""

from pathlib import Path

import pytest

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_sequences, alignment_writer
from antidiag.kernels.io.aligned_sequences import AlignedSequences, written_letters
from antidiag.kernels.io.alignment_formats import known_formats
from antidiag.kernels.model import SequenceType
from antidiag.kernels.registry import data_loading

PAGE = Path(__file__).resolve().parents[3] / "docs" / "alignment-formats.md"


def test_the_page_has_every_format_and_suffix() -> None:
    page = PAGE.read_text(encoding="utf-8")
    lines = page[page.index("## Read") : page.index("## Type")].split("\n")
    first = " ".join(line.split("|")[1] for line in lines if line.startswith("|"))
    assert [known.label for known in known_formats.ALIGNMENT_FORMATS if known.label not in first] == []
    written = page[page.index("## Written") :]
    assert [suffix for suffix in alignment_writer.WRITERS if f"`{suffix}`" not in written] == []


def read(text: str) -> list[AlignedSequences]:
    return aligned_sequences.read_alignment_text(text)


def rows_of(alignment: AlignedSequences) -> dict[str, str]:
    lines = [row.tobytes().decode() for row in written_letters(alignment)]
    return dict(zip(alignment.names, lines, strict=True))


PHYLIP = {
    "sequential, indented": "2 12\nab ACGT\n   ACGT\n   ACGT\n\ncd ACGA\n   ACGT\n   AC-T\n",
    "sequential, not indented": "2 12\nab ACGT\nACGT\nACGT\ncd ACGA\nACGT\nAC-T\n",
    "interleaved": "2 12\nab ACGT\ncd ACGA\n\nACGT\nACGT\n\nACGT\nAC-T\n",
    "interleaved without blank lines": "2 12\nab ACGT\ncd ACGA\nACGTACGT\nACGTAC-T\n",
    "names repeated": "2 12\nab ACGT\ncd ACGA\n\nab ACGT\ncd ACGT\n\nab ACGT\ncd AC-T\n",
    "PAML, names on their own": "  2 12\nab\nACGTACGT\nACGT\ncd\nACGAACGTAC-T\n",
    "PAML, interleaved": "  2 12 I\nab  ACGT\ncd  ACGA\n\nACGTACGT\nACGTAC-T\n",
    "PAML, sequential": "  2 12 S\nab  ACGT\nACGTACGT\ncd  ACGA\nACGTAC-T\n",
    "strict": "2 12\nab        ACGTACGTACGT\ncd        ACGA ACGT AC-T\n",
    "lower case option": "2 12 i\nab ACGT\ncd ACGA\nACGTACGT\nACGTAC-T\n",
}


@pytest.mark.parametrize("form", PHYLIP)
def test_a_form_of_phylip(form: str) -> None:
    (found,) = read(PHYLIP[form])
    assert rows_of(found) == {"ab": "ACGTACGTACGT", "cd": "ACGAACGTAC-T"}


def test_names_of_phylip_that_hold_blanks_or_digits() -> None:
    (paml,) = read("  2 8\nHomo sapiens  ACGTACGT\nPan paniscus  ACGTAC-T\n")
    assert rows_of(paml) == {"Homo_sapiens": "ACGTACGT", "Pan_paniscus": "ACGTAC-T"}
    (strict,) = read("2 6\nSeq 1     ACGTAC\nSeq 2     ACG-AC\n")
    assert rows_of(strict) == {"Seq_1": "ACGTAC", "Seq_2": "ACG-AC"}


def test_two_readings_of_phylip_are_told() -> None:
    text = "2 10{}\nA CGTA\nGG TTTT\n{}CC AAAA\nACGTAC\n"
    sequential, interleaved = {"A": "CGTAGGTTTT", "CC": "AAAAACGTAC"}, {"A": "CGTACCAAAA", "GG": "TTTTACGTAC"}
    (found,) = read(text.format("", ""))
    assert rows_of(found) == sequential and found.note.startswith("the rows fit as interleaved and as sequential ones")
    for options, blank, wanted in ((" I", "", interleaved), (" S", "", sequential), ("", "\n", interleaved)):
        (found,) = read(text.format(options, blank))
        assert rows_of(found) == wanted and not found.note


def test_several_alignments_of_phylip() -> None:
    first, second = read("2 4\na ACGT\nb AC-T\n\n2 4\na ACGA\nb ACGT\n")
    assert rows_of(first) == {"a": "ACGT", "b": "AC-T"} and rows_of(second) == {"a": "ACGA", "b": "ACGT"}
    assert second.name == "pasted text: alignment 2"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2 9\na ACGTACGT\nb ACGTACGA\n", "row a: 8 letters, but the first line announces 9"),
        ("3 8\na ACGTACGT\nb ACGTACGA\n", "line 1: this announces 3 rows, but the file has 2 lines after it"),
        ("2 8\na ACGTACGT\nb ACGTACGA\nc ACGTACGA\n", "announces 2 rows, but there are 3"),
        ("2 8 S\na ACGT\nACG\nb ACGTACGA\n", "line 4: row a has more than the 8 letters"),
    ],
)
def test_sizes_of_phylip_that_do_not_fit(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        read(text)


def test_the_genes_of_paml_are_told() -> None:
    (found,) = read("  2 6 GC\nG 2\nhs  ATGAAA\npt  ATG---\n")
    assert rows_of(found) == {"hs": "ATGAAA", "pt": "ATG---"}
    assert found.note == "skipped: the division into genes in line 2"


def nexus(matrix: str, dimensions: str = "ntax=2 nchar=8", settings: str = "datatype=dna", more: str = "") -> str:
    return f"#NEXUS\n{more}\nbegin data;\ndimensions {dimensions};\nformat {settings};\nmatrix\n{matrix}\n;\nend;\n"


TAXA = "begin taxa;\ndimensions ntax=2;\ntaxlabels A 'B c';\nend;"
NEXUS = {
    "one line a row": nexus("A ACGTACGT\n'B c' ACGTAC-T"),
    "rows of several lines": nexus("A ACGT\nACGT\n'B c' ACGT\nAC-T"),
    "interleaved": nexus("A ACGT\n'B c' ACGT\n\nA ACGT\n'B c' AC-T", settings="interleave=yes datatype=DNA"),
    "interleaved, not stated": nexus("A ACGT\n'B c' ACGT\n\nA ACGT\n'B c' AC-T"),
    "without labels": nexus("ACGTACGT\nACGTAC-T", "nchar=8", "datatype=dna nolabels", TAXA),
    "labels=no, interleaved": nexus("ACGT\nACGT\n\nACGT\nAC-T", "nchar=8", "labels=no interleave", TAXA),
    "labels at the right": nexus("ACGTACGT A\nACGTAC-T 'B c'", settings="datatype=dna labels=right"),
    "equates": nexus("A 1CGT12GT\n'B c' ACGTAC-T", settings='datatype=dna equate="1=A 2=C"'),
    "equates in other words": nexus("A 1CGT12GT\n'B c' ACGTAC-T", settings="EQUATE = '1 = A, 2 = C' DATATYPE=DNA"),
    "own signs": nexus("A ACGTACGT\n'B c' ......_.", settings="datatype=dna gap=_ matchchar=. missing=?"),
    "comments": nexus("[first]A ACGT[middle]ACGT\n[a line\nof two]\n'B c' ACGTAC-T[last]"),
    "sizes unknown": nexus("A ACGTACGT\n'B c' ACGTAC-T", "newtaxa"),
    "windows": nexus("A ACGTACGT\n'B c' ACGTAC-T").replace("\n", "\r\n"),
    "capitals": nexus("A ACGTACGT\n'B c' ACGTAC-T").replace("begin", "BEGIN").replace("matrix", "MATRIX"),
}


@pytest.mark.parametrize("form", NEXUS)
def test_a_form_of_nexus(form: str) -> None:
    (found,) = read(NEXUS[form])
    assert rows_of(found) == {"A": "ACGTACGT", "B c": "ACGTAC-T"} and found.type == SequenceType.DNA


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (nexus("A ACGTACGT\nB ACGTACGA", "ntax=3 nchar=8"), "NTAX=3 and NCHAR=8, but the matrix has 2 rows of 8"),
        (nexus("A ACGTACGT\nB ACGTACGA", "ntax=2 nchar=7"), "NTAX=2 and NCHAR=7, but the matrix has 2 rows of 8"),
        (nexus("A ACGTACGT\nB ACGTACGA", "ntax=1 nchar=8"), "NTAX=1 and NCHAR=8, but the matrix has 2 rows of 8"),
        (nexus("A ACGT\nB ACG", "ntax=2 nchar=4"), "row B: 3 columns, but A has 4"),
        (nexus("1 AA\n2 CC", "ntax=2 nchar=2", "datatype=dna transpose"), "TRANSPOSE is not read"),
        (nexus("A 0101\nB 0011", "ntax=2 nchar=4", 'datatype=standard symbols="01"'), "type STANDARD are no letters"),
        (nexus("A 0.1 0.2\nB 0.3 0.4", "ntax=2 nchar=2", "datatype=continuous"), "no complete MATRIX of letters"),
        (nexus("A AC{AGT\nB ACGT", "ntax=2 nchar=4"), "a bracket of a set of letters has no partner"),
    ],
)
def test_nexus_that_does_not_fit_what_it_says(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        read(text)


def test_sets_of_letters_become_codes() -> None:
    (bases,) = read(nexus("A AC{AG}(CT)\nB {ACG}{A}{ACGT}-", "ntax=2 nchar=4"))
    assert rows_of(bases) == {"A": "ACRY", "B": "VAN-"}
    (residues,) = read(nexus("A M{DN}(IL)V\nB M{KR}LV", "ntax=2 nchar=4", "datatype=protein"))
    assert rows_of(residues) == {"A": "MBJV", "B": "MXLV"}
    assert residues.note == "1 set of several letters replaced by X"


def test_sets_of_columns_of_nexus() -> None:
    sets = "charset p1 = 1-8\\3; charset 'p 2'=2-.\\3; charset both = p1 4 'p 2'; charset * all_ = all;"
    text = nexus("A ACGTACGT\nB ACGTAC-T") + f"begin assumptions;\n{sets}\nexset x = 1;\nend;\n"
    (found,) = read(text)
    assert found.annotations.of_columns == (
        ("charset_p1", "x..x..x."),
        ("charset_p_2", ".x..x..x"),
        ("charset_all_", "xxxxxxxx"),
    )
    assert found.note == "skipped: block ASSUMPTIONS, set both"
    (other,) = read(text.replace("'p 2'", "p2"))
    assert other.annotations.of_columns[2] == ("charset_both", "xx.xx.xx")


def test_comments_after_names_stay_with_their_rows() -> None:
    (found,) = read(nexus("A[&!color=#f00] ACGTACGT\nB [no name] ACGTACGT"))
    assert found.annotations.of_rows == ((0, "comment", "&!color=#f00"),)


def test_several_matrices_are_several_alignments() -> None:
    second = "begin characters;\ntitle 'the second';\ndimensions nchar=3;\nformat datatype=protein;\n"
    second += "matrix\nA MKV\nB M-V;\nend;"
    one, other = read(nexus("A ACGTACGT\nB ACGTACGT") + second)
    assert one.type == SequenceType.DNA and other.type == SequenceType.PROTEIN
    assert rows_of(other) == {"A": "MKV", "B": "M-V"} and other.name == "pasted text: the second"


def rows_without_gaps(text: str) -> dict[str, bytes]:
    known = known_formats.find_alignment_format(text.lstrip().encode())
    assert known is not None and known.read_rows is not None and known.is_aligned is not None
    assert not known.is_aligned(iter([text.encode()]))
    return {row.name: row.letters for row in known.read_rows(iter([text.encode()]), "some.txt")}


def test_unaligned_rows_of_nexus() -> None:
    text = "#NEXUS\nbegin unaligned;\ndimensions ntax=2;\nformat datatype=dna;\nmatrix\nA ACGT,\nB ACGTACGT\n;\nend;\n"
    assert rows_without_gaps(text) == {"A": b"ACGT", "B": b"ACGTACGT"}


HEADLESS = {
    "with marks": "\nseq1   ACGTACGT\nseq2   ACGTACGA\n       ******* \n\nseq1   ACGT\nseq2   ACGA\n       *** \n",
    "numbers": "seq1   ACGTACGT 8\nseq2   ACGTACGA 8\n\nseq1   ACGT 12\nseq2   ACGA 12\n",
    "groups of letters": "seq1\tACGTACGTAC GT\nseq2\tACGTACGAAC GA\n       ******* *** \n",
    "numbers before": "seq1 1 ACGTACGT\nseq2 1 ACGTACGA\n\nseq1 9 ACGT\nseq2 9 ACGA\n",
}


@pytest.mark.parametrize("form", HEADLESS)
def test_clustal_without_its_head(form: str) -> None:
    (found,) = read(HEADLESS[form])
    assert rows_of(found) == {"seq1": "ACGTACGTACGT", "seq2": "ACGTACGAACGA"}


def test_rows_of_a_table_need_not_have_one_length() -> None:
    assert rows_without_gaps("seq1 ACGTACGT\nseq2 ACGTAC\n") == {"seq1": b"ACGTACGT", "seq2": b"ACGTAC"}
    assert rows_without_gaps("human ACGTACGT\nmouse ACGTACGA\n") == {"human": b"ACGTACGT", "mouse": b"ACGTACGA"}
    with pytest.raises(InputError, match="row b1: 4 columns, but a1 has 8"):
        rows_without_gaps("a1 ACGT\nb1 ACGT\n\na1 ACGT\n")


@pytest.mark.parametrize(
    "text",
    [
        "ACGTACGTAC GTACGTACGT\nACGTACGTAC GTACG\n",
        "1 acgtacgtac gtacgtacgt\n21 acgtacgtac gtacgt\n",
        "  1 acgtacgt 10\n 11 ttgattga\n",
        "seq1 ACGTACGT\n",
        "Homo sapiens ACGT\nPan paniscus ACGA\n",
        "MKVLAAGIVL LLAAGIVLMK\nMKVL\n",
        "alice bob\nbob carol\ncarol alice\n",
        "A B\nB C\nC A\n",
        "ACGT CGTA\nCGTA GTAC\n",
        "hello world\n",
        "a 0.1\nb 0.2\n",
        "ACGT-CGT\nACGTACGA\nAC--\n",
    ],
)
def test_letters_words_and_edges_are_no_rows(text: str) -> None:
    assert known_formats.find_alignment_format(text.encode()) is None


def test_names_that_are_numbers_count_the_rows() -> None:
    (found,) = read("1 ACGT-CGT\n2 ACGTACGA\n3 ACGTACGA\n")
    assert rows_of(found) == {"1": "ACGT-CGT", "2": "ACGTACGA", "3": "ACGTACGA"}


def test_rows_without_names_are_numbered() -> None:
    (found,) = read("ACGT-CGT\nACGTACGA\n\nACGT\nAC-T\n")
    assert rows_of(found) == {"unnamed-1": "ACGT-CGTACGT", "unnamed-2": "ACGTACGAAC-T"}
    assert found.note == "the rows have no names; numbered"


def test_selex_keeps_its_annotation() -> None:
    (found,) = read(
        "#=ID globins\n# a comment\n\n#=RF      xxx.xx\nseq1      ACGU..\n#=SS      >>..<<\nseq2      AC_UGA\n\n"
        "#=RF      xx\nseq1      AC\n#=SS      ..\nseq2      A-\n"
    )
    assert rows_of(found) == {"seq1": "ACGU..AC", "seq2": "AC-UGAA-"}
    notes = found.annotations
    assert notes.of_file == (("ID", "globins"),) and notes.of_columns == (("RF", "xxx.xxxx"),)
    assert notes.of_letters == ((0, "SS", ">>..<<.."),)


def test_rows_of_psi_blast() -> None:
    (found,) = read(
        "26SPS9_Hs   IHAAEEKDWKT-YSYFY\nF57B9_Ce    LHAADEKDFKTAYSYFY\n\n26SPS9_Hs   EAFegy\nF57B9_Ce    EAFEGY\n"
    )
    assert rows_of(found) == {"26SPS9_Hs": "IHAAEEKDWKT-YSYFYEAFegy", "F57B9_Ce": "LHAADEKDFKTAYSYFYEAFEGY"}


def test_mega_has_signs_regions_and_comments() -> None:
    (found,) = read(
        "#mega\n!Title Test data;\n!Format DataType=DNA indel=_ identical=. missing=N;\n!Description of\ntwo lines;\n\n"
        "[a comment]\n!Gene=one;\n#seq1 ACGTAC\n#seq_2 .C_..N\n\n!Gene=two;\n#seq1 GT\n#seq_2 ..\n"
    )
    assert rows_of(found) == {"seq1": "ACGTACGT", "seq_2": "AC-TA?GT"}
    assert found.annotations.of_columns == (("charset_one", "xxxxxx.."), ("charset_two", "......xx"))
    assert found.annotations.of_file == (("DE", "Test data"),)
    (old,) = read("#MEGA\nTITLE: Old style\n\n#a\nACGT AC\n#b\nAC-A AC\n")
    assert rows_of(old) == {"a": "ACGTAC", "b": "AC-AAC"} and old.annotations.of_file == (("DE", "Old style"),)
    grouped = "#mega\n!Title x;\n\n!Gene=one Domain=exon;\n#a{ape} AC\n#b{cat} A-\n"
    (found,) = read(grouped)
    assert rows_of(found) == {"a": "AC", "b": "A-"} and found.annotations.of_columns[0][0] == "charset_one_exon"
    assert found.annotations.of_rows == ((0, "group", "ape"), (1, "group", "cat"))
    assert list(rows_of(read(grouped.replace("#b{", "#a{"))[0])) == ["a{ape}", "a{cat}"]
    with pytest.raises(InputError, match="this is not an alignment"):
        read("#mega\n!Format DataType=Distance;\n#a\n#b\n0.1\n")


def test_mase_has_comments_and_ig_ends_with_a_digit() -> None:
    (found,) = read(";;of the file\n;comment one\nA_U455\nACG-TAC\nACG\n;\nB_HXB2R\nACGTTAC\nACG\n")
    assert rows_of(found) == {"A_U455": "ACG-TACACG", "B_HXB2R": "ACGTTACACG"}
    assert found.annotations.of_file == (("CC", "of the file"),)
    assert found.annotations.of_rows == ((0, "DE", "comment one"),)
    assert rows_without_gaps("; first\nHUMBETGLOA\nACGTACGT\nACGT1\n; x\nOTHER\nACGT2\n") == {
        "HUMBETGLOA": b"ACGTACGTACGT",
        "OTHER": b"ACGT",
    }
    with pytest.raises(InputError, match="line 2: letters where the name should be"):
        read("; FASTA of old times\n" + "MKVLAAGIVL" * 6 + "\nMKVL\n")


DIALIGN = """                           DIALIGN 2.2.1
                           *************

   Aligned sequences:          length:
   ==================          =======

   1) seq1                        12
   2) seq2                        11

   Alignment (DIALIGN format):
   ===========================

seq1             1   ACGTAC---- acGT
seq2             1   ACGT--acgt ACg-

                     9999000000 0099

seq1            13   AC
seq2            12   AC

                     77


   Sequence tree:
   ==============

((seq1  :0.1,seq2  :0.1):0.2);
"""


def test_dialign_has_weights_and_a_tree() -> None:
    (found,) = read(DIALIGN)
    assert rows_of(found) == {"seq1": "ACGTAC----acGTAC", "seq2": "ACGT--acgtACg-AC"}
    assert found.annotations.of_columns == (("dialign", "9999000000009977"),)
    assert found.note == "skipped: the tree of the report"
    with pytest.raises(InputError, match="this report has no alignment"):
        read("DIALIGN 2.2.1\n\nAligned sequences:\n")


def test_blocks_of_xmfa() -> None:
    (found,) = read(">1:1-8 + chr1\nACGT\nACGT\n>2:1-7 - chr2\nACGTAC-T\n= score=12\n>1:9-12 + chr1\nACGT\n=\n")
    assert rows_of(found) == {"chr1": "ACGTACGT", "chr2": "ACGTAC-T"}
    assert found.annotations.of_file == (("XMFA", "score=12"),) and found.note == "skipped: 1 block of one row"
    (other,) = read(">1:1-9 + chr1\nACGT\n>2:5-7 - chr2\nA-GT\n>3:0-0 + chr3\n----\n=\n")
    assert other.annotations.of_rows == ((0, "place", "1 +"), (1, "place", "5 -"))
    assert other.note == "last position left out of 1 row of another length than stated"
    with pytest.raises(InputError, match="line 3: '> two' is not a title of XMFA"):
        read("#FormatVersion Mauve1\n> 1:1-4 + a.fa\n> two\nACGT\n=\n")


def test_structures_of_several_records() -> None:
    first, second = read(">r1 of two\nGGGAAAUCC\n(((...))) (-1.20)\n>r2\nACGU\n....\n")
    assert first.annotations.of_rows == ((0, "DE", "of two"), (0, "energy", "-1.20"))
    assert second.annotations.of_letters == ((0, "SS", "...."),) and second.name == "pasted text: r2"
    (crossing,) = read("GGGAAAUCCAA\n((([..)))].\n")
    assert crossing.annotations.of_letters == ((0, "SS", "((([..)))]."),)
    with pytest.raises(InputError, match="line 1: a has 9 letters and a structure of 8 characters"):
        read(">a\nGGGAAAUCC\n(((...))\n")
    with pytest.raises(InputError, match="line 1: the brackets of the structure of a do not pair"):
        read(">a\nGGGAAAUCC\n(((...))(\n")
    (fasta,) = read(">a\nACGTACGT\n........\n>b\nACGTACGT\nACGTACGT\n")  # a row of gaps is no structure
    assert rows_of(fasta)["a"] == "ACGTACGT........"


def test_pir_of_modeller_and_entries_of_several_lengths() -> None:
    (found,) = read(">P1;a\nstructureX:a:1:A:::::\nMKV/L-A.w*\nC;after\n>P1;b\nsequence:b:::::::\nMKV/LGAGG*\n")
    assert rows_of(found) == {"a": "MKVL-AXX", "b": "MKVLGAGG"}
    assert found.note == (
        "skipped: 1 line such as C;, 2 chain breaks (/); 2 residues without a letter ('.', w) replaced by X"
    )
    assert rows_without_gaps(">DL;a\nsome text\nACGT*\n>DL;b\n\nACGTACGT*\n") == {"a": b"ACGT", "b": b"ACGTACGT"}


def test_letters_of_pir_in_place_of_the_description_are_not_dropped() -> None:
    known = known_formats.find_alignment_format(b">P1;a")
    assert known is not None and known.read_rows is not None
    with pytest.raises(InputError, match="some.pir, line 1: this entry has no letters; after its name comes a line of"):
        list(known.read_rows(iter([b">P1;a\nMKVL*\n>P1;b\n\nMKV*\n"]), "some.pir"))


def test_clustal_with_groups_numbers_and_other_heads() -> None:
    (groups,) = read("CLUSTAL W\n\na ACGTACGTAC GTAC 14\nb ACGTACGTAC GT-C 13\n")
    assert rows_of(groups) == {"a": "ACGTACGTACGTAC", "b": "ACGTACGTACGT-C"}
    for head in ("CLUSTAL O(1.2.4) multiple sequence alignment", "Clustal Omega", "CLUSTALW a, b", "PROBCONS 1.12"):
        (found,) = read(f"{head}\n\n\na      ACGT\t4\nb      AC-T\t3\n       ** *\n")
        assert rows_of(found) == {"a": "ACGT", "b": "AC-T"}
    with pytest.raises(InputError, match="line 3: 'Homo sapiens ACGT' is not a name followed by letters"):
        read("CLUSTAL W\n\nHomo sapiens ACGT\nPan paniscus AC-T\n")


def test_stockholm_without_its_head_and_marks_of_unknown_rows() -> None:
    (found,) = read("#=GF ID x\n#=GR b SS HH\n#=GR c SS HH\na AC\nb A-\n//\n")
    assert rows_of(found) == {"a": "AC", "b": "A-"} and found.annotations.of_letters == ((1, "SS", "HH"),)
    assert found.note == "skipped: 1 #=GR line of unknown rows"


def test_structure_rows_of_hh_suite_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "some.fas"
    path.write_text(">ss_dssp\nCC-H\n>a\nMK-L\n>b\nMKVL\n>ss_conf\n9-98\n")
    (found,) = data_loading.read_data(path)
    assert rows_of(found) == {"a": "MK-L", "b": "MKVL"}
    assert found.annotations.of_columns == (("ss_dssp", "CC-H"), ("ss_conf", "9-98"))
