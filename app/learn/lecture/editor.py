"""SceneDialog: the texts of a scene, what is wrong with them as they are typed, and where it plays from and to."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QPlainTextEdit, QSpinBox, QVBoxLayout

from antidiag.app.kit.widgets import label
from antidiag.kernels.registry import lectures
from antidiag.kernels.registry.lectures import Lecture, Scene

LAST = "end"


class SceneDialog(QDialog):
    """Edits one scene of a lecture; ``scene`` is the one that was written."""

    def __init__(self, lecture: Lecture, scene: Scene, parent=None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Scene")
        self.resize(620, 520)
        self._lecture, self._scene = lecture, scene
        self.name, self.title, self.source = QLineEdit(scene.name), QLineEdit(scene.title), QLineEdit(scene.source)
        self.points, self.text = QPlainTextEdit("\n".join(scene.points)), QPlainTextEdit("\n\n".join(scene.text))
        self.first, self.last, self.error = QSpinBox(), QSpinBox(), label("", "error", wrap=True)
        for box, value in ((self.first, scene.first), (self.last, scene.last)):
            box.setRange(0 if box is self.first else -1, 9999)
            box.setValue(value)
        self.last.setSpecialValueText(LAST)
        form = QFormLayout()
        for words, widget in (
            ("Name", self.name), ("Title", self.title), ("Points, a line each", self.points),
            ("Speaker's text, paragraphs parted by an empty line", self.text), ("Source", self.source),
            ("From step", self.first), ("To step", self.last),
        ):  # fmt: skip
            form.addRow(label(words, wrap=True), widget)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.ok = buttons.button(QDialogButtonBox.StandardButton.Ok)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self.error)
        column.addWidget(buttons)
        for edit in (self.name, self.title, self.source, self.points, self.text):
            edit.textChanged.connect(self._check)
        for spin in (self.first, self.last):
            spin.valueChanged.connect(self._check)
        self._check()

    @property
    def scene(self) -> Scene:
        """The scene as it is written."""
        points = tuple(line.strip() for line in self.points.toPlainText().splitlines() if line.strip())
        text = tuple(" ".join(part.split()) for part in self.text.toPlainText().split("\n\n") if part.strip())
        return replace(self._scene, name=self.name.text().strip(), title=self.title.text().strip(), points=points,
                       text=text, source=self.source.text().strip(), first=self.first.value(),
                       last=self.last.value())  # fmt: skip

    def _check(self) -> None:
        others = [one.name for one in self._lecture.scenes if one is not self._scene]
        found = lectures.problems_of(self.scene, self._lecture)
        if not self.scene.name or self.scene.name in others:
            found.insert(0, "give the scene a name of its own")
        self.error.setText("\n".join(found[:4]))
        self.ok.setEnabled(bool(self.scene.name) and self.scene.name not in others)
