"""Files of measured points: one JSON line per point, appended when it is measured, so that a crash loses nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import platformdirs

from antidiag.kernels.errors import InputError
from antidiag.kernels.experiments.point_data import points
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus
from antidiag.kernels.text import parse_json

SUFFIX = ".jsonl"
SEARCH_KEY = "search"
"""Key that marks the record of a parameter search: its points have no axes, and most ran only once."""


def experiments_folder() -> Path:
    """Return the folder of this user's experiments."""
    return platformdirs.user_data_path("antidiag") / "experiments"


@dataclass(frozen=True, slots=True)
class StoredPoints:
    """Contents of a file: the record of its sweep, its points in order, and warnings about unreadable lines."""

    sweep: Mapping[str, Any]
    points: tuple[MeasuredPoint, ...]
    warnings: tuple[str, ...] = ()

    @property
    def newest_points(self) -> tuple[MeasuredPoint, ...]:
        """The last point of every key, in the order of the first appearance of the keys."""
        return tuple({(point.key, point.contender): point for point in self.points}.values())


class PointStore:
    """An append-only file of one sweep. Every line is flushed to the system before the next one."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def begin_sweep(self, sweep: Mapping[str, Any]) -> None:
        """Append the record of a sweep; raise InputError if the file cannot be written."""
        self._append({"kind": "sweep", **sweep})

    def append_point(self, point: MeasuredPoint) -> None:
        """Append a point; raise InputError if the file cannot be written."""
        self._append({"kind": "point", **point.to_json()})

    def read_points(self) -> StoredPoints:
        """Return the contents of the file; empty if there is no file."""
        return read_points(self.path)

    def _append(self, data: Mapping[str, Any]) -> None:
        line = json.dumps(data, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "ab+") as file:
                if _ends_inside_line(file):
                    line = b"\n" + line
                file.write(line)
        except OSError as error:
            why = f"{self.path}: cannot write the file: {error.strerror or error}"
            raise InputError(f"{why}; free disk space or make the folder writable") from None


def store_of_sweep(sweep_id: str) -> PointStore:
    """Return the store of a sweep by its identifier in the user's folder."""
    return PointStore(experiments_folder() / f"{sweep_id}{SUFFIX}")


def read_points(path: Path) -> StoredPoints:
    """Read the points of a file; damaged lines are skipped and listed in ``warnings``."""
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return StoredPoints({}, ())
    except OSError as error:
        raise InputError(f"{path}: cannot read the file: {error.strerror or error}") from None
    sweep: Mapping[str, Any] = {}
    found: list[MeasuredPoint] = []
    warnings: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            data = parse_json(line)
            if data["kind"] == "sweep":
                sweep = _check_sweep_record(data)
            else:
                found.append(points.point_from_json(data))
        except (ValueError, KeyError, TypeError, AttributeError):
            warnings.append(f"{path}, line {number}: {_explain_skipped_line(number == len(lines))}")
    return StoredPoints(sweep, tuple(found), tuple(warnings))


def _check_sweep_record(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the record of a sweep; raise TypeError or KeyError if its title cannot be made from it."""
    texts = [data.get(name, "") for name in ("title", "input")] + [*data.get("contenders", [])]
    texts += [axis["name"] for axis in data.get("axes", [])]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a title, a method or an axis is not a text")
    return data


def find_measured_points(paths: Iterable[Path] | None = None) -> dict[str, MeasuredPoint]:
    """Return the newest point with a correct answer for each key; reads all files of the user by default.

    Points of searches are ignored, because a search runs slow candidates only once.
    """
    found: dict[str, MeasuredPoint] = {}
    for path in sorted(experiments_folder().rglob(f"*{SUFFIX}")) if paths is None else paths:
        kept = read_points(path)
        for point in () if kept.sweep.get(SEARCH_KEY) else kept.points:
            older = found.get(point.key)
            if point.status is PointStatus.MEASURED and (older is None or older.started <= point.started):
                found[point.key] = replace(point, reused=True)
    return found


def _ends_inside_line(file: Any) -> bool:
    """Return whether the last line of a file is incomplete because a process was killed."""
    if file.seek(0, os.SEEK_END) == 0:
        return False
    file.seek(-1, os.SEEK_END)
    return file.read(1) != b"\n"


def _explain_skipped_line(is_last: bool) -> str:
    return "the last line is incomplete and was skipped" if is_last else "this line is not a point and was skipped"
