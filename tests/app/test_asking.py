"""Questions before something is lost: each button does what it says, and Enter and Escape lose nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from antidiag.app.dialogs import confirmations


def answered(qtbot: Any, ask: Callable[[QWidget], bool], answer: str | Qt.Key) -> tuple[bool, list[str]]:
    """The answer to a question, by the button of these words or by a key; and the words of all buttons."""
    parent, words = QWidget(), []
    qtbot.addWidget(parent)

    def press() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        words.extend(button.text() for button in box.buttons())
        if isinstance(answer, str):
            next(button for button in box.buttons() if button.text() == answer).click()
        else:
            qtbot.keyClick(box, answer)

    QTimer.singleShot(0, press)
    return ask(parent), words


QUESTIONS = {
    "Cancel it and close": ("Keep working", lambda parent: confirmations.confirm_close(parent, 1, False)),
    "Cancel them and close": ("Keep working", lambda parent: confirmations.confirm_close(parent, 3, True)),
    "Close them and open": (
        "Keep them",
        lambda parent: confirmations.confirm_replace(parent, 2, "session", lambda: None),
    ),
    "Discard it": ("Keep it", lambda parent: confirmations.confirm_discard(parent, "67 %")),
}


@pytest.mark.parametrize("yes", QUESTIONS)
def test_only_the_button_that_says_so_loses_something(qtbot: Any, yes: str) -> None:
    no, ask = QUESTIONS[yes]
    agreed, words = answered(qtbot, ask, yes)
    assert agreed and {yes, no} <= set(words)
    for answer in (no, Qt.Key.Key_Return, Qt.Key.Key_Escape):
        assert not answered(qtbot, ask, answer)[0], answer


def test_results_can_be_saved_before_and_stay(qtbot: Any) -> None:
    saved: list[bool] = []
    ask = lambda parent: confirmations.confirm_replace(parent, 1, "session", lambda: saved.append(True))  # noqa: E731
    assert not answered(qtbot, ask, "Save them first\u2026")[0] and saved == [True]
