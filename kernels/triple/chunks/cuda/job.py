"""Three sequences and their faces on the device, and what all launches for them share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import block_limits
from antidiag.kernels.cuda.kernel_compiler import allow_shared_bytes
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog
from antidiag.kernels.triple.chunks.cuda import kernel_sizes
from antidiag.kernels.triple.chunks.cuda.sources import CUBE, FACES, list_sources
from antidiag.kernels.triple.encoding import EncodedTriple, encode_problem
from antidiag.kernels.triple.grid import ChunkGrid, ChunkKind, make_grid, refuse_layers
from antidiag.kernels.triple.model import TripleProblem
from antidiag.kernels.triple.parameters import ChunkParameters


@dataclass
class TripleJob:
    """A problem on the current device.

    ``faces`` are those southwards, eastwards and down, then their local starts (or a placeholder); int32, or where the
    former two are overwritten uint64 (cube.cuh).
    """

    encoded: EncodedTriple
    grid: ChunkGrid
    kind: ChunkKind
    shape: kernel_sizes.KernelShape
    run: DeviceRun
    sequences: tuple[cupy.ndarray, ...]
    faces: tuple[cupy.ndarray, ...] = ()

    def kernel_arguments(self) -> tuple[Any, ...]:
        """Return the problem as arguments of all kernels (CUBE and FACES)."""
        grid, encoded, (i_letters, j_letters, k_letters, table) = self.grid, self.encoded, self.sequences
        cube = CUBE(
            **{"is": i_letters},  # a keyword of Python
            js=j_letters,
            ks=k_letters,
            table=table,
            letters=encoded.letter_count,
            **dict(zip(("ni", "nj", "nk"), encoded.cells, strict=True)),
            open=encoded.open,
            rows=grid.rows,
            columns=grid.columns,
            h=grid.h,
            boxes=grid.boxes,
        )
        names = "south", "east", "bottom", "south_starts", "east_starts", "bottom_starts"
        return *cube, *FACES(**dict(zip(names, self.faces, strict=True)))

    def compile_kernel(self, source: str, name: str, moves: bool = False) -> Any:
        """Compile a kernel for this run, and allow it the shared memory that it needs."""
        parts = list_sources(source, self.shape.has_affine_gaps, self.shape.mapping)
        kernel = self.run.compile_kernel(parts, name, **self.shape.compile_constants(moves))
        if name != "link_parts":
            allow_shared_bytes(kernel, self.shared_bytes(moves))
        return kernel

    def shared_bytes(self, moves: bool) -> int:
        """Return the shared memory of a block; MemoryRefused where this GPU has less."""
        needed = self.shape.shared_bytes(self.encoded.letter_count, moves)
        limit = block_limits.max_shared_bytes()
        if needed + kernel_sizes.STATIC_SHARED > limit:
            raise MemoryRefused(
                f"a chunk needs {needed:,} bytes of shared memory and this GPU has {limit:,}; choose a smaller s"
            )
        return needed

    @property
    def host_bytes(self) -> int:
        """Bytes on the host."""
        return sum(self.encoded.cells)


def begin_job(
    problem: TripleProblem, kind: ChunkKind, parameters: ChunkParameters, monitor: Monitor, steps: StepLog
) -> TripleJob:
    """Copy the problem to the current device and allocate its memory."""
    refuse_layers(problem, kind)
    encoded = encode_problem(problem)
    chunks = make_grid(problem, parameters.s, parameters.subchunk_height)
    shape = kernel_sizes.choose_kernel_shape(chunks, kind, encoded.has_affine_gaps, parameters.mapping)
    run = DeviceRun(monitor, steps)
    job = TripleJob(encoded, chunks, kind, shape, run, run.upload_together(*encoded.codes, encoded.table))
    numbers = kernel_sizes.count_face_numbers(chunks, kind, encoded.has_affine_gaps)
    word = np.int32 if kind.keeps_faces else np.uint64
    # No word is written yet: EMPTY in cube.cuh, or 0, which no chunk writes.
    faces = [run.allocate_filled(numbers[name], word, 0x80 if kind.keeps_faces else 0) for name in ("south", "east")]
    faces.append(run.allocate_array(numbers["bottom"], np.int32))
    starts = (kind.has_local_starts, kind.has_local_starts, kind.starts_per_subchunk)
    faces += [run.allocate_array(face.size if has else 2, np.int32) for face, has in zip(faces, starts, strict=True)]
    job.faces = tuple(faces)
    return job
