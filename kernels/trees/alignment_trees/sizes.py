"""Memory of the trees of alignments."""

from __future__ import annotations

from antidiag.kernels.memory import Footprint
from antidiag.kernels.trees.alignment_trees.problem import AlignmentTreeProblem
from antidiag.kernels.trees.distances.sizes import packed_device_bytes, packed_host_bytes
from antidiag.kernels.trees.parameters import PrunedParameters
from antidiag.kernels.trees.sizes import DEVICE_NUMBERS, LANES, WORKING_NUMBERS

REPLICATE_BYTES = 1 << 31
"""Bytes of the matrices of replicates that are joined at the same time."""


def padded_taxa(taxa: int) -> int:
    """Return the length of a row of the matrix on the CPU: whole vectors."""
    return -(-taxa // LANES) * LANES


def replicate_workers(problem: AlignmentTreeProblem, threads: int) -> int:
    """Return how many replicates are joined at the same time on a CPU."""
    matrix = problem.dtype.itemsize * problem.taxa * padded_taxa(problem.taxa)
    return max(1, min(threads, problem.bootstrap, REPLICATE_BYTES // max(matrix, 1)))


def estimate_memory(problem: AlignmentTreeProblem, parameters: PrunedParameters, backend: str) -> Footprint:
    """Return the memory of the matrix that is joined in place, the packed letters, and the replicates."""
    taxa, columns = problem.taxa, problem.alignment.letters.shape[1]
    numbers = WORKING_NUMBERS * 8 * taxa + DEVICE_NUMBERS
    replicates = {"joins of replicates": 8 * taxa * problem.bootstrap} if problem.bootstrap else {}
    if backend == "cuda":
        matrix = problem.dtype.itemsize * (taxa + 1) * taxa
        device = {"matrix": matrix, "sums and joins": numbers, **packed_device_bytes(problem.alignment)}
        return Footprint({"joins": numbers, **replicates}, device)
    matrix = problem.dtype.itemsize * taxa * padded_taxa(taxa)
    host = {"matrix": matrix, "sums and joins": numbers, **packed_host_bytes(problem.alignment, parameters.threads)}
    if problem.bootstrap:
        workers = replicate_workers(problem, parameters.threads)
        packed = packed_host_bytes(problem.alignment, 1)
        host["matrices of replicates"] = (workers - 1) * matrix
        host["letters of replicates"] = workers * (sum(packed.values()) + 8 * columns + numbers)
    if problem.model == "tn93" and problem.bootstrap:
        host["bases of columns"] = 8 * (256 + 4) * columns
    return Footprint({**host, **replicates})
