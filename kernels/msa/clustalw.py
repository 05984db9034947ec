"""ClustalW's progressive alignment: which matrix two alignments are scored by, and what gaps cost where.

Thompson, Higgins and Gibson (1994), with the values of version 2: the matrix follows from how alike two alignments are
along the tree; opening a gap costs more in long alignments of equal length, less where gaps are and in hydrophilic
runs, more beside gaps, and otherwise what is usual opposite the letters of a column. Gaps at the ends are free.
Sequences that are like no other wait until the others are aligned.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_weights import leaf_weights
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.msa import delays, guide, series
from antidiag.kernels.msa.pipeline import Job, in_order
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.msa.progressive import Factors, Node, Plan, rounded
from antidiag.kernels.parameters import Parameter, typed
from antidiag.kernels.profiles.scoring import ColumnScore, ColumnScoring, Gaps, Span
from antidiag.kernels.scoring import Scoring, match_mismatch, named_matrix
from antidiag.kernels.serialization import stored

OPTIONS = (
    Parameter("pairwise", "choice", "Distances", "full: each pair is aligned, and the share of equal letters counted. "
              "ktuple: chains of shared words, as in ClustalW's fast mode.", default="full", choices=guide.PAIRWISE),
    Parameter("series", "choice", "Matrix series", "Which matrices proteins are scored by: of each series the one that "
              "suits how alike two alignments are.", default="gonnet", choices=series.SERIES),
    Parameter("gap_open", "float", "Gap open", "Cost of opening a gap, before it is adapted; automatic: 10, for "
              "nucleotides 15.", default=None, minimum=0),
    Parameter("gap_extend", "float", "Gap extend", "Cost of every column of a gap; automatic: 0.2, for nucleotides "
              "6.66.", default=None, minimum=0),
    Parameter("delay", "float", "Delay", "Sequences whose nearest other has so many per cent of equal letters or less "
              "wait until the others are aligned.", default=30.0, minimum=0, maximum=100, unit="%"),
    Parameter("gap_distance", "int", "Gap distance", "Opening a gap costs more up to so many columns beside another.",
              default=4, minimum=0, maximum=100, unit="columns"),
    Parameter("lift", "float", "Raise", "Added to all scores of a matrix, until none is negative at most: the more, "
              "the fewer gaps. ClustalW adds until none is (20), by which fewer pairs of references are found.",
              default=3.0, minimum=0, maximum=20),
    Parameter("residues", "bool", "Residue factors", "Whether opening a gap costs what is usual opposite each amino "
              "acid.", default=True),
    Parameter("hydrophilic", "bool", "Hydrophilic runs", "Whether opening a gap costs less in runs of hydrophilic "
              "letters.", default=True),
)  # fmt: skip

PROTEIN_GAPS, NUCLEOTIDE_GAPS = (10.0, 0.2), (15.0, 6.66)
PAIR_GAPS = {True: (10.0, 0.1), False: (15.0, 6.66)}
"""Of aligned pairs, in whose distances the tree begins."""
PAIR_MATCH = 10
RUN, HYDROPHILIC, IN_RUN = 5, b"GPSNDQEKR", 2 / 3
NOTHING = np.zeros(256, bool)
SOFT = np.array([letter in HYDROPHILIC for letter in range(256)])
AT_GAP, EXTEND_AT_GAP = 0.3, 0.5
RESIDUES = dict(zip("ACDEFGHIKLMNPQRSTVWY", (
    113, 113, 96, 131, 120, 61, 100, 132, 96, 121, 129, 63, 74, 107, 72, 76, 89, 125, 123, 100),
    strict=True))  # fmt: skip
"""In hundredths. Pascarella and Argos (1992), as Thompson, Higgins and Gibson give them: high where gaps are rare."""
WEIGHT_UNITS = 1000
LEAST_RATIO = 0.9


@stored("msa-clustalw-rules")
@dataclass(frozen=True)
class ClustalwRules:
    """See OPTIONS."""

    pairwise: str
    series: str
    gap_open: float
    gap_extend: float
    delay: float
    gap_distance: int
    lift: float
    residues: bool
    hydrophilic: bool


def rules(sequences: tuple[Sequence, ...], values: Mapping[str, Any]) -> ClustalwRules:
    """The rules of option values; gap costs where none are given are those of proteins or of nucleotides."""
    protein = any(sequence.type == SequenceType.PROTEIN for sequence in sequences)
    suitable = dict(zip(("gap_open", "gap_extend"), PROTEIN_GAPS if protein else NUCLEOTIDE_GAPS, strict=True))
    return typed(
        ClustalwRules, {name: suitable.get(name) if value is None else value for name, value in values.items()}
    )


def pair_scoring(problem: MsaProblem) -> Scoring:
    """How pairs are aligned whose identities are counted."""
    matrix = named_matrix("GONNET1992") if problem.protein else match_mismatch(PAIR_MATCH, 0, "N", nucleotides=True)
    return Scoring(matrix, *PAIR_GAPS[problem.protein])


def aligned(job: Job) -> tuple[np.ndarray, Tree]:
    """The rows in the order of the sequences, and the guide tree."""
    own: ClustalwRules = job.problem.rules
    tree = guide.tree_of(job, own.pairwise, pair_scoring(job.problem))
    known = {sequence.name: sequence for sequence in job.sequences}
    weights = dict(zip(tree.taxa, leaf_weights(tree).tolist(), strict=True))
    with job.alignment() as log:
        followed, alike = delays.delayed(tree, own.delay)
        rows = job.tools.progressive(
            followed,
            [known[name] for name in followed.taxa],
            [max(round(WEIGHT_UNITS * weights[name]), 1) for name in followed.taxa],
            job.alphabet,
            Rule(job.problem, job.alphabet, alike),
            job.tools.align_each,
            job.monitor,
            log,
        )
    return in_order(rows, followed.taxa, job.problem.taxa), tree


class Rule:
    """How the two alignments below a node are scored; ``alike`` says how alike they are."""

    def __init__(self, problem: MsaProblem, alphabet: str, alike: delays.Alike) -> None:
        self._rules: ClustalwRules = problem.rules
        self._type, self._alphabet, self._alike = problem.type, alphabet, alike
        self._protein = problem.protein
        by_residue, by_run = self._protein and self._rules.residues, self._protein and self._rules.hydrophilic
        self._residues = np.array([RESIDUES[letter] for letter in alphabet[:-1]] if by_residue else [], np.int64)
        self._in_run = IN_RUN if by_run else 0.0
        self._scorings: dict[Any, ColumnScoring] = {}

    def plan(self, first: Node, second: Node) -> Plan:
        own, lengths = self._rules, (len(first), len(second))
        identity = series.step(own.series, 100 * self._alike(first.first, second.first, first.rows, second.rows))
        picked = series.chosen(own.series, self._protein, identity, min(lengths) < series.SHORT, own.lift)
        return Plan(self._scoring(picked), Span.SEMI_GLOBAL, self._opening(picked, *lengths))

    def _scoring(self, picked: series.Chosen) -> ColumnScoring:
        """One for a matrix: the cost of opening is among the factors of the columns."""
        name = picked.matrix.name
        if name not in self._scorings:
            self._scorings[name] = ColumnScoring(
                ColumnScore.SUM_OF_PAIRS,
                Gaps.POSITION,
                rounded(picked.matrix, self._alphabet, 0.0),
                1.0,
                self._rules.gap_extend,
            )
        return self._scorings[name]

    def _opening(self, picked: series.Chosen, m: int, n: int) -> float:
        """The cost of opening a gap between alignments of m and n columns."""
        if not self._protein:
            return self._rules.gap_open
        ratio = max(1 + 0.5 * math.log10(min(m, n) / max(m, n)), LEAST_RATIO)
        return float(picked.scale * picked.mismatch * self._rules.gap_open * max(math.log10(min(m, n)), 1.0) / ratio)

    def factors(self, node: Node) -> Factors:
        """Of opening and of extending a gap opposite each column."""
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
            away, near = _distances(there), self._rules.gap_distance
            opens = np.where(away <= near, opens * (2 + 2 * (near - away) / max(near, 1)), opens)
            opens = np.where(there, AT_GAP * ((node.rows - gaps) / node.rows), opens)
            extends = np.where(there, EXTEND_AT_GAP, 1.0)
        return opens, extends

    def fast_factors(self, node: Node) -> Factors:
        from antidiag.kernels.msa import cpu_nodes  # loads Numba, which declaring a method does not need

        shares = (self._in_run, AT_GAP, EXTEND_AT_GAP)
        return cpu_nodes.clustalw_factors(
            node.counts, node.marks, node.rows, self._residues, self._rules.gap_distance, shares
        )

    def marks(self, sequence: Sequence) -> np.ndarray:
        """Of every letter: 1; whether it stands in a hydrophilic run; whether it is the first, and the last; int32."""
        marks: np.ndarray = np.zeros((4, len(sequence)), np.int32)
        marks[0] = 1
        marks[2, 0] = marks[3, -1] = 1
        if sequence.type == SequenceType.PROTEIN:
            soft = SOFT[sequence.array]
            ends = np.flatnonzero(np.diff(soft, prepend=False, append=False))
            for first, last in ends.reshape(-1, 2).tolist():
                if last - first >= RUN:
                    marks[1, first:last] = 1
        return marks

    def fast_marks(self, sequence: Sequence) -> np.ndarray:
        from antidiag.kernels.msa import cpu_nodes

        soft = SOFT if sequence.type == SequenceType.PROTEIN else NOTHING
        return cpu_nodes.clustalw_marks(sequence.array, soft, RUN)


def _distances(there: np.ndarray) -> np.ndarray:
    """How far each column is from the nearest that is there, int64; one is."""
    places, size = np.arange(there.size), there.size
    before = np.maximum.accumulate(np.where(there, places, -2 * size))
    behind = np.minimum.accumulate(np.where(there, places, 3 * size)[::-1])[::-1]
    return np.minimum(places - before, behind - places)
