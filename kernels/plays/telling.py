"""A play in words: the recurrence of a cell with its numbers, what lies where, and what was counted so far."""

from __future__ import annotations

from antidiag.kernels.memory import bytes_text
from antidiag.kernels.method import Rows
from antidiag.kernels.plays.model import Cell, Formula, Machine, Play, number
from antidiag.kernels.text import counted

RULES = {"max": "the greatest of", "min": "the least of", "sum": "the sum of",
         "product": "the product of", "value": ""}  # fmt: skip


def formula_lines(play: Play, cell: Cell) -> list[tuple[str, bool]]:
    """The recurrence of a computed cell, a line a case, and whether the case wins."""
    formula = play.formula(cell)
    head = f"{formula.left} = {play.letter(cell)}" + (f", {RULES[formula.rule]}" if RULES[formula.rule] else "")
    cases = [(case_line(formula, at), at in formula.winners) for at in range(len(formula.cases))]
    return [(head, False), *cases]


def case_line(formula: Formula, at: int) -> str:
    """'H(2, 3) + c(A, A) = 5 + 2 = 7   the two letters'."""
    case = formula.cases[at]
    value = number(case.value)
    parts = [case.text] + [text for text in (case.filled, value) if text not in ("", case.text)]
    parts = [part for place, part in enumerate(parts) if not place or part != parts[place - 1]]
    return " = ".join(parts) + (f"   ({case.label})" if case.label else "")


def counts(play: Play, step: int, machine: Machine | None = None) -> Rows:
    """What was counted up to a step, that one included."""
    done = max(step + 1, 0)
    cells, total = int(play.main_cells[:done].sum()), int(play.main_cells.sum())
    crossed = int(play.bytes_crossed[:done].sum())
    busy = int(play.busy[step]) if 0 <= step < len(play) else 0
    rows = [
        ("Steps", f"{done:,} of {len(play):,}"),
        (play.unit.capitalize(), f"{cells:,} of {total:,}"),
        ("At work now", f"{busy:,} of {len(play.workers):,}"),
        ("Crossed so far", bytes_text(crossed)),
    ]
    if done and (marks := sum(one.barrier for one in play.steps[:done])):
        rows.append(("Barriers", f"{marks:,}"))
    if machine is not None and done:
        rows.append(("Modelled time", f"{play.times_ns(machine)[done - 1]:,.0f} ns"))
    return rows


def counted_so_far(play: Play, step: int) -> str:
    """'60 of 140 cells, 240 B crossed': what two plays on one clock are compared by."""
    done = max(step + 1, 0)
    cells, total = int(play.main_cells[:done].sum()), int(play.main_cells.sum())
    return f"{cells:,} of {total:,} {play.unit}, {bytes_text(int(play.bytes_crossed[:done].sum()))} crossed"


def memory(play: Play, step: int) -> Rows:
    """What lies in which memory in a step."""
    if not 0 <= step < len(play):
        return []
    return [(held.place, f"{held.what}: {bytes_text(held.bytes)}") for held in play.steps[step].held]


def crossings(play: Play, step: int) -> list[str]:
    """What crosses in a step."""
    if not 0 <= step < len(play):
        return []
    return [f"{one.what}: {bytes_text(one.bytes)}, through {one.place}" for one in play.steps[step].crossings]


def heading(play: Play, step: int) -> str:
    """'Step 3 of 20, phase 1: ...'."""
    if step < 0:
        return f"Before the first of {counted(len(play), 'step')}."
    if step >= len(play):
        return f"Done after {counted(len(play), 'step')}."
    here = play.steps[step]
    named = here.text.lower().startswith(here.phase.lower())
    phase = "" if named else f", {here.phase}"
    return f"Step {step + 1:,} of {len(play):,}{phase}: {here.text}"
