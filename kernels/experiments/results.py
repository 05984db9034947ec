"""Results on disk: one JSON line a point, appended as it is measured, so that a kill loses nothing finished."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import platformdirs

from antidiag.kernels.errors import InputError
from antidiag.kernels.experiments import points
from antidiag.kernels.experiments.points import Point, Status
from antidiag.kernels.text import from_json

SUFFIX = ".jsonl"
SEARCH = "search"
"""The key that marks what is noted of a search: its points lie on no axes, and most of them ran once only."""


def folder() -> Path:
    """Where the experiments of this user are kept."""
    return platformdirs.user_data_path("antidiag") / "experiments"


@dataclass(frozen=True, slots=True)
class Kept:
    """What a file holds: the sweep that it belongs to, its points in order, and what could not be read of it."""

    sweep: Mapping[str, Any]
    points: tuple[Point, ...]
    warnings: tuple[str, ...] = ()

    @property
    def newest(self) -> tuple[Point, ...]:
        """The last point of every key, in the order in which the keys first appeared."""
        return tuple({(point.key, point.contender): point for point in self.points}.values())


class Store:
    """An append-only file of one sweep. A line is written whole and handed to the system before the next begins."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def begin(self, sweep: Mapping[str, Any]) -> None:
        """Note what is measured from here on; InputError where the file cannot be written."""
        self._append({"kind": "sweep", **sweep})

    def append(self, point: Point) -> None:
        """Keep a point; InputError where the disk does not take it."""
        self._append({"kind": "point", **point.data()})

    def read(self) -> Kept:
        """Everything in the file; an empty one where there is no file."""
        return read(self.path)

    def _append(self, data: Mapping[str, Any]) -> None:
        line = json.dumps(data, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "ab+") as file:
                if _ends_within_a_line(file):
                    line = b"\n" + line
                file.write(line)
        except OSError as error:
            why = f"{self.path}: cannot be written: {error.strerror or error}"
            raise InputError(f"{why}; free some space there, or make that folder writable") from None


def of(sweep_id: str) -> Store:
    """The store of the sweep with this identifier in the user's folder."""
    return Store(folder() / f"{sweep_id}{SUFFIX}")


def read(path: Path) -> Kept:
    """The points of a file; lines that are torn or strange are left out, and told in ``warnings``."""
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return Kept({}, ())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    sweep: Mapping[str, Any] = {}
    found: list[Point] = []
    warnings: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            data = from_json(line)
            if data["kind"] == "sweep":
                sweep = _record(data)
            else:
                found.append(points.from_data(data))
        except (ValueError, KeyError, TypeError, AttributeError):
            warnings.append(f"{path}, line {number}: {_complaint(number == len(lines))}")
    return Kept(sweep, tuple(found), tuple(warnings))


def _record(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a line says of a sweep, where its title can be made of it; TypeError or KeyError where not."""
    texts = [data.get(name, "") for name in ("title", "input")] + [*data.get("contenders", [])]
    texts += [axis["name"] for axis in data.get("axes", [])]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a title, a method or an axis is no text")
    return data


def measured_before(paths: Iterable[Path] | None = None) -> dict[str, Point]:
    """Every point that was measured with a right answer, the newest of each key; of all files by default.

    Those of searches do not count: a search runs what is slow only once.
    """
    found: dict[str, Point] = {}
    for path in sorted(folder().rglob(f"*{SUFFIX}")) if paths is None else paths:
        kept = read(path)
        for point in () if kept.sweep.get(SEARCH) else kept.points:
            older = found.get(point.key)
            if point.status is Status.MEASURED and (older is None or older.started <= point.started):
                found[point.key] = replace(point, reused=True)
    return found


def _ends_within_a_line(file: Any) -> bool:
    """Whether a process was killed while it wrote the last line."""
    if file.seek(0, os.SEEK_END) == 0:
        return False
    file.seek(-1, os.SEEK_END)
    return file.read(1) != b"\n"


def _complaint(is_last: bool) -> str:
    return "the last line was not finished and is left out" if is_last else "this line is no point and is left out"
