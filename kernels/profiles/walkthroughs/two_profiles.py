"""Two profiles step by step: scores as matrices and then cells, or both together, block by block.

Gaps cost the scores of their columns with blank ones, as in the thesis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.profiles import options, reference
from antidiag.kernels.profiles.problem import Problem, ProfileAnswer, ProfileProblem
from antidiag.kernels.profiles.profile import Profile, profile_from_alignment
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
)
from antidiag.kernels.walkthroughs.typed_inputs import (
    choice_input,
    count_input,
    parse_aligned_rows,
    rows_input,
    score_inputs,
)
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough
from antidiag.kernels.walkthroughs.worker_schedule import Item, rectangle_antidiagonals, simulate_workers, split_range

FIRST = rows_input("first", "First alignment", "Rows of one length, separated by commas; - is a gap.", "GATTAC, GAT-AC")
SECOND = rows_input(
    "second", "Second alignment", "Rows of one length, separated by commas; - is a gap.", "GCATAC, GC-TAC, GCATGC"
)
SCORE = choice_input(
    "column_score",
    "Column score",
    "Score of two columns: the mean score of their letters, or their negative distance.",
    ("sum-of-pairs", "euclidean"),
)
BLOCK = count_input(
    "k", "Block size k", "Rows and columns of a block; or rows of scores at a time.", 3, "columns", most=32
)
STRIP = count_input("s", "Strip width s", "Columns of a strip.", 3, "columns", most=32)
BATCH = count_input("T", "Batch T", "Rows that are handed over together.", 2, "rows", most=32)
WORKERS = count_input("workers", "Workers", "Workers that compute blocks or strips at the same time.", 2, "workers")
H, S, V, ACROSS = range(4)
RULES = (
    "H(i, j) = max( H(i-1, j-1) + s(p, q), H(i-1, j) \u2212 gap(p), H(i, j-1) \u2212 gap(q) )",
    "s(p, q) = score of two columns",
    "down(p, q) = gap(p) in every column",
    "across(p, q) = gap(q) in every row",
)


Each = tuple[dict[Item, int], ...]
"""Numbers by cell: of H, of the scores, and of both gap costs if these are matrices."""


class TwoProfiles:
    """A problem and its numbers in units of the scores; ``costs``: gap costs are matrices as well."""

    def __init__(self, posed_problem: Problem, costs: bool = False) -> None:
        """``costs``: gap costs are matrices as well."""
        self.made, self.coded, self.costs = posed_problem, posed_problem.encoded, costs
        self.unit = float(posed_problem.scoring.units)
        tables = reference.fill_tables(self.coded)
        self.h = np.array(tables[0], float) / self.unit
        self.scores = np.array(tables[3], float) / self.unit
        self.m, self.n = self.coded.m, self.coded.n
        self.up, self.left = self.coded.row_extend / self.unit, self.coded.column_extend / self.unit
        self.answer: ProfileAnswer = reference.align_profiles(posed_problem)

    def explain_cell(self, cell: Cell) -> CellFormula:
        """Explain one cell of a table."""
        table, i, j, _ = cell
        if table == S:
            return self._explain_score(i, j)
        if table in (V, ACROSS):
            mark, cost = ("p", self.up[i - 1]) if table == V else ("q", self.left[j - 1])
            at = i if table == V else j
            case = FormulaCase(f"gap({mark}{at}): the score of the column with a blank one", "", float(cost))
            return CellFormula(f"{'down' if table == V else 'across'}(p{i}, q{j})", "value", (case,), float(cost))
        score = float(self.scores[i - 1, j - 1])
        ways = (
            (f"H({i - 1}, {j - 1}) + s(p{i}, q{j})", i - 1, j - 1, score, "both columns", ((S, i, j, 0),)),
            (
                f"H({i - 1}, {j}) \u2212 gap(p{i})",
                i - 1,
                j,
                -float(self.up[i - 1]),
                "p against a blank column",
                ((V, i, j, 0),) * self.costs,
            ),
            (
                f"H({i}, {j - 1}) \u2212 gap(q{j})",
                i,
                j - 1,
                -float(self.left[j - 1]),
                "q against a blank column",
                ((ACROSS, i, j, 0),) * self.costs,
            ),
        )
        cases = tuple(
            FormulaCase(
                text,
                format_sum(float(self.h[row, column]), term),
                float(self.h[row, column]) + term,
                ((H, row, column, 0), *more),
                label,
            )
            for text, row, column, term, label, more in ways
        )
        return CellFormula(f"H({i}, {j})", "max", cases, float(self.h[i, j]))

    def _explain_score(self, i: int, j: int) -> CellFormula:
        value = float(self.scores[i - 1, j - 1])
        columns = [
            self._describe_column(profile, at - 1) for profile, at in zip(self.made.profiles, (i, j), strict=True)
        ]
        word = (
            "the mean score of the letters of" if self.made.scoring.kind == "sum-of-pairs" else "minus the distance of"
        )
        case = FormulaCase(f"{word} ({columns[0]}) and ({columns[1]})", "", value)
        return CellFormula(f"s(p{i}, q{j})", "value", (case,), value)

    def _describe_column(self, profile: Profile, step_numbers: int) -> str:
        shares = profile.frequencies[:, step_numbers]
        letters = profile.alphabet
        return ", ".join(f"{letters[place]} {shares[place]:.3g}" for place in np.flatnonzero(shares))

    def make_animation(
        self,
        title: str,
        step_numbers: Each,
        worker_numbers: Each,
        steps: list[AnimationStep],
        workers: tuple[str, ...],
        cuts: tuple[list[int], list[int]],
    ) -> Animation:
        """Build the animation of steps."""
        lines = [
            ("", *(f"{mark}{number}" for number in range(1, size + 1))) for mark, size in (("p", self.m), ("q", self.n))
        ]
        tables = []
        shape = self.m, self.n
        known = (
            ("H", self.h),
            ("scores", self.scores),
            ("gaps down", np.broadcast_to(self.up[:, None], shape)),
            ("gaps across", np.broadcast_to(self.left, shape)),
        )
        for place, (name, numbers) in enumerate(known[: len(step_numbers)]):
            own, when, worker = blank_table((self.m + 1, self.n + 1, 1))
            if place == H:
                own[:, :, 0], when[0], when[:, 0] = numbers, GIVEN_STEP, GIVEN_STEP
            else:
                own[1:, 1:, 0] = numbers
            for cell, step in step_numbers[place].items():
                when[(*cell, 0)], worker[(*cell, 0)] = step, worker_numbers[place][cell]
            tables.append(
                AnimationTable(
                    name,
                    own,
                    when,
                    worker,
                    lines[0],
                    lines[1],
                    cuts=(tuple(cuts[0]), tuple(cuts[1])),
                    formula=RULES[place],
                    counts_cells=place == H,
                )
            )
        cells = [(0, 0)]
        for operation in self.answer.operations.tolist():
            i, j = cells[-1]
            cells.append((i + (operation != 2), j + (operation != 1)))
        rows = "\n".join(row for _, row in self.answer.merge_rows(self.made))
        return Animation(
            title,
            tuple(tables),
            tuple(steps),
            workers,
            self.explain_cell,
            self.answer,
            f"score {self.answer.score / self.unit:,.6g}\n{rows}",
            ((H, self.m, self.n, 0),),
            tuple((H, i, j, 0) for i, j in cells),
        )


def _table_cells(table: int, cells: Any) -> tuple[Cell, ...]:
    """Return cells of a table."""
    return tuple((table, i, j, 0) for i, j in cells)


def animate_serial(posed_problem: Problem, values: Mapping[str, Any]) -> Animation:
    """Animate one cell after another."""
    two = TwoProfiles(posed_problem)
    at: dict[Item, int] = {}
    steps: list[AnimationStep] = []
    for i in range(1, two.m + 1):
        row: list[Item] = [(i, j) for j in range(1, two.n + 1)]
        at |= dict.fromkeys(row, len(steps))
        steps.append(
            AnimationStep(
                f"Row {i}: one core, cell by cell, the score of two columns each time.",
                held=(HeldData("host memory", "two rows", 16 * two.n, _table_cells(H, row)),),
            )
        )
    who = dict.fromkeys(at, 0)
    return two.make_animation("ProfProfAlign", (at, dict(at)), (who, dict(who)), steps, ("core",), ([], []))


def animate_matrices(
    posed_problem: Problem,
    values: Mapping[str, Any],
    title: str,
    by_rows: bool,
    product_text: str = "one product of matrices",
    gaps: Callable[[int, int], int] | None = None,
    work: int = 1,
) -> Animation:
    """Animate scores first, k rows by a product or blocks of k x k by workers; then all cells on one core.

    ``gaps(rows, columns)`` counts the gap costs that a block computes; ``work`` numbers are read for one that is
    needed.
    """
    two, k = TwoProfiles(posed_problem), values["k"]
    workers = 1 if by_rows else values["workers"]
    at: Each = ({}, {})
    who: Each = ({}, {})
    steps: list[AnimationStep] = []
    columns = [range(1, two.n + 1)] if by_rows else split_range(two.n, k)
    blocks = [(rows, wide) for rows in split_range(two.m, k) for wide in columns]
    for first in range(0, len(blocks), workers):
        here = blocks[first : first + workers]
        cells: list[Item] = []
        for worker, (rows, wide) in enumerate(here):
            own: list[Item] = [(i, j) for i in rows for j in wide]
            at[S].update(dict.fromkeys(own, len(steps)))
            who[S].update(dict.fromkeys(own, worker))
            cells += own
        work_text = product_text if by_rows else f"{format_count(len(here), 'block')} at once"
        if gaps is not None:
            count = sum(gaps(len(rows), len(wide)) for rows, wide in here)
            work_text += f", with {format_count(count, 'gap cost')}"
        symbols = len(two.coded.rows)
        read = work * sum(2 * symbols * (len(rows) + len(wide)) for rows, wide in here)
        steps.append(
            AnimationStep(
                f"Scores of {format_count(len(cells), 'pair')} of columns: {work_text}.",
                "scores",
                (HeldData("shared memory", "columns of both profiles", read),),
                (
                    DataCrossing("columns, read", "global memory", read),
                    DataCrossing("scores, written", "global memory", 4 * len(cells), -1, -1, _table_cells(S, cells)),
                ),
            )
        )
    for i in range(1, two.m + 1):
        row: list[Item] = [(i, j) for j in range(1, two.n + 1)]
        at[H].update(dict.fromkeys(row, len(steps)))
        who[H].update(dict.fromkeys(row, workers))
        steps.append(
            AnimationStep(
                f"Row {i} of the cells, one after another, on one core of the host.",
                "maximisation",
                (HeldData("host memory", "scores, and two rows", 4 * two.m * two.n + 16 * two.n),),
                (DataCrossing("scores of the row", "host memory", 4 * two.n, cells=_table_cells(S, row)),),
            )
        )
    cuts = ([piece.start for piece in split_range(two.m, k)[1:]], [piece.start for piece in columns[1:]])
    return two.make_animation(
        title, at, who, steps, (*numbered_names(workers, "multiprocessor"), "core of the host"), cuts
    )


def _count_mix_costs(m: int, n: int) -> int:
    """Count gap costs of Mix k: thread t takes row t from the diagonal on, then column t below it."""
    return sum(1 + max(n - t, 0) for t in range(m)) + sum(1 + max(m - t - 1, 0) for t in range(n))


def _animate_calls(posed_problem: Problem, values: Mapping[str, Any], title: str) -> Animation:
    """Animate scores cell by cell, each by two library calls."""
    found = animate_matrices(posed_problem, {"k": 1, "workers": 1}, title, by_rows=False)
    steps = [
        replace(step, text="The score of one pair of columns by two calls: their difference, then its norm.")
        if step.phase == "scores"
        else step
        for step in found.steps
    ]
    return replace(found, steps=tuple(steps))


def _animate_identity(posed_problem: Problem, values: Mapping[str, Any], title: str) -> Animation:
    """Animate differences as a product with an identity matrix of n x n."""
    n = posed_problem.encoded.n
    return animate_matrices(
        posed_problem, {"k": 1}, title, True, f"differences by a product with an identity matrix of {n} x {n}", work=n
    )


def animate_wavefront(posed_problem: Problem, values: Mapping[str, Any], title: str, strips: bool) -> Animation:
    """Animate scores and cells together: blocks on antidiagonals of blocks, or strips in sequence."""
    two, workers = TwoProfiles(posed_problem), values["workers"]
    if strips:
        rows, columns = split_range(two.m, values["T"]), split_range(two.n, values["s"])
    else:
        rows, columns = split_range(two.m, values["k"]), split_range(two.n, values["k"])
    queues: list[list[list[Item]]] = [[] for _ in range(workers)]
    if strips:
        for number, wide in enumerate(columns):
            for high in rows:
                queues[number % workers] += rectangle_antidiagonals(high, wide)
    else:
        for line in range(len(rows) + len(columns) - 1):
            here = [(r, line - r) for r in range(len(rows)) if 0 <= line - r < len(columns)]
            for place, (r, c) in enumerate(here):
                queues[place % workers] += rectangle_antidiagonals(rows[r], columns[c])
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

    schedule = simulate_workers(queues, needs)
    at = [[cell for cell, step in schedule.step_of.items() if step == now] for now in range(schedule.step_count)]
    symbols, word = len(two.coded.rows), "strip" if strips else "block"
    steps: list[AnimationStep] = []
    kept: list[Item] = []
    for step, cells in enumerate(at):
        parts = sorted({(0 if strips else heights[i].start, widths[j].start) for i, j in cells})
        border = [
            cell
            for cell in cells
            if cell[1] == widths[cell[1]].stop - 1 or (not strips and cell[0] == heights[cell[0]].stop - 1)
        ]
        begun = [cell for cell in cells if cell[0] == heights[cell[0]].start and cell[1] == widths[cell[1]].start]
        read = sum(2 * symbols * (len(heights[i]) + len(widths[j])) for i, j in begun)
        crossings = []
        if begun:  # a tile reads its columns once, for the product of its scores
            crossings.append(DataCrossing("columns of both profiles, read", "global memory", read))
        if border:
            crossings.append(
                DataCrossing(
                    "borders, written and read by the next",
                    "global memory",
                    8 * len(border),
                    cells=_table_cells(H, border),
                )
            )
        text = f"{format_count(len(cells), 'cell')} of {format_count(len(parts), word)}, scores and cells together."
        near = HeldData(
            "shared memory", "scores of the tile, two antidiagonals", 12 * len(cells), _table_cells(S, cells)
        )
        kept = [*kept, *border]
        far = HeldData("global memory", f"borders of every {word}", 4 * len(kept), _table_cells(H, kept))
        steps.append(
            AnimationStep(
                text, held=(near, far) if kept else (near,), crossings=tuple(crossings), waiting=schedule.waiting[step]
            )
        )
    cuts = ([piece.start for piece in rows[1:]], [piece.start for piece in columns[1:]])
    both = (schedule.step_of, schedule.step_of)
    return two.make_animation(
        title, both, (schedule.worker_of, schedule.worker_of), steps, numbered_names(workers, "multiprocessor"), cuts
    )


def build_problem(values: Mapping[str, Any]) -> ProfileProblem:
    """Build the problem of the typed alignments; InputError for rows of different lengths."""
    profiles = [parse_profile(values[name], name) for name in ("first", "second")]
    scores = {} if values["column_score"] == "euclidean" else {name: values[name] for name in ("match", "mismatch")}
    more = {} if values["column_score"] == "euclidean" else {"blank": -2.0}
    return options.build_profiles(
        profiles, {"column_score": values["column_score"], "gaps": "column", **scores, **more}
    )


def parse_profile(text: str, name: str) -> Profile:
    """Return the profile of typed rows."""
    return profile_from_alignment(AlignedSequences(*parse_aligned_rows(text, name), name), name=name)


def draw_inputs(choose: TrialChooser) -> dict[str, Any]:
    """Draw small alignments with gaps."""

    def rows() -> str:
        columns = choose.draw_integer(1, 8)
        return ", ".join(
            "A" + "".join(choose.choose_one("ACG-") for _ in range(columns - 1))
            for _ in range(choose.draw_integer(1, 3))
        )

    return {"first": rows(), "second": rows(), "column_score": choose.choose_one(("sum-of-pairs", "euclidean"))}


def check_answer(play: Animation, answer: ProfileAnswer) -> None:
    """Check score and path."""
    assert play.answer.score == answer.score, f"{play.answer.score}, not {answer.score}"
    assert play.answer.operations.tolist() == answer.operations.tolist()


def _make_walkthrough(play: Callable[..., Animation], *parameters: Parameter) -> Walkthrough:
    inputs = (FIRST, SECOND, SCORE, *score_inputs(match=2, mismatch=-1, gap_extend=1)[:2])
    return Walkthrough(inputs, parameters, build_problem, play, draw_inputs, check_answer, lambda made: made.cells)


SERIAL = _make_walkthrough(animate_serial)
SIMPLE, ROW, COLUMN, MIX = (
    _make_walkthrough(partial(animate_matrices, title=f"{name} k", by_rows=False, gaps=gaps), BLOCK, WORKERS)
    for name, gaps in (
        ("Simple", lambda m, n: 2 * m * n),
        ("Row", lambda m, n: m + m * n),
        ("Column", lambda m, n: m * n + n),
        ("Mix", _count_mix_costs),
    )
)
CALLS = _make_walkthrough(partial(_animate_calls, title="CUBLAS"))
IDENTITY = _make_walkthrough(partial(_animate_identity, title="MatProd V1"))
PRODUCTS = _make_walkthrough(partial(animate_matrices, title="MatProd V2 k", by_rows=True), BLOCK)
WAVES = _make_walkthrough(partial(animate_wavefront, title="SMwavefront k", strips=False), BLOCK, WORKERS)
STRIPS = _make_walkthrough(partial(animate_wavefront, title="ProfileWavefront", strips=True), STRIP, BATCH, WORKERS)
