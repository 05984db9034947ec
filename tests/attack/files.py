"""Real files of every kind, sessions, sweeps and kept runs among them, damaged and read; and round trips."""

from __future__ import annotations

from pathlib import Path

ROUND_TRIPS = 7
"""One attempt in so many writes drawn data and reads them again."""


def attempt(seed: int, number: int, folder: Path, backend: str = "cpu") -> str:
    """Read one damaged file: "" where it was read, or refused with a reason. Or write data, which must be read back."""
    if number % ROUND_TRIPS == ROUND_TRIPS - 1:
        from tests.attack import round_trips  # Hypothesis takes a while to be imported

        return round_trips.attempt(seed, number // ROUND_TRIPS, folder)
    from tests.attack import readers  # sessions need Qt, which other kinds of attack do without

    found = readers.attack(seed, number, folder)
    return found and " ".join(found.split("\n", 1)).strip()
