"""The progressive alignment of Hanif (2014, section 4.4): how each node is aligned and scored."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels import scoring_options
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Sequence
from antidiag.kernels.msa.pipelines import guide_tree
from antidiag.kernels.msa.pipelines.alignment_nodes import AlignmentNode, Factors, NodePlan, round_matrix
from antidiag.kernels.msa.pipelines.pipeline import PipelineJob
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.profiles.column_scores.scoring import ColumnScore, ColumnScoring, ProfileGaps, ProfileSpan
from antidiag.kernels.scoring import Scoring
from antidiag.kernels.serialization import stored

COLUMNS = Parameter(
    "profile_score",
    "choice",
    "Profile score",
    "Score of two profile columns. euclidean: their distance, as in the thesis. sum-of-pairs: the mean score of "
    "their letters.",
    default="euclidean",
    choices=(str(ColumnScore.EUCLIDEAN), str(ColumnScore.SUM_OF_PAIRS)),
)
BLANK = Parameter(
    "blank",
    "float",
    "Blank",
    "Score of a letter with a blank, where a sequence is aligned with a sequence or a profile.",
    default=-4.0,
    maximum=0,
)
OPTIONS = (
    guide_tree.PAIRWISE_OPTION,
    COLUMNS,
    BLANK,
    *(one for one in scoring_options.SCORING_OPTIONS if one.name != "mode"),
)


@stored("msa-thesis-rules")
@dataclass(frozen=True)
class ThesisRules:
    """The values of OPTIONS; ``scoring`` is that of aligned pairs, and its matrix that of columns."""

    pairwise: str
    profile_score: str
    blank: float
    scoring: Scoring


def make_rules(sequences: Sequences[Sequence], values: Mapping[str, Any]) -> ThesisRules:
    """Return the rules of option values, completed by what suits the sequences."""
    declared = [option for option in scoring_options.SCORING_OPTIONS if option.name != "mode"]
    given = {option.name: values[option.name] for option in declared if values[option.name] not in (None, "")}
    resolved = scoring_options.resolve_options(sequences, given, declared)
    scoring = scoring_options.make_scoring(resolved, scoring_options.are_nucleotides(sequences), sequences)
    return ThesisRules(values["pairwise"], values["profile_score"], values["blank"], scoring)


def read_options(problem: MsaProblem) -> Mapping[str, Any]:
    """Return the options that make the rules again."""
    own: ThesisRules = problem.rules
    return {
        "pairwise": own.pairwise,
        "profile_score": own.profile_score,
        "blank": own.blank,
        **scoring_options.scoring_option_values(own.scoring),
    }


def align_thesis(job: PipelineJob) -> tuple[np.ndarray, Tree]:
    """Return the rows in the order of the sequences, and the guide tree."""
    own: ThesisRules = job.problem.rules
    tree = guide_tree.build_guide_tree(job, own.pairwise, own.scoring)
    rule = ThesisRule(job.problem, job.alphabet)
    return job.align_along_tree(tree, [1] * len(tree.taxa), rule), tree


class ThesisRule:
    """Scores sequences and a profile by the matrix, two profiles by distance, gaps by a blank column."""

    def __init__(self, problem: MsaProblem, alphabet: str) -> None:
        own: ThesisRules = problem.rules
        matrix = round_matrix(own.scoring.matrix, alphabet, own.blank)
        letters = ColumnScoring(ColumnScore.SUM_OF_PAIRS, ProfileGaps.COLUMN, matrix, blank=own.blank)
        distances = ColumnScoring(ColumnScore.EUCLIDEAN, ProfileGaps.COLUMN)
        self._of_sequences = NodePlan(letters, ProfileSpan.GLOBAL)
        of_distances = own.profile_score == ColumnScore.EUCLIDEAN
        self._of_profiles = NodePlan(distances if of_distances else letters, ProfileSpan.GLOBAL)

    def plan_pair(self, first: AlignmentNode, second: AlignmentNode) -> NodePlan:
        """Return how two nodes are aligned."""
        return self._of_sequences if min(first.rows, second.rows) == 1 else self._of_profiles

    def gap_factors(self, node: AlignmentNode) -> Factors | None:
        """Return None: gap costs do not depend on factors."""
        return None

    compiled_gap_factors = gap_factors

    def letter_marks(self, sequence: Sequence) -> np.ndarray:
        """Return no marks."""
        return np.zeros((0, len(sequence)), np.int32)

    compiled_letter_marks = letter_marks
