"""Small widgets that panels and views share."""

from __future__ import annotations

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
from antidiag.app.kit.icons import dress


class Card(QFrame):
    """A panel with a border, a heading, and room for buttons beside it."""

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


class Elided(QLabel):
    """One line of text that ends in an ellipsis where it does not fit; the tool tip has all of it."""

    def __init__(self, text: str = "", mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> None:
        super().__init__(text)
        self._mode = mode
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
        shown = self.fontMetrics().elidedText(self.text(), self._mode, room.width())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), shown)


class Line(QLineEdit):
    """A line of text that has undo and redo for itself as long as something was typed; else they are the window's."""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and leaves_undo(self, event):
            event.ignore()
            return False
        return super().event(event)


def leaves_undo(line: QLineEdit, event: QEvent) -> bool:
    """Whether a key is undo or redo of which a line has none itself."""
    if not isinstance(event, QKeyEvent):
        return False
    keys = QKeySequence.StandardKey
    undo, redo = event.matches(keys.Undo), event.matches(keys.Redo)
    return (undo and not line.isUndoAvailable()) or (redo and not line.isRedoAvailable())


class FittingButton(QPushButton):
    """A button that shows the longest of its texts, longest first, that it has room for; it may be narrow."""

    def __init__(self, *texts: str) -> None:
        super().__init__(texts[0])
        self._texts = texts
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        metrics = self.fontMetrics()
        room = self.width() - (self.sizeHint().width() - metrics.horizontalAdvance(self.text()))
        fitting = (text for text in self._texts if metrics.horizontalAdvance(text) <= room)
        self.setText(next(fitting, self._texts[-1]))
        super().resizeEvent(event)


class Combo(QComboBox):
    """A combo box that leaves letters out where it is narrow, and says so by an ellipsis; Qt cuts them through."""

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        edit = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, edit, self).width()
        option.currentText = self.fontMetrics().elidedText(option.currentText, Qt.TextElideMode.ElideRight, room)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


def scrolled(page: QWidget) -> QScrollArea:
    """A page that scrolls where the window is smaller than what is on it, so that the window may be so small."""
    area = QScrollArea()
    area.setWidget(page)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    return area


class VerticalScroll(QScrollArea):
    """Scrolls up and down only: it is never narrower than what is in it."""

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


class Choices(QLabel):
    """Lines of which each begins with a link; ``chosen`` has the number of the one that was clicked."""

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        links = Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        self.setTextInteractionFlags(links)
        self.linkActivated.connect(lambda link: self.chosen.emit(int(link)))

    def show_choices(self, heading: str, choices: Sequence[tuple[str, str]]) -> None:
        """Links, each with what follows it in its line; hidden where there are none."""
        lines = [f'<a href="{number}">{escape(link)}</a>{escape(rest)}' for number, (link, rest) in enumerate(choices)]
        self.setText("<br>".join([escape(heading), *lines] if heading else lines))
        self.setVisible(bool(choices))


def quiet_button(text: str, tip: str) -> QToolButton:
    """A button without a frame, for actions beside a heading."""
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setObjectName("quiet")
    return button


def tool_button(text: str, tip: str, clicked=None) -> QToolButton:
    """A button of a view's tool bar."""
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    if clicked is not None:
        button.clicked.connect(lambda: clicked())
    return button


def icon_button(icon: str, tip: str, clicked=None) -> QToolButton:
    """A button of a view's tool bar that shows an icon, as it is needed often and must not take much room."""
    button = tool_button("", tip, clicked)
    button.setObjectName("icon")
    dress(button, icon)
    return button


def menu_button(text: str, tip: str, menu: QMenu) -> QToolButton:
    """A button that opens a menu."""
    button = tool_button(text, tip)
    button.setMenu(menu)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    return button


def section(menu: QMenu, text: str) -> QAction:
    """A heading over what follows in a menu; the style sheet paints only the line of those of Qt."""
    if not menu.isEmpty():
        menu.addSeparator()
    heading = menu.addAction(text)
    heading.setEnabled(False)
    font = heading.font()
    font.setBold(True)
    heading.setFont(font)
    return heading


def check_action(menu: QMenu, text: str, on: bool, toggled: Callable[[bool], object]) -> QAction:
    """An entry of a menu that is on or off."""
    action = menu.addAction(text)
    action.setCheckable(True)
    action.setChecked(on)
    action.toggled.connect(toggled)
    return action


def choice_actions(
    menu: QMenu, title: str, choices: Mapping[str, str], chosen: str, choose: Callable[[str], object]
) -> None:
    """A section of a menu of which one entry is chosen; ``choices`` maps names to labels."""
    section(menu, title)
    group = QActionGroup(menu)
    for name, label in choices.items():
        action = menu.addAction(label)
        action.setCheckable(True)
        action.setChecked(name == chosen)
        action.triggered.connect(lambda _, name=name: choose(name))
        group.addAction(action)


def label(text: str = "", kind: str = "", wrap: bool = False) -> QLabel:
    """A label; ``kind`` is a name of the style sheet (muted, error, warning)."""
    made = QLabel(text)
    made.setObjectName(kind)
    made.setWordWrap(wrap)
    made.setTextFormat(Qt.TextFormat.PlainText)
    return made


def row(*widgets: QWidget, stretch: int | None = None) -> QHBoxLayout:
    """Widgets side by side; the one of this number takes what room is left."""
    box = QHBoxLayout()
    box.setSpacing(theme.SPACING)
    for index, widget in enumerate(widgets):
        box.addWidget(widget, 1 if index == stretch else 0)
    return box


def as_list(table: QTableView) -> None:
    """Make a table a list of rows: no grid, no row numbers, each row of the height of its text."""
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    rows = table.verticalHeader()
    rows.hide()
    rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    rows.setDefaultSectionSize(table.fontMetrics().height() + 8)
