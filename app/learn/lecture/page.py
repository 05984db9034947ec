"""The page "Lectures": which lecture, its scenes, and the way to the front of the room."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QListWidget, QWidget

from antidiag.app import theme
from antidiag.app.kit.flow import Flow
from antidiag.app.kit.widgets import Card, Combo, label, tool_button
from antidiag.app.learn.lecture.editor import SceneDialog
from antidiag.app.learn.lecture.player import LecturePlayer
from antidiag.kernels.errors import AntidiagError, InputError
from antidiag.kernels.registry import lectures
from antidiag.kernels.registry.lectures import Lecture, Scene

SIDE_WIDTH = 250


class LecturePage(QWidget):
    """The scenes of a lecture beside the one that is shown; *Present* shows it in a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.lecture: Lecture | None = None
        self.player: LecturePlayer | None = None
        self.presented: LecturePlayer | None = None
        self.chosen, self.scenes = Combo(), QListWidget()
        self.abstract, self.error = label("", "muted", wrap=True), label("", "error", wrap=True)
        self.chosen.setAccessibleName("Lecture")
        self.scenes.setAccessibleName("Scenes")
        self.scenes.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # a long title ends in dots
        self._files = list(lectures.shipped())
        self._undo: list[Lecture] = []
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
        self._undo.clear()
        self._show(lecture, 0)

    def new(self) -> None:
        """An empty lecture, to which Step by step adds scenes."""
        self._keep()
        self._show(Lecture("New lecture", "", {}), 0)

    def add(self, scene: Scene) -> None:
        """Write the texts of a new scene, which stands behind the chosen one."""
        if self.lecture is None:
            self._show(Lecture("New lecture", "", {}), 0)
        names = [one.name for one in self.lecture.scenes]
        name = next(f"scene-{number}" for number in range(1, len(names) + 2) if f"scene-{number}" not in names)
        made = self.write_scene(replace(scene, name=name))
        if made is not None:
            at = min(max(self.scenes.currentRow(), -1) + 1, len(names))
            self._change([*self.lecture.scenes[:at], made, *self.lecture.scenes[at:]], at)

    def edit(self) -> None:
        """Write the texts of the chosen scene anew."""
        scene = self._chosen()
        made = self.write_scene(scene) if scene else None
        if made is not None:
            self._change([made if one is scene else one for one in self.lecture.scenes], self.scenes.currentRow())

    def remove(self) -> None:
        """Take the chosen scene out."""
        scene = self._chosen()
        if scene is not None:
            self._change([one for one in self.lecture.scenes if one is not scene], self.scenes.currentRow())

    def shift(self, by: int) -> None:
        """Move the chosen scene up or down."""
        scene, row = self._chosen(), self.scenes.currentRow()
        if scene is not None and 0 <= row + by < len(self.lecture.scenes):
            others = [one for one in self.lecture.scenes if one is not scene]
            self._change([*others[: row + by], scene, *others[row + by :]], row + by)

    def undo(self) -> None:
        """The lecture as it was before the last change."""
        if self._undo:
            self._show(self._undo.pop(), self.scenes.currentRow())

    def save(self) -> None:
        """Ask for a file, and write the lecture."""
        name, _ = QFileDialog.getSaveFileName(self, "Save lecture", "lecture.json", "Lectures (*.json)")
        if name and self.lecture is not None:
            try:
                lectures.write(Path(name), self.lecture)
            except InputError as error:
                self._say(str(error))

    def write_scene(self, scene: Scene) -> Scene | None:
        """Ask for the texts of a scene; None where that was cancelled."""
        assert self.lecture is not None
        dialog = SceneDialog(self.lecture, scene, self)
        return dialog.scene if dialog.exec() else None

    def _chosen(self) -> Scene | None:
        row = self.scenes.currentRow()
        found = self.lecture.scenes if self.lecture else ()
        return found[row] if 0 <= row < len(found) else None

    def _keep(self) -> None:
        if self.lecture is not None:
            self._undo.append(self.lecture)

    def _change(self, scenes: list[Scene], row: int) -> None:
        """Other scenes; questions that no scene answers any more go with them."""
        assert self.lecture is not None
        self._keep()
        names = {scene.name for scene in scenes}
        asked = tuple(one for one in self.lecture.questions if set(one.scenes) <= names)
        self._show(replace(self.lecture, scenes=tuple(scenes), questions=asked), row)

    def _show(self, lecture: Lecture, row: int) -> None:
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
        for title in (scene.filled(scene.title) for scene in lecture.scenes):
            self.scenes.addItem(title)
            self.scenes.item(self.scenes.count() - 1).setToolTip(title)
        for number, _ in enumerate(lecture.questions, 1):
            self.scenes.addItem(f"Question {number}")
        row = min(max(row, 0), max(self.player.pages - 1, 0))
        self.scenes.setCurrentRow(row)
        self.scenes.blockSignals(False)
        self.player.show_scene(row)
        self.player.turned.connect(self._follow)
        self.player.left.connect(self.scenes.setFocus)
        self.player.wanted.connect(self.present)

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
        holder = QWidget()
        tools = Flow(holder)
        for words, tip, done in (
            ("New", "An empty lecture; Step by step > Scene adds to it", self.new),
            ("Edit\u2026", "Write the texts of this scene", self.edit),
            ("Up", "Move this scene up", lambda: self.shift(-1)),
            ("Down", "Move this scene down", lambda: self.shift(1)),
            ("Remove", "Take this scene out", self.remove),
            ("Undo", "Take the last change back", self.undo),
            ("Save\u2026", "Save the lecture as a file", self.save),
        ):
            tools.addWidget(tool_button(words, tip, done))
        side.box.addWidget(holder)
        self.error.hide()
        self.chosen.setMinimumWidth(60)
        self.chosen.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.SPACING)
        row.addWidget(self._middle, 1)
        row.addWidget(side)
