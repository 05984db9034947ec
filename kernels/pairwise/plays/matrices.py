"""The matrices of a pair as tables of a play, and the recurrence of every cell with its numbers filled in.

All is oriented as the methods compute it: rows belong to the shorter sequence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise.encoding import Encoded, encode
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.plays.model import GIVEN, Case, Cell, Formula, Table, added, blank, labelled

H, E, F = range(3)
LETTERS = "HEF"
RECURRENCE = {
    "H": "H(i, j) = max( H(i-1, j-1) + c(a, b), E(i, j), F(i, j) )",
    "E": "E(i, j) = max( E(i-1, j), H(i-1, j) - open ) - extend",
    "F": "F(i, j) = max( F(i, j-1), H(i, j-1) - open ) - extend",
}
LINEAR = "H(i, j) = max( H(i-1, j-1) + c(a, b), H(i-1, j) - extend, H(i, j-1) - extend )"


@dataclass(frozen=True, eq=False)
class Pair:
    """A pair problem with all its numbers."""

    problem: PairProblem

    @cached_property
    def coded(self) -> Encoded:
        return encode(self.problem)

    @cached_property
    def numbers(self) -> tuple[np.ndarray, ...]:
        """H, E and F, float64, shape (rows + 1, columns + 1), oriented; H alone where gaps are linear."""
        found = reference.matrices(self.problem)
        three = (found.H, found.E, found.F)
        if self.problem.swapped:
            three = found.H.T, found.F.T, found.E.T
        return tuple(one.astype(float) for one in (three if self.affine else three[:1]))

    @property
    def affine(self) -> bool:
        return self.coded.open > 0

    @property
    def m(self) -> int:
        return self.coded.rows.size

    @property
    def n(self) -> int:
        return self.coded.columns.size

    @cached_property
    def letters(self) -> tuple[str, str]:
        """The shorter sequence, which runs down, and the longer one."""
        both = [one.letters.decode("ascii") for one in self.problem.sequences]
        return (both[1], both[0]) if self.problem.swapped else (both[0], both[1])

    @cached_property
    def answer(self) -> PairAnswer:
        return reference.align(self.problem)

    @cached_property
    def path(self) -> tuple[tuple[int, int], ...]:
        """Cells of the path of the rule, oriented, from its start."""
        cells = self.answer.alignment.cells().tolist()  # type: ignore[union-attr] # the textbook returns one
        return tuple((j, i) if self.problem.swapped else (i, j) for i, j in cells)

    @cached_property
    def ends(self) -> tuple[Cell, ...]:
        """Cells of H in which a best alignment can end."""
        if not self.coded.local:
            return ((H, self.m, self.n, 0),)
        best = self.numbers[H].max()
        return tuple((H, i, j, 0) for i, j in np.argwhere(self.numbers[H] == best).tolist()) if best > 0 else ()

    @cached_property
    def exits(self) -> tuple[Cell, ...]:
        """Cells of H in which a local alignment can end, best or not."""
        positive = np.argwhere(self.numbers[H] > 0).tolist() if self.coded.local else []
        return tuple((H, i, j, 0) for i, j in positive)

    def tables(
        self, step_of: dict[tuple[int, ...], int], worker_of: dict[tuple[int, ...], int],
        cuts: tuple[Iterable[int], Iterable[int]] = ((), ()), again: str = "", borders: bool = True,
    ) -> tuple[Table, ...]:  # fmt: skip
        """H, and E and F where there are gaps to open, computed in these steps; ``again`` is said after their names."""
        steps, workers = blank((self.m + 1, self.n + 1, 1))[1:]
        if borders:
            steps[0], steps[:, 0] = GIVEN, GIVEN
        for cell, step in step_of.items():
            steps[cell[0], cell[1], 0], workers[cell[0], cell[1], 0] = step, worker_of[cell]
        lines = tuple(map(labelled, self.letters))
        return tuple(
            Table(
                f"{name}{again}", values[:, :, None], steps, workers, lines[0], lines[1],
                cuts=(tuple(cuts[0]), tuple(cuts[1])), aside=name != "H", formula=self.recurrence(name),
            )
            for name, values in zip(LETTERS, self.numbers, strict=False)
        )  # fmt: skip

    def recurrence(self, name: str) -> str:
        text = RECURRENCE[name] if self.affine else LINEAR
        return text.replace(" )", ", 0 )") if self.coded.local and name == "H" else text

    def formula(self, table: int, i: int, j: int, of: Callable[[int, int, int], int] | None = None) -> Formula:
        """The recurrence of a cell of H, E or F; ``of(table, row, column)`` names the table of a value."""
        where = of or (lambda table, row, column: table)

        def source(table: int, row: int, column: int) -> tuple[Cell, ...]:
            return ((where(table, row, column), row, column, 0),)

        cases = [
            Case(text, added(self.numbers[of_table][row, column], *terms),
                 self.numbers[of_table][row, column] + sum(terms), source(of_table, row, column), label)
            for text, of_table, row, column, terms, label in self._cases(table, i, j)
        ]  # fmt: skip
        zero = table == H and self.coded.local
        if zero:
            cases.append(Case("0", "0", 0.0, (), "an alignment begins here"))
        value = float(self.numbers[table][i, j])
        return Formula(f"{LETTERS[table]}({i}, {j})", "max", tuple(cases), value, len(cases) - 1 if zero else None)

    def _cases(self, table: int, i: int, j: int) -> list[tuple[str, int, int, int, tuple[float, ...], str]]:
        pair = self.coded
        opening, extend = -float(pair.open), -float(pair.extend)
        if table == H:
            letters = self.letters[0][i - 1], self.letters[1][j - 1]
            score = float(pair.table[pair.rows[i - 1], pair.columns[j - 1]])
            diagonal = (f"H({i - 1}, {j - 1}) + c({letters[0]}, {letters[1]})", H, i - 1, j - 1, (score,),
                        "the two letters")  # fmt: skip
            if self.affine:
                return [
                    diagonal,
                    (f"E({i}, {j})", E, i, j, (), f"{letters[0]} against a gap"),
                    (f"F({i}, {j})", F, i, j, (), f"{letters[1]} against a gap"),
                ]
            return [
                diagonal,
                (f"H({i - 1}, {j}) \u2212 extend", H, i - 1, j, (extend,), f"{letters[0]} against a gap"),
                (f"H({i}, {j - 1}) \u2212 extend", H, i, j - 1, (extend,), f"{letters[1]} against a gap"),
            ]
        row, column = (i - 1, j) if table == E else (i, j - 1)
        name = LETTERS[table]
        return [
            (f"H({row}, {column}) \u2212 open \u2212 extend", H, row, column, (opening, extend), "a gap opens"),
            (f"{name}({row}, {column}) \u2212 extend", table, row, column, (extend,), "a gap goes on"),
        ]

    def told(self) -> str:
        """The answer for people."""
        path = self.answer.alignment
        assert path is not None
        rows = path.gapped(*self.problem.sequences)
        score = self.problem.scoring.unscaled(self.answer.score)
        return f"score {score:,}\n{rows[0]}\n{rows[1]}" if len(rows[0]) else f"score {score:,}: no alignment"
