"""Sizes of the striped methods where a block computes a strip, as published: shared memory, launches, bytes."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.memory import Footprint
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import MappedStripParameters
from antidiag.kernels.pairwise.strips import cuda_sizes
from antidiag.kernels.pairwise.strips.cuda_sizes import EVENT_BYTES, LANES, STEP_BYTES, SweepSlice

MOST_THREADS = 1024
MOST_SHARED = 232_448
"""Most bytes of shared memory that a block can have on any GPU."""
STATIC_SHARED = 1024
"""Most bytes of shared memory that the kernels use beside what is counted here."""
SLICE_CELLS = 10_000_000_000
"""Cells of a launch: the largest pair of the paper, 100,000 x 100,000, takes one, as published."""
LEAST_STEPS = 4096
"""Steps of a launch at least."""
ARRAYS, KEPT_ARRAYS = (6, 9), (4, 6)
"""Arrays of s numbers of a strip in shared memory, and those kept between launches, for gap costs of one piece and of
two; twice as many with start states."""
LEFT_ROWS = 256
"""Rows of the left boundary that phase 3 has in shared memory (published_path.cu)."""


def count_threads(columns: int) -> int:
    """Return the threads of a block: one a column, at most 1,024."""
    return min(-(-columns // LANES) * LANES, MOST_THREADS)


def shared_bytes(s: int, batch: int, letters: int, states: bool, pieces: int = 1) -> int:
    """Return the shared memory of a block of phase 1 (Diagonals, Boxes and Letters)."""
    values = 1 + pieces
    boxes = values * (batch + 1) + values * (2 if states else 1) * batch
    return 4 * (ARRAYS[pieces - 1] * (1 + states) * s + boxes + letters**2) + s


def path_shared_bytes(s: int, letters: int, pieces: int = 1) -> int:
    """Return the shared memory of a block of phase 3."""
    return 4 * (ARRAYS[pieces - 1] * s + (1 + pieces) * (LEFT_ROWS + 1) + letters**2) + s


def refuse_large_strips(problem: PairProblem, parameters: MappedStripParameters, states: bool) -> None:
    """ParameterError where no GPU has the shared memory for such strips."""
    s, letters = min(parameters.s, problem.columns), len(problem.scoring.scores)
    pieces = len(problem.scoring.gap_pieces)
    of_phases = shared_bytes(s, parameters.T, letters, states, pieces), path_shared_bytes(s, letters, pieces)
    needed = max(of_phases) + STATIC_SHARED
    if needed > MOST_SHARED:
        raise ParameterError(
            f"s={parameters.s} and T={parameters.T}: with mapping=published a strip needs {needed:,} bytes of shared "
            f"memory, and no GPU has more than {MOST_SHARED:,}; choose a smaller s or T"
        )


def make_slices(rows: int, columns: int, s: int, batch: int) -> list[SweepSlice]:
    """Return the launches of a sweep, in order; a strip's last column is s - 1 steps behind its first."""
    strips, steps, lag = -(-columns // s), rows + min(s, columns) - 1, s + batch
    most = max(SLICE_CELLS // columns, LEAST_STEPS)
    if rows * columns <= SLICE_CELLS:
        most = max(most, steps + (strips - 1) * lag)
    return cuda_sizes.cut_steps(strips, steps, lag, most)


def direction_words(rows: np.ndarray, s: int, pieces: int = 1) -> np.ndarray:
    """Return the 32-bit words of the directions of sub-paths that span these numbers of rows: a byte a cell."""
    return ((rows.astype(np.int64) + s) * s + 3) // 4


def estimate_score_memory(problem: PairProblem, parameters: MappedStripParameters) -> Footprint:
    """Return the bytes of StripedScore."""
    return Footprint(
        {**cuda_sizes.host_bytes(problem), **_log_bytes(problem, parameters), **_best_bytes(problem, parameters)},
        _sweep_bytes(problem, parameters, states=False),
    )


def estimate_alignment_memory(problem: PairProblem, parameters: MappedStripParameters, chunks: int) -> Footprint:
    """Return the bytes of StripedAlignment, or of ChunkedAlignment1 or 2 where ``chunks`` is 1 or 2."""
    s, strips = parameters.s, -(-problem.columns // parameters.s)
    bottoms = (problem.rows - 1) // parameters.chunk_height if chunks else 0
    parts = strips + (bottoms if chunks == 2 else 0)
    one = int(direction_words(np.array(problem.rows + 1), s)) * 4
    every = int(direction_words(np.array(problem.rows + parts), s)) * 4 + parts * s * (s + 1)
    return Footprint(
        {
            **cuda_sizes.host_bytes(problem),
            **_log_bytes(problem, parameters),
            **_best_bytes(problem, parameters),
            "path": 2 * (problem.rows + problem.columns),
        },
        {
            **_sweep_bytes(problem, parameters, states=True),
            "start states": strips * problem.rows * 4 * problem.value_count,
            **({"chunk rows": bottoms * strips * s * 4 * problem.value_count * chunks} if chunks else {}),
            "directions": min(every, max(cuda_sizes.DIRECTION_BYTES, one)),
            "path": problem.rows + problem.columns + (s + 2) * parts,
        },
    )


def kept_numbers(problem_columns: int, s: int, launches: int, states: bool, pieces: int = 1) -> int:
    """Return the numbers of the antidiagonals that are kept between launches; there is one launch or more."""
    return KEPT_ARRAYS[pieces - 1] * (1 + states) * s * -(-problem_columns // s) if launches > 1 else 1


def _sweep_bytes(problem: PairProblem, parameters: MappedStripParameters, states: bool) -> dict[str, int]:
    s, strips = parameters.s, -(-problem.columns // parameters.s)
    launches = len(make_slices(problem.rows, problem.columns, s, parameters.T))
    pieces = len(problem.scoring.gap_pieces)
    return {
        "sequences": problem.rows + problem.columns + 4 * 256 * 4,
        "antidiagonals between launches": 4 * kept_numbers(problem.columns, s, launches, states, pieces),
        "strip boundaries": strips * problem.rows * cuda_sizes.boundary_bytes(pieces),
        "progress and best cells": strips * (8 + 16),
        "step log": strips * cuda_sizes.log_rows(launches, strips) * EVENT_BYTES,
    }


def _best_bytes(problem: PairProblem, parameters: MappedStripParameters) -> dict[str, int]:
    return {"best cells": 16 * -(-problem.columns // parameters.s)}


def _log_bytes(problem: PairProblem, parameters: MappedStripParameters) -> dict[str, int]:
    strips = -(-problem.columns // parameters.s)
    launches = make_slices(problem.rows, problem.columns, parameters.s, parameters.T)
    logged = launches[:: cuda_sizes.log_apart(len(launches), strips)]
    events = sum(one.end_strip - one.first_strip for one in logged)
    places = strips * cuda_sizes.log_rows(len(launches), strips)
    return {"step log": EVENT_BYTES * (places - events) + STEP_BYTES * events}
