"""The page "Exercises": tables with blanks, hints from the recurrence, questions, and worksheets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QWidget,
)

from antidiag.app.kit import ask
from antidiag.app.kit.boxes import column_of, row_of
from antidiag.app.kit.controls.drawers import fold_page_side
from antidiag.app.kit.controls.spin_boxes import SpinBox
from antidiag.app.kit.controls.widgets import Card, VerticalScrollArea, create_label, tool_button
from antidiag.app.kit.focus import guard_from_wheel
from antidiag.app.kit.play import worksheet
from antidiag.app.kit.play.view_options import PlayLook
from antidiag.app.learn.walkthrough.animation_view import AnimationView
from antidiag.kernels.method import Method
from antidiag.kernels.walkthroughs import exercises, walkthrough
from antidiag.kernels.walkthroughs.animation import Cell
from antidiag.kernels.walkthroughs.exercises import Exercise, PredictionQuestion

SIDE_WIDTH = 330
WORKSHEET_EXERCISES = 3
"""Exercises per worksheet: those of the seed and of the next ones."""


class ExercisePage(QWidget):
    """Blanks in the table of a method, checked while typing, and questions about the next step."""

    def __init__(self, methods: Sequence[Method]) -> None:
        super().__init__()
        self.methods = tuple(method for method in methods if method.teaching.walkthrough_name)
        self.exercise: Exercise | None = None
        self.open_cells: list[Cell] = []
        self.cell: Cell | None = None
        self.hint_count = 0
        self.animation_view, self.method_box, self.seed_box = AnimationView(), QComboBox(), SpinBox()
        self.cell_label, self.answer_line, self.answer_label = (
            create_label(wrap=True),
            QLineEdit(),
            create_label(wrap=True),
        )
        self.given_label = create_label("", wrap=True)
        self.hints_label, self.progress_label = create_label("", "muted", wrap=True), create_label("", "heading")
        self.question_label, self.verdict_label = create_label(wrap=True), create_label(wrap=True)
        self.question_number = 0
        self.option_buttons: list[QRadioButton] = []
        self._option_group = QButtonGroup(self)
        self._fill_boxes()
        self._lay_out()
        self.method_box.currentIndexChanged.connect(lambda: self.start_exercise())
        self.seed_box.valueChanged.connect(lambda: self.start_exercise())
        self.answer_line.textChanged.connect(self._check_answer)
        self.answer_line.returnPressed.connect(self._next_cell)
        self.animation_view.canvas.clicked.connect(lambda place: self._choose_clicked(self.animation_view.look.cell))

    def showEvent(self, event) -> None:
        super().showEvent(event)
        if self.methods and self.exercise is None:
            self.start_exercise()

    @property
    def prediction(self) -> PredictionQuestion | None:
        """The present question, or None."""
        found = self.exercise.predictions if self.exercise else ()
        return found[self.question_number] if self.question_number < len(found) else None

    def start_exercise(self) -> None:
        """Start the exercise of the chosen method and seed."""
        method = self.method_box.currentData()
        stage = walkthrough.load_walkthrough(method) if method is not None else None
        if stage is None:
            return
        self.exercise = exercises.make_exercise(stage, self.seed_box.value())
        self.open_cells = list(self.exercise.blanks)
        self.animation_view.show_animation(self.exercise.play, self.exercise.step)
        self.question_number = 0
        self.given_label.setText("\n".join(f"{label}: {value}" for label, value in self.exercise.given))
        self._show_table()
        self.choose_cell(self.open_cells[0] if self.open_cells else None)
        self._show_question()

    def choose_cell(self, cell: Cell | None) -> None:
        """Ask for the value of a cell, or report that all cells are filled in."""
        self.cell, self.hint_count = cell, 0
        self.hints_label.setText("")
        self.answer_line.clear()
        self.answer_line.setEnabled(cell is not None)
        if cell is None:
            self.cell_label.setText("All cells are filled in. Another seed gives another exercise.")
            self.answer_label.setText("")
            return
        assert self.exercise is not None
        when = f"After step {self.exercise.step + 2:,}: " if self.exercise.before else ""
        self.cell_label.setText(f"{when}{self.exercise.play.find_formula(cell).left} =")
        self.answer_label.setText("")
        self._show_table()
        self.answer_line.setFocus()

    def show_hint(self) -> None:
        """Show one more hint, from vague to plain."""
        if self.exercise is None or self.cell is None:
            return
        found = exercises.make_hints(self.exercise.play, self.cell)
        self.hint_count = min(self.hint_count + 1, len(found))
        self.hints_label.setText("\n".join(found[: self.hint_count]))

    def reveal_answer(self) -> None:
        """Show which option is right, in words and in the picture."""
        asked = self.prediction
        if asked is None or self.exercise is None:
            return
        chosen = self._option_group.checkedId()
        if chosen < 0:
            self.verdict_label.setText("Choose an option first.")
            return
        self.verdict_label.setText("Right." if chosen == asked.right else f"No: {asked.options[asked.right]}.")
        look = replace(self.animation_view.look, step=asked.step + 1, cell=asked.cell, colouring="state", shares={})
        hidden = self.exercise.hidden_cells(set(self.open_cells) - {asked.cell})
        self.animation_view.show_look(replace(look, blanks=hidden))

    def next_question(self) -> None:
        """Show the next question, or the first one after the last."""
        count = len(self.exercise.predictions) if self.exercise else 0
        self.question_number = (self.question_number + 1) % max(count, 1)
        self._show_question()

    def write_worksheet(self, path: Path) -> None:
        """Write a worksheet of this seed and the next ones with solutions; raise InputError on failure."""
        stage = walkthrough.load_walkthrough(self.method_box.currentData())
        assert stage is not None
        worksheet.save_worksheet(
            path, [exercises.make_exercise(stage, self.seed_box.value() + at) for at in range(WORKSHEET_EXERCISES)]
        )

    def save_worksheet(self) -> None:
        """Ask for a file and write the worksheet."""
        name = f"{self.method_box.currentData()}-worksheet.pdf"
        path = ask.save_path(self, "Save worksheet", name, "PDF (*.pdf)")
        if path is not None:
            ask.run_with_warning(self, "Save worksheet", lambda: self.write_worksheet(path))

    def _choose_clicked(self, cell: Cell | None) -> None:
        meant = [one for one in self.open_cells if self.exercise is not None and self.exercise.shown_cell(one) == cell]
        if meant:
            self.choose_cell(meant[0])

    def _show_table(self) -> None:
        assert self.exercise is not None
        place = self.exercise.shown_cell
        shares = dict.fromkeys(map(place, self.exercise.blanks), 0.3) | ({place(self.cell): 0.9} if self.cell else {})
        blanks = frozenset() if self.exercise.before else self.exercise.hidden_cells(self.open_cells)
        meaning = "to be filled in; the strongest colour is next"
        look = PlayLook(
            step=self.exercise.step,
            colouring="paths",
            tables=self.exercise.shown_tables,
            blanks=blanks,
            shares=shares,
            meaning=meaning,
        )
        self.animation_view.show_look(look)
        done = len(self.exercise.blanks) - len(self.open_cells)
        self.progress_label.setText(f"{done} of {len(self.exercise.blanks)} filled in")

    def _check_answer(self, text: str) -> None:
        if self.exercise is None or self.cell is None:
            return
        right = exercises.check_value(self.exercise.play, self.cell, text)
        self.answer_label.setText("" if right is None else "Right. Press Enter to continue." if right else "Not yet.")
        if right and self.cell in self.open_cells:
            self.open_cells.remove(self.cell)
            self._show_table()

    def _next_cell(self) -> None:
        if self.cell is not None and self.cell not in self.open_cells:
            self.choose_cell(self.open_cells[0] if self.open_cells else None)

    def _show_question(self) -> None:
        asked = self.prediction
        for option in self.option_buttons:
            self._option_group.removeButton(option)
            self._option_column.removeWidget(option)
            option.deleteLater()
        self.option_buttons = []
        self.verdict_label.setText("")
        self.question_label.setText(asked.question if asked else "This animation is too short for questions.")
        for at, words in enumerate(asked.options if asked else ()):
            option = QRadioButton(words)
            self._option_group.addButton(option, at)
            self._option_column.addWidget(option)
            self.option_buttons.append(option)

    def _fill_boxes(self) -> None:
        for method in self.methods:
            self.method_box.addItem(method.name, method)
        self.method_box.setAccessibleName("Method")
        self.seed_box.setRange(1, 9999)
        self.seed_box.setPrefix("seed ")
        self.seed_box.setAccessibleName("Seed")
        self.seed_box.setToolTip("Each seed gives one exercise")
        self.answer_line.setAccessibleName("Value")

    def _lay_out(self) -> None:
        inner = QWidget()
        hint, reveal, following = QPushButton("Hint"), QPushButton("Reveal"), QPushButton("Next question")
        hint.clicked.connect(self.show_hint)
        reveal.clicked.connect(self.reveal_answer)
        following.clicked.connect(self.next_question)
        self._option_column = column_of()
        blanks = (
            self.method_box,
            self.seed_box,
            create_label("Given", "muted"),
            self.given_label,
            self.progress_label,
            self.cell_label,
            self.answer_line,
            self.answer_label,
            hint,
            self.hints_label,
        )
        questions = (
            create_label("Predict, then reveal", "heading"),
            self.question_label,
            self._option_column,
            row_of(reveal, following),
        )
        side = column_of(*blanks, *questions, self.verdict_label, parent=inner)
        side.addStretch(1)
        card, middle = Card("Exercises"), Card("")
        middle.heading.hide()
        card.setFixedWidth(SIDE_WIDTH)
        tip = f"Save {WORKSHEET_EXERCISES} exercises and their solutions as PDF"
        card.header.addWidget(tool_button("Worksheet\u2026", tip, self.save_worksheet))
        card.box.addWidget(VerticalScrollArea(inner), 1)
        middle.box.addWidget(self.animation_view, 1)
        holder, self.folding = fold_page_side(self, card, SIDE_WIDTH)
        guard_from_wheel(card)
        row_of((middle, 1), holder, parent=self)
