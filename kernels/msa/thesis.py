"""The progressive stage of the thesis (003, section 4.4): which alignment a node has, and how it is scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels import scoring_options
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Sequence
from antidiag.kernels.msa import guide
from antidiag.kernels.msa.pipeline import Job, in_order
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.msa.progressive import Factors, Node, Plan, rounded
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.profiles.scoring import ColumnScore, ColumnScoring, Gaps, Span
from antidiag.kernels.scoring import Scoring
from antidiag.kernels.serialization import stored

PAIRWISE = Parameter(
    "pairwise", "choice", "Distances", "full: each pair is aligned, and the share of equal letters counted. ktuple: "
    "chains of shared words, as in ClustalW's fast mode.", default="full", choices=guide.PAIRWISE,
)  # fmt: skip
COLUMNS = Parameter(
    "profile_score", "choice", "Two profiles", "What two columns of profiles score: their Euclidean distance, as in "
    "the thesis, or the mean score of their letters.", default="euclidean",
    choices=(str(ColumnScore.EUCLIDEAN), str(ColumnScore.SUM_OF_PAIRS)),
)  # fmt: skip
BLANK = Parameter(
    "blank", "float", "Blank", "Score of a letter with a blank, where a sequence meets a sequence or a profile.",
    default=-4.0, maximum=0,
)  # fmt: skip
OPTIONS = (PAIRWISE, COLUMNS, BLANK, *(one for one in scoring_options.OPTIONS if one.name != "mode"))


@stored("msa-thesis-rules")
@dataclass(frozen=True)
class ThesisRules:
    """``scoring`` is that of aligned pairs, its matrix that of columns; see OPTIONS."""

    pairwise: str
    profile_score: str
    blank: float
    scoring: Scoring


def rules(sequences: tuple[Sequence, ...], values: Mapping[str, Any]) -> ThesisRules:
    """The rules of option values, completed by what suits the sequences."""
    declared = [option for option in scoring_options.OPTIONS if option.name != "mode"]
    given = {option.name: values[option.name] for option in declared if values[option.name] not in (None, "")}
    resolved = scoring_options.values(sequences, given, declared)
    scoring = scoring_options.scoring(resolved, scoring_options.nucleotides(sequences))
    return ThesisRules(values["pairwise"], values["profile_score"], values["blank"], scoring)


def option_values(problem: MsaProblem) -> Mapping[str, Any]:
    """The options that make the rules again."""
    own: ThesisRules = problem.rules
    return {"pairwise": own.pairwise, "profile_score": own.profile_score, "blank": own.blank,
            **scoring_options.values_of(own.scoring)}  # fmt: skip


def aligned(job: Job) -> tuple[np.ndarray, Tree]:
    """The rows in the order of the sequences, and the guide tree."""
    own: ThesisRules = job.problem.rules
    tree = guide.tree_of(job, own.pairwise, own.scoring)
    order = {sequence.name: sequence for sequence in job.sequences}
    sequences = [order[name] for name in tree.taxa]
    with job.alignment() as log:
        rows = job.tools.progressive(
            tree, sequences, [1] * len(sequences), job.alphabet, Rule(job.problem, job.alphabet), job.tools.align_each,
            job.monitor, log,
        )  # fmt: skip
    return in_order(rows, tree.taxa, job.problem.taxa), tree


class Rule:
    """Sequences and a profile are scored by the matrix, two profiles by their distance; gaps by a blank column."""

    def __init__(self, problem: MsaProblem, alphabet: str) -> None:
        own: ThesisRules = problem.rules
        matrix = rounded(own.scoring.matrix, alphabet, own.blank)
        letters = ColumnScoring(ColumnScore.SUM_OF_PAIRS, Gaps.COLUMN, matrix, blank=own.blank)
        distances = ColumnScoring(ColumnScore.EUCLIDEAN, Gaps.COLUMN)
        self._of_sequences = Plan(letters, Span.GLOBAL)
        of_distances = own.profile_score == ColumnScore.EUCLIDEAN
        self._of_profiles = Plan(distances if of_distances else letters, Span.GLOBAL)

    def plan(self, first: Node, second: Node) -> Plan:
        return self._of_sequences if min(first.rows, second.rows) == 1 else self._of_profiles

    def factors(self, node: Node) -> Factors | None:
        return None

    fast_factors = factors

    def marks(self, sequence: Sequence) -> np.ndarray:
        return np.zeros((0, len(sequence)), np.int32)

    fast_marks = marks
