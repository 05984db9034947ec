"""PaperList: the tables of the papers as a list, with marks at those measured on this machine."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem

from antidiag.app import theme
from antidiag.kernels.experiments.papers import paper_tables, reproduction
from antidiag.kernels.experiments.papers.paper_tables import PaperTable

TABLE_ROLE = Qt.ItemDataRole.UserRole


class PaperList(QTreeWidget):
    """Papers, each with its tables. ``table_chosen``: another table is chosen."""

    table_chosen = Signal()

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
        self._list_papers()
        self.mark_measured()
        self.currentItemChanged.connect(lambda *_: self.table_chosen.emit())

    @property
    def chosen_table(self) -> PaperTable | None:
        """The chosen table, or None."""
        item = self.currentItem()
        return item.data(0, TABLE_ROLE) if item else None

    def table_items(self) -> list[QTreeWidgetItem]:
        """Return the items of the tables in order."""
        papers_there = [self.topLevelItem(number) for number in range(self.topLevelItemCount())]
        return [paper.child(number) for paper in papers_there for number in range(paper.childCount())]

    def mark_measured(self) -> None:
        """Show beside each table which of its sizes were measured on this machine."""
        for item in self.table_items():
            sizes = {"quick": True, "full": False}
            there = [
                name
                for name, quick in sizes.items()
                if reproduction.store_of(item.data(0, TABLE_ROLE), quick).path.exists()
            ]
            item.setText(1, ", ".join(there))
            item.setToolTip(1, f"measured on this machine: {', '.join(there)}" if there else "")

    def _list_papers(self) -> None:
        groups: dict[str, QTreeWidgetItem] = {}
        for table in paper_tables.paper_tables():
            if table.citation not in groups:
                group = groups[table.citation] = QTreeWidgetItem([_paper_name(table)])
                group.setToolTip(0, table.citation)
                group.setFlags(group.flags() & ~Qt.ItemFlag.ItemIsSelectable)
                self.addTopLevelItem(group)
                group.setFirstColumnSpanned(True)
            item = QTreeWidgetItem([table.title])
            item.setData(0, TABLE_ROLE, table)
            item.setToolTip(0, f"{table.title}\n{table.id}")
            item.setForeground(1, QColor(theme.active().muted))
            groups[table.citation].addChild(item)
        self.expandAll()


def _paper_name(table: PaperTable) -> str:
    """Return the title of a paper without authors and journal."""
    return table.citation.partition(": ")[2].partition(". ")[0] or table.citation
