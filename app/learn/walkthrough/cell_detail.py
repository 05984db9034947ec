"""CellDetail: the recurrence of a cell with its numbers, and counters, memory and transfers of a step."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from antidiag.app import theme
from antidiag.app.kit.boxes import column_of
from antidiag.app.kit.controls.widgets import create_label
from antidiag.app.kit.play.play_picture import MEMORY_COLOURS
from antidiag.app.kit.play.view_options import PlayLook
from antidiag.kernels.walkthroughs import animation_text
from antidiag.kernels.walkthroughs.animation import NEVER_STEP, Animation, Cell, ModelMachine

CELL_HINT = "Point at a cell to see its recurrence with numbers. Click to pin it."
MOST_CROSSINGS = 6


class CellDetail(QWidget):
    """Explains a cell and a step in text that can be selected."""

    def __init__(self) -> None:
        super().__init__()
        self.formula, self.counters = QLabel(), QLabel()
        box = column_of(parent=self)
        for words, widget in (("Recurrence", self.formula), ("This step", self.counters)):
            widget.setTextFormat(Qt.TextFormat.RichText)
            widget.setWordWrap(True)
            widget.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            widget.setAlignment(Qt.AlignmentFlag.AlignTop)
            box.addWidget(create_label(words, "muted"))
            box.addWidget(widget)
        box.addStretch(1)

    def show_look(self, play: Animation | None, look: PlayLook) -> None:
        """Explain the cell and the step of a look at an animation."""
        self.formula.setText(_formula_html(play, look) if play else "")
        self.counters.setText(_counters_html(play, look.step) if play else "")


def _formula_html(play: Animation, look: PlayLook) -> str:
    cell = look.cell
    if cell is None:
        shown = [play.tables[number] for number in look.table_numbers(play)]
        lines = [escape(table.formula) for table in shown if table.formula]
        return "<br>".join([*lines, f"<i>{escape(CELL_HINT)}</i>"])
    step = play.cell_step(cell)
    if step >= NEVER_STEP:
        return "No cell is computed here."
    if step > look.step:
        return f"Computed in step {step + 1:,}."
    if cell in look.blanks:
        return "This value is to be filled in."
    if step < 0:
        return f"{escape(play.tables[cell[0]].name)}: {escape(play.format_cell(cell))}, input."
    found = formula_html(play, cell, theme.active().path)
    worker = play.cell_worker(cell)
    by = f", by {escape(play.workers[worker])}" if worker >= 0 else ""
    return "<br>".join([*found, f"<i>Step {step + 1:,}{by}.</i>"])


def formula_html(play: Animation, cell: Cell, colour: str) -> list[str]:
    """Return the lines of the recurrence of a cell as HTML, the chosen case in a colour."""
    lines = [(escape(words), wins) for words, wins in animation_text.format_formula(play, cell)]
    return [f'<b style="color:{colour}">{words}</b>' if wins else words for words, wins in lines]


def _counters_html(play: Animation, step: int) -> str:
    cells = [(escape(name), escape(text)) for name, text in animation_text.counted_rows(play, step, ModelMachine())]
    rows = [f"<tr><td>{name}&nbsp;&nbsp;</td><td>{text}</td></tr>" for name, text in cells]
    found = [f"<table>{''.join(rows)}</table>"]
    for place, words in animation_text.memory_rows(play, step):
        colour = getattr(theme.active(), MEMORY_COLOURS[place])
        found.append(f'<span style="color:{colour}">\u25a0</span> <b>{escape(place)}</b>: {escape(words)}')
    crossed = animation_text.describe_crossings(play, step)
    found += [f"\u2192 {escape(words)}" for words in crossed[:MOST_CROSSINGS]]
    if len(crossed) > MOST_CROSSINGS:
        found.append(f"and {len(crossed) - MOST_CROSSINGS:,} more")
    return "<br>".join(found)
