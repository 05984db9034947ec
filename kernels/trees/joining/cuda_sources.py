"""Sources of neighbor joining's device code, and what it agrees on with Python."""

from __future__ import annotations

from pathlib import Path

from antidiag.kernels.cuda.structs import Constants, Struct
from antidiag.kernels.trees.joining.finish import RECORD

HERE = Path(__file__).parent

PAIR = Struct(
    "Pair",
    """
    double criterion;
    unsigned long long slots;   // the greater slot, then the smaller
    unsigned long long places;  // of the smaller slot, then of the greater
""",
)
STATE = Struct(
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
CLUSTERS = Struct(
    "Clusters",
    """                     // NJ-basic and NJ-compact: what both kernels of a join have
    REAL* cells;
    double* S;
    int *slots, *nodes;
    int taxa;
    State* state;
""",
)
BOUNDED = Struct(
    "Bounded",
    """                      // NJ-pruned: what both kernels of a join have (joins_pruned.cu)
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
JOINS = (PAIR, STATE, Constants.of(RECORD=RECORD), HERE / "joins.cuh")
BLOCKS = (*JOINS, CLUSTERS, HERE / "joins_blocks.cu")
PRUNED = (*JOINS, BOUNDED, HERE / "joins_pruned.cu")
