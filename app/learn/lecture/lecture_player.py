"""LecturePlayer: a lecture in large type, controlled by keys or a presenter's clicker."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor, QKeyEvent, QPalette
from PySide6.QtWidgets import QLabel, QProgressBar, QScrollArea, QWidget

from antidiag.app import theme
from antidiag.app.kit.boxes import column_of, row_of
from antidiag.app.kit.controls.player import Player
from antidiag.app.kit.play import handout
from antidiag.app.kit.play.view_options import PlayLook
from antidiag.app.learn.walkthrough.animation_view import LETTER_PIXELS, MIN_LETTER_PIXELS, AnimationView
from antidiag.app.learn.walkthrough.cell_detail import formula_html
from antidiag.app.learn.walkthrough.measured_runs import MeasuredRuns
from antidiag.kernels import registry
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.registry.lectures import Lecture, LectureScene, Question
from antidiag.kernels.walkthroughs.shared_clock import SharedClock

TITLE_SIZE, POINT_SIZE, NOTE_SIZE = 2.1, 1.45, 1.2
"""Letter sizes relative to the source line."""
PICTURE_SCALE = 1.35
REFERENCE_PIXELS = 13
"""Pixels of letters of size 1 in a player of REFERENCE_WIDTH x REFERENCE_HEIGHT pixels; they scale with its size."""
REFERENCE_WIDTH, REFERENCE_HEIGHT, MIN_FACTOR, MIN_PICTURE_FACTOR, MAX_FACTOR = 1280, 720, 0.8, 0.5, 3.0
MIN_BUTTON_HEIGHT = 420
"""Smallest height in pixels that shows the buttons; the keys always work."""
MAX_CASES = 7
NEXT_KEYS = (Qt.Key.Key_PageDown, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down, Qt.Key.Key_N)
BACK_KEYS = (Qt.Key.Key_PageUp, Qt.Key.Key_Backspace, Qt.Key.Key_Up, Qt.Key.Key_P)
KEYS_TIP = (
    "Next: Page down, Enter or a clicker. Back: Page up. One step: Left, Right. Play: Space. Speaker's text: S. "
    "Black screen: B. Full screen: F. Close: Esc."
)


class LecturePlayer(QWidget):
    """Plays a lecture: its scenes, then its questions, one page each, whose answers appear at the next click.

    ``scene_changed(number)``: another page is shown; ``leave_wanted``: close the lecture; ``full_screen_wanted``: show
    the lecture in a full-screen window.
    """

    scene_changed = Signal(int)
    leave_wanted = Signal()
    full_screen_wanted = Signal()
    answer_shown = Signal()
    closed = Signal()
    """The window of the player was closed."""

    def __init__(self, lecture: Lecture) -> None:
        super().__init__()
        self.lecture, self.page_number, self.answer_revealed = lecture, -1, False
        self.scale_factor = 1.0
        self.clock = SharedClock(())
        (
            self.title_label,
            self.points_label,
            self.notes_label,
            self.source_label,
            self.formula_label,
            self.page_label,
        ) = (QLabel() for _ in range(6))
        self.animation_views = AnimationView(PICTURE_SCALE), AnimationView(PICTURE_SCALE)
        self.controls, self.measured_runs = Player("Step"), MeasuredRuns()
        self.black_screen = QWidget(self)
        self.progress_bar = QProgressBar()
        self._lay_out()
        self.controls.moved.connect(lambda: self._show_tick(self.controls.step))
        self.measured_runs.runs_ended.connect(self._play_measured)
        for number, stage in enumerate(self.animation_views):
            stage.step_wanted.connect(lambda step, number=number: self.controls.go_to(self.clock.tick_of(number, step)))
            stage.canvas.installEventFilter(self)
        self.show_scene(0)

    @property
    def page_count(self) -> int:
        """The number of scenes and questions."""
        return len(self.lecture.scenes) + len(self.lecture.questions)

    @property
    def current_scene(self) -> LectureScene | None:
        """The shown scene, or None at a question."""
        return self.lecture.scenes[self.page_number] if self.page_number < len(self.lecture.scenes) else None

    @property
    def current_question(self) -> Question | None:
        """The shown question, or None at a scene."""
        at = self.page_number - len(self.lecture.scenes)
        return self.lecture.questions[at] if 0 <= at < len(self.lecture.questions) else None

    @property
    def last_tick(self) -> int:
        """The tick at which playing stops in this scene."""
        scene = self.current_scene
        return 0 if scene is None else self.clock.last_tick if scene.last < 0 else min(scene.last, self.clock.last_tick)

    def show_scene(self, number: int) -> None:
        """Show the page of this number: a scene, or a question after the last scene."""
        number = max(min(number, self.page_count - 1), 0)
        self.controls.pause()
        self.page_number, self.answer_revealed = number, False
        self.progress_bar.setRange(0, self.page_count)
        self.progress_bar.setValue(number + 1)
        self.page_label.setText(f"{number + 1} / {self.page_count}")
        self._show_animations(self.current_scene)
        self.scene_changed.emit(number)

    def _show_animations(self, scene: LectureScene | None) -> None:
        """Show the animations of a scene, or nothing."""
        plays = []
        self._prepare_runs(scene if scene is not None and scene.is_measured else None)
        try:
            plays = [item.animation for item in scene.plays] if scene and not scene.is_measured else []
        except AntidiagError as error:
            self.notes_label.setText(str(error))
        self.clock = SharedClock(tuple(plays), scene.clock if scene else "steps")
        for stage, play in zip(self.animation_views, [*plays, None, None][:2], strict=True):
            stage.setVisible(play is not None)
            if play is not None and scene is not None:
                view = scene.view
                stage.animation = play
                look = PlayLook(
                    cell=view.find_cell(play),
                    colouring=view.colouring,  # type: ignore[arg-type]
                    tables=view.table_numbers(play),
                    path=view.path,
                    scale=stage.look.scale,
                )
                stage.show_look(look)
        self.controls.setVisible(bool(plays))
        self._views_row.setVisible(bool(plays))
        first = min(scene.first, self.clock.last_tick) if scene and plays else 0
        self.controls.set_last(self.clock.last_tick if plays else 0, first)
        self._show_tick(first)

    def _prepare_runs(self, scene: LectureScene | None) -> None:
        """Prepare a scene of real runs, which the next click starts, or clear the last one."""
        self.measured_runs.clear_runs()
        self.measured_runs.setVisible(scene is not None)
        if scene is not None:
            self.measured_runs.size_box.setValue(scene.size)
            self.measured_runs.show_methods([registry.find_method(item.method) for item in scene.plays])

    def _play_measured(self) -> None:
        if self.measured_runs.replays.runs:
            self.measured_runs.replays.player.play()

    def _forward_measured(self) -> bool:
        """Run the methods or play the measured runs to their end; return whether there was anything to do."""
        player = self.measured_runs.replays.player
        if not self.measured_runs.isVisibleTo(self):
            return False
        if self.measured_runs.is_busy:
            return True
        if not self.measured_runs.replays.runs:
            begun = bool(self.measured_runs.status_label.text())  # the runs failed or were cancelled
            if not begun:
                self.measured_runs.run_methods()
            return not begun
        if player.is_playing:
            player.go_to_end()
        elif player.share < 1:
            player.play()
        else:
            return False
        return True

    def go_forward(self) -> None:
        """Play the scene to its end, jump there if it is playing, or show the next page."""
        if self.current_question is not None and not self.answer_revealed:
            self._reveal_answer()
        elif self._forward_measured():
            return
        elif self.controls.is_playing:
            self.controls.pause()
            self.controls.go_to(self.last_tick)
        elif self.clock.plays and self.controls.step < self.last_tick:
            self.controls.play()
        elif self.page_number + 1 < self.page_count:
            self.show_scene(self.page_number + 1)

    def _reveal_answer(self) -> None:
        assert self.current_question is not None
        self.answer_revealed = True
        scene = self.lecture.find_scene(self.current_question.scenes[0])
        self._show_animations(scene)
        self.controls.go_to(self.clock.last_tick if scene.last < 0 else min(scene.last, self.clock.last_tick))
        self._update_texts()
        self.answer_shown.emit()

    def go_back(self) -> None:
        """Show the previous page from its beginning."""
        self.show_scene(self.page_number - 1)

    def toggle_notes(self) -> None:
        """Show or hide the speaker's text."""
        self._notes_area.setVisible(not self._notes_area.isVisible())

    def toggle_black_screen(self) -> None:
        """Show or hide a black screen."""
        self.black_screen.setGeometry(self.rect())
        self.black_screen.setVisible(not self.black_screen.isVisible())
        self.black_screen.raise_()

    def toggle_full_screen(self) -> None:
        """Enter or leave full screen."""
        window = self.window()
        if window is not self:
            self.full_screen_wanted.emit()
        elif window.isFullScreen():
            window.showNormal()
        else:
            window.showFullScreen()

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.controls.pause()
        self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.handle_key(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def eventFilter(self, watched, event) -> bool:
        # A clicked canvas has the focus; its keys control the lecture all the same.
        if event.type() is QEvent.Type.KeyPress:
            return self.handle_key(Qt.Key(event.key()))
        return super().eventFilter(watched, event)

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self.black_screen.setGeometry(self.rect())
        self.controls.setFixedHeight(self.controls.sizeHint().height() if self.height() >= MIN_BUTTON_HEIGHT else 0)
        least = min(MIN_FACTOR, 1 / self.devicePixelRatioF())  # a high-resolution screen shows smaller letters
        factor = min(max(self._size_ratio(), least), MAX_FACTOR)
        if abs(factor - self.scale_factor) > 0.02 or factor == MIN_FACTOR:
            self.scale_factor = factor
            self._apply_scale()

    def _size_ratio(self) -> float:
        return min(self.width() / REFERENCE_WIDTH, self.height() / REFERENCE_HEIGHT)

    def handle_key(self, key: Qt.Key) -> bool:
        """Do what a key of the keyboard or a clicker stands for; return whether it stands for anything."""
        others = {
            Qt.Key.Key_S: self.toggle_notes,
            Qt.Key.Key_B: self.toggle_black_screen,
            Qt.Key.Key_Period: self.toggle_black_screen,
            Qt.Key.Key_F: self.toggle_full_screen,
            Qt.Key.Key_F5: self.toggle_full_screen,
            Qt.Key.Key_Escape: self.leave_wanted.emit,
        }
        if self.black_screen.isVisible() and key != Qt.Key.Key_Escape:
            self.black_screen.hide()
        elif key in NEXT_KEYS:
            self.go_forward()
        elif key in BACK_KEYS:
            self.go_back()
        elif key in others:
            others[key]()
        elif self.measured_runs.isVisibleTo(self):
            return self.measured_runs.replays.player.handle_key(key)
        else:
            return self.controls.handle_key(key)
        return True

    def _show_tick(self, tick: int) -> None:
        for stage, step in zip(
            self.animation_views, self.clock.steps_at(tick) if self.clock.plays else (), strict=False
        ):
            stage.show_step(step)
        if self.controls.is_playing and tick >= self.last_tick:
            self.controls.pause()
        self.controls.label.setText(self.clock.format_tick(tick) if self.clock.plays else "")
        self.formula_label.setText(self._marked_formula())
        self.formula_label.setVisible(bool(self.formula_label.text()))
        self._update_texts()

    def _update_texts(self) -> None:
        scene, question = self.current_scene, self.current_question
        if scene is not None:
            steps = list(self.clock.steps_at(self.last_tick)) if self.clock.plays else None
            self.title_label.setText(scene.fill_numbers(scene.title, steps))
            self.points_label.setText("\n".join(f"\u2022 {scene.fill_numbers(point, steps)}" for point in scene.points))
            self.notes_label.setText("\n\n".join(scene.fill_numbers(text, steps) for text in scene.text))
            self.source_label.setText(handout.format_source(self.lecture, scene))
        elif question is not None:
            asked, answer = self.lecture.fill_question(question)
            number = self.page_number - len(self.lecture.scenes) + 1
            self.title_label.setText(f"Question {number}: {asked}")
            self.points_label.setText(answer if self.answer_revealed else "")
            titles = [self.lecture.find_scene(name) for name in question.scenes]
            self.notes_label.setText("See: " + "; ".join(item.fill_numbers(item.title) for item in titles))
            self.source_label.setText("")

    def _marked_formula(self) -> str:
        """Return the recurrence of the marked cell with its numbers as HTML."""
        for stage in self.animation_views if self.clock.plays else ():
            cell, play = stage.look.cell, stage.animation
            if play is None or cell is None or stage.isHidden():
                continue
            if 0 <= play.cell_step(cell) <= stage.look.step:
                return "<br>".join(formula_html(play, cell, theme.active().error)[: MAX_CASES + 1])
        return ""

    def _lay_out(self) -> None:
        self.setAccessibleName(self.lecture.title)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        sizes = {
            self.points_label: POINT_SIZE,
            self.notes_label: NOTE_SIZE,
            self.formula_label: NOTE_SIZE,
            self.source_label: 1.0,
            self.page_label: 1.0,
        }
        self._label_sizes = {self.title_label: TITLE_SIZE, **sizes}
        for widget in self._label_sizes:
            widget.setWordWrap(True)
            widget.setTextFormat(Qt.TextFormat.PlainText)
        self.formula_label.setTextFormat(Qt.TextFormat.RichText)
        self.formula_label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.page_label.setWordWrap(False)
        self.source_label.setObjectName("muted")
        self.page_label.setObjectName("muted")
        palette = self.black_screen.palette()
        palette.setColor(QPalette.ColorRole.Window, QColor("black"))
        self.black_screen.setPalette(palette)
        self.black_screen.setAutoFillBackground(True)
        self.black_screen.setStyleSheet("background: black;")
        self.black_screen.hide()
        self.notes_label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._notes_area = QScrollArea()
        self._notes_area.setWidget(self.notes_label)
        self._notes_area.setWidgetResizable(True)
        self._notes_area.hide()
        self._views_row = QWidget()
        row_of(*((stage, 1) for stage in self.animation_views), parent=self._views_row, spacing=3 * theme.SPACING)
        for stage in self.animation_views:
            stage.canvas.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.progress_bar.setTextVisible(False)
        self.progress_bar.setFixedHeight(6)
        self.measured_runs.backend_box.setCurrentIndex(self.measured_runs.backend_box.findData("auto"))
        self.measured_runs.hide()
        texts = column_of(self.title_label, self.points_label)
        texts.addStretch(1)
        head = row_of((texts, 5), (self.formula_label, 4))
        views = (self._views_row, 1), (self.measured_runs, 1), self.controls, self._notes_area
        box = column_of(head, *views, parent=self)
        box.addStretch(0)
        box.addLayout(row_of((self.source_label, 1), self.page_label))
        box.addWidget(self.progress_bar)
        box.setContentsMargins(2 * theme.MARGIN, theme.MARGIN, 2 * theme.MARGIN, theme.MARGIN)
        self.setToolTip(KEYS_TIP)
        self._apply_scale()

    def _apply_scale(self) -> None:
        """Scale all letters with the player, so that the picture keeps its share of it."""
        for widget, size in self._label_sizes.items():
            pixels = max(round(REFERENCE_PIXELS * size * self.scale_factor), MIN_LETTER_PIXELS)
            weight = "bold" if widget is self.title_label else "normal"
            widget.setStyleSheet(f"font-size: {pixels}px; font-weight: {weight};")
        for stage in self.animation_views:  # letters of a picture may be smaller than those of the texts
            stage.set_scale(
                PICTURE_SCALE
                * (self.scale_factor if self.scale_factor > MIN_FACTOR else max(self._size_ratio(), MIN_PICTURE_FACTOR))
            )
        letters = self.measured_runs.replays.canvas.font()
        letters.setPixelSize(max(round(LETTER_PIXELS * PICTURE_SCALE * self.scale_factor), MIN_LETTER_PIXELS))
        self.measured_runs.replays.canvas.setFont(letters)
        self._notes_area.setMaximumHeight(round(150 * self.scale_factor))
