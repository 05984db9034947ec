"""Tables of hits: what BLAST, minimap2 and SAM's specification say of each column."""

import csv
import io
import json

import numpy as np
import pytest

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import hit_paf_sam, hit_tables
from antidiag.kernels.io.hit_tables import Hit, HitSequence, QueryHits
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.hit_records import PathAlignment
from antidiag.kernels.pairwise.model import DIAGONAL, UP, Alignment
from antidiag.kernels.pairwise.search.problem import reverse_complement
from antidiag.kernels.scoring import Scoring, match_mismatch

QUERY = HitSequence("q1", 12, "q1 a query", b"TTACGTACGTAA")
SUBJECT = HitSequence("s 1", 20, "s 1 a subject")
SCORING = Scoring(match_mismatch(2, -3), 5, 2)


def dna(letters):
    return Sequence("", letters.encode(), SequenceType.DNA)


LETTERS = dna("TTACGTACGTAA")
FORWARD = PathAlignment(
    Alignment((2, 5), (9, 11), np.array([DIAGONAL] * 3 + [UP] + [DIAGONAL] * 3, np.uint8)),
    LETTERS,
    dna("NNNNNACGACTNNNNNNNNN"),
    SCORING,
)
REVERSE = PathAlignment(
    Alignment((7, 7), (10, 10), np.full(3, DIAGONAL, np.uint8)),
    reverse_complement(LETTERS),
    dna("NNNNNNNCGANNNNNNNNNN"),
    SCORING,
    reverse=True,
)
PLAIN = Hit(QUERY, SUBJECT, 31, 12.25, 3.2e-7, alignment=FORWARD)


def lines_of(writer, *rest, hits=(PLAIN,)):
    return "".join(writer([QueryHits(QUERY, hits)], *rest))


def test_standard_columns_are_those_of_blast():
    (line,) = lines_of(hit_tables.tabular_lines, hit_tables.parse_columns("")).splitlines()
    assert line.split("\t") == ["q1", "s 1", "71.429", "7", "1", "1", "3", "9", "6", "11", "3.20e-07", "12.2"]


def test_reverse_strand_runs_down_in_the_subject_and_shows_the_query_forwards():
    hit = Hit(QUERY, SUBJECT, 3, strand="-", alignment=REVERSE)
    columns = hit_tables.parse_columns("qstart qend sstart send sstrand qseq sseq btop")
    assert lines_of(hit_tables.tabular_lines, columns, hits=[hit]) == "3\t5\t10\t8\tminus\tACG\tTCG\tAT2\n"


def test_format_7_names_query_database_fields_and_counts_hits():
    text = lines_of(hit_tables.commented_lines, hit_tables.parse_columns("qseqid evalue"), "Antidiag 1", "db.fa")
    assert text.splitlines() == [
        "# Antidiag 1",
        "# Query: q1 a query",
        "# Database: db.fa",
        "# Fields: query id, evalue",
        "# 1 hits found",
        "q1\t3.20e-07",
        "# Antidiag 1 processed 1 query",
    ]


def test_a_query_without_hits_is_told_in_every_format_that_can():
    assert "# 0 hits found" in lines_of(hit_tables.commented_lines, hit_tables.parse_columns(""), hits=())
    assert lines_of(hit_paf_sam.paf_lines, hits=()).split("\t")[:6] == ["q1", "12", "0", "0", "*", "*"]
    assert "q1\t4\t*" in lines_of(hit_paf_sam.sam_lines, [], hits=())


def test_scores_alone_have_no_invented_alignment():
    hit = Hit(QUERY, SUBJECT, 7)
    columns = hit_tables.parse_columns("qseqid score pident evalue")
    assert lines_of(hit_tables.tabular_lines, columns, hits=[hit]) == "q1\t7\tN/A\tN/A\n"
    assert json.loads(lines_of(hit_tables.json_lines, columns, hits=[hit])) == {
        "qseqid": "q1",
        "score": 7,
        "pident": None,
        "evalue": None,
    }
    with pytest.raises(InputError, match="SAM needs alignments"):
        lines_of(hit_paf_sam.sam_lines, [("s 1", 20)], hits=[hit])


def test_csv_reads_back():
    text = lines_of(hit_tables.csv_lines, hit_tables.parse_columns("stitle, pident"))
    assert list(csv.DictReader(io.StringIO(text))) == [{"stitle": "s 1 a subject", "pident": "71.429"}]


def test_paf_and_sam_hold_strand_clips_and_secondary_hits():
    second = Hit(QUERY, SUBJECT, 3.5, strand="-", alignment=REVERSE, rank=1)
    first, other = lines_of(hit_paf_sam.paf_lines, hits=[PLAIN, second]).splitlines()
    assert first.split("\t")[:12] == ["q1", "12", "2", "9", "+", "s_1", "20", "5", "11", "5", "7", "255"]
    assert {"tp:A:P", "AS:i:31", "bs:f:12.2", "ev:f:3.2e-07", "cg:Z:3=1I2=1X", "cs:Z:=ACG+t=AC*tg"} == set(
        first.split("\t")[12:]
    )
    assert other.split("\t")[4] == "-" and "as:f:3.5" in other and "tp:A:S" in other
    sam = lines_of(hit_paf_sam.sam_lines, [("s 1", 20)], hits=[PLAIN, second]).splitlines()
    assert "@SQ\tSN:s_1\tLN:20" in sam
    assert sam[-2].split("\t")[:10] == ["q1", "0", "s_1", "6", "255", "2S3=1I2=1X3S", "*", "0", "0", "TTACGTACGTAA"]
    assert sam[-1].split("\t")[:10] == ["q1", "272", "s_1", "8", "255", "7H2=1X2H", "*", "0", "0", "*"]


def test_sam_refuses_two_subjects_that_it_cannot_tell_apart():
    with pytest.raises(InputError, match="are called a_b"):
        lines_of(hit_paf_sam.sam_lines, [("a b", 20), ("a_b", 21)])


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0.0"), (4.081e-30, "4.08e-30"), (0.0123, "0.012"), (2.14, "2.1"), (31.0, "31")]
)
def test_evalues_look_like_those_of_blast(value, text):
    assert hit_tables.format_evalue(value) == text


def test_columns_are_checked():
    assert len(hit_tables.parse_columns("std,btop")) == 13
    with pytest.raises(ParameterError, match="unknown column 'nonsense'"):
        hit_tables.parse_columns("qseqid nonsense")
    with pytest.raises(ParameterError, match="twice"):
        hit_tables.parse_columns("std evalue")
