"""ClustalW's progressive alignment: which matrix scores two alignments, and what gaps cost in each column.

Thompson, Higgins and Gibson (1994) with the values of version 2. The matrix follows from the identity of two alignments
along the tree. Opening a gap costs more in long alignments of equal length and beside gaps, less at gaps and in
hydrophilic runs, and elsewhere by the residues of the column. End gaps are free. Divergent sequences are aligned last.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_weights import leaf_weights
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.msa.pipelines import divergent_sequences, guide_tree, matrix_series
from antidiag.kernels.msa.pipelines.alignment_nodes import ALIGNMENT, AlignmentNode, Factors, NodePlan, round_matrix
from antidiag.kernels.msa.pipelines.pipeline import PipelineJob
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.profiles.column_scores.scoring import ColumnScore, ColumnScoring, ProfileGaps, ProfileSpan
from antidiag.kernels.scoring import Scoring, match_mismatch, named_matrix
from antidiag.kernels.serialization import stored

GAP_OPEN_HELP, GAP_EXTEND_HELP = "Cost of opening a gap, before position factors.", "Cost of each gap column."
DELAY = Parameter(
    "delay",
    "float",
    "Divergence limit",
    "Largest identity to the nearest other sequence at which a sequence counts as divergent and is aligned last.",
    default=30.0,
    minimum=0,
    maximum=100,
    unit="%",
)
WEIGHTS_AND_STEPS = "weights and steps"
"""The phase of the weights of the sequences and the order of the alignments, as in profiles of ClustalW."""

OPTIONS = (
    guide_tree.PAIRWISE_OPTION,
    Parameter(
        "series",
        "choice",
        "Matrix series",
        "Series of protein matrices. The identity of two groups selects a matrix of the series.",
        default="gonnet",
        choices=matrix_series.SERIES,
        proteins_only=True,
    ),
    Parameter(
        "gap_open",
        "float",
        "Gap open",
        f"{GAP_OPEN_HELP} automatic: 10, for nucleotides 20.",
        default=None,
        minimum=0,
    ),
    Parameter(
        "gap_extend",
        "float",
        "Gap extend",
        f"{GAP_EXTEND_HELP} automatic: 0.2, for nucleotides 1.",
        default=None,
        minimum=0,
    ),
    DELAY,
    Parameter(
        "gap_distance",
        "int",
        "Gap distance",
        "Distance from another gap within which opening a gap costs more.",
        default=4,
        minimum=0,
        maximum=100,
        unit="columns",
    ),
    Parameter(
        "lift",
        "float",
        "Score offset",
        "Constant that is added to all scores of a matrix, at most until none is negative. Higher values give fewer "
        "gaps. 20 is ClustalW's, which finds fewer pairs of reference alignments.",
        default=3.0,
        minimum=0,
        maximum=20,
    ),
    Parameter(
        "residues",
        "bool",
        "Residue factors",
        "Scale gap opening costs by the amino acids of a column.",
        default=True,
        proteins_only=True,
    ),
    Parameter(
        "hydrophilic",
        "bool",
        "Hydrophilic runs",
        "Lower gap opening costs in runs of hydrophilic letters.",
        default=True,
        proteins_only=True,
    ),
)

PROTEIN_GAPS, NUCLEOTIDE_GAPS = (10.0, 0.2), (20.0, 1.0)
PAIR_GAPS = {True: (10.0, 0.1), False: (15.0, 6.66)}
"""Gap costs (open, extend) of the aligned pairs whose identities give the distances."""
PAIR_MATCH = 10
RUN, HYDROPHILIC, IN_RUN = 5, b"GPSNDQEKR", 2 / 3
NOTHING = np.zeros(256, bool)
SOFT = np.array([letter in HYDROPHILIC for letter in range(256)])
AT_GAP, EXTEND_AT_GAP = 0.3, 0.5
RESIDUES = dict(
    zip(
        "ACDEFGHIKLMNPQRSTVWY",
        (113, 113, 96, 131, 120, 61, 100, 132, 96, 121, 129, 63, 74, 107, 72, 76, 89, 125, 123, 100),
        strict=True,
    )
)
"""Residue factors in hundredths by Pascarella and Argos (1992), as in Thompson, Higgins and Gibson (1994): high where
gaps are rare."""
WEIGHT_UNITS = 1000
LEAST_WEIGHT = 0.2
"""Weight of a row at least. Beside fragments on long branches, the whole sequences of a column may be near zero in
ClustalW's weights, so that fragments of different parts are aligned with each other."""
LEAST_RATIO = 0.9


@stored("msa-clustalw-rules")
@dataclass(frozen=True)
class ClustalwRules:
    """The values of OPTIONS that define the alignment."""

    pairwise: str
    series: str
    gap_open: float
    gap_extend: float
    delay: float
    gap_distance: int
    lift: float
    residues: bool
    hydrophilic: bool


def make_rules(sequences: Sequences[Sequence], values: Mapping[str, Any]) -> ClustalwRules:
    """Return the rules of option values; missing gap costs are those of proteins or nucleotides."""
    protein = any(sequence.type == SequenceType.PROTEIN for sequence in sequences)
    suitable = dict(zip(("gap_open", "gap_extend"), PROTEIN_GAPS if protein else NUCLEOTIDE_GAPS, strict=True))
    chosen: dict[str, Any] = {name: suitable.get(name) if value is None else value for name, value in values.items()}
    return ClustalwRules(**chosen)


def pairwise_scoring(problem: MsaProblem) -> Scoring:
    """Return the scoring of aligned pairs whose identities are counted."""
    matrix = named_matrix("GONNET1992") if problem.is_protein else match_mismatch(PAIR_MATCH, 0, "N", nucleotides=True)
    return Scoring(matrix, *PAIR_GAPS[problem.is_protein])


def align_clustalw(job: PipelineJob) -> tuple[np.ndarray, Tree]:
    """Return the rows in the order of the sequences, and the guide tree."""
    own: ClustalwRules = job.problem.rules
    tree = guide_tree.build_guide_tree(job, own.pairwise, pairwise_scoring(job.problem))
    with job.run.phase(WEIGHTS_AND_STEPS):
        weights = dict(zip(tree.taxa, row_weights(tree).tolist(), strict=True))
        followed, alike = divergent_sequences.delay_divergent(tree, own.delay)
        units = [round(WEIGHT_UNITS * weights[name]) for name in followed.taxa]
    with job.run.phase(ALIGNMENT):
        rule = ClustalwRule(job.problem, job.alphabet, alike)
        return job.align_along_tree(followed, units, rule), tree


def row_weights(tree: Tree) -> np.ndarray:
    """Return the weight of each row of the alignment, in the order of ``tree.leaves``; float64, the largest is 1."""
    return np.maximum(leaf_weights(tree), LEAST_WEIGHT)


class ClustalwRule:
    """Scores the two alignments below a node; ``alike`` returns their mean identity."""

    def __init__(self, problem: MsaProblem, alphabet: str, alike: divergent_sequences.MeanIdentity) -> None:
        self._rules: ClustalwRules = problem.rules
        self._type, self._alphabet, self._alike = problem.type, alphabet, alike
        self._protein = problem.is_protein
        by_residue, by_run = self._protein and self._rules.residues, self._protein and self._rules.hydrophilic
        self._residues = np.array([RESIDUES[letter] for letter in alphabet[:-1]] if by_residue else [], np.int64)
        self._in_run = IN_RUN if by_run else 0.0
        self._scorings: dict[Any, ColumnScoring] = {}

    def plan_pair(self, first: AlignmentNode, second: AlignmentNode) -> NodePlan:
        """Choose matrix and gap costs for two nodes."""
        own, lengths = self._rules, (len(first), len(second))
        identity = matrix_series.series_step(
            own.series, 100 * self._alike(first.first, second.first, first.rows, second.rows)
        )
        picked = matrix_series.choose_matrix(
            own.series, self._protein, identity, min(lengths) < matrix_series.SHORT, own.lift
        )
        return NodePlan(self._column_scoring(picked), ProfileSpan.SEMI_GLOBAL, self._opening_cost(picked, *lengths))

    def _column_scoring(self, picked: matrix_series.ChosenMatrix) -> ColumnScoring:
        """Return the scoring by a matrix; costs of opening gaps are among the factors of the columns."""
        name = picked.matrix.name
        if name not in self._scorings:
            self._scorings[name] = ColumnScoring(
                ColumnScore.SUM_OF_PAIRS,
                ProfileGaps.POSITION,
                round_matrix(picked.matrix, self._alphabet, 0.0),
                1.0,
                self._rules.gap_extend,
            )
        return self._scorings[name]

    def _opening_cost(self, picked: matrix_series.ChosenMatrix, m: int, n: int) -> float:
        """Return the cost of opening a gap between alignments of m and n columns."""
        if not self._protein:
            return self._rules.gap_open
        ratio = max(1 + 0.5 * math.log10(min(m, n) / max(m, n)), LEAST_RATIO)
        return float(picked.scale * picked.mismatch * self._rules.gap_open * max(math.log10(min(m, n)), 1.0) / ratio)

    def gap_factors(self, node: AlignmentNode) -> Factors:
        """Return the factors of opening and of extending a gap opposite each column."""
        letters, runs, begins, ends = node.marks
        gaps = np.cumsum(begins) - np.cumsum(ends) + ends - letters
        opens, extends = np.ones(len(node)), np.ones(len(node))
        if self._residues.size:
            shares = node.counts[:-1]
            opens = (self._residues @ shares) / (100 * np.maximum(shares.sum(axis=0), 1))
        if self._in_run:
            opens = np.where(runs > 0, self._in_run, opens)
        there = gaps > 0
        if there.any():
            away, near = _gap_distances(there), self._rules.gap_distance
            opens = np.where(away <= near, opens * (2 + 2 * (near - away) / max(near, 1)), opens)
            opens = np.where(there, AT_GAP * ((node.rows - gaps) / node.rows), opens)
            extends = np.where(there, EXTEND_AT_GAP, 1.0)
        return opens, extends

    def compiled_gap_factors(self, node: AlignmentNode) -> Factors:
        """Return the factors of gap costs, computed by compiled code."""
        from antidiag.kernels.msa.pipelines import cpu_nodes  # loads Numba, which a declaration does not need

        shares = (self._in_run, AT_GAP, EXTEND_AT_GAP)
        return cpu_nodes.compute_gap_factors(
            node.counts, node.marks, node.rows, self._residues, self._rules.gap_distance, shares
        )

    def letter_marks(self, sequence: Sequence) -> np.ndarray:
        """Mark each letter: 1; in a hydrophilic run; first of its sequence; last of it; int32 (4, letters)."""
        marks: np.ndarray = np.zeros((4, len(sequence)), np.int32)
        marks[0] = 1
        marks[2, 0] = marks[3, -1] = 1
        if sequence.type == SequenceType.PROTEIN:
            soft = SOFT[sequence.letter_array]
            ends = np.flatnonzero(np.diff(soft, prepend=False, append=False))
            for first, last in ends.reshape(-1, 2).tolist():
                if last - first >= RUN:
                    marks[1, first:last] = 1
        return marks

    def compiled_letter_marks(self, sequence: Sequence) -> np.ndarray:
        """Return the marks of letters, computed by compiled code."""
        from antidiag.kernels.msa.pipelines import cpu_nodes

        soft = SOFT if sequence.type == SequenceType.PROTEIN else NOTHING
        return cpu_nodes.mark_letters(sequence.letter_array, soft, RUN)


def _gap_distances(has_gap: np.ndarray) -> np.ndarray:
    """Return the distance of each column to the nearest marked one, int64; some column is marked."""
    places, size = np.arange(has_gap.size), has_gap.size
    before = np.maximum.accumulate(np.where(has_gap, places, -2 * size))
    behind = np.minimum.accumulate(np.where(has_gap, places, 3 * size)[::-1])[::-1]
    return np.minimum(places - before, behind - places)
