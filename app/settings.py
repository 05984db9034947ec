"""What the window remembers between starts, and the folders where it does so.

The environment variable ANTIDIAG_FOLDER moves everything into one folder, so that a test, or a second
installation, leaves the user's own settings alone.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import platformdirs
from PySide6.QtCore import QByteArray, QSettings

FOLDER_VARIABLE = "ANTIDIAG_FOLDER"
RECENT_MAXIMUM = 12


def configuration_folder() -> Path:
    """Where the settings file lives."""
    return _folder() or Path(platformdirs.user_config_dir("antidiag"))


def data_folder() -> Path:
    """Where the session that was open last lives."""
    return _folder() or Path(platformdirs.user_data_dir("antidiag"))


def _folder() -> Path | None:
    value = os.environ.get(FOLDER_VARIABLE)
    return Path(value) if value else None


class Settings:
    """Typed values over one QSettings file (QSettings gives strings back unless it is told the type)."""

    def __init__(self) -> None:
        with contextlib.suppress(OSError):  # where nothing can be kept, settings last as long as the window
            configuration_folder().mkdir(parents=True, exist_ok=True)
        self._store = QSettings(str(configuration_folder() / "window.ini"), QSettings.Format.IniFormat)

    def text(self, name: str, default: str = "") -> str:
        return self._value(name, default)

    def number(self, name: str, default: int = 0) -> int:
        return self._value(name, default)

    def flag(self, name: str, default: bool = False) -> bool:
        return self._value(name, default)

    def blob(self, name: str) -> QByteArray:
        return self._value(name, QByteArray())

    def mapping(self, name: str) -> dict[str, Any]:
        """A JSON object; empty when there is none, or when somebody damaged it."""
        with contextlib.suppress(ValueError):
            found = json.loads(self.text(name) or "{}")
            if isinstance(found, dict):
                return found
        return {}

    def put(self, name: str, value: str | int | bool | QByteArray | Mapping[str, Any]) -> None:
        self._store.setValue(name, json.dumps(dict(value)) if isinstance(value, Mapping) else value)

    def recent_files(self) -> list[str]:
        """Files opened last, newest first."""
        found = self.mapping("recent").get("files", [])
        return [path for path in found if isinstance(path, str)]

    def add_recent(self, path: str) -> None:
        files = [path, *(known for known in self.recent_files() if known != path)]
        self.put("recent", {"files": files[:RECENT_MAXIMUM]})

    def clear_recent(self) -> None:
        self.put("recent", {"files": []})

    def save(self) -> None:
        self._store.sync()

    def _value(self, name: str, default: Any) -> Any:
        return self._store.value(name, default, type=type(default))
