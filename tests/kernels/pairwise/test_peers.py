"""The CPU methods against parasail and Biopython, on real pairs and on random ones."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from Bio import SeqIO
from Bio.Align import PairwiseAligner, substitution_matrices

from kernels.model import Mode, PairProblem, SequenceType, rescore
from kernels.monitor import Monitor
from kernels.pairwise import cpu
from kernels.scoring import Scoring, match_mismatch, named_matrix
from kernels.steps import Steps
from tests.problems import DATA, pair

PARAMETERS = {"s": 512, "T": 512, "threads": 2, "recompute": "start-point"}
DNA = Scoring(match_mismatch(2, -3), 5, 2)
PROTEIN = Scoring(named_matrix("BLOSUM62"), 10, 1)
PARASAIL = {Mode.LOCAL: "sw_striped_32", Mode.GLOBAL: "nw_striped_32"}


def records(path: Path) -> list[str]:
    if not path.exists():
        pytest.skip(f"{path} is not here")
    return [str(record.seq).upper() for record in SeqIO.parse(path, "fasta")]


def score(problem: PairProblem) -> int:
    """The score, after checking that both methods and the path agree on it."""
    found = cpu.striped_alignment(problem, PARAMETERS, Monitor(), Steps()).answer
    assert cpu.striped_score(problem, PARAMETERS, Monitor(), Steps()).answer.score == found.score
    assert rescore(problem, found.alignment) == found.score
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
    aligner = PairwiseAligner(mode=problem.mode.value, substitution_matrix=matrix)
    aligner.open_gap_score, aligner.extend_gap_score = -(scoring.gap_open + scoring.gap_extend), -scoring.gap_extend
    return aligner.score(*(sequence.letters.decode() for sequence in problem.sequences))


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(
    "names", [("MT-human.fa", "MT-chimp.fa"), ("lambda_virus.fa", "ecoli536_lambdoid_48502.fasta")], ids="-".join
)
def test_real_dna_scores_as_parasail(names: tuple[str, str], mode: Mode) -> None:
    first, second = (records(DATA / "dna" / name)[0] for name in names)
    problem = pair(first, second, DNA, mode)
    # A letter outside its alphabet scores 0 in parasail; N is inside here, and matches only N.
    assert score(problem) == parasail_score(problem, lambda parasail: parasail.matrix_create("ACGTN", 2, -3))


@pytest.mark.parametrize("mode", Mode)
def test_real_proteins_score_as_parasail(mode: Mode) -> None:
    found = sorted((DATA / "triples").glob("*.fasta"))
    if not found:
        pytest.skip("no triples here")
    for path in found:
        for first, second in itertools.combinations(records(path), 2):
            problem = pair(first, second, PROTEIN, mode, SequenceType.PROTEIN)
            assert score(problem) == parasail_score(problem, lambda parasail: parasail.blosum62)


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("name", ["BLOSUM62", "PAM250", "GONNET1992", "NUC.4.4"])
def test_matrices_of_biopython_score_as_its_aligner(name: str, mode: Mode) -> None:
    random = np.random.default_rng(7)
    matrix = named_matrix(name)
    letters = [letter for letter in matrix.letters if letter.isalpha()]
    scoring = Scoring(matrix, 10, 0.5)
    for m, n in ((90, 130), (200, 70)):
        first, second = ("".join(random.choice(letters, length)) for length in (m, n))
        problem = pair(first, second + first[20:60], scoring, mode, SequenceType.PROTEIN)
        assert scoring.unscaled(score(problem)) == pytest.approx(biopython_score(problem), abs=1e-6)
