"""The help: contents and search at the left, a page at the right; everything is read from files of the program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QImage, QKeySequence, QShortcut, QTextBlock, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QSplitter,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from antidiag.app import theme
from antidiag.app.dialogs import help_pages
from antidiag.app.dialogs.help_pages import HelpPage
from antidiag.app.kit.boxes import column_of, row_of
from antidiag.app.kit.controls.widgets import create_label, tool_button
from antidiag.app.kit.focus import mark_search_field

SIZE, LEFT_WIDTH, RIGHT_WIDTH = (980, 700), 300, 680
MAX_HITS = 200
PICTURE_MARGIN = 60
"""Pixels of the page beside a picture that is as wide as it."""
Place = tuple[HelpPage, str]
"""A page and the anchor of a section; "" for its beginning."""


class HelpBrowser(QTextBrowser):
    """Shows a page; pictures are scaled to its width."""

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        found = super().loadResource(kind, name)
        image = self._load_image(QUrl(name)) if kind == QTextDocument.ResourceType.ImageResource.value else None
        return found if image is None else image

    def _load_image(self, name: QUrl) -> QImage | None:
        path = self.document().baseUrl().resolved(name).toLocalFile()
        image = QImage(path) if path and Path(path).is_file() else QImage()
        most = max(self.viewport().width() - PICTURE_MARGIN, 200)
        if image.isNull():
            return None
        smooth = Qt.TransformationMode.SmoothTransformation
        return image.scaledToWidth(most, smooth) if image.width() > most else image


class HelpWindow(QDialog):
    """A window of help pages beside the main window, with Back and Forward."""

    def __init__(self, parent: QWidget | None, pages: Sequence[HelpPage]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Help")
        self.setWindowFlags(Qt.WindowType.Window)
        self.pages = tuple(pages)
        self.history: list[Place] = []
        self.place_number = -1
        self.search_line, self.contents, self.page = QLineEdit(), QTreeWidget(), HelpBrowser()
        self.found_label = create_label("", "muted", wrap=True)
        self.back_button = tool_button("Back", "Previous page (Alt+Left)", lambda: self.step_history(-1))
        self.forward_button = tool_button("Forward", "Next page (Alt+Right)", lambda: self.step_history(1))
        self._lay_out()
        self.search_line.textChanged.connect(self.show_found)
        self.search_line.returnPressed.connect(self._open_first)
        self.contents.currentItemChanged.connect(lambda item, _: self._open_item(item))
        self.page.anchorClicked.connect(self.follow_link)
        for keys, slot in (
            ("Alt+Left", self.back_button.click),
            ("Alt+Right", self.forward_button.click),
        ):
            QShortcut(QKeySequence(keys), self, slot)
        self._list_contents()
        if self.pages:
            self.open_page(self.pages[0])

    @property
    def current_page(self) -> HelpPage | None:
        """The page that is shown."""
        return self.history[self.place_number][0] if self.history else None

    def open_page(self, page: HelpPage, anchor: str = "") -> None:
        """Show a page, from a section on if there is an ``anchor``."""
        place = page, anchor
        if not self.history or self.history[self.place_number] != place:
            self.history = [*self.history[: self.place_number + 1], place]
            self.place_number = len(self.history) - 1
        self._show_place()

    def find_page(self, name: str) -> HelpPage | None:
        """Return the page of this name; None if there is none."""
        return next((page for page in self.pages if page.name == name), None)

    def step_history(self, by: int) -> None:
        """Go back (-1) or forward (1)."""
        self.place_number = min(max(self.place_number + by, 0), len(self.history) - 1)
        self._show_place()

    def show_found(self, query: str) -> None:
        """List the sections with these words in place of the contents; the contents for no words."""
        if not query.strip():
            self.found_label.hide()
            self._list_contents()
            return
        hits = help_pages.search_pages(self.pages, query)[:MAX_HITS]
        self.contents.clear()
        for hit in hits:
            title = (
                hit.section.title if hit.section.level == 1 else f"{hit.page.title} \N{MIDDLE DOT} {hit.section.title}"
            )
            item = self._add_item(None, title, (hit.page, hit.section.anchor if hit.section.level > 1 else ""))
            item.setToolTip(0, hit.text_around_words)
            snippet = QTreeWidgetItem(item, [hit.text_around_words])
            snippet.setData(0, Qt.ItemDataRole.UserRole, item.data(0, Qt.ItemDataRole.UserRole))
        self.contents.expandAll()
        text = (
            f"{len(hits):,} sections"
            if hits
            else f"No page has \N{LEFT DOUBLE QUOTATION MARK}{query.strip()}\
\N{RIGHT DOUBLE QUOTATION MARK}."
        )
        self.found_label.setText(text)
        self.found_label.show()

    def follow_link(self, link: QUrl) -> None:
        """Open a link: a section of this page, another page, or anything else in the browser."""
        here = self.current_page
        target = (here.folder / link.path()).resolve() if here and link.isRelative() and link.path() else None
        if here is not None and not link.path() and link.hasFragment():
            self.open_page(here, link.fragment())
        elif target is not None and (page := self._page_of_file(target)) is not None:
            self.open_page(page, link.fragment())
        elif target is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(target)))
        else:
            QDesktopServices.openUrl(link)

    def _page_of_file(self, path: Path) -> HelpPage | None:
        documents = {(help_pages.DOCUMENTS / page.name).resolve(): page for page in self.pages}
        families = {(page.folder / "page.md").resolve(): page for page in reversed(self.pages)}
        return documents.get(path) or families.get(path)

    def _show_place(self) -> None:
        page, anchor = self.history[self.place_number]
        self.page.document().setBaseUrl(QUrl.fromLocalFile(f"{page.folder}/"))
        self.page.setMarkdown(page.shown_markdown)
        self.page.document().setDocumentMargin(2 * theme.MARGIN)
        self.setWindowTitle(f"{page.title} - Help")
        self.back_button.setEnabled(self.place_number > 0)
        self.forward_button.setEnabled(self.place_number < len(self.history) - 1)
        self._scroll_to(anchor)

    def _scroll_to(self, anchor: str) -> None:
        """Scroll so that the heading of this name is the first line."""
        block = self.page.document().begin()
        while anchor and block.isValid() and not _is_heading(block, anchor):
            block = block.next()
        cursor = QTextCursor(block if block.isValid() else self.page.document().begin())
        self.page.setTextCursor(cursor)
        bar = self.page.verticalScrollBar()
        bar.setValue(bar.value() + self.page.cursorRect(cursor).top() - theme.MARGIN if anchor else 0)

    def _list_contents(self) -> None:
        self.contents.clear()
        for group, pages in help_pages.group_pages(self.pages):
            top = QTreeWidgetItem(self.contents, [group])
            font = top.font(0)
            font.setBold(True)
            top.setFont(0, font)
            for page in pages:
                item = self._add_item(top, page.title, (page, ""))
                for section in page.sections:
                    if section.level == 2:
                        self._add_item(item, section.title, (page, section.anchor))
            top.setExpanded(group != help_pages.METHODS_GROUP)

    def _add_item(self, parent: QTreeWidgetItem | None, title: str, place: Place) -> QTreeWidgetItem:
        item = QTreeWidgetItem(parent or self.contents, [title])
        item.setData(0, Qt.ItemDataRole.UserRole, place)
        item.setToolTip(0, title)
        return item

    def _open_item(self, item: QTreeWidgetItem | None) -> None:
        place = item.data(0, Qt.ItemDataRole.UserRole) if item is not None else None
        if place is not None:
            self.open_page(*place)

    def _open_first(self) -> None:
        if (item := self.contents.topLevelItem(0)) is not None:
            self.contents.setCurrentItem(item)
            self._open_item(item)

    def _lay_out(self) -> None:
        self.resize(QSize(*SIZE).boundedTo(self.screen().availableSize()))
        self.search_line.setPlaceholderText("Search the help (Ctrl+F)")
        self.search_line.setAccessibleName("Search the help")
        self.search_line.setClearButtonEnabled(True)
        mark_search_field(self.search_line)
        self.contents.setHeaderHidden(True)
        self.contents.setAccessibleName("Contents")
        self.page.setOpenLinks(False)
        self.found_label.hide()
        left, right, splitter = QWidget(), QWidget(), QSplitter(Qt.Orientation.Horizontal)
        column_of(self.search_line, self.found_label, (self.contents, 1), parent=left)
        tools = row_of(self.back_button, self.forward_button)
        tools.addStretch(1)
        column_of(tools, (self.page, 1), parent=right)
        for widget in (left, right):
            splitter.addWidget(widget)
        splitter.setSizes([LEFT_WIDTH, RIGHT_WIDTH])
        splitter.setStretchFactor(1, 1)
        box = QVBoxLayout(self)
        box.setContentsMargins(theme.MARGIN, theme.MARGIN, theme.MARGIN, theme.MARGIN)
        box.addWidget(splitter)


def _is_heading(block: QTextBlock, anchor: str) -> bool:
    return block.blockFormat().headingLevel() > 0 and help_pages.heading_anchor(block.text()) == anchor
