"""Exercises from a seed: a table with blanks, hints from the recurrence, and questions about the next steps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from antidiag.kernels.text import format_value, parse_real
from antidiag.kernels.trials import RandomChooser
from antidiag.kernels.walkthroughs.animation import Animation, Cell, FormulaCase, are_equal, format_number
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough

BLANKS, QUESTIONS, OPTIONS = 8, 4, 4
MOST_TRIES = 50
FEWEST_CELLS = 12
ENOUGH_VALUES = 4
"""Number of values of one step that suffices for an exercise."""


@dataclass(frozen=True)
class PredictionQuestion:
    """A question about a later step, asked after ``step`` steps; ``check_value`` is the number of the correct option.

    ``kind`` is the topic: the winning case, the number of values of a step, the source of a path, the start of a
    worker.
    """

    question: str
    options: tuple[str, ...]
    right: int
    step: int
    cell: Cell | None = None
    kind: Literal["case", "count", "path", "start"] = "count"


@dataclass(frozen=True, eq=False)
class Exercise:
    """An animation of random inputs with blank cells, in the order of the animation, and questions.

    The tables are shown as they are after ``step``. If positions are overwritten (``before``), this is the step before
    the one that is asked for, so that its sources are still visible.
    """

    seed: int
    values: Mapping[str, Any]
    play: Animation
    blanks: tuple[Cell, ...]
    predictions: tuple[PredictionQuestion, ...]
    step: int
    before: bool = False
    given: tuple[tuple[str, str], ...] = ()
    """Label and value of each input: sequences, scores, costs of gaps."""

    @cached_property
    def shown_tables(self) -> tuple[int, ...]:
        """The numbers of the tables that are needed to fill in the blanks: also those that an animation hides."""
        tables = {number for number, table in enumerate(self.play.tables) if not table.details_only}
        for blank in self.blanks:
            tables |= {blank[0], *(source[0] for source in _cell_sources(self.play, blank))}
        return tuple(sorted(tables))

    def hidden_cells(self, blanks: Iterable[Cell]) -> frozenset[Cell]:
        """Return blanks, and the values of other tables from which they follow at once and which would give them away,
        such as E(i, j) and F(i, j) of a blank H(i, j)."""
        found = set(blanks)
        for blank in tuple(found):
            same = (source for source in _cell_sources(self.play, blank) if source[1:3] == blank[1:3])
            found |= {source for source in same if self.play.tables[source[0]].details_only}
        return frozenset(found)

    def shown_cell(self, cell: Cell) -> Cell:
        """Return the cell that is shown for a blank cell: of an overwritten position the shown version."""
        if not self.before:
            return cell
        table, i, j, _ = cell
        return table, i, j, max(int(self.play.tables[table].newest_layers(self.step)[i, j]), 0)


def make_exercise(stage: Walkthrough, seed: int) -> Exercise:
    """Return the exercise of a seed; equal seeds give equal exercises."""
    for attempt in range(MOST_TRIES):
        choose = RandomChooser(seed * MOST_TRIES + attempt)
        values = stage.draw_inputs(choose)
        play = stage.make_animation(values)
        cells = [cell for here in play.step_cells for cell in here if _can_be_asked(play, cell)]
        if len(cells) >= FEWEST_CELLS:
            break
    random = np.random.default_rng(seed)
    before, step = any(play.tables[cell[0]].versions for cell in cells), len(play) - 1
    if before:
        cells = _choose_one_step(play, cells, random)
        step = play.cell_step(cells[0]) - 1 if cells else step
    picked = sorted(random.permutation(len(cells))[: min(BLANKS, len(cells))].tolist())
    return Exercise(
        seed,
        stage.resolve_values(values),
        play,
        tuple(cells[at] for at in picked),
        _make_predictions(play, cells, random),
        step,
        before,
        describe_inputs(stage, stage.resolve_values(values)),
    )


def describe_inputs(stage: Walkthrough, values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return label and value of each input of a walkthrough that has a value, as they are shown."""
    texts = ((parameter.label, values.get(parameter.name)) for parameter in stage.inputs)
    return tuple((label, format_value(value)) for label, value in texts if value not in ("", None))


def _cell_sources(play: Animation, cell: Cell) -> tuple[Cell, ...]:
    """Return the cells on which a cell depends in any case of its recurrence."""
    return tuple(source for case in play.find_formula(cell).cases for source in case.sources)


def list_recurrences(play: Animation, cell: Cell) -> tuple[str, ...]:
    """Return the whole recurrence of a cell: that of its table, then those of the tables that it refers to."""
    numbers, found = [cell[0]], list[str]()
    waiting, seen = [cell], {cell[0]}
    while waiting:
        for source in _cell_sources(play, waiting.pop()):
            if source[0] not in seen and play.cell_step(source) >= 0:
                seen.add(source[0])
                numbers.append(source[0])
                waiting.append(source)
    for number in numbers:
        formula = play.tables[number].formula
        if formula and formula not in found:
            found.append(formula)
    if any("c(a, b)" in formula for formula in found):
        found.append("c(a, b) = match where a and b are equal, else mismatch")
    return tuple(found)


def _choose_one_step(play: Animation, cells: list[Cell], random: np.random.Generator) -> list[Cell]:
    """Return the cells of a random step among the steps with most cells."""
    by_step: dict[int, list[Cell]] = {}
    for cell in cells:
        by_step.setdefault(play.cell_step(cell), []).append(cell)
    most = max(map(len, by_step.values()), default=0)
    rich = [step for step, own in by_step.items() if len(own) >= min(most, ENOUGH_VALUES)]
    return by_step[rich[int(random.integers(len(rich)))]] if rich else []


def _can_be_asked(play: Animation, cell: Cell) -> bool:
    """Return whether a cell can be a blank: finite, with sources, in a table of numbers that is shown."""
    table = play.tables[cell[0]]
    formula = play.find_formula(cell)
    return (
        not table.details_only
        and not table.letters
        and math.isfinite(formula.value)
        and abs(formula.value) < 2**29
        and bool(formula.cases[0].sources)
    )


def check_value(play: Animation, cell: Cell, text: str) -> bool | None:
    """Return whether a typed text is the value of a cell to the shown digits; None if it is not a number yet."""
    word = text.strip().replace("\u2212", "-").replace(",", "")
    if word in ("", "-", ".", "-."):
        return None
    try:
        typed = math.inf if word in ("inf", "\u221e") else parse_real(word)
    except ValueError:
        return None
    value = play.cell_value(cell)
    return are_equal(typed, value) or format_number(typed) == format_number(value)


def make_hints(play: Animation, cell: Cell) -> tuple[str, ...]:
    """Return hints of increasing detail: the whole recurrence, its cases, their numbers, and the winning case."""
    formula = play.find_formula(cell)
    recurrences = list_recurrences(play, cell)
    found = ["\n".join(recurrences)] if recurrences else []
    found.append(f"{formula.left}: look at " + "; ".join(case.text for case in formula.cases) + ".")
    filled = [case.filled for case in formula.cases if case.filled]
    if filled:
        found.append("With numbers: " + "; ".join(filled) + ".")
    if formula.rule in ("max", "min"):
        winner = formula.cases[formula.winning_cases[0]]
        found.append(f"The case that wins: {_case_name(winner)}.")
    return tuple(found)


def _case_name(case: FormulaCase) -> str:
    return case.label or case.text


def _make_predictions(
    play: Animation, cells: list[Cell], random: np.random.Generator
) -> tuple[PredictionQuestion, ...]:
    found = [asked for asked in (_ask_path_source(play, random), _ask_worker_start(play, random)) if asked is not None]
    chosen = [cell for cell in cells if _has_single_winner(play, cell)]
    for at in random.permutation(len(chosen))[: max(QUESTIONS // 2 - len(found) // 2, 1)].tolist():
        found.append(_ask_winning_case(play, chosen[at]))
    steps = random.permutation(np.arange(1, len(play)))[: QUESTIONS - len(found)]
    found += [
        asked for step in sorted(steps.tolist()) if (asked := _ask_value_count(play, int(step), random)) is not None
    ]
    return tuple(sorted(found, key=lambda one: one.step))


def _has_single_winner(play: Animation, cell: Cell) -> bool:
    """Return whether one of several cases with different names wins."""
    formula = play.find_formula(cell)
    names = [_case_name(case) for case in formula.cases]
    return (
        formula.rule in ("max", "min")
        and 2 <= len(names) <= 7
        and len(set(names)) == len(names)
        and len(formula.winning_cases) == 1
    )


def _ask_winning_case(play: Animation, cell: Cell) -> PredictionQuestion:
    formula = play.find_formula(cell)
    names = tuple(_case_name(case) for case in formula.cases)
    return PredictionQuestion(
        f"Which case will win in {formula.left}?",
        names,
        formula.winning_cases[0],
        play.cell_step(cell) - 1,
        cell,
        "case",
    )


def _ask_path_source(play: Animation, random: np.random.Generator) -> PredictionQuestion | None:
    """Return a question about the source of the returned path at a cell with several possible sources."""
    asked = []
    for before, cell in pairwise(play.path):
        if play.cell_step(cell) < 0:
            continue
        sources = list(
            dict.fromkeys(
                source for case in play.find_formula(cell).cases for source in case.sources if source[0] == before[0]
            )
        )[:OPTIONS]
        if before in sources and len({_format_cell(play, source) for source in sources}) == len(sources) > 1:
            asked.append((cell, sources, sources.index(before)))
    if not asked:
        return None
    cell, sources, right = asked[int(random.integers(len(asked)))]
    options = tuple(_format_cell(play, source) for source in sources)
    question = f"The path that is returned goes through {_format_cell(play, cell)}. Where does it come from?"
    return PredictionQuestion(question, options, right, play.cell_step(cell) - 1, cell, "path")


def _format_cell(play: Animation, cell: Cell) -> str:
    table, i, j, k = cell
    layer = f", {k}" if play.tables[table].table_shape[2] > 1 and not play.tables[table].versions else ""
    return f"{play.tables[table].name}({i}, {j}{layer})"


def _ask_worker_start(play: Animation, random: np.random.Generator) -> PredictionQuestion | None:
    """Return a question about the first step of a worker that does not start in the first step."""
    begins: dict[int, int] = {}
    for step, cells in enumerate(play.step_cells):
        for cell in cells:
            begins.setdefault(play.cell_worker(cell), step)
    later = [(worker, step) for worker, step in begins.items() if step > 0 and worker >= 0]
    if not later:
        return None
    worker, step = later[int(random.integers(len(later)))]
    others = [other for other in (step - 2, step - 1, step + 1, step + 2, step + 4) if 0 <= other < len(play)]
    if len(others) < OPTIONS - 1:
        return None
    picked = sorted([step, *random.choice(others, OPTIONS - 1, replace=False).tolist()])
    question = f"Some workers start later. In which step does {play.workers[worker]} start?"
    return PredictionQuestion(
        question, tuple(f"{one + 1:,}" for one in picked), picked.index(step), step - 1, None, "start"
    )


def _ask_value_count(play: Animation, step: int, random: np.random.Generator) -> PredictionQuestion | None:
    count = len(play.step_cells[step])
    near = (count - 2, count - 1, count + 1, count + 2, count + 3, 2 * count)
    others = sorted({other for other in near if other > 0 and other != count})
    if not count or len(others) < OPTIONS - 1:
        return None
    picked = sorted([count, *random.choice(others, OPTIONS - 1, replace=False).tolist()])
    question = f"How many values will step {step + 1} compute at once?"
    return PredictionQuestion(question, tuple(f"{one:,}" for one in picked), picked.index(count), step - 1)
