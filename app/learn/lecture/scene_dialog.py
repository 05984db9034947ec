"""SceneDialog: edit the texts of a scene and the steps that it plays; errors are shown while typing."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QPlainTextEdit, QVBoxLayout

from antidiag.app.kit.controls.spin_boxes import SpinBox
from antidiag.app.kit.controls.widgets import create_label
from antidiag.kernels.registry import lectures
from antidiag.kernels.registry.lectures import Lecture, LectureScene

LAST_STEP_LABEL = "end"


class SceneDialog(QDialog):
    """Edits one scene of a lecture."""

    def __init__(self, lecture: Lecture, scene: LectureScene, parent=None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Scene")
        self.resize(620, 520)
        self._lecture, self._scene = lecture, scene
        self.name_line, self.title_line, self.source_line = (
            QLineEdit(scene.name),
            QLineEdit(scene.title),
            QLineEdit(scene.source),
        )
        self.points_edit, self.text_edit = (
            QPlainTextEdit("\n".join(scene.points)),
            QPlainTextEdit("\n\n".join(scene.text)),
        )
        self.first_box, self.last_box, self.error_label = SpinBox(), SpinBox(), create_label("", "error", wrap=True)
        for box, value in ((self.first_box, scene.first), (self.last_box, scene.last)):
            box.setRange(0 if box is self.first_box else -1, 9999)
            box.setValue(value)
        self.last_box.setSpecialValueText(LAST_STEP_LABEL)
        form = QFormLayout()
        rows = {
            "Name": self.name_line,
            "Title": self.title_line,
            "Points, one per line": self.points_edit,
            "Speaker's text, paragraphs separated by an empty line": self.text_edit,
            "Source": self.source_line,
            "From step": self.first_box,
            "To step": self.last_box,
        }
        for words, widget in rows.items():
            form.addRow(create_label(words, wrap=True), widget)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.ok_button = buttons.button(QDialogButtonBox.StandardButton.Ok)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self.error_label)
        column.addWidget(buttons)
        for edit in (self.name_line, self.title_line, self.source_line, self.points_edit, self.text_edit):
            edit.textChanged.connect(self._check_scene)
        for spin in (self.first_box, self.last_box):
            spin.valueChanged.connect(self._check_scene)
        self._check_scene()

    @property
    def edited_scene(self) -> LectureScene:
        """The scene with the present texts."""
        points = tuple(line.strip() for line in self.points_edit.toPlainText().splitlines() if line.strip())
        text = tuple(" ".join(part.split()) for part in self.text_edit.toPlainText().split("\n\n") if part.strip())
        name, title, source = (line.text().strip() for line in (self.name_line, self.title_line, self.source_line))
        first, last = self.first_box.value(), self.last_box.value()
        return replace(
            self._scene, name=name, title=title, source=source, points=points, text=text, first=first, last=last
        )

    def _check_scene(self) -> None:
        others = [item.name for item in self._lecture.scenes if item is not self._scene]
        found = lectures.find_scene_problems(self.edited_scene, self._lecture)
        if not self.edited_scene.name or self.edited_scene.name in others:
            found.insert(0, "give the scene a unique name")
        self.error_label.setText("\n".join(found[:4]))
        self.ok_button.setEnabled(bool(self.edited_scene.name) and self.edited_scene.name not in others)
