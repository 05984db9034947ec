"""StructureView: a folded sequence as drawing, table and arcs, for every best structure."""

from __future__ import annotations

import random
from functools import partial

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QLabel, QMenu, QSplitter, QToolButton

from antidiag.app import theme
from antidiag.app.kit.canvas.painted_view import PaintedView
from antidiag.app.kit.controls.flow_layouts import group_widgets
from antidiag.app.kit.controls.widgets import (
    UndoLineEdit,
    add_check_action,
    add_choice_section,
    menu_button,
    tool_button,
)
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.texts import format_percent
from antidiag.app.views.structure.arcs import ArcsPane
from antidiag.app.views.structure.displayed_structure import KINDS, DisplayedStructure, kind_colours
from antidiag.app.views.structure.plane_drawing import MAP, PlanePane
from antidiag.app.views.structure.table import TablePane
from antidiag.kernels.cuda.gpu_or_cpu import cpu_note, run_on_gpu_or_cpu
from antidiag.kernels.errors import InputError
from antidiag.kernels.folding import best_structures, cooptimal_structures
from antidiag.kernels.folding.best_structures import BestStructures
from antidiag.kernels.folding.problem import FoldingAnswer
from antidiag.kernels.model import Result
from antidiag.kernels.text import format_count

PANES = {"drawing": "Drawing", "table": "Table", "arcs": "Arcs"}
DIGITS = 15  # a larger number of structures is written as a power of ten
NUMBER_WIDTH = 96
NOT_COUNTED = "not counted: too long"


class StructureView(PaintedView):
    """Linked drawing, table and arcs of one structure, with steps through all best structures."""

    id = "structure"
    title = "Structure"
    hint = "Point at a letter to see its pair everywhere; wheel to zoom, drag to move, F shows everything"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.shown: DisplayedStructure | None = None
        self.number = 0
        self.line, self.drawing, self.table = ArcsPane(), PlanePane(), TablePane()
        self.panes: dict[str, ArcsPane | PlanePane | TablePane]
        self.panes = {"drawing": self.drawing, "table": self.table, "arcs": self.line}
        self._counting = LatestTask(self, self._take_found, self._show_error)
        self.upper, self.both = QSplitter(Qt.Orientation.Horizontal), QSplitter(Qt.Orientation.Vertical)
        above, all_panes = {self.drawing: 3, self.table: 2}, {self.upper: 3, self.line: 1}
        for splitter, parts in ((self.upper, above), (self.both, all_panes)):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(theme.SPACING)
            for number, (part, share) in enumerate(parts.items()):
                splitter.addWidget(part)
                splitter.setStretchFactor(number, share)
        self._make_tools()
        self.build_layout(self.both)
        for pane in self.panes.values():
            pane.letter_pointed.connect(self.highlight_letter)
        self.table.part_pointed.connect(self._say_part)
        self._keep_state()

    @property
    def has_content(self) -> bool:
        """Whether a structure is shown, and the other best ones are counted."""
        return self.shown is not None and self.sharp

    def _keep_state(self) -> None:
        state = self.view_state
        for name, button in self.pane_buttons.items():
            state.keep(name, button.isChecked, partial(self.show_pane, name))
        state.keep("by_share", lambda: self.drawing.by_share, self.colour_by_share)
        state.keep_place("number", lambda: self.number, self._restore_number)
        state.keep_place("plane", self.drawing.list_window, self.drawing.restore_window)
        state.keep_place("area", self.table.list_area, self.table.restore_area)
        state.keep_place("span", self.line.list_span, self.line.restore_span)

    def _restore_number(self, number: int) -> None:
        if number:
            self.go_to(number)

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return isinstance(result.answer, FoldingAnswer)

    def show_result(self, result: Result | None) -> None:
        """Show the structure of a result, or nothing, and count the other best structures on a thread."""
        result = result if result is not None and self.shows(result) else None
        self.result, self.number, self._by_cpu = result, 0, False
        self._counting.cancel()
        self._tools.setEnabled(result is not None)
        self.table.note = "Computing the table\u2026" if result else ""
        self._show_structure(DisplayedStructure(result.problem.sequence, result.answer.partners) if result else None)
        self.show_status("")
        if result is not None and result.problem.n:
            problem, gpu = result.problem, result.device if result.backend == "cuda" else ""
            self._counting.request(
                lambda monitor: run_on_gpu_or_cpu(
                    gpu, lambda device: best_structures.find_best_structures(problem, monitor, device)
                )
            )

    @property
    def sharp(self) -> bool:
        """Whether the best structures are counted."""
        return not self._counting.busy

    def go_to(self, number: int) -> None:
        """Show the best structure of this number, from 0; the first follows the last."""
        every = self.shown.best_structures if self.shown else None
        if every is None:
            return
        self.number = number % every.total
        self._show_structure(DisplayedStructure(self.shown.sequence, every.structure_at(self.number), self.shown.best))
        self.show_status("")

    def show_pane(self, name: str, shown: bool) -> None:
        """Show or hide the drawing, the table or the arcs; one of them is always shown."""
        self.panes[name].setVisible(shown)
        if all(pane.isHidden() for pane in self.panes.values()):
            self.panes["drawing"].show()
        self.upper.setVisible(not (self.drawing.isHidden() and self.table.isHidden()))
        for other, button in self.pane_buttons.items():
            button.setChecked(not self.panes[other].isHidden())

    def highlight_letter(self, letter: int | None) -> None:
        """Highlight a letter and its pair in every pane."""
        if self.shown is None:
            return
        for pane in self.panes.values():
            pane.highlight_letter(letter)
        self.show_status(self._letter_text(letter) if letter is not None else "")

    def fit(self) -> None:
        """Show the whole structure in all panes."""
        for pane in self.panes.values():
            pane.show_all()

    def copy_structure(self) -> None:
        """Copy letters and dot-bracket notation to the clipboard."""
        QGuiApplication.clipboard().setText(self.structure_text())
        self.show_status("Copied the letters and the structure")

    def structure_text(self) -> str:
        """Return two lines: the letters and the dot-bracket notation."""
        if self.shown is None:
            return ""
        brackets = FoldingAnswer(len(self.shown.pairs), self.shown.partners).dot_bracket
        return f"{self.shown.sequence.letters.decode('ascii')}\n{brackets}"

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw the visible panes as they are arranged, for a file."""
        for pane in self.panes.values():
            if pane.isHidden() or not pane.isVisibleTo(self):
                continue
            with saved_painter_state(painter):
                painter.translate(QPointF(pane.mapTo(self.both, pane.rect().topLeft())))
                inner = QRectF(0, 0, pane.width(), pane.height())
                painter.setClipRect(inner)
                if isinstance(pane, TablePane):
                    pane.draw_visible(painter, inner.width(), inner.height())
                else:
                    pane.draw(painter, inner)

    def _make_tools(self) -> None:
        self.pane_buttons: dict[str, QToolButton] = {}
        for name, text in PANES.items():
            button = tool_button(text, f"Show or hide the {text.lower()}")
            button.setCheckable(True)
            button.setChecked(True)
            button.clicked.connect(lambda on, name=name: self.show_pane(name, on))
            self.pane_buttons[name] = button
        self.back = tool_button("\u2039", "Previous optimal structure", lambda: self.go_to(self.number - 1))
        self.next = tool_button("\u203a", "Next optimal structure", lambda: self.go_to(self.number + 1))
        self.any = tool_button("Random", "Show a random optimal structure", self._go_anywhere)
        self.field, self.of = UndoLineEdit(), QLabel()
        self.field.setAccessibleName("Number of the structure")
        self.field.setToolTip("Number of the structure, in the order of the tie rule; the run returned number 1")
        self.field.setFixedWidth(NUMBER_WIDTH)
        self.field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.field.editingFinished.connect(self._take_number)
        self._colours = QMenu(self)
        self._colours.aboutToShow.connect(self._fill_colours)
        fit = tool_button("Fit", "Show everything (F)", self.fit)
        colours = menu_button("Colours", "Colours of the letters in the drawing", self._colours)
        copy = tool_button("Copy dot-bracket", "Copy letters and structure as text", self.copy_structure)
        panes = group_widgets(*self.pane_buttons.values())
        for widget in (panes, self.back, self.field, self.next, self.of, self.any, fit, colours, copy):
            self.tools.addWidget(widget)

    def _fill_colours(self) -> None:
        self._colours.clear()
        choices = {"": "None", "share": "Share of the best structures that agree"}
        chosen = "share" if self.drawing.by_share else ""
        add_choice_section(
            self._colours, "Colours of letters", choices, chosen, lambda name: self.colour_by_share(name == "share")
        )
        self._colours.addSeparator()
        for name, text in PANES.items():
            add_check_action(self._colours, text, not self.panes[name].isHidden(), partial(self.show_pane, name))

    def colour_by_share(self, by_share: bool) -> None:
        """Colour the letters by the share of best structures that agree, or not."""
        self.drawing.by_share = by_share
        self.drawing.update()
        self._update_legend()

    def _go_anywhere(self) -> None:
        if self.shown and self.shown.best_structures:
            self.go_to(random.randrange(self.shown.best_structures.total))

    def _take_number(self) -> None:
        text = self.field.text().replace(",", "").strip()
        every = self.shown.best_structures if self.shown else None
        if every is not None and text.isdecimal() and 1 <= int(text) <= every.total:
            if int(text) - 1 != self.number:
                self.go_to(int(text) - 1)
        elif every is not None:
            self.show_status(f"There is no structure {text}. Type a number from 1 to {_long_number(every.total)}.")
        self._update_number()

    def _take_found(self, made: tuple[BestStructures, bool]) -> None:
        found, self._by_cpu = made
        self._show_structure(DisplayedStructure(self.shown.sequence, self.shown.partners, found))
        if len(self.table.values) == 0:
            self.table.note = "The table is empty"
        self.view_state.resume()

    def _show_error(self, error: Exception) -> None:
        self.table.note = str(error) if isinstance(error, InputError) else f"The table could not be computed: {error}"
        self.table.update()
        self._update_number()
        self.view_state.resume()

    def _show_structure(self, shown: DisplayedStructure | None) -> None:
        self.shown = shown
        for pane in self.panes.values():
            pane.show_structure(shown)
        self._update_number()
        self._update_legend()

    def _update_number(self) -> None:
        every = self.shown.best_structures if self.shown else None
        several = every is not None and every.total > 1
        for widget in (self.back, self.next, self.any, self.field):
            widget.setEnabled(several)
        self.field.setText(f"{self.number + 1:,}" if every else "")
        found = self.shown is not None and self.shown.best is not None
        self.of.setText(
            f"of {_long_number(every.total)} optimal"
            if every
            else "counting\u2026"
            if not self.sharp
            else NOT_COUNTED * found
        )
        limit = f"Best structures are counted for at most {cooptimal_structures.MOST:,} letters" * found
        self.of.setToolTip(f"{every.total:,} structures have the largest number of pairs" if every else limit)

    def _letter_text(self, letter: int) -> str:
        letters, partner = self.shown.sequence.letters, self.shown.partner_of(letter)
        words = f"letter {letter + 1:,}: {chr(letters[letter])}"
        share = self.shown.agreement_of(letter)
        agree = f", as in {format_percent(share)} of the best structures" if share is not None else ""
        if partner is None:
            return f"{words}, unpaired{agree}"
        return f"{words}, pairs with {partner + 1:,}: {chr(letters[partner])}{agree}"

    def _say_part(self, part: tuple[int, int] | None) -> None:
        if part is None or self.shown is None or self.shown.best is None:
            return
        i, j = part
        most = format_count(int(self.shown.best.table[i, j]), "pair")
        self.show_status(f"letters {i + 1:,} to {j + 1:,}: at most {most}   {self._letter_text(i)}")

    def _update_legend(self) -> None:
        if self.shown is None:
            self.legend.show_items(())
            return
        counts = [int((self.shown.pair_kinds == kind).sum()) for kind in range(len(KINDS))]
        items = [
            LegendItem("line", f"{label} ({count:,})", (ink,))
            for label, count, ink in zip(KINDS.values(), counts, kind_colours(), strict=True)
            if count
        ]
        if self.drawing.by_share:
            items.append(
                LegendItem("gradient", "0 to 100 % of the best structures agree", heat_map.legend_colours(MAP))
            )
        loops = (
            f"{format_count(len(self.shown.pairs), 'pair')}, loops of {self.result.problem.min_loop} letters or more"
        )
        items.append(LegendItem("text", loops))
        if self._by_cpu:
            items.append(LegendItem("text", f"table {cpu_note(self.result.device)}"))
        self.legend.show_items(tuple(items))

    def apply_theme(self) -> None:
        """Redraw in the colours of the current theme."""
        for pane in self.panes.values():
            pane.update()
        self._update_legend()


def _long_number(number: int) -> str:
    """Write a number with its digits, or as a power of ten if it is very long."""
    digits = str(number)
    return f"{number:,}" if len(digits) <= DIGITS else f"{digits[0]}.{digits[1]}e{len(digits) - 1}"
