"""Chooses a method that suits the data, unless the user has chosen one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from antidiag.app.session.state import State
from antidiag.app.texts import family_name
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence as Letters
from antidiag.kernels.model import SequenceType
from antidiag.kernels.registry import memory_advice
from antidiag.kernels.registry.memory_advice import MethodSuggestion
from antidiag.kernels.sequences.sequence_set import take_sequences

MOST_EXAMINED = 1000
"""Sequences whose types are compared at most."""


def first_alignment_method(methods: Sequence[Method]) -> Method:
    """Return the first method that returns an alignment, or else the first method."""
    return next((method for method in methods if "alignment" in method.returns), methods[0])


def find_better_method(
    methods: Sequence[Method], method: Method, data: Sequence[Any], backend: str
) -> MethodSuggestion | None:
    """Return a method of the same problem that suits the data better; None if there is none."""
    candidates = [other for other in methods if other.problem_type is method.problem_type]
    found = memory_advice.suggest_method(candidates, data, backend)
    if found is None and method.is_recommended_for:
        found = MethodSuggestion(first_alignment_method(candidates), f"{method.name} suits data of another size")
    return found if found and found.method is not method else None


def unused_sequences_note(methods: Sequence[Method], method: Method | None, count: int) -> str:
    """Return a note if a method aligns only some of ``count`` sequences and another family aligns all; else ''."""
    taken = _count_aligned(method) if method else 0
    family = next((other.family for other in methods if _count_aligned(other) == count), "")
    if not method or not 0 < taken < count or not family:
        return ""
    name = family_name(family)
    return f"{method.name} aligns {taken} of the {count} open sequences; methods of the family {name} align all."


def suggest_for_all(methods: Sequence[Method], method: Method, state: State) -> MethodSuggestion | None:
    """Return a method that takes all open data, where the chosen one leaves sequences out or lacks other data.

    Of selected rows, those are meant. None if the chosen method takes them all, or if no method does.
    """
    problem = method.problem_type
    sequences = take_sequences(state.sequences, state.rows(None)) if state.subset else state.sequences
    count = len(sequences)
    letters = next((taken for taken in problem.inputs if taken.kind is SEQUENCE), None)
    used = count if letters is None or letters.maximum is None else min(letters.maximum, count)
    lacking = bool(state.missing(problem))
    if used == count and not lacking:
        return None
    if count and len({sequence.type == SequenceType.PROTEIN for sequence in sequences[:MOST_EXAMINED]}) > 1:
        return None
    opened = sequences if count else state.data
    counts: dict[type, int] | None = {Letters: count} if count else None
    found = choose_for_opened(methods, None, opened, counts=counts) if len(opened) else None
    if found is None or found.problem_type is problem or state.missing(found.problem_type):
        return None
    taken = next((one for one in found.problem_type.inputs if one.kind is SEQUENCE), None)
    if count and (taken is None or (taken.maximum is not None and taken.maximum < count)):
        return None
    which = "selected" if state.subset else "open"
    what = f"all {count:,} {which} sequences" if count > 1 else "the open data"
    least = f"{method.name} uses {used:,}" if not lacking else f"{method.name} needs {problem.describe_inputs()}"
    return MethodSuggestion(found, f"takes {what}; {least}")


def _count_aligned(method: Method) -> int:
    """Return how many sequences a method aligns; 0 if the number is not fixed or it does not align."""
    inputs = method.problem_type.inputs
    aligns = {"alignment", "score"} & set(method.returns) and all(taken.kind is SEQUENCE for taken in inputs)
    count = sum(taken.maximum or 0 for taken in inputs)
    return count if aligns and count > 1 else 0


def choose_for_opened(
    methods: Sequence[Method],
    method: Method | None,
    opened: Sequence[Any],
    by_hand: bool = False,
    sample: bool = False,
    counts: Mapping[type, int] | None = None,
) -> Method | None:
    """Return the method that suits data opened together best; None if the chosen one is as good.

    A method chosen by the user (``by_hand``) is replaced only if it takes none of the data, or not all of a ``sample``.
    Any other is replaced by one that takes more of the data; then that lacks no input; then that is recommended for
    this size; then that takes exactly this number of sequences; then that returns an alignment. ``counts`` are the
    numbers of data by type, if known: counting a million would delay the window.
    """
    counts = Counter(map(type, opened)) if counts is None else counts
    kinds = [next(datum for datum in opened if type(datum) is kind) for kind in counts]
    numbered = [(datum, counts[type(datum)]) for datum in kinds]
    if not opened or (by_hand and method and _keeps_method(method, opened, numbered, sample)):
        return None
    if len(opened) == 1 and isinstance(opened[0], Letters):
        return _choose_for_one(methods, method, opened[0])
    able = [other for other in methods if all(_accepts_datum(other, datum) for datum in kinds)]
    ranks = {other.id: _rank_method(other, opened, numbered) for other in able}
    best = max(ranks.values(), default=None)
    if best is None or (method and ranks.get(method.id) == best):
        return None
    found = next(other for other in able if ranks[other.id] == best)
    return None if method and method.problem_type is found.problem_type else found


def _choose_for_one(methods: Sequence[Method], method: Method | None, opened: Letters) -> Method | None:
    """Return the method for a single sequence, which may be the first of several."""
    made = next((other for other in methods if other.is_recommended_for and other.is_recommended_for([opened])), None)
    if made or (method and _accepts_datum(method, opened)):
        return None if made is method else made
    return first_alignment_method([other for other in methods if _accepts_datum(other, opened)] or methods)


def _keeps_method(method: Method, opened: Sequence[Any], kinds: Sequence[tuple[Any, int]], whole: bool) -> bool:
    """Return whether a method chosen by the user stays: it takes some data, or with ``whole`` all and lacks none."""
    taken = [_accepts_datum(method, datum) for datum, _ in kinds]
    return all(taken) and all(_rank_method(method, opened, kinds)[:2]) if whole else any(taken)


def _accepts_datum(method: Method, datum: Any) -> bool:
    return any(taken.kind.accepts(datum) for taken in method.problem_type.inputs)


def _rank_method(
    method: Method, opened: Sequence[Any], kinds: Sequence[tuple[Any, int]]
) -> tuple[bool, bool, int, bool, bool]:
    """Return the criteria that compare methods for data, the most important first; ``kinds`` are a datum of each type
    and their number."""
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
