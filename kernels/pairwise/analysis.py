"""The analysis of 001 as models: what strips cost before anything is measured (sections IV and V).

m is the shorter length (rows), n the longer one (columns), p the workers (multiprocessors, or threads of a CPU),
c the lanes of a worker, s the width of a strip, h the height of a chunk, T the batch. A *step* is the time in
which a lane computes one cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antidiag.kernels.analysis import OPERATIONS, TRAFFIC, Model
from antidiag.kernels.pairwise.checkpointed import sizes as checkpointed_sizes
from antidiag.kernels.pairwise.least import LANES, LEAST_OPERATIONS
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import StripParameters
from antidiag.kernels.pairwise.strips import sizes
from antidiag.kernels.pairwise.strips.cpu_sizes import chosen_short_rows, strips
from antidiag.kernels.parameters import typed
from antidiag.kernels.scoring import Mode

LEAST_SHORT_OPERATIONS = {Mode.LOCAL: 4.5, Mode.GLOBAL: 3.5}
"""Those of a cell in 16 bits on a CPU (strips/cpu_short_cells.py): half of nine and of seven, by lanes of 32 bits."""

VALUE_BYTES, STATE_BYTES = 8, 8
SHARED_MATRIX, SHARED_BUFFER, SHARED_RESERVED, SHARED_ARRAYS, INT = 23 * 23 * 4, 32 * 4, 1200, 6, 4
"""The published kernel's shared memory: matrix, output buffer, what the compiler takes, arrays of ints."""

Parameters = Mapping[str, Any]


def start_up(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """Steps until the last worker may begin, (p - 1) T_a with T_a = s^2 / c (section IV)."""
    return (workers - 1) * _chosen(parameters).s ** 2 / _lanes(problem, parameters, backend)


def start_up_with_batches(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """The same for lanes that stream: a strip may begin once its neighbour has left a batch of T cells."""
    return (workers - 1) * _lead(_chosen(parameters), _lanes(problem, parameters, backend))


def steps_published(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """Steps until the last strip is done (section IV), for both of the paper's cases."""
    s, c, m, n = _chosen(parameters).s, _lanes(problem, parameters, backend), problem.rows, problem.columns
    lead, strip = s * s / c, m * s / c
    if strip >= workers * lead:
        return (workers - 1) * lead + m * n / (workers * c)
    return (strips(problem, s) - 1) * lead + strip


def steps_with_batches(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """The same count for whole strips and batches of T: rounds of strips, or a chain of waiting ones."""
    chosen, c = _chosen(parameters), _lanes(problem, parameters, backend)
    count, strip = strips(problem, chosen.s), (problem.rows + c) * chosen.s / c
    lead, busy = _lead(chosen, c), min(workers, count)
    if strip >= busy * lead:
        return -(-count // busy) * strip + (busy - 1) * lead
    return (count - 1) * lead + strip


def score_traffic(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """Bytes of boundary cells (H and the gap state), written once and read once: O(m n / s)."""
    return 2.0 * VALUE_BYTES * problem.rows * (strips(problem, _chosen(parameters).s) - 1)


def alignment_traffic(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """The same and the local start states that phase 1 leaves at every boundary cell."""
    states = STATE_BYTES * problem.rows * strips(problem, _chosen(parameters).s)
    return score_traffic(problem, parameters, backend, workers) + states


def chunked_1_traffic(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """The same and the last row of every chunk (H and the gap state)."""
    return alignment_traffic(problem, parameters, backend, workers) + VALUE_BYTES * _chunk_row_cells(
        problem, parameters
    )


def chunked_2_traffic(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """The same and the start states of those rows."""
    return chunked_1_traffic(problem, parameters, backend, workers) + STATE_BYTES * _chunk_row_cells(
        problem, parameters
    )


def shared_memory(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """Bytes of shared memory of the published kernel: it limits s to 1,901 on the card of the paper."""
    arrays = SHARED_ARRAYS * (min(_chosen(parameters).s, problem.rows) + 2) * INT
    return float(SHARED_MATRIX + SHARED_BUFFER + SHARED_RESERVED + arrays)


def striped_directions(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """Bytes of directions in the worst case, 5 bits a cell (section V.D)."""
    return 5 * problem.rows * problem.columns / 8


def chunked_directions(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
    """Bytes of directions with chunks, 5 (m s + n h) / 8 (section V.D)."""
    chosen = _chosen(parameters)
    return 5 * (problem.rows * chosen.s + problem.columns * chosen.h) / 8


def _chosen(parameters: Parameters) -> StripParameters:
    return typed(StripParameters, parameters)


def _lanes(problem: PairProblem, parameters: Parameters, backend: str) -> int:
    """Lanes of a worker: twice as many where a CPU computes in 16 bits."""
    return LANES[backend] * (1 + _in_16_bits(problem, parameters, backend))


def _in_16_bits(problem: PairProblem, parameters: Parameters, backend: str) -> bool:
    return backend == "cpu" and chosen_short_rows(problem, _chosen(parameters)) > 0


def _lead(chosen: StripParameters, lanes: int) -> float:
    return (chosen.T + lanes) * chosen.s / lanes


def _chunk_row_cells(problem: PairProblem, parameters: Parameters) -> float:
    return (problem.rows - 1) // _chosen(parameters).h * problem.columns


def _operations(work: Any) -> Model:
    def value(problem: PairProblem, parameters: Parameters, backend: str, workers: int) -> float:
        short = _in_16_bits(problem, parameters, backend)
        return (
            work(problem, parameters) * (LEAST_SHORT_OPERATIONS if short else LEAST_OPERATIONS[backend])[problem.mode]
        )

    return Model(
        OPERATIONS, "Operations", "lane operations", "Fewest operations of all cells, those computed twice included.",
        "001, section III", value, grows_with_time=True,
    )  # fmt: skip


def _traffic(value: Any, section: str) -> Model:
    told = "Bytes that strips leave for their neighbours and for phase 3 in main memory, written and read."
    return Model(TRAFFIC, "Border traffic", "bytes", told, f"001, section {section}", value)


def _directions(value: Any) -> Model:
    told = "Directions that phase 3 keeps in the worst case: the path decides how much of it is needed."
    return Model("directions", "Directions", "bytes", told, "001, section V.D", value)


STRIPS = (
    Model("start-up", "Start-up delay", "steps", "Steps until the last worker may begin, as published.",
          "001, section IV", start_up),
    Model("start-up-T", "Start-up delay with batches", "steps",
          "Steps until the last worker may begin, where a strip hands over T cells at a time.",
          "001, section IV, with T", start_up_with_batches),
    Model("steps", "Steps as published", "steps", "Steps until the last strip is done, without memory traffic.",
          "001, section IV", steps_published, grows_with_time=True),
    Model("steps-T", "Steps with batches", "steps",
          "Steps until the last strip is done, for whole strips and batches of T cells.",
          "001, section IV, with T", steps_with_batches, grows_with_time=True),
)  # fmt: skip

STRIPED_SCORE = (
    *STRIPS,
    _traffic(score_traffic, "IV"),
    Model("shared-memory", "Shared memory as published", "bytes",
          "Bytes a multiprocessor of the published kernel, whose strips lived in shared memory; here they live in "
          "registers.", "001, section IV", shared_memory),
    _operations(sizes.score_work),
)  # fmt: skip
STRIPED_ALIGNMENT = (
    *STRIPS,
    _traffic(alignment_traffic, "V.A"),
    _directions(striped_directions),
    _operations(sizes.alignment_work),
)  # fmt: skip
CHUNKED_ALIGNMENT_1 = (
    *STRIPS,
    _traffic(chunked_1_traffic, "V.B"),
    _directions(chunked_directions),
    _operations(sizes.chunked_work),
)  # fmt: skip
CHUNKED_ALIGNMENT_2 = (
    *STRIPS,
    _traffic(chunked_2_traffic, "V.C"),
    _directions(chunked_directions),
    _operations(sizes.chunked_work),
)  # fmt: skip
CHECKPOINTED_ALIGNMENT = (
    *STRIPS,
    _traffic(score_traffic, "IV"),
    _operations(checkpointed_sizes.work),
)  # fmt: skip
