"""Tuned parameter values: those that a search found to be fastest on this machine, the defaults of later runs.

They lie in the user's data folder by method, device and size of the problem. A tuned value takes precedence over the
automatic one of the method, and a value that the user gives over both.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import platformdirs

from antidiag.kernels.atomic_write import open_atomic
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import files
from antidiag.kernels.method import Method
from antidiag.kernels.text import parse_json
from antidiag.kernels.typed_fields import make_checked

SIZE_RANGE = 4
"""Values are used for problems with a quarter to four times the cells, that is half to twice the length."""

_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class TunedValues:
    """Tuned values of one method, one device (``device`` is its name) and problems of about ``cells`` cells.

    ``size`` is the size as text; ``time_ms`` is the median time with these values and ``automatic_ms`` with the
    automatic ones; ``found`` is the date.
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
        """Return how many times faster a run is than with the automatic values."""
        return self.automatic_ms / self.time_ms

    def format_text(self) -> str:
        """Return the values, their date and their speedup as text."""
        values = ", ".join(f"{name} = {value}" for name, value in self.values.items())
        return f"{values} (tuned on {self.found[:10]} for {self.size}: {self.speedup:.2f} x)"

    def size_distance(self, cells: int) -> float:
        """Return the absolute logarithm of the ratio of another size to this one."""
        return abs(math.log(max(cells, 1) / max(self.cells, 1)))


def read_tuned() -> tuple[TunedValues, ...]:
    """Return all tuned values of this machine."""
    try:
        return _parse_tuned(*files.file_version(_tuned_path()))
    except (OSError, ValueError, TypeError, AttributeError):
        return ()


@lru_cache(maxsize=1)
def _parse_tuned(path: Path, *version: int) -> tuple[TunedValues, ...]:
    found = [make_checked(TunedValues, entry) for entry in parse_json(path.read_bytes())]
    return tuple(one for one in found if 0 < one.time_ms < math.inf)


def find_tuned(method: Method, backend: str, device: str, cells: int) -> TunedValues | None:
    """Return the values tuned for the nearest size in range of a problem of so many cells, or None.

    Values that the method does not accept any more are left out.
    """
    near = [one for one in read_tuned() if (one.method, one.backend, one.device) == (method.id, backend, device)]
    near = [one for one in near if one.size_distance(cells) <= math.log(SIZE_RANGE) + 1e-9]
    if not near:
        return None
    best = min(near, key=lambda one: one.size_distance(cells))
    valid = {name: value for name, value in best.values.items() if _is_valid_value(method, name, value)}
    return TunedValues(**{**asdict(best), "values": valid}) if valid else None


def save_tuned(tuned: TunedValues) -> None:
    """Save values in place of those for nearly the same size, within a factor of two in cells."""
    with _LOCK:
        others = [
            one
            for one in read_tuned()
            if not (
                _method_and_device(one) == _method_and_device(tuned) and tuned.size_distance(one.cells) <= math.log(2)
            )
        ]
        _write_tuned((*others, tuned))


def delete_tuned(method_id: str | None = None) -> int:
    """Delete the tuned values of a method, or of all methods; return how many entries were deleted."""
    with _LOCK:
        before = read_tuned()
        left = tuple(one for one in before if method_id is not None and one.method != method_id)
        if len(left) < len(before):
            _write_tuned(left)
        return len(before) - len(left)


def delete_tuned_for_size(method_id: str, backend: str, device: str, cells: int) -> None:
    """Delete the values that would be used for a problem of so many cells."""
    with _LOCK:
        before = read_tuned()
        left = tuple(
            one
            for one in before
            if _method_and_device(one) != (method_id, backend, device)
            or one.size_distance(cells) > math.log(SIZE_RANGE) + 1e-9
        )
        if len(left) < len(before):
            _write_tuned(left)


def _method_and_device(one: TunedValues) -> tuple[str, str, str]:
    return one.method, one.backend, one.device


def _is_valid_value(method: Method, name: str, value: Any) -> bool:
    """Return whether this is a valid value of a parameter that has no fixed default."""
    for parameter in method.parameters.declared():
        if parameter.name == name and parameter.default is None and value is not None:
            try:
                parameter.validate(value)
            except ParameterError:
                return False
            return True
    return False


@cache
def _tuned_path() -> Path:
    return platformdirs.user_data_path("antidiag") / "tuned.json"


def _write_tuned(entries: tuple[TunedValues, ...]) -> None:
    path = _tuned_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_atomic(path) as file:
            file.write(json.dumps([asdict(one) for one in entries], indent=1).encode())
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}; free some space there") from None
