"""All keys of the window and of its views, in one list that can be searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

Keys = Sequence[tuple[str, str]]

KEYS: Mapping[str, Keys] = {
    "Table of sequences": (
        ("Use the row as first, second, third input", "1, 2, 3"), ("Delete the selected sequences", "Del"),
        ("Copy the selected sequences as FASTA", "Ctrl+C"), ("Move the selected sequences", "Alt+Up, Alt+Down"),
    ),
    "Table of results": (("Delete the selected results", "Del"), ("Compare the selected results", "Ctrl+Return")),
    "Alignment": (
        ("Move the cursor", "Arrows, Home, End, Page Up, Page Down"), ("Choose cells", "Shift with these"),
        ("To where letters or gaps begin, with nothing chosen", "Ctrl+Left, Ctrl+Right"),
        ("Move the chosen cells over gaps", "Ctrl+Left, Ctrl+Right"), ("Choose everything", "Ctrl+A"),
        ("Copy the chosen cells as FASTA", "Ctrl+C"), ("Undo, redo", "Ctrl+Z, Ctrl+Shift+Z"),
        ("Choose whole rows, whole columns", "Shift+Space, Ctrl+Space"), ("All menus", "Menu, Shift+F10"),
        ("Insert or remove a gap", "Space, Backspace"), ("Delete chosen letters or rows", "Del"),
        ("Larger, smaller", "Ctrl++, Ctrl+-, Ctrl+wheel"), ("The whole alignment; letters", "Ctrl+0, Ctrl+Shift+0"),
        ("Columns, rows larger or smaller", "Alt+arrows"), ("Next column that differs", "F4, Shift+F4"),
        ("Next mismatch, next gap (with Shift: the one before)", "M, G"),
        ("Find a name or motif, go to a column (120) or a letter (#45)", "Ctrl+F"),
        ("Rename a row", "F2"), ("Choose several blocks", "Shift+F8"), ("Forget what is chosen", "Esc"),
    ),
    "Matrix and dot plot": (
        ("Move", "Arrows, drag"), ("Larger, smaller", "+, -, wheel"), ("Only this window", "Shift and drag"),
        ("Everything; the path", "F, P"), ("A pixel a cell; single cells", "1, double click"),
    ),
    "Tree": (
        ("Go along the branches", "Arrows"), ("Select the clade", "Enter"), ("Collapse the clade", "Space"),
        ("Everything", "F"), ("Undo, redo", "Ctrl+Z, Ctrl+Shift+Z"), ("Larger, smaller", "+, -, wheel"),
    ),
    "Structure": (("Move", "Arrows, drag"), ("Larger, smaller", "+, -, wheel"), ("Everything", "F, double click")),
    "Distances": (
        ("Move", "Arrows"), ("Select taxa", "Enter"), ("Forget them", "Esc"), ("Everything", "F"),
        ("Larger, smaller", "+, -, wheel"),
    ),
    "Joins, and order of chunks": (
        ("Play, stop", "Space"), ("One step on, one step back", "Right, Left"), ("First, last", "Home, End"),
    ),
    "Cube": (("Turn", "Arrows, drag"), ("Nearer, farther", "wheel")),
    "Cost over a parameter": (
        ("Next value", "Left, Right"), ("Half, twice", "Page Down, Page Up"), ("Least, most", "Home, End"),
    ),
}  # fmt: skip
"""What is not in the menus, by where it works."""


class ShortcutsDialog(QDialog):
    """Groups of what can be done, each with its keys; a line above filters them."""

    def __init__(self, parent: QWidget | None, groups: Mapping[str, Keys]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Shortcuts")
        self.resize(560, 560)
        self.filter, self.list = QLineEdit(), QTreeWidget()
        self.filter.setPlaceholderText("Find what to do, or a key")
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._filter)
        self.list.setHeaderLabels(["What it does", "Keys"])
        self.list.setSelectionMode(QTreeWidget.SelectionMode.NoSelection)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for title, keys in groups.items():
            group = QTreeWidgetItem(self.list, [title, ""])
            font = group.font(0)
            font.setBold(True)
            group.setFont(0, font)
            for what, key in keys:
                QTreeWidgetItem(group, [what, key])
        self.list.expandAll()
        self.list.resizeColumnToContents(0)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        box = QVBoxLayout(self)
        for widget in (self.filter, self.list, buttons):
            box.addWidget(widget)
        self.filter.setFocus()

    def shown(self) -> list[tuple[str, str]]:
        """What is listed now."""
        groups = (self.list.topLevelItem(number) for number in range(self.list.topLevelItemCount()))
        items = (group.child(number) for group in groups for number in range(group.childCount()))
        return [(item.text(0), item.text(1)) for item in items if not item.isHidden()]

    def _filter(self, text: str) -> None:
        word = text.strip().lower()
        for number in range(self.list.topLevelItemCount()):
            group = self.list.topLevelItem(number)
            items = [group.child(place) for place in range(group.childCount())]
            for item in items:
                item.setHidden(word not in f"{group.text(0)} {item.text(0)} {item.text(1)}".lower())
            group.setHidden(all(item.isHidden() for item in items))
