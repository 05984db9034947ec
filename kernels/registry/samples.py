"""Sample data that come with the program."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from antidiag.kernels import RESOURCES
from antidiag.kernels.errors import InputError
from antidiag.kernels.registry import data_loading


@dataclass(frozen=True, slots=True)
class BundledSample:
    """Sample data that come with the program; ``paths`` are in the order in which a method takes them."""

    id: str
    title: str
    description: str
    paths: tuple[Path, ...]
    source: str

    def read_data(self) -> list[Any]:
        """Read the data of all files of the sample."""
        return [datum for path in self.paths for datum in data_loading.read_data(path)]


@cache
def bundled_samples() -> tuple[BundledSample, ...]:
    """Return the samples of resources/samples/index.json; raise InputError if it cannot be read."""
    folder = RESOURCES / "samples"
    try:
        entries = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{folder / 'index.json'}: cannot read the list of samples: {error}; reinstall") from error
    return tuple(
        BundledSample(
            id=entry["id"],
            title=entry["title"],
            description=entry["description"],
            paths=tuple(folder / name for name in entry["files"]),
            source=entry["source"],
        )
        for entry in entries
    )


def find_sample(sample_id: str) -> BundledSample:
    """Return the sample with this identifier; raise InputError if there is none."""
    for candidate in bundled_samples():
        if candidate.id == sample_id:
            return candidate
    raise InputError(f"unknown sample {sample_id!r}; known samples: {', '.join(one.id for one in bundled_samples())}")
