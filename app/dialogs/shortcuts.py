"""The list of all shortcuts, with a filter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

ShortcutList = Sequence[tuple[str, str]]

VIEW_SHORTCUTS: Mapping[str, ShortcutList] = {
    "Table of sequences": (
        ("Use the row as first, second, third input", "1, 2, 3"), ("Delete the selected sequences", "Del"),
        ("Copy the selected sequences as FASTA", "Ctrl+C"), ("Move the selected sequences", "Alt+Up, Alt+Down"),
    ),
    "Table of results": (
        ("Open the result in a tab of its own", "Return, double click"), ("Delete the selected results", "Del"),
        ("Compare the selected results", "Ctrl+Return"),
    ),
    "Alignment": (
        ("Move the cursor", "Arrows, Home, End, Page Up, Page Down"), ("Select cells", "Shift with these"),
        ("Next start of letters or gaps (nothing selected)", "Ctrl+Left, Ctrl+Right"),
        ("Move the selected cells over gaps", "Ctrl+Left, Ctrl+Right"), ("Select all", "Ctrl+A"),
        ("Copy the selected cells as FASTA", "Ctrl+C"), ("Undo, redo", "Ctrl+Z, Ctrl+Shift+Z"),
        ("Select whole rows, whole columns", "Shift+Space, Ctrl+Space"), ("All menus", "Menu, Shift+F10"),
        ("Insert, delete a gap", "Space, Backspace"), ("Delete selected gaps, columns or rows", "Del"),
        ("Larger, smaller", "Ctrl++, Ctrl+-, Ctrl+wheel"), ("Whole alignment; letters", "Ctrl+0, Ctrl+Shift+0"),
        ("Columns, rows larger or smaller", "Alt+arrows"), ("Next, previous difference", "F4, Shift+F4"),
        ("Next mismatch, next gap (Shift: previous)", "M, G"),
        ("Find a name or motif, go to a column (120) or a letter (#45)", "Ctrl+F"),
        ("Rename a row", "F2"), ("Select several blocks", "Shift+F8"), ("Clear the selection", "Esc"),
    ),
    "Hits": (
        ("Open the alignment and matrix of the hit", "Return, double click"), ("Filter", "Ctrl+F"),
        ("Copy the selected hits, or all", "Ctrl+C"), ("Select all", "Ctrl+A"), ("All actions", "Menu, Shift+F10"),
    ),
    "Matrix and dot plot": (
        ("Move", "Arrows, drag"), ("Larger, smaller", "+, -, wheel"), ("Zoom to a rectangle", "Shift and drag"),
        ("Whole matrix; the path", "F, P"), ("One pixel per cell; single cells and back", "1, double click"),
    ),
    "Tree": (
        ("Walk along the branches", "Arrows"), ("Select the clade", "Enter"), ("Collapse the clade", "Space"),
        ("Show all", "F"), ("Undo, redo", "Ctrl+Z, Ctrl+Shift+Z"), ("Larger, smaller", "+, -, wheel"),
    ),
    "Structure": (("Move", "Arrows, drag"), ("Larger, smaller", "+, -, wheel"), ("Show all", "F, double click")),
    "Distances": (
        ("Move", "Arrows"), ("Select taxa", "Enter"), ("Clear the selection", "Esc"), ("Show all", "F"),
        ("Larger, smaller", "+, -, wheel"),
    ),
    "Joins, and order of chunks": (
        ("Play, stop", "Space"), ("Next step, previous step", "Right, Left"), ("First, last", "Home, End"),
    ),
    "Cube": (("Rotate", "Arrows, drag"), ("Nearer, farther", "wheel")),
    "Cost against a parameter": (
        ("Next value", "Left, Right"), ("Halve, double", "Page Down, Page Up"), ("Least, most", "Home, End"),
    ),
}  # fmt: skip
"""Keys that no menu shows, by where they work."""


class ShortcutsDialog(QDialog):
    """Lists actions with their keys in groups; a line above filters them."""

    def __init__(self, parent: QWidget | None, groups: Mapping[str, ShortcutList]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Shortcuts")
        self.resize(560, 560)
        self.filter, self.list = QLineEdit(), QTreeWidget()
        self.filter.setPlaceholderText("Find an action or a key")
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._filter_list)
        self.list.setHeaderLabels(["Action", "Keys"])
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

    def _filter_list(self, text: str) -> None:
        word = text.strip().lower()
        for number in range(self.list.topLevelItemCount()):
            group = self.list.topLevelItem(number)
            items = [group.child(place) for place in range(group.childCount())]
            for item in items:
                item.setHidden(word not in f"{group.text(0)} {item.text(0)} {item.text(1)}".lower())
            group.setHidden(all(item.isHidden() for item in items))
