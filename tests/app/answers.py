"""Answers to the questions of the window, in place of its dialogs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QWidget

from antidiag.app.kit.ask import SystemDialogs


class Answers(SystemDialogs):
    """Answers every question with what a test has set; keeps what was proposed and what was said."""

    def __init__(self) -> None:
        self.path: str | Path = ""
        self.filter = ""
        self.text: str | None = None
        self.number: int | None = None
        self.agrees = False
        self.proposed: list[Path] = []
        self.warnings: list[str] = []

    def choose_files(self, parent: QWidget, title: str, place: str, filters: str) -> list[str]:
        self.proposed.append(Path(place))
        return [str(self.path)] if self.path else []

    def choose_file(self, parent: QWidget, title: str, place: str, filters: str) -> str:
        self.proposed.append(Path(place))
        return str(self.path)

    def choose_folder(self, parent: QWidget, title: str, place: str) -> str:
        self.proposed.append(Path(place))
        return str(self.path)

    def choose_target(self, parent: QWidget, title: str, place: str, filters: str) -> tuple[str, str]:
        self.proposed.append(Path(place))
        return str(self.path), self.filter

    def ask_text(self, parent: QWidget, title: str, question: str, before: str = "", lines: bool = False) -> str | None:
        return self.text

    def ask_number(self, parent: QWidget, title: str, question: str, before: int, low: int, high: int) -> int | None:
        return self.number

    def ask_choice(self, parent: QWidget, title: str, question: str, choices: object) -> str | None:
        return self.text

    def confirm(self, parent: QWidget, title: str, question: str) -> bool:
        return self.agrees

    def show_warning(self, parent: QWidget, title: str, text: str) -> None:
        self.warnings.append(text)
