"""Real files of every kind, sessions, sweeps and kept runs among them, damaged and read."""

from __future__ import annotations

from pathlib import Path


def attempt(seed: int, number: int, folder: Path, backend: str = "cpu") -> str:
    """Read one damaged file: "" where it was read, or refused with a reason."""
    from tests.attack import readers  # sessions need Qt, which other kinds of attack do without

    found = readers.attack(seed, number, folder)
    return found and " ".join(found.split("\n", 1)).strip()
