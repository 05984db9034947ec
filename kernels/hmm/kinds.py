"""What sets the methods of Viterbi apart: their work, and the tables that they keep beside the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.cost_estimate import count_all_cells
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.parameters import PieceParameters
from antidiag.kernels.hmm.rows import cuda_sizes
from antidiag.kernels.hmm.sizes import count_pieces, pad_states
from antidiag.kernels.memory import Footprint

BAND = 8
SUMS = "sums of transition and emission"


def _no_tables(problem: HmmProblem, parameters: Any, row: int = 0) -> Mapping[str, int]:
    """Return no tables."""
    return {}


@dataclass(frozen=True, slots=True)
class ViterbiKind:
    """How a method finds the most probable path.

    ``host_tables(problem, parameters)`` and ``device_tables(problem, parameters, row)`` are the bytes of its tables by
    purpose, where ``row`` are the bytes of a row on the device. Its numbers are float64 where it ``needs_doubles``, or
    where float32 are not exact.
    """

    count_work: Callable[[HmmProblem, Any], int] = count_all_cells
    host_tables: Callable[[HmmProblem, Any], Mapping[str, int]] = _no_tables
    device_tables: Callable[[HmmProblem, Any, int], Mapping[str, int]] = _no_tables
    needs_doubles: bool = False

    def list_host_bytes(self, problem: HmmProblem, parameters: Any) -> Mapping[str, int]:
        """List the bytes of a run on the CPU, by purpose."""
        width, n = pad_states(problem.states), problem.n
        rows = {"rows": 8 * width * n, "path": 4 * n, "observations": 8 * n, "model": 24 * width**2}
        return {**rows, **self.host_tables(problem, parameters)}

    def list_device_bytes(self, problem: HmmProblem, parameters: Any) -> Mapping[str, int]:
        """List the bytes of a run on the GPU, by purpose."""
        n, states = problem.n, problem.states
        row = states * (8 if self.needs_doubles or not cuda_sizes.exact_in_32_bits(problem) else 4)
        rows = {"rows": row * n, "path and states": 6 * n, "observations": n, "model": 3 * row * states + 8 * row}
        return {**rows, **self.device_tables(problem, parameters, row)}

    def estimate_memory(self, problem: HmmProblem, parameters: Any, backend: str) -> Footprint:
        """Estimate the bytes on the host, and on the device where the run is there."""
        if backend == "cpu":
            return Footprint(self.list_host_bytes(problem, parameters))
        return Footprint({"states": 2 * problem.n}, self.list_device_bytes(problem, parameters))


def _count_product_steps(problem: HmmProblem, parameters: Any) -> int:
    """Count sums and comparisons of costs where a letter takes l^3, in a product of matrices."""
    return problem.cells * (problem.states + 1)


def _count_tree_steps(problem: HmmProblem, parameters: PieceParameters) -> int:
    """Count sums and comparisons of costs, with the products that join pieces."""
    leaves = count_pieces(problem.n, parameters.piece)
    return _count_product_steps(problem, parameters) + leaves * problem.states**3


def _matrix_bytes(problem: HmmProblem) -> int:
    """Return the host bytes of a matrix of all states and one row more, in whole bands."""
    return 8 * -(-(problem.states + 1) // BAND) * BAND * pad_states(problem.states)


def _sums_on_host(problem: HmmProblem, parameters: Any) -> Mapping[str, int]:
    return {SUMS: 8 * (len(problem.hmm.alphabet) + 1) * pad_states(problem.states) ** 2}


def _products_on_host(problem: HmmProblem, parameters: Any) -> Mapping[str, int]:
    return {"products": 4 * _matrix_bytes(problem)}


def _tree_on_host(problem: HmmProblem, parameters: PieceParameters) -> Mapping[str, int]:
    return {"products": 2 * count_pieces(problem.n, parameters.piece) * _matrix_bytes(problem)}


def _sums_on_device(problem: HmmProblem, parameters: Any, row: int) -> Mapping[str, int]:
    return {SUMS: row * problem.states * (len(problem.hmm.alphabet) + 1)}


def _products_on_device(problem: HmmProblem, parameters: Any, row: int) -> Mapping[str, int]:
    return {"products": row * (problem.states + 1)}


def _textures_on_device(problem: HmmProblem, parameters: Any, row: int) -> Mapping[str, int]:
    return {**_sums_on_device(problem, parameters, row), **_products_on_device(problem, parameters, row)}


def _pieces_on_device(problem: HmmProblem, parameters: PieceParameters, row: int) -> Mapping[str, int]:
    return {"starts and ends of pieces": 4 * row * (count_pieces(problem.n, parameters.piece) + 1)}


def _tree_on_device(problem: HmmProblem, parameters: PieceParameters, row: int) -> Mapping[str, int]:
    products = 3 * row * problem.states * (count_pieces(problem.n, parameters.piece) + 1)
    return {**_pieces_on_device(problem, parameters, row), "products": products}


ROWS = ViterbiKind()
"""One row after the other."""
SCALAR_PRODUCTS = ViterbiKind(host_tables=_sums_on_host, device_tables=_sums_on_device, needs_doubles=True)
"""Rows from sums of transition and emission that are tabulated beforehand."""
MATRIX_PRODUCTS = ViterbiKind(_count_product_steps, _products_on_host, _products_on_device)
"""Rows from a product of matrices."""
TEXTURES = ViterbiKind(_count_product_steps, _products_on_host, _textures_on_device)
"""Matrix products whose sums are tabulated in a texture on a GPU."""
PIECES = ViterbiKind(device_tables=_pieces_on_device)
"""Pieces of the sequence in parallel, which are corrected."""
TREE = ViterbiKind(_count_tree_steps, _tree_on_host, _tree_on_device, needs_doubles=True)
"""Pieces of the sequence in parallel, joined as products in a tree."""
