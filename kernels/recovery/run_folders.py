"""Folders of interrupted runs: the manifest, and the process that computes the run."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from antidiag.kernels.atomic_write import open_atomic
from antidiag.kernels.text import parse_json

MANIFEST = "run.json"
OTHER_HOST_TIMEOUT_S = 3600
"""A run of another machine that wrote nothing for so long counts as interrupted."""
RENAMED_MANIFEST = re.compile(r"run\.json\.taken-(\d+)-\w+")
"""A manifest that the process of this number has renamed for a moment, while it takes over the run."""


def restore_manifest(path: Path) -> None:
    """Put back the manifest that a process renamed before it died."""
    if (path / MANIFEST).exists():
        return
    for file in path.iterdir():
        if (found := RENAMED_MANIFEST.fullmatch(file.name)) and not psutil.pid_exists(int(found[1])):
            os.rename(file, path / MANIFEST)


def read_manifest(path: Path) -> dict[str, Any]:
    """Return the manifest in a folder; OSError or ValueError where there is none."""
    return parse_json((path / MANIFEST).read_bytes())


def write_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    """Replace the manifest in a folder."""
    with open_atomic(path / MANIFEST) as file:
        file.write(json.dumps(manifest, indent=1).encode())


def describe_process() -> dict[str, Any]:
    """Return the host, the number and the start time of this process; a number alone may be used again."""
    return {"host": platform.node(), "process": os.getpid(), "since": psutil.Process().create_time()}


def is_running(owner: Mapping[str, Any] | None, saved: float) -> bool:
    """Return whether the process that owns a run still computes it; ``saved`` is when it last wrote, in seconds."""
    if owner is None:
        return False
    if owner["host"] != platform.node():
        return time.time() - saved < OTHER_HOST_TIMEOUT_S
    try:
        process = psutil.Process(owner["process"])
        return abs(process.create_time() - owner["since"]) < 1 and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def release_run(place: Path) -> None:
    """Write into the manifest that no process computes the run."""
    with contextlib.suppress(OSError):
        write_manifest(place, {**read_manifest(place), "owner": None})


def remove_folder(path: Path) -> None:
    """Remove a folder, the manifest first, so that a half-removed folder is no run."""
    with contextlib.suppress(OSError):
        (path / MANIFEST).unlink(missing_ok=True)
    shutil.rmtree(path, ignore_errors=True)
