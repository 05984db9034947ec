"""Side panels that fold into drawers by themselves where a workspace is too narrow for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QFrame,
    QMainWindow,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from antidiag.app import theme
from antidiag.app.kit.controls.widgets import VerticalScrollArea
from antidiag.app.kit.focus import first_widget

LEFT, RIGHT = "left", "right"
MIDDLE_WIDTH = 560
"""Least pixels that unfolded side panels leave for the middle of a workspace."""
PAGE_MIDDLE = 380
"""The same of the right panel of a page beside others."""
VISIBLE_REST = 40
"""Least pixels of the workspace that an open drawer leaves visible; a click there closes it."""
SHADE_ALPHA = 70


class PanelHolder(QWidget):
    """The place of a side panel in a layout or splitter; its content may be in a drawer for a while."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(content)

    def widget(self) -> QWidget:
        """Return the panel, wherever it is."""
        return self._content

    def setWidget(self, content: QWidget) -> None:
        """Take the panel back."""
        self._content = content
        self.layout().addWidget(content)
        content.show()


class LeastHeight(QWidget):
    """Holds a panel in a scroll area, which scrolls where the panel cannot be as low as the area."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(content)

    def heightForWidth(self, width: int) -> int:
        return self.layout().totalMinimumHeightForWidth(width)


@dataclass(eq=False)
class SidePanel:
    """A panel at a side of a workspace: its name, its place there, and whether the user hid it."""

    name: str
    holder: PanelHolder | QDockWidget
    side: str
    width: int
    """Pixels that the panel needs at its side."""
    content: QWidget | None = field(default=None)
    """The panel while it is folded; None while it is in its place."""
    scroll_area: VerticalScrollArea | None = field(default=None)
    """What scrolls the folded panel in a drawer lower than the panel."""
    was_hidden: bool = False
    place_size: QSize | None = None
    """Size that its place had last."""
    buttons: tuple[QWidget, ...] = ()
    """Buttons in the panel that have no meaning in a drawer, such as the one that floats it."""

    @property
    def has_place(self) -> bool:
        """Whether the panel is in its place, neither folded nor floating."""
        return self.content is None and not self.is_floating

    @property
    def is_floating(self) -> bool:
        """Whether the panel is in a window of its own."""
        return isinstance(self.holder, QDockWidget) and self.holder.isFloating()


class Shade(QWidget):
    """Dims the workspace behind an open drawer; ``clicked`` when the mouse is pressed on it."""

    clicked = Signal()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), QColor(0, 0, 0, SHADE_ALPHA))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit()


class Drawer(QFrame):
    """Lies over a side of a workspace; Escape asks to close it. ``laid_out``: its parts may need another width."""

    escaped, laid_out = Signal(), Signal()

    def __init__(self, workspace: QWidget) -> None:
        super().__init__(workspace)
        self.setObjectName("drawer")
        self.setAutoFillBackground(True)
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.setHandleWidth(theme.SPACING)
        self.splitter.setChildrenCollapsible(False)
        box = QVBoxLayout(self)
        box.setContentsMargins(theme.SPACING, theme.SPACING, theme.SPACING, theme.SPACING)
        box.addWidget(self.splitter)
        self.hide()

    def event(self, event: QEvent) -> bool:
        # Escape closes the drawer; as a shortcut of the window it would cancel jobs.
        if event.type() == QEvent.Type.ShortcutOverride and _is_escape(event):
            event.accept()
            return True
        if event.type() == QEvent.Type.LayoutRequest:
            self.laid_out.emit()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_escape(event):
            self.escaped.emit()
        else:
            super().keyPressEvent(event)


class FoldingPanels(QObject):
    """Folds the side panels of a workspace, side after side, while they leave less than MIDDLE_WIDTH for its middle.

    A folded panel opens as a drawer over the workspace, which closes on Escape, on a click beside it, and when the
    focus leaves it. ``changed`` is sent when a panel was folded, unfolded, opened or closed.
    """

    changed = Signal()

    def __init__(
        self, workspace: QWidget, panels: Iterable[SidePanel], order: Sequence[str], middle: int = MIDDLE_WIDTH
    ) -> None:
        """``order`` has the sides in the order in which they are folded."""
        super().__init__(workspace)
        self._workspace, self._order, self._middle = workspace, tuple(order), middle
        self.panels = {panel.name: panel for panel in panels}
        self.folded_sides: frozenset[str] = frozenset()
        self.open_side = ""
        self._is_unfolding = False
        """Whether panels came back to their places, and have not their sizes yet."""
        self._shade = Shade(workspace)
        self._shade.hide()
        self._drawers = {side: Drawer(workspace) for side in self._order}
        self._focus_before: QWidget | None = None
        self._shade.clicked.connect(self.close_drawer)
        for drawer in self._drawers.values():
            drawer.escaped.connect(self.close_drawer)
            drawer.laid_out.connect(self._place_drawer)
        self._watched: set[QWidget] = {workspace}
        workspace.installEventFilter(self)
        for panel in self.panels.values():
            if isinstance(panel.holder, QDockWidget):
                panel.holder.installEventFilter(self)

    def has_panel(self, name: str) -> bool:
        """Return whether a panel of this name is here."""
        return name in self.panels

    def is_shown(self, name: str) -> bool:
        """Return whether a panel is visible in its place or in an open drawer."""
        panel = self.panels[name]
        return self.open_side == panel.side if panel.content is not None else not panel.holder.isHidden()

    def toggle_panel(self, name: str) -> None:
        """Hide or show a panel; a folded one opens or closes as a drawer."""
        panel = self.panels[name]
        if panel.content is None:
            panel.holder.setVisible(panel.holder.isHidden())
            self.update_folding()
        elif self.open_side == panel.side:
            self.close_drawer()
        else:
            self.open_drawer(panel.side)
        self.changed.emit()

    def show_panel(self, name: str) -> None:
        """Show a panel if it is not visible."""
        if not self.is_shown(name):
            self.toggle_panel(name)

    def open_drawer(self, side: str) -> None:
        """Open the drawer of a folded side, and give it the focus."""
        self.close_drawer()
        self._focus_before, self.open_side = QApplication.focusWidget(), side
        self._place_drawer()
        drawer = self._drawers[side]
        for widget in (self._shade, drawer):
            widget.show()
            widget.raise_()
        target = first_widget(drawer)
        (target or drawer).setFocus(Qt.FocusReason.OtherFocusReason)
        _application().focusChanged.connect(self._on_focus)
        self.changed.emit()

    def close_drawer(self) -> None:
        """Close the open drawer, and give the focus back."""
        if not self.open_side:
            return
        _application().focusChanged.disconnect(self._on_focus)
        drawer, self.open_side = self._drawers[self.open_side], ""
        here, before = QApplication.focusWidget(), self._focus_before
        drawer.hide()
        self._shade.hide()
        if before is not None and (here is None or drawer.isAncestorOf(here)) and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        self.changed.emit()

    def update_folding(self) -> None:
        """Fold and unfold sides for the present width."""
        self._fold_sides(self._sides_to_fold())

    def _sides_to_fold(self) -> frozenset[str]:
        """Return the sides that leave too little for the middle."""
        folded: set[str] = set()
        for side in self._order:
            used = sum(self._side_width(other) for other in self._order if other not in folded)
            if self._visible_width() - used < self._middle and self._side_width(side):
                folded.add(side)
        return frozenset(folded)

    def unfold_all(self) -> None:
        """Put all panels into their places, for example before the layout is saved or reset."""
        self._fold_sides(frozenset())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(watched, QDockWidget):
            if event.type() == QEvent.Type.Resize:
                self._note_size(watched)
            return False
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self.update_folding()
            self._place_drawer()
        if event.type() == QEvent.Type.Show:
            QTimer.singleShot(0, self, self._restore_sizes)
        return False

    def _note_size(self, dock: QDockWidget) -> None:
        """Remember the size of a dock in its place, but not one that is small because its side will be folded."""
        if self._is_unfolding or not dock.isVisible():
            return
        to_fold = self._sides_to_fold()
        for panel in self.panels.values():
            if panel.holder is dock and panel.has_place and panel.side not in to_fold:
                panel.place_size = dock.size()

    def _visible_width(self) -> int:
        """Return the width of the workspace that can be seen: of one in a scroll area, that of the area."""
        width, parent = self._workspace.width(), self._workspace.parentWidget()
        while parent is not None and not isinstance(parent, QScrollArea):
            parent = parent.parentWidget()
        if parent is None:
            return width
        viewport = parent.viewport()
        if viewport not in self._watched:
            self._watched.add(viewport)
            viewport.installEventFilter(self)
        return min(width, viewport.width())

    def _side_width(self, side: str) -> int:
        """Return the pixels that the panels of a side need if they are not folded; 0 if the user hid them."""
        return max(
            (panel.width for panel in self.panels.values() if panel.side == side and _is_wanted(panel)), default=0
        )

    def _fold_sides(self, folded: frozenset[str]) -> None:
        if folded == self.folded_sides:
            return
        before, self.folded_sides = self.folded_sides, folded
        if self.open_side and self.open_side not in folded:
            self.close_drawer()
        for panel in self.panels.values():
            if panel.side in folded - before and not panel.is_floating:
                self._fold_panel(panel)
            elif panel.side in before - folded and panel.content is not None:
                self._unfold_panel(panel)
        if before - folded:
            self._is_unfolding = True
            QTimer.singleShot(0, self, self._restore_sizes)  # once the panels are laid out
        self.changed.emit()

    def _restore_sizes(self) -> None:
        """Give docks that are in their places again the sizes that they had before, once they are visible."""
        if not isinstance(self._workspace, QMainWindow) or not self._workspace.isVisible() or not self._is_unfolding:
            return
        docks: list[QDockWidget] = []
        sizes: list[QSize] = []
        for panel in self.panels.values():
            if panel.has_place and panel.place_size is not None and isinstance(panel.holder, QDockWidget):
                docks.append(panel.holder)
                sizes.append(panel.place_size)
        self._workspace.resizeDocks(docks, [size.width() for size in sizes], Qt.Orientation.Horizontal)
        self._workspace.resizeDocks(docks, [size.height() for size in sizes], Qt.Orientation.Vertical)
        self._is_unfolding = False

    def _fold_panel(self, panel: SidePanel) -> None:
        panel.was_hidden, panel.content = panel.holder.isHidden(), panel.holder.widget()
        for button in panel.buttons:
            button.hide()
        panel.scroll_area = VerticalScrollArea(LeastHeight(panel.content))
        self._drawers[panel.side].splitter.addWidget(panel.scroll_area)
        panel.content.show()
        panel.holder.hide()

    def _unfold_panel(self, panel: SidePanel) -> None:
        content, panel.content = panel.content, None
        for button in panel.buttons:
            button.show()
        panel.holder.setWidget(content)
        panel.holder.setVisible(not panel.was_hidden)
        if panel.scroll_area is not None:
            panel.scroll_area.setParent(None)
            panel.scroll_area.deleteLater()
            panel.scroll_area = None

    def _place_drawer(self) -> None:
        if not self.open_side:
            return
        room, drawer = self._workspace.rect(), self._drawers[self.open_side]
        room.setWidth(self._visible_width())
        least = drawer.minimumSizeHint().width()
        width = min(max(self._side_width(self.open_side) + 2 * theme.SPACING, least), room.width() - VISIBLE_REST)
        self._shade.setGeometry(room)
        left = 0 if self.open_side == LEFT else room.width() - width
        drawer.setGeometry(left, 0, width, room.height())

    def _on_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        drawer = self._drawers[self.open_side]
        if now is not None and now.window() is drawer.window() and now is not drawer and not drawer.isAncestorOf(now):
            self.close_drawer()


def fold_page_side(
    page: QWidget, side: QWidget, width: int, middle: int = PAGE_MIDDLE
) -> tuple[PanelHolder, FoldingPanels]:
    """Return the place of a panel at the right of a page, and what folds it where less than ``middle`` is left."""
    holder = PanelHolder(side)
    return holder, FoldingPanels(page, [SidePanel("method", holder, RIGHT, width)], (RIGHT,), middle)


def _is_wanted(panel: SidePanel) -> bool:
    """Whether a panel takes room at its side if it is not folded."""
    if panel.content is not None:
        return not panel.was_hidden
    return not panel.holder.isHidden() and not panel.is_floating


def _application() -> QApplication:
    found = QApplication.instance()
    assert isinstance(found, QApplication)
    return found


def _is_escape(event: QEvent) -> bool:
    return isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
