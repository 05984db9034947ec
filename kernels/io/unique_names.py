"""Unique names of taxa: a tree, a matrix and their files identify taxa by name alone."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Sequences

SHOWN_NAMES = 3
"""Names that a note lists."""


def make_names_unique(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of which each occurs once: of equal ones the first stays and the others get _2, _3, ..."""
    names = tuple(names)
    taken = {name for name in names}  # noqa: C416 - set(names) would hold the GIL, and a window, for 100 ms of a million
    if len(taken) == len(names):
        return names
    seen: set[str] = set()
    next_number: dict[str, int] = {}
    found = []
    for name in names:
        if name in seen:
            number = next_number.get(name, 2)
            while f"{name}_{number}" in taken:
                number += 1
            next_number[name] = number + 1
            name = f"{name}_{number}"
            taken.add(name)
        seen.add(name)
        found.append(name)
    return tuple(found)


def name_without_spaces(name: str) -> str:
    """Return a name with underscores for white space."""
    return "_".join(name.split()) or "unnamed"


def names_of_titles(titles: Sequences[str]) -> list[str]:
    """Return the name of each title: its first word, or the whole title where several begin with that word and differ.

    A name is "" where the title is.
    """
    words = [(title.split(None, 1) or [""])[0] for title in titles]
    if len({word for word in words}) == len(words):  # noqa: C416 - as in `make_names_unique`
        return words
    whole: dict[str, set[str]] = {}
    for word, title in zip(words, titles, strict=True):
        whole.setdefault(word, set()).add(" ".join(title.split()))
    return [
        " ".join(title.split()) if len(whole[word]) > 1 else word for word, title in zip(words, titles, strict=True)
    ]


def first_repeated(names: Sequences[str]) -> tuple[int, int] | None:
    """Return the numbers of the first two equal names; None where all differ."""
    places: dict[str, int] = {}
    for number, name in enumerate(names):
        if (before := places.setdefault(name, number)) != number:
            return before, number
    return None


def describe_renaming(old_names: Iterable[str], new_names: Iterable[str]) -> str:
    """Describe what `make_names_unique` changed; "" for nothing."""
    changed = [new for old, new in zip(old_names, new_names, strict=True) if old != new]
    if not changed:
        return ""
    shown = ", ".join(changed[:SHOWN_NAMES]) + (", ..." if len(changed) > SHOWN_NAMES else "")
    return f"equal names made different: {shown}"
