"""The CPU methods against parasail and Biopython, on real pairs and on random ones."""

from __future__ import annotations

import gzip
import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from Bio import SeqIO
from Bio.Align import PairwiseAligner, substitution_matrices

from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.model import PairProblem, rescore_path
from antidiag.kernels.pairwise.parameters import StripedAlignmentParameters, StripedScoreParameters
from antidiag.kernels.pairwise.strips import cpu
from antidiag.kernels.scoring import FreeEnds, Mode, Scoring, match_mismatch, named_matrix
from antidiag.kernels.steps import StepLog
from tests import oracle
from tests.problems import DATA, LAMBDOIDS, MITOCHONDRIA, SAMPLES, pair

SIZES = {"s": 512, "T": 512, "threads": 2}
PARAMETERS, SCORE_PARAMETERS = (
    StripedAlignmentParameters(**SIZES),
    StripedScoreParameters(**SIZES, precision="32", pruning="off"),
)
DNA = Scoring(match_mismatch(2, -3), 5, 2)
PROTEIN = Scoring(named_matrix("BLOSUM62"), 10, 1)
PARASAIL = {
    Mode.LOCAL: "sw_striped_32",
    Mode.GLOBAL: "nw_striped_32",
    Mode.OVERLAP: "sg_striped_32",
    Mode.QUERY_IN_TARGET: "sg_dx_striped_32",
}
MODES = pytest.mark.parametrize("mode", PARASAIL)
END_GAPS = {
    "first_start": "left_deletion",
    "first_end": "right_deletion",
    "second_start": "left_insertion",
    "second_end": "right_insertion",
}
"""Biopython's names of the gaps at free ends."""


UNIT = Scoring(match_mismatch(0, -1), 0, 1)
"""Minus the edit distance."""
CHLAMYDIA = "chlamydia_GCF_000"
PYLORI = slice(15_000), slice(1000, 14_000)
CHLAMYDIAE = slice(200_000, 214_000), slice(200_000, 216_000)
"""Pieces of genomes that parasail aligns in half a second."""
LETTERS = "ACGTN"
"""A letter outside its alphabet scores 0 in parasail; N is inside here, and matches only N."""


def records(path: Path) -> list[str]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as lines:
        return [str(record.seq).upper() for record in SeqIO.parse(lines, "fasta")]


def dna(name: str, piece: slice = slice(None)) -> str:
    """The first record of a file of DNA, or a piece of it."""
    folder = SAMPLES if name in (*MITOCHONDRIA, *LAMBDOIDS) else DATA / "dna"
    return records(folder / name)[0][piece]


def score(problem: PairProblem) -> int:
    """The score, after checking that both methods and the path agree on it."""
    found = cpu.striped_alignment(problem, PARAMETERS, Monitor(), StepLog()).answer
    assert cpu.striped_score(problem, SCORE_PARAMETERS, Monitor(), StepLog()).answer.score == found.score
    assert rescore_path(problem, found.alignment) == found.score
    return found.score


def parasail_score(problem: PairProblem, matrix_of) -> int:
    parasail = pytest.importorskip("parasail")
    open_cost, extend = problem.scoring.open, problem.scoring.extend
    function = getattr(parasail, PARASAIL[problem.mode])
    letters = (sequence.letters.decode() for sequence in problem.sequences)
    return function(*letters, open_cost + extend, extend, matrix_of(parasail)).score


def biopython_score(problem: PairProblem) -> float:
    scoring = problem.scoring
    matrix = substitution_matrices.Array(scoring.matrix.letters, dims=2)
    matrix[:, :] = scoring.matrix.values
    aligner = PairwiseAligner(mode="local" if problem.mode is Mode.LOCAL else "global", substitution_matrix=matrix)
    aligner.open_gap_score, aligner.extend_gap_score = -(scoring.gap_open + scoring.gap_extend), -scoring.gap_extend
    for end, gap in END_GAPS.items():
        if getattr(problem.free_ends, end):
            setattr(aligner, f"{gap}_score", 0)
    return aligner.score(*(sequence.letters.decode() for sequence in problem.sequences))


@pytest.mark.parametrize("ends", [FreeEnds(*ends) for ends in itertools.product((False, True), repeat=4)], ids=str)
def test_every_choice_of_free_ends_scores_as_biopython(ends: FreeEnds) -> None:
    random = np.random.default_rng(11)
    for m, n in ((60, 90), (90, 60), (40, 40), (3, 50)):
        core = "".join(random.choice(list("ACGT"), min(m, n)))
        first, second = ("".join(random.choice(list("ACGT"), length)) + core for length in (m // 3, n // 3))
        problem = pair(first[:m], second + first[: n // 4], DNA, Mode.CUSTOM)
        problem = replace(problem, chosen_ends=ends)
        assert score(problem) == biopython_score(problem) == oracle.best_alignment(problem).score


PHAGES = pytest.param(LAMBDOIDS, (slice(18_000), slice(18_000, 38_000)), id="phages")
"""Where the prophage is like lambda, with pieces between that are not."""
GENOMES = [pytest.param(MITOCHONDRIA, (slice(None), slice(None)), id="mitochondria"), PHAGES]
PIECES = [
    pytest.param(("H_pylori26695_Eslice.fasta.gz", "H_pyloriJ99_Eslice.fasta.gz"), PYLORI, id="H. pylori"),
    pytest.param(
        (f"{CHLAMYDIA}026905.1_ASM2690v1.fna.gz", f"{CHLAMYDIA}318545.1_ASM31854v1.fna.gz"),
        CHLAMYDIAE,
        id="Chlamydia",
    ),
]


@MODES
@pytest.mark.parametrize(("names", "pieces"), [*GENOMES, *PIECES])
def test_real_dna_scores_as_parasail(names, pieces, mode: Mode) -> None:
    problem = pair(*map(dna, names, pieces), DNA, mode)
    assert score(problem) == parasail_score(problem, lambda parasail: parasail.matrix_create(LETTERS, 2, -3))


@pytest.mark.parametrize(("names", "pieces"), GENOMES)
def test_real_dna_with_unit_costs_is_as_far_apart_as_edlib_says(names, pieces) -> None:
    edlib = pytest.importorskip("edlib")
    first, second = map(dna, names, pieces)
    assert score(pair(first, second, UNIT, Mode.GLOBAL)) == -edlib.align(first, second)["editDistance"]


@MODES
def test_real_dna_scores_as_biopython(mode: Mode) -> None:
    first, second = (dna(name, slice(4000)) for name in MITOCHONDRIA)
    problem = pair(first, second, DNA, mode)
    assert DNA.unscale_score(score(problem)) == biopython_score(problem)


@MODES
def test_real_proteins_score_as_parasail(mode: Mode) -> None:
    found = sorted((DATA / "triples").glob("*.fasta"))
    assert found
    for path in found:
        for first, second in itertools.combinations(records(path), 2):
            problem = pair(first, second, PROTEIN, mode, SequenceType.PROTEIN)
            assert score(problem) == parasail_score(problem, lambda parasail: parasail.blosum62)


@MODES
@pytest.mark.parametrize("name", ["BLOSUM62", "PAM250", "GONNET1992", "NUC.4.4"])
def test_matrices_of_biopython_score_as_its_aligner(name: str, mode: Mode) -> None:
    random = np.random.default_rng(7)
    matrix = named_matrix(name)
    letters = [letter for letter in matrix.letters if letter.isalpha()]
    scoring = Scoring(matrix, 10, 0.5)
    for m, n in ((90, 130), (200, 70)):
        first, second = ("".join(random.choice(letters, length)) for length in (m, n))
        problem = pair(first, second + first[20:60], scoring, mode, SequenceType.PROTEIN)
        assert scoring.unscale_score(score(problem)) == pytest.approx(biopython_score(problem), abs=1e-6)
