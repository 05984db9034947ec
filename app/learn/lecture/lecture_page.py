"""The page "Lectures": choose, edit and present a lecture."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QComboBox, QListWidget, QProgressDialog, QWidget

from antidiag.app.kit import ask
from antidiag.app.kit.boxes import row_of
from antidiag.app.kit.controls.drawers import fold_page_side
from antidiag.app.kit.controls.flow_layouts import FlowLayout
from antidiag.app.kit.controls.widgets import Card, ElidedComboBox, create_label, tool_button
from antidiag.app.kit.play import handout
from antidiag.app.learn.lecture.lecture_player import LecturePlayer
from antidiag.app.learn.lecture.presenter_view import PresenterView
from antidiag.app.learn.lecture.scene_dialog import SceneDialog
from antidiag.kernels.errors import AntidiagError, Cancelled, InputError
from antidiag.kernels.registry import lectures
from antidiag.kernels.registry.lectures import Lecture, LectureScene

SIDE_WIDTH = 250
WINDOW_SIZE = 960, 540
"""Pixels of the lecture beside the presenter view on one screen."""


class LecturePage(QWidget):
    """The scenes of a lecture beside the shown one; *Present* opens a full-screen window."""

    def __init__(self) -> None:
        super().__init__()
        self.lecture: Lecture | None = None
        self.player: LecturePlayer | None = None
        self.presenting_player: LecturePlayer | None = None
        self.presenter_view: PresenterView | None = None
        self.lecture_box, self.scene_list = ElidedComboBox(), QListWidget()
        self.abstract, self.error = create_label("", "muted", wrap=True), create_label("", "error", wrap=True)
        self.lecture_box.setAccessibleName("Lecture")
        self.scene_list.setAccessibleName("Scenes")
        self.scene_list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # long titles are elided
        self._files = list(lectures.shipped_lectures())
        self._undo_stack: list[Lecture] = []
        self._lay_out()
        self.lecture_box.activated.connect(lambda: self.open_lecture(self.lecture_box.currentData()))
        self.scene_list.currentRowChanged.connect(self._show_scene)

    def showEvent(self, event) -> None:
        super().showEvent(event)
        if self.lecture is None and self._files:
            for path in self._files:
                self._offer_lecture(path)
            self.open_lecture(self._files[0])

    def open_lecture(self, path: Path) -> None:
        """Show the lecture of a file, or the error in the file."""
        try:
            lecture = lectures.read_lecture(path)
        except AntidiagError as error:
            self._show_error(str(error))
            return
        self._show_error("")
        if self.lecture_box.findData(path) < 0:
            self._offer_lecture(path)
        self.lecture_box.setCurrentIndex(self.lecture_box.findData(path))
        self._undo_stack.clear()
        self._show_lecture(lecture, 0)

    def new_lecture(self) -> None:
        """Start an empty lecture, to which Step by step adds scenes."""
        self._keep_for_undo()
        self._show_lecture(Lecture("New lecture", "", {}), 0)

    def add_scene(self, scene: LectureScene) -> None:
        """Ask for the texts of a new scene, and insert it after the chosen one."""
        if self.lecture is None:
            self.new_lecture()
        names = [item.name for item in self.lecture.scenes]
        name = next(f"scene-{number}" for number in range(1, len(names) + 2) if f"scene-{number}" not in names)
        made = self.ask_for_texts(replace(scene, name=name))
        if made is not None:
            at = min(max(self.scene_list.currentRow(), -1) + 1, len(names))
            self._change_scenes([*self.lecture.scenes[:at], made, *self.lecture.scenes[at:]], at)

    def edit_scene(self) -> None:
        """Edit the texts of the chosen scene."""
        scene = self._chosen_scene()
        made = self.ask_for_texts(scene) if scene else None
        if made is not None:
            self._change_scenes(
                [made if item is scene else item for item in self.lecture.scenes], self.scene_list.currentRow()
            )

    def remove_scene(self) -> None:
        """Remove the chosen scene."""
        scene = self._chosen_scene()
        if scene is not None:
            self._change_scenes(
                [item for item in self.lecture.scenes if item is not scene], self.scene_list.currentRow()
            )

    def shift_scene(self, by: int) -> None:
        """Move the chosen scene up or down."""
        scene, row = self._chosen_scene(), self.scene_list.currentRow()
        if scene is not None and 0 <= row + by < len(self.lecture.scenes):
            others = [item for item in self.lecture.scenes if item is not scene]
            self._change_scenes([*others[: row + by], scene, *others[row + by :]], row + by)

    def undo_change(self) -> None:
        """Undo the last change."""
        if self._undo_stack:
            self._show_lecture(self._undo_stack.pop(), self.scene_list.currentRow())

    def save_lecture(self) -> None:
        """Ask for a file and write the lecture."""
        name = ask.join_name(self.lecture.title if self.lecture is not None else "lecture") + ".json"
        path = ask.save_path(self, "Save lecture", name, "Lectures (*.json)")
        if path is not None and self.lecture is not None:
            try:
                lectures.write_lecture(path, self.lecture)
            except InputError as error:
                self._show_error(str(error))

    def ask_for_texts(self, scene: LectureScene) -> LectureScene | None:
        """Ask for the texts of a scene; return None on cancel."""
        assert self.lecture is not None
        dialog = SceneDialog(self.lecture, scene, self)
        return dialog.edited_scene if dialog.exec() else None

    def _chosen_scene(self) -> LectureScene | None:
        row = self.scene_list.currentRow()
        found = self.lecture.scenes if self.lecture else ()
        return found[row] if 0 <= row < len(found) else None

    def _keep_for_undo(self) -> None:
        if self.lecture is not None:
            self._undo_stack.append(self.lecture)

    def _change_scenes(self, scenes: list[LectureScene], row: int) -> None:
        """Replace the scenes, and remove questions that no scene answers any more."""
        assert self.lecture is not None
        self._keep_for_undo()
        names = {scene.name for scene in scenes}
        asked = tuple(item for item in self.lecture.questions if set(item.scenes) <= names)
        self._show_lecture(replace(self.lecture, scenes=tuple(scenes), questions=asked), row)

    def _show_lecture(self, lecture: Lecture, row: int) -> None:
        self.lecture = lecture
        self.abstract.setText(lecture.abstract)
        if self.player is not None:
            self._middle.box.removeWidget(self.player)
            self.player.hide()  # deleteLater waits for the event loop
            self.player.deleteLater()
        self.player = LecturePlayer(lecture)
        self._middle.box.addWidget(self.player, 1)
        row = min(max(row, 0), max(self.player.page_count - 1, 0))
        with QSignalBlocker(self.scene_list):
            self.scene_list.clear()
            for title in (scene.fill_numbers(scene.title) for scene in lecture.scenes):
                self.scene_list.addItem(title)
                self.scene_list.item(self.scene_list.count() - 1).setToolTip(title)
            self.scene_list.addItems([f"Question {number}" for number, _ in enumerate(lecture.questions, 1)])
            self.scene_list.setCurrentRow(row)
        self.player.show_scene(row)
        self.player.scene_changed.connect(self.scene_list.setCurrentRow)
        self.player.leave_wanted.connect(self.scene_list.setFocus)
        self.player.full_screen_wanted.connect(self.present)

    def ask_for_lecture(self) -> None:
        """Ask for the file of a lecture and open it."""
        path = ask.open_path(self, "Open lecture", "Lectures (*.json)")
        if path is not None:
            self.open_lecture(path)

    def present(self) -> None:
        """Show the lecture from the chosen scene in full screen; with a second screen, also the presenter view.

        The audience sees the other screen, the speaker the presenter view on the own one.
        """
        others = [screen for screen in QGuiApplication.screens() if screen is not self.screen()]
        self._begin_presenting(others[0] if others else None, bool(others))

    def present_with_notes(self) -> None:
        """Show the lecture in a window, and the presenter view beside it, also where there is one screen."""
        others = [screen for screen in QGuiApplication.screens() if screen is not self.screen()]
        self._begin_presenting(others[0] if others else None, True)

    def _begin_presenting(self, screen: QScreen | None, with_notes: bool) -> None:
        if self.lecture is None or self.player is None:
            return
        self._end_presenting()
        player = self.presenting_player = LecturePlayer(self.lecture)
        player.setWindowTitle(self.lecture.title)
        player.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        player.leave_wanted.connect(player.close)
        player.closed.connect(self._end_presenting)
        player.show_scene(max(self.scene_list.currentRow(), 0))
        player.controls.go_to(self.player.controls.step)
        if screen is not None:
            player.setGeometry(screen.geometry())
        if screen is None and with_notes:
            player.resize(*WINDOW_SIZE)
            player.show()
        else:
            player.showFullScreen()
        player.setFocus()
        if with_notes:
            self._show_presenter_view(player)

    def _show_presenter_view(self, player: LecturePlayer) -> None:
        self.presenter_view = PresenterView(player)
        self.presenter_view.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.presenter_view.closed.connect(player.close)
        self.presenter_view.move(self.screen().availableGeometry().topLeft())
        self.presenter_view.show()
        self.presenter_view.activateWindow()
        self.presenter_view.setFocus()

    def _end_presenting(self) -> None:
        """Close the windows of the presentation, and show here the scene and the step where it was left."""
        player, view = self.presenting_player, self.presenter_view
        self.presenting_player = self.presenter_view = None
        if view is not None:
            view.close()
        if player is not None:
            number, step = player.page_number, player.controls.step
            player.close()
            self.scene_list.setCurrentRow(number)
            if self.player is not None and self.player.page_number == number:
                self.player.controls.go_to(step)

    def save_handout(self) -> None:
        """Ask for a file and write the handout of the lecture."""
        if self.lecture is None:
            return
        name = f"{ask.suggest_name(None, self.lecture.title)}-handout.pdf"
        path = ask.save_path(self, "Save handout", name, handout.FILTERS, handout.SUFFIXES)
        if path is None:
            return
        lecture = self.lecture
        progress = QProgressDialog("Drawing the scenes", "Cancel", 0, len(lecture.scenes), self)
        progress.setWindowTitle("Save handout")
        progress.setWindowModality(Qt.WindowModality.WindowModal)

        def report(done: int, total: int) -> None:
            progress.setValue(done)
            if progress.wasCanceled():
                raise Cancelled("the handout was not saved")

        with contextlib.suppress(Cancelled):
            ask.run_with_warning(self, "Save handout", lambda: handout.save_handout(path, lecture, report))
        progress.close()

    def _offer_lecture(self, path: Path) -> None:
        try:
            self.lecture_box.addItem(lectures.read_lecture(path).title, path)
        except AntidiagError as error:
            self._show_error(str(error))

    def _show_scene(self, row: int) -> None:
        if self.player is not None and row >= 0 and row != self.player.page_number:
            self.player.show_scene(row)

    def _show_error(self, text: str) -> None:
        self.error.setText(text)
        self.error.setVisible(bool(text))

    def _lay_out(self) -> None:
        side, self._middle = Card("Lecture"), Card("")
        self._middle.heading.hide()
        side.setFixedWidth(SIDE_WIDTH)
        side.header.addWidget(tool_button("Open\u2026", "Open a lecture file", self.ask_for_lecture))
        side.header.addWidget(
            tool_button("Present", "Full screen; with a second screen also the presenter view (Esc ends)", self.present)
        )
        for widget in (self.lecture_box, self.abstract, self.error):
            side.box.addWidget(widget)
        side.box.addWidget(self.scene_list, 1)
        holder = QWidget()
        tools = FlowLayout(holder)
        for words, tip, done in (
            ("New", "Start an empty lecture; add scenes with Step by step > Scene", self.new_lecture),
            ("Edit\u2026", "Edit the texts of this scene", self.edit_scene),
            ("Up", "Move this scene up", lambda: self.shift_scene(-1)),
            ("Down", "Move this scene down", lambda: self.shift_scene(1)),
            ("Remove", "Remove this scene", self.remove_scene),
            ("Undo", "Undo the last change", self.undo_change),
            ("Save\u2026", "Save the lecture to a file", self.save_lecture),
            (
                "Presenter view",
                "Show the lecture and, beside it, text and next scene",
                self.present_with_notes,
            ),
            ("Handout\u2026", "Save all scenes with their texts as PDF or HTML", self.save_handout),
        ):
            tools.addWidget(tool_button(words, tip, done))
        side.box.addWidget(holder)
        self.error.hide()
        self.lecture_box.setMinimumWidth(60)
        self.lecture_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        holder, self.folding = fold_page_side(self, side, SIDE_WIDTH)
        row_of((self._middle, 1), holder, parent=self)
