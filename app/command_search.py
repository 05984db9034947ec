"""The command search: a popup that finds commands, data, results, help and settings by typing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from antidiag.app import theme
from antidiag.app.kit import fuzzy

MAX_MATCHES = 60
MAX_RECENT = 12
RECENT_BONUS = 15.0
"""What the match that was chosen last counts more; earlier ones count less."""
PLACEHOLDER = "Search commands, methods, data, results, settings, help"
HINT_ROLE = Qt.ItemDataRole.UserRole + 1
STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}


@dataclass(frozen=True)
class CommandMatch:
    """A line of the command search: its text, a hint such as its shortcut or kind, the function that it calls, and
    ``more`` words by which it is found."""

    text: str
    hint: str
    act: Callable[[], object]
    more: str = ""

    @property
    def key(self) -> str:
        """The name under which it is remembered as recent."""
        return self.text


def rank_matches(matches: Iterable[CommandMatch], query: str, recent: Sequence[str] = ()) -> list[CommandMatch]:
    """Return at most MAX_MATCHES lines for a query, the best first, and recently chosen ones before equals."""
    places = {key: place for place, key in enumerate(recent)}

    def recent_bonus(match: CommandMatch) -> float:
        place = places.get(match.key)
        if place is None:
            return 0.0
        return RECENT_BONUS * (1 - place / MAX_RECENT) if query.strip() else float(MAX_RECENT - place)

    unique = {(match.text, match.hint): match for match in matches}.values()
    words = lambda match: (match.text, f"{match.hint} {match.more}")  # noqa: E731
    return fuzzy.rank_items(query, unique, words, recent_bonus)[:MAX_MATCHES]


def remember_recent(recent: Sequence[str], key: str) -> list[str]:
    """Return the recent keys with this one first."""
    return [key, *(known for known in recent if known != key)][:MAX_RECENT]


class HintDelegate(QStyledItemDelegate):
    """Draws the text of a line at the left and its hint, in muted letters, at the right."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        room = option.rect.width() - self._hint_width(option, index) - 3 * theme.MARGIN
        option.text = option.fontMetrics.elidedText(option.text, Qt.TextElideMode.ElideRight, max(room, 40))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        room = QRect(option.rect).adjusted(0, 0, -theme.MARGIN, 0)
        room.setLeft(room.right() - self._hint_width(option, index))
        painter.save()
        painter.setFont(option.font)
        painter.setPen(QColor(theme.active().muted))
        hint = option.fontMetrics.elidedText(str(index.data(HINT_ROLE) or ""), Qt.TextElideMode.ElideLeft, room.width())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), hint)
        painter.restore()

    def _hint_width(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> int:
        wanted = option.fontMetrics.horizontalAdvance(str(index.data(HINT_ROLE) or "")) + 2
        return min(wanted, option.rect.width() // 2)


class CommandSearch(QDialog):
    """A popup to find a line by typing: arrow keys choose, Enter runs it.

    ``find(query)`` returns the lines to choose from; ``find_later`` yields further ones, each found in a turn of the
    event loop of its own; ``remember(key)`` is called with what was chosen.
    """

    def __init__(
        self,
        parent: QWidget,
        find: Callable[[str], Iterable[CommandMatch]],
        find_later: Iterable[Iterable[CommandMatch]] = (),
        recent: Sequence[str] = (),
        remember: Callable[[str], object] = lambda key: None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._find, self._find_later, self._recent, self._remember = find, iter(find_later), recent, remember
        self._later: list[CommandMatch] = []
        self.setObjectName("search")
        self.line, self.list = QLineEdit(), QListWidget()
        self.line.setPlaceholderText(PLACEHOLDER)
        self.line.setAccessibleName("Search")
        self.line.textChanged.connect(self._fill_list)
        self.line.installEventFilter(self)
        self.list.itemActivated.connect(self._run_item)
        self.list.itemClicked.connect(self._run_item)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setUniformItemSizes(True)
        self.list.setItemDelegate(HintDelegate(self.list))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        box = QVBoxLayout(self)
        box.setContentsMargins(theme.SPACING, theme.SPACING, theme.SPACING, theme.SPACING)
        box.addWidget(self.line)
        box.addWidget(self.list)
        self._fill_list("")
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._take_later)

    def open_below(self, widget: QWidget, size: QSize) -> None:
        """Show the popup below a widget, aligned at the right, as far as the window of the widget allows."""
        window = widget.window()
        corner = widget.mapToGlobal(QPoint(widget.width() - size.width(), widget.height() + 2))
        inside = QRect(window.mapToGlobal(QPoint(0, 0)), window.size())
        self.resize(size.boundedTo(QSize(inside.width(), inside.bottom() - corner.y())))
        corner.setX(max(min(corner.x(), inside.right() - self.width()), inside.left()))
        self.move(corner)
        self.show()
        self.line.setFocus()
        self._timer.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QKeyEvent.Type.KeyPress:
            step = STEPS.get(Qt.Key(event.key()))
            if step and self.list.count():
                row, last = self.list.currentRow() + step, self.list.count() - 1
                self.list.setCurrentRow(row % (last + 1) if abs(step) == 1 else min(max(row, 0), last))
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run_item(self.list.currentItem())
                return True
        return super().eventFilter(watched, event)

    def _take_later(self) -> None:
        """Take the lines that take longer to find, and keep the chosen line where it is."""
        found = next(self._find_later, None)
        if found is None:
            self._timer.stop()
            return
        self._later += found
        chosen = self.list.currentItem()
        before = chosen.data(Qt.ItemDataRole.UserRole) if chosen and self.list.currentRow() > 0 else None
        self._fill_list(self.line.text())
        for row in range(self.list.count()):
            if before is not None and self.list.item(row).data(Qt.ItemDataRole.UserRole) == before:
                self.list.setCurrentRow(row)

    def _fill_list(self, query: str) -> None:
        self.list.clear()
        matches = rank_matches([*self._find(query), *self._later], query, self._recent)
        for match in matches:
            item = QListWidgetItem(match.text)
            item.setData(Qt.ItemDataRole.UserRole, match)
            item.setData(HINT_ROLE, match.hint)
            item.setToolTip(f"{match.text}\n{match.hint}".strip())
            self.list.addItem(item)
        if not matches:
            item = QListWidgetItem(f"Nothing matches \N{LEFT DOUBLE QUOTATION MARK}{query.strip()}"
                                   "\N{RIGHT DOUBLE QUOTATION MARK}")  # fmt: skip
            item.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _run_item(self, item: QListWidgetItem | None) -> None:
        match = item.data(Qt.ItemDataRole.UserRole) if item is not None else None
        if match is not None:
            self._remember(match.key)
            self.close()
            match.act()
