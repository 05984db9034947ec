"""AlignmentViewer: an alignment of any number of rows, to look at, to search, to edit and to take along."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QSplitter, QVBoxLayout, QWidget

from app import theme
from app.kit.flow import Flow, together
from app.kit.selection import Selection
from app.kit.widgets import tool_button
from app.views.aligned import saving
from app.views.aligned.align_commands import AlignCommands
from app.views.aligned.commands import Commands
from app.views.aligned.comparing import Comparison
from app.views.aligned.finder import Finder
from app.views.aligned.menus import Menus
from app.views.aligned.shown import ShownAlignment
from app.views.aligned.tree_side import TreeSide
from kernels.io.aligned import AlignedSequences
from kernels.model import Result

FIRST_TRACKS = ("logo", "consensus", "conservation", "occupancy")


class AlignmentViewer(ShownAlignment):
    """The alignment that is shown, with its commands, its search and its menus."""

    id = "aligned"
    title = "Viewer"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.commands, self.finder = Commands(self), Finder(self)
        self.tree_side, self.comparison, self.align = TreeSide(self), Comparison(self), AlignCommands(self)
        self.menus = Menus(self, self.commands, self.finder, self.tree_side, self.comparison, self.align)
        self._tools = self._tool_row()
        self._build()
        self._connect()
        self.show_alignment(None)

    @classmethod
    def shows(cls, result: Result) -> bool:
        return saving.holds_alignment(result)

    @classmethod
    def shows_datum(cls, datum: Any) -> bool:
        return isinstance(datum, AlignedSequences)

    def _tool_row(self) -> QWidget:
        tools = QWidget()
        row = Flow(tools)
        row.addWidget(self.finder.box)
        row.addWidget(tool_button("Fit", "Show the whole alignment (Ctrl+0)", self.canvas.fit))
        row.addWidget(tool_button("Letters", "Letters at the cursor (Ctrl+Shift+0)", self.canvas.readable))
        for word, across, down in (("Columns", 1.25, 1.0), ("Rows", 1.0, 1.25)):
            less = tool_button("\N{MINUS SIGN}", f"{word} smaller",
                               lambda across=across, down=down: self.canvas.zoom(1 / across, 1 / down))  # fmt: skip
            more = tool_button("+", f"{word} larger", lambda across=across, down=down: self.canvas.zoom(across, down))
            row.addWidget(together(less, QLabel(f" {word} "), more))
        for button in self.menus.buttons:
            row.addWidget(button)
        row.addWidget(together(self.undo_button, self.redo_button))
        return tools

    def _build(self) -> None:
        box = QVBoxLayout(self)
        box.setSpacing(theme.SPACING)
        box.addWidget(self._tools)
        box.addWidget(self.overview)
        self._beside = QSplitter(Qt.Orientation.Horizontal)
        self._beside.addWidget(self.tree_side.panel)
        self._beside.addWidget(self.canvas)
        self._beside.setStretchFactor(1, 1)
        self._beside.setCollapsible(1, False)
        both = QSplitter(Qt.Orientation.Vertical)
        both.addWidget(self._beside)
        both.addWidget(self.comparison.panel)
        both.setChildrenCollapsible(False)
        box.addWidget(both, 1)
        box.addWidget(self._legend)
        box.addWidget(self._status)
        self.canvas.tracks = list(FIRST_TRACKS)
        self.canvas.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def _connect(self) -> None:
        self.canvas.customContextMenuRequested.connect(self._open_menu)
        self.canvas.dragged.connect(self.commands.move)
        self.canvas.typed.connect(self._type)
        self.canvas.searched.connect(self.finder.start)
        self.another.connect(self._begin)
        self.altered.connect(self.finder.lose)

    def compare_with(self, other: AlignedSequences) -> None:
        """Say SP and TC against another alignment; InputError where they cannot be compared."""
        self.comparison.compare_with(other)

    @property
    def sharp(self) -> bool:
        """Whether the picture is the one that stays, and nothing is computed for it."""
        return super().sharp and not any(part.busy for part in (self.comparison, self.tree_side, self.align))

    def _type(self, event: QKeyEvent) -> None:
        """What a key does that is no movement."""
        if event.key() == Qt.Key.Key_F4:
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.comparison.next_difference(-1 if back else 1)
        else:
            self.commands.type_key(event)

    def _begin(self) -> None:
        """Another alignment is shown, or none."""
        self._tools.setEnabled(self.editor is not None)
        self.finder.forget()

    def _open_menu(self, place: QPoint) -> None:
        if self.picture is not None:
            self.menus.fill_context().exec(self.canvas.viewport().mapToGlobal(place))
