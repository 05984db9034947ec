"""Matrices from Biopython, files, match and mismatch; scales, wildcards and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from Bio.Align import substitution_matrices
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import scoring_options
from antidiag.kernels.errors import InputError, ParameterError, ScoreOverflow
from antidiag.kernels.matrix_files import load_matrix, matrix_from_file
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.scoring import (
    Scoring,
    add_letters,
    encode_sequence,
    match_mismatch,
    matrix_names,
    named_matrix,
    with_wildcard,
)
from tests import oracle

SMALL = """# a comment
   A  C  G
A  1 -2 -3
C -1  2  0.5
G  0  4  3
"""


def file(folder, text: str | bytes, name: str = "own.mat"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("name", matrix_names())
def test_every_matrix_of_biopython(name):
    matrix, original = named_matrix(name.lower()), substitution_matrices.load(name)
    scoring = Scoring(matrix, 10, 0.5)
    assert matrix.name == name
    for x in matrix.letters:
        for y in matrix.letters:
            score = scoring.scores[matrix.codes[ord(x)], matrix.codes[ord(y)]]
            assert scoring.unscale_score(int(score)) == pytest.approx(original[x, y])


def test_fractions_are_scaled_with_the_gap_costs():
    scoring = Scoring(named_matrix("GONNET1992"), 10, 0.25)
    assert (scoring.scale, scoring.open, scoring.extend) == (100, 1000, 25)
    assert scoring.unscale_score(1234) == 12.34
    assert Scoring(named_matrix("BLOSUM62"), 10, 1).unscale_score(7) == 7


def test_codon_matrices_and_unknown_names_are_refused():
    assert "SCHNEIDER" not in matrix_names()
    with pytest.raises(ParameterError, match="codons"):
        named_matrix("schneider")
    for name in ("BLOSUM61", "no/such.mat", "~nobody-at-all/x", "a" * 5000, "x\0y"):
        with pytest.raises((ParameterError, InputError), match="matrix"):
            load_matrix(name)


def test_matrix_from_file(tmp_path):
    matrix = matrix_from_file(file(tmp_path, SMALL))
    assert matrix.letters == "ACG" and matrix.name == "own.mat"
    assert matrix.values.tolist() == [[1, -2, -3], [-1, 2, 0.5], [0, 4, 3]]
    assert not matrix.values.flags.writeable
    assert load_matrix(str(tmp_path / "own.mat")) == matrix


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.lower(),
        lambda text: text.replace("C -1  2  0.5\nG  0  4  3", "G  0  4  3\nC -1  2  0.5"),
        lambda text: text.replace("  ", ","),
        lambda text: text + "\n# the end\n\n",
    ],
)
def test_matrix_files_in_other_dress(tmp_path, change):
    assert matrix_from_file(file(tmp_path, change(SMALL))) == matrix_from_file(file(tmp_path, SMALL, "plain.mat"))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["no matrix"]),
        ("# nothing\n\n", ["no matrix"]),
        (SMALL.replace("0.5", "half"), ["line 4", "'half'", "score 3"]),
        (SMALL.replace("0.5", "nan"), ["line 4", "finite"]),
        (SMALL.replace("0.5", "inf"), ["line 4", "finite"]),
        (SMALL.replace(" 0.5", ""), ["line 4", "2 scores", "3 letters"]),
        (SMALL.replace("0.5", "0.5 7"), ["line 4", "4 scores"]),
        (SMALL.replace("G  0  4  3\n", ""), ["no row for G", "no row for G"]),
        (SMALL.replace("G  0", "T  0"), ["line 5", "'T'"]),
        (SMALL.replace("G  0", "A  0"), ["line 5", "second row", "A"]),
        (SMALL.replace("   A  C  G", "   A  C  A"), ["line 2", "twice"]),
        (SMALL.replace("   A  C  G", "   A  C  a"), ["line 2", "twice"]),
        (SMALL.replace("   A  C  G", "  AA  C  G"), ["line 2", "'AA'"]),
        (SMALL.replace("   A  C  G\n", ""), ["line 2", "'1'"]),
        (b"\x7fELF\0\0\0\0", ["binary"]),
        (b"A" * (1 << 21), ["large"]),
    ],
)
def test_bad_matrix_files_name_the_line(tmp_path, text, parts):
    path = file(tmp_path, text)
    with pytest.raises(InputError) as error:
        matrix_from_file(path)
    for part in [str(path), *parts]:
        assert part in str(error.value)


def test_match_and_mismatch_compare_letters():
    matrix = match_mismatch(2, -3)
    scores, code = matrix.values, matrix.codes
    assert scores[code[ord("N")], code[ord("N")]] == 2
    assert scores[code[ord("N")], code[ord("A")]] == -3
    assert scores[code[ord("a")], code[ord("A")]] == 2
    assert scores[code[ord("U")], code[ord("T")]] == -3
    assert code[ord("-")] == -1


def test_u_is_t_among_nucleotides_and_itself_among_proteins():
    nucleotides = match_mismatch(2, -3, nucleotides=True)
    assert nucleotides.codes[ord("U")] == nucleotides.codes[ord("T")] == nucleotides.codes[ord("u")] >= 0
    assert nucleotides.codes[ord("E")] == -1
    assert named_matrix("NUC.4.4").codes[ord("U")] == named_matrix("NUC.4.4").codes[ord("T")]
    assert named_matrix("BLOSUM62").codes[ord("U")] == -1


@pytest.mark.parametrize("matrix", [match_mismatch(2, -3), named_matrix("BLOSUM62"), named_matrix("HOXD70")])
def test_a_wildcard_scores_nothing_with_anything(matrix):
    wild = with_wildcard(matrix, "nX")
    for letter in "NX":
        code = wild.codes[ord(letter)]
        assert code >= 0
        assert not wild.values[code].any() and not wild.values[:, code].any()
    a, c = wild.codes[ord("A")], wild.codes[ord("C")]
    assert wild.values[a, c] == matrix.values[matrix.codes[ord("A")], matrix.codes[ord("C")]]
    assert "NX = 0" in wild.name
    assert with_wildcard(matrix, "") is matrix


@pytest.mark.parametrize("wildcard", ["N,X", "N X", "-", "1", "\xe9"])
def test_a_wildcard_is_a_letter(wildcard):
    with pytest.raises(ParameterError, match="wildcard"):
        match_mismatch(1, -1, wildcard)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_scores_and_costs_are_finite(bad):
    with pytest.raises(ParameterError, match="match"):
        match_mismatch(bad, -1)
    with pytest.raises(ParameterError, match="mismatch"):
        match_mismatch(1, bad)
    with pytest.raises(ParameterError, match="gap_open"):
        Scoring(match_mismatch(1, -1), bad, 1)
    with pytest.raises(ParameterError, match="gap_extend"):
        Scoring(match_mismatch(1, -1), 1, bad)


def test_negative_costs_and_many_decimals_are_refused():
    with pytest.raises(ParameterError, match="gap_open"):
        Scoring(match_mismatch(1, -1), -1, 1)
    with pytest.raises(ParameterError, match="decimals"):
        Scoring(match_mismatch(1, -1.2345), 1, 1)


@pytest.mark.parametrize("match", [2**30, 3e9, 1e20, 1e306, 1_073_741.824])
def test_scores_beyond_32_bits_are_refused(match):
    with pytest.raises(ScoreOverflow, match="smaller"):
        Scoring(match_mismatch(match, -0.001), 1, 1)


@given(st.text("ACGTNacgtn", max_size=200))
def test_encoding_equals_a_lookup(text):
    scoring = Scoring(match_mismatch(2, -3, nucleotides=True), 5, 2)
    codes = encode_sequence(Sequence("x", text.encode(), SequenceType.DNA), scoring)
    assert codes.dtype == np.uint8
    assert [scoring.matrix.letters[code] for code in codes] == list(text.upper())


def test_a_letter_without_a_score_is_named():
    sequence = Sequence("P53_HUMAN", b"A" * 1200 + b"U", SequenceType.PROTEIN)
    with pytest.raises(InputError, match=r"P53_HUMAN: letter 'U' at position 1,201 .* BLOSUM62"):
        encode_sequence(sequence, Scoring(named_matrix("BLOSUM62"), 10, 1))


@pytest.mark.parametrize("wildcard", ["", "G"])
def test_a_scoring_with_a_matrix_from_a_file_is_rebuilt_from_its_options(tmp_path, monkeypatch, wildcard):
    own = file(tmp_path, SMALL)
    monkeypatch.chdir(tmp_path)
    values = {"matrix": own.name, "wildcard": wildcard, "gap_open": 5.0, "gap_extend": 1.0}
    made = scoring_options.make_scoring(values)
    again = scoring_options.scoring_option_values(made)
    assert again["matrix"] == str(own)
    monkeypatch.chdir("/")
    assert scoring_options.make_scoring({"wildcard": "", **again}) == made


@pytest.mark.parametrize("name", ["EDNAFULL", "DNAFULL", "NUC44", "ednafull", "dnaFull", "NUC.4.4", "nuc4.4"])
def test_other_names_of_nuc44_name_the_same_matrix(name):
    assert load_matrix(name) == named_matrix("NUC.4.4") and load_matrix(name).name == "NUC.4.4"


@pytest.mark.parametrize(("match", "mismatch"), [(2, -3), (1, -1), (0, -1), (1, 0), (5, 4), (-1, -2)])
def test_ambiguous_letters_count_as_a_mismatch_with_every_letter_and_never_score_above_0(match, mismatch):
    for nucleotides in (True, False):
        matrix = match_mismatch(match, mismatch, nucleotides=nucleotides)
        for row, one in enumerate(matrix.letters):
            for column, other in enumerate(matrix.letters):
                expected = oracle.match_score(one, other, (match, mismatch), protein=not nucleotides)
                assert matrix.values[row, column] == expected, (one, other)


def test_published_matrices_stay_as_published_for_ambiguous_letters():
    assert _score_of("NUC.4.4", "N", "N") == -1 and _score_of("NUC.4.4", "R", "A") == 1
    assert _score_of("BLOSUM62", "X", "X") == -1 and _score_of("BLOSUM62", "B", "B") == 4


def _score_of(name: str, one: str, other: str, wanted: str = "") -> float:
    matrix = add_letters(load_matrix(name), wanted)
    return float(matrix.values[matrix.letters.index(one), matrix.letters.index(other)])


def test_letters_that_a_matrix_lacks_score_as_the_mean_of_what_they_stand_for_rounded_down():
    matrix = add_letters(named_matrix("BLOSUM62"), "UOJ")
    assert matrix.derived == "JOU" and named_matrix("BLOSUM62").derived == ""
    for letter in "ACDEFGHIKLMNPQRSTVWYBZX*":
        assert _score_of("BLOSUM62", "U", letter, "U") == _score_of("BLOSUM62", "C", letter)
        assert _score_of("BLOSUM62", letter, "O", "O") == _score_of("BLOSUM62", letter, "K")
        pair = _score_of("BLOSUM62", "I", letter) + _score_of("BLOSUM62", "L", letter)
        assert _score_of("BLOSUM62", "J", letter, "J") == pair // 2
    assert _score_of("BLOSUM62", "J", "J", "J") == (4 + 2 + 2 + 4) // 4 and _score_of("BLOSUM62", "U", "U", "U") == 9
    published = named_matrix("BLOSUM62")
    np.testing.assert_array_equal(matrix.values[: len(published.letters), : len(published.letters)], published.values)


def test_added_letters_keep_the_decimals_of_a_matrix_and_need_all_residues(tmp_path):
    gonnet = add_letters(named_matrix("GONNET1992"), "BX")
    assert Scoring(gonnet, 10, 1).scale == Scoring(named_matrix("GONNET1992"), 10, 1).scale == 10
    assert add_letters(named_matrix("BLOSUM62"), "1-") == named_matrix("BLOSUM62")
    path = tmp_path / "few.txt"
    path.write_text("  A C I\nA 1 0 0\nC 0 1 0\nI 0 0 1\n")
    assert add_letters(load_matrix(str(path)), "UJOX").letters == "ACIU"
    assert add_letters(named_matrix("HOXD70"), "N").derived == "N"


@pytest.mark.parametrize(("wrong", "meant"), [("BLOSM62", "BLOSUM62"), ("blosum-62", "BLOSUM62"), ("NUC-44", "NUC44")])
def test_a_mistyped_matrix_is_answered_with_the_one_that_was_meant(wrong, meant):
    with pytest.raises(ParameterError, match=f"unknown matrix '{wrong}'; did you mean .*{meant}"):
        load_matrix(wrong)
