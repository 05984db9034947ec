"""Questions to the user by dialogs of the system: files, texts, numbers, confirmations. Tests replace `dialogs`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from antidiag.app.settings import START_FOLDER, Settings
from antidiag.kernels.errors import InputError
from antidiag.kernels.model import Result

FOLDER = "folder"
"""The setting that keeps the folder of the last file that was opened or saved."""
MAX_NAME_LETTERS = 60


class SystemDialogs:
    """The dialogs themselves; each returns None (or nothing) where the user cancels."""

    def choose_files(self, parent: QWidget, title: str, place: str, filters: str) -> list[str]:
        """Return the files to open."""
        return QFileDialog.getOpenFileNames(parent, title, place, filters)[0]

    def choose_file(self, parent: QWidget, title: str, place: str, filters: str) -> str:
        """Return the file to open."""
        return QFileDialog.getOpenFileName(parent, title, place, filters)[0]

    def choose_folder(self, parent: QWidget, title: str, place: str) -> str:
        """Return a folder."""
        return QFileDialog.getExistingDirectory(parent, title, place)

    def choose_target(self, parent: QWidget, title: str, place: str, filters: str) -> tuple[str, str]:
        """Return the file to save to, and the chosen filter."""
        return QFileDialog.getSaveFileName(parent, title, place, filters)

    def ask_text(self, parent: QWidget, title: str, question: str, before: str = "", lines: bool = False) -> str | None:
        """Return a text, of several ``lines`` or one."""
        if lines:
            text, accepted = QInputDialog.getMultiLineText(parent, title, question, before)
        else:
            text, accepted = QInputDialog.getText(parent, title, question, text=before)
        return text if accepted else None

    def ask_number(self, parent: QWidget, title: str, question: str, before: int, low: int, high: int) -> int | None:
        """Return a whole number from ``low`` to ``high``."""
        number, accepted = QInputDialog.getInt(parent, title, question, before, low, high)
        return number if accepted else None

    def ask_choice(self, parent: QWidget, title: str, question: str, choices: Sequence[str]) -> str | None:
        """Return one of the choices; the first is proposed."""
        chosen, accepted = QInputDialog.getItem(parent, title, question, list(choices), 0, False)
        return chosen if accepted else None

    def confirm(self, parent: QWidget, title: str, question: str) -> bool:
        """Return whether the user agrees."""
        buttons = QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.Cancel
        return QMessageBox.question(parent, title, question, buttons) == QMessageBox.StandardButton.Yes

    def show_warning(self, parent: QWidget, title: str, text: str) -> None:
        """Show an error that the user has to know of."""
        QMessageBox.warning(parent, title, text)


dialogs = SystemDialogs()


def open_paths(parent: QWidget, title: str, filters: str) -> list[Path]:
    """Ask for files to open, in the last used folder."""
    return remember_folder([Path(path) for path in dialogs.choose_files(parent, title, _last_folder(), filters)])


def open_path(parent: QWidget, title: str, filters: str = "") -> Path | None:
    """Ask for a file to open, in the last used folder; None if the user cancels."""
    path = dialogs.choose_file(parent, title, _last_folder(), filters)
    return remember_folder([Path(path)])[0] if path else None


def open_folder(parent: QWidget, title: str) -> Path | None:
    """Ask for a folder, beginning with the last used one; None if the user cancels."""
    path = dialogs.choose_folder(parent, title, _last_folder())
    return _remember_folder(Path(path)) if path else None


def save_path(parent: QWidget, title: str, name: str, filters: str, known: Iterable[str] | None = None) -> Path | None:
    """Ask for a file to save to; None if the user cancels.

    ``name`` is proposed, in the last used folder. A file without one of the ``known`` suffixes gets that of the chosen
    filter, "PAF (*.paf)"; None stands for all suffixes.
    """
    path, chosen = dialogs.choose_target(parent, title, str(Path(_last_folder()) / name), filters)
    if not path:
        return None
    suffix = (chosen or filters.partition(";;")[0]).rpartition("*")[2].rstrip(")")
    complete = Path(path).suffix if known is None else any(path.lower().endswith(ending) for ending in known)
    return remember_folder([Path(path if complete or not suffix.startswith(".") else path + suffix)])[0]


def open_and_use(parent: QWidget, title: str, filters: str, use_file: Callable[[Path], object]) -> None:
    """Ask for a file and pass its path to ``use_file``; show an InputError as a warning."""
    path = open_path(parent, title, filters)
    if path is not None:
        run_with_warning(parent, title, lambda: use_file(path))


def run_with_warning(parent: QWidget, title: str, action: Callable[[], object]) -> bool:
    """Run an action and return whether it worked; show an InputError as a warning."""
    try:
        action()
    except InputError as error:
        dialogs.show_warning(parent, title, str(error))
        return False
    return True


def suggest_name(shown: Any, fallback: str, part: str = "") -> str:
    """Return a name for a file of a result or a datum without suffix, such as ``kringle-msa`` and ``kringle-tree``.

    It has the name of the file that the data came from, or the names of the data; the method of a result; and the
    ``part`` of it that is saved. ``fallback`` stands for what has no name.
    """
    result = isinstance(shown, Result)
    data = shown.problem.data if result else () if shown is None else (shown,)
    words = [_name_data(data), shown.method if result else "", part]
    return join_name(*(words if words[0] or words[1] else [fallback]))


def join_name(*words: str) -> str:
    """Return words as a name for a file without suffix, joined by hyphens; other signs become underscores."""
    text = "-".join(filter(None, words))
    name = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in text)
    return name[:MAX_NAME_LETTERS].strip("_") or "figure"


def _name_data(data: Sequence[Any]) -> str:
    """Return the name of the file that data came from; of data of several files, or of none, their own names."""
    if not len(data):
        return ""
    ends = [data[0], data[-1]] if len(data) > 1 else [data[0]]
    sources = {getattr(datum, "source", "") for datum in ends}
    if len(sources) == 1 and (source := sources.pop()):
        return Path(source.removesuffix(".gz")).stem
    names = [getattr(datum, "name", "") for datum in ends[: 1 if len(data) > 2 else 2]]
    return "-".join(filter(None, names))


def _last_folder() -> str:
    """Return the folder in which a dialog begins: the one of the preferences, else the one used last."""
    settings = Settings()
    folder = settings.text(START_FOLDER) or settings.text(FOLDER)
    return folder if folder and Path(folder).is_dir() else str(Path.home())


def remember_folder(paths: list[Path]) -> list[Path]:
    """Begin the next dialog in the folder of the first path; return the paths."""
    if paths:
        _remember_folder(paths[0].absolute().parent)
    return paths


def _remember_folder(folder: Path) -> Path:
    """Begin the next dialog in this folder; return it."""
    Settings().put(FOLDER, str(folder))
    return folder
