"""Cost models of neighbor joining (Liu, Schmidt and Maskell 2009, section 4), and lower bounds of distances.

n are the taxa, p the workers, b the side of a block of pairs.
"""

from __future__ import annotations

from math import ceil

from antidiag.kernels.cost_models import (
    OWN_ESTIMATE,
    CostModel,
    minimum_models,
    operations_model,
    traffic_model,
    worker_share_model,
)
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.trees import sizes
from antidiag.kernels.trees.parameters import CellBlockParameters
from antidiag.kernels.trees.problem import TreeProblem

LIU = "Liu, Schmidt and Maskell 2009"
SECTION = f"{LIU}, section 4"
DISTANCE_BYTES = 4
OF_A_PAIR = {"cpu": 3.0, "cuda": 3.0}
"""Operations per pair of clusters: two subtracted sums and a comparison."""


def pairs_read(problem: TreeProblem, parameters: MethodParameters) -> float:
    """Return the bytes of all distances that are compared, once at every join."""
    return float(DISTANCE_BYTES * sizes.full_work(problem, parameters))


def matrix_read(problem: TreeProblem, parameters: MethodParameters) -> float:
    """Return the bytes of the distances of all pairs, read once."""
    return float(DISTANCE_BYTES * problem.taxa * (problem.taxa - 1) // 2)


def block_rounds(problem: TreeProblem, parameters: CellBlockParameters, backend: str, workers: int) -> float:
    """Return the pairs that a worker compares one after another, block by block, at all joins."""
    side = parameters.side
    found = 0.0
    for clusters in range(problem.taxa, 2, -max(problem.taxa // 256, 1)):  # about 256 of the joins represent all
        across = ceil(clusters / side)
        blocks = across * (across + 1) / 2
        pairs = min(side, clusters) ** 2
        found += ceil(blocks / workers) * pairs * max(problem.taxa // 256, 1)
    return found


SERIAL = (
    operations_model(sizes.full_work, OF_A_PAIR, SECTION, "those of all pairs at every join, n^3 / 6 in all"),
    worker_share_model(sizes.full_work, f"{LIU}, section 2.1", "Pairs at every join, n^3 / 6 in all"),
    traffic_model(pairs_read, SECTION, "Bytes of the distances that are compared, once at every join."),
)
BLOCKS = (
    *SERIAL,
    CostModel(
        "rounds",
        "Pairs of a worker, in blocks",
        "steps",
        "Blocks of b x b pairs one after another, in rounds of as many as there are workers, at all joins.",
        f"{LIU}, section 4.2",
        block_rounds,
        grows_with_time=True,
    ),
)
ONCE = (
    operations_model(
        lambda problem, parameters: problem.taxa * (problem.taxa - 1) / 2,
        OF_A_PAIR,
        SECTION,
        "those of all pairs, each compared once: how often it is, the distances decide",
    ),
    traffic_model(matrix_read, SECTION, "Bytes of the distances of all pairs, read once, which is the least."),
)


ALIGNED_PAIRS = minimum_models(sizes.full_work, f"{LIU}, section 2.1", "cells of all pairs", {"cpu": 4.5, "cuda": 5.5})
"""By 16-bit lanes on a CPU, two of which are one of 32 bits."""
PAIRS = minimum_models(lambda problem, parameters: max(problem.pairs, 1), f"{LIU}, section 2.1", "pairs of sequences")
"""Lower bound of word distances: the work of a pair depends on its words."""
COLUMNS = minimum_models(sizes.full_work, OWN_ESTIMATE, "columns of all pairs of rows", {"cpu": 0.25, "cuda": 0.44})
"""32 columns are compared by 8 operations on packed letters: logic, two counts of bits, and two sums. A GPU counts bits
in a lane of four."""
