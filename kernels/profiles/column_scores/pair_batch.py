"""Many encoded pairs in common arrays, one behind the other, as a GPU takes them."""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from dataclasses import dataclass
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

    def __len__(self) -> int:
        return len(self.m)

    @property
    def symbol_count(self) -> int:
        """Return the number of symbols."""
        return len(self.rows) // int(self.m.sum() + len(self.m))

    @property
    def has_linear_gaps(self) -> bool:
        """Return whether no gap costs anything to open."""
        return not (self.row_open.any() or self.column_open.any())
