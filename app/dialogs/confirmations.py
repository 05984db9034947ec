"""Confirmations before data is lost; each button names its action, and Enter loses nothing."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget

from antidiag.kernels.text import format_count

ROLE = QMessageBox.ButtonRole


def confirm_close(parent: QWidget, jobs: int, parts_saved: bool) -> bool:
    """Ask whether the window may close with unfinished jobs; ``parts_saved``: finished parts of some stay."""
    what = "A job is" if jobs == 1 else f"{jobs} jobs are"
    rest = " Finished parts of long runs are kept." if parts_saved else ""
    yes = "Cancel it and close" if jobs == 1 else "Cancel them and close"
    return _confirm_loss(parent, "Close Antidiag", f"{what} not finished.{rest}", yes, "Keep working")


def confirm_replace(parent: QWidget, results: int, name: str, save: Callable[[], object]) -> bool:
    """Ask whether a session may replace so many results; ``save`` saves them first if wanted."""
    text = f"Opening {name} closes {format_count(results, 'open result')}."
    return _confirm_loss(
        parent, "Open session", text, "Close them and open", "Keep them", ("Save them first\u2026", save)
    )


def confirm_discard(parent: QWidget, progress_text: str) -> bool:
    """Ask whether the partial result of a run may be lost; ``progress_text`` says how much it is."""
    text = f"{progress_text} and would have to be computed again."
    return _confirm_loss(parent, "Discard a run", text, "Discard it", "Keep it")


def confirm_letters(parent: QWidget, doubt: str) -> bool:
    """Ask whether letters that may be no sequence are read as one; ``doubt`` says why they may be something else."""
    text = f"This may not be one sequence.\n\n{doubt}."
    return _confirm_loss(parent, "Open letters", text, "Read as one sequence", "Leave it out")


def _confirm_loss(
    parent: QWidget, title: str, text: str, yes: str, no: str, first: tuple[str, Callable[[], object]] | None = None
) -> bool:
    """Ask and return whether the answer is yes; the button of ``first`` runs its action first."""
    box = QMessageBox(QMessageBox.Icon.Question, title, text, parent=parent)
    instead: QPushButton | None = box.addButton(first[0], ROLE.ActionRole) if first else None
    agreed = box.addButton(yes, ROLE.DestructiveRole)
    box.setDefaultButton(box.addButton(no, ROLE.RejectRole))
    box.exec()
    if first and box.clickedButton() is instead:
        first[1]()
    return box.clickedButton() is agreed
