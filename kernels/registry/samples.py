"""Real data that ship with the program."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from antidiag.kernels import RESOURCES
from antidiag.kernels.errors import InputError
from antidiag.kernels.registry import loading


@dataclass(frozen=True, slots=True)
class Sample:
    """Real data that ship with the program; ``paths`` in the order that a method takes them."""

    id: str
    title: str
    description: str
    paths: tuple[Path, ...]
    source: str

    def read(self) -> list[Any]:
        """The data of all its files: sequences in most."""
        return [datum for path in self.paths for datum in loading.read(path)]


@cache
def samples() -> tuple[Sample, ...]:
    """The bundled samples, as resources/samples/index.json lists them; InputError where that cannot be read."""
    folder = RESOURCES / "samples"
    try:
        entries = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{folder / 'index.json'}: cannot read the list of samples: {error}; reinstall") from error
    return tuple(
        Sample(
            id=entry["id"],
            title=entry["title"],
            description=entry["description"],
            paths=tuple(folder / name for name in entry["files"]),
            source=entry["source"],
        )
        for entry in entries
    )


def sample(sample_id: str) -> Sample:
    """The sample with this identifier; InputError with the known ones when there is none."""
    for candidate in samples():
        if candidate.id == sample_id:
            return candidate
    raise InputError(f"unknown sample {sample_id!r}; known samples: {', '.join(one.id for one in samples())}")
