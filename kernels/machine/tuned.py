"""Parameter values that a search found to be good on this machine: the defaults of later runs of the same size.

Kept in the user's data folder, by method, device and size of the problem. The automatic values of a method are
the starting point; a tuned value goes before them, and a value that the user gives goes before both.
"""

from __future__ import annotations

import json
import math
import os
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import platformdirs

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import files
from antidiag.kernels.method import Method
from antidiag.kernels.text import from_json
from antidiag.kernels.typed_fields import made

RANGE = 4
"""Values found for a problem are used for problems with a quarter to four times its cells: half to twice the length."""

_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class Tuned:
    """Good values for one method on one device (``backend``, ``device``: its name) and problems of some size.

    ``cells`` is the size of the problem they were found with, ``size`` the same for people; ``time_ms`` is the median
    time with these values and ``automatic_ms`` without; ``found`` the date.
    """

    method: str
    backend: str
    device: str
    cells: int
    size: str
    values: Mapping[str, Any]
    time_ms: float
    automatic_ms: float
    found: str

    @property
    def speedup(self) -> float:
        """How many times faster than with the automatic values."""
        return self.automatic_ms / self.time_ms

    def text(self) -> str:
        """For people: the values, and where they come from."""
        values = ", ".join(f"{name} = {value}" for name, value in self.values.items())
        return f"{values} (tuned on {self.found[:10]} for {self.size}: {self.speedup:.2f} x)"

    def distance(self, cells: int) -> float:
        """How far another size is from this one: the logarithm of their ratio."""
        return abs(math.log(max(cells, 1) / max(self.cells, 1)))


def kept() -> tuple[Tuned, ...]:
    """Everything that is kept."""
    try:
        return _parsed(*files.version(_path()))
    except (OSError, ValueError, TypeError, AttributeError):
        return ()


@lru_cache(maxsize=1)
def _parsed(path: Path, *version: int) -> tuple[Tuned, ...]:
    found = [made(Tuned, entry) for entry in from_json(path.read_bytes())]
    return tuple(one for one in found if 0 < one.time_ms < math.inf)


def find(method: Method, backend: str, device: str, cells: int) -> Tuned | None:
    """The values for a problem of so many cells: those found for the nearest size in range, or None.

    Values that the method does not take (any more) are left out.
    """
    near = [one for one in kept() if (one.method, one.backend, one.device) == (method.id, backend, device)]
    near = [one for one in near if one.distance(cells) <= math.log(RANGE) + 1e-9]
    if not near:
        return None
    best = min(near, key=lambda one: one.distance(cells))
    valid = {name: value for name, value in best.values.items() if _is_valid(method, name, value)}
    return Tuned(**{**asdict(best), "values": valid}) if valid else None


def keep(found: Tuned) -> None:
    """Keep values, in place of those for nearly the same size (within a factor of two in cells)."""
    with _LOCK:
        others = [
            one for one in kept() if not (_place(one) == _place(found) and found.distance(one.cells) <= math.log(2))
        ]
        _write((*others, found))


def reset(method_id: str | None = None) -> int:
    """Forget what was found for a method, or for all; how many entries that were."""
    with _LOCK:
        before = kept()
        left = tuple(one for one in before if method_id is not None and one.method != method_id)
        if len(left) < len(before):
            _write(left)
        return len(before) - len(left)


def forget(method_id: str, backend: str, device: str, cells: int) -> None:
    """Forget what would be used for a problem of so many cells."""
    with _LOCK:
        before = kept()
        left = tuple(
            one
            for one in before
            if _place(one) != (method_id, backend, device) or one.distance(cells) > math.log(RANGE) + 1e-9
        )
        if len(left) < len(before):
            _write(left)


def _place(one: Tuned) -> tuple[str, str, str]:
    return one.method, one.backend, one.device


def _is_valid(method: Method, name: str, value: Any) -> bool:
    """Whether it is a value of a parameter whose default the program chooses."""
    for parameter in method.parameters:
        if parameter.name == name and parameter.default is None and value is not None:
            try:
                parameter.validate(value)
            except ParameterError:
                return False
            return True
    return False


def _path() -> Path:
    return platformdirs.user_data_path("antidiag") / "tuned.json"


def _write(entries: tuple[Tuned, ...]) -> None:
    path = _path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        temporary.write_text(json.dumps([asdict(one) for one in entries], indent=1), encoding="utf-8")
        os.replace(temporary, path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}; free some space there") from None
