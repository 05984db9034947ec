"""Walkthrough of the bit-parallel methods: lanes with a word each, a row apart, and the bits of every word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.pairwise.edit_distance import build_edit_problem
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.walkthroughs.catalog import check_agreement
from antidiag.kernels.pairwise.walkthroughs.pair_tables import PairTables
from antidiag.kernels.parameters import Parameter
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
    format_number,
    numbered_names,
)
from antidiag.kernels.walkthroughs.typed_inputs import choice_input, parse_sequence, sequence_input
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough

H, EQUAL, ZERO, RISE, FALL, PLUS, MINUS = range(7)
FORMULAS = {
    "equal": "equal(i, j) = 1 where the letters of row i and column j are equal",
    "zero": "zero = (((equal & plus) + plus) ^ plus) | equal | minus: H(i, j) = H(i-1, j-1)",
    "rise": "rise = minus | ~(zero | plus): H(i, j) = H(i-1, j) - 1",
    "fall": "fall = plus & zero: H(i, j) = H(i-1, j) + 1",
    "plus": "plus = fall << 1 | ~(zero | rise << 1): H(i, j) = H(i, j-1) - 1",
    "minus": "minus = rise << 1 & zero: H(i, j) = H(i, j-1) + 1",
}
NAMES = tuple(FORMULAS)
INPUTS = (
    sequence_input("first", "First sequence", "GATTACATGC"),
    sequence_input("second", "Second sequence", "GCATGCTACGATTC"),
    choice_input(
        "mode",
        "Mode",
        "Global: both from end to end. Query-in-target: the first within the second.",
        ("global", "query-in-target"),
    ),
)
WORD = Parameter(
    "word", "int", "Word", "Columns of a word, a bit each; 64 on a CPU and 32 on a GPU.", default=4, minimum=2,
    maximum=16, unit="bits",
)  # fmt: skip


def build_problem(values: Mapping[str, Any]) -> PairProblem:
    """Return the typed pair; InputError names what is not a letter."""
    sequences = [parse_sequence(values[name], name) for name in ("first", "second")]
    return build_edit_problem(sequences, {"mode": values["mode"]})


def draw_inputs(choose: TrialChooser) -> dict[str, Any]:
    """Return two similar sequences of a few letters."""
    letters = choose.choose_one(("AC", "ACGT"))
    return {
        "first": "".join(choose.choose_one(letters) for _ in range(choose.draw_integer(1, 9))),
        "second": "".join(choose.choose_one(letters) for _ in range(choose.draw_integer(1, 11))),
        "mode": choose.choose_one(("global", "query-in-target")),
    }


def animate_words(problem: PairProblem, values: Mapping[str, Any]) -> Animation:
    """Return the walkthrough: lane l computes the word of its columns in row t - l at step t."""
    return _WordAnimation(PairTables(problem), values["word"]).make_animation()


class _WordAnimation:
    """The table H, and a table of bits for every kind of word."""

    def __init__(self, pair: PairTables, word: int) -> None:
        self.pair, self.word = pair, word
        self.lanes = -(-pair.column_count // word)
        distance = -pair.cell_values[H]
        across, down = np.diff(distance, axis=1), np.diff(distance, axis=0)
        encoded = pair.encoded_pair
        kinds = (RISE, down == 1), (FALL, down == -1), (PLUS, across == 1), (MINUS, across == -1)
        self.bits = {kind: np.zeros(distance.shape) for kind in range(EQUAL, MINUS + 1)}
        self.bits[EQUAL][1:, 1:] = encoded.table[encoded.rows][:, encoded.columns] == 0
        self.bits[ZERO][1:, 1:] = distance[1:, 1:] == distance[:-1, :-1]
        for kind, found in kinds:
            self.bits[kind][int(kind < PLUS) :, int(kind >= PLUS) :] = found

    def make_animation(self) -> Animation:
        """Return the animation of all steps."""
        step_of: dict[tuple[int, ...], int] = {}
        worker_of: dict[tuple[int, ...], int] = {}
        for i in range(1, self.pair.row_count + 1):
            for j in range(1, self.pair.column_count + 1):
                lane = (j - 1) // self.word
                step_of[i, j], worker_of[i, j] = i - 1 + lane, lane
        steps = [self._make_step(t) for t in range(self.pair.row_count + self.lanes - 1)]
        cuts: tuple[tuple[int, ...], tuple[int, ...]] = (
            (),
            tuple(range(self.word + 1, self.pair.column_count + 1, self.word)),
        )
        tables = self.pair.make_tables(step_of, worker_of, cuts)
        bits = [self._make_table(kind, step_of, worker_of, tables[H]) for kind in range(EQUAL, MINUS + 1)]
        notes = ("H is minus the distance. Neighbours in H differ by at most 1, so a row is two bits a column.",)
        workers = numbered_names(self.lanes, "lane")
        return self.pair.build_animation("BitParallel", [*tables, *bits], steps, workers, self.explain_cell, notes)

    def _make_table(
        self,
        kind: int,
        step_of: dict[tuple[int, ...], int],
        worker_of: dict[tuple[int, ...], int],
        like: AnimationTable,
    ) -> AnimationTable:
        """Return the table of one kind of bits; what the borders of the matrix give is there before the first step."""
        values, steps, workers = blank_table((*self.bits[kind].shape, 1))
        if kind in (PLUS, MINUS):
            steps[0, 1:] = GIVEN_STEP
        if kind in (RISE, FALL):
            steps[1:, 0] = GIVEN_STEP
        for (i, j), step in step_of.items():
            steps[i, j, 0], workers[i, j, 0] = step, worker_of[i, j]
        known = steps[:, :, 0] < np.iinfo(np.int32).max
        values[known, 0] = self.bits[kind][known]
        name = NAMES[kind - EQUAL]
        return AnimationTable(
            name,
            values,
            steps,
            workers,
            rows=like.rows,
            columns=like.columns,
            cuts=like.cuts,
            details_only=kind in (EQUAL, ZERO),
            formula=FORMULAS[name],
            counts_cells=False,
        )

    def _make_step(self, t: int) -> AnimationStep:
        """Return step t: the words that every lane computes, and the bits that cross to the next lane."""
        lanes = [lane for lane in range(self.lanes) if 1 <= t - lane + 1 <= self.pair.row_count]
        words = "; ".join(self._describe_lane(lane, t - lane + 1) for lane in lanes)
        size = -(-self.word // 8)
        held = [
            HeldData("registers", f"plus and minus of lane {lane}", 2 * size, self._word_cells(lane, t - lane + 1))
            for lane in lanes
        ]
        crossings = [
            DataCrossing(
                f"rise and fall of row {t - lane + 1}, column {(lane + 1) * self.word}", "registers", 1, lane, lane + 1,
                tuple((kind, t - lane + 1, (lane + 1) * self.word, 0) for kind in (RISE, FALL)),
            )
            for lane in lanes
            if lane + 1 < self.lanes
        ]  # fmt: skip
        return AnimationStep(f"{words}.", held=tuple(held), crossings=tuple(crossings))

    def _word_cells(self, lane: int, row: int) -> tuple[Cell, ...]:
        """Return the cells of plus and minus of a word."""
        columns = range(lane * self.word + 1, min((lane + 1) * self.word, self.pair.column_count) + 1)
        return tuple((kind, row, j, 0) for kind in (PLUS, MINUS) for j in columns)

    def _describe_lane(self, lane: int, row: int) -> str:
        """Return the words of a lane as bits, column by column from the left."""
        first, last = lane * self.word + 1, min((lane + 1) * self.word, self.pair.column_count)

        def text(kind: int, at: int) -> str:
            return "".join(str(int(bit)) for bit in self.bits[kind][at, first : last + 1])

        letter = self.pair.letters_of_axes[0][row - 1]
        return (
            f"lane {lane}, row {row} ({letter}): equal {text(EQUAL, row)}, zero {text(ZERO, row)}, "
            f"plus {text(PLUS, row - 1)} becomes {text(PLUS, row)}, minus {text(MINUS, row - 1)} becomes "
            f"{text(MINUS, row)}"
        )

    def explain_cell(self, cell: Cell) -> CellFormula:
        """Return the recurrence of a cell of any table."""
        kind, i, j, _ = cell
        if kind == H:
            return self.pair.explain_cell(H, i, j)
        value, name = float(self.bits[kind][i, j]), f"{NAMES[kind - EQUAL]}({i}, {j})"
        if kind == EQUAL:
            letters = self.pair.letters_of_axes[0][i - 1], self.pair.letters_of_axes[1][j - 1]
            return CellFormula(name, "value", (FormulaCase(" = ".join(letters), format_number(value), value),), value)
        if kind == ZERO:
            sources = (EQUAL, i, j), (MINUS, i - 1, j), (FALL, i, j - 1)
            return CellFormula(name, "max", tuple(self._bit(*source) for source in sources), value)
        if kind in (FALL, MINUS):
            other = (PLUS, i - 1, j) if kind == FALL else (RISE, i, j - 1)
            return CellFormula(name, "min", (self._bit(*other), self._bit(ZERO, i, j)), value)
        one, other = ((MINUS, i - 1, j), (PLUS, i - 1, j)) if kind == RISE else ((FALL, i, j - 1), (RISE, i, j - 1))
        return CellFormula(name, "max", (self._bit(*one), self._neither((ZERO, i, j), other)), value)

    def _bit(self, kind: int, i: int, j: int) -> FormulaCase:
        """Return a bit as a case."""
        value = float(self.bits[kind][i, j])
        return FormulaCase(f"{NAMES[kind - EQUAL]}({i}, {j})", format_number(value), value, ((kind, i, j, 0),))

    def _neither(self, one: tuple[int, int, int], other: tuple[int, int, int]) -> FormulaCase:
        """Return the case that neither of two bits is set."""
        first, second = self._bit(*one), self._bit(*other)
        value = 1 - max(first.value, second.value)
        text = f"not ({first.text} or {second.text})"
        return FormulaCase(text, format_number(value), value, first.sources + second.sources)


BIT_PARALLEL = Walkthrough(
    INPUTS, (WORD,), build_problem, animate_words, draw_inputs, check_agreement, lambda made: 7 * made.cells
)
