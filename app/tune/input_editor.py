"""The editor of the input of a sweep: open data, or data generated from a seed."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget

from antidiag.app.kit.boxes import column_of
from antidiag.app.kit.controls.spin_boxes import DoubleSpinBox, SpinBox
from antidiag.app.kit.controls.widgets import ElidedComboBox, create_label
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated, Loaded, SweepInputs
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import ProblemInput, ProblemType
from antidiag.kernels.model import SequenceType

OPEN_DATA, MUTATED, RANDOM = range(3)
KINDS: Mapping[int, Literal["mutated", "random"]] = {MUTATED: "mutated", RANDOM: "random"}
OPEN_LABEL = "Open data"
SOURCES = {OPEN_DATA: OPEN_LABEL, MUTATED: "Generated, related", RANDOM: "Generated, unrelated"}
OTHER_SOURCES = {OPEN_DATA: OPEN_LABEL, MUTATED: "Generated"}  # of data other than sequences
OPEN_ONLY = {OPEN_DATA: OPEN_LABEL}  # of data that cannot be generated


class InputEditor(QWidget):
    """Chooses the input of a sweep. ``changed``: it describes another input."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.open_data: Sequence[Any] = ()
        self._problem: ProblemType | None = None
        self._wanted_source = OPEN_DATA
        self.source = ElidedComboBox()
        self.source.setAccessibleName("Input")
        self.summary_label = create_label(kind="muted", wrap=True)
        self.type, self.length = ElidedComboBox(), QLineEdit("2000")
        self.type.addItems([str(kind) for kind in SequenceType])
        self.count, self.seed, self.divergence = SpinBox(), SpinBox(), DoubleSpinBox()
        self.count.setRange(0, 1_000_000)
        self.count.setSpecialValueText("fewest")
        self.seed.setRange(0, 1_000_000)
        self.seed.setValue(1)
        self.divergence.setRange(0, 1)
        self.divergence.setSingleStep(0.05)
        self.divergence.setValue(0.1)
        self.divergence.setToolTip("Fraction of letters in which the two most distant sequences differ")
        names = {self.type: "Type", self.length: "Length", self.count: "Number", self.divergence: "Divergence"}
        for field, name in (*names.items(), (self.seed, "Seed")):
            field.setAccessibleName(name)
        self.length_label = create_label("Length", "muted")
        self._form = QFormLayout()
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.addRow(create_label("Type", "muted"), self.type)
        self._form.addRow(self.length_label, self.length)
        for name, spin in (("Number", self.count), ("Divergence", self.divergence), ("Seed", self.seed)):
            self._form.addRow(create_label(name, "muted"), spin)
            spin.valueChanged.connect(self._update_fields)
        column_of(self.source, self.summary_label, self._form, parent=self)
        self.source.activated.connect(lambda: self._choose_source(self.source.currentData()))
        self.type.currentIndexChanged.connect(self._update_fields)
        self.length.textChanged.connect(self._update_fields)
        self._offer_sources()

    def set_data(self, data: Sequence[Any], problem: ProblemType | None = None) -> None:
        """Take the open data of the chosen method, and its problem, which says what can be generated."""
        self.open_data, self._problem = data, problem
        self._offer_sources()

    def read_inputs(self) -> SweepInputs:
        """Return the input of the next sweep; raise ParameterError where it is incomplete."""
        if not self._takes_data:
            return Loaded(())
        source = self.source.currentData()
        if source == OPEN_DATA:
            if not self.open_data:
                other = ", or generate the input" if self.source.count() > 1 else ""
                raise ParameterError(f"no open data fits this method; open files in Analyse{other}")
            return Loaded(tuple(self.open_data))
        kind, lengths = SequenceType(self.type.currentText()), _parse_lengths(self.length.text())
        number, divergence = self.count.value() or None, self.divergence.value()
        return Generated(KINDS[source], kind, lengths, number, divergence, seed=self.seed.value())

    def saved_values(self) -> dict[str, Any]:
        """Return everything that was set, for the next start."""
        return {
            "source": self._wanted_source,
            "type": self.type.currentText(),
            "length": self.length.text(),
            "count": self.count.value(),
            "divergence": self.divergence.value(),
            "seed": self.seed.value(),
        }

    def set_values(self, saved: Mapping[str, Any]) -> None:
        """Restore what `saved_values` returned."""
        self.type.setCurrentText(str(saved.get("type", SequenceType.DNA)))
        self.length.setText(str(saved.get("length", self.length.text())))
        self.count.setValue(int(saved.get("count", 0)))
        self.divergence.setValue(float(saved.get("divergence", 0.1)))
        self.seed.setValue(int(saved.get("seed", 1)))
        self._wanted_source = int(saved.get("source", OPEN_DATA))
        self._offer_sources()

    @property
    def _takes_data(self) -> bool:
        return self._problem is None or bool(self._problem.inputs)

    @property
    def _sequence_inputs(self) -> list[ProblemInput]:
        return [taken for taken in self._problem.inputs if taken.kind is SEQUENCE] if self._problem else []

    def _choose_source(self, source: int) -> None:
        self._wanted_source = source
        self._update_fields()

    def _offer_sources(self) -> None:
        """List the sources of the problem; the choice made for another problem is kept for later."""
        inputs = self._problem.inputs if self._problem else ()
        able = all(taken.kind.generate for taken in inputs)
        sources = OPEN_ONLY if not able else SOURCES if self._sequence_inputs or not self._problem else OTHER_SOURCES
        self.source.clear()
        for source, name in sources.items():
            self.source.addItem(name, source)
        wanted = self._wanted_source if self._wanted_source in sources else min(self._wanted_source, max(sources))
        self.source.setCurrentIndex(self.source.findData(wanted))
        self._update_fields()

    def _update_fields(self) -> None:
        """Show the fields of the source and a summary of the input."""
        generated = self._takes_data and self.source.currentData() != OPEN_DATA
        several = self._problem is None or any(taken.maximum != taken.minimum for taken in self._problem.inputs)
        letters = self._problem is None or bool(self._sequence_inputs)
        related = several or sum(taken.minimum for taken in self._sequence_inputs) > 1
        self.source.setVisible(self._takes_data)
        mutated = letters and related and self.source.currentData() == MUTATED
        used = {self.type: letters, self.length: True, self.count: several, self.seed: True, self.divergence: mutated}
        for widget, visible in used.items():
            self._form.setRowVisible(widget, generated and visible)
        self.length_label.setText("Length" if letters else "Size")
        tip = "Letters of every sequence, or of each one, such as 5103x7168" if letters else "Size of every input"
        self.length.setToolTip(tip)
        self.summary_label.setText(self._summary())
        self.summary_label.setVisible(bool(self.summary_label.text()))
        self.changed.emit()

    def _summary(self) -> str:
        if not self._takes_data:
            return "This method needs no data."
        if self.source.currentData() != OPEN_DATA:
            with contextlib.suppress(ParameterError):
                return self.read_inputs().describe_data(self._problem) if self._problem else ""
            return ""
        names = [f"{datum.name} ({datum.summary})" for datum in self.open_data[:3]]
        more = f"\nand {len(self.open_data) - 3:,} more" if len(self.open_data) > 3 else ""
        return "\n".join(names) + more if names else "No open data fits this method."


def _parse_lengths(text: str) -> int | tuple[int, ...]:
    try:
        lengths = tuple(int(part) for part in text.replace(",", "").split("x"))
    except ValueError:
        raise ParameterError(f"length must be a whole number, or several such as 5103x7168; got {text!r}") from None
    if min(lengths) < 1:
        raise ParameterError(f"length must be at least 1; got {text!r}")
    return lengths if len(lengths) > 1 else lengths[0]
