"""The dialog that makes a profile of an alignment: row weights and pseudocounts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QWidget,
)

from antidiag.app import theme
from antidiag.app.kit import ask
from antidiag.app.kit.controls.spin_boxes import DoubleSpinBox
from antidiag.app.kit.controls.widgets import create_label
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles import profile_builder
from antidiag.kernels.profiles.profile import Profile

EQUAL_WEIGHTS, COMPUTED_WEIGHTS, FILE_WEIGHTS = "same", "computed", "file"
WIDTH = 360


@dataclass(frozen=True, eq=False)
class ProfileRequest:
    """A requested profile; ``weights`` is SAME, COMPUTED, a tree, or the path of a file."""

    alignment: AlignedSequences
    weights: str | Tree | Path
    pseudocounts: float
    name: str

    @property
    def title(self) -> str:
        """A title for the job."""
        return f"Profile of {self.alignment.name}"

    def make_profile(self, monitor: Monitor) -> Profile:
        """Make the profile; InputError if the weights do not fit the rows. Slow if a tree is computed."""
        weights: Any = self.weights
        if weights == EQUAL_WEIGHTS:
            weights = None
        elif weights == COMPUTED_WEIGHTS:
            from antidiag.kernels.trees import alignment_guide

            weights = alignment_guide.make_guide_tree(self.alignment, monitor)
        elif isinstance(weights, Path):
            weights = profile_builder.read_weights(weights, self.alignment.names)
        return profile_builder.build_profile(self.alignment, weights, self.pseudocounts, self.name)


class ProfileDialog(QDialog):
    """Asks how to make a profile and sends ``profile_requested(ProfileRequest)``. It offers those ``trees`` that have
    all rows as leaves."""

    profile_requested = Signal(object)

    def __init__(self, alignment: AlignedSequences, trees: Iterable[Tree], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Make a profile")
        self._alignment = alignment
        self.name, self.weights, self.pseudocounts = QLineEdit(alignment.name), QComboBox(), DoubleSpinBox()
        self.hint = create_label(kind="muted", wrap=True)
        self.hint.setFixedWidth(WIDTH)
        self._fill_weights(alignment, trees)
        self.pseudocounts.setRange(0, profile_builder.MOST_PSEUDOCOUNTS)
        self.pseudocounts.setSingleStep(0.5)
        self.pseudocounts.setSuffix(" letters per column")
        self.pseudocounts.setSpecialValueText("none")
        form = QFormLayout(self)
        form.setContentsMargins(2 * theme.MARGIN, 2 * theme.MARGIN, 2 * theme.MARGIN, 2 * theme.MARGIN)
        form.setVerticalSpacing(theme.MARGIN)
        form.addRow("Alignment", create_label(f"{alignment.name}, {alignment.summary}"))
        form.addRow("Name", self.name)
        form.addRow("Row weights", self.weights)
        form.addRow("", self.hint)
        form.addRow("Pseudocounts", self.pseudocounts)
        form.addRow("", create_label("Background letters added to each column, in their natural frequencies.", "muted"))
        kinds = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        self.buttons.button(kinds.Ok).setText("Make")
        self.buttons.accepted.connect(self._request_profile)
        self.buttons.rejected.connect(self.reject)
        form.addRow(self.buttons)
        self.weights.activated.connect(self._on_weights)
        self._update_hint()

    def choose_file(self, path: Path) -> None:
        """Use weights or a tree from a file; show what is wrong with it."""
        try:
            profile_builder.read_weights(path, self._alignment.names)
        except InputError as error:
            self.weights.setCurrentIndex(0)
            self._update_hint()
            self.hint.setText(str(error))
            return
        number = self.weights.count() - 1
        self.weights.insertItem(number, f"From {path.name}", path)
        self.weights.setCurrentIndex(number)
        self._update_hint()

    def _fill_weights(self, alignment: AlignedSequences, trees: Iterable[Tree]) -> None:
        self.weights.addItem("Equal", EQUAL_WEIGHTS)
        if len(alignment.names) > 1:
            self.weights.addItem("From a computed guide tree (ClustalW)", COMPUTED_WEIGHTS)
        names = set(alignment.names)
        for tree in trees:
            if names <= set(tree.taxa):
                self.weights.addItem(f"From the tree {tree.name} (ClustalW)", tree)
        self.weights.addItem("From a file\u2026", FILE_WEIGHTS)

    def _on_weights(self) -> None:
        if self.weights.currentData() == FILE_WEIGHTS:
            path = ask.open_path(self, "Weights or a tree", "Names with weights, or a tree (*)")
            if path is not None:
                self.choose_file(path)
                return
            self.weights.setCurrentIndex(0)
        self._update_hint()

    def _update_hint(self) -> None:
        chosen = self.weights.currentData()
        if chosen == EQUAL_WEIGHTS:
            self.hint.setText("With equal weights and no pseudocounts, methods can use the alignment itself.")
        elif isinstance(chosen, Path):
            self.hint.setText(str(chosen))
        else:
            self.hint.setText("Rows with fewer similar rows get larger weights.")

    def _request_profile(self) -> None:
        weights, pseudocounts = self.weights.currentData(), self.pseudocounts.value()
        self.profile_requested.emit(ProfileRequest(self._alignment, weights, pseudocounts, self.name.text().strip()))
        self.accept()
