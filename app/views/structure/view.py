"""StructureView: a folded sequence as a drawing, as the table it came from, and as arcs, for every best structure."""

from __future__ import annotations

import random
from functools import partial

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QLabel, QMenu, QSplitter, QToolButton

from antidiag.app import theme
from antidiag.app.kit import heat
from antidiag.app.kit.background import Latest
from antidiag.app.kit.flow import together
from antidiag.app.kit.legend import LegendItem
from antidiag.app.kit.on_device import by_the_cpu, made_on
from antidiag.app.kit.painted_view import PaintedView
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import Line, check_action, choice_actions, menu_button, tool_button
from antidiag.app.texts import percentage
from antidiag.app.views.structure import finding
from antidiag.app.views.structure.arcs import Arcs
from antidiag.app.views.structure.drawing import MAP, Drawing
from antidiag.app.views.structure.finding import Found
from antidiag.app.views.structure.shown import KINDS, Shown, inks
from antidiag.app.views.structure.table import TablePane
from antidiag.kernels.errors import InputError
from antidiag.kernels.folding import cooptimal
from antidiag.kernels.folding.problem import FoldingAnswer
from antidiag.kernels.model import Result
from antidiag.kernels.text import counted

PANES = {"drawing": "Drawing", "table": "Table", "arcs": "Arcs"}
DIGITS = 15
"""Digits of the number of structures that are written out."""
NUMBER_WIDTH = 96
NOT_COUNTED = "not counted: too long"


class StructureView(PaintedView):
    """Drawing, table and arcs of one structure, linked; all best structures are stepped through."""

    id = "structure"
    title = "Structure"
    hint = "Point at a letter to see its pair everywhere; wheel to zoom, drag to move, F shows everything"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.shown: Shown | None = None
        self.number = 0
        self.line, self.drawing, self.table = Arcs(), Drawing(), TablePane()
        self.panes: dict[str, Arcs | Drawing | TablePane] = {
            "drawing": self.drawing, "table": self.table, "arcs": self.line,
        }  # fmt: skip
        self._counting = Latest(self)
        self._counting.finished.connect(self._take_found)
        self._counting.failed.connect(self._refuse)
        self.upper, self.both = QSplitter(Qt.Orientation.Horizontal), QSplitter(Qt.Orientation.Vertical)
        self.upper.addWidget(self.drawing)
        self.upper.addWidget(self.table)
        self.both.addWidget(self.upper)
        self.both.addWidget(self.line)
        for splitter, sizes in ((self.upper, (3, 2)), (self.both, (3, 1))):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(theme.SPACING)
            for place, share in enumerate(sizes):
                splitter.setStretchFactor(place, share)
        self._make_tools()
        self.lay_out(self.both)
        for pane in self.panes.values():
            pane.letter_pointed.connect(self.light)
        self.table.part_pointed.connect(self._say_part)

    @classmethod
    def shows(cls, result: Result) -> bool:
        return isinstance(result.answer, FoldingAnswer)

    def show_result(self, result: Result | None) -> None:
        """Show the structure of a result, or nothing; the other best structures are looked for meanwhile."""
        if result is not None and not self.shows(result):
            result = None
        self.result, self.number, self._by_cpu = result, 0, False
        self._counting.cancel()
        self._tools.setEnabled(result is not None)
        self.table.note = "The table is being computed\u2026" if result else ""
        self._show(Shown(result.problem.sequence, result.answer.partners) if result else None)
        self.say("")
        if result is not None and result.problem.n:
            problem, gpu = result.problem, result.device if result.backend == "cuda" else ""
            self._counting.request(lambda monitor: made_on(gpu, lambda device: finding.found(problem, monitor, device)))

    @property
    def sharp(self) -> bool:
        """Whether the best structures are counted."""
        return not self._counting.busy

    def go_to(self, number: int) -> None:
        """Show the best structure of this number, from 0; beyond the last one the first."""
        every = self.shown.every if self.shown else None
        if every is None:
            return
        self.number = number % every.total
        self._show(Shown(self.shown.sequence, every.structure(self.number), self.shown.found))
        self.say("")

    def show_pane(self, name: str, shown: bool) -> None:
        """Show or hide the drawing, the table or the arcs; one of them is always there."""
        self.panes[name].setVisible(shown)
        if all(pane.isHidden() for pane in self.panes.values()):
            self.panes["drawing"].show()
        self.upper.setVisible(not (self.drawing.isHidden() and self.table.isHidden()))
        for other, button in self.pane_buttons.items():
            button.setChecked(not self.panes[other].isHidden())

    def light(self, letter: int | None) -> None:
        """Point out a letter and its pair in every pane."""
        if self.shown is None:
            return
        for pane in self.panes.values():
            pane.light(letter)
        self.say(self._text(letter) if letter is not None else "")

    def fit(self) -> None:
        for pane in self.panes.values():
            pane.fit()

    def copy_structure(self) -> None:
        """Copy the letters, and below them the dots and brackets."""
        QGuiApplication.clipboard().setText(self.structure_text())
        self.say("Copied the letters and the structure")

    def structure_text(self) -> str:
        """Two lines: letters, dots and brackets."""
        if self.shown is None:
            return ""
        brackets = FoldingAnswer(len(self.shown.pairs), self.shown.partners).dot_bracket
        return f"{self.shown.sequence.letters.decode('ascii')}\n{brackets}"

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """The panes that are there, as they stand, for a file."""
        for pane in self.panes.values():
            if pane.isHidden() or not pane.isVisibleTo(self):
                continue
            painter.save()
            painter.translate(QPointF(pane.mapTo(self.both, pane.rect().topLeft())))
            inner = QRectF(0, 0, pane.width(), pane.height())
            painter.setClipRect(inner)
            if isinstance(pane, TablePane):
                pane.draw(painter, inner.width(), inner.height())
            else:
                pane.draw(painter, inner)
            painter.restore()

    def _make_tools(self) -> None:
        self.pane_buttons: dict[str, QToolButton] = {}
        for name, text in PANES.items():
            button = tool_button(text, f"Show or hide the {text.lower()}")
            button.setCheckable(True)
            button.setChecked(True)
            button.clicked.connect(lambda on, name=name: self.show_pane(name, on))
            self.pane_buttons[name] = button
        self.back = tool_button("\u2039", "The best structure before this one", lambda: self.go_to(self.number - 1))
        self.next = tool_button("\u203a", "The next best structure", lambda: self.go_to(self.number + 1))
        self.any = tool_button("Any", "One of the best structures by chance", self._go_anywhere)
        self.field, self.of = Line(), QLabel()
        self.field.setAccessibleName("Number of the structure")
        self.field.setToolTip("The number of the structure, in the order of ties; the run gave number 1")
        self.field.setFixedWidth(NUMBER_WIDTH)
        self.field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.field.editingFinished.connect(self._take_number)
        self._colours = QMenu(self)
        self._colours.aboutToShow.connect(self._fill_colours)
        for widget in (
            together(*self.pane_buttons.values()), self.back, self.field, self.next, self.of, self.any,
            tool_button("Fit", "Show everything (F)", self.fit),
            menu_button("Colours", "What the letters of the drawing are coloured by", self._colours),
            tool_button("Copy dot-bracket", "Copy letters and structure as text", self.copy_structure),
        ):  # fmt: skip
            self.tools.addWidget(widget)

    def _fill_colours(self) -> None:
        self._colours.clear()
        choices = {"": "None", "share": "Share of the best structures that agree"}
        choice_actions(
            self._colours, "Colours of letters", choices, "share" if self.drawing.by_share else "",
            lambda chosen: self.colour(chosen == "share"),
        )  # fmt: skip
        self._colours.addSeparator()
        for name, text in PANES.items():
            check_action(self._colours, text, not self.panes[name].isHidden(), partial(self.show_pane, name))

    def colour(self, by_share: bool) -> None:
        """Colour the letters of the drawing by the share of best structures that agree on them, or not."""
        self.drawing.by_share = by_share
        self.drawing.update()
        self._describe()

    def _go_anywhere(self) -> None:
        if self.shown and self.shown.every:
            self.go_to(random.randrange(self.shown.every.total))

    def _take_number(self) -> None:
        text = self.field.text().replace(",", "").strip()
        every = self.shown.every if self.shown else None
        if every is not None and text.isdecimal() and 1 <= int(text) <= every.total:
            if int(text) - 1 != self.number:
                self.go_to(int(text) - 1)
        elif every is not None:
            self.say(f"There is no structure {text}; type a number from 1 to {_long(every.total)}.")
        self._number()

    def _take_found(self, made: tuple[Found, bool]) -> None:
        found, self._by_cpu = made
        self._show(Shown(self.shown.sequence, self.shown.partners, found))
        if len(self.table.values) == 0:
            self.table.note = "Nothing to show"

    def _refuse(self, error: Exception) -> None:
        self.table.note = str(error) if isinstance(error, InputError) else f"The table failed: {error}"
        self.table.update()
        self._number()

    def _show(self, shown: Shown | None) -> None:
        self.shown = shown
        for pane in self.panes.values():
            pane.show_structure(shown)
        self._number()
        self._describe()

    def _number(self) -> None:
        """Which of how many best structures is shown."""
        every = self.shown.every if self.shown else None
        several = every is not None and every.total > 1
        for widget in (self.back, self.next, self.any, self.field):
            widget.setEnabled(several)
        self.field.setText(f"{self.number + 1:,}" if every else "")
        found = self.shown is not None and self.shown.found is not None
        self.of.setText(
            f"of {_long(every.total)} best" if every else "counting\u2026" if not self.sharp else NOT_COUNTED * found
        )
        self.of.setToolTip(
            f"{every.total:,} structures have the most pairs" if every
            else f"Best structures are counted for up to {cooptimal.MOST:,} letters" * found
        )  # fmt: skip

    def _text(self, letter: int) -> str:
        letters, partner = self.shown.sequence.letters, self.shown.partner(letter)
        words = f"letter {letter + 1:,}: {chr(letters[letter])}"
        share = self.shown.share(letter)
        agree = f", so in {percentage(share)} of the best structures" if share is not None else ""
        if partner is None:
            return f"{words}, unpaired{agree}"
        return f"{words}, pairs with {partner + 1:,}: {chr(letters[partner])}{agree}"

    def _say_part(self, part: tuple[int, int] | None) -> None:
        if part is None or self.shown is None or self.shown.found is None:
            return
        i, j = part
        most = counted(int(self.shown.found.table[i, j]), "pair")
        self.say(f"letters {i + 1:,} to {j + 1:,}: {most} at most   {self._text(i)}")

    def _describe(self) -> None:
        if self.shown is None:
            self.legend.show_items(())
            return
        counts = [int((self.shown.kinds == kind).sum()) for kind in range(len(KINDS))]
        items = [
            LegendItem("line", f"{label} ({count:,})", (ink,))
            for label, count, ink in zip(KINDS.values(), counts, inks(), strict=True)
            if count
        ]
        if self.drawing.by_share:
            items.append(LegendItem("gradient", "0 to 100 % of the best structures agree", heat.swatches(MAP)))
        loops = f"{counted(len(self.shown.pairs), 'pair')}, loops of {self.result.problem.min_loop} letters or more"
        items.append(LegendItem("text", loops))
        if self._by_cpu:
            items.append(LegendItem("text", f"table {by_the_cpu(self.result.device)}"))
        self.legend.show_items(tuple(items))

    def restyle(self) -> None:
        for pane in self.panes.values():
            pane.update()
        self._describe()


def _long(number: int) -> str:
    """A number with its digits, or as a power of ten where it is very long."""
    digits = str(number)
    return f"{number:,}" if len(digits) <= DIGITS else f"{digits[0]}.{digits[1]}e{len(digits) - 1}"
