"""Which method the data lead to, as long as the user has chosen none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence as Letters
from antidiag.kernels.registry import memory_advice
from antidiag.kernels.registry.memory_advice import MethodSuggestion


def first(methods: Sequence[Method]) -> Method:
    """The first method that returns an alignment: it shows more than a score."""
    return next((method for method in methods if "alignment" in method.returns), methods[0])


def better(methods: Sequence[Method], method: Method, data: Sequence[Any], backend: str) -> MethodSuggestion | None:
    """Another method of the same problem to begin with for these data; None where this one is as good."""
    alike = [other for other in methods if other.problem_type is method.problem_type]
    found = memory_advice.suggest_method(alike, data, backend)
    if found is None and method.is_recommended_for:
        found = MethodSuggestion(first(alike), f"{method.name} is made for data of another size")
    return found if found and found.method is not method else None


def rest(methods: Sequence[Method], method: Method | None, count: int) -> str:
    """That a method aligns some of the ``count`` sequences only, where another family aligns all; '' otherwise."""
    taken = _aligns(method) if method else 0
    family = next((other.family for other in methods if _aligns(other) == count), "")
    if not method or not 0 < taken < count or not family:
        return ""
    return (
        f"{method.name} takes {taken} of the {count} sequences that are open; methods of the family {family} take all."
    )


def _aligns(method: Method) -> int:
    """How many sequences a method aligns; 0 where that is no fixed number, or where it does something else."""
    inputs = method.problem_type.inputs
    aligns = {"alignment", "score"} & set(method.returns) and all(taken.kind is SEQUENCE for taken in inputs)
    count = sum(taken.maximum or 0 for taken in inputs)
    return count if aligns and count > 1 else 0


def for_opened(
    methods: Sequence[Method],
    method: Method | None,
    opened: Sequence[Any],
    by_hand: bool = False,
    sample: bool = False,
    counts: Mapping[type, int] | None = None,
) -> Method | None:
    """The method that data which were opened together lead to; None where the chosen one is as good.

    A method that the user chose is left only where it takes none of the data, or not all of a ``sample``. Any other one
    is left for one that takes more of them: all rather than some, with nothing missing, made for data of this size,
    with the very number of sequences, and with an alignment of sequences as the answer. ``counts`` says how many of
    each type there are, for who knows: to count a million takes the window a while.
    """
    counts = Counter(map(type, opened)) if counts is None else counts
    kinds = [next(datum for datum in opened if type(datum) is kind) for kind in counts]
    numbered = [(datum, counts[type(datum)]) for datum in kinds]
    if not opened or (by_hand and method and _stays(method, opened, numbered, sample)):
        return None
    if len(opened) == 1 and isinstance(opened[0], Letters):
        return _for_one(methods, method, opened[0])
    able = [other for other in methods if all(_takes(other, datum) for datum in kinds)]
    ranks = {other.id: _rank(other, opened, numbered) for other in able}
    best = max(ranks.values(), default=None)
    if best is None or (method and ranks.get(method.id) == best):
        return None
    found = next(other for other in able if ranks[other.id] == best)
    return None if method and method.problem_type is found.problem_type else found


def _for_one(methods: Sequence[Method], method: Method | None, opened: Letters) -> Method | None:
    """One sequence may be the first of several: it leads to a method that is made for it, or that takes any."""
    made = next((other for other in methods if other.is_recommended_for and other.is_recommended_for([opened])), None)
    if made or (method and _takes(method, opened)):
        return None if made is method else made
    return first([other for other in methods if _takes(other, opened)] or methods)


def _stays(method: Method, opened: Sequence[Any], kinds: Sequence[tuple[Any, int]], whole: bool) -> bool:
    """Whether a method that the user chose stays: it takes some of the data; with ``whole`` all, and lacks none."""
    taken = [_takes(method, datum) for datum, _ in kinds]
    return all(taken) and all(_rank(method, opened, kinds)[:2]) if whole else any(taken)


def _takes(method: Method, datum: Any) -> bool:
    return any(taken.kind.accepts(datum) for taken in method.problem_type.inputs)


def _rank(
    method: Method, opened: Sequence[Any], kinds: Sequence[tuple[Any, int]]
) -> tuple[bool, bool, int, bool, bool]:
    """What makes a method a good one to begin with for data, the most important first; ``kinds`` are a datum of each
    type and how many of it there are."""
    counts = [
        (taken, sum(count for datum, count in kinds if taken.kind.accepts(datum)))
        for taken in method.problem_type.inputs
    ]
    room = all(count <= (taken.maximum or count) for taken, count in counts)
    whole = all(count >= taken.minimum for taken, count in counts)
    suits = 0 if method.is_recommended_for is None else 1 if method.is_recommended_for(opened) else -1
    letters = [(taken, count) for taken, count in counts if taken.kind is SEQUENCE and count]
    exact = any(count == taken.maximum for taken, count in letters)
    return room, whole, suits, exact, bool(letters) and "alignment" in method.returns
