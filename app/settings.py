"""The settings that the window keeps between starts, and the folders of its files.

The environment variable ANTIDIAG_FOLDER moves everything into one folder, so that a test, or a second
installation, leaves the user's own settings alone.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import platformdirs
from PySide6.QtCore import QByteArray, QSettings

FOLDER_VARIABLE = "ANTIDIAG_FOLDER"
RECENT_MAXIMUM = 12
FIRST_SAMPLE_SOURCES = "first_sample"
"""The setting that names the files of the sample of the first start, until own data are opened."""

THEME, SCALE, RESTORE = "theme", "scale", "restore"
FONT, FONT_SIZE, LETTER_FONT = "font", "font_size", "letter_font"
"""The font of the window and its size in points, and the font of sequences; "" and 0 for those of the program."""
VIEW_SETTINGS = "view_settings"
"""What views begin with, by their ids: colour schemes and maps, tracks, sizes of letters. They keep what was chosen
last under the same names."""
AUTOSAVE_SECONDS = "autosave_seconds"
START_FOLDER = "start_folder"
"""The folder in which dialogs begin; "" for the one used last."""
SHORTCUTS, RECENT_COMMANDS = "shortcuts", "recent_commands"
PREFERENCES = (
    THEME, SCALE, RESTORE, FONT, FONT_SIZE, LETTER_FONT, VIEW_SETTINGS, AUTOSAVE_SECONDS, START_FOLDER, SHORTCUTS,
)  # fmt: skip
"""Names of the settings that the user sets in the preferences."""


def configuration_folder() -> Path:
    """Return the folder of the settings file."""
    return _override_folder() or Path(platformdirs.user_config_dir("antidiag"))


def data_folder() -> Path:
    """Return the folder of the last session."""
    return _override_folder() or Path(platformdirs.user_data_dir("antidiag"))


def _override_folder() -> Path | None:
    value = os.environ.get(FOLDER_VARIABLE)
    return Path(value) if value else None


class Settings:
    """Typed access to a QSettings file, which returns strings unless the type is given."""

    def __init__(self) -> None:
        with contextlib.suppress(OSError):  # without a folder, settings last until the window closes
            configuration_folder().mkdir(parents=True, exist_ok=True)
        self._store = QSettings(str(configuration_folder() / "window.ini"), QSettings.Format.IniFormat)

    def text(self, name: str, default: str = "") -> str:
        """Return a text."""
        return self._value(name, default)

    def number(self, name: str, default: int = 0) -> int:
        """Return an integer."""
        return self._value(name, default)

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a truth value."""
        return self._value(name, default)

    def blob(self, name: str) -> QByteArray:
        """Return bytes, such as the state of a splitter."""
        return self._value(name, QByteArray())

    def mapping(self, name: str) -> dict[str, Any]:
        """Return a JSON object; empty if there is none or it is damaged."""
        with contextlib.suppress(ValueError):
            found = json.loads(self.text(name) or "{}")
            if isinstance(found, dict):
                return found
        return {}

    def put(self, name: str, value: str | int | bool | QByteArray | Mapping[str, Any]) -> None:
        """Store a value under a name."""
        self._store.setValue(name, json.dumps(dict(value)) if isinstance(value, Mapping) else value)

    def view_setting(self, view: str, name: str) -> Any:
        """Return what a view begins with; None if nothing was chosen."""
        found = self.mapping(VIEW_SETTINGS).get(view, {})
        return found.get(name) if isinstance(found, dict) else None

    def put_view_setting(self, view: str, name: str, value: Any) -> None:
        """Store what a view begins with, a plain value; None removes it."""
        every = self.mapping(VIEW_SETTINGS)
        before = every.get(view)
        chosen = {**(before if isinstance(before, dict) else {}), name: value}
        if value is None:
            del chosen[name]
        self.put(VIEW_SETTINGS, {**every, view: chosen})

    def forget(self, names: Iterable[str]) -> None:
        """Remove settings, so that their defaults hold again."""
        for name in names:
            self._store.remove(name)

    def recent_commands(self) -> list[str]:
        """Return what was chosen lately in the command search, the newest first."""
        found = self.mapping(RECENT_COMMANDS).get("keys", [])
        return [key for key in found if isinstance(key, str)]

    def recent_files(self) -> list[str]:
        """Return the recently opened files, the newest first."""
        found = self.mapping("recent").get("files", [])
        return [path for path in found if isinstance(path, str)]

    def add_recent(self, path: str) -> None:
        """Put a file at the top of the recent files."""
        files = [path, *(known for known in self.recent_files() if known != path)]
        self.put("recent", {"files": files[:RECENT_MAXIMUM]})

    def clear_recent(self) -> None:
        """Clear the recent files."""
        self.put("recent", {"files": []})

    def save(self) -> None:
        """Write the settings to disk."""
        self._store.sync()

    def _value(self, name: str, default: Any) -> Any:
        return self._store.value(name, default, type=type(default))
