"""The dialog that makes a profile of an alignment: what its rows count, and letters of the background."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QLineEdit,
    QWidget,
)

from antidiag.app import theme
from antidiag.app.kit.widgets import label
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles import making
from antidiag.kernels.profiles.profile import Profile

SAME, COMPUTED, FILE = "same", "computed", "file"
WIDTH = 360


@dataclass(frozen=True, eq=False)
class Wanted:
    """A profile that is to be made: ``weights`` is SAME, COMPUTED, a tree, or the path of a file."""

    alignment: AlignedSequences
    weights: str | Tree | Path
    pseudocounts: float
    name: str

    @property
    def title(self) -> str:
        return f"Profile of {self.alignment.name}"

    def make(self, monitor: Monitor) -> Profile:
        """The profile; InputError where the weights do not fit the rows. May take long, where a tree is computed."""
        weights = self.weights
        if weights == SAME:
            return making.profile_of(self.alignment, None, self.pseudocounts, self.name)
        if weights == COMPUTED:
            from antidiag.kernels.trees import guide

            return making.profile_of(
                self.alignment, guide.of_alignment(self.alignment, monitor), self.pseudocounts, self.name
            )
        given = making.read_weights(weights, self.alignment.names) if isinstance(weights, Path) else weights
        assert not isinstance(given, str)
        return making.profile_of(self.alignment, given, self.pseudocounts, self.name)


class ProfileDialog(QDialog):
    """``wanted(Wanted)`` says what is to be made. Of the ``trees`` those are offered that have all rows as leaves."""

    wanted = Signal(object)

    def __init__(self, alignment: AlignedSequences, trees: Iterable[Tree], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Make a profile")
        self._alignment = alignment
        self.name, self.weights, self.pseudocounts = QLineEdit(alignment.name), QComboBox(), QDoubleSpinBox()
        self.hint = label(kind="muted", wrap=True)
        self.hint.setFixedWidth(WIDTH)
        self._offer(alignment, trees)
        self.pseudocounts.setRange(0, making.MOST_PSEUDOCOUNTS)
        self.pseudocounts.setSingleStep(0.5)
        self.pseudocounts.setSuffix(" letters a column")
        self.pseudocounts.setSpecialValueText("none")
        form = QFormLayout(self)
        form.setContentsMargins(2 * theme.MARGIN, 2 * theme.MARGIN, 2 * theme.MARGIN, 2 * theme.MARGIN)
        form.setVerticalSpacing(theme.MARGIN)
        form.addRow("Alignment", label(f"{alignment.name}, {alignment.summary}"))
        form.addRow("Name", self.name)
        form.addRow("Rows count", self.weights)
        form.addRow("", self.hint)
        form.addRow("Pseudo-counts", self.pseudocounts)
        form.addRow("", label("Letters of the background, as amino acids or nucleotides occur in nature.", "muted"))
        kinds = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        self.buttons.button(kinds.Ok).setText("Make")
        self.buttons.accepted.connect(self._make)
        self.buttons.rejected.connect(self.reject)
        form.addRow(self.buttons)
        self.weights.activated.connect(self._on_weights)
        self._explain()

    def choose_file(self, path: Path) -> None:
        """Take weights, or a tree, from a file; says what is wrong with it."""
        try:
            making.read_weights(path, self._alignment.names)
        except InputError as error:
            self.weights.setCurrentIndex(0)
            self._explain()
            self.hint.setText(str(error))
            return
        number = self.weights.count() - 1
        self.weights.insertItem(number, f"As {path.name} says", path)
        self.weights.setCurrentIndex(number)
        self._explain()

    def _offer(self, alignment: AlignedSequences, trees: Iterable[Tree]) -> None:
        self.weights.addItem("All the same", SAME)
        if len(alignment.names) > 1:
            self.weights.addItem("By a guide tree that is computed (ClustalW)", COMPUTED)
        names = set(alignment.names)
        for tree in trees:
            if names <= set(tree.taxa):
                self.weights.addItem(f"By the tree {tree.name} (ClustalW)", tree)
        self.weights.addItem("By a file\u2026", FILE)

    def _on_weights(self) -> None:
        if self.weights.currentData() == FILE:
            name, _ = QFileDialog.getOpenFileName(self, "Weights or a tree", "", "Names with weights, or a tree (*)")
            if not name:
                self.weights.setCurrentIndex(0)
            else:
                self.choose_file(Path(name))
                return
        self._explain()

    def _explain(self) -> None:
        chosen = self.weights.currentData()
        if chosen == SAME:
            self.hint.setText("Without pseudo-counts methods take the alignment as it is, and need no profile of it.")
        elif isinstance(chosen, Path):
            self.hint.setText(str(chosen))
        else:
            self.hint.setText("A row counts the more, the fewer rows are like it.")

    def _make(self) -> None:
        self.wanted.emit(
            Wanted(self._alignment, self.weights.currentData(), self.pseudocounts.value(), self.name.text().strip())
        )
        self.accept()
