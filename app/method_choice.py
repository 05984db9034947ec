"""Which method the data lead to, as long as the user has chosen none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernels.io.sequences import SEQUENCE
from kernels.method import Input, Method
from kernels.model import Sequence as Letters
from kernels.model import SequenceType
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


def for_sequences(methods: Sequence[Method], method: Method | None, found: Sequence[Letters]) -> Method | None:
    """The method that sequences which were opened together lead to, the number of which the chosen one does not take.

    Three are for a method of three, more than that for one that aligns any number, a single RNA for one that takes one;
    None where the chosen method takes so many, or where no method takes them alone.
    """
    count = len(found)
    chosen = _sequences_of(method) if method else None
    if (chosen and chosen.minimum <= count <= (chosen.maximum or count)) or count == 2 or not count:
        return None
    if count == 1 and found[0].type is not SequenceType.RNA:
        return None
    takers = [other for other in methods if _takes_alone(other, count)]
    exact = [other for other in takers if _sequences_of(other).maximum == count]
    aligning = [other for other in exact or takers if "alignment" in other.returns]
    return next(iter(aligning or exact or takers), None)


def _sequences_of(method: Method) -> Input | None:
    return next((taken for taken in method.problem.inputs if taken.kind is SEQUENCE), None)


def _takes_alone(method: Method, count: int) -> bool:
    """Whether so many sequences are all that a method needs."""
    taken = _sequences_of(method)
    others = any(other.minimum for other in method.problem.inputs if other is not taken)
    return bool(taken and not others and taken.minimum <= count <= (taken.maximum or count))
