"""The frequencies of a profile as a table: a line a column, a number a symbol."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QTableView

from antidiag.kernels.profiles import columns
from antidiag.kernels.profiles.profile import Profile

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
OWN = ("Letter", "Bits")
"""What stands before the symbols: the letter of the consensus, and what the column tells."""
ROOM = 18


class FrequencyModel(QAbstractTableModel):
    """The numbers of a profile."""

    def __init__(self) -> None:
        super().__init__()
        self.profile: Profile | None = None
        self._consensus, self._bits = "", np.zeros(0)

    def show(self, profile: Profile | None) -> None:
        """The numbers of another profile, or none."""
        self.beginResetModel()
        self.profile = profile
        if profile is not None:
            self._consensus, self._bits = profile.consensus, columns.logo(profile).sum(axis=0)
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if self.profile is None or parent.isValid() else len(self.profile)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if self.profile is None or parent.isValid() else len(OWN) + len(self.profile.alphabet)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role != Qt.ItemDataRole.DisplayRole or self.profile is None:
            return None
        if orientation == Qt.Orientation.Vertical:
            return f"{section + 1:,}"
        return OWN[section] if section < len(OWN) else self.profile.alphabet[section - len(OWN)]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self.profile is None:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            right = Qt.AlignmentFlag.AlignCenter if index.column() == 0 else Qt.AlignmentFlag.AlignRight
            return int(right | Qt.AlignmentFlag.AlignVCenter)
        return self.text(index.row(), index.column()) if role == Qt.ItemDataRole.DisplayRole else None

    def text(self, row: int, column: int) -> str:
        """What stands in a cell; nothing for a symbol that does not occur."""
        assert self.profile is not None
        if column < len(OWN):
            return self._consensus[row] if column == 0 else f"{self._bits[row]:.2f}"
        value = self.profile.frequencies[column - len(OWN), row]
        return f"{value:.3f}" if value else ""


class FrequencyTable(QTableView):
    """The table, of which chosen cells can be copied for a spreadsheet."""

    def __init__(self) -> None:
        super().__init__()
        self.model_ = FrequencyModel()
        self.setModel(self.model_)
        self.setAccessibleName("Frequencies")
        self.horizontalHeader().setDefaultSectionSize(self.fontMetrics().horizontalAdvance("0.000") + ROOM)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)

    def go_to(self, column: int) -> None:
        """Bring a column of the profile into view."""
        if self.model_.profile is not None:
            self.selectRow(column)

    def copy(self) -> None:
        """Put the chosen cells, or all, on the clipboard, with tabs between them."""
        chosen = sorted((index.row(), index.column()) for index in self.selectedIndexes())
        model = self.model_
        if not chosen:
            chosen = [(row, column) for row in range(model.rowCount()) for column in range(model.columnCount())]
        across = sorted({column for _, column in chosen})
        names = [model.headerData(column, Qt.Orientation.Horizontal) for column in across]
        lines = ["\t".join(["Column", *names])]
        there = set(chosen)
        for row in sorted({row for row, _ in chosen}):
            lines.append("\t".join([str(row + 1), *(model.text(row, c) if (row, c) in there else "" for c in across)]))
        QGuiApplication.clipboard().setText("\n".join(lines) + "\n")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)
