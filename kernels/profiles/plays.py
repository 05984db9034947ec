"""Two profiles step by step: scores as matrices first and the cells after them, or both together, block by block.

Gaps cost the scores of their columns with blank ones, as the thesis has them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.plays.inputs import rows_of, score_inputs
from antidiag.kernels.plays.model import (
    GIVEN,
    Case,
    Cell,
    Crossing,
    Formula,
    Held,
    Play,
    Step,
    Table,
    added,
    blank,
    names,
)
from antidiag.kernels.plays.schedule import Item, antidiagonals, pieces, simulate
from antidiag.kernels.plays.staging import Staging
from antidiag.kernels.profiles import options, reference
from antidiag.kernels.profiles.problem import Problem, ProfileAnswer, ProfileProblem
from antidiag.kernels.profiles.profile import Profile, from_alignment
from antidiag.kernels.text import counted
from antidiag.kernels.trials import Choose

FIRST = Parameter("first", "text", "First alignment", "Rows of one length, parted by commas; - is a gap.",
                  default="GATTAC, GAT-AC")  # fmt: skip
SECOND = Parameter("second", "text", "Second alignment", "Rows of one length, parted by commas; - is a gap.",
                   default="GCATAC, GC-TAC, GCATGC")  # fmt: skip
SCORE = Parameter("column_score", "choice", "Column score", "Of two columns: the mean score of their letters, or their "
                  "distance, below 0.", default="sum-of-pairs", choices=("sum-of-pairs", "euclidean"))  # fmt: skip
BLOCK = Parameter("k", "int", "Block size k", "Rows and columns of a block; or rows of scores at a time.", default=3,
                  minimum=1, maximum=32, unit="columns")  # fmt: skip
STRIP = Parameter("s", "int", "Strip width s", "Columns of a strip.", default=3, minimum=1, maximum=32, unit="columns")
BATCH = Parameter("T", "int", "Batch T", "Rows that are handed over together.", default=2, minimum=1, maximum=32,
                  unit="rows")  # fmt: skip
WORKERS = Parameter("workers", "int", "Workers", "Those that compute blocks or strips at the same time.", default=2,
                    minimum=1, maximum=16, unit="workers")  # fmt: skip
H, S, V, ACROSS = range(4)
RULES = ("H(i, j) = max( H(i-1, j-1) + s(p, q), H(i-1, j) \u2212 gap(p), H(i, j-1) \u2212 gap(q) )",
         "s(p, q) = score of two columns", "down(p, q) = gap(p) in every column",
         "across(p, q) = gap(q) in every row")  # fmt: skip


Each = tuple[dict[Item, int], ...]
"""Of H, of the scores, and where gap costs are matrices too, of these."""


class Two:
    """A problem with its numbers, in the units of the scores."""

    def __init__(self, made: Problem, costs: bool = False) -> None:
        """``costs``: gap costs are matrices as well."""
        self.made, self.coded, self.costs = made, made.encoded, costs
        self.unit = float(made.scoring.units)
        tables = reference.filled(self.coded)
        self.h = np.array(tables[0], float) / self.unit
        self.scores = np.array(tables[3], float) / self.unit
        self.m, self.n = self.coded.m, self.coded.n
        self.up, self.left = self.coded.row_extend / self.unit, self.coded.column_extend / self.unit
        self.answer: ProfileAnswer = reference.align(made)

    def explain(self, cell: Cell) -> Formula:
        table, i, j, _ = cell
        if table == S:
            return self._score(i, j)
        if table in (V, ACROSS):
            mark, cost = ("p", self.up[i - 1]) if table == V else ("q", self.left[j - 1])
            at = i if table == V else j
            case = Case(f"gap({mark}{at}): the score of the column with a blank one", "", float(cost))
            return Formula(f"{'down' if table == V else 'across'}(p{i}, q{j})", "value", (case,), float(cost))
        score = float(self.scores[i - 1, j - 1])
        ways = (
            (f"H({i - 1}, {j - 1}) + s(p{i}, q{j})", i - 1, j - 1, score, "both columns", ((S, i, j, 0),)),
            (f"H({i - 1}, {j}) \u2212 gap(p{i})", i - 1, j, -float(self.up[i - 1]), "p against a blank column",
             ((V, i, j, 0),) * self.costs),
            (f"H({i}, {j - 1}) \u2212 gap(q{j})", i, j - 1, -float(self.left[j - 1]), "q against a blank column",
             ((ACROSS, i, j, 0),) * self.costs),
        )  # fmt: skip
        cases = tuple(
            Case(text, added(float(self.h[row, column]), term), float(self.h[row, column]) + term,
                 ((H, row, column, 0), *more), label)
            for text, row, column, term, label, more in ways
        )  # fmt: skip
        return Formula(f"H({i}, {j})", "max", cases, float(self.h[i, j]))

    def _score(self, i: int, j: int) -> Formula:
        value = float(self.scores[i - 1, j - 1])
        columns = [self._column(profile, at - 1) for profile, at in zip(self.made.profiles, (i, j), strict=True)]
        word = (
            "the mean score of the letters of" if self.made.scoring.kind == "sum-of-pairs" else "minus the distance of"
        )
        case = Case(f"{word} ({columns[0]}) and ({columns[1]})", "", value)
        return Formula(f"s(p{i}, q{j})", "value", (case,), value)

    def _column(self, profile: Profile, at: int) -> str:
        shares = profile.frequencies[:, at]
        letters = profile.alphabet
        return ", ".join(f"{letters[place]} {shares[place]:.3g}" for place in np.flatnonzero(shares))

    def play(self, title: str, at: Each, who: Each,
             steps: list[Step], workers: tuple[str, ...], cuts: tuple[list[int], list[int]]) -> Play:  # fmt: skip
        lines = [("", *(f"{mark}{number}" for number in range(1, size + 1)))
                 for mark, size in (("p", self.m), ("q", self.n))]  # fmt: skip
        tables = []
        shape = self.m, self.n
        known = (("H", self.h), ("scores", self.scores), ("gaps down", np.broadcast_to(self.up[:, None], shape)),
                 ("gaps across", np.broadcast_to(self.left, shape)))  # fmt: skip
        for place, (name, numbers) in enumerate(known[: len(at)]):
            own, when, worker = blank((self.m + 1, self.n + 1, 1))
            if place == H:
                own[:, :, 0], when[0], when[:, 0] = numbers, GIVEN, GIVEN
            else:
                own[1:, 1:, 0] = numbers
            for cell, step in at[place].items():
                when[(*cell, 0)], worker[(*cell, 0)] = step, who[place][cell]
            tables.append(Table(name, own, when, worker, lines[0], lines[1], cuts=(tuple(cuts[0]), tuple(cuts[1])),
                                formula=RULES[place], counts=place == H))  # fmt: skip
        cells = [(0, 0)]
        for operation in self.answer.operations.tolist():
            i, j = cells[-1]
            cells.append((i + (operation != 2), j + (operation != 1)))
        rows = "\n".join(row for _, row in self.answer.merged(self.made))
        return Play(title, tuple(tables), tuple(steps), workers, self.explain, self.answer,
                    f"score {self.answer.score / self.unit:,.6g}\n{rows}", ((H, self.m, self.n, 0),),
                    tuple((H, i, j, 0) for i, j in cells))  # fmt: skip


def _of(table: int, cells: Any) -> tuple[Cell, ...]:
    return tuple((table, i, j, 0) for i, j in cells)


def serial(made: Problem, values: Mapping[str, Any]) -> Play:
    """A cell after another, with its scores."""
    two = Two(made)
    at: dict[Item, int] = {}
    steps: list[Step] = []
    for i in range(1, two.m + 1):
        row: list[Item] = [(i, j) for j in range(1, two.n + 1)]
        at |= dict.fromkeys(row, len(steps))
        steps.append(Step(f"Row {i}: one core, cell by cell, the score of two columns each time.",
                          held=(Held("host memory", "two rows", 16 * two.n, _of(H, row)),)))  # fmt: skip
    who = dict.fromkeys(at, 0)
    return two.play("ProfProfAlign", (at, dict(at)), (who, dict(who)), steps, ("core",), ([], []))


def matrices(
    made: Problem, values: Mapping[str, Any], title: str, by_rows: bool, what: str = "one product of matrices",
    gaps: Callable[[int, int], int] | None = None, work: int = 1,
) -> Play:  # fmt: skip
    """Scores first, k rows by a product or blocks of k x k by workers; then all cells on one core.

    ``gaps(rows, columns)``: gap costs that a block computes; ``work``: numbers that are read for one that is needed.
    """
    two, k = Two(made), values["k"]
    workers = 1 if by_rows else values["workers"]
    at: Each = ({}, {})
    who: Each = ({}, {})
    steps: list[Step] = []
    columns = [range(1, two.n + 1)] if by_rows else pieces(two.n, k)
    blocks = [(rows, wide) for rows in pieces(two.m, k) for wide in columns]
    for first in range(0, len(blocks), workers):
        here = blocks[first : first + workers]
        cells: list[Item] = []
        for worker, (rows, wide) in enumerate(here):
            own: list[Item] = [(i, j) for i in rows for j in wide]
            at[S].update(dict.fromkeys(own, len(steps)))
            who[S].update(dict.fromkeys(own, worker))
            cells += own
        told = what if by_rows else f"{counted(len(here), 'block')} at once"
        if gaps is not None:
            count = sum(gaps(len(rows), len(wide)) for rows, wide in here)
            told += f", with {counted(count, 'gap cost')}"
        symbols = len(two.coded.rows)
        read = work * sum(2 * symbols * (len(rows) + len(wide)) for rows, wide in here)
        steps.append(
            Step(
                f"Scores of {counted(len(cells), 'pair')} of columns: {told}.",
                "scores",
                (Held("shared memory", "columns of both profiles", read),),
                (
                    Crossing("columns, read", "global memory", read),
                    Crossing("scores, written", "global memory", 4 * len(cells), -1, -1, _of(S, cells)),
                ),
            )
        )
    for i in range(1, two.m + 1):
        row: list[Item] = [(i, j) for j in range(1, two.n + 1)]
        at[H].update(dict.fromkeys(row, len(steps)))
        who[H].update(dict.fromkeys(row, workers))
        steps.append(Step(f"Row {i} of the cells, one after another, on one core of the host.", "maximisation",
                          (Held("host memory", "scores, and two rows", 4 * two.m * two.n + 16 * two.n),),
                          (Crossing("scores of the row", "host memory", 4 * two.n, cells=_of(S, row)),)))  # fmt: skip
    cuts = ([piece.start for piece in pieces(two.m, k)[1:]], [piece.start for piece in columns[1:]])
    return two.play(title, at, who, steps, (*names(workers, "multiprocessor"), "core of the host"), cuts)


def _mixed(m: int, n: int) -> int:
    """Gap costs of Mix k: thread t takes row t from the diagonal on, with one cost of it, then column t below."""
    return sum(1 + max(n - t, 0) for t in range(m)) + sum(1 + max(m - t - 1, 0) for t in range(n))


def _one_by_one(made: Problem, values: Mapping[str, Any], title: str) -> Play:
    """A cell after another, by two calls of a library."""
    found = matrices(made, {"k": 1, "workers": 1}, title, by_rows=False)
    steps = [
        replace(step, text="The score of one pair of columns by two calls: their difference, then its norm.")
        if step.phase == "scores" else step
        for step in found.steps
    ]  # fmt: skip
    return replace(found, steps=tuple(steps))


def _by_identity(made: Problem, values: Mapping[str, Any], title: str) -> Play:
    """A row of differences as a product with an identity matrix of n x n, which brings nothing but work."""
    n = made.encoded.n
    return matrices(
        made, {"k": 1}, title, True, f"differences by a product with an identity matrix of {n} x {n}", work=n
    )


def wavefront(made: Problem, values: Mapping[str, Any], title: str, strips: bool) -> Play:
    """Scores and cells together: blocks on antidiagonals of blocks, or strips that follow each other."""
    two, workers = Two(made), values["workers"]
    if strips:
        rows, columns = pieces(two.m, values["T"]), pieces(two.n, values["s"])
    else:
        rows, columns = pieces(two.m, values["k"]), pieces(two.n, values["k"])
    queues: list[list[list[Item]]] = [[] for _ in range(workers)]
    if strips:
        for number, wide in enumerate(columns):
            for high in rows:
                queues[number % workers] += antidiagonals(high, wide)
    else:
        for line in range(len(rows) + len(columns) - 1):
            here = [(r, line - r) for r in range(len(rows)) if 0 <= line - r < len(columns)]
            for place, (r, c) in enumerate(here):
                queues[place % workers] += antidiagonals(rows[r], columns[c])
    heights, lefts = {i: piece for piece in rows for i in piece}, {piece.start for piece in columns[1:]}
    tops = {piece.start for piece in rows[1:]}
    widths = {j: piece for piece in columns for j in piece}

    def needs(cell: Item) -> list[Item]:
        """The whole border on the left, and above: they are handed over together."""
        i, j = cell
        found: list[Item] = []
        if j in lefts:
            found.append((heights[i].stop - 1, j - 1))
        if i in tops:
            found.append((i - 1, widths[j].stop - 1))
        return found

    schedule = simulate(queues, needs)
    at = [[cell for cell, step in schedule.step_of.items() if step == now] for now in range(schedule.steps)]
    symbols, word = len(two.coded.rows), "strip" if strips else "block"
    steps: list[Step] = []
    kept: list[Item] = []
    for step, cells in enumerate(at):
        parts = sorted({(0 if strips else heights[i].start, widths[j].start) for i, j in cells})
        border = [cell for cell in cells if cell[1] == widths[cell[1]].stop - 1 or
                  (not strips and cell[0] == heights[cell[0]].stop - 1)]  # fmt: skip
        begun = [cell for cell in cells if cell[0] == heights[cell[0]].start and cell[1] == widths[cell[1]].start]
        read = sum(2 * symbols * (len(heights[i]) + len(widths[j])) for i, j in begun)
        crossings = []
        if begun:  # a tile reads its columns once, for the product that makes its scores
            crossings.append(Crossing("columns of both profiles, read", "global memory", read))
        if border:
            crossings.append(Crossing("borders, written and read by the next", "global memory", 8 * len(border),
                                      cells=_of(H, border)))  # fmt: skip
        text = f"{counted(len(cells), 'cell')} of {counted(len(parts), word)}, scores and cells together."
        near = Held("shared memory", "scores of the tile, two antidiagonals", 12 * len(cells), _of(S, cells))
        kept = [*kept, *border]
        far = Held("global memory", f"borders of every {word}", 4 * len(kept), _of(H, kept))
        steps.append(
            Step(
                text, held=(near, far) if kept else (near,), crossings=tuple(crossings), waiting=schedule.waiting[step]
            )
        )
    cuts = ([piece.start for piece in rows[1:]], [piece.start for piece in columns[1:]])
    both = (schedule.step_of, schedule.step_of)
    return two.play(
        title, both, (schedule.worker_of, schedule.worker_of), steps, names(workers, "multiprocessor"), cuts
    )


def problem(values: Mapping[str, Any]) -> ProfileProblem:
    """The two alignments that were typed; InputError where rows are of different lengths."""
    profiles = [typed_profile(values[name], name) for name in ("first", "second")]
    scores = {} if values["column_score"] == "euclidean" else {name: values[name] for name in ("match", "mismatch")}
    more = {} if values["column_score"] == "euclidean" else {"blank": -2.0}
    return options.build(profiles, {"column_score": values["column_score"], "gaps": "column", **scores, **more})


def typed_profile(text: str, name: str) -> Profile:
    """The profile of the rows that were typed."""
    return from_alignment(AlignedSequences(*rows_of(text, name), name), name=name)


def draw(choose: Choose) -> dict[str, Any]:
    """Small alignments with gaps."""

    def rows() -> str:
        columns = choose.integer(1, 8)
        return ", ".join(
            "A" + "".join(choose.of("ACG-") for _ in range(columns - 1)) for _ in range(choose.integer(1, 3))
        )

    return {"first": rows(), "second": rows(), "column_score": choose.of(("sum-of-pairs", "euclidean"))}


def agrees(play: Play, answer: ProfileAnswer) -> None:
    """Score and path."""
    assert play.answer.score == answer.score, f"{play.answer.score}, not {answer.score}"
    assert play.answer.operations.tolist() == answer.operations.tolist()


def _staging(play: Callable[..., Play], *parameters: Parameter) -> Staging:
    inputs = (FIRST, SECOND, SCORE, *score_inputs(match=2, mismatch=-1, gap_extend=1)[:2])
    return Staging(inputs, parameters, problem, play, draw, agrees, lambda made: made.cells)


SERIAL = _staging(serial)
SIMPLE, ROW, COLUMN, MIX = (
    _staging(partial(matrices, title=f"{name} k", by_rows=False, gaps=gaps), BLOCK, WORKERS)
    for name, gaps in (("Simple", lambda m, n: 2 * m * n), ("Row", lambda m, n: m + m * n),
                       ("Column", lambda m, n: m * n + n), ("Mix", _mixed))
)  # fmt: skip
CALLS = _staging(partial(_one_by_one, title="CUBLAS"))
IDENTITY = _staging(partial(_by_identity, title="MatProd V1"))
PRODUCTS = _staging(partial(matrices, title="MatProd V2 k", by_rows=True), BLOCK)
WAVES = _staging(partial(wavefront, title="SMwavefront k", strips=False), BLOCK, WORKERS)
STRIPS = _staging(partial(wavefront, title="ProfileWavefront", strips=True), STRIP, BATCH, WORKERS)
