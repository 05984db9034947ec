"""Detail: the recurrence of a cell with its numbers, counters, memories, and what crosses."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.play.look import Look
from antidiag.app.kit.play.picture import PLACES
from antidiag.app.kit.widgets import label
from antidiag.kernels.plays import telling
from antidiag.kernels.plays.model import NEVER, Machine, Play

HINT = "Point at a cell: its recurrence appears here, with its numbers. Click keeps it."


class Detail(QWidget):
    """What is known of a step and of a cell, as text that can be selected."""

    def __init__(self) -> None:
        super().__init__()
        self.formula, self.counters = QLabel(), QLabel()
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        for words, widget in (("Recurrence", self.formula), ("This step", self.counters)):
            widget.setTextFormat(Qt.TextFormat.RichText)
            widget.setWordWrap(True)
            widget.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            widget.setAlignment(Qt.AlignmentFlag.AlignTop)
            box.addWidget(label(words, "muted"))
            box.addWidget(widget)
        box.addStretch(1)

    def show_look(self, play: Play | None, look: Look) -> None:
        self.formula.setText(_formula(play, look) if play else "")
        self.counters.setText(_counters(play, look.step) if play else "")


def _formula(play: Play, look: Look) -> str:
    cell = look.cell
    if cell is None:
        shown = [play.tables[number] for number in look.shown(play)]
        lines = [escape(table.formula) for table in shown if table.formula]
        return "<br>".join([*lines, f"<i>{escape(HINT)}</i>"])
    step = play.step(cell)
    if step >= NEVER:
        return "Nothing is computed here."
    if step > look.step:
        return f"Computed in step {step + 1:,}."
    if cell in look.blanks:
        return "This one is for you to find."
    if step < 0:
        return f"{escape(play.tables[cell[0]].name)}: {escape(play.letter(cell))}, given."
    found = []
    for words, wins in telling.formula_lines(play, cell):
        text = escape(words)
        found.append(f'<b style="color:{theme.active().path}">{text}</b>' if wins else text)
    worker = play.worker(cell)
    by = f", by {escape(play.workers[worker])}" if worker >= 0 else ""
    return "<br>".join([*found, f"<i>Step {step + 1:,}{by}.</i>"])


def _counters(play: Play, step: int) -> str:
    rows = [f"<tr><td>{escape(name)}&nbsp;&nbsp;</td><td>{escape(text)}</td></tr>"
            for name, text in telling.counts(play, step, Machine())]  # fmt: skip
    found = [f"<table>{''.join(rows)}</table>"]
    for place, words in telling.memory(play, step):
        colour = getattr(theme.active(), PLACES[place])
        found.append(f'<span style="color:{colour}">\u25a0</span> <b>{escape(place)}</b>: {escape(words)}')
    crossed = telling.crossings(play, step)
    found += [f"\u2192 {escape(words)}" for words in crossed[:6]]
    if len(crossed) > 6:
        found.append(f"and {len(crossed) - 6:,} more")
    return "<br>".join(found)
