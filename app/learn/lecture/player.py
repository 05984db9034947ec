"""LecturePlayer: only the picture and large type; keys and a presenter's clicker go through the scenes."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QScrollArea, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.play.look import Look
from antidiag.app.learn.play.measured import MeasuredRuns
from antidiag.app.learn.play.stage import LEAST_LETTERS, LETTERS, Stage
from antidiag.app.learn.play.transport import Transport
from antidiag.kernels import registry
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.plays import telling
from antidiag.kernels.plays.clock import Clock
from antidiag.kernels.registry.lectures import Lecture, Question, Scene

TITLE, POINT, NOTE = 2.1, 1.45, 1.2
"""Sizes of letters, in letters of the window."""
PICTURE = 1.35
LETTER = 13
"""Pixels of letters of size 1 in a room of WIDE x HIGH; others scale with theirs."""
WIDE, HIGH, LEAST, LEAST_PICTURE, MOST = 1280, 720, 0.8, 0.5, 3.0
ROOMY = 420
"""Pixels of height from which on there is room for buttons; below, keys do what they do."""
CASES = 7
"""Cases of a recurrence that are shown in large type."""
NEXT = (Qt.Key.Key_PageDown, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down, Qt.Key.Key_N)
BACK = (Qt.Key.Key_PageUp, Qt.Key.Key_Backspace, Qt.Key.Key_Up, Qt.Key.Key_P)
KEYS = (
    "Next: Page down, Enter, a clicker. Back: Page up. A step: Left, Right. Play: Space. Speaker's text: S. "
    "Dark: B. Full screen: F. Leave: Esc."
)


class LecturePlayer(QWidget):
    """Plays a lecture.

    ``turned(number)``: another scene is shown; ``left``: the lecturer is through with it; ``wanted``: the whole screen
    is wanted, where this is a part of a window.

    After the scenes come the questions, a page each, whose answers appear at the next click.
    """

    turned = Signal(int)
    left = Signal()
    wanted = Signal()

    def __init__(self, lecture: Lecture) -> None:
        super().__init__()
        self.lecture, self.number, self.revealed = lecture, -1, False
        self.factor = 1.0
        self.clock = Clock(())
        self.title, self.points, self.notes, self.source, self.formula, self.place = (QLabel() for _ in range(6))
        self.stages, self.transport, self.measured = (Stage(PICTURE), Stage(PICTURE)), Transport(), MeasuredRuns()
        self.dark = QWidget(self)
        self.progress = QProgressBar()
        self._lay_out()
        self.transport.ticked.connect(self._show_tick)
        self.measured.ended.connect(self._play_measured)
        for number, stage in enumerate(self.stages):
            stage.jumped.connect(lambda step, number=number: self.transport.go(self.clock.tick(number, step)))
            stage.canvas.installEventFilter(self)
        self.show_scene(0)

    @property
    def pages(self) -> int:
        """Scenes and questions."""
        return len(self.lecture.scenes) + len(self.lecture.questions)

    @property
    def scene(self) -> Scene | None:
        """The scene that is shown; None where a question is."""
        return self.lecture.scenes[self.number] if self.number < len(self.lecture.scenes) else None

    @property
    def question(self) -> Question | None:
        at = self.number - len(self.lecture.scenes)
        return self.lecture.questions[at] if 0 <= at < len(self.lecture.questions) else None

    @property
    def last_tick(self) -> int:
        """Where playing stops in this scene."""
        scene = self.scene
        return 0 if scene is None else self.clock.last if scene.last < 0 else min(scene.last, self.clock.last)

    def show_scene(self, number: int) -> None:
        """Show a scene, or a question after the last one."""
        number = max(min(number, self.pages - 1), 0)
        self.transport.pause()
        self.number, self.revealed = number, False
        self.progress.setRange(0, self.pages)
        self.progress.setValue(number + 1)
        self.place.setText(f"{number + 1} / {self.pages}")
        self._stage(self.scene)
        self.turned.emit(number)

    def _stage(self, scene: Scene | None) -> None:
        """Set the plays of a scene up, or nothing."""
        plays = []
        self._measure(scene if scene is not None and scene.measured else None)
        try:
            plays = [one.play for one in scene.plays] if scene and not scene.measured else []
        except AntidiagError as error:
            self.notes.setText(str(error))
        self.clock = Clock(tuple(plays), scene.clock if scene else "steps")
        for stage, play in zip(self.stages, [*plays, None, None][:2], strict=True):
            stage.setVisible(play is not None)
            if play is not None and scene is not None:
                view = scene.view
                stage.play = play
                stage.show_look(Look(cell=view.cell_in(play), colouring=view.colouring,  # type: ignore[arg-type]
                                     tables=view.table_numbers(play), path=view.path,
                                     scale=stage.look.scale))  # fmt: skip
        self.transport.setVisible(bool(plays))
        self._room.setVisible(bool(plays))
        first = min(scene.first, self.clock.last) if scene and plays else 0
        self.transport.set_last(self.clock.last if plays else 0, first)
        self._show_tick(first)

    def _measure(self, scene: Scene | None) -> None:
        """Set a scene of real runs up, which the next click begins; or clear the last one away."""
        self.measured.clear()
        self.measured.setVisible(scene is not None)
        if scene is not None:
            self.measured.amount.setValue(scene.size)
            self.measured.show_methods([registry.method(one.method) for one in scene.plays])

    def _play_measured(self) -> None:
        if self.measured.replays.runs:
            self.measured.replays.player.play()

    def _forward_measured(self) -> bool:
        """Run the methods, or play what was measured to its end; whether there was anything to do."""
        player = self.measured.replays.player
        if not self.measured.isVisibleTo(self):
            return False
        if self.measured.busy:
            return True
        if not self.measured.replays.runs:
            begun = bool(self.measured.told.text())  # it has failed, or was cancelled
            if not begun:
                self.measured.run()
            return not begun
        if player.playing:
            player.finish()
        elif player.share < 1:
            player.play()
        else:
            return False
        return True

    def forward(self) -> None:
        """Play the scene to where it stops; what is playing goes there at once; then the next scene."""
        if self.question is not None and not self.revealed:
            self._reveal()
        elif self._forward_measured():
            return
        elif self.transport.playing:
            self.transport.pause()
            self.transport.go(self.last_tick)
        elif self.clock.plays and self.transport.tick < self.last_tick:
            self.transport.play()
        elif self.number + 1 < self.pages:
            self.show_scene(self.number + 1)

    def _reveal(self) -> None:
        """The answer, with the picture that holds it."""
        assert self.question is not None
        self.revealed = True
        scene = self.lecture.scene(self.question.scenes[0])
        self._stage(scene)
        self.transport.go(self.clock.last if scene.last < 0 else min(scene.last, self.clock.last))
        self._tell()

    def back(self) -> None:
        """The scene before, from its beginning."""
        self.show_scene(self.number - 1)

    def toggle_notes(self) -> None:
        self._notes_room.setVisible(not self._notes_room.isVisible())

    def toggle_dark(self) -> None:
        """Nothing but black, so that everybody looks at the lecturer."""
        self.dark.setGeometry(self.rect())
        self.dark.setVisible(not self.dark.isVisible())
        self.dark.raise_()

    def toggle_full(self) -> None:
        window = self.window()
        if window is not self:
            self.wanted.emit()
        elif window.isFullScreen():
            window.showNormal()
        else:
            window.showFullScreen()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._key(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def eventFilter(self, watched, event) -> bool:
        """A canvas that was clicked has the keys; they go on meaning scenes and steps."""
        if event.type() is QEvent.Type.KeyPress:
            return self._key(Qt.Key(event.key()))
        return super().eventFilter(watched, event)

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self.dark.setGeometry(self.rect())
        self.transport.setFixedHeight(self.transport.sizeHint().height() if self.height() >= ROOMY else 0)
        least = min(LEAST, 1 / self.devicePixelRatioF())  # a fine screen shows smaller letters
        factor = min(max(self._wanted(), least), MOST)
        if abs(factor - self.factor) > 0.02 or factor == LEAST:
            self.factor = factor
            self._scale()

    def _wanted(self) -> float:
        """How large the room is, beside that for which the sizes are."""
        return min(self.width() / WIDE, self.height() / HIGH)

    def _key(self, key: Qt.Key) -> bool:
        others = {
            Qt.Key.Key_S: self.toggle_notes, Qt.Key.Key_B: self.toggle_dark, Qt.Key.Key_Period: self.toggle_dark,
            Qt.Key.Key_F: self.toggle_full, Qt.Key.Key_F5: self.toggle_full, Qt.Key.Key_Escape: self.left.emit,
        }  # fmt: skip
        if self.dark.isVisible() and key not in (Qt.Key.Key_Escape,):
            self.dark.hide()
        elif key in NEXT:
            self.forward()
        elif key in BACK:
            self.back()
        elif key in others:
            others[key]()
        elif self.measured.isVisibleTo(self):
            return self.measured.replays.player.key(key)
        else:
            return self.transport.key(key)
        return True

    def _show_tick(self, tick: int) -> None:
        for stage, step in zip(self.stages, self.clock.steps(tick) if self.clock.plays else (), strict=False):
            stage.show_step(step)
        if self.transport.playing and tick >= self.last_tick:
            self.transport.pause()
        self.transport.place.setText(self.clock.told(tick) if self.clock.plays else "")
        self.formula.setText(self._explained())
        self.formula.setVisible(bool(self.formula.text()))
        self._tell()

    def _tell(self) -> None:
        scene, question = self.scene, self.question
        if scene is not None:
            steps = list(self.clock.steps(self.last_tick)) if self.clock.plays else None
            self.title.setText(scene.filled(scene.title, steps))
            self.points.setText("\n".join(f"\u2022 {scene.filled(point, steps)}" for point in scene.points))
            self.notes.setText("\n\n".join(scene.filled(text, steps) for text in scene.text))
            self.source.setText(self._source(scene))
        elif question is not None:
            asked, answer = self.lecture.asked(question)
            number = self.number - len(self.lecture.scenes) + 1
            self.title.setText(f"Question {number}: {asked}")
            self.points.setText(answer if self.revealed else "")
            titles = [self.lecture.scene(name) for name in question.scenes]
            self.notes.setText("See: " + "; ".join(one.filled(one.title) for one in titles))
            self.source.setText("")

    def _explained(self) -> str:
        """The recurrence of the cell that is marked, with its numbers."""
        for stage in self.stages if self.clock.plays else ():
            cell, play = stage.look.cell, stage.play
            if (
                play is not None
                and cell is not None
                and not stage.isHidden()
                and 0 <= play.step(cell) <= stage.look.step
            ):
                lines = [(escape(words), wins) for words, wins in telling.formula_lines(play, cell)[: CASES + 1]]
                return "<br>".join(f'<b style="color:{theme.active().error}">{words}</b>' if wins else words
                                   for words, wins in lines)  # fmt: skip
        return ""

    def _source(self, scene: Scene) -> str:
        parts = []
        for part in scene.source.split(";"):
            key, _, section = part.strip().partition(",")
            if key:
                parts.append(f"{self.lecture.sources.get(key, key)}{',' + section if section else ''}")
        return "; ".join(parts)

    def _lay_out(self) -> None:
        self.setAccessibleName(self.lecture.title)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        sizes = (
            (self.title, TITLE, True), (self.points, POINT, False), (self.notes, NOTE, False),
            (self.formula, NOTE, False), (self.source, 1.0, False), (self.place, 1.0, False),
        )  # fmt: skip
        self._sizes = sizes
        for widget, _, _ in sizes:
            widget.setWordWrap(True)
            widget.setTextFormat(Qt.TextFormat.PlainText)
        self.formula.setTextFormat(Qt.TextFormat.RichText)
        self.formula.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.place.setWordWrap(False)
        self.source.setObjectName("muted")
        self.place.setObjectName("muted")
        palette = self.dark.palette()
        palette.setColor(QPalette.ColorRole.Window, QColor("black"))
        self.dark.setPalette(palette)
        self.dark.setAutoFillBackground(True)
        self.dark.setStyleSheet("background: black;")
        self.dark.hide()
        self.notes.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._notes_room = QScrollArea()
        self._notes_room.setWidget(self.notes)
        self._notes_room.setWidgetResizable(True)
        self._notes_room.hide()
        self._room = QWidget()
        shown = QHBoxLayout(self._room)
        shown.setContentsMargins(0, 0, 0, 0)
        shown.setSpacing(3 * theme.SPACING)
        for stage in self.stages:
            stage.canvas.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
            shown.addWidget(stage, 1)
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(6)
        box = QVBoxLayout(self)
        box.setContentsMargins(2 * theme.MARGIN, theme.MARGIN, 2 * theme.MARGIN, theme.MARGIN)
        said, head, foot = QVBoxLayout(), QHBoxLayout(), QHBoxLayout()
        for widget in (self.title, self.points):
            said.addWidget(widget)
        said.addStretch(1)
        head.addLayout(said, 5)
        head.addWidget(self.formula, 4)
        box.addLayout(head)
        self.measured.backend.setCurrentIndex(self.measured.backend.findData("auto"))
        self.measured.hide()
        parts: tuple[tuple[QWidget, int], ...] = (
            (self._room, 1), (self.measured, 1), (self.transport, 0), (self._notes_room, 0),
        )  # fmt: skip
        for part, stretch in parts:
            box.addWidget(part, stretch)
        box.addStretch(0)
        foot.addWidget(self.source, 1)
        foot.addWidget(self.place)
        box.addLayout(foot)
        box.addWidget(self.progress)
        self.setToolTip(KEYS)
        self._scale()

    def _scale(self) -> None:
        """Letters that suit the room that there is, so that the picture keeps its share of it."""
        for widget, size, bold in self._sizes:
            pixels = max(round(LETTER * size * self.factor), LEAST_LETTERS)
            widget.setStyleSheet(f"font-size: {pixels}px; font-weight: {'bold' if bold else 'normal'};")
        for stage in self.stages:  # its letters may be smaller than what is read aloud
            stage.set_scale(PICTURE * (self.factor if self.factor > LEAST else max(self._wanted(), LEAST_PICTURE)))
        letters = self.measured.replays.canvas.font()
        letters.setPixelSize(max(round(LETTERS * PICTURE * self.factor), LEAST_LETTERS))
        self.measured.replays.canvas.setFont(letters)
        self._notes_room.setMaximumHeight(round(150 * self.factor))
