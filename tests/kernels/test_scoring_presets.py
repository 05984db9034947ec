"""Preset scorings: what they set, which letters they are for, what a value set by hand beside them does."""

from __future__ import annotations

import pytest

import antidiag as ad
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.problem import PAIR, build_pair
from antidiag.kernels.scoring import named_matrix
from antidiag.kernels.scoring_options import NUCLEOTIDE_DEFAULTS, PRESET
from antidiag.kernels.scoring_presets import PRESETS, find_preset

DNA = [Sequence(name, b"ACGTNACGT", SequenceType.DNA) for name in ("a", "b")]
PROTEINS = [Sequence(name, b"MKVLLW", SequenceType.PROTEIN) for name in ("p", "q")]


def notes(data, **options):
    return PAIR.problem_notes(build_pair(data, options))


@pytest.mark.parametrize(
    ("name", "match", "mismatch", "gap_open", "gap_extend"),
    [
        ("map-ont", 2, -4, 4, 2),
        ("asm5", 1, -19, 39, 3),
        ("asm20", 1, -4, 6, 2),
        ("blastn", 2, -3, 5, 2),
        ("megablast", 1, -2, 0, 2.5),
        ("ssearch", 5, -4, 12, 4),
    ],
)
def test_presets_of_nucleotides(name, match, mismatch, gap_open, gap_extend):
    scoring = build_pair(DNA, {"preset": name}).scoring
    a, c = (scoring.matrix.codes[ord(letter)] for letter in "AC")
    assert (scoring.matrix.values[a, a], scoring.matrix.values[a, c]) == (match, mismatch)
    assert (scoring.gap_open, scoring.gap_extend) == (gap_open, gap_extend)
    n = scoring.matrix.codes[ord("N")]
    assert scoring.matrix.values[n, n] == (-1 if "map" in name or "asm" in name else mismatch)


@pytest.mark.parametrize(
    ("name", "matrix", "gap_open", "gap_extend"), [("blastp", "BLOSUM62", 11, 1), ("ssearch", "BLOSUM50", 10, 2)]
)
def test_presets_of_proteins(name, matrix, gap_open, gap_extend):
    scoring = build_pair(PROTEINS, {"preset": name}).scoring
    assert scoring.matrix == named_matrix(matrix)
    assert (scoring.gap_open, scoring.gap_extend, scoring.preset) == (gap_open, gap_extend, name)


@pytest.mark.parametrize("name", ["EDNAFULL", "dnafull", "NUC44", "NUC4.4", "nuc.4.4", "ednafull"])
def test_all_names_of_ednafull_are_one_preset(name):
    scoring = build_pair(DNA, {"preset": name}).scoring
    assert scoring.matrix == named_matrix("NUC.4.4") and scoring.preset == "ednafull"
    assert scoring.gap_open + scoring.gap_extend == 10 and scoring.gap_extend == 0.5  # EMBOSS: 10.0, 0.5


def test_a_preset_of_other_letters_is_refused_with_those_that_fit():
    with pytest.raises(ParameterError, match="preset map-ont .* scores nucleotides, and the sequences are proteins"):
        build_pair(PROTEINS, {"preset": "map-ont"})
    with pytest.raises(ParameterError, match="preset blastp .* choose map-ont or .*ednafull"):
        build_pair(DNA, {"preset": "blastp"})
    with pytest.raises(ParameterError, match="got 'map-on'; did you mean map-ont"):
        PRESET.parse("map-on")


def test_a_value_set_beside_a_preset_replaces_its_own_and_is_told():
    problem = build_pair(DNA, {"preset": "blastn", "gap_open": 7, "match": 3})
    assert (problem.scoring.gap_open, problem.scoring.gap_extend) == (7, 2)
    assert notes(DNA, preset="blastn", gap_open=7, match=3) == (
        "match 3 replaces the 2 of the preset blastn.",
        "gap_open 7 replaces the 5 of the preset blastn.",
    )
    assert notes(DNA, preset="blastn", gap_open=5) == ()
    (told,) = notes(DNA, preset="blastn", matrix="NUC.4.4")
    assert told == "NUC.4.4 replaces the scores of letters of the preset blastn."
    (told,) = notes(PROTEINS, preset="blastp", matrix="PAM250")
    assert told == "matrix PAM250 replaces the BLOSUM62 of the preset blastp."


def test_minimap2_has_a_second_gap_piece_which_can_be_left_out():
    scoring = build_pair(DNA, {"preset": "map-ont"}).scoring
    assert scoring.gap_pieces == ((4, 2), (24, 1)) and notes(DNA, preset="map-ont") == ()
    one_piece = build_pair(DNA, {"preset": "map-ont", "gap_model": "affine"})
    assert one_piece.scoring.gap_pieces == ((4, 2),)
    (told,) = PAIR.problem_notes(one_piece)
    assert told == "gap_model affine replaces the two-piece of the preset map-ont."
    hit = ad.align(
        "ACGTTGCAACGT" + "T" * 40 + "GGCATCGATCGA", "ACGTTGCAACGTGGCATCGATCGA", preset="map-ont", mode="global"
    )
    assert hit.score == 48 - 24 - 40


def test_options_rebuild_a_scoring_with_its_preset():
    for preset in PRESETS:
        data = DNA if preset.nucleotides is not None else PROTEINS
        problem = build_pair(data, {"preset": preset.name})
        assert build_pair(data, PAIR.option_values(problem)) == problem
        assert PAIR.option_values(problem)["preset"] == preset.name
        assert ("Preset", f"{preset.name} ({preset.label})") in PAIR.setting_rows(problem)


def test_every_value_of_a_preset_is_an_option_and_has_a_source():
    known = {option.name for option in PAIR.options}
    for preset in PRESETS:
        assert preset.source and find_preset(preset.name.upper()) is preset
        for values in (preset.nucleotides, preset.proteins):
            assert values is None or (values.keys() <= known and {"matrix", "gap_open", "gap_extend"} <= values.keys())


def test_no_preset_leaves_the_defaults():
    scoring = build_pair(DNA, {}).scoring
    assert scoring.preset == "" and scoring.gap_open == NUCLEOTIDE_DEFAULTS["gap_open"]
    assert ad.align("ACGTACGT", "ACGTACGT", preset="blastn").score == ad.align("ACGTACGT", "ACGTACGT").score == 16
    assert ad.align("ACGTACGT", "ACGTACGT", preset="ssearch").score == 40


def test_a_score_of_ambiguous_letters_can_be_chosen():
    scoring = build_pair(DNA, {"ambiguous": 0, "match": 1, "mismatch": -2}).scoring
    n, a = (scoring.matrix.codes[ord(letter)] for letter in "NA")
    assert scoring.matrix.values[n, n] == scoring.matrix.values[n, a] == 0
    assert PAIR.option_values(build_pair(DNA, {"ambiguous": -1}))["ambiguous"] == -1


def test_a_search_takes_presets_and_tells_that_it_has_one_gap_piece():
    from antidiag.kernels.pairwise.search import SEARCH
    from antidiag.kernels.pairwise.search.problem import build_search

    problem = build_search([*PROTEINS, *PROTEINS], {"preset": "ssearch"})
    assert problem.scoring.matrix == named_matrix("BLOSUM50") and problem.scoring.gap_extend == 2
    assert ("Preset", "ssearch (SSEARCH)") in SEARCH.setting_rows(problem)
    rebuilt = build_search([*PROTEINS, *PROTEINS], SEARCH.option_values(problem))
    assert rebuilt.scoring == problem.scoring and rebuilt.scoring.preset == "ssearch"
    reads = build_search([*DNA, *DNA], {"preset": "map-ont", "gap_open": 6})
    assert reads.scoring.gap_pieces == ((6, 2),)
    assert SEARCH.problem_notes(reads)[:2] == (
        "gap_model affine replaces the two-piece of the preset map-ont.",
        "gap_open 6 replaces the 4 of the preset map-ont.",
    )
    with pytest.raises(ParameterError, match="preset blastn .* scores nucleotides"):
        build_search([*PROTEINS, *PROTEINS], {"preset": "blastn"})
