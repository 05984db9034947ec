"""AlignmentViewer: an alignment of any number of rows, to look at, to search, to edit and to take along."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QSplitter, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit import result_text
from antidiag.app.kit.flow import ToolRow, together
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import tool_button
from antidiag.app.views.aligned import saving
from antidiag.app.views.aligned.align_commands import AlignCommands
from antidiag.app.views.aligned.commands import Commands
from antidiag.app.views.aligned.comparing import Comparison
from antidiag.app.views.aligned.finder import Finder
from antidiag.app.views.aligned.menus import Menus
from antidiag.app.views.aligned.pair_side import PairSide
from antidiag.app.views.aligned.posterior_side import PosteriorSide
from antidiag.app.views.aligned.shown import ShownAlignment
from antidiag.app.views.aligned.tree_side import TreeSide
from antidiag.app.views.aligned.wrapping import Mark
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.model import Result

FORMS = {
    "pair": (("match",), True),
    "triple": (("identity",), True),
    "many": (("logo", "consensus", "confidence", "conservation", "occupancy"), False),
}
"""The tracks to begin with, and whether columns are wrapped, for results of two and three sequences and for others."""
STEPS = {Qt.Key.Key_M: "mismatch", Qt.Key.Key_G: "gap"}
"""Keys that go along a pair, while letters are not typed."""


class AlignmentViewer(ShownAlignment):
    """The alignment that is shown, with its commands, its search and its menus."""

    id = "aligned"
    title = "Alignment"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.commands, self.finder = Commands(self), Finder(self)
        self.tree_side, self.comparison, self.align = TreeSide(self), Comparison(self), AlignCommands(self)
        self.pair, self.posteriors = PairSide(self), PosteriorSide(self)
        self.menus = Menus(self, self.commands, self.finder, self.tree_side, self.comparison, self.align, self.pair,
                           self.posteriors)  # fmt: skip
        self._forms, self._form = {name: (list(shown), wrap) for name, (shown, wrap) in FORMS.items()}, "many"
        self._tools = self._tool_row()
        self._build()
        self._connect()
        self.show_alignment(None)

    @classmethod
    def shows(cls, result: Result) -> bool:
        return result_text.is_pair(result) or saving.holds_alignment(result)

    @classmethod
    def shows_datum(cls, datum: Any) -> bool:
        return isinstance(datum, AlignedSequences)

    def _tool_row(self) -> QWidget:
        tools = QWidget()
        row = ToolRow(tools)
        row.addWidget(self.finder.box)
        row.addWidget(together(self.undo_button, self.redo_button))
        for button in self.menus.buttons:
            row.addWidget(button)
        row.addWidget(tool_button("Fit", "Show the whole alignment (Ctrl+0)", self.canvas.fit))
        row.addWidget(tool_button("Letters", "Letters at the cursor (Ctrl+Shift+0)", self.canvas.readable))
        for word, across, down in (("Columns", 1.25, 1.0), ("Rows", 1.0, 1.25)):
            smaller = partial(self.canvas.zoom, 1 / across, 1 / down)
            larger = partial(self.canvas.zoom, across, down)
            less = tool_button("\N{MINUS SIGN}", f"{word} smaller", smaller)
            more = tool_button("+", f"{word} larger", larger)
            row.addWidget(together(less, QLabel(f" {word} "), more))
        return tools

    def _build(self) -> None:
        box = QVBoxLayout(self)
        box.setSpacing(theme.SPACING)
        box.addWidget(self._tools)
        box.addWidget(self.pair.numbers)
        box.addWidget(self.overview)
        self._beside = QSplitter(Qt.Orientation.Horizontal)
        self._beside.addWidget(self.tree_side.panel)
        self._beside.addWidget(self.canvas)
        self._beside.setStretchFactor(1, 1)
        self._beside.setCollapsible(1, False)
        self._both = QSplitter(Qt.Orientation.Vertical)
        self._both.addWidget(self._beside)
        self._both.addWidget(self.comparison.panel)
        self._both.addWidget(self.posteriors.panel)
        self._both.setChildrenCollapsible(False)
        self._both.setStretchFactor(0, 3)
        self._both.setStretchFactor(1, 2)
        box.addWidget(self._both, 1)
        box.addWidget(self.pair.explanation, 1)
        box.addWidget(self._legend)
        box.addWidget(self._status)
        self.canvas.wanted = list(FORMS["many"][0])
        self.canvas.marks = self._marks
        self.canvas.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def _connect(self) -> None:
        self.canvas.customContextMenuRequested.connect(self._open_menu)
        self.canvas.dragged.connect(self.commands.move)
        self.canvas.typed.connect(self._type)
        self.canvas.searched.connect(self.finder.start)
        self.finder.box.left.connect(self.canvas.setFocus)
        self.another.connect(self._begin)
        self.altered.connect(self.finder.lose)

    def show_alignment(self, alignment: AlignedSequences | None, of: Any = None) -> None:
        """Show an alignment, that ``of`` a result or one by itself, or nothing; say why a result has none."""
        result = of if isinstance(of, Result) else None
        if alignment is not None:
            self._take_form({2: "pair", 3: "triple"}.get(len(alignment.names), "many") if result else "many")
        super().show_alignment(alignment, of)
        self.pair.begin(result)
        explained = bool(self.pair.explanation.text())
        self.pair.explanation.setVisible(explained)
        for shown in (self.overview, self._both):
            shown.setVisible(not explained)

    @property
    def edits(self) -> dict[str, Any] | None:
        """What was done, as `show_edits` takes it: to the alignment, and the tree beside it; None for nothing."""
        return {**(super().edits or {}), **self.tree_side.edits} or None

    def show_edits(self, edits: Mapping[str, Any]) -> None:
        """Go on with what was done to the alignment that is shown, unless its undo is still there; with its tree."""
        super().show_edits(edits)
        if self.editor is not None:
            self.tree_side.restore(edits)

    def _take_form(self, form: str) -> None:
        """The tracks and the wrapping that were last used for results of this kind."""
        self._forms[self._form] = self.canvas.wanted, self.canvas.wrapped
        self._form = form
        self.canvas.wanted, self.canvas.wrapped = self._forms[form]

    def _marks(self) -> tuple[Mark, ...]:
        return *self.comparison.marks(), *self.pair.marks(), *self.posteriors.marks()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.picture is not None:
            self._take_focus()

    def compare_with(self, other: AlignedSequences) -> None:
        """Say SP and TC against another alignment; InputError where they cannot be compared."""
        self.comparison.compare_with(other)

    @property
    def parts(self) -> tuple[Any, ...]:
        """What may be busy on threads of its own."""
        return self.commands, self.finder, self.comparison, self.tree_side, self.align, self.pair, self.posteriors

    @property
    def sharp(self) -> bool:
        """Whether the picture is the one that stays, and nothing is computed for it."""
        return super().sharp and not any(part.busy for part in self.parts)

    def _type(self, event: QKeyEvent) -> None:
        """What a key does that is no movement."""
        back, key = event.modifiers() & Qt.KeyboardModifier.ShiftModifier, Qt.Key(event.key())
        if key in STEPS and not self.commands.typing and self.picture.shape[0] == 2:
            self.pair.step(STEPS[key], not back)
        elif key == Qt.Key.Key_F10 and back:
            self._open_menu(self.canvas.place_of_cursor())
        elif key == Qt.Key.Key_F4:
            self.comparison.next_difference(-1 if back else 1)
        else:
            self.commands.type_key(event)

    def _begin(self) -> None:
        """Another alignment is shown, or none."""
        self._tools.setEnabled(self.editor is not None)
        self.finder.forget()
        self._take_focus()

    def _open_menu(self, place: QPoint) -> None:
        if self.picture is not None:
            self.menus.fill_context().exec(self.canvas.viewport().mapToGlobal(place))
            self.canvas.setFocus()

    def _take_focus(self) -> None:
        """Let keys go to what was opened, unless something else has them."""
        if self.isVisible() and QApplication.focusWidget() in (None, self.window(), _middle(self)):
            self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)


def _middle(view: QWidget) -> QWidget | None:
    """What has the keys while nothing in the window does."""
    window = view.window()
    return window.centralWidget() if isinstance(window, QMainWindow) else None
