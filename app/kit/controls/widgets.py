"""Small widgets that panels and views share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from html import escape

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from antidiag.app import theme
from antidiag.app.kit.boxes import row_of
from antidiag.app.kit.controls.flow_layouts import ToolRow
from antidiag.app.kit.controls.icons import set_icon


def is_in_low_window(widget: QWidget) -> bool:
    """Return whether a widget is in a main window so low that it leaves out what is not needed to work."""
    window = widget.window()
    return isinstance(window, QMainWindow) and window.height() < theme.LOW_HEIGHT


class Card(QFrame):
    """A panel with a border, and a heading with room for buttons."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setObjectName("card")
        self.box = QVBoxLayout(self)
        self.box.setContentsMargins(theme.MARGIN, theme.MARGIN, theme.MARGIN, theme.MARGIN)
        self.box.setSpacing(theme.SPACING)
        self.header = QHBoxLayout()
        self.header.setSpacing(theme.SPACING // 2)
        self.heading = QLabel(title)
        self.heading.setObjectName("heading")
        self.header.addWidget(self.heading)
        self.header.addStretch(1)
        self.box.addLayout(self.header)

    def add_tools(self, *buttons: QWidget) -> None:
        """Add buttons to the heading; in a narrow panel, those without room are in a menu, and the title is whole."""
        tools = QWidget()
        row = ToolRow(tools)
        for button in buttons:
            row.addWidget(button)
        self.header.addWidget(tools)


ELIDED_PART = 28
"""Letters that are shown of each end of a long name."""
LONG_NAME = re.compile(r"[^\s/\\]{60,}")
"""A word that is elided. Paths are not: the end of a file name says what it is."""
LONG_WORD = re.compile(r"\S{24}(?=\S{8})")
"""Letters of a long word after which a line may end."""


class ElidedLabel(QLabel):
    """One line of text that ends in an ellipsis if it does not fit; the tool tip has all of it."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.setToolTip(text)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(text)

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        room = self.contentsRect()
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), shown)


class WrappedLabel(QLabel):
    """Lines of text in which long words are elided and may break, so that names of sequences do not widen the window.

    The tool tip has all of a text that is elided.
    """

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self._text, self._is_elided = "", False
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show a text; `text` returns it unchanged."""
        self._text = text
        if self.textFormat() != Qt.TextFormat.PlainText:
            super().setText(text)
            return
        elided = LONG_NAME.sub(lambda word: f"{word[0][:ELIDED_PART]}\u2026{word[0][-ELIDED_PART:]}", text)
        if elided != text or self._is_elided:
            self.setToolTip(text if elided != text else "")
        self._is_elided = elided != text
        super().setText(LONG_WORD.sub(lambda word: f"{word[0]}\u200b", elided))

    def clear(self) -> None:
        """Show nothing."""
        self.setText("")

    def text(self) -> str:
        """Return the text that was set."""
        return self._text


class UndoLineEdit(QLineEdit):
    """A line edit that handles undo and redo only while it has typed text to undo; otherwise the window does."""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and leaves_undo(self, event):
            event.ignore()
            return False
        return super().event(event)


def leaves_undo(line: QLineEdit, event: QEvent) -> bool:
    """Whether a key is undo or redo, and the line has nothing to undo or redo."""
    if not isinstance(event, QKeyEvent):
        return False
    keys = QKeySequence.StandardKey
    undo, redo = event.matches(keys.Undo), event.matches(keys.Redo)
    return (undo and not line.isUndoAvailable()) or (redo and not line.isRedoAvailable())


class FittingButton(QPushButton):
    """A button that shows the longest of its texts that fits."""

    def __init__(self, *texts: str) -> None:
        super().__init__(texts[0])
        self._texts = texts
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        metrics = self.fontMetrics()
        room = self.width() - (self.sizeHint().width() - metrics.horizontalAdvance(self.text()))
        fitting = (text for text in self._texts if metrics.horizontalAdvance(text) <= room)
        shortest = metrics.elidedText(self._texts[-1], Qt.TextElideMode.ElideRight, room)
        self.setText(next(fitting, shortest))
        super().resizeEvent(event)


class ElidedComboBox(QComboBox):
    """A combo box that ends a long text in an ellipsis; Qt cuts letters."""

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        edit = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, edit, self).width()
        option.currentText = self.fontMetrics().elidedText(option.currentText, Qt.TextElideMode.ElideRight, room)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


def scroll_area(page: QWidget) -> QScrollArea:
    """Return a scroll area around a page, so that the window may be smaller than the page."""
    area = QScrollArea()
    area.setWidget(page)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    return area


def scroll_to(widget: QWidget) -> None:
    """Scroll all areas around a widget so that it is seen."""
    around = widget.parentWidget()
    while around is not None:
        if isinstance(around, QScrollArea):
            around.ensureWidgetVisible(widget, 0, theme.SPACING)
        around = around.parentWidget()


class VerticalScrollArea(QScrollArea):
    """Scrolls only vertically: it is never narrower than its content."""

    def __init__(self, inner: QWidget) -> None:
        super().__init__()
        inner.setObjectName("scrolled")
        self.setWidget(inner)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.widget() and event.type() is QEvent.Type.LayoutRequest:
            bar = self.verticalScrollBar().sizeHint().width()
            self.setMinimumWidth(self.widget().minimumSizeHint().width() + bar)
        return super().eventFilter(watched, event)


class LinkList(QLabel):
    """Lines that begin with a link; ``chosen`` has the number of the clicked one."""

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        links = Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        self.setTextInteractionFlags(links)
        self.linkActivated.connect(lambda link: self.chosen.emit(int(link)))

    def show_choices(self, heading: str, choices: Sequence[tuple[str, str]]) -> None:
        """Show links, each followed by a text; hidden if there are none."""
        lines = [f'<a href="{number}">{escape(link)}</a>{escape(rest)}' for number, (link, rest) in enumerate(choices)]
        self.setText("<br>".join([escape(heading), *lines] if heading else lines))
        self.setVisible(bool(choices))


def quiet_button(text: str, tip: str) -> QToolButton:
    """Create a frameless button for a heading."""
    button = tool_button(text, tip)
    button.setObjectName("quiet")
    return button


def tool_button(text: str, tip: str, clicked=None) -> QToolButton:
    """Create a button of a view's tool bar."""
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    if clicked is not None:
        button.clicked.connect(lambda: clicked())
    return button


def icon_button(icon: str, tip: str, clicked=None) -> QToolButton:
    """Create an icon button of a view's tool bar."""
    button = tool_button("", tip, clicked)
    button.setObjectName("icon")
    set_icon(button, icon)
    return button


def menu_button(text: str, tip: str, menu: QMenu) -> QToolButton:
    """Create a button that opens a menu."""
    button = tool_button(text, tip)
    button.setMenu(menu)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    return button


def add_section(menu: QMenu, text: str) -> QAction:
    """Add a heading to a menu; the style sheet shows only the line of Qt's own sections."""
    if not menu.isEmpty():
        menu.addSeparator()
    heading = menu.addAction(text)
    heading.setEnabled(False)
    font = heading.font()
    font.setBold(True)
    heading.setFont(font)
    return heading


def add_check_action(menu: QMenu, text: str, on: bool, toggled: Callable[[bool], object]) -> QAction:
    """Add an entry that is on or off."""
    action = menu.addAction(text)
    action.setCheckable(True)
    action.setChecked(on)
    action.toggled.connect(toggled)
    return action


def add_choice_section(
    menu: QMenu, title: str, choices: Mapping[str, str], chosen: str, choose: Callable[[str], object]
) -> None:
    """Add a section of which one entry is chosen; ``choices`` maps names to labels."""
    add_section(menu, title)
    group = QActionGroup(menu)
    for name, label in choices.items():
        action = menu.addAction(label)
        action.setCheckable(True)
        action.setChecked(name == chosen)
        action.setData(name)
        action.triggered.connect(lambda _, name=name: choose(name))
        group.addAction(action)


def check_choice(menu: QMenu, chosen: str) -> None:
    """Check the entry of a name in a menu made by `add_choice_section`, without choosing it."""
    for action in menu.actions():
        if action.data() == chosen and action.isCheckable():
            action.setChecked(True)


def create_label(text: str = "", kind: str = "", wrap: bool = False) -> QLabel:
    """Create a label; ``kind`` is a name of the style sheet (muted, error, warning)."""
    made = WrappedLabel(text) if wrap else QLabel(text)
    made.setObjectName(kind)
    made.setTextFormat(Qt.TextFormat.PlainText)
    return made


def create_row(*widgets: QWidget, stretch: int | None = None) -> QHBoxLayout:
    """Lay widgets out side by side; the one with the number ``stretch`` takes the free room."""
    return row_of(*((widget, int(index == stretch)) for index, widget in enumerate(widgets)))


def style_as_list(table: QTableView) -> None:
    """Make a table a list of rows: no grid, no row numbers, rows as high as their text."""
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    rows = table.verticalHeader()
    rows.hide()
    rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    rows.setDefaultSectionSize(table.fontMetrics().height() + 8)
