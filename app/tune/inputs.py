"""What a sweep runs on: what is open, or data made from a seed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QFormLayout, QLineEdit, QSpinBox, QVBoxLayout, QWidget

from app import theme
from app.panels.widgets import label
from kernels.errors import ParameterError
from kernels.experiments.inputs import Generated, Inputs, Loaded
from kernels.model import SequenceType

OPEN, MUTATED, RANDOM = range(3)
KINDS: Mapping[int, Literal["mutated", "random"]] = {MUTATED: "mutated", RANDOM: "random"}


class InputEditor(QWidget):
    """Chooses the input; ``changed`` whenever another one would be made."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._data: tuple[Any, ...] = ()
        self._needed = True
        self.source = QComboBox()
        self.source.setAccessibleName("Input")
        self.source.addItems(["What is open", "Related, generated", "Unrelated, generated"])
        self.about = label(kind="muted", wrap=True)
        self.type, self.length = QComboBox(), QLineEdit("2000")
        self.type.addItems([str(kind) for kind in SequenceType])
        self.length.setToolTip("Letters of every sequence, or one number for each, such as 5103x7168")
        self.count, self.seed, self.divergence = QSpinBox(), QSpinBox(), QDoubleSpinBox()
        self.count.setRange(0, 1_000_000)
        self.count.setSpecialValueText("fewest possible")
        self.seed.setRange(0, 1_000_000)
        self.seed.setValue(1)
        self.divergence.setRange(0, 1)
        self.divergence.setSingleStep(0.05)
        self.divergence.setValue(0.1)
        self.divergence.setToolTip("Share of the letters in which the most distant two differ")
        self._form = QFormLayout()
        self._form.setContentsMargins(0, 0, 0, 0)
        for name, widget in (("Type", self.type), ("Length", self.length), ("Number", self.count),
                             ("Divergence", self.divergence), ("Seed", self.seed)):  # fmt: skip
            self._form.addRow(label(name, "muted"), widget)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        box.addWidget(self.source)
        box.addWidget(self.about)
        box.addLayout(self._form)
        self.source.currentIndexChanged.connect(self._show)
        self.type.currentIndexChanged.connect(self.changed)
        self.length.textChanged.connect(self.changed)
        for spin in (self.count, self.seed, self.divergence):
            spin.valueChanged.connect(self.changed)
        self._show()

    def set_data(self, data: tuple[Any, ...], needed: bool = True) -> None:
        """What the chosen method would take of what is open; ``needed`` is false for one that takes no data."""
        self._data, self._needed = data, needed
        self._show()

    def inputs(self) -> Inputs:
        """The input of the next sweep; ParameterError where it is not complete."""
        source = self.source.currentIndex()
        if source == OPEN:
            if self._needed and not self._data:
                raise ParameterError("nothing is open for this method; open files in Analyse, or generate the input")
            return Loaded(self._data)
        return Generated(
            KINDS[source], SequenceType(self.type.currentText()), _length(self.length.text()),
            self.count.value() or None, self.divergence.value(), seed=self.seed.value(),
        )  # fmt: skip

    def values(self) -> dict[str, Any]:
        """Everything that was set, for the next start."""
        return {
            "source": self.source.currentIndex(), "type": self.type.currentText(), "length": self.length.text(),
            "count": self.count.value(), "divergence": self.divergence.value(), "seed": self.seed.value(),
        }  # fmt: skip

    def set_values(self, saved: Mapping[str, Any]) -> None:
        """What `values` returned, as far as it is there."""
        self.source.setCurrentIndex(int(saved.get("source", OPEN)))
        self.type.setCurrentText(str(saved.get("type", SequenceType.DNA)))
        self.length.setText(str(saved.get("length", self.length.text())))
        self.count.setValue(int(saved.get("count", 0)))
        self.divergence.setValue(float(saved.get("divergence", 0.1)))
        self.seed.setValue(int(saved.get("seed", 1)))

    def _show(self) -> None:
        source = self.source.currentIndex()
        for row in range(self._form.rowCount()):
            self._form.setRowVisible(row, source != OPEN)
        self._form.setRowVisible(self.divergence, source == MUTATED)
        self.about.setVisible(source == OPEN)
        names = [f"{datum.name} ({datum.summary})" for datum in self._data[:3]]
        more = f"\nand {len(self._data) - 3:,} more" if len(self._data) > 3 else ""
        none = "Nothing is open for this method." if self._needed else "This method takes no data."
        self.about.setText("\n".join(names) + more if names else none)
        self.changed.emit()


def _length(text: str) -> int | tuple[int, ...]:
    try:
        lengths = tuple(int(part) for part in text.replace(",", "").split("x"))
    except ValueError:
        raise ParameterError(f"length {text!r} is not a whole number, or several such as 5103x7168") from None
    if min(lengths) < 1:
        raise ParameterError(f"length {text!r}: at least 1 letter is needed")
    return lengths if len(lengths) > 1 else lengths[0]
