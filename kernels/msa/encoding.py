"""Two nodes in whole numbers, as `kernels.profiles` aligns them: those of their profiles, without making these."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.errors import ScoreOverflow
from antidiag.kernels.model import SequenceType
from antidiag.kernels.msa import cpu_nodes
from antidiag.kernels.msa.progressive import Node, Rule
from antidiag.kernels.profiles.encoding import encode, scale_of
from antidiag.kernels.profiles.profile import from_frequencies
from antidiag.kernels.profiles.scoring import (
    FREQUENCY_UNITS,
    LINEAR,
    ColumnScoring,
    Encoded,
    Gaps,
    Span,
    letter_scores,
)
from antidiag.kernels.scoring import SCORE_LIMIT

DISTANCE_LIMIT = 2898
"""No two columns are farther apart: the root of 2, in units of frequencies, and one."""


@dataclass(frozen=True)
class Prepared:
    """A scoring and a span in whole numbers: ``values`` are the scores of symbols, int64, in units of the factors;
    ``template`` has what no node changes."""

    scoring: ColumnScoring
    values: np.ndarray
    template: Encoded
    opening: float = 1.0


class Encoder:
    """Nodes in whole numbers by a rule; safe to call from several threads."""

    def __init__(self, rule: Rule, alphabet: str) -> None:
        self._rule, self._alphabet = rule, alphabet
        self._prepared: dict[tuple[int, Span], Prepared] = {}

    def plan(self, first: Node, second: Node) -> Prepared:
        """How two nodes are aligned."""
        scoring, span, opening = self._rule.plan(first, second)
        key = id(scoring), span
        if key not in self._prepared:
            self._prepared[key] = self._prepare(scoring, span)
        found = self._prepared[key]
        return Prepared(found.scoring, found.values, found.template, opening)

    def _prepare(self, scoring: ColumnScoring, span: Span) -> Prepared:
        symbols = len(self._alphabet)
        one = from_frequencies(np.ones((symbols, 1)), self._alphabet, SequenceType.PROTEIN)
        template = encode(one, one, scoring, span)
        values: np.ndarray = np.zeros((symbols, symbols), np.int64)
        if template.kind == LINEAR:
            assert scoring.matrix is not None
            exact = letter_scores(self._alphabet, scoring.matrix, scoring.blank)
            values = np.rint(exact * scale_of(float(np.abs(exact).max(initial=0)))).astype(np.int64)
        return Prepared(scoring, values, template)

    def encoded(self, plan: Prepared, first: Node, second: Node) -> Encoded:
        """Two nodes; ScoreOverflow beyond 32 bits."""
        rows, row_bias = cpu_nodes.shares(first.counts, first.total)
        columns, column_bias = cpu_nodes.shares(second.counts, second.total)
        template, most = plan.template, DISTANCE_LIMIT
        if template.kind == LINEAR:
            columns = cpu_nodes.scored(plan.values, columns)
            column_bias = cpu_nodes.squared(columns)
            most = (int(np.abs(columns).max()) * FREQUENCY_UNITS >> template.shift) + 1
        opens, extends = self._gap_costs(plan, (rows, columns), (row_bias, column_bias), (first, second))
        made = Encoded(
            rows, columns, row_bias, column_bias, opens[0], extends[0], opens[1], extends[1], *template[8:]
        )  # fmt: skip
        _refuse_overflow(made, most)
        return made

    def _gap_costs(self, plan: Prepared, factors: Both, biases: Both, nodes: tuple[Node, Node]) -> tuple[Costs, Costs]:
        """Of opening and of extending gaps opposite the columns of both."""
        if plan.scoring.gaps is Gaps.COLUMN:
            return [np.zeros(len(node), np.int32) for node in nodes], _blanks(plan.template, factors, biases)
        opens, extends, units = [], [], plan.scoring.units
        for node in nodes:
            found = self._rule.fast_factors(node)
            assert found is not None, "costs by position need factors"
            opens.append(cpu_nodes.costs(plan.opening * found[0], plan.scoring.gap_open * units))
            extends.append(cpu_nodes.costs(found[1], plan.scoring.gap_extend * units))
        return opens, extends


Costs = list[np.ndarray]
Both = tuple[np.ndarray, np.ndarray]


def _blanks(template: Encoded, factors: Both, biases: Both) -> Costs:
    """What blank columns opposite those of both cost."""
    if template.kind != LINEAR:
        return [cpu_nodes.blank_distances(one, bias) for one, bias in zip(factors, biases, strict=True)]
    blanks = [np.ascontiguousarray(one[:, -1]) for one in reversed(factors)]
    return [cpu_nodes.blank_costs(one, blank, template.shift) for one, blank in zip(factors, blanks, strict=True)]


def _refuse_overflow(made: Encoded, most: int) -> None:
    """ScoreOverflow where scores could leave 32 bits."""
    opens = max(int(made.row_open.max()), int(made.column_open.max()))
    extends = max(int(made.row_extend.max()), int(made.column_extend.max()))
    bound = (made.m + made.n + 2) * max(most, extends) + opens
    if bound >= SCORE_LIMIT:
        raise ScoreOverflow(
            f"scores of alignments of {made.m:,} and {made.n:,} columns could reach {bound:,}, beyond the limit of "
            f"{SCORE_LIMIT:,}; use smaller scores and gap costs, or leave out the longest sequences"
        )
