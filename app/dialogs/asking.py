"""Questions before something is lost; every button says what it does, and nothing is lost by Enter."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget

ROLE = QMessageBox.ButtonRole


def close(parent: QWidget, jobs: int, kept: bool) -> bool:
    """Whether the window may close while so many jobs are not finished; ``kept``: what some have done stays."""
    what = "A job is" if jobs == 1 else f"{jobs} jobs are"
    rest = " What long runs have finished is kept." if kept else ""
    yes = "Cancel it and close" if jobs == 1 else "Cancel them and close"
    return _lost(parent, "Close Antidiag", f"{what} not finished.{rest}", yes, "Keep working")


def replace(parent: QWidget, results: int, name: str, save: Callable[[], object]) -> bool:
    """Whether a session may take the place of so many results; ``save`` saves them before, if that is wanted."""
    what = "1 result that is open is" if results == 1 else f"{results:,} results that are open are"
    text = f"The {what} closed by {name}."
    return _lost(parent, "Open session", text, "Close them and open", "Keep them", ("Save them first\u2026", save))


def discard(parent: QWidget, done: str) -> bool:
    """Whether what a run has computed may be lost; ``done`` says how much that is."""
    text = f"{done} and would have to be computed again."
    return _lost(parent, "Discard a run", text, "Discard it", "Keep it")


def _lost(
    parent: QWidget, title: str, text: str, yes: str, no: str, first: tuple[str, Callable[[], object]] | None = None
) -> bool:
    """Ask; whether the answer is yes. ``first`` is done instead where its button is pressed."""
    box = QMessageBox(QMessageBox.Icon.Question, title, text, parent=parent)
    instead: QPushButton | None = box.addButton(first[0], ROLE.ActionRole) if first else None
    agreed = box.addButton(yes, ROLE.DestructiveRole)
    box.setDefaultButton(box.addButton(no, ROLE.RejectRole))
    box.exec()
    if first and box.clickedButton() is instead:
        first[1]()
    return box.clickedButton() is agreed
