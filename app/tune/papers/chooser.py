"""PaperList: the papers' tables as a list, and which of them were measured here before."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem

from antidiag.app import theme
from antidiag.kernels.experiments.papers import published, reproducing
from antidiag.kernels.experiments.papers.published import PaperTable

ROLE = Qt.ItemDataRole.UserRole


class PaperList(QTreeWidget):
    """Papers, each with its tables; ``turned``: another one is chosen."""

    turned = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Tables and figures of the papers")
        self.setHeaderHidden(True)
        self.setColumnCount(2)
        self.setIndentation(theme.MARGIN + theme.SPACING)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self._fill()
        self.mark_kept()
        self.currentItemChanged.connect(lambda *_: self.turned.emit())

    @property
    def chosen(self) -> PaperTable | None:
        """The table that is looked at."""
        item = self.currentItem()
        return item.data(0, ROLE) if item else None

    def choose(self, table_id: str) -> None:
        """Look at the table of this identifier."""
        for item in self.items():
            if item.data(0, ROLE).id == table_id:
                self.setCurrentItem(item)

    def items(self) -> list[QTreeWidgetItem]:
        """The items of the tables, in order."""
        papers_there = [self.topLevelItem(number) for number in range(self.topLevelItemCount())]
        return [paper.child(number) for paper in papers_there for number in range(paper.childCount())]

    def mark_kept(self) -> None:
        """Say beside each table what was measured of it before."""
        for item in self.items():
            sizes = {"quick": True, "full": False}
            there = [
                name for name, quick in sizes.items() if reproducing.store_of(item.data(0, ROLE), quick).path.exists()
            ]
            item.setText(1, ", ".join(there))
            item.setToolTip(1, f"measured here: {', '.join(there)}" if there else "")

    def _fill(self) -> None:
        groups: dict[str, QTreeWidgetItem] = {}
        for table in published.tables():
            if table.citation not in groups:
                group = groups[table.citation] = QTreeWidgetItem([_paper_name(table)])
                group.setToolTip(0, table.citation)
                group.setFlags(group.flags() & ~Qt.ItemFlag.ItemIsSelectable)
                self.addTopLevelItem(group)
                group.setFirstColumnSpanned(True)
            item = QTreeWidgetItem([table.title])
            item.setData(0, ROLE, table)
            item.setToolTip(0, f"{table.title}\n{table.id}")
            item.setForeground(1, QColor(theme.active().muted))
            groups[table.citation].addChild(item)
        self.expandAll()


def _paper_name(table: PaperTable) -> str:
    """The paper's own title, without its authors and what follows it."""
    return table.citation.partition(": ")[2].partition(". ")[0] or table.citation
