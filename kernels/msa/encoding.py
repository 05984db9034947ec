"""Two nodes in whole numbers, as `kernels.profiles` aligns them: those of their profiles, without making these."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernels.errors import ScoreOverflow
from kernels.model import SequenceType
from kernels.msa import cpu_nodes
from kernels.msa.progressive import Node, Rule
from kernels.profiles.profile import from_frequencies
from kernels.profiles.scoring import (
    FREQUENCY_UNITS,
    LINEAR,
    ColumnScoring,
    Encoded,
    Gaps,
    Span,
    encode,
    letter_scores,
    scale_of,
)
from kernels.scoring import SCORE_LIMIT

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
            values = np.rint(exact * scale_of(exact)).astype(np.int64)
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
        made = template._replace(rows=rows, columns=columns, row_bias=row_bias, column_bias=column_bias)
        opens, extends = self._gap_costs(plan, made, (first, second))
        made = made._replace(row_open=opens[0], column_open=opens[1], row_extend=extends[0], column_extend=extends[1])
        _refuse_overflow(made, most)
        return made

    def _gap_costs(self, plan: Prepared, made: Encoded, nodes: tuple[Node, Node]) -> tuple[Costs, Costs]:
        """Of opening and of extending gaps opposite the columns of both."""
        if plan.scoring.gaps is Gaps.COLUMN:
            return [np.zeros(count, np.int32) for count in (made.m, made.n)], _blanks(made)
        opens, extends, units = [], [], plan.scoring.units
        for node in nodes:
            factors = self._rule.fast_factors(node)
            assert factors is not None, "costs by position need factors"
            opens.append(cpu_nodes.costs(plan.opening * factors[0], plan.scoring.gap_open * units))
            extends.append(cpu_nodes.costs(factors[1], plan.scoring.gap_extend * units))
        return opens, extends


Costs = list[np.ndarray]


def _blanks(made: Encoded) -> Costs:
    """What blank columns opposite those of both cost."""
    if made.kind != LINEAR:
        return [cpu_nodes.blank_distances(made.rows, made.row_bias),
                cpu_nodes.blank_distances(made.columns, made.column_bias)]  # fmt: skip
    blanks = np.ascontiguousarray(made.columns[:, -1]), np.ascontiguousarray(made.rows[:, -1])
    return [cpu_nodes.blank_costs(made.rows, blanks[0], made.shift),
            cpu_nodes.blank_costs(made.columns, blanks[1], made.shift)]  # fmt: skip


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
