"""Three sequences and their faces on the device, and what all launches for them share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import blocks
from antidiag.kernels.cuda.compile import allow_shared
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Steps
from antidiag.kernels.triple.chunks import cuda_sizes
from antidiag.kernels.triple.chunks.cuda_sources import CUBE, FACES, sources
from antidiag.kernels.triple.encoding import Encoded, encode
from antidiag.kernels.triple.grid import Grid, Kind, grid, refuse_layers
from antidiag.kernels.triple.model import TripleProblem
from antidiag.kernels.triple.parameters import ChunkParameters


@dataclass
class Job:
    """A problem on the current device.

    ``faces`` are those southwards, eastwards and down, then their local starts (or a place that is never used); int32,
    or where the former two are overwritten uint64 (cube.cuh).
    """

    encoded: Encoded
    grid: Grid
    kind: Kind
    shape: cuda_sizes.Shape
    run: Run
    sequences: tuple[cupy.ndarray, ...]
    faces: tuple[cupy.ndarray, ...] = ()

    def arguments(self) -> tuple[Any, ...]:
        """The problem as arguments of all kernels (CUBE and FACES)."""
        grid, encoded, (i_letters, j_letters, k_letters, table) = self.grid, self.encoded, self.sequences
        cube = CUBE(
            **{"is": i_letters}, js=j_letters, ks=k_letters, table=table, letters=encoded.letters,
            **dict(zip(("ni", "nj", "nk"), encoded.cells, strict=True)),
            open=encoded.open, rows=grid.rows, columns=grid.columns, h=grid.h, boxes=grid.boxes,
        )  # fmt: skip
        south, east, bottom, south_starts, east_starts, bottom_starts = self.faces
        return *cube, *FACES(
            south=south, east=east, bottom=bottom,
            south_starts=south_starts, east_starts=east_starts, bottom_starts=bottom_starts,
        )  # fmt: skip

    def kernel(self, source: str, name: str, moves: bool = False) -> Any:
        """A kernel compiled for this run, allowed the shared memory that it needs."""
        parts = sources(source, self.shape.affine, self.shape.mapping)
        kernel = self.run.kernel(parts, name, **self.shape.defines(moves))
        if name != "link_parts":
            allow_shared(kernel, self.shared_bytes(moves))
        return kernel

    def shared_bytes(self, moves: bool) -> int:
        needed = self.shape.shared_bytes(self.encoded.letters, moves)
        limit = blocks.most_shared()
        if needed + cuda_sizes.STATIC_SHARED > limit:
            raise MemoryRefused(
                f"a chunk needs {needed:,} bytes of shared memory and this GPU has {limit:,}; choose a smaller s"
            )
        return needed

    def empty_faces(self) -> None:
        """Mark the words of the faces southwards and eastwards as not written (EMPTY in cube.cuh, or by no chunk)."""
        for face in self.faces[:2]:
            face.data.memset_async(0x80 if self.kind.keeps else 0, face.nbytes, cupy.cuda.get_current_stream())

    @property
    def host_bytes(self) -> int:
        return sum(self.encoded.cells)


def begin(problem: TripleProblem, kind: Kind, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Job:
    """Copy the problem to the current device and take its memory."""
    refuse_layers(problem, kind)
    encoded = encode(problem)
    own = typed(ChunkParameters, parameters)
    chunks = grid(problem, own.s, own.h if kind.subchunks else None)
    shape = cuda_sizes.shape(chunks, kind, encoded.affine, own.mapping)
    run = Run(monitor, steps)
    job = Job(encoded, chunks, kind, shape, run, run.upload(*encoded.codes, encoded.table))
    numbers = cuda_sizes.face_numbers(chunks, kind, encoded.affine)
    word = np.int32 if kind.keeps else np.uint64
    faces = [run.empty(numbers[name], word) for name in ("south", "east")]
    faces.append(run.empty(numbers["bottom"], np.int32))
    starts = (kind.starts, kind.starts, kind.local)
    faces += [run.empty(face.size if has else 2, np.int32) for face, has in zip(faces, starts, strict=True)]
    job.faces = tuple(faces)
    return job
