"""Names of taxa: each once, because a tree, a matrix and their files tell taxa apart by nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Sequences

import numpy as np

from antidiag.kernels.courtesy import give_way, in_turns

SHOWN = 3
"""Names that a note tells."""
BATCH = 10_000
"""Names that are looked at at a time: between these other threads go on."""


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The names, of equal ones the first as it is and the others with _2, _3, ...: each is there once."""
    names = tuple(in_turns(names))
    if _all_differ(names):
        return names
    taken = set(in_turns(names))
    if len(taken) == len(names):
        return names
    seen: set[str] = set()
    next_number: dict[str, int] = {}
    found = []
    for name in in_turns(names):
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


def _all_differ(names: Sequences[str]) -> bool:
    """Whether the hashes of all names differ, and so the names; a set of a million would hold the interpreter."""
    hashes = np.empty(len(names), np.int64)
    for at in range(0, len(names), BATCH):
        part = names[at : at + BATCH]
        hashes[at : at + len(part)] = list(map(hash, part))
        give_way()
    hashes.sort()
    return bool((hashes[1:] != hashes[:-1]).all())


def first_repeated(names: Sequences[str]) -> tuple[int, int] | None:
    """The numbers of the first two equal names; None where all differ."""
    places: dict[str, int] = {}
    for number, name in enumerate(names):
        if (before := places.setdefault(name, number)) != number:
            return before, number
    return None


def renaming(before: Iterable[str], after: Iterable[str]) -> str:
    """What `distinct` changed, in words; "" for nothing."""
    changed = [new for old, new in in_turns(zip(before, after, strict=True)) if old != new]
    if not changed:
        return ""
    told = ", ".join(changed[:SHOWN]) + (", ..." if len(changed) > SHOWN else "")
    return f"equal names made different: {told}"
