"""PresenterView: what the speaker sees on the own screen: the text of this scene, the next scene, and the time."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea, QWidget

from antidiag.app import theme
from antidiag.app.kit.boxes import column_of, row_of
from antidiag.app.kit.controls.widgets import Card, create_label
from antidiag.app.learn.lecture.lecture_player import KEYS_TIP, LecturePlayer

SIZE = 1100, 660
SMALLEST_TEXT, LARGEST_TEXT, FIRST_TEXT = 10, 40, 17
"""Sizes of the speaker's text in pixels: least, greatest, and at first."""
TICK_MS = 500
END_TEXT = "This is the last page."


class PresenterView(QWidget):
    """Shows the speaker's text of the page of a player, and the next page; all keys control the player.

    ``closed``: the window was closed.
    """

    closed = Signal()

    def __init__(self, player: LecturePlayer) -> None:
        super().__init__()
        self.player = player
        self.setWindowTitle(f"{player.lecture.title} - Presenter view")
        self.title_label, self.place_label, self.time_label = QLabel(), create_label("", "muted"), QLabel()
        self.points_label, self.notes_label, self.end_label = QLabel(), QLabel(), create_label(END_TEXT, "muted")
        self.next_player = LecturePlayer(player.lecture)
        self.back_button, self.next_button = QPushButton("Back"), QPushButton("Next")
        self.restart_button = QPushButton("Restart clock")
        self.smaller_button, self.larger_button = QPushButton("A\N{MINUS SIGN}"), QPushButton("A+")
        self._text_pixels, self._begun = FIRST_TEXT, time.monotonic()
        self._timer = QTimer(self, interval=TICK_MS)
        self._timer.timeout.connect(self._show_time)
        self._timer.start()
        self._lay_out()
        player.scene_changed.connect(lambda _: self.show_page())
        player.answer_shown.connect(self.show_page)
        self.back_button.clicked.connect(player.go_back)
        self.next_button.clicked.connect(player.go_forward)
        self.restart_button.clicked.connect(self.restart_clock)
        self.smaller_button.clicked.connect(lambda: self.scale_text(-2))
        self.larger_button.clicked.connect(lambda: self.scale_text(2))
        for button in self.findChildren(QPushButton):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # keys belong to the lecture
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.show_page()

    def show_page(self) -> None:
        """Show the texts of the player's page, and the page after it."""
        player, number = self.player, self.player.page_number
        self.title_label.setText(player.title_label.text())
        self.points_label.setText(player.points_label.text())
        self.notes_label.setText(self._speaker_text())
        self.place_label.setText(f"{number + 1} of {player.page_count}")
        there = number + 1 < player.page_count
        self.next_player.setVisible(there)
        self.end_label.setVisible(not there)
        if there:
            self.next_player.show_scene(number + 1)
            self.next_player.controls.go_to(self.next_player.last_tick)

    def restart_clock(self) -> None:
        """Count the time from now on."""
        self._begun = time.monotonic()
        self._show_time()

    def scale_text(self, by: int) -> None:
        """Make the speaker's text larger or smaller by so many pixels."""
        self._text_pixels = min(max(self._text_pixels + by, SMALLEST_TEXT), LARGEST_TEXT)
        self.notes_label.setStyleSheet(f"font-size: {self._text_pixels}px;")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.player.handle_key(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self._timer.stop()
        self.closed.emit()

    def _speaker_text(self) -> str:
        """Return the speaker's text; of a question its answer, so that the speaker has it before the audience."""
        question = self.player.current_question
        if question is None:
            return self.player.notes_label.text()
        answer = self.player.lecture.fill_question(question)[1]
        return f"Answer: {answer}\n\n{self.player.notes_label.text()}"

    def _show_time(self) -> None:
        seconds = round(time.monotonic() - self._begun)
        self.time_label.setText(f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}")

    def _lay_out(self) -> None:
        self.resize(*SIZE)
        self.setToolTip(KEYS_TIP)
        for label in (self.title_label, self.points_label, self.notes_label):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.title_label.setObjectName("title")
        self.time_label.setObjectName("title")
        self.notes_label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.scale_text(0)
        notes_area = QScrollArea()
        notes_area.setWidget(self.notes_label)
        notes_area.setWidgetResizable(True)
        notes_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.next_player.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.next_player.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for widget in self.next_player.findChildren(QWidget):
            widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        here, following = Card("This scene"), Card("Next")
        for part in (self.title_label, self.points_label):
            here.box.addWidget(part)
        here.box.addWidget(notes_area, 1)
        following.box.addWidget(self.next_player, 1)
        following.box.addWidget(self.end_label)
        tools = row_of(
            self.back_button,
            self.next_button,
            self.place_label,
            (QWidget(), 1),
            self.smaller_button,
            self.larger_button,
            self.restart_button,
            self.time_label,
        )
        box = column_of((row_of((here, 1), (following, 1)), 1), tools, parent=self)
        box.setContentsMargins(theme.MARGIN, theme.MARGIN, theme.MARGIN, theme.MARGIN)
        self.next_button.setObjectName("primary")
        self._show_time()
