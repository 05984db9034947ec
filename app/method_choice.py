"""Which method the data lead to, as long as the user has chosen none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernels.io.sequences import SEQUENCE
from kernels.method import Method
from kernels.registry import advice
from kernels.registry.advice import Suggestion


def first(methods: Sequence[Method]) -> Method:
    """The first method that returns an alignment: it shows more than a score."""
    return next((method for method in methods if "alignment" in method.returns), methods[0])


def better(methods: Sequence[Method], method: Method, data: Sequence[Any], backend: str) -> Suggestion | None:
    """Another method of the same problem to begin with for these data; None where this one is as good."""
    alike = [other for other in methods if other.problem is method.problem]
    found = advice.suited(alike, data, backend)
    if found is None and method.suits:
        found = Suggestion(first(alike), f"{method.name} is made for data of another size")
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
    inputs = method.problem.inputs
    aligns = {"alignment", "score"} & set(method.returns) and all(taken.kind is SEQUENCE for taken in inputs)
    count = sum(taken.maximum or 0 for taken in inputs)
    return count if aligns and count > 1 else 0


def taker(methods: Sequence[Method], method: Method | None, datum: Any) -> Method | None:
    """The first method that takes a datum; None where the one that is chosen does, or none."""
    takers = [other for other in methods if any(taken.kind.takes(datum) for taken in other.problem.inputs)]
    return None if method in takers else next(iter(takers), None)
