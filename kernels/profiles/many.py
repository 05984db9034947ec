"""Many pairs in whole numbers, the numbers of each behind those of the one before: as a GPU takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from antidiag.kernels.profiles.scoring import Encoded

OWN, FACTORS, BIASES = ("m", "n", "shift", "origin"), ("rows", "columns"), ("row_bias", "column_bias")
COMMON = ("table", "kind", "factor", "offset", "mode", "by_column")
COSTS = ("row_open", "row_extend", "column_open", "column_extend")


@dataclass(frozen=True)
class Many:
    """Pairs of one scoring and one mode. ``m`` and ``n`` are their columns, ``shift`` and ``origin`` what `Encoded` has
    of each; int64. All others of `Encoded` are arrays of one dimension, in which those of each pair follow each other,
    or the same of all pairs."""

    m: np.ndarray
    n: np.ndarray
    shift: np.ndarray
    origin: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    row_bias: np.ndarray
    column_bias: np.ndarray
    row_open: np.ndarray
    row_extend: np.ndarray
    column_open: np.ndarray
    column_extend: np.ndarray
    table: np.ndarray
    kind: int
    factor: int
    offset: int
    mode: int
    by_column: bool

    @classmethod
    def of(cls, made: Sequences[Encoded]) -> Many:
        """Of pairs that were made one by one."""

        def flat(name: str) -> np.ndarray:
            return np.concatenate([getattr(one, name).reshape(-1) for one in made])

        arrays: dict[str, Any] = {name: np.array([getattr(one, name) for one in made], np.int64) for name in OWN}
        arrays |= {name: flat(name) for name in (*FACTORS, *BIASES, *COSTS)}
        common = {name: getattr(made[0], name) for name in COMMON}
        return cls(**arrays, **common)

    @classmethod
    def joined(cls, parts: Sequences[Many]) -> Many:
        """The pairs of all parts, in their order."""
        if len(parts) == 1:
            return parts[0]
        arrays: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in (*OWN, *FACTORS, *BIASES, *COSTS)
        }
        return replace(parts[0], **arrays)

    def __len__(self) -> int:
        return len(self.m)

    @property
    def symbols(self) -> int:
        return len(self.rows) // int(self.m.sum() + len(self.m))

    @property
    def linear(self) -> bool:
        """Whether no gap costs anything to open."""
        return not (self.row_open.any() or self.column_open.any())

    def each(self) -> Iterator[Encoded]:
        """Every pair by itself; its arrays are views."""
        symbols = self.symbols
        steps = [
            _parts(symbols * (self.m + 1)), _parts(symbols * (self.n + 1)), _parts(self.m + 1), _parts(self.n + 1),
            _parts(self.m), _parts(self.m), _parts(self.n), _parts(self.n),
        ]  # fmt: skip
        arrays = [getattr(self, name) for name in (*FACTORS, *BIASES, *COSTS)]
        common: dict[str, Any] = {name: getattr(self, name) for name in COMMON}
        for number, (shift, origin) in enumerate(zip(self.shift.tolist(), self.origin.tolist(), strict=True)):
            rows, columns, *others = (array[step(number)] for array, step in zip(arrays, steps, strict=True))
            yield Encoded(  # type: ignore[misc]  # others are six
                rows.reshape(symbols, -1), columns.reshape(symbols, -1), *others, **common, shift=shift, origin=origin
            )


def _parts(sizes: np.ndarray) -> Callable[[int], slice]:
    """Where the numbers of each pair are."""
    ends = np.cumsum(sizes).tolist()
    starts = [0, *ends]
    return lambda number: slice(starts[number], ends[number])
