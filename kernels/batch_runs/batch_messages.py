"""Items and settings of a batch as the plain values of a message, with the bytes of files where workers see no disk."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from antidiag.kernels.batch_runs.batch_items import BatchItem
from antidiag.kernels.batch_runs.item_runs import INPUT_FILE, SETTING_FILE

SENT_BYTES = 64 << 20
"""Larger files are not sent to workers of other machines, which read them by their path."""


def pack_item(item: BatchItem, text_options: Iterable[str], sends: bool) -> Mapping[str, Any]:
    """Return an item as the values of a message; ``sends`` is whether its files travel with it."""
    files = {f"{INPUT_FILE}{number:06}": pack_file(path, sends) for number, path in enumerate(item.files)}
    return {
        "name": item.name,
        "data": item.data,
        "settings": plain_settings(item.settings),
        "files": {**files, **setting_files(item.settings, text_options, sends)},
    }


def setting_files(settings: Mapping[str, Any], names: Iterable[str], sends: bool) -> Mapping[str, Any]:
    """Return the files named by the settings of these names, such as a matrix, for a message."""
    named = {name: Path(settings[name]) for name in names if isinstance(settings.get(name), (str, Path))}
    return {f"{SETTING_FILE}{name}": pack_file(path, sends) for name, path in named.items() if path.is_file()}


def plain_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings for a message: paths as texts."""
    return {name: os.fspath(value) if isinstance(value, os.PathLike) else value for name, value in settings.items()}


def pack_file(path: Path, sends: bool) -> Mapping[str, Any]:
    """Return a file for a message: path, bytes and size; no bytes where workers are to read it, as large files."""
    try:
        size = path.stat().st_size
        if not sends or not path.is_file():
            return {"path": str(path), "content": None, "size": None}
        if size > SENT_BYTES:
            return {"path": str(path.absolute()), "content": None, "size": size}
        return {"path": str(path), "content": path.read_bytes(), "size": size}
    except OSError:  # the worker says why
        return {"path": str(path), "content": None, "size": None}
