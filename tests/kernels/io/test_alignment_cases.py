"""Small alignment files that programs read wrongly: each is read rightly, however it is stored, or refused."""

import gzip
from pathlib import Path

import pytest

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_sequences, alignment_writer
from antidiag.kernels.io.aligned_sequences import AlignedSequences, written_letters
from antidiag.kernels.model import SequenceType
from antidiag.kernels.registry import data_loading

CASES = Path(__file__).resolve().parents[2] / "cases"
RIGHT = {
    "aln/ph20_sequential_ten_letter_names.phy": {
        "Hesperorni": "CGTTACTCGTTGTCGTTACTAATTGTTAATGTTAATTGTTCATCATCAAAACCCATCATC",
        "Baluchithe": "TAATGTTAATTGTTAATGTTAATCACGGCAGCCAATCACGCGTTGTTAATGTTCGTTGTA",
    },
    "aln/ph12_interleaved_names_repeated.phy": {"a": "ACGTACGTACGTACGT", "b": "ACGTACGAACGTACGT"},
    "aln/ph16_options_I.phy": {"a": "ACGTACGT", "b": "ACGAACGG"},
    "aln/ph01_aliview150.phy": {
        "Archaeopt": "CGATGCTTACCGCCGATGCTTACCGCCGATGCTTACCGC",
        "Hesperorni": "CGTTACTCGTTGTCGTTACTCGTTGTCGTTACTCGTTGT",
        "Baluchithe": "TAATGTTAATTGTTAATGTTAATTGTTAATGTTAATTGT",
        "B._virgini": "TAATGTTCGTTGTTAATGTTCGTTGTTAATGTTCGTTGT",
        "Brontosaur": "CAAAACCCATCATCAAAACCCATCATCAAAACCCATCAT",
        "B.subtilis": "GGCAGCCAATCACGGCAGCCAATCACGGCAGCCAATCAC",
    },
    "aln/ph04_strict_nospace.phy": {"ABCDEFGHIJ": "ACGTAC", "KLMNOPQRST": "ACGTCC"},
    "aln/cl04_noheader.aln": {"seq1": "ACGTACGT", "seq2": "ACGTACGA"},
    "aln/cl03_numbers.aln": {"mCherry2.XX": "ATGGTGAGCAGG", "mCherry2.25": "ATGGTGAGC-GG"},
    "aln/cl13_clustal_firstline_blank.aln": {"a": "ACGT", "b": "AC-T"},
    "aln/a05_ss.a3m": {"q": "MKVLA.AGI", "h": "MK-LAaAGI"},
    "aln/g04_allmissing.fa": {"a": "ACGT??", "b": "??GTAC", "c": "ACGTAC"},
    "sto/nx07_equate.nex": {"A": "ACGT", "B": "ACGT"},
    "sto/nx18_comment_line_in_block.nex": {"t1": "ACGTACGT", "t2": "ACGAACGT", "t9": "ACGGACGT"},
    "sto/nx06_polymorphic_dna.nex": {"A": "ACRT", "B": "ACGT"},
    "sto/nx08_charset.nex": {"A": "ACGTAC", "B": "ACGTAA"},
    "sto/nx10_both.nex": {"A": "ACGT", "B": "AC-T", "C": "ACGA"},
    "sto/st08_gr_before_seq.sto": {"a": "ACDE", "b": "AC-E"},
    "sto/mf01_track.maf": {"hg18.chr7": "AAAGGG", "panTro1.chr6": "AA-GGG"},
    "fmt/p02_modeller.pir": {
        "5fd1": "AFVVTDNCIKCKYTDCVEVCPVDCFYEGPNFLVIHPDECIDCALCEPECPAQAIFSEDEVPEDMQEFIQLNAELA"
        "EVWPNITEKKDPLPDAEDWDGVKGKLQHLER",
        "1fdx": "AYVINDSC--IACGACKPECPVNIIQGS--IYAIDADSCIDCGSCASVCPVGAPNPED" + 48 * "-",
    },
    "fmt/f05.xmfa": {"a.fa": "ACGTACGT--ACGTACGTACGTACGT", "b.fa": "ACGTACGTAAACGTACCTACGTACGT"},
    "fmt/f05b_parsnp.xmfa": {"a.0001": "ggatac--gtGGAT", "b": "ggatacAAgtGGAT"},
    "fmt/f05c_named.xmfa": {"TelAviv_01": "AAAAAAAAA", "Haifa_02": "AAACAAAAA"},
    "fmt/f12.dbn": {"r1": "GGGAAAUCC"},
}
"""The rows of the first alignment of each file."""


def rows_of(alignment: AlignedSequences) -> dict[str, str]:
    lines = [row.tobytes().decode() for row in written_letters(alignment)]
    return dict(zip(alignment.names, lines, strict=True))


def alignments_of(path: Path) -> list[AlignedSequences]:
    return [datum for datum in data_loading.read_data(path) if isinstance(datum, AlignedSequences)]


@pytest.mark.parametrize("name", RIGHT)
def test_the_rows_are_those_of_the_file(name: str) -> None:
    found = alignments_of(CASES / name)
    assert rows_of(found[0]) == RIGHT[name]
    assert [one.names for one in aligned_sequences.read_alignments(CASES / name)] == [one.names for one in found]


@pytest.mark.parametrize("name", RIGHT)
def test_the_rows_are_the_same_however_the_text_is_stored(name: str, tmp_path: Path) -> None:
    data = (CASES / name).read_bytes()
    stored = {
        "windows": data.replace(b"\n", b"\r\n"),
        "mark": b"\xef\xbb\xbf" + data,
        "blank": b"\n \n" + data,
        "ended": data.rstrip(b"\n"),
        "packed": gzip.compress(data),
    }
    for way, content in stored.items():
        path = tmp_path / way / (Path(name).name + ".gz" * (way == "packed"))
        path.parent.mkdir()
        path.write_bytes(content)
        assert rows_of(alignments_of(path)[0]) == RIGHT[name], way
    if not name.endswith(".a3m"):  # which only its suffix tells from FASTA
        pasted = [datum for datum in data_loading.parse_text(data.decode()) if isinstance(datum, AlignedSequences)]
        assert rows_of(pasted[0]) == RIGHT[name]


def test_what_stands_beside_the_letters_is_kept() -> None:
    structure = alignments_of(CASES / "aln" / "a05_ss.a3m")[0].annotations
    assert structure.of_columns == (("ss_pred", "CCCHH.HHC"), ("ss_conf", "99998.765"))
    assert alignments_of(CASES / "sto" / "st08_gr_before_seq.sto")[0].annotations.of_letters == ((0, "SS", "HHHH"),)
    sets = alignments_of(CASES / "sto" / "nx08_charset.nex")[0]
    assert sets.annotations.of_columns == (("charset_first", "xxx..."), ("charset_second", "...x.."))
    assert sets.note == "skipped: block MRBAYES"
    (folded,) = alignments_of(CASES / "fmt" / "f12.dbn")
    assert folded.annotations.of_letters == ((0, "SS", "(((...)))"),) and folded.type == SequenceType.RNA
    modeller = alignments_of(CASES / "fmt" / "p02_modeller.pir")[0]
    assert modeller.annotations.of_rows[0][:2] == (0, "DE") and modeller.note == "skipped: 1 line such as C;"
    _, other = alignments_of(CASES / "fmt" / "f05.xmfa")
    assert other.annotations.of_rows == ((0, "place", "30 +"), (1, "place", "40 +"))


def test_trees_open_beside_the_alignment_of_their_file() -> None:
    alignment, tree = data_loading.read_data(CASES / "sto" / "nx10_both.nex")
    assert alignment.note == "1 tree beside it in the file" and tree.taxa == alignment.names
    text = (CASES / "sto" / "nx10_both.nex").read_text()
    assert [type(datum) for datum in data_loading.parse_text(text)] == [type(alignment), type(tree)]
    (alone,) = data_loading.parse_text(text.replace("((A:1,B:1)", "((A:1,B:1"))
    assert "the trees of the file are left out" in alone.note


def test_sizes_that_the_matrix_has_not_are_refused() -> None:
    with pytest.raises(InputError, match="line 5: DIMENSIONS says NTAX=2 and NCHAR=9, but the matrix has 2 rows of 8"):
        data_loading.read_data(CASES / "sto" / "nx14_dimensions_wrong.nex")


def test_a_missing_letter_counts_as_any_and_is_written_again(tmp_path: Path) -> None:
    (found,) = alignments_of(CASES / "aln" / "g04_allmissing.fa")
    assert [row.tobytes() for row in found.letters] == [b"ACGTNN", b"NNGTAC", b"ACGTAC"]
    assert found.note == "4 '?' count as N"
    for suffix in (".fa", ".sto", ".phy", ".nex", ".a3m", ".aln", ".msf", ".maf"):
        path = tmp_path / f"again{suffix}"
        alignment_writer.write_alignments(path, [found])
        assert rows_of(alignments_of(path)[0]) == RIGHT["aln/g04_allmissing.fa"], suffix


def test_the_type_is_what_the_file_says_or_somebody_sets(tmp_path: Path) -> None:
    path = CASES / "aln" / "ty2_protein_acgt_rich.fa"
    (guessed,) = alignments_of(path)
    assert guessed.type == SequenceType.DNA
    protein = aligned_sequences.with_type(guessed, SequenceType.PROTEIN)
    assert protein.type == SequenceType.PROTEIN and rows_of(protein) == rows_of(guessed)
    named = tmp_path / "some.faa"
    named.write_bytes(path.read_bytes())
    assert alignments_of(named)[0].type == SequenceType.PROTEIN
    for text in (
        "#NEXUS\nbegin data;\nformat datatype=protein;\nmatrix\na ACGT\nb AC-T;\nend;\n",
        ">P1;a\n\nACGT*\n>P1;b\n\nAC-T*\n",
        "#mega\n!Format DataType=Protein;\n#a ACGT\n#b AC-T\n",
        "PileUp\n\n MSF: 4 Type: P Check: 0 ..\n\n Name: a Len: 4\n Name: b Len: 4\n\n//\n\na ACGT\nb AC.T\n",
    ):
        (stated,) = aligned_sequences.read_alignment_text(text)
        assert stated.type == SequenceType.PROTEIN and stated.letters.shape == (2, 4), text
    (wrong,) = aligned_sequences.read_alignment_text(
        "#NEXUS\nbegin data;\nformat datatype=dna;\nmatrix\na MKLV\nb MK-V;\nend;\n"
    )
    assert (
        wrong.type == SequenceType.PROTEIN and wrong.note == "the file says DNA, but the letters are those of proteins"
    )


def test_a_type_without_the_letters_is_refused_and_missing_letters_follow_it() -> None:
    (missing,) = alignments_of(CASES / "aln" / "g04_allmissing.fa")
    protein = aligned_sequences.with_type(missing, SequenceType.PROTEIN)
    assert protein.letters[0].tobytes() == b"ACGTXX" and rows_of(protein) == rows_of(missing)
    (back,) = [aligned_sequences.with_type(protein, SequenceType.RNA)]
    assert back.letters[0].tobytes() == b"ACGTNN"
    (other,) = alignments_of(CASES / "sto" / "st08_gr_before_seq.sto")
    with pytest.raises(InputError, match="row a: 'E' in column 4 is not a DNA letter; correct it, or choose another"):
        aligned_sequences.with_type(other, SequenceType.DNA)


def test_comments_before_dot_bracket_are_its_name_and_description(tmp_path: Path) -> None:
    (tmp_path / "bp.dbn").write_text("#Name: bpRNA_1\n#Length: 9\nGGGAAAUCC\n(((...)))\n#Name: b\nGGAAACC\n((...))\n")
    first, second = data_loading.read_data(tmp_path / "bp.dbn")
    assert (first.names[0], second.names[0]) == ("bpRNA_1", "b")
