"""What a sweep runs on: what is open, or data made from a seed."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDoubleSpinBox, QFormLayout, QLineEdit, QSpinBox, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.widgets import Combo, label
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.experiments.inputs import Generated, Inputs, Loaded
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import Input, ProblemType
from antidiag.kernels.model import SequenceType

OPEN, MUTATED, RANDOM = range(3)
KINDS: Mapping[int, Literal["mutated", "random"]] = {MUTATED: "mutated", RANDOM: "random"}
LOADED = "What is open"
SOURCES = {OPEN: LOADED, MUTATED: "Related, generated", RANDOM: "Unrelated, generated"}
"""Sources of sequences."""
OTHER_SOURCES = {OPEN: LOADED, MUTATED: "Generated"}
"""Sources of data of other kinds."""
CANNOT = {OPEN: LOADED}
"""Sources of data that nobody generates."""


class InputEditor(QWidget):
    """Chooses the input; ``changed`` whenever another one would be made."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._data: tuple[Any, ...] = ()
        self._problem: ProblemType | None = None
        self._wanted = OPEN
        self.source = Combo()
        self.source.setAccessibleName("Input")
        self.about = label(kind="muted", wrap=True)
        self.type, self.length = Combo(), QLineEdit("2000")
        self.type.addItems([str(kind) for kind in SequenceType])
        self.count, self.seed, self.divergence = QSpinBox(), QSpinBox(), QDoubleSpinBox()
        self.count.setRange(0, 1_000_000)
        self.count.setSpecialValueText("fewest possible")
        self.seed.setRange(0, 1_000_000)
        self.seed.setValue(1)
        self.divergence.setRange(0, 1)
        self.divergence.setSingleStep(0.05)
        self.divergence.setValue(0.1)
        self.divergence.setToolTip("Share of the letters in which the most distant two differ")
        self.length_label = label("Length", "muted")
        self._form = QFormLayout()
        self._form.setContentsMargins(0, 0, 0, 0)
        for name, widget in (("Type", self.type), (self.length_label, self.length), ("Number", self.count),
                             ("Divergence", self.divergence), ("Seed", self.seed)):  # fmt: skip
            self._form.addRow(label(name, "muted") if isinstance(name, str) else name, widget)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        box.addWidget(self.source)
        box.addWidget(self.about)
        box.addLayout(self._form)
        self.source.activated.connect(lambda: self._choose(self.source.currentData()))
        self.type.currentIndexChanged.connect(self._show)
        self.length.textChanged.connect(self._show)
        for spin in (self.count, self.seed, self.divergence):
            spin.valueChanged.connect(self._show)
        self._offer()

    def set_data(self, data: tuple[Any, ...], problem: ProblemType | None = None) -> None:
        """What the chosen method would take of what is open, and its problem, which says what can be generated."""
        self._data, self._problem = data, problem
        self._offer()

    @property
    def data(self) -> tuple[Any, ...]:
        """What is open for the chosen method."""
        return self._data

    def inputs(self) -> Inputs:
        """The input of the next sweep; ParameterError where it is not complete."""
        if not self._takes_data:
            return Loaded(())
        source = self.source.currentData()
        if source == OPEN:
            if not self._data:
                other = ", or generate the input" if self.source.count() > 1 else ""
                raise ParameterError(f"nothing is open for this method; open files in Analyse{other}")
            return Loaded(self._data)
        return Generated(
            KINDS[source], SequenceType(self.type.currentText()), _length(self.length.text()),
            self.count.value() or None, self.divergence.value(), seed=self.seed.value(),
        )  # fmt: skip

    def values(self) -> dict[str, Any]:
        """Everything that was set, for the next start."""
        return {
            "source": self._wanted, "type": self.type.currentText(), "length": self.length.text(),
            "count": self.count.value(), "divergence": self.divergence.value(), "seed": self.seed.value(),
        }  # fmt: skip

    def set_values(self, saved: Mapping[str, Any]) -> None:
        """What `values` returned, as far as it is there."""
        self.type.setCurrentText(str(saved.get("type", SequenceType.DNA)))
        self.length.setText(str(saved.get("length", self.length.text())))
        self.count.setValue(int(saved.get("count", 0)))
        self.divergence.setValue(float(saved.get("divergence", 0.1)))
        self.seed.setValue(int(saved.get("seed", 1)))
        self._wanted = int(saved.get("source", OPEN))
        self._offer()

    @property
    def _takes_data(self) -> bool:
        return self._problem is None or bool(self._problem.inputs)

    @property
    def _sequences(self) -> list[Input]:
        """The inputs of the problem that are sequences."""
        return [taken for taken in self._problem.inputs if taken.kind is SEQUENCE] if self._problem else []

    def _choose(self, source: int) -> None:
        self._wanted = source
        self._show()

    def _offer(self) -> None:
        """List the sources that the problem has; the one that was chosen for another problem is not forgotten."""
        inputs = self._problem.inputs if self._problem else ()
        able = all(taken.kind.generate for taken in inputs)
        sources = CANNOT if not able else SOURCES if self._sequences or not self._problem else OTHER_SOURCES
        self.source.clear()
        for source, name in sources.items():
            self.source.addItem(name, source)
        wanted = self._wanted if self._wanted in sources else min(self._wanted, max(sources))
        self.source.setCurrentIndex(self.source.findData(wanted))
        self._show()

    def _show(self) -> None:
        """Show what the source needs to know, and say what the input is."""
        generated = self._takes_data and self.source.currentData() != OPEN
        several = self._problem is None or any(taken.maximum != taken.minimum for taken in self._problem.inputs)
        letters = self._problem is None or bool(self._sequences)
        related = several or sum(taken.minimum for taken in self._sequences) > 1
        self.source.setVisible(self._takes_data)
        for widget, used in (
            (self.type, letters), (self.length, True), (self.count, several), (self.seed, True),
            (self.divergence, letters and related and self.source.currentData() == MUTATED),
        ):  # fmt: skip
            self._form.setRowVisible(widget, generated and used)
        self.length_label.setText("Length" if letters else "Size")
        self.length.setToolTip(
            "Letters of every sequence, or one number for each, such as 5103x7168" if letters else "Size of every input"
        )
        self.about.setText(self._about())
        self.about.setVisible(bool(self.about.text()))
        self.changed.emit()

    def _about(self) -> str:
        """What is open, or what would be generated."""
        if not self._takes_data:
            return "This method takes no data."
        if self.source.currentData() != OPEN:
            with contextlib.suppress(ParameterError):
                return self.inputs().text(self._problem) if self._problem else ""
            return ""
        names = [f"{datum.name} ({datum.summary})" for datum in self._data[:3]]
        more = f"\nand {len(self._data) - 3:,} more" if len(self._data) > 3 else ""
        return "\n".join(names) + more if names else "Nothing is open for this method."


def _length(text: str) -> int | tuple[int, ...]:
    try:
        lengths = tuple(int(part) for part in text.replace(",", "").split("x"))
    except ValueError:
        raise ParameterError(f"length {text!r} is not a whole number, or several such as 5103x7168") from None
    if min(lengths) < 1:
        raise ParameterError(f"length {text!r}: at least 1 is needed")
    return lengths if len(lengths) > 1 else lengths[0]
