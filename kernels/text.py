"""Counts in words, for people."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """'1 edge', '2,000 edges'; ``many`` is the plural where it is not ``one`` with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
