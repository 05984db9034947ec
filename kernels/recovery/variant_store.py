"""The store of a run that computes several variants of a problem, such as both strands, one after another.

All variants write to the parts of one run; each part names its variant, and each variant sees its own parts alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from antidiag.kernels.monitor import CheckpointStore

VARIANT = "variant"
"""Fact of a part: the number of its variant."""


@dataclass
class SharedParts:
    """The parts of one run by variant: ``numbers[v]`` are the numbers of the parts of variant v in the store."""

    store: CheckpointStore
    variant_count: int
    numbers: dict[int, list[int]] = field(default_factory=dict)
    restored: dict[int, list[Any]] | None = None
    part_count: int = 0

    def restore(self, check: Callable[[], None]) -> Mapping[int, list[Any]]:
        """Return the parts of the interrupted run by variant; they are read once."""
        if self.restored is None:
            self.restored = {}
            for part in self.store.parts(check):
                variant = part.facts[VARIANT]
                self.restored.setdefault(variant, []).append(part)
                self.note_part(variant)
        return self.restored

    def note_part(self, variant: int) -> None:
        """Note that the next part of the store belongs to a variant."""
        self.numbers.setdefault(variant, []).append(self.part_count)
        self.part_count += 1


@dataclass
class VariantStore:
    """A `kernels.monitor.CheckpointStore` of one variant."""

    shared: SharedParts
    variant: int

    @property
    def failure(self) -> str:
        """Why nothing more can be written, or ""."""
        return self.shared.store.failure

    @property
    def fraction(self) -> float:
        """How much of the whole run is saved."""
        return self.shared.store.fraction

    @property
    def is_save_due(self) -> bool:
        """Whether it is time to save what has been finished."""
        return self.shared.store.is_save_due

    def parts(self, check: Callable[[], None] = lambda: None) -> Iterator[Any]:
        """Yield the parts of this variant that the interrupted run left, in order."""
        yield from self.shared.restore(check).get(self.variant, [])

    def save(
        self,
        facts: Mapping[str, Any],
        arrays: Mapping[str, np.ndarray],
        fraction: float,
        ready: Callable[[], None] = lambda: None,
    ) -> Future[None]:
        """Begin to write a part, after which ``fraction`` of this variant is done."""
        self.shared.note_part(self.variant)
        whole = (self.variant + fraction) / self.shared.variant_count
        return self.shared.store.save({**facts, VARIANT: self.variant}, arrays, whole, ready)

    def saved(self, number: int) -> Any:
        """Read a part of this variant by its number, from 0."""
        return self.shared.store.saved(self.shared.numbers[self.variant][number])

    def wait(self, check: Callable[[], None], future: Future[None]) -> None:
        """Wait until a part is written."""
        self.shared.store.wait(check, future)
