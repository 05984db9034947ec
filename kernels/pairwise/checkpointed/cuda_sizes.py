"""Sizes of CheckpointedAlignment on a GPU: spacing and storage of special rows and columns, bytes of all buffers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels.memory import Footprint
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import CheckpointedParameters
from antidiag.kernels.pairwise.strips import cuda_sizes
from antidiag.kernels.pairwise.strips.cuda_sizes import EVENT_BYTES, LANES, WARP_BYTES, boundary_rows, direction_words
from antidiag.kernels.pairwise.strips.cuda_sources import SUB_PATH, TILE, sweep_registers

NUMBER_BYTES = 4
TILES = 64
"""Tiles along the longer sequence where the user does not choose."""
LEAST_TILE, MOST_TILE = 1024, 131_072
TILES_BYTES = 2**30
"""Bytes of tiles that a GPU sweeps together, where a tile has fewer: enough to keep it busy."""
MOST_TILES = 65_535
"""Most tiles of a launch: each has one y of the grid."""
SHARED_BATCH = 16
"""Batch where several warps share a scheduler: with 32, phase 1 took 9 % longer."""
TILE_BYTES, SUB_PATH_BYTES = 2 * TILE.dtype.itemsize, SUB_PATH.dtype.itemsize
"""Two records of a tile, and one of a sub-path (cuda_sources.py)."""
WHOLE_TILE_WIDTHS = tuple(LANES * count for count in (1, 2, 3, 4, 6, 8, 12, 16, 18, 20, 24, 28, 32))
"""Strip widths that strips of two to four lanes' columns divide, see tile_strip_width."""
TILE_THREADS = 128
"""Threads of a block where a tile is computed again."""
BUFFERS = 2
"""Bands that are on their way to the disk at a time."""
BEST_FIELDS = 3
"""Score, row and column of its best cell are the first that a lane keeps between launches (striped_score.cu)."""


@dataclass(frozen=True, slots=True)
class CheckpointLayout:
    """How special rows and columns, ``tile`` cells apart, are stored; row 0 and column 0 are among them.

    The device has room for all of them; or, where they go to the disk (``on_disk``), for ``slot_count`` rows and
    ``height`` cells of each column, which are used in turn. ``width`` is the length of a row there, in cells of
    ``values`` numbers: H, and a gap state for each piece of the gap costs. Tiles that a GPU sweeps again at a time have
    ``tiles_bytes``, which are those of ``tiles_together`` whole ones.
    """

    tile: int
    rows: int
    columns: int
    strips: int
    width: int
    slot_count: int
    height: int
    on_disk: bool
    tiles_bytes: int
    tiles_together: int
    values: int = 2

    @property
    def band_count(self) -> int:
        """The number of special rows, row 0 included; band b lies below row b of them."""
        return -(-self.rows // self.tile)

    @property
    def segment_count(self) -> int:
        """The number of special columns, column 0 included."""
        return -(-self.columns // self.tile)

    @property
    def cell_bytes(self) -> int:
        """Bytes of a cell."""
        return NUMBER_BYTES * self.values

    @property
    def device_bytes(self) -> int:
        """Bytes on the device; column 0 is always there, for a run that is continued."""
        columns = (self.segment_count - 1) * self.height + self.rows
        return self.cell_bytes * (self.slot_count * self.width + columns)

    @property
    def band_bytes(self) -> int:
        """Bytes of a special row, the cells above it of the special columns, and the best cells so far."""
        cells = self.width + (self.segment_count - 1) * self.tile
        return self.cell_bytes * cells + BEST_FIELDS * WARP_BYTES * self.strips

    @property
    def disk_bytes(self) -> int:
        """Bytes of all bands but the last, which no special row ends."""
        return (self.band_count - 1) * self.band_bytes


def plan_layout(
    rows: int,
    columns: int,
    s: int,
    batch: int,
    tile: int,
    limit: int,
    spread: int = LANES,
    values: int = 2,
    slack: int = 0,
) -> CheckpointLayout:
    """Return special rows and columns in at most ``limit`` bytes on the device, or the fewest that the sweep allows.

    A cell has ``values`` numbers.
    When row b is complete, after some launch, that launch has come to row b tile + span at most, at the left. A slot is
    used again only for rows below that. ``slack``: as in `cuda_sizes.make_slices`.
    """
    strips = -(-columns // s)
    width = strips * s + 1
    bands = -(-rows // tile)
    skew, steps = cuda_sizes.strip_skew(batch, spread) + slack, cuda_sizes.slice_steps(columns)
    if slack:
        steps = cuda_sizes.pruned_slice_steps(rows, columns, s, batch, spread)
    span = (strips - 1) * skew + spread + steps
    largest = min(tile, rows), min(tile, columns)
    one, segments = int(tile_bytes(*largest, s, batch, values)), -(-columns // tile)
    # The two tiles of a band that a path crosses, each as far as the path needs it, have little more than a whole one.
    # A single band keeps no GPU busy: most strips wait for the one before.
    tiles_bytes = min(max(TILES_BYTES, one * 5 // 2), one * min(bands * segments, 2 * (bands + segments)))
    tiles = tiles_bytes, min(tiles_bytes // one, MOST_TILES)
    whole = CheckpointLayout(tile, rows, columns, strips, width, bands, rows, False, *tiles, values)
    slots = span // tile + 2
    ring = CheckpointLayout(tile, rows, columns, strips, width, slots, slots * tile, True, *tiles, values)
    return ring if whole.device_bytes > limit and ring.device_bytes < whole.device_bytes else whole


def choose_parameters(problem: PairProblem, multiprocessors: int, share: float = 1.0) -> dict[str, Any]:
    """Choose all parameters but the memory limit: those of StripedScore, and the tile size.

    Special rows and columns take some 1,000 bytes a letter. Recomputed cells grow with the tile size; below LEAST_TILE
    a smaller tile gains little, because each of its strips waits for the one before.
    """
    chosen = cuda_sizes.choose_score_parameters(problem, multiprocessors, share)
    alone = chosen["threads"] == 4 * LANES
    s = chosen["s"] = next(width for width in WHOLE_TILE_WIDTHS if width >= chosen["s"])
    return {
        **chosen,
        "T": cuda_sizes.BATCH if alone or share < 1 else SHARED_BATCH,
        "tile": max(1, min(max(problem.columns // TILES, LEAST_TILE), MOST_TILE) // s) * s,
    }


def tile_strip_width(s: int) -> int:
    """Return the strip width inside a tile: it divides ``s``, and start states fit the registers."""
    return LANES * max(count for count in (1, 2, 3, 4) if s // LANES % count == 0)


def estimate_memory(problem: PairProblem, parameters: CheckpointedParameters, tile: int, limit: int) -> Footprint:
    """Return the bytes with special rows and columns ``tile`` cells apart, ``limit`` bytes of them on the device."""
    s, m, n = parameters.s, problem.rows, problem.columns
    spread = cuda_sizes.row_spread(cuda_sizes.packs_two_cells(problem, parameters))
    values, pieces = problem.value_count, len(problem.scoring.gap_pieces)
    slack = cuda_sizes.choose_slack(parameters)
    places = plan_layout(m, n, s, parameters.T, tile, limit, spread, values, slack)
    width = tile_strip_width(s)
    one = int(direction_words(np.array(m + 1), width, pieces)) * 4
    every = int(direction_words(np.array(m + n // width), width, pieces)) * 4
    return Footprint(
        host={
            **cuda_sizes.host_bytes(problem),
            **cuda_sizes.pruning_host_bytes(problem, parameters),
            "special rows and columns on their way to the disk": (BUFFERS + places.on_disk) * places.band_bytes,
            "path": 2 * (m + n),
        },
        device={
            **cuda_sizes.score_bytes(problem, parameters),
            "special rows and columns": places.device_bytes,
            "tiles": places.tiles_bytes,
            "directions": min(every, max(cuda_sizes.DIRECTION_BYTES, one)),
            "path": 2 * (m + n),
        },
        disk={"special rows and columns": places.disk_bytes} if places.on_disk else {},
    )


def ring_rows(rows: np.ndarray | int, columns: int, batch: int) -> np.ndarray:
    """Return the rows of the boundaries of strips in tiles of so many rows, where a launch has these columns."""
    every = -(-(rows + LANES) // LANES) * LANES
    return np.minimum(every, boundary_rows(int(np.max(rows)), columns, LANES, batch, False))


def tile_bytes(rows: np.ndarray | int, columns: np.ndarray | int, s: int, batch: int, values: int = 2) -> np.ndarray:
    """Return the bytes to sweep a tile, or each of several, and to keep the sub-paths in it."""
    width = tile_strip_width(s)
    pieces, cell = values - 1, NUMBER_BYTES * values
    registers = sweep_registers(pieces == 2).states.count_registers(width // LANES) * WARP_BYTES
    ring = ring_rows(rows, int(np.max(columns)), batch)
    boundary = cuda_sizes.boundary_bytes(pieces) * ring + cell * rows
    borders = cell * (rows + columns + s + 1)
    return -(-columns // width) * (registers + boundary + EVENT_BYTES + SUB_PATH_BYTES) + borders + TILE_BYTES
