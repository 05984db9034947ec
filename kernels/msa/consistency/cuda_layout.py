"""Posteriors that stay on the device: entries as they are found, laid out there as compressed rows of both orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import blocks
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.msa.consistency import sparse
from antidiag.kernels.msa.consistency.cuda_sources import ENTRIES, LAYOUT_SOURCE, POSTERIORS, THREADS, WARPS
from antidiag.kernels.msa.consistency.sparse import Part


@dataclass(frozen=True, eq=False)
class OnDevice:
    """As `sparse.Posteriors`, on the current device; an entry is a word of column and units (``entries.cuh``)."""

    lengths: np.ndarray
    given: tuple[Any, ...]
    """POSTERIORS."""

    @property
    def count(self) -> int:
        """Number of sequences."""
        return self.lengths.size


@dataclass(frozen=True, eq=False)
class Found:
    """Entries of some pairs as they were found (ENTRIES); ``pairs``, int32 (k, 2), is on the host."""

    pairs: np.ndarray
    first_rows: Any
    begins: Any
    counts: Any
    totals: Any
    words: Any

    @classmethod
    def room(cls, pairs: np.ndarray, lengths: np.ndarray, entries: int) -> Found:
        """Room for so many entries of these pairs."""
        ends = np.concatenate([[0], np.cumsum(lengths[pairs[:, 0]])])
        rows = max(int(ends[-1]), 1)
        return cls(pairs, cupy.asarray(ends), cupy.empty(rows, np.int64), cupy.empty(rows, np.int32),
                   cupy.zeros(max(len(pairs), 1), np.int32), cupy.empty(max(entries, 1), np.uint32))  # fmt: skip

    @classmethod
    def of(cls, part: Part, lengths: np.ndarray) -> Found:
        """What the host has found."""
        m, entries = lengths[part.pairs[:, 0]], part.columns.size
        own = [part.pointers[row : row + length + 1] for row, length in zip(part.rows, m, strict=True)]
        begins = [begin + pointers[:-1] for begin, pointers in zip(part.begins, own, strict=True)]
        room = cls.room(part.pairs, lengths, entries)
        return replace(
            room,
            begins=cupy.asarray(np.concatenate([*begins, np.zeros(1, np.int64)])),
            counts=cupy.asarray(np.concatenate([*map(np.diff, own), np.zeros(1, np.int32)]).astype(np.int32)),
            totals=cupy.asarray(np.array([pointers[-1] for pointers in own], np.int32)),
            words=cupy.asarray(np.append(part.columns | part.units.astype(np.uint32) << 16, np.uint32(0))),
        )

    def struct(self, cursor: int, limit: int) -> tuple[Any, ...]:
        """ENTRIES; ``cursor`` is the address of the word that counts entries."""
        return ENTRIES(first_rows=self.first_rows, begins=self.begins, counts=self.counts, totals=self.totals,
                       capacity=self.words.size, cursor=cursor, words=self.words, limit=limit)  # fmt: skip

    def trimmed(self, entries: int) -> Found:
        """With no more room than so many entries take."""
        return replace(self, words=self.words[: max(entries, 1)].copy())


def laid_out(lengths: np.ndarray, parts: Sequence[Found], run: Run) -> OnDevice:
    """The pairs of all parts in both orders; pairs that are in none have no entries. As `cpu_stages.laid_out`."""
    n = lengths.size
    counts = np.zeros((n, n), np.int64)
    for part in parts:
        x, y = part.pairs.T
        counts[x, y] = counts[y, x] = part.totals.get()[: len(part.pairs)]
    rows, entries, pointers, total = sparse.offsets(lengths, counts)
    given = POSTERIORS(rows=run.up(rows), entries=run.up(entries), pointers=run.filled(max(pointers, 1), np.int32),
                       lengths=run.up(lengths.astype(np.int32)), words=run.empty(max(total, 1), np.uint32),
                       sequences=n)  # fmt: skip
    kernel = run.kernel(LAYOUT_SOURCE, "lay_out")
    for part in parts:
        run.monitor.check()
        pairs = np.ascontiguousarray(part.pairs, np.int32)
        grid = warps_grid(kernel, len(pairs))
        kernel((grid,), (THREADS,), (*given, *part.struct(0, 0), cupy.asarray(pairs), np.int64(len(pairs))))
    cupy.cuda.get_current_stream().synchronize()
    return OnDevice(lengths, given)


def warps_grid(kernel: Any, tasks: int, shared: int = 0) -> int:
    """Blocks of THREADS for so many tasks of a warp, as many as the device holds at a time at most."""
    return max(min(-(-tasks // WARPS), blocks.resident(kernel, THREADS, shared)), 1)
