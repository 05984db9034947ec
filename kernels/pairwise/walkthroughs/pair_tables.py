"""The matrices of a pair as tables of a walkthrough, and the recurrence of every cell with its numbers.

Everything is oriented as the methods compute it: rows belong to the shorter sequence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise.encoding import EncodedPair, encode_pair
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.walkthroughs.animation import (
    GIVEN_STEP,
    Animation,
    AnimationStep,
    AnimationTable,
    Cell,
    CellFormula,
    FormulaCase,
    Place,
    blank_table,
    format_sum,
    sequence_labels,
)
from antidiag.kernels.walkthroughs.worker_schedule import Item

H, E, F, E2, F2 = range(5)
NAMES = ("H", "E", "F", "E2", "F2")
"""The tables by number; E2 and F2 are those of the second piece of gap costs, where there is one."""
RECURRENCE = {
    "H": "H(i, j) = max( H(i-1, j-1) + c(a, b), E(i, j), F(i, j) )",
    "E": "E(i, j) = max( E(i-1, j), H(i-1, j) - open ) - extend",
    "F": "F(i, j) = max( F(i, j-1), H(i, j-1) - open ) - extend",
    "E2": "E2(i, j) = max( E2(i-1, j), H(i-1, j) - open 2 ) - extend 2",
    "F2": "F2(i, j) = max( F2(i, j-1), H(i, j-1) - open 2 ) - extend 2",
}
TWO_PIECES = "H(i, j) = max( H(i-1, j-1) + c(a, b), E(i, j), E2(i, j), F(i, j), F2(i, j) )"
GLOBAL: Place = "global memory"
LINEAR = "H(i, j) = max( H(i-1, j-1) + c(a, b), H(i-1, j) - extend, H(i, j-1) - extend )"


@dataclass(frozen=True, eq=False)
class PairTables:
    """A pair problem with all its numbers."""

    problem: PairProblem

    @cached_property
    def encoded_pair(self) -> EncodedPair:
        """The encoded pair."""
        return encode_pair(self.problem)

    @cached_property
    def cell_values(self) -> tuple[np.ndarray, ...]:
        """H, E and F, and with two-piece gap costs E2 and F2; float64, shape (rows + 1, columns + 1), oriented.

        H alone where gaps are linear.
        """
        found = reference.compute_matrices(self.problem)
        if self.problem.swapped:
            found = found.transposed()
        return self.list_tables(found)

    def list_tables(self, found: reference.AffineMatrices) -> tuple[np.ndarray, ...]:
        """Return oriented matrices as tables."""
        gaps = [values for piece in zip(found.each_e, found.each_f, strict=True) for values in piece]
        return tuple(one.astype(float) for one in (found.H, *(gaps if self.has_affine_gaps else ())))

    @property
    def has_affine_gaps(self) -> bool:
        """Whether opening a gap costs something."""
        return self.encoded_pair.open > 0 or self.has_two_pieces

    @property
    def has_two_pieces(self) -> bool:
        """Whether gap costs have two pieces."""
        return self.encoded_pair.second is not None

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return self.encoded_pair.rows.size

    @property
    def column_count(self) -> int:
        """Number of columns."""
        return self.encoded_pair.columns.size

    @cached_property
    def letters_of_axes(self) -> tuple[str, str]:
        """The shorter sequence, which runs down, and the longer one."""
        both = [one.letters.decode("ascii") for one in self.problem.sequences]
        return (both[1], both[0]) if self.problem.swapped else (both[0], both[1])

    @cached_property
    def best_answer(self) -> PairAnswer:
        """The best alignment by the textbook."""
        return reference.align_pair(self.problem)

    @cached_property
    def path_cells(self) -> tuple[tuple[int, int], ...]:
        """Cells of the best path, oriented, from its start."""
        cells = self.best_answer.alignment.list_cells().tolist()  # type: ignore[union-attr] # the textbook returns one
        return tuple((j, i) if self.problem.swapped else (i, j) for i, j in cells)

    @cached_property
    def best_end_cells(self) -> tuple[Cell, ...]:
        """Cells of H in which a best alignment can end."""
        may_end = reference.mark_ends(self.encoded_pair)
        best = self.cell_values[H][may_end].max()
        if self.encoded_pair.is_local and best <= 0:
            return ()
        return tuple((H, i, j, 0) for i, j in np.argwhere(may_end & (self.cell_values[H] == best)).tolist())

    @cached_property
    def possible_end_cells(self) -> tuple[Cell, ...]:
        """Cells of H in which an alignment can end, best or not, where these are several."""
        may_end = reference.mark_ends(self.encoded_pair)
        if self.encoded_pair.is_local:
            may_end &= self.cell_values[H] > 0
        return tuple((H, i, j, 0) for i, j in np.argwhere(may_end).tolist()) if may_end.sum() > 1 else ()

    def make_tables(
        self,
        step_of: dict[tuple[int, ...], int],
        worker_of: dict[tuple[int, ...], int],
        cuts: tuple[Iterable[int], Iterable[int]] = ((), ()),
        name_suffix: str = "",
        borders: bool = True,
    ) -> tuple[AnimationTable, ...]:
        """Return H, and the gap states where gaps open, computed in these steps; a suffix is added to their names."""
        steps, workers = blank_table((self.row_count + 1, self.column_count + 1, 1))[1:]
        if borders:
            steps[0], steps[:, 0] = GIVEN_STEP, GIVEN_STEP
        for cell, step in step_of.items():
            steps[cell[0], cell[1], 0], workers[cell[0], cell[1], 0] = step, worker_of[cell]
        lines = sequence_labels(self.letters_of_axes[0]), sequence_labels(self.letters_of_axes[1])
        borders_of_cuts = tuple(cuts[0]), tuple(cuts[1])
        tables = []
        for name, values in zip(NAMES, self.cell_values, strict=False):
            numbers, text = (values[:, :, None], steps, workers), self.recurrence_text(name)
            title = f"{name}{name_suffix}"
            tables.append(
                AnimationTable(title, *numbers, *lines, cuts=borders_of_cuts, details_only=name != "H", formula=text)
            )
        return tuple(tables)

    def recurrence_text(self, name: str) -> str:
        """Return the recurrence of a table as text."""
        text = RECURRENCE[name] if self.has_affine_gaps else LINEAR
        if name == "H" and self.has_two_pieces:
            text = TWO_PIECES
        return text.replace(" )", ", 0 )") if self.encoded_pair.is_local and name == "H" else text

    def explain_cell(
        self, table: int, i: int, j: int, table_of: Callable[[int, int, int], int] | None = None
    ) -> CellFormula:
        """Return the recurrence of a cell of a table; ``of(table, row, column)`` gives the table of a value."""
        where = table_of or (lambda table, row, column: table)

        def source(table: int, row: int, column: int) -> tuple[Cell, ...]:
            return ((where(table, row, column), row, column, 0),)

        cases = []
        for text, of_table, row, column, terms, label in self._list_cases(table, i, j):
            before, sources = self.cell_values[of_table][row, column], source(of_table, row, column)
            cases.append(FormulaCase(text, format_sum(before, *terms), before + sum(terms), sources, label))
        zero = table == H and self.encoded_pair.is_local
        if zero:
            cases.append(FormulaCase("0", "0", 0.0, (), "an alignment begins here"))
        value = float(self.cell_values[table][i, j])
        return CellFormula(f"{NAMES[table]}({i}, {j})", "max", tuple(cases), value, len(cases) - 1 if zero else None)

    def _list_cases(self, table: int, i: int, j: int) -> list[tuple[str, int, int, int, tuple[float, ...], str]]:
        """Return the cases of a cell: text, table, row, column, added terms, label."""
        pair = self.encoded_pair
        costs = pair.gap_pieces[1 if table in (E2, F2) else 0]
        opening, extend = -float(costs[0]), -float(costs[1])
        if table == H:
            letters = self.letters_of_axes[0][i - 1], self.letters_of_axes[1][j - 1]
            score = float(pair.table[pair.rows[i - 1], pair.columns[j - 1]])
            text = f"H({i - 1}, {j - 1}) + c({letters[0]}, {letters[1]})"
            diagonal = text, H, i - 1, j - 1, (score,), "the two letters"
            if self.has_affine_gaps:
                states = (E, E2, F, F2) if self.has_two_pieces else (E, F)  # in the order of the tie rule
                labels = {state: f"{letters[state in (F, F2)]} against a gap" for state in states}
                return [diagonal, *((f"{NAMES[state]}({i}, {j})", state, i, j, (), labels[state]) for state in states)]
            return [
                diagonal,
                (f"H({i - 1}, {j}) \u2212 extend", H, i - 1, j, (extend,), f"{letters[0]} against a gap"),
                (f"H({i}, {j - 1}) \u2212 extend", H, i, j - 1, (extend,), f"{letters[1]} against a gap"),
            ]
        row, column = (i - 1, j) if table in (E, E2) else (i, j - 1)
        name, piece = NAMES[table], " 2" if table in (E2, F2) else ""
        opened = f"H({row}, {column}) \u2212 open{piece} \u2212 extend{piece}"
        return [
            (opened, H, row, column, (opening, extend), "a gap opens"),
            (f"{name}({row}, {column}) \u2212 extend{piece}", table, row, column, (extend,), "a gap goes on"),
        ]

    def format_answer(self) -> str:
        """Return the answer as text."""
        path = self.best_answer.alignment
        assert path is not None
        rows = path.gapped_rows(*self.problem.sequences)
        score = self.problem.scoring.unscale_score(self.best_answer.score)
        return f"score {score:,}\n{rows[0]}\n{rows[1]}" if len(rows[0]) else f"score {score:,}: no alignment"

    def build_animation(
        self,
        title: str,
        tables: Sequence[AnimationTable],
        steps: Sequence[AnimationStep],
        workers: tuple[str, ...],
        explain: Callable[[Cell], CellFormula],
        notes: tuple[str, ...] = (),
    ) -> Animation:
        """Return the walkthrough of a method that computed these tables in these steps."""
        return Animation(
            title=title,
            tables=tuple(tables),
            steps=tuple(steps),
            workers=workers,
            explain=explain,
            answer=self.best_answer,
            answer_text=self.format_answer(),
            ends=self.best_end_cells,
            path=cells_of_h(self.path_cells),
            notes=notes,
            exits=self.possible_end_cells,
        )


def cells_of_h(cells: Iterable[Item]) -> tuple[Cell, ...]:
    """Return matrix cells as cells of table H."""
    return tuple((H, i, j, 0) for i, j in cells)
