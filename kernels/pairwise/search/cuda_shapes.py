"""How the GPU kernel of a search cuts a query into lanes and strips, and the tables that it reads.

NumPy only, so that cost estimates need no GPU. A *shape* is a group of lanes, the rows that each lane holds, and the
arithmetic: two sequences a register in half precision and 16 bits (scores below `PAIRED_LIMIT`), or one in 32 bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.pairwise.search.score_blocks import LETTER_CODES, PADDING, SearchQueries

PAIRED_LIMIT = 2048
"""Scores below it are exact in half precision; a sequence that reaches it is computed again in 32 bits."""
LARGEST_PAIRED = 1024
"""Scores and costs up to it may be computed in half precision."""
NO_SCORE = -(2**29)
"""Score of `PADDING` in 32 bits."""
GROUPS = (4, 8, 16, 32)
THREADS = 256
STEP_COST = 14.0
"""Cost of a column beside its rows, in integer instructions that take two clocks each (counted in the machine code)."""
ROW_COST = 7.0
STRIP_COST = 1300.0
"""Cost of a column of a strip whose borders go through memory, whatever the group."""
FEW_WARPS_COST = 1.1
"""Factor of shapes whose registers leave room for half of the warps."""
SMALL_GROUP_COST = 1.2
"""Factor of groups of four lanes: eight groups of a warp read their columns at eight places."""
PROFILE_BYTES = 1 << 28
"""Bytes of the tables of the queries that are computed together with a block."""
TABLE_BYTES = 1 << 16
"""The most bytes of the scores of a strip: offsets have 16 bits."""


@dataclass(frozen=True)
class SearchKernelShape:
    """Lanes of a group, rows of a lane, and whether two sequences share a register."""

    group: int
    rows: int
    paired: bool

    @property
    def strip(self) -> int:
        """Rows of the query in a strip."""
        return self.group * self.rows

    @property
    def spread(self) -> int:
        """Lanes side by side in the table: groups of four have two copies, for eight lanes are served at once."""
        return max(self.group, 8)

    @property
    def score_bytes(self) -> int:
        """Bytes of a score in the table."""
        return 2 if self.paired else 4

    @property
    def table_bytes(self) -> int:
        """Bytes of the scores of a strip, in shared memory."""
        return LETTER_CODES * self.spread * self.rows * self.score_bytes

    @property
    def blocks_per_multiprocessor(self) -> int:
        """Blocks of `THREADS` threads whose registers fit."""
        if not self.paired:
            return 2
        return 1 if self.rows > 32 else 2 if self.rows > 16 else 3

    def count_strips(self, letters: int) -> int:
        """Return the strips of a query."""
        return -(-letters // self.strip)

    def bytes_of_tables(self, letters: int) -> int:
        """Return the bytes of the tables of a query."""
        return self.count_strips(letters) * self.table_bytes


PAIRED_ROWS, WIDE_ROWS = (16, 24, 32, 40), (8, 16)
"""Rows of a lane; several loads of 16 bytes, for half of them is a column behind."""


def list_shapes(paired: bool) -> list[SearchKernelShape]:
    """Return all shapes whose score tables fit in shared memory."""
    row_counts = PAIRED_ROWS if paired else WIDE_ROWS
    shapes = [SearchKernelShape(group, rows, paired) for group in GROUPS for rows in row_counts]
    return [shape for shape in shapes if shape.table_bytes <= TABLE_BYTES]


def choose_shape(letters: int, paired: bool) -> SearchKernelShape:
    """Return the shape that computes a query of so many letters with the fewest instructions."""

    def cost(shape: SearchKernelShape) -> tuple[float, int]:
        strips = shape.count_strips(letters)
        column = shape.group * (STEP_COST + ROW_COST * shape.rows)
        column *= (FEW_WARPS_COST if shape.rows > 32 else 1.0) * (SMALL_GROUP_COST if shape.group == 4 else 1.0)
        return strips * (column + STRIP_COST * (strips > 1)), strips

    return min(list_shapes(paired), key=cost)


def fits_paired(queries: SearchQueries) -> bool:
    """Return whether scores and costs are small enough for half precision."""
    used = np.unique(np.concatenate(queries.queries))
    known = queries.table[used][:, :PADDING]
    largest = int(known.max(initial=0)) + queries.open + queries.extend
    return largest <= LARGEST_PAIRED


def make_profile(query: np.ndarray, queries: SearchQueries, shape: SearchKernelShape) -> np.ndarray:
    """Return the scores of a query's rows with every letter as the kernel reads them.

    Parameters
    ----------
    query : ndarray of uint8
        Codes of its letters.
    queries : SearchQueries
        Table and gap costs.
    shape : SearchKernelShape

    Returns
    -------
    ndarray of uint16 or int32, shape (strips, LETTER_CODES, strip rows / k, lanes, k)
        k rows of a lane are 16 bytes. Every score holds opening and extension of a gap more; in half precision a
        negative one is sign and magnitude.
    """
    strips, per_load = shape.count_strips(query.size), 16 // shape.score_bytes
    lowest = -(PAIRED_LIMIT - 1) if shape.paired else NO_SCORE
    scores = np.full((LETTER_CODES, strips * shape.strip), lowest, np.int32)
    scores[:, : query.size] = queries.table[query].T + (queries.open + queries.extend)
    scores[PADDING] = lowest
    values: np.ndarray = scores
    if shape.paired:
        np.maximum(scores, lowest, out=scores)
        values = np.where(scores < 0, 0x8000 - scores, scores).astype(np.uint16)
    lanes = values.reshape(LETTER_CODES, strips, shape.group, shape.rows // per_load, per_load)
    profile = lanes.transpose(1, 0, 3, 2, 4)
    return np.ascontiguousarray(np.tile(profile, (1, 1, 1, shape.spread // shape.group, 1)))


@dataclass(frozen=True, eq=False)
class DatabaseParts:
    """Sequences of a block, or overlapping parts of long ones, the longest first.

    ``owners`` is the sequence of each part, ``begins`` its first letter in the block (int64), ``lengths`` int32.
    """

    owners: np.ndarray
    begins: np.ndarray
    lengths: np.ndarray

    def take(self, chosen: np.ndarray) -> DatabaseParts:
        """Return some parts, in their order."""
        return DatabaseParts(self.owners[chosen], self.begins[chosen], self.lengths[chosen])


def longest_span(query: np.ndarray, queries: SearchQueries) -> int | None:
    """Return the most database letters that a local alignment which scores above 0 spans; None where there is no limit.

    All rows together gain at most the sum of their best scores, and a gap's letters cost ``extend`` each.
    """
    if queries.extend == 0:
        return None
    gain = int(np.maximum(queries.table[query][:, :PADDING].max(axis=1), 0).sum(dtype=np.int64))
    return query.size + max(gain - queries.open, 0) // queries.extend


def cut_into_parts(offsets: np.ndarray, part: int, overlap: int | None) -> DatabaseParts:
    """Return the sequences, those longer than ``part`` + ``overlap`` letters in parts that overlap.

    Every alignment that spans at most ``overlap`` letters lies in one part as a whole.
    """
    lengths = np.diff(offsets)
    counts = np.ones(lengths.size, np.int64)
    if overlap is not None:
        counts = np.maximum(-(-(lengths - overlap) // part), 1)
    owners = np.repeat(np.arange(lengths.size), counts)
    numbers = np.arange(owners.size) - np.repeat(np.cumsum(counts) - counts, counts)
    begins = offsets[owners] + numbers * part
    ends = np.where(numbers + 1 < counts[owners], begins + part + (overlap or 0), offsets[owners + 1])
    parts = DatabaseParts(owners.astype(np.int32), begins, (ends - begins).astype(np.int32))
    return parts if owners.size == lengths.size else parts.take(np.argsort(-parts.lengths, kind="stable"))


def start_columns(lengths: np.ndarray, per_stream: int) -> np.ndarray:
    """Return where the columns of every ``per_stream`` parts start, in fours, uint32; and the end of the last ones."""
    fours = lengths[::per_stream].astype(np.int64) // 4 + 1  # the longer one and a mark
    return np.concatenate([[0], np.cumsum(fours)]).astype(np.uint32)
