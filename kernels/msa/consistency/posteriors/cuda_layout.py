"""Posteriors on the device: entries as kernels find them, then compressed rows of both orders of each pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import block_limits
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.msa.consistency.posteriors import sparse_posteriors
from antidiag.kernels.msa.consistency.posteriors.cuda_sources import ENTRIES, LAYOUT_SOURCE, POSTERIORS, THREADS, WARPS
from antidiag.kernels.msa.consistency.posteriors.sparse_posteriors import CompressedPairs


@dataclass(frozen=True, eq=False)
class DevicePosteriors:
    """`SparsePosteriors` on the current device; an entry is a word of column and units (``entries.cuh``)."""

    lengths: np.ndarray
    given: tuple[Any, ...]
    """The arguments POSTERIORS."""

    @property
    def count(self) -> int:
        """Number of sequences."""
        return self.lengths.size


@dataclass(frozen=True, eq=False)
class DeviceEntries:
    """Entries of some pairs as kernels find them (ENTRIES); ``pairs`` int32 (k, 2) are on the host."""

    pairs: np.ndarray
    first_rows: Any
    begins: Any
    counts: Any
    totals: Any
    words: Any

    @classmethod
    def in_buffer(cls, run: DeviceRun, pairs: np.ndarray, lengths: np.ndarray, words: Any) -> DeviceEntries:
        """Allocate what tells where the entries of these pairs lie in ``words``."""
        ends = np.concatenate([[0], np.cumsum(lengths[pairs[:, 0]])])
        rows = max(int(ends[-1]), 1)
        return cls(
            pairs,
            first_rows=run.upload_array(ends),
            begins=run.allocate_array(rows, np.int64),
            counts=run.allocate_array(rows, np.int32),
            totals=run.allocate_filled(max(len(pairs), 1), np.int32),
            words=words,
        )

    @classmethod
    def upload_entries(cls, run: DeviceRun, part: CompressedPairs, lengths: np.ndarray) -> DeviceEntries:
        """Copy entries that the host has found to the device."""
        m = lengths[part.pairs[:, 0]]
        ends_of_pairs, begins_row = part.rows + m, np.ones(part.pointers.size, bool)
        begins_row[ends_of_pairs] = False
        begins = np.repeat(part.begins, m) + part.pointers[begins_row]
        counts = np.diff(part.pointers)[begins_row[:-1]]
        return cls(
            part.pairs,
            first_rows=run.upload_array(np.concatenate([[0], np.cumsum(m)])),
            begins=run.upload_array(np.append(begins, np.int64(0))),
            counts=run.upload_array(np.append(counts, np.int32(0))),
            totals=run.upload_array(part.pointers[ends_of_pairs]),
            words=run.upload_array(np.append(part.columns | part.units.astype(np.uint32) << 16, np.uint32(0))),
        )

    def download_entries(self, run: DeviceRun, lengths: np.ndarray) -> CompressedPairs:
        """Copy the entries to the host."""
        rows = int(lengths[self.pairs[:, 0]].sum())
        begins, counts = run.download_array(self.begins)[:rows], run.download_array(self.counts)[:rows]
        places = np.repeat(begins - sparse_posteriors.exclusive_sums(counts), counts) + np.arange(counts.sum())
        words = run.download_array(self.words)[places]
        columns, units = (words & 0xFFFF).astype(np.uint16), (words >> 16).astype(np.uint16)
        return sparse_posteriors.compress_rows(self.pairs, lengths, counts, columns, units)

    def pack_struct(self, cursor: int, limit: int) -> tuple[Any, ...]:
        """Return the arguments ENTRIES; ``cursor`` is the address of the word that counts entries."""
        return ENTRIES.from_object(self, capacity=self.words.size, cursor=cursor, limit=limit)

    def trim_entries(self, entries: int) -> DeviceEntries:
        """Return a copy with space for exactly ``entries`` entries."""
        return replace(self, words=self.words[: max(entries, 1)].copy())


def lay_out_pairs(lengths: np.ndarray, parts: Sequence[DeviceEntries], run: DeviceRun) -> DevicePosteriors:
    """Return the pairs of all parts in both orders; pairs that are in no part have no entries."""
    n = lengths.size
    counts = np.zeros((n, n), np.int64)
    for part in parts:
        x, y = part.pairs.T
        counts[x, y] = counts[y, x] = run.download_array(part.totals)[: len(part.pairs)]
    rows, entries, pointers, total = sparse_posteriors.compute_offsets(lengths, counts)
    given = POSTERIORS(
        rows=run.upload_array(rows),
        entries=run.upload_array(entries),
        pointers=run.allocate_filled(max(pointers, 1), np.int32),
        lengths=run.upload_array(lengths.astype(np.int32)),
        words=run.allocate_array(max(total, 1), np.uint32),
        sequences=n,
    )
    kernel = run.compile_kernel(LAYOUT_SOURCE, "lay_out")
    for part in parts:
        run.monitor.check()
        count = len(part.pairs)
        pairs = run.upload_array(np.ascontiguousarray(part.pairs, np.int32))
        kernel((count_blocks(kernel, count),), (THREADS,), (*given, *part.pack_struct(0, 0), pairs, np.int64(count)))
    cupy.cuda.get_current_stream().synchronize()
    return DevicePosteriors(lengths, given)


def count_blocks(kernel: Any, tasks: int) -> int:
    """Return the number of blocks for so many tasks of a warp, at most as many as the device holds at a time."""
    return max(min(-(-tasks // WARPS), block_limits.resident_blocks(kernel, THREADS, 0)), 1)
