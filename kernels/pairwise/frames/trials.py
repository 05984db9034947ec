"""Test problems of frame alignment: mutated genes with inserted and missing bases, on either strand."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.frames import reference
from antidiag.kernels.pairwise.frames.model import FrameAnswer, FrameProblem
from antidiag.kernels.pairwise.frames.problem import build_frame_problem
from antidiag.kernels.trials import ProblemAndParameters, TrialChooser, Trials

COSTS = ((10, 1), (11, 1), (0, 1), (3, 2), (4, 0), (0, 0))
LONGEST = 40
BASES = list("ACGT")


def draw_problem(choose: TrialChooser, longest: int = LONGEST) -> FrameProblem:
    """Return a protein and a gene of it with changed, inserted and missing bases, or unrelated bases."""
    random = choose.make_generator()
    protein = "".join(random.choice(list("ACDEFGHIKLMNPQRSTVWY"), choose.draw_integer(1, longest)))
    bases = (
        _unrelated_bases(choose, random)
        if choose.choose_one((False, False, True))
        else _mutate_gene(protein, choose, random)
    )
    if choose.choose_one((True, False)):
        bases = bases.translate(str.maketrans("ACGT", "TGCA"))[::-1]
    opening, extend = choose.choose_one(COSTS)
    options = {
        "gap_open": opening,
        "gap_extend": extend,
        "mode": choose.choose_one(("local", "query-in-target")),
        "strand": choose.choose_one(("forward", "reverse", "both")),
        "frameshift": choose.choose_one((0, 5, 20)),
        "stop": choose.choose_one((None, -10, 0)),
        "genetic_code": choose.choose_one(("1", "2", "11")),
    }
    return make_frame_problem(protein, bases, **options)


def make_frame_problem(protein: str, bases: str, **options: Any) -> FrameProblem:
    """Return the problem of these letters."""
    pair = [
        Sequence("protein", protein.encode("ascii"), SequenceType.PROTEIN),
        Sequence("bases", bases.encode("ascii"), SequenceType.DNA),
    ]
    return build_frame_problem(pair, options)


def _unrelated_bases(choose: TrialChooser, random: np.random.Generator) -> str:
    return "".join(random.choice([*BASES, "N"], choose.draw_integer(1, 120)))


def _mutate_gene(protein: str, choose: TrialChooser, random: np.random.Generator) -> str:
    """Return bases that code for a protein, between others, with some of them changed, missing or inserted."""
    from Bio.Data.CodonTable import unambiguous_dna_by_id

    codons: dict[str, list[str]] = {}
    for codon, amino in unambiguous_dna_by_id[1].forward_table.items():
        codons.setdefault(amino, []).append(codon)
    bases = list("".join(str(random.choice(codons[amino])) for amino in protein))
    for _ in range(choose.draw_integer(0, 4)):
        place, kind = int(random.integers(len(bases))), choose.choose_one(("change", "remove", "insert"))
        if kind == "insert":
            bases.insert(place, str(random.choice(BASES)))
        elif kind == "change" or len(bases) == 1:
            bases[place] = str(random.choice([*BASES, "N", "R"]))
        else:
            del bases[place]
    before, behind = ("".join(random.choice(BASES, choose.draw_integer(0, 30))) for _ in range(2))
    return f"{before}{''.join(bases)}{behind}"


@lru_cache(maxsize=64)
def _solve(problem: FrameProblem) -> FrameAnswer:
    return reference.align_frames(problem)


def assert_same_answer(problem: FrameProblem, found: FrameAnswer, expected: FrameAnswer, method: Method) -> None:
    """Check score, strand, both ends and the path."""
    assert (found.score, found.strand, found.end) == (expected.score, expected.strand, expected.end), (
        f"{found}, not {expected}"
    )
    assert found.path.start == expected.path.start, "the path starts elsewhere"
    np.testing.assert_array_equal(found.path.operations, expected.path.operations)


@lru_cache(maxsize=4)
def make_related(amino_acids: int, bases: int) -> FrameProblem:
    """Return random letters of these lengths, with a gene of the protein in the middle of the bases.

    So many of its codons are changed that the score is about a third of the best one, which is expected of memory.
    """
    from Bio.Data.CodonTable import unambiguous_dna_by_id

    random = np.random.default_rng(1)
    back = {amino: codon for codon, amino in unambiguous_dna_by_id[1].forward_table.items()}
    protein = "".join(random.choice(list(back), amino_acids))
    changed = random.random(amino_acids) < 0.3
    gene = "".join(
        back[random.choice(list(back)) if change else amino] for amino, change in zip(protein, changed, strict=True)
    )
    around = "".join(random.choice(BASES, max(bases - len(gene), 0)))
    half = len(around) // 2
    problem = make_frame_problem(protein, around[:half] + gene + around[half:])
    for strand in problem.strands:
        problem.places(strand)
    return problem


def make_large_problem(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a protein whose path may be wide, with its gene: memory grows with the square of the protein."""
    return make_related(16 + 4 * size, 20_000 + 160 * size), {"threads": 1} if backend == "cpu" else {"threads": 32}


def make_long_problem(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a protein of 100 amino acids and many bases."""
    return make_related(100, 1000 * size), {}


TRIALS = Trials(
    draw_problem=draw_problem,
    solve_by_textbook=_solve,
    assert_same_answer=assert_same_answer,
    make_large_problem=make_large_problem,
    make_long_problem=make_long_problem,
    unread_suffixes=frozenset({".txt"}),
)
