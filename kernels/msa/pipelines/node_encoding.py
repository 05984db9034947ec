"""Two nodes in whole numbers, equal to their encoded profiles but made without profiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.errors import ScoreOverflow
from antidiag.kernels.model import SequenceType
from antidiag.kernels.msa.pipelines import cpu_nodes
from antidiag.kernels.msa.pipelines.alignment_nodes import AlignmentNode, ScoringRule
from antidiag.kernels.profiles.column_scores.encoding import choose_scale, encode_pair
from antidiag.kernels.profiles.column_scores.scoring import (
    FREQUENCY_UNITS,
    LINEAR,
    ColumnScoring,
    EncodedProfiles,
    ProfileGaps,
    ProfileSpan,
    letter_scores,
)
from antidiag.kernels.profiles.profile import profile_from_frequencies
from antidiag.kernels.scoring import SCORE_LIMIT

DISTANCE_LIMIT = 2898
"""The largest distance of two columns: the root of 2 in units of frequencies, and one."""


@dataclass(frozen=True)
class NodeScoring:
    """A scoring and a span in whole numbers.

    ``values`` are scores of symbols, int64, in units of the factors; ``template`` has the fields that no node changes.
    """

    scoring: ColumnScoring
    values: np.ndarray
    template: EncodedProfiles
    opening: float = 1.0


class NodeEncoder:
    """Encodes nodes by a scoring rule; several threads may call it."""

    def __init__(self, rule: ScoringRule, alphabet: str) -> None:
        self._rule, self._alphabet = rule, alphabet
        self._prepared: dict[tuple[int, ProfileSpan], NodeScoring] = {}

    def plan_pair(self, first: AlignmentNode, second: AlignmentNode) -> NodeScoring:
        """Return how two nodes are aligned."""
        scoring, span, opening = self._rule.plan_pair(first, second)
        key = id(scoring), span
        if key not in self._prepared:
            self._prepared[key] = self._encode_scoring(scoring, span)
        found = self._prepared[key]
        return NodeScoring(found.scoring, found.values, found.template, opening)

    def _encode_scoring(self, scoring: ColumnScoring, span: ProfileSpan) -> NodeScoring:
        """Encode a scoring."""
        symbols = len(self._alphabet)
        one = profile_from_frequencies(np.ones((symbols, 1)), self._alphabet, SequenceType.PROTEIN)
        template = encode_pair(one, one, scoring, span)
        values: np.ndarray = np.zeros((symbols, symbols), np.int64)
        if template.kind == LINEAR:
            assert scoring.matrix is not None
            exact = letter_scores(self._alphabet, scoring.matrix, scoring.blank)
            values = np.rint(exact * choose_scale(float(np.abs(exact).max(initial=0)))).astype(np.int64)
        return NodeScoring(scoring, values, template)

    def encode_pair(self, plan: NodeScoring, first: AlignmentNode, second: AlignmentNode) -> EncodedProfiles:
        """Return two nodes in whole numbers; ScoreOverflow if scores could leave 32 bits."""
        rows, row_bias = cpu_nodes.round_shares(first.counts, first.total)
        columns, column_bias = cpu_nodes.round_shares(second.counts, second.total)
        template, most = plan.template, DISTANCE_LIMIT
        if template.kind == LINEAR:
            columns = cpu_nodes.score_symbols(plan.values, columns)
            column_bias = cpu_nodes.sum_squares(columns)
            most = (int(np.abs(columns).max()) * FREQUENCY_UNITS >> template.shift) + 1
        opens, extends = self._gap_costs(plan, (rows, columns), (row_bias, column_bias), (first, second))
        made = EncodedProfiles(
            rows, columns, row_bias, column_bias, opens[0], extends[0], opens[1], extends[1], *template[8:]
        )
        _refuse_overflow(made, most)
        return made

    def _gap_costs(
        self, plan: NodeScoring, factors: Both, biases: Both, nodes: tuple[AlignmentNode, AlignmentNode]
    ) -> tuple[Costs, Costs]:
        """Return the costs of opening and of extending gaps opposite the columns of both nodes."""
        if plan.scoring.gaps is ProfileGaps.COLUMN:
            return [np.zeros(len(node), np.int32) for node in nodes], _blank_costs(plan.template, factors, biases)
        opens, extends, units = [], [], plan.scoring.units
        for node in nodes:
            found = self._rule.compiled_gap_factors(node)
            assert found is not None, "costs by position need factors"
            opens.append(cpu_nodes.round_costs(plan.opening * found[0], plan.scoring.gap_open * units))
            extends.append(cpu_nodes.round_costs(found[1], plan.scoring.gap_extend * units))
        return opens, extends


Costs = list[np.ndarray]
Both = tuple[np.ndarray, np.ndarray]


def _blank_costs(template: EncodedProfiles, factors: Both, biases: Both) -> Costs:
    """Return the costs of blank columns opposite the columns of both nodes."""
    if template.kind != LINEAR:
        return [cpu_nodes.round_blank_distances(one, bias) for one, bias in zip(factors, biases, strict=True)]
    blanks = [np.ascontiguousarray(one[:, -1]) for one in reversed(factors)]
    return [cpu_nodes.score_blank_costs(one, blank, template.shift) for one, blank in zip(factors, blanks, strict=True)]


def _refuse_overflow(encoded_pair: EncodedProfiles, largest_score: int) -> None:
    """Raise ScoreOverflow if scores could leave 32 bits."""
    opens = max(int(encoded_pair.row_open.max()), int(encoded_pair.column_open.max()))
    extends = max(int(encoded_pair.row_extend.max()), int(encoded_pair.column_extend.max()))
    bound = (encoded_pair.m + encoded_pair.n + 2) * max(largest_score, extends) + opens
    if bound >= SCORE_LIMIT:
        raise ScoreOverflow(
            f"scores of alignments of {encoded_pair.m:,} and {encoded_pair.n:,} columns could reach {bound:,}, "
            "beyond the limit of "
            f"{SCORE_LIMIT:,}; use smaller scores and gap costs, or leave out the longest sequences"
        )
