"""The frequencies of a profile as a table: a row for each column, a number for each symbol."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QTableView

from antidiag.kernels.profiles.column_scores import sequence_logo
from antidiag.kernels.profiles.profile import Profile

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
FIRST_HEADINGS = ("Letter", "Bits")  # headings before the symbols: consensus letter, information of the column
CELL_MARGIN = 18


class FrequencyModel(QAbstractTableModel):
    """Table model of the frequencies of a profile."""

    def __init__(self) -> None:
        super().__init__()
        self.profile: Profile | None = None
        self._consensus, self._bits = "", np.zeros(0)

    def show_profile(self, profile: Profile | None) -> None:
        """Show another profile, or nothing."""
        self.beginResetModel()
        self.profile = profile
        if profile is not None:
            self._consensus, self._bits = profile.consensus, sequence_logo.logo_heights(profile).sum(axis=0)
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if self.profile is None or parent.isValid() else len(self.profile)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if self.profile is None or parent.isValid() else len(FIRST_HEADINGS) + len(self.profile.alphabet)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role != Qt.ItemDataRole.DisplayRole or self.profile is None:
            return None
        if orientation == Qt.Orientation.Vertical:
            return f"{section + 1:,}"
        return (
            FIRST_HEADINGS[section]
            if section < len(FIRST_HEADINGS)
            else self.profile.alphabet[section - len(FIRST_HEADINGS)]
        )

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self.profile is None:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            right = Qt.AlignmentFlag.AlignCenter if index.column() == 0 else Qt.AlignmentFlag.AlignRight
            return int(right | Qt.AlignmentFlag.AlignVCenter)
        return self.cell_text(index.row(), index.column()) if role == Qt.ItemDataRole.DisplayRole else None

    def cell_text(self, row: int, column: int) -> str:
        """Return the text of a cell, which is empty for a symbol that does not occur."""
        assert self.profile is not None
        if column < len(FIRST_HEADINGS):
            return self._consensus[row] if column == 0 else f"{self._bits[row]:.2f}"
        value = self.profile.frequencies[column - len(FIRST_HEADINGS), row]
        return f"{value:.3f}" if value else ""


class FrequencyTable(QTableView):
    """A table whose selected cells can be copied for a spreadsheet."""

    def __init__(self) -> None:
        super().__init__()
        self.frequency_model = FrequencyModel()
        self.setModel(self.frequency_model)
        self.setAccessibleName("Frequencies")
        self.horizontalHeader().setDefaultSectionSize(self.fontMetrics().horizontalAdvance("0.000") + CELL_MARGIN)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)

    def go_to(self, column: int) -> None:
        """Select a column of the profile and scroll to it."""
        if self.frequency_model.profile is not None:
            self.selectRow(column)

    def copy_cells(self) -> None:
        """Copy the selected cells, or all cells, to the clipboard as tab-separated text."""
        chosen = sorted((index.row(), index.column()) for index in self.selectedIndexes())
        model = self.frequency_model
        if not chosen:
            chosen = [(row, column) for row in range(model.rowCount()) for column in range(model.columnCount())]
        across = sorted({column for _, column in chosen})
        names = [model.headerData(column, Qt.Orientation.Horizontal) for column in across]
        lines = ["\t".join(["Column", *names])]
        there = set(chosen)
        for row in sorted({row for row, _ in chosen}):
            lines.append(
                "\t".join([str(row + 1), *(model.cell_text(row, c) if (row, c) in there else "" for c in across)])
            )
        QGuiApplication.clipboard().setText("\n".join(lines) + "\n")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_cells()
        else:
            super().keyPressEvent(event)
