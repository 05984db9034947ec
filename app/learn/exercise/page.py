"""The page "Exercises": a table with blanks by seed, hints from the recurrence, predict and reveal, worksheets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from antidiag.app import theme
from antidiag.app.kit.play import worksheet
from antidiag.app.kit.play.look import Look
from antidiag.app.kit.widgets import Card, VerticalScroll, label, tool_button
from antidiag.app.learn.play.stage import Stage
from antidiag.kernels.errors import InputError
from antidiag.kernels.method import Method
from antidiag.kernels.plays import exercises, staging
from antidiag.kernels.plays.exercises import Exercise, Prediction
from antidiag.kernels.plays.model import Cell

SIDE_WIDTH = 330
SHEETS = 3
"""Exercises of a worksheet: those of the seed and of the next ones."""


class ExercisePage(QWidget):
    """Blanks in a table of a method, and questions; what is right stays, what is wrong is said as it is typed."""

    def __init__(self, methods: Sequence[Method]) -> None:
        super().__init__()
        self.methods = tuple(method for method in methods if method.staging)
        self.exercise: Exercise | None = None
        self.open: list[Cell] = []
        self.cell: Cell | None = None
        self.hinted = 0
        self.stage, self.method, self.seed = Stage(), QComboBox(), QSpinBox()
        self.asked, self.answer, self.told = label(wrap=True), QLineEdit(), label(wrap=True)
        self.hints, self.progress = label("", "muted", wrap=True), label("", "heading")
        self.question, self.verdict = label(wrap=True), label(wrap=True)
        self.number = 0
        self.options: list[QRadioButton] = []
        self._group = QButtonGroup(self)
        self._fill()
        self._lay_out()
        self.method.currentIndexChanged.connect(lambda: self.start())
        self.seed.valueChanged.connect(lambda: self.start())
        self.answer.textChanged.connect(self._check)
        self.answer.returnPressed.connect(self._next)
        self.stage.canvas.clicked.connect(lambda place: self._take(self.stage.look.cell))

    def showEvent(self, event) -> None:
        """The first exercise is made when somebody looks."""
        super().showEvent(event)
        if self.methods and self.exercise is None:
            self.start()

    @property
    def prediction(self) -> Prediction | None:
        found = self.exercise.predictions if self.exercise else ()
        return found[self.number] if self.number < len(found) else None

    def start(self) -> None:
        """The exercise of the chosen method and seed, from the beginning."""
        method = self.method.currentData()
        stage = staging.of(method) if method is not None else None
        if stage is None:
            return
        self.exercise = exercises.make(stage, self.seed.value())
        self.open = list(self.exercise.blanks)
        self.stage.show_play(self.exercise.play, self.exercise.step)
        self.number = 0
        self._show()
        self.choose(self.open[0] if self.open else None)
        self._ask()

    def choose(self, cell: Cell | None) -> None:
        """Ask for the value of a cell."""
        self.cell, self.hinted = cell, 0
        self.hints.setText("")
        self.answer.clear()
        self.answer.setEnabled(cell is not None)
        if cell is None:
            self.asked.setText("All cells are filled in. Another seed gives another exercise.")
            self.told.setText("")
            return
        assert self.exercise is not None
        when = f"After step {self.exercise.step + 2:,}: " if self.exercise.before else ""
        self.asked.setText(f"{when}{self.exercise.play.formula(cell).left} =")
        self.told.setText("")
        self._show()
        self.answer.setFocus()

    def hint(self) -> None:
        """One hint more, from the vague to the plain."""
        if self.exercise is None or self.cell is None:
            return
        found = exercises.hints(self.exercise.play, self.cell)
        self.hinted = min(self.hinted + 1, len(found))
        self.hints.setText("\n".join(found[: self.hinted]))

    def reveal(self) -> None:
        """Say which option is right, and show it in the picture."""
        asked = self.prediction
        if asked is None or self.exercise is None:
            return
        chosen = self._group.checkedId()
        if chosen < 0:
            self.verdict.setText("Choose first: predicting is what one learns by.")
            return
        right = "Right." if chosen == asked.right else f"No: {asked.options[asked.right]}."
        self.verdict.setText(right)
        look = replace(self.stage.look, step=asked.step + 1, cell=asked.cell, colouring="state", shares={},
                       blanks=frozenset(self.open) - {asked.cell})  # fmt: skip
        self.stage.show_look(look)

    def next_question(self) -> None:
        """The next question, from the first again after the last."""
        count = len(self.exercise.predictions) if self.exercise else 0
        self.number = (self.number + 1) % max(count, 1)
        self._ask()

    def write(self, path: Path) -> None:
        """A worksheet of this seed and the next ones, with solutions behind; InputError where that fails."""
        stage = staging.of(self.method.currentData())
        assert stage is not None
        worksheet.save(path, [exercises.make(stage, self.seed.value() + at) for at in range(SHEETS)])

    def save(self) -> None:
        """Ask for a file, and write the worksheet."""
        name, _ = QFileDialog.getSaveFileName(self, "Save worksheet", "worksheet.pdf", "PDF (*.pdf)")
        if name:
            try:
                self.write(Path(name))
            except InputError as error:
                QMessageBox.warning(self, "Save worksheet", str(error))

    def _take(self, cell: Cell | None) -> None:
        meant = [one for one in self.open if self.exercise is not None and self.exercise.place(one) == cell]
        if meant:
            self.choose(meant[0])

    def _show(self) -> None:
        """The table with what is still open; the cell that is asked for is marked."""
        assert self.exercise is not None
        place = self.exercise.place
        shares = dict.fromkeys(map(place, self.exercise.blanks), 0.3) | ({place(self.cell): 0.9} if self.cell else {})
        blanks = frozenset() if self.exercise.before else frozenset(self.open)
        self.stage.show_look(Look(step=self.exercise.step, colouring="paths", blanks=blanks, shares=shares,
                                  meaning="to be found; the darkest now"))  # fmt: skip
        done = len(self.exercise.blanks) - len(self.open)
        self.progress.setText(f"{done} of {len(self.exercise.blanks)} filled in")

    def _check(self, text: str) -> None:
        if self.exercise is None or self.cell is None:
            return
        right = exercises.right(self.exercise.play, self.cell, text)
        self.told.setText("" if right is None else "Right. Enter goes on." if right else "Not yet.")
        if right and self.cell in self.open:
            self.open.remove(self.cell)
            self._show()

    def _next(self) -> None:
        if self.cell is not None and self.cell not in self.open:
            self.choose(self.open[0] if self.open else None)

    def _ask(self) -> None:
        asked = self.prediction
        for option in self.options:
            self._group.removeButton(option)
            self._options.removeWidget(option)
            option.deleteLater()
        self.options = []
        self.verdict.setText("")
        self.question.setText(asked.question if asked else "This play is too short for questions.")
        for at, words in enumerate(asked.options if asked else ()):
            option = QRadioButton(words)
            self._group.addButton(option, at)
            self._options.addWidget(option)
            self.options.append(option)

    def _fill(self) -> None:
        for method in self.methods:
            self.method.addItem(method.name, method)
        self.method.setAccessibleName("Method")
        self.seed.setRange(1, 9999)
        self.seed.setPrefix("seed ")
        self.seed.setAccessibleName("Seed")
        self.seed.setToolTip("Another seed gives another exercise; the same one always the same")
        self.answer.setAccessibleName("Value")

    def _lay_out(self) -> None:
        inner = QWidget()
        side = QVBoxLayout(inner)
        side.setContentsMargins(0, 0, 0, 0)
        hint, reveal, following = QPushButton("Hint"), QPushButton("Reveal"), QPushButton("Next question")
        hint.clicked.connect(self.hint)
        reveal.clicked.connect(self.reveal)
        following.clicked.connect(self.next_question)
        self._options = QVBoxLayout()
        buttons = QHBoxLayout()
        buttons.addWidget(reveal)
        buttons.addWidget(following)
        parts: tuple[QWidget, ...] = (self.method, self.seed, self.progress, self.asked, self.answer, self.told, hint,
                                      self.hints, label("Predict, then reveal", "heading"), self.question)  # fmt: skip
        for part in parts:
            side.addWidget(part)
        side.addLayout(self._options)
        side.addLayout(buttons)
        side.addWidget(self.verdict)
        side.addStretch(1)
        card, middle = Card("Exercises"), Card("")
        middle.heading.hide()
        card.setFixedWidth(SIDE_WIDTH)
        card.header.addWidget(tool_button("Worksheet\u2026", f"Save {SHEETS} exercises and their solutions as PDF",
                                          self.save))  # fmt: skip
        card.box.addWidget(VerticalScroll(inner), 1)
        middle.box.addWidget(self.stage, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.SPACING)
        row.addWidget(middle, 1)
        row.addWidget(card)
