"""Walkthrough of a search on the CPU: sixteen sequences side by side in one register, and what sorting them gives.

A register has a lane for each sequence (Rognes 2011). An instruction computes one cell of every lane: letter i of the
query with letter j of each sequence. A lane whose sequence has ended waits for the longest of its register.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from antidiag.kernels.pairwise.search.problem import SearchProblem, build_search
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.text import format_count
from antidiag.kernels.trials import TrialChooser
from antidiag.kernels.walkthroughs.animation import (
    GIVEN_STEP,
    Animation,
    AnimationStep,
    AnimationTable,
    Cell,
    CellFormula,
    DataCrossing,
    FormulaCase,
    HeldData,
    blank_table,
    format_sum,
    numbered_names,
    sequence_labels,
)
from antidiag.kernels.walkthroughs.typed_inputs import TypedInput, parse_sequence, parse_sequences, score_inputs
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough

H, E, F = range(3)
NAMES = "HEF"
FORMULAS = (
    "H(i, j) = max( H(i-1, j-1) + c(a, b), E(i, j), F(i, j), 0 )",
    "E(i, j) = max( E(i, j-1), H(i, j-1) - open ) - extend",
    "F(i, j) = max( F(i-1, j), H(i-1, j) - open ) - extend",
)
SORTED, AS_GIVEN = "by length", "as given"
UNLIMITED = 1e300
"""A limit of the E-value that every sequence passes."""
EXAMPLE = (
    "GATTACA, CGT, GATACAT, TT, ACATTAG, GAT, TTACATG, CA, GATTA, TACAGAT, AC, CATTACA, GG, ATTAC, TAGACAT, CCA, "
    "GACATTA, A, TTAGATC, CAT, GATTTACA, TG, CGATTAC, ATA"
)
INPUTS = (
    Parameter("query", "text", "Query", "Letters from A to Z. The picture follows every change.", default="GATTACA"),
    TypedInput("sequences", "text", "Database", "Sequences, separated by commas.", default=EXAMPLE),
    *score_inputs(match=2, mismatch=-1, gap_open=2, gap_extend=1),
)
LANES = Parameter(
    "lanes",
    "int",
    "Lanes of a register",
    "Sequences that one instruction computes side by side: 16 of 8 bits in 128 bits, 64 in 512 bits.",
    default=16,
    minimum=1,
    maximum=16,
    unit="lanes",
)
ORDER = Parameter(
    "order",
    "choice",
    "Order of the database",
    "Sequences of one register end together where they are sorted by length, the longest first.",
    default=SORTED,
    choices=(SORTED, AS_GIVEN),
)


def build_problem(values: Mapping[str, Any]) -> SearchProblem:
    """Return the typed search; InputError names what is not a letter."""
    query, sequences = parse_sequence(values["query"], "query"), parse_sequences(values["sequences"], "s")
    options = {name: values[name] for name in ("match", "mismatch", "gap_open", "gap_extend")}
    limits = {"best": 0, "max_evalue": UNLIMITED, "strand": "forward"}
    return build_search([query, *sequences], {**options, **limits})


def order_sequences(lengths: list[int], order: str) -> list[int]:
    """Return the numbers of the sequences in the order in which they fill registers."""
    numbers = list(range(len(lengths)))
    return sorted(numbers, key=lambda number: -lengths[number]) if order == SORTED else numbers


def count_instructions(lengths: list[int], lanes: int, order: str) -> int:
    """Return the columns that all registers compute: those of the longest sequence of each."""
    ordered = [lengths[number] for number in order_sequences(lengths, order)]
    return sum(max(ordered[first : first + lanes]) for first in range(0, len(ordered), lanes))


@dataclass
class LaneTables:
    """H, E and F of a query with every sequence: values and steps, float64 (sequences, letters + 1, query + 1)."""

    problem: SearchProblem
    lanes: int
    order: list[int]
    values: list[np.ndarray] = field(init=False)
    step_of: list[np.ndarray] = field(init=False)
    worker_of: list[np.ndarray] = field(init=False)

    def __post_init__(self) -> None:
        shape = len(self.order), max(map(len, self.sequences)) + 1, len(self.query) + 1
        made = [blank_table(shape) for _ in NAMES]
        self.values, self.step_of, self.worker_of = (list(parts) for parts in zip(*made, strict=True))
        for row, sequence in enumerate(self.sequences):
            self._compute(row, sequence)
            self.step_of[H][row, : len(sequence) + 1, 0] = self.step_of[H][row, 0] = GIVEN_STEP

    @property
    def query(self) -> str:
        """The letters of the query."""
        return self.problem.queries[0].letters.decode("ascii")

    @property
    def sequences(self) -> list[str]:
        """The letters of the sequences in the order of the registers."""
        every = self.problem.database.sequences
        return [every[number].letters.decode("ascii") for number in self.order]

    @property
    def opening(self) -> float:
        """Cost of the first letter of a gap."""
        return float(self.problem.scoring.open + self.problem.scoring.extend)

    @property
    def extension(self) -> float:
        """Cost of a further letter of a gap."""
        return float(self.problem.scoring.extend)

    def score_letters(self, one: str, other: str) -> float:
        """Return the score of two letters."""
        codes = self.problem.scoring.matrix.codes
        return float(self.problem.scoring.scores[codes[ord(one)], codes[ord(other)]])

    def _compute(self, row: int, sequence: str) -> None:
        """Fill the tables of one lane."""
        h, e, f = (table[row] for table in self.values)
        h[: len(sequence) + 1, 0], h[0] = 0, 0
        for j in range(1, len(sequence) + 1):
            for i in range(1, len(self.query) + 1):
                e[j, i] = max(h[j - 1, i] - self.opening, e[j - 1, i] - self.extension if j > 1 else -np.inf)
                f[j, i] = max(h[j, i - 1] - self.opening, f[j, i - 1] - self.extension if i > 1 else -np.inf)
                diagonal = h[j - 1, i - 1] + self.score_letters(self.query[i - 1], sequence[j - 1])
                h[j, i] = max(diagonal, e[j, i], f[j, i], 0)

    def best_scores(self) -> list[int]:
        """Return the score of every sequence in the order of the database."""
        found = [0] * len(self.order)
        for row, number in enumerate(self.order):
            found[number] = int(np.nanmax(self.values[H][row]))
        return found

    def set_step(self, row: int, i: int, j: int, step: int) -> None:
        """Note the instruction that computes a cell, and its lane."""
        for table in (H, E, F):
            self.step_of[table][row, j, i], self.worker_of[table][row, j, i] = step, row % self.lanes

    def explain(self, cell: Cell) -> CellFormula:
        """Return the recurrence of a cell with its numbers."""
        table, row, j, i = cell
        cases = self._letter_cases(row, i, j) if table == H else self._gap_cases(table, row, i, j)
        value = float(self.values[table][row, j, i])
        ending = len(cases) - 1 if table == H else None
        return CellFormula(f"{NAMES[table]}({i}, {j})", "max", tuple(cases), value, ending)

    def _letter_cases(self, row: int, i: int, j: int) -> list[FormulaCase]:
        letters = self.query[i - 1], self.sequences[row][j - 1]
        before, score = float(self.values[H][row, j - 1, i - 1]), self.score_letters(*letters)
        text = f"H({i - 1}, {j - 1}) + c({letters[0]}, {letters[1]})"
        source = ((H, row, j - 1, i - 1),)
        cases = [FormulaCase(text, format_sum(before, score), before + score, source, "the two letters")]
        for table, letter in ((E, letters[1]), (F, letters[0])):
            value, name = float(self.values[table][row, j, i]), f"{NAMES[table]}({i}, {j})"
            cases.append(FormulaCase(name, format_sum(value), value, ((table, row, j, i),), f"{letter} against a gap"))
        return [*cases, FormulaCase("0", "0", 0.0, (), "an alignment begins here")]

    def _gap_cases(self, table: int, row: int, i: int, j: int) -> list[FormulaCase]:
        above = (i, j - 1) if table == E else (i - 1, j)
        opened, terms = float(self.values[H][row, above[1], above[0]]), (-self.opening,)
        text = f"H({above[0]}, {above[1]}) \u2212 open \u2212 extend"
        source = ((H, row, above[1], above[0]),)
        cases = [FormulaCase(text, format_sum(opened, *terms), opened + sum(terms), source, "a gap opens")]
        if min(above) > 0:
            longer = float(self.values[table][row, above[1], above[0]])
            text = f"{NAMES[table]}({above[0]}, {above[1]}) \u2212 extend"
            filled, value = format_sum(longer, -self.extension), longer - self.extension
            cases.append(FormulaCase(text, filled, value, ((table, row, above[1], above[0]),), "a gap goes on"))
        return cases


def animate_lanes(problem: SearchProblem, values: Mapping[str, Any]) -> Animation:
    """Return the walkthrough: an instruction a step, register after register of sequences."""
    lanes, lengths = values["lanes"], [len(one) for one in problem.database.sequences]
    order = order_sequences(lengths, values["order"])
    made = LaneTables(problem, lanes, order)
    steps: list[AnimationStep] = []
    for first in range(0, len(order), lanes):
        rows = range(first, min(first + lanes, len(order)))
        for j in range(1, max(len(made.sequences[row]) for row in rows) + 1):
            busy = [row for row in rows if len(made.sequences[row]) >= j]
            for i in range(1, len(made.query) + 1):
                for row in busy:
                    made.set_step(row, i, j, len(steps))
                steps.append(_describe_step(made, first // lanes, rows, busy, i, j))
    cuts = tuple(range(lanes, len(order), lanes)), ()
    rows_of_table = tuple(f"s{number + 1}" for number in order)
    columns = sequence_labels("".join(str(j % 10) for j in range(1, made.values[H].shape[1])))
    layers = tuple(f"{i}: {letter}" if i else "before" for i, letter in enumerate(sequence_labels(made.query)))
    tables = tuple(
        AnimationTable(
            NAMES[table],
            made.values[table],
            made.step_of[table],
            made.worker_of[table],
            rows_of_table,
            columns,
            layers,
            versions=True,
            cuts=cuts,
            details_only=table != H,
            formula=FORMULAS[table],
        )
        for table in (H, E, F)
    )
    notes = _compare_orders(lengths, lanes, len(made.query))
    steps[-1] = replace(steps[-1], text=" ".join((steps[-1].text, *notes)))
    scores = made.best_scores()
    return Animation(
        title="Sequences side by side",
        tables=(*tables, _letter_table(made, rows_of_table, columns, cuts)),
        steps=tuple(steps),
        workers=numbered_names(lanes, "lane"),
        explain=made.explain,
        answer=scores,
        answer_text="scores\n" + ", ".join(f"s{number} {score}" for number, score in enumerate(scores, 1)),
        notes=notes,
    )


def _letter_table(made: LaneTables, rows: tuple[str, ...], columns: tuple[str, ...], cuts: Any) -> AnimationTable:
    """Return the letters of the sequences as they lie side by side."""
    values, step_of, worker_of = blank_table((len(rows), len(columns), 1))
    for row, sequence in enumerate(made.sequences):
        values[row, 1 : len(sequence) + 1, 0] = list(sequence.encode("ascii"))
        step_of[row, 1 : len(sequence) + 1, 0] = GIVEN_STEP
    return AnimationTable(
        "letters", values, step_of, worker_of, rows, columns, letters=True, cuts=cuts, counts_cells=False
    )


def _describe_step(made: LaneTables, register: int, rows: range, busy: list[int], i: int, j: int) -> AnimationStep:
    """Return one instruction: the cells of a query letter and a letter of each sequence."""
    size, idle = len(made.query), made.lanes - len(busy)
    text = (
        f"Query letter {made.query[i - 1]} with letter {j} of each sequence: {format_count(len(busy), 'cell')} at once"
    )
    text += f"; {format_count(idle, 'lane')} {'has' if idle == 1 else 'have'} nothing to do." if idle else "."
    recent = tuple((H, row, j, i) for row in busy)
    held = [HeldData("registers", "H, E and F, a number for each lane", 3 * made.lanes, recent)]
    crossings = []
    if i == 1:
        crossings.append(DataCrossing(f"letter {j} of each sequence, with its scores", "global memory", made.lanes))
    if i == size:
        column = tuple((H, row, j, k) for row in busy for k in range(1, size + 1))
        crossings.append(DataCrossing("H and E of the column", "shared memory", 2 * made.lanes * size, cells=column))
    waiting = tuple(lane for lane in range(made.lanes) if rows.start + lane not in busy)
    return AnimationStep(text, f"register {register + 1}", tuple(held), tuple(crossings), waiting)


def _compare_orders(lengths: list[int], lanes: int, query: int) -> tuple[str, ...]:
    """Return what sorting by length gives, in instructions and in lanes that work."""
    notes = []
    for order, words in ((SORTED, "Sorted by length"), (AS_GIVEN, "In the order of the file")):
        columns = count_instructions(lengths, lanes, order)
        share = sum(lengths) / (columns * lanes)
        notes.append(f"{words}: {columns * query:,} instructions, and {100 * share:.0f} % of the lanes work.")
    return tuple(notes)


def draw_inputs(choose: TrialChooser) -> dict[str, Any]:
    """Return a short query, a few sequences and scores."""
    letters = choose.choose_one(("AC", "ACGT"))
    match, mismatch = choose.choose_one(((2, -1), (1, -1), (5, -4)))
    return {
        "query": "".join(choose.choose_one(letters) for _ in range(choose.draw_integer(1, 5))),
        "sequences": ", ".join(
            "".join(choose.choose_one(letters) for _ in range(choose.draw_integer(1, 6)))
            for _ in range(choose.draw_integer(1, 7))
        ),
        "match": match,
        "mismatch": mismatch,
        "gap_open": choose.choose_one((0, 2, 5)),
        "gap_extend": choose.choose_one((1, 2)),
    }


def check_scores(play: Animation, answer: list[tuple[int, int, bool, int]]) -> None:
    """Check the score of every sequence against the hits of the textbook, which leaves out those without a score."""
    expected = [0] * len(play.answer)
    for _, number, _, score in answer:
        expected[number] = score
    assert play.answer == expected, f"{play.answer}, not {expected}"


SIDE_BY_SIDE = Walkthrough(INPUTS, (LANES, ORDER), build_problem, animate_lanes, draw_inputs, check_scores)
