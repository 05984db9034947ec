"""The method that is recommended for a task, such as aligning two sequences; command line and Python choose by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from antidiag.kernels import registry
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.distance_files import DISTANCE_MATRIX
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.method import Method
from antidiag.kernels.registry import memory_advice

FEW_SEQUENCES = 200
"""Up to so many sequences, distances come from the best alignment of each pair; for more, from words they share."""
MANY_SEQUENCES = 20_000
"""From so many sequences on, trees come from PartTree, which needs no matrix of all distances."""
MANY_ROWS = 100_000
"""From so many rows of an alignment on, rows are placed, in memory that grows with their number."""

Choice = tuple[str, str]
"""The id of a method and why it is recommended, as a clause; "" for the usual method."""


@dataclass(frozen=True)
class MethodTask:
    """A task, the methods for it, and which of them is recommended.

    ``problems`` are the ids of the problem types whose methods solve the task, and ``usual`` is the recommended method
    of most data. ``choose(data, backend)`` recommends one for some data. ``explained`` are further methods that the
    help of the task explains.
    """

    id: str
    usual: str
    problems: tuple[str, ...]
    choose: Callable[[Sequence[Any], str], Choice | None] = field(default=lambda data, backend: None)
    explained: tuple[str, ...] = ()

    def methods(self) -> list[Method]:
        """Return the methods for the task; the usual one first."""
        return sorted(_methods_for(self.problems), key=lambda one: one.id != self.usual)

    def recommend(self, data: Sequence[Any], backend: str = "auto") -> tuple[Method, str]:
        """Return the recommended method for some data, and why as a clause ("" for the usual one)."""
        if backend == "auto":
            backend = "cuda" if devices.discover_devices()[0] else "cpu"
        chosen, reason = self.choose(data, backend) or (self.usual, "")
        return registry.find_method(chosen), reason

    def find(self, method_id: str) -> Method:
        """Return a method for the task by its id; raise ParameterError for an unknown one and one for another task."""
        method = registry.find_method(method_id)
        known = [one.id for one in self.methods()]
        if method.id not in known:
            raise ParameterError(f"{method.id} is no method for {self.id}; choose from {', '.join(known)}")
        return method


@cache
def _methods_for(problems: tuple[str, ...]) -> tuple[Method, ...]:
    """Return the methods for problem types of these ids."""
    return tuple(one for one in registry.METHODS if one.problem_type.id in problems)


def _suggest_among(*problems: str) -> Callable[[Sequence[Any], str], Choice | None]:
    """Return a function that asks the declarations of the methods of some problems which suits the data."""

    def choose(data: Sequence[Any], backend: str) -> Choice | None:
        found = memory_advice.suggest_method(_methods_for(problems), data, backend)
        return (found.method.id, found.reason) if found else None

    return choose


def _choose_distances(data: Sequence[Any], backend: str) -> Choice | None:
    """Recommend distances by the kind of the data and by the number of sequences."""
    if any(isinstance(datum, AlignedSequences) for datum in data):
        return "distance-alignment", "the sequences are aligned"
    if len(data) > FEW_SEQUENCES:
        return "distance-6mer", f"there are more than {FEW_SEQUENCES} sequences"
    return None


def _choose_tree(data: Sequence[Any], backend: str) -> Choice | None:
    """Recommend neighbor joining, of an alignment in one run, or what needs no matrix for very many sequences."""
    aligned = [datum for datum in data if isinstance(datum, AlignedSequences)]
    if aligned and len(aligned[0].names) >= MANY_ROWS:
        return "place-alignment", f"there are {MANY_ROWS:,} rows or more"
    if aligned:
        return "nj-alignment", "the sequences are aligned"
    if len(data) >= MANY_SEQUENCES:
        return "parttree", f"there are {MANY_SEQUENCES:,} sequences or more"
    return None


FAMILY_TASK = MethodTask(
    "msa", "msa", ("msa", "msa-thesis", "msa-clustalw", "msa-parttree"), _suggest_among("msa", "msa-parttree")
)
"""The alignment of a family of sequences."""

PAIR_BATCH_TASK = MethodTask("align", "batch-alignment", ("pair-batch",))
"""Many pairs at once, which the task "align" has beside one pair."""

TASKS: Mapping[str, MethodTask] = MappingProxyType(
    {
        task.id: task
        for task in (
            MethodTask(
                "align", "striped-alignment", ("pair", "edit-distance", "frame-alignment"), _suggest_among("pair")
            ),
            FAMILY_TASK,
            MethodTask(
                "tree",
                "nj-pruned",
                ("tree", "alignment-tree", "placed-alignment", "placed-sequences", "parttree"),
                _choose_tree,
                ("nj-alignment", "distance-full"),
            ),
            MethodTask(
                "distances",
                "distance-full",
                ("full-distances", "ktuple-distances", "6mer-distances", "alignment-distances"),
                _choose_distances,
                ("distance-alignment",),
            ),
            MethodTask("search", "smith-waterman-search", ("search",)),
            MethodTask("fold", "nussinov", ("folding",)),
            MethodTask("viterbi", "viterbi-persistent", ("viterbi",), _suggest_among("viterbi")),
        )
    }
)
"""Tasks that have a verb on the command line and a function in Python."""


def lacks_distances(data: Sequence[Any], method: Method) -> bool:
    """Return whether a method needs a matrix of distances and the data are none, but an alignment or sequences."""
    needed = [taken.kind for taken in method.problem_type.inputs if taken.minimum] == [DISTANCE_MATRIX]
    return needed and not any(isinstance(datum, DistanceMatrix) for datum in data)
