"""Device sources of neighbor joining, with the structs and numbers that they share with Python."""

from __future__ import annotations

from pathlib import Path

from antidiag.kernels.cuda.structs import DeviceConstants, DeviceStruct
from antidiag.kernels.trees.joining.tree_from_joins import RECORD

HERE = Path(__file__).parent

PAIR = DeviceStruct(
    "Pair",
    """
    double criterion;
    unsigned long long slots;   // the greater slot, then the smaller
    unsigned long long places;  // of the smaller slot, then of the greater
    """,
)
SLOT_PAIR = DeviceStruct(
    "SlotPair",
    """                  // a pair of clusters, by their slots (joins_published.cu)
    double criterion;
    int low, high;
    """,
)
NO_CLUSTER = 1e300
"""The sum of a place without a cluster, beyond every sum."""
STATE = DeviceStruct(
    "State",
    """
    double between, sum_a, sum_b;      // of the join that was chosen
    double limit;                      // the best criterion known before rows are read
    double step_growth, total_growth;  // of u: summed over all joins; since the snapshot
    double greatest;                   // distance so far
    int r, step, a, b;
    unsigned finished;                 // blocks of the running kernel
    int row_a, row_b, spare;           // NJ-pruned: rows of the matrix that hold a and b, and one that holds nothing
    """,
)
# Parameters of both kernels of a join of NJ-basic and NJ-compact.
CLUSTERS = DeviceStruct(
    "Clusters",
    """
    REAL* cells;
    double* S;
    int *slots, *nodes;
    int taxa;
    State* state;
    """,
)
# Parameters of both kernels of a join of NJ-pruned (joins_pruned.cu).
BOUNDED = DeviceStruct(
    "Bounded",
    """
    REAL* D;
    long long stride;
    int* rows;
    double* sums;
    REAL *u, *snapshot;
    int *slots, *nodes;
    double *H, *T;
    int* partners;
    int taxa;
    State* state;
    """,
)
JOINS = (HERE.parent / "real.cuh", PAIR, STATE, DeviceConstants.from_values(RECORD=RECORD), HERE / "joins.cuh")
BLOCKS = (*JOINS, CLUSTERS, HERE / "cell_blocks.cuh", HERE / "joins_blocks.cu")
PUBLISHED = (*JOINS, SLOT_PAIR, HERE / "cell_blocks.cuh", HERE / "joins_published.cu")
PRUNED = (*JOINS, BOUNDED, HERE / "joins_pruned.cu")
