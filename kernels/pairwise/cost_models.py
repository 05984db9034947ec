"""Cost models of the striped methods, from the analysis of Li et al. 2012 (sections IV and V).

m is the shorter length (rows), n the longer one (columns), p the number of workers (multiprocessors, or CPU threads),
c the lanes of a worker, s the strip width, h the chunk height, T the batch. A *step* is the time in which a lane
computes one cell.
"""

from __future__ import annotations

from typing import Any

from antidiag.kernels.cost_estimate import count_all_cells
from antidiag.kernels.cost_models import OPERATIONS, TRAFFIC, CostModel
from antidiag.kernels.pairwise.checkpointed import sizes as checkpointed_sizes
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.operation_counts import LANES, SECOND_PIECE_OPERATIONS, count_least_operations
from antidiag.kernels.pairwise.parameters import PairStripParameters, StripWidth
from antidiag.kernels.pairwise.strips import sizes
from antidiag.kernels.pairwise.strips.cpu_sizes import chosen_16bit_rows, count_strips
from antidiag.kernels.scoring import Mode

LOCAL_SHORT_OPERATIONS, OTHER_SHORT_OPERATIONS = 4.5, 3.5
"""Fewest operations of a cell in 16 bits on a CPU (strips/cpu_16bit_kernels.py): half of nine and of seven."""

VALUE_BYTES, STATE_BYTES = 8, 8
SHARED_MATRIX, SHARED_BUFFER, SHARED_RESERVED, SHARED_ARRAYS, INT = 23 * 23 * 4, 32 * 4, 1200, 6, 4
"""Shared memory of the published kernel: matrix, output buffer, the compiler's share, arrays of ints."""


def start_up_delay(problem: PairProblem, parameters: PairStripParameters, backend: str, workers: int) -> float:
    """Return the steps until the last worker may begin, (p - 1) T_a with T_a = s^2 / c (section IV)."""
    return (workers - 1) * parameters.s**2 / _lanes_per_worker(problem, parameters, backend)


def start_up_with_batches(problem: PairProblem, parameters: PairStripParameters, backend: str, workers: int) -> float:
    """Return the steps until the last worker may begin, where a strip hands over batches of T cells."""
    return (workers - 1) * _strip_lead(parameters, _lanes_per_worker(problem, parameters, backend))


def steps_published(problem: PairProblem, parameters: PairStripParameters, backend: str, workers: int) -> float:
    """Return the steps until the last strip is done, for both cases of the paper (section IV)."""
    s, c, m, n = (
        parameters.s,
        _lanes_per_worker(problem, parameters, backend),
        problem.rows,
        problem.columns,
    )
    lead, strip = s * s / c, m * s / c
    if strip >= workers * lead:
        return (workers - 1) * lead + m * n / (workers * c)
    return (count_strips(problem, s) - 1) * lead + strip


def steps_with_batches(problem: PairProblem, parameters: PairStripParameters, backend: str, workers: int) -> float:
    """Return the steps until the last strip is done, for whole strips and batches of T cells.

    Strips run in rounds, or as a chain in which each waits for its left neighbour.
    """
    c = _lanes_per_worker(problem, parameters, backend)
    count, strip = count_strips(problem, parameters.s), (problem.rows + c) * parameters.s / c
    lead, busy = _strip_lead(parameters, c), min(workers, count)
    if strip >= busy * lead:
        return -(-count // busy) * strip + (busy - 1) * lead
    return (count - 1) * lead + strip


def score_traffic(problem: PairProblem, parameters: PairStripParameters, backend: str, workers: int) -> float:
    """Return the bytes of boundary cells (H and the gap state), written once and read once: O(m n / s)."""
    return 2.0 * VALUE_BYTES * problem.rows * (count_strips(problem, parameters.s) - 1)


def alignment_traffic(problem: PairProblem, parameters: PairStripParameters, backend: str, workers: int) -> float:
    """Return the bytes of boundary cells and of the start states that phase 1 keeps at each of them."""
    states = STATE_BYTES * problem.rows * count_strips(problem, parameters.s)
    return score_traffic(problem, parameters, backend, workers) + states


def chunked_1_traffic(problem: PairProblem, parameters: PairStripParameters, backend: str, workers: int) -> float:
    """Return the traffic of StripedAlignment plus the last row of every chunk (H and the gap state)."""
    return alignment_traffic(problem, parameters, backend, workers) + VALUE_BYTES * _chunk_row_cells(
        problem, parameters
    )


def chunked_2_traffic(problem: PairProblem, parameters: PairStripParameters, backend: str, workers: int) -> float:
    """Return the traffic of ChunkedAlignment1 plus the start states of the chunks' last rows."""
    return chunked_1_traffic(problem, parameters, backend, workers) + STATE_BYTES * _chunk_row_cells(
        problem, parameters
    )


def shared_memory(problem: PairProblem, parameters: StripWidth, backend: str, workers: int) -> float:
    """Return the shared memory of the published kernel, which limits s to 1,901 on the paper's card."""
    arrays = SHARED_ARRAYS * (min(parameters.s, problem.rows) + 2) * INT
    return float(SHARED_MATRIX + SHARED_BUFFER + SHARED_RESERVED + arrays)


def striped_directions(problem: PairProblem, parameters: PairStripParameters, backend: str, workers: int) -> float:
    """Return the bytes of directions in the worst case, 5 bits a cell (section V.D)."""
    return 5 * problem.rows * problem.columns / 8


def chunked_directions(problem: PairProblem, parameters: PairStripParameters, backend: str, workers: int) -> float:
    """Return the bytes of directions with chunks, 5 (m s + n h) / 8 (section V.D)."""
    return 5 * (problem.rows * parameters.s + problem.columns * parameters.chunk_height) / 8


def _lanes_per_worker(problem: PairProblem, parameters: PairStripParameters, backend: str) -> int:
    """Return the lanes of a worker: twice as many where a CPU computes in 16 bits."""
    return LANES[backend] * (1 + _uses_16_bits(problem, parameters, backend))


def _uses_16_bits(problem: PairProblem, parameters: PairStripParameters, backend: str) -> bool:
    return backend == "cpu" and chosen_16bit_rows(problem, parameters) > 0


def _strip_lead(parameters: PairStripParameters, lanes: int) -> float:
    return (parameters.T + lanes) * parameters.s / lanes


def _chunk_row_cells(problem: PairProblem, parameters: PairStripParameters) -> float:
    return (problem.rows - 1) // parameters.chunk_height * problem.columns


def _operations_model(work: Any) -> CostModel:
    def value(problem: PairProblem, parameters: PairStripParameters, backend: str, workers: int) -> float:
        if _uses_16_bits(problem, parameters, backend):
            each = LOCAL_SHORT_OPERATIONS if problem.mode is Mode.LOCAL else OTHER_SHORT_OPERATIONS
            each += problem.scoring.has_two_pieces * SECOND_PIECE_OPERATIONS["cpu"] / 2
        else:
            each = count_least_operations(problem, backend)
        return work(problem, parameters) * each

    return CostModel(
        OPERATIONS,
        "Operations",
        "lane operations",
        "Fewest operations of all cells, recomputed cells included.",
        "Li et al. 2012, section III",
        value,
        grows_with_time=True,
    )


def _traffic_model(value: Any, section: str) -> CostModel:
    description = "Bytes that strips write to main memory for their neighbours and for phase 3, and read again."
    return CostModel(TRAFFIC, "Border traffic", "bytes", description, f"Li et al. 2012, section {section}", value)


def _directions_model(value: Any) -> CostModel:
    description = "Bytes of directions in phase 3 in the worst case; the path decides how many are needed."
    return CostModel("directions", "Directions", "bytes", description, "Li et al. 2012, section V.D", value)


STRIPS = (
    CostModel(
        "start-up",
        "Start-up delay",
        "steps",
        "Steps until the last worker may begin, as published.",
        "Li et al. 2012, section IV",
        start_up_delay,
    ),
    CostModel(
        "start-up-T",
        "Start-up delay with batches",
        "steps",
        "Steps until the last worker may begin, if a strip passes on T cells at a time.",
        "Li et al. 2012, section IV, with T",
        start_up_with_batches,
    ),
    CostModel(
        "steps",
        "Steps as published",
        "steps",
        "Steps until the last strip is done, without memory traffic.",
        "Li et al. 2012, section IV",
        steps_published,
        grows_with_time=True,
    ),
    CostModel(
        "steps-T",
        "Steps with batches",
        "steps",
        "Steps until the last strip is done, for whole strips and batches of T cells.",
        "Li et al. 2012, section IV, with T",
        steps_with_batches,
        grows_with_time=True,
    ),
)

STRIPED_SCORE = (
    *STRIPS,
    _traffic_model(score_traffic, "IV"),
    CostModel(
        "shared-memory",
        "Shared memory as published",
        "bytes",
        "Bytes per multiprocessor in the published kernel, which kept strips in shared memory; Antidiag keeps them in "
        "registers.",
        "Li et al. 2012, section IV",
        shared_memory,
    ),
    _operations_model(count_all_cells),
)
STRIPED_ALIGNMENT = (
    *STRIPS,
    _traffic_model(alignment_traffic, "V.A"),
    _directions_model(striped_directions),
    _operations_model(sizes.count_alignment_work),
)
CHUNKED_ALIGNMENT_1 = (
    *STRIPS,
    _traffic_model(chunked_1_traffic, "V.B"),
    _directions_model(chunked_directions),
    _operations_model(sizes.count_chunked_work),
)
CHUNKED_ALIGNMENT_2 = (
    *STRIPS,
    _traffic_model(chunked_2_traffic, "V.C"),
    _directions_model(chunked_directions),
    _operations_model(sizes.count_chunked_work),
)
CHECKPOINTED_ALIGNMENT = (
    *STRIPS,
    _traffic_model(score_traffic, "IV"),
    _operations_model(checkpointed_sizes.count_work),
)
