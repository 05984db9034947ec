"""Texts about an animation: the recurrence of a cell, memory contents, and counters up to a step."""

from __future__ import annotations

from antidiag.kernels.memory import format_bytes
from antidiag.kernels.method import LabelledRows
from antidiag.kernels.text import format_count
from antidiag.kernels.walkthroughs.animation import Animation, Cell, CellFormula, ModelMachine, format_number

RULES = {"max": "the greatest of", "min": "the least of", "sum": "the sum of", "product": "the product of", "value": ""}


def format_formula(play: Animation, cell: Cell) -> list[tuple[str, bool]]:
    """Return the recurrence of a computed cell, a line per case, each with whether the case wins."""
    formula = play.find_formula(cell)
    head = f"{formula.left} = {play.format_cell(cell)}" + (f", {RULES[formula.rule]}" if RULES[formula.rule] else "")
    cases = [(format_case(formula, at), at in formula.winning_cases) for at in range(len(formula.cases))]
    return [(head, False), *cases]


def format_case(formula: CellFormula, at: int) -> str:
    """Return a case in words: 'H(2, 3) + c(A, A) = 5 + 2 = 7   (the two letters)'."""
    case = formula.cases[at]
    value = format_number(case.value)
    parts = [case.text] + [text for text in (case.filled, value) if text not in ("", case.text)]
    parts = [part for place, part in enumerate(parts) if not place or part != parts[place - 1]]
    return " = ".join(parts) + (f"   ({case.label})" if case.label else "")


def counted_rows(play: Animation, step: int, machine: ModelMachine | None = None) -> LabelledRows:
    """Return the counters up to and including a step as labelled texts."""
    done = max(step + 1, 0)
    cells, total = int(play.main_cells[:done].sum()), int(play.main_cells.sum())
    crossed = int(play.bytes_crossed[:done].sum())
    busy = int(play.busy_workers[step]) if 0 <= step < len(play) else 0
    rows = [
        ("Steps", f"{done:,} of {len(play):,}"),
        (play.unit.capitalize(), f"{cells:,} of {total:,}"),
        ("Busy now", f"{busy:,} of {len(play.workers):,}"),
        ("Transferred so far", format_bytes(crossed)),
    ]
    if done and (marks := sum(one.barrier for one in play.steps[:done])):
        rows.append(("Barriers", f"{marks:,}"))
    if machine is not None and done:
        rows.append(("Modelled time", f"{play.times_ns(machine)[done - 1]:,.0f} ns"))
    return rows


def counted_so_far(play: Animation, step: int) -> str:
    """Return the counters that compare two animations: '60 of 140 cells, 240 B transferred'."""
    done = max(step + 1, 0)
    cells, total = int(play.main_cells[:done].sum()), int(play.main_cells.sum())
    return f"{cells:,} of {total:,} {play.unit}, {format_bytes(int(play.bytes_crossed[:done].sum()))} transferred"


def memory_rows(play: Animation, step: int) -> LabelledRows:
    """Return the contents of each memory in a step as labelled texts."""
    if not 0 <= step < len(play):
        return []
    return [(held.place, f"{held.what}: {format_bytes(held.bytes)}") for held in play.steps[step].held]


def describe_crossings(play: Animation, step: int) -> list[str]:
    """Return the transfers between workers in a step in words."""
    if not 0 <= step < len(play):
        return []
    return [f"{one.what}: {format_bytes(one.bytes)}, through {one.place}" for one in play.steps[step].crossings]


def step_heading(play: Animation, step: int) -> str:
    """Return the heading of a step: 'Step 3 of 20, phase 1: ...'."""
    if step < 0:
        return f"Before the first of {format_count(len(play), 'step')}."
    if step >= len(play):
        return f"Done after {format_count(len(play), 'step')}."
    here = play.steps[step]
    named = here.text.lower().startswith(here.phase.lower())
    phase = "" if named else f", {here.phase}"
    return f"Step {step + 1:,} of {len(play):,}{phase}: {here.text}"
