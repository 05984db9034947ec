"""Distances of all pairs of rows of an alignment on the GPU, from packed letters; see columns.cu."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cpu.parallel_copy import copy_values
from antidiag.kernels.cuda import block_limits
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.model import SequenceType
from antidiag.kernels.trees.distances.alignment_columns.column_distances import (
    DistanceModel,
    ModelNumber,
    count_planes,
    letter_codes,
)
from antidiag.kernels.trees.distances.cuda_sources import COLUMNS, MODEL
from antidiag.kernels.trees.distances.pair_tiles import LaunchSlices
from antidiag.kernels.trees.distances.sizes import ROW_STEP, WORD_COLUMNS, column_band_rows

THREADS = 256
DEPTH = 8
"""Words of a row that a tile takes to shared memory at a time."""
SIDE, JOINT_SIDE = 64, 32
"""Rows of a tile, and of one whose pairs have 16 counts each."""
FIRST_SLICE = 1 << 30
"""Words of pairs that the first launch compares."""
COUNTERS = {ModelNumber.KIMURA: 4, ModelNumber.TN93: 4, ModelNumber.LOGDET: 16}
"""Counts of a pair; 2 for all other models."""


class DeviceColumns:
    """The letters of an alignment on the device, packed, and the distances of its rows.

    Parameters
    ----------
    alignment : AlignedSequences
    run : DeviceRun
    is_double : bool
        Whether distances are kept in double precision.
    """

    def __init__(self, alignment: AlignedSequences, run: DeviceRun, is_double: bool) -> None:
        self.alignment, self.run, self.is_double = alignment, run, is_double
        self.rows, self.columns = alignment.letters.shape
        self.planes, self.words = count_planes(alignment.type), -(-self.columns // WORD_COLUMNS)
        self.stride = -(-self.rows // ROW_STEP) * ROW_STEP
        self.codes = run.upload_array(letter_codes(alignment.type))
        self.letters = run.allocate_array((self.rows, self.columns), np.uint8)
        run.upload_rows(self.letters, lambda first, last, out: copy_values(out, alignment.letters[first:last]))
        self.packed = run.allocate_array((self.planes, self.words, self.stride), np.uint32)
        self.stated = run.allocate_filled(1, np.uint64)

    def pack(self, columns: np.ndarray | None = None) -> None:
        """Pack the letters of all columns, or of ``columns`` int32, in their order and as often as they are named."""
        kernel = self._kernel("pack_letters", ModelNumber.P)
        chosen = None if columns is None else self.run.upload_array(columns.astype(np.int32))
        warps = THREADS // WORD_COLUMNS
        grid = min(-(-self.stride // warps), 16 * block_limits.multiprocessor_count())
        sizes = np.int32(self.rows), np.int32(self.words), np.int32(self.stride)
        address = np.uint64(0) if chosen is None else chosen
        kernel((grid,), (THREADS,), (self.letters, np.int64(self.columns), self.codes, address, *sizes, self.packed))

    def fill_distances(self, model: DistanceModel, distances: cupy.ndarray) -> None:
        """Compute all distances into a square array on the device, whose rows may be longer than there are rows."""
        side = tile_side(model)
        tiles = np.arange(-(-self.rows // side))
        costs = (tiles.size - tiles) * side * side * self.words
        width = int(distances.shape[1])
        with self.run.time_phase("columns"):
            for part in LaunchSlices(self.run, int(costs.sum()), FIRST_SLICE, "columns").split_items(costs):
                span = part.start * side, min(part.stop * side, self.rows)
                self._launch(model, distances, width, span, mirrored=True)
                cupy.cuda.get_current_stream().synchronize()

    def download_distances(self, model: DistanceModel) -> np.ndarray:
        """Return all distances, float64 (n, n) on the host; the device has some rows of them at a time."""
        values, height = np.empty((self.rows, self.rows)), column_band_rows(self.rows)
        band = self.run.allocate_array((min(height, self.rows), self.rows), np.float64)
        costs = np.full(self.rows, self.rows * self.words)
        with self.run.time_phase("columns"):
            for part in LaunchSlices(self.run, int(costs.sum()), FIRST_SLICE, "columns").split_items(costs):
                for first in range(part.start, part.stop, height):
                    last = min(first + height, part.stop)
                    self._launch(model, band, self.rows, (first, last), mirrored=False)
                    self.run.download_array(band[: last - first], into=values[first:last])
        return values

    def count_stated(self) -> int:
        """Return for how many pairs so far a stated distance took the place of one that the model lacks."""
        return int(self.run.download_array(self.stated)[0])

    def _launch(
        self, model: DistanceModel, distances: cupy.ndarray, width: int, span: tuple[int, int], mirrored: bool
    ) -> None:
        kernel, side = self._kernel("compare_tiles", model.number), tile_side(model)
        first, last = span
        grid = -(-self.rows // side), -(-(last - first) // side)
        sizes = [np.int32(size) for size in (self.rows, self.words, self.stride, first, last, mirrored)]
        arguments = (self.packed, *sizes, *model_arguments(model), distances, np.int64(width), self.stated)
        kernel(grid, (THREADS,), arguments)

    def _kernel(self, name: str, number: int) -> Any:
        return self.run.compile_kernel(COLUMNS, name, **column_defines(number, self.alignment.type, self.is_double))


def column_defines(number: int, kind: SequenceType, is_double: bool) -> dict[str, int]:
    """Return the compile-time constants of columns.cu for a model and a type of letters."""
    return plane_defines(number, count_planes(kind), is_double)


def plane_defines(number: int, planes: int, is_double: bool) -> dict[str, int]:
    """Return the compile-time constants of columns.cu for a model and the bits of a letter."""
    return {
        "MODEL": int(number),
        "PLANES": planes,
        "COUNTERS": COUNTERS.get(ModelNumber(number), 2),
        "SIDE": JOINT_SIDE if number == ModelNumber.LOGDET else SIDE,
        "DEPTH": DEPTH,
        "DOUBLE": int(is_double),
    }


def tile_side(model: DistanceModel) -> int:
    """Return the rows of a tile of pairs."""
    return JOINT_SIDE if model.number == ModelNumber.LOGDET else SIDE


def model_arguments(model: DistanceModel) -> tuple[Any, ...]:
    """Return the constants of a model as arguments of a kernel."""
    return MODEL(**dict(zip(MODEL.dtype.names or (), model.constants, strict=True)))
