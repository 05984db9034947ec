"""Many encoded pairs in common arrays, one behind the other, as a GPU takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from antidiag.kernels.profiles.column_scores.scoring import EncodedProfiles

OWN, FACTORS, BIASES = ("m", "n", "shift", "origin"), ("rows", "columns"), ("row_bias", "column_bias")
COMMON = ("table", "kind", "factor", "offset", "mode", "by_column")
COSTS = ("row_open", "row_extend", "column_open", "column_extend")


@dataclass(frozen=True)
class ProfilePairBatch:
    """Pairs of one scoring and one mode.

    ``m`` and ``n`` are their columns, ``shift`` and ``origin`` those of `EncodedProfiles`; int64. The other fields of
    `EncodedProfiles` are flat arrays with all pairs in order, or equal for all pairs.
    """

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
    def join_pairs(cls, encoded_pairs: Sequences[EncodedProfiles]) -> ProfilePairBatch:
        """Join pairs that were encoded one by one."""

        def flat(name: str) -> np.ndarray:
            return np.concatenate([getattr(one, name).reshape(-1) for one in encoded_pairs])

        arrays: dict[str, Any] = {
            name: np.array([getattr(one, name) for one in encoded_pairs], np.int64) for name in OWN
        }
        arrays |= {name: flat(name) for name in (*FACTORS, *BIASES, *COSTS)}
        common = {name: getattr(encoded_pairs[0], name) for name in COMMON}
        return cls(**arrays, **common)

    @classmethod
    def concatenate_batches(cls, batches: Sequences[ProfilePairBatch]) -> ProfilePairBatch:
        """Concatenate batches."""
        if len(batches) == 1:
            return batches[0]
        arrays: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in batches])
            for name in (*OWN, *FACTORS, *BIASES, *COSTS)
        }
        return replace(batches[0], **arrays)

    def __len__(self) -> int:
        return len(self.m)

    @property
    def symbol_count(self) -> int:
        """Return the number of symbols."""
        return len(self.rows) // int(self.m.sum() + len(self.m))

    @property
    def linear(self) -> bool:
        """Return whether no gap costs anything to open."""
        return not (self.row_open.any() or self.column_open.any())

    def split_pairs(self) -> Iterator[EncodedProfiles]:
        """Yield every pair by itself, as views."""
        symbols = self.symbol_count
        steps = [
            _pair_slices(symbols * (self.m + 1)),
            _pair_slices(symbols * (self.n + 1)),
            _pair_slices(self.m + 1),
            _pair_slices(self.n + 1),
            _pair_slices(self.m),
            _pair_slices(self.m),
            _pair_slices(self.n),
            _pair_slices(self.n),
        ]
        arrays = [getattr(self, name) for name in (*FACTORS, *BIASES, *COSTS)]
        common: dict[str, Any] = {name: getattr(self, name) for name in COMMON}
        for number, (shift, origin) in enumerate(zip(self.shift.tolist(), self.origin.tolist(), strict=True)):
            rows, columns, *others = (array[step(number)] for array, step in zip(arrays, steps, strict=True))
            yield EncodedProfiles(  # type: ignore[misc]  # others are six
                rows.reshape(symbols, -1), columns.reshape(symbols, -1), *others, **common, shift=shift, origin=origin
            )


def _pair_slices(sizes: np.ndarray) -> Callable[[int], slice]:
    """Return a function from a pair's number to the slice of its numbers."""
    ends = np.cumsum(sizes).tolist()
    starts = [0, *ends]
    return lambda number: slice(starts[number], ends[number])
