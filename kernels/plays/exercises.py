"""Exercises by seed: a table with blanks, hints from the recurrence, and questions about what comes next."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from antidiag.kernels.plays.model import Case, Cell, Play, number, same
from antidiag.kernels.plays.staging import Staging
from antidiag.kernels.text import real
from antidiag.kernels.trials import Chance

BLANKS, QUESTIONS, OPTIONS = 8, 4, 4
MOST_TRIES = 50
FEWEST_CELLS = 12
ENOUGH = 4
"""Values of one step that are enough to be asked for."""


@dataclass(frozen=True)
class Prediction:
    """A question about what follows, asked after ``step`` steps; ``right`` is the number of the right option.

    ``kind``: the case that wins, how many values a step computes, where a path comes from, when a worker begins.
    """

    question: str
    options: tuple[str, ...]
    right: int
    step: int
    cell: Cell | None = None
    kind: Literal["case", "count", "path", "start"] = "count"


@dataclass(frozen=True, eq=False)
class Exercise:
    """A play of inputs by chance, the cells whose values are to be found, in the order of the play, and questions.

    The tables are shown as they are after ``step``. Where places are written again (``before``) that is the step before
    the one that is asked for: what it takes can still be seen.
    """

    seed: int
    values: Mapping[str, Any]
    play: Play
    blanks: tuple[Cell, ...]
    predictions: tuple[Prediction, ...]
    step: int
    before: bool = False

    def place(self, cell: Cell) -> Cell:
        """Where a cell that is asked for is seen: of a place that is written again, the version that is shown."""
        if not self.before:
            return cell
        table, i, j, _ = cell
        return table, i, j, max(int(self.play.tables[table].newest(self.step)[i, j]), 0)


def make(stage: Staging, seed: int, blanks: int = BLANKS) -> Exercise:
    """The exercise of a seed; the same seed always gives the same."""
    for attempt in range(MOST_TRIES):
        choose = Chance(seed * MOST_TRIES + attempt)
        values = stage.draw(choose)
        play = stage.make(values)
        cells = [cell for here in play.cells_of for cell in here if _asked(play, cell)]
        if len(cells) >= FEWEST_CELLS:
            break
    random = np.random.default_rng(seed)
    before, step = any(play.tables[cell[0]].versions for cell in cells), len(play) - 1
    if before:
        cells = _of_one_step(play, cells, random)
        step = play.step(cells[0]) - 1 if cells else step
    picked = sorted(random.permutation(len(cells))[: min(blanks, len(cells))].tolist())
    return Exercise(
        seed, stage.values(values), play, tuple(cells[at] for at in picked), _predictions(play, cells, random), step,
        before,
    )  # fmt: skip


def _of_one_step(play: Play, cells: list[Cell], random: np.random.Generator) -> list[Cell]:
    """Those of a step by chance among the steps in which much can be asked."""
    by_step: dict[int, list[Cell]] = {}
    for cell in cells:
        by_step.setdefault(play.step(cell), []).append(cell)
    most = max(map(len, by_step.values()), default=0)
    rich = [step for step, own in by_step.items() if len(own) >= min(most, ENOUGH)]
    return by_step[rich[int(random.integers(len(rich)))]] if rich else []


def _asked(play: Play, cell: Cell) -> bool:
    """Whether a value can be asked for: of a table that is looked at, finite, with more than one case or sources."""
    table = play.tables[cell[0]]
    formula = play.formula(cell)
    return (not table.aside and not table.letters and math.isfinite(formula.value) and abs(formula.value) < 2**29
            and bool(formula.cases[0].sources))  # fmt: skip


def right(play: Play, cell: Cell, text: str) -> bool | None:
    """Whether what was typed is the value of a cell, to the digits that are shown; None where it is no number yet."""
    word = text.strip().replace("\u2212", "-").replace(",", "")
    if word in ("", "-", ".", "-."):
        return None
    try:
        typed = math.inf if word in ("inf", "\u221e") else real(word)
    except ValueError:
        return None
    value = play.value(cell)
    return same(typed, value) or number(typed) == number(value)


def hints(play: Play, cell: Cell) -> tuple[str, ...]:
    """From the vague to the plain: the recurrence, its cases, the numbers in them, and which one wins."""
    formula = play.formula(cell)
    table = play.tables[cell[0]]
    found = [table.formula] if table.formula else []
    found.append(f"{formula.left}: look at " + "; ".join(case.text for case in formula.cases) + ".")
    filled = [case.filled for case in formula.cases if case.filled]
    if filled:
        found.append("With numbers: " + "; ".join(filled) + ".")
    if formula.rule in ("max", "min"):
        winner = formula.cases[formula.winners[0]]
        found.append(f"The case that wins: {_named(winner)}.")
    return tuple(found)


def _named(case: Case) -> str:
    return case.label or case.text


def _predictions(play: Play, cells: list[Cell], random: np.random.Generator) -> tuple[Prediction, ...]:
    found = [asked for asked in (_from_where(play, random), _when(play, random)) if asked is not None]
    chosen = [cell for cell in cells if _chooses(play, cell)]
    for at in random.permutation(len(chosen))[: max(QUESTIONS // 2 - len(found) // 2, 1)].tolist():
        found.append(_which_case(play, chosen[at]))
    steps = random.permutation(np.arange(1, len(play)))[: QUESTIONS - len(found)]
    found += [asked for step in sorted(steps.tolist()) if (asked := _how_many(play, int(step), random)) is not None]
    return tuple(sorted(found, key=lambda one: one.step))


def _chooses(play: Play, cell: Cell) -> bool:
    """Whether one case wins among several that can be told apart."""
    formula = play.formula(cell)
    names = [_named(case) for case in formula.cases]
    return (formula.rule in ("max", "min") and 2 <= len(names) <= 7 and len(set(names)) == len(names)
            and len(formula.winners) == 1)  # fmt: skip


def _which_case(play: Play, cell: Cell) -> Prediction:
    formula = play.formula(cell)
    names = tuple(_named(case) for case in formula.cases)
    return Prediction(
        f"Which case will win in {formula.left}?", names, formula.winners[0], play.step(cell) - 1, cell, "case"
    )


def _from_where(play: Play, random: np.random.Generator) -> Prediction | None:
    """Where the path that is returned comes from, at one of its cells that have more than one way in."""
    asked = []
    for before, cell in pairwise(play.path):
        if play.step(cell) < 0:
            continue
        sources = list(dict.fromkeys(source for case in play.formula(cell).cases for source in case.sources
                                     if source[0] == before[0]))[:OPTIONS]  # fmt: skip
        if before in sources and len({_place(play, source) for source in sources}) == len(sources) > 1:
            asked.append((cell, sources, sources.index(before)))
    if not asked:
        return None
    cell, sources, right = asked[int(random.integers(len(asked)))]
    options = tuple(_place(play, source) for source in sources)
    question = f"The path that is returned goes through {_place(play, cell)}. Where does it come from?"
    return Prediction(question, options, right, play.step(cell) - 1, cell, "path")


def _place(play: Play, cell: Cell) -> str:
    table, i, j, k = cell
    layer = f", {k}" if play.tables[table].shape[2] > 1 and not play.tables[table].versions else ""
    return f"{play.tables[table].name}({i}, {j}{layer})"


def _when(play: Play, random: np.random.Generator) -> Prediction | None:
    """In which step a worker begins that does not begin at once: the next strip, the next chunk."""
    begins: dict[int, int] = {}
    for step, cells in enumerate(play.cells_of):
        for cell in cells:
            begins.setdefault(play.worker(cell), step)
    later = [(worker, step) for worker, step in begins.items() if step > 0 and worker >= 0]
    if not later:
        return None
    worker, step = later[int(random.integers(len(later)))]
    others = [other for other in (step - 2, step - 1, step + 1, step + 2, step + 4) if 0 <= other < len(play)]
    if len(others) < OPTIONS - 1:
        return None
    picked = sorted([step, *random.choice(others, OPTIONS - 1, replace=False).tolist()])
    question = f"Not all begin at once. In which step does {play.workers[worker]} begin?"
    return Prediction(question, tuple(f"{one + 1:,}" for one in picked), picked.index(step), step - 1, None, "start")


def _how_many(play: Play, step: int, random: np.random.Generator) -> Prediction | None:
    count = len(play.cells_of[step])
    near = (count - 2, count - 1, count + 1, count + 2, count + 3, 2 * count)
    others = sorted({other for other in near if other > 0 and other != count})
    if not count or len(others) < OPTIONS - 1:
        return None
    picked = sorted([count, *random.choice(others, OPTIONS - 1, replace=False).tolist()])
    question = f"How many values will step {step + 1} compute at once?"
    return Prediction(question, tuple(f"{one:,}" for one in picked), picked.index(count), step - 1)
