"""Files of pairwise alignments: SAM, PAF, AXT, chains and EMBOSS's, with letters and positions."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels.alignments import alignment_edits, source_positions
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_sequences
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.registry import data_loading

CASES = Path(__file__).parents[2] / "cases/fmt"
T = "GGGGGACGATACGTACCCCCCCCCCCCCCCCCCCCCCCCC"
Q = "CCTACGTAACGTTTTTTTTT"
"""The sequences of f02.fa; letters 3 to 12 of q are the reverse complement of 6 to 15 of t, but for one."""
FASTA = f">t\n{T}\n>q\n{Q}\n"
POSITIONS = ((0, "place", "6 +"), (1, "place", "3 -"))


def read(path: Path, text: str, fasta: str = "") -> list[AlignedSequences]:
    path.write_text(text)
    letters = path.with_name("letters.fa")
    letters.write_text(fasta or ">other\nACGT\n")
    return list(data_loading.read_data(path, beside=(path, letters)))


def rows(alignment: AlignedSequences) -> list[str]:
    return [row.tobytes().decode() for row in alignment.letters]


@pytest.mark.parametrize("name", ["f02.paf", "f02b_short.paf", "f02c_cgonly.paf", "f25_same_as_f02.sam"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_one_reverse_alignment_lies_at_one_position_in_every_format(name, ends, tmp_path):
    text = (CASES / name).read_text().replace("\n", ends)
    (found,) = read(tmp_path / name, text, (CASES / "f02.fa").read_text())
    assert rows(found) == ["ACGATACGTA", "ACGTTACGTA"] and found.names == ("t", "q")
    assert found.annotations.of_rows == POSITIONS
    places = source_positions.row_positions(found)
    for row, whole in enumerate((T, Q)):
        letters = [whole[places[row].position_of(letter) - 1] for letter in (1, 2, 10)]
        shown = [rows(found)[row][at] for at in (0, 1, 9)]
        assert letters == (shown if row == 0 else [{"A": "T", "C": "G", "G": "C", "T": "A"}[one] for one in shown])
        assert places[row].letter_at(places[row].position_of(7)) == 7


def test_positions_on_the_reverse_strand_stay_true_in_parts_and_on_the_other_strand():
    (found,) = aligned_sequences.read_alignments(CASES / "f02.paf")
    part = alignment_edits.take_columns(found, np.arange(2, 9))
    assert part.annotations.of_rows == ((0, "place", "8 +"), (1, "place", "4 -"))
    turned = alignment_edits.reverse_complement(part)
    assert turned.annotations.of_rows == ((0, "place", "8 -"), (1, "place", "4 +"))
    assert source_positions.row_positions(turned)[1] == (3, 1)
    assert T[7:14] == "GATACGT" and rows(turned)[0] == "ACGTATC"


@pytest.mark.parametrize("name", ["f02b_short.paf", "f02c_cgonly.paf"])
def test_records_without_letters_are_refused_with_the_remedy(name, tmp_path):
    with pytest.raises(InputError, match="give the FASTA files of both sequences together with it"):
        aligned_sequences.read_alignments(CASES / name)
    with pytest.raises(InputError, match="the sequence files given with it have no t, q"):
        read(tmp_path / name, (CASES / name).read_text())


def test_one_file_of_letters_is_enough_for_the_short_form_of_cs(tmp_path):
    for fasta in (f">t\n{T}\n", f">q\n{Q}\n"):
        (found,) = read(tmp_path / "p.paf", (CASES / "f02b_short.paf").read_text(), fasta)
        assert rows(found) == ["ACGATACGTA", "ACGTTACGTA"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ((f">t\n{T}", f">t\n{T}A"), "line 1: 't' has 40 letters here and 41 in .*letters.fa"),
        ((f">q\n{Q}", f">q\n{Q[:-3]}"), "'q' has 20 letters here and 17"),
        (("ACGATACG", "ACCATACG"), "said to be equal and are not"),
    ],
)
def test_letters_of_another_file_are_refused(change, reason, tmp_path):
    fasta = FASTA.replace(*change)
    assert fasta != FASTA
    with pytest.raises(InputError, match=reason):
        read(tmp_path / "p.paf", (CASES / "f02c_cgonly.paf").read_text(), fasta)


def test_a_reference_of_another_length_than_sam_states_is_refused(tmp_path):
    text = SAM.format(flag=16, cigar="8S10M2S", letters="AAAAAAAAACGTTACGTAGG")
    for head in ("@SQ\tSN:t\tLN:41", "@SQ\tAS:x\tSN:t\tM5:y\tLN:41\tSP:z", "@SQ\tSN:t\tLN:41\tSP:z"):
        with pytest.raises(InputError, match="'t' has 41 letters here and 40"):
            read(tmp_path / "p.sam", text.replace("@SQ\tSN:t\tLN:40", head), FASTA)


def test_positions_that_do_not_fit_the_alignment_are_refused(tmp_path):
    with pytest.raises(InputError, match="positions of the query cover 11 letters, but its alignment 10"):
        read(tmp_path / "p.paf", (CASES / "f02.paf").read_text().replace("\t2\t12\t", "\t2\t13\t"))
    with pytest.raises(InputError, match="not a difference string"):
        read(tmp_path / "p.paf", (CASES / "f02.paf").read_text().replace("=ACG", "=AC?G"))


SAM = "@SQ\tSN:t\tLN:40\nq\t{flag}\tt\t6\t60\t{cigar}\t*\t0\t0\t{letters}\t*\n"


@pytest.mark.parametrize(
    ("flag", "cigar", "letters", "place"),
    [
        (16, "8S10M2S", "AAAAAAAAACGTTACGTAGG", "3 -"),
        (16, "8H10M2H", "*", "3 -"),
        (16, "8S3=1X6=2H", "AAAAAAAAACGTTACGTA", "3 -"),
        (16, "8S10M2S", "AAAAAAAA===T======GG", "3 -"),
    ],
)
def test_letters_that_sam_leaves_out_come_from_the_files(flag, cigar, letters, place, tmp_path):
    (found,) = read(tmp_path / "p.sam", SAM.format(flag=flag, cigar=cigar, letters=letters), FASTA)
    assert rows(found) == ["ACGATACGTA", "ACGTTACGTA"] and found.annotations.of_rows[1] == (1, "place", place)


def test_gaps_of_sam_and_paf_get_the_letters_of_the_files(tmp_path):
    fasta = ">t\nAACCGGTT\n>q\nTACGGAT\n"
    (found,) = read(tmp_path / "p.sam", "q\t0\tt\t2\t9\t1S1M1D3M1I1M\t*\t0\t0\t*\t*\n", fasta)
    assert rows(found) == ["ACCGG-T", "A-CGGAT"]
    (found,) = read(tmp_path / "p.paf", "q\t7\t1\t7\t+\tt\t8\t1\t7\t5\t7\t9\tcg:Z:1M1D3M1I1M\n", fasta)
    assert rows(found) == ["ACCGG-T", "A-CGGAT"]


AXT = """# a comment
0 t 6 15 q 9 18 - 900
ACGATACGTA
ACGTTACGTA

1 t 1 3 q 2 3 + -20
ggg
c-t
"""


def test_axt_counts_the_reverse_strand_from_the_other_end(tmp_path):
    first, second = read(tmp_path / "p.axt", AXT, FASTA)
    assert rows(first) == ["ACGATACGTA", "ACGTTACGTA"] and first.annotations.of_rows == POSITIONS
    assert rows(second) == ["GGG", "C-T"] and second.annotations.of_rows == ((0, "place", "1 +"), (1, "place", "2 +"))
    alone, _ = read(tmp_path / "alone.axt", AXT)
    assert alone.annotations.of_rows == POSITIONS[:1]
    assert "positions of 1 row on reverse strands left out" in alone.note


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("\nACGTTACGTA", "\nACGTTACGT"), "line 4: both lines of a block"),
        ((" 9 18 ", " 9 19 "), "line 4: the block says letters 9 to 19, and the line has 10"),
        (("\nc-t\n", "\n"), "line 6: the block ends early"),
        (("1 t 1 3 q 2 3 + -20", "1 t 1 3 q 2 3"), "line 6: .* does not begin a block"),
        (("1 t 1 3 q", f"1 t 1 3{'0' * 5000} q"), "line 6: .* does not begin a block"),
    ],
)
def test_damaged_axt_is_refused(change, reason, tmp_path):
    with pytest.raises(InputError, match=reason):
        read(tmp_path / "p.axt", AXT.replace(*change), FASTA)


CHAIN = "chain 900 t 40 + 5 15 q 20 - 8 18 7\n4 0 0\n6\n\n"


def test_chains_get_their_letters_and_positions(tmp_path):
    (found,) = read(tmp_path / "p.chain", "# made by hand\n" + CHAIN, FASTA)
    assert rows(found) == ["ACGATACGTA", "ACGTTACGTA"] and found.annotations.of_rows == POSITIONS
    gaps = "chain 1 t 8 + 1 7 q 7 + 1 7 1\n1\t1\t0\n3 0 1\n1\n"
    (found,) = read(tmp_path / "p.chain", gaps, ">t\nAACCGGTT\n>q\nTACGGAT\n")
    assert rows(found) == ["ACCGG-T", "A-CGGAT"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (CHAIN.replace("6\n", "5\n"), "operations cover 9 letters of the target and 9 of the query"),
        (CHAIN.replace("4 0 0", "4 0"), "line 2: a line has the size of a block and two gaps"),
        (CHAIN.splitlines()[0] + "\n", "the chain has no block"),
        (CHAIN.replace("q 20", "q 21"), "'q' has 21 letters here and 20"),
    ],
)
def test_damaged_chains_are_refused(text, reason, tmp_path):
    with pytest.raises(InputError, match=reason):
        read(tmp_path / "p.chain", text, FASTA)


def test_a_chain_alone_is_refused_with_the_remedy(tmp_path):
    path = tmp_path / "p.chain"
    path.write_text(CHAIN)
    with pytest.raises(InputError, match="a chain has no letters; give the FASTA files of both"):
        data_loading.read_data(path)


EMBOSS = """########################################
# Program: needle
# Rundate: Wed 16 Jan 2002
# Align_format: srspair
# Report_file: stdout
########################################

#=======================================
#
# Aligned_sequences: 2
# 1: IXI_234_with_a_long_name
# 2: IXI_235
# Matrix: EBLOSUM62
# Gap_penalty: 10.0
# Extend_penalty: 0.5
#
# Length: 12
# Identity:       7/12 (58.3%)
# Score: 59.5
#
#
#=======================================

IXI_234_with_      1 TSPASI      6
                     ||
IXI_235            3 TS----      4

IXI_234_with_      7 RPPAGP     12
                     |.||||
IXI_235            5 RAPAGP     10

#---------------------------------------
#---------------------------------------
"""
MARKX0 = (
    EMBOSS.split("# Length")[0].replace("srspair", "markx0")
    + """# Length: 12
#=======================================

               10
IXI_23 TSPASI
       ::
IXI_23 TS----
             10

IXI_23 RPPAGP
       :.::::
IXI_23 RAPAGP

"""
)


def test_emboss_pairs_are_read_with_names_positions_and_scores(tmp_path):
    (found,) = read(tmp_path / "p.needle", EMBOSS)
    assert rows(found) == ["TSPASIRPPAGP", "TS----RAPAGP"]
    assert found.names == ("IXI_234_with_a_long_name", "IXI_235")
    assert found.annotations.of_rows == ((0, "place", "1 +"), (1, "place", "3 +"))
    assert ("Score", "59.5") in found.annotations.of_file
    (found,) = read(tmp_path / "p.markx0", MARKX0)
    assert rows(found) == ["TSPASIRPPAGP", "TS----RAPAGP"] and found.annotations.of_rows == ()


def test_several_emboss_pairs_of_one_file_and_a_reverse_one(tmp_path):
    second = "#====" + EMBOSS.split("\n#====", 1)[1]
    second = second.replace("3 TS----      4", "10 TS----      9").replace("5 RAPAGP     10", "8 RAPAGP      3")
    first, turned = read(tmp_path / "p.txt", EMBOSS.replace("#---------------------------------------\n", "") + second)
    assert rows(first) == rows(turned) and turned.annotations.of_rows[1] == (1, "place", "3 -")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("srspair", "markx2"), "the format 'markx2' of EMBOSS is not read"),
        (("# Length: 12", "# Length: 13"), "Length says 13 columns, and the rows have 12"),
        (("IXI_235            5 RAPAGP     10\n", ""), "rows of this alignment are missing or cut"),
        (("5 RAPAGP     10\n", "5 R 1" * 40_000 + "\n"), "rows of this alignment are missing or cut"),
        (("5 RAPAGP     10", "5 RAPAGP     11"), "row IXI_235 has 8 letters, and its positions run from 3 to 11"),
    ],
)
def test_damaged_emboss_pairs_are_refused(change, reason, tmp_path):
    with pytest.raises(InputError, match=reason):
        read(tmp_path / "p.needle", EMBOSS.replace(*change))


def test_cram_and_bam_are_refused_with_the_way_to_sam(tmp_path):
    cram, bam = tmp_path / "a.cram", tmp_path / "a.bam"
    cram.write_bytes(b"CRAM\x03\x00" + bytes(40))
    bam.write_bytes(gzip.compress(b"BAM\x01" + bytes(40)))
    for path, reason in ((cram, "differences to a reference"), (bam, "packed form of SAM")):
        with pytest.raises(InputError, match=f"{reason}.*samtools"):
            data_loading.read_data(path)
        with pytest.raises(InputError, match=f"{reason}.*samtools"):
            aligned_sequences.read_alignments(path)


def test_edits_keep_positions_only_where_they_stay_true():
    (found,) = aligned_sequences.read_alignments(CASES / "f02.paf")
    apart = alignment_edits.take_columns(found, np.array([0, 1, 5, 6]))
    assert apart.annotations.of_rows == ()
    same = replace(found, name="renamed")
    assert source_positions.row_positions(same)[1] == (13, -1)
