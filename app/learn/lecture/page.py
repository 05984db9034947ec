"""The page "Lectures": which lecture, its scenes, and the way to the front of the room."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QListWidget, QWidget

from app import theme
from app.kit.widgets import Card, label, tool_button
from app.learn.lecture.player import LecturePlayer
from kernels.errors import AntidiagError
from kernels.registry import lectures
from kernels.registry.lectures import Lecture

SIDE_WIDTH = 250


class LecturePage(QWidget):
    """The scenes of a lecture beside the one that is shown; *Present* shows it in a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.lecture: Lecture | None = None
        self.player: LecturePlayer | None = None
        self.presented: LecturePlayer | None = None
        self.chosen, self.scenes = QComboBox(), QListWidget()
        self.abstract, self.error = label("", "muted", wrap=True), label("", "error", wrap=True)
        self.chosen.setAccessibleName("Lecture")
        self.scenes.setAccessibleName("Scenes")
        self._files = list(lectures.shipped())
        self._lay_out()
        self.chosen.activated.connect(lambda: self.open(self.chosen.currentData()))
        self.scenes.currentRowChanged.connect(self._turn)

    def showEvent(self, event) -> None:
        super().showEvent(event)
        if self.lecture is None and self._files:
            for path in self._files:
                self._offer(path)
            self.open(self._files[0])

    def open(self, path: Path) -> None:
        """Show a lecture; what is wrong with its file is said."""
        try:
            lecture = lectures.read(path)
        except AntidiagError as error:
            self._say(str(error))
            return
        self._say("")
        if self.chosen.findData(path) < 0:
            self._offer(path)
        self.chosen.setCurrentIndex(self.chosen.findData(path))
        self.lecture = lecture
        self.abstract.setText(lecture.abstract)
        if self.player is not None:
            self._middle.box.removeWidget(self.player)
            self.player.hide()  # it lives until the event loop comes round
            self.player.deleteLater()
        self.player = LecturePlayer(lecture)
        self._middle.box.addWidget(self.player, 1)
        self.scenes.blockSignals(True)
        self.scenes.clear()
        for scene in lecture.scenes:
            self.scenes.addItem(scene.filled(scene.title))
        for number, _ in enumerate(lecture.questions, 1):
            self.scenes.addItem(f"Question {number}")
        self.scenes.setCurrentRow(0)
        self.scenes.blockSignals(False)
        self.player.turned.connect(self._follow)
        self.player.left.connect(self.scenes.setFocus)

    def ask(self) -> None:
        """Ask for the file of a lecture, and open it."""
        name, _ = QFileDialog.getOpenFileName(self, "Open lecture", "", "Lectures (*.json)")
        if name:
            self.open(Path(name))

    def present(self) -> None:
        """Show the lecture from the chosen scene in a window of its own, on the whole screen."""
        if self.lecture is None:
            return
        self.presented = LecturePlayer(self.lecture)
        self.presented.setWindowTitle(self.lecture.title)
        self.presented.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.presented.left.connect(self.presented.close)
        self.presented.destroyed.connect(self._forget)
        self.presented.show_scene(max(self.scenes.currentRow(), 0))
        self.presented.showFullScreen()
        self.presented.setFocus()

    def _forget(self) -> None:
        self.presented = None

    def _offer(self, path: Path) -> None:
        try:
            self.chosen.addItem(lectures.read(path).title, path)
        except AntidiagError as error:
            self._say(str(error))

    def _turn(self, row: int) -> None:
        if self.player is not None and row >= 0 and row != self.player.number:
            self.player.show_scene(row)

    def _follow(self, number: int) -> None:
        self.scenes.setCurrentRow(number)

    def _say(self, text: str) -> None:
        self.error.setText(text)
        self.error.setVisible(bool(text))

    def _lay_out(self) -> None:
        side, self._middle = Card("Lecture"), Card("")
        self._middle.heading.hide()
        side.setFixedWidth(SIDE_WIDTH)
        side.header.addWidget(tool_button("Open\u2026", "Open the file of a lecture", self.ask))
        side.header.addWidget(tool_button("Present", "Show it on the whole screen (Esc leaves)", self.present))
        for widget in (self.chosen, self.abstract, self.error):
            side.box.addWidget(widget)
        side.box.addWidget(self.scenes, 1)
        self.error.hide()
        self.chosen.setMinimumWidth(60)
        self.chosen.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.SPACING)
        row.addWidget(self._middle, 1)
        row.addWidget(side)
