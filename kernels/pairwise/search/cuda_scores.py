"""Scores of queries with the blocks of a database on the current GPU; copies and downloads run behind the kernels.

A block goes through four stages: its letters are copied on a second stream, arranged in columns of two sequences,
computed in half precision, and taken; then sequences whose score is too large for half precision are computed again in
32 bits. The next block is copied and launched before the scores of a block are taken, so that the GPU does not idle.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import block_limits, device_arrays, pinned_transfers
from antidiag.kernels.cuda.kernel_compiler import allow_shared_bytes
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.pairwise.search import cuda_shapes
from antidiag.kernels.pairwise.search.cuda_shapes import DatabaseParts, SearchKernelShape
from antidiag.kernels.pairwise.search.score_blocks import (
    PADDING,
    BlockScores,
    DatabaseBlock,
    ReportCells,
    SearchQueries,
)

HERE = Path(__file__).parent
SEARCH, COLUMNS = (HERE / "search.cu",), (HERE / "search_columns.cu",)

CELLS_A_MULTIPROCESSOR = 1 << 30
"""Cells of a launch for each multiprocessor: 30 ms on an H200."""
CELLS_WITHOUT_DPX = 1 << 28
"""The same on cards before Hopper, whose maxima take several instructions."""
LAUNCHES_AHEAD = 4
SHORTEST_PART = 1 << 13
"""Letters beyond which a sequence is cut into parts; a part is at least four times what parts have in common."""


LogBlock = Callable[[DatabaseBlock, float], None]
"""``log_block(block, milliseconds)`` hears that the kernels of a block have ended."""


@dataclass(frozen=True, eq=False)
class QueryTables:
    """Some queries on the device: of each its number, letters, shape, and table."""

    numbers: list[int]
    lengths: list[int]
    shapes: list[SearchKernelShape]
    tables: list[Any]


@dataclass(frozen=True, eq=False)
class DeviceParts:
    """The places of parts in the letters of a block, and of the columns of every ``per_stream`` parts, in fours.

    ``bounds`` are the starts on the host.
    """

    bounds: np.ndarray
    per_stream: int
    begins: Any
    lengths: Any
    starts: Any


@dataclass(eq=False)
class DeviceBlock:
    """A block on the device, its parts, and what is computed of it."""

    block: DatabaseBlock
    parts: DatabaseParts
    codes: Any
    on_device: DeviceParts
    columns: ColumnStreams | None = None
    scores: list[tuple[QueryTables, Any]] = field(default_factory=list)
    began: Any = None
    ended: Any = None


@dataclass(frozen=True, eq=False)
class ColumnStreams:
    """Columns of parts, ``per_stream`` of them side by side, and where they start (in fours)."""

    columns: Any
    starts: Any
    bounds: np.ndarray
    per_stream: int

    @property
    def count(self) -> int:
        """Streams."""
        return self.bounds.size - 1


class BlockSearcher:
    """Scores of some queries with blocks, on the current device."""

    def __init__(self, run: DeviceRun, queries: SearchQueries, report: ReportCells, log_block: LogBlock) -> None:
        self.run, self.queries, self.report, self.log_block = run, queries, report, log_block
        self.main = cupy.cuda.get_current_stream()
        self.beside = cupy.cuda.Stream(non_blocking=True)
        self.paired = cuda_shapes.fits_paired(queries)
        spans = [cuda_shapes.longest_span(query, queries) for query in queries.queries]
        self.overlap = None if None in spans else max(span for span in spans if span is not None)
        self.pending: deque[tuple[Any, int]] = deque()
        self.batches = self.cut_batches()
        self.kept_tables = self.upload_tables(self.batches[0], self.paired) if len(self.batches) == 1 else None

    def score_blocks(self, blocks: Iterable[DatabaseBlock]) -> Iterator[BlockScores]:
        """Yield the scores of every block, in the order of the blocks."""
        launched: DeviceBlock | None = None
        for block in blocks:
            copied = self.copy_block(block)
            self.launch_block(copied)
            if launched is not None:
                yield self.take_scores(launched)
            launched = copied
        if launched is not None:
            yield self.take_scores(launched)

    def copy_block(self, block: DatabaseBlock) -> DeviceBlock:
        """Copy a block to the device, behind the kernels that run."""
        part = max(SHORTEST_PART, 4 * (self.overlap or 0))
        parts = cuda_shapes.cut_into_parts(block.offsets, part, self.overlap)
        before = time.perf_counter()
        with self.beside:
            codes = device_arrays.allocate_array(block.codes.size, np.uint8)
            pinned_transfers.upload_rows(
                codes, lambda first, last, out: np.copyto(out, block.codes[first:last]), lambda: self.report(0)
            )
            on_device = self.upload_parts(parts, 2 if self.paired else 1)
        if not self.pending:
            self.run.add_time("transfer", (time.perf_counter() - before) * 1e3)
        return DeviceBlock(block, parts, codes, on_device)

    def upload_parts(self, parts: DatabaseParts, per_stream: int) -> DeviceParts:
        """Copy the places of parts in the letters, and those of their columns, on the current stream."""
        bounds = cuda_shapes.start_columns(parts.lengths, per_stream)
        return DeviceParts(bounds, per_stream, *device_arrays.upload_arrays(parts.begins, parts.lengths, bounds))

    def arrange_columns(self, codes: Any, parts: DeviceParts) -> ColumnStreams:
        """Launch the kernel that puts sequences side by side."""
        columns = device_arrays.allocate_array(4 * int(parts.bounds[-1]), np.uint32)
        kernel = self.run.compile_kernel(COLUMNS, "arrange_columns", PARTS=parts.per_stream, PADDING=PADDING)
        streams = parts.bounds.size - 1
        grid = min(-(-streams // 8), 16 * block_limits.multiprocessor_count())
        counts = np.uint32(parts.lengths.size), parts.starts, np.uint32(streams)
        kernel((grid,), (256,), (codes, parts.begins, parts.lengths, *counts, columns))
        return ColumnStreams(columns, parts.starts, parts.bounds, parts.per_stream)

    def launch_block(self, copied: DeviceBlock) -> None:
        """Launch all kernels of a block; at most a few are waiting at a time."""
        copied.began, copied.ended = cupy.cuda.Event(), cupy.cuda.Event()
        copied.began.record()
        copied.columns = self.arrange_columns(copied.codes, copied.on_device)
        for tables in self.batch_queries():
            shape = len(tables.numbers), copied.columns.count * copied.columns.per_stream
            scores = self.run.allocate_filled(shape, np.int32)
            for at in range(len(tables.numbers)):
                self.launch_query(copied.columns, tables, at, scores[at], is_counted=True)
            copied.scores.append((tables, scores))
        copied.ended.record()

    def batch_queries(self) -> Iterator[QueryTables]:
        """Yield queries whose tables are on the device at the same time; all at once where they fit."""
        if self.kept_tables is not None:
            yield self.kept_tables
        else:
            yield from (self.upload_tables(numbers, self.paired) for numbers in self.batches)

    def cut_batches(self) -> list[list[int]]:
        """Return the numbers of the queries whose tables fit into `PROFILE_BYTES` together, one query at least."""
        batches: list[list[int]] = [[]]
        nbytes = 0
        for number, query in enumerate(self.queries.queries):
            size = cuda_shapes.choose_shape(query.size, self.paired).bytes_of_tables(query.size)
            if batches[-1] and nbytes + size > cuda_shapes.PROFILE_BYTES:
                batches.append([])
                nbytes = 0
            batches[-1].append(number)
            nbytes += size
        return batches

    def upload_tables(self, numbers: list[int], paired: bool) -> QueryTables:
        """Copy the tables of some queries to the device."""
        queries = [self.queries.queries[number] for number in numbers]
        shapes = [cuda_shapes.choose_shape(query.size, paired) for query in queries]
        tables = device_arrays.upload_arrays(
            *(
                cuda_shapes.make_profile(query, self.queries, shape)
                for query, shape in zip(queries, shapes, strict=True)
            )
        )
        return QueryTables(numbers, [query.size for query in queries], shapes, list(tables))

    def launch_query(self, streams: ColumnStreams, tables: QueryTables, at: int, scores: Any, is_counted: bool) -> None:
        """Launch the strips of a query over all streams, in slices that take a moment a strip.

        Slices are as large as they may be: a launch ends with few groups at work.
        """
        shape, letters, table = tables.shapes[at], tables.lengths[at], tables.tables[at]
        strips = shape.count_strips(letters)
        kernel = self.compile_shape(shape, strips > 1)
        borders = self.make_borders(streams, shape) if strips > 1 else streams.columns  # not read
        slices = self.slice_streams(streams, shape.strip)
        tickets = self.run.allocate_filled(len(slices) * strips, np.uint32)
        minus_opening, minus_extension = self.encode_costs(shape.paired)
        blocks = shape.blocks_per_multiprocessor * block_limits.multiprocessor_count()
        groups_per_block = cuda_shapes.THREADS // shape.group
        for number, (first, last) in enumerate(slices):
            grid = max(min(blocks, -(-(last - first) // groups_per_block)), 1)
            columns = 4 * (int(streams.bounds[last]) - int(streams.bounds[first]))
            for strip in range(strips):
                arguments = (
                    *(streams.columns, streams.starts, np.uint32(first), np.uint32(last)),
                    tickets[number * strips + strip :],
                    table[strip],
                    *(minus_opening, minus_extension, borders, scores),
                )
                kernel((grid,), (cuda_shapes.THREADS,), arguments, shared_mem=shape.table_bytes)
                rows = min(letters - strip * shape.strip, shape.strip)
                self.note_launch(streams.per_stream * columns * rows if is_counted else 0)

    def compile_shape(self, shape: SearchKernelShape, has_strips: bool) -> Any:
        """Return the kernel of a shape; ``has_strips``: the query is longer than a strip."""
        kernel = self.run.compile_kernel(
            SEARCH,
            "search_block",
            GROUP=shape.group,
            ROWS=shape.rows,
            PAIRED=shape.paired,
            STRIPS=has_strips,
            THREADS=cuda_shapes.THREADS,
            BLOCKS=shape.blocks_per_multiprocessor,
            PADDING=PADDING,
        )
        allow_shared_bytes(kernel, shape.table_bytes)
        return kernel

    def make_borders(self, streams: ColumnStreams, shape: SearchKernelShape) -> Any:
        """Return what lies above the first strip: H and F of every column."""
        minus_opening, _ = self.encode_costs(shape.paired)
        borders = device_arrays.allocate_array(streams.columns.size, np.uint64)
        borders.fill(int(np.uint32(int(minus_opening) & 0xFFFFFFFF)))  # H below, F = 0 above in each word of 8 bytes
        return borders

    def encode_costs(self, paired: bool) -> tuple[Any, Any]:
        """Return minus opening and extension of a gap, and minus extension, as the kernel takes them."""
        opening, extension = self.queries.open + self.queries.extend, self.queries.extend
        if not paired:
            return np.int32(-opening), np.int32(-extension)
        half = 0x8000 | opening if opening else 0
        return np.uint32(half * 0x10001), np.uint32((-extension & 0xFFFF) * 0x10001)

    def slice_streams(self, streams: ColumnStreams, rows: int) -> list[tuple[int, int]]:
        """Return slices of the streams with about CELLS_A_MULTIPROCESSOR cells a multiprocessor."""
        has_dpx = block_limits.device_attributes().get("ComputeCapabilityMajor", 0) >= 9
        per_multiprocessor = CELLS_A_MULTIPROCESSOR if has_dpx else CELLS_WITHOUT_DPX
        cells = per_multiprocessor * block_limits.multiprocessor_count()
        fours = max(cells // (4 * streams.per_stream * rows), 1)
        targets = np.arange(fours, int(streams.bounds[-1]) + fours, fours)
        ends = np.unique(np.searchsorted(streams.bounds, targets, side="left").clip(max=streams.count))
        ends = ends[ends > 0].tolist()
        return list(zip([0, *ends[:-1]], ends, strict=True))

    def note_launch(self, cells: int) -> None:
        """Count the cells of earlier launches as done, so that few (LAUNCHES_AHEAD) are pending. Raises Cancelled."""
        event = cupy.cuda.Event(disable_timing=True)
        event.record()
        self.pending.append((event, cells))
        while len(self.pending) > LAUNCHES_AHEAD:
            self.wait_for_launch()

    def wait_for_launch(self) -> None:
        """Wait for the oldest launch that is pending."""
        event, cells = self.pending.popleft()
        event.synchronize()
        self.report(cells)

    def take_scores(self, computed: DeviceBlock) -> BlockScores:
        """Wait for a block, compute the scores that are too large for 16 bits again, and return all."""
        result = np.zeros((len(self.queries.queries), len(computed.block)), np.int32)
        with self.beside:
            self.beside.wait_event(computed.ended)
            for tables, scores in computed.scores:
                found = scores.get(stream=self.beside)[:, : computed.parts.lengths.size]
                for at, number in enumerate(tables.numbers):
                    if self.paired:
                        self.repeat_large(computed, number, found[at])
                    np.maximum.at(result[number], computed.parts.owners, found[at])
            self.beside.synchronize()
        self.log_block(computed.block, cupy.cuda.get_elapsed_time(computed.began, computed.ended))
        return BlockScores(computed.block, result)

    def repeat_large(self, computed: DeviceBlock, number: int, found: np.ndarray) -> None:
        """Compute the parts of a query whose score is inexact in half precision again, in 32 bits, into ``found``."""
        chosen = np.flatnonzero(found >= cuda_shapes.PAIRED_LIMIT)
        if not chosen.size:
            return
        parts = self.upload_parts(computed.parts.take(chosen), per_stream=1)
        streams = self.arrange_columns(computed.codes, parts)
        tables = self.upload_tables([number], paired=False)
        scores = self.run.allocate_filled(chosen.size, np.int32)
        self.launch_query(streams, tables, 0, scores, is_counted=False)
        found[chosen] = scores.get(stream=self.beside)

    def finish(self) -> None:
        """Wait for what was launched, so that nothing is freed in use."""
        self.main.synchronize()
        self.beside.synchronize()
        self.pending.clear()


def score_blocks(
    run: DeviceRun,
    queries: SearchQueries,
    blocks: Iterable[DatabaseBlock],
    report: ReportCells,
    log_block: LogBlock | None = None,
) -> Iterator[BlockScores]:
    """Yield the scores of every block (`BlockScorer`) on the current device.

    Parameters
    ----------
    run : DeviceRun
        Compiles, and takes the times: "compilation" and "transfer" (what is not hidden behind kernels).
    queries : SearchQueries
    blocks : iterable of DatabaseBlock
    report : callable
        Adds computed cells to the progress, and raises Cancelled.
    log_block : callable
        ``log_block(block, time_ms)`` receives each block and the time of its kernels; by default the phase "scores" of
        the run takes that time.
    """
    searcher = BlockSearcher(run, queries, report, log_block or (lambda block, spent: run.add_time("scores", spent)))
    try:
        yield from searcher.score_blocks(blocks)
        while searcher.pending:
            searcher.wait_for_launch()
    finally:
        searcher.finish()
