"""Two long sequences: the methods of Li, Ranka and Sahni (001)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kernels.memory import Footprint
from kernels.method import Citation, Method
from kernels.pairwise import baselines, checkpointed, geometry
from kernels.pairwise.problem import PAIR
from kernels.parameters import Parameter

PAPER = Citation(
    key="li2012pairwise",
    authors="Junjie Li, Sanjay Ranka, Sartaj Sahni",
    title="Pairwise Sequence Alignment for Very Long Sequences on GPUs",
    venue="IEEE 2nd International Conference on Computational Advances in Bio and Medical Sciences (ICCABS)",
    year=2012,
)

STRIP_WIDTH = Parameter(
    name="s",
    kind="int",
    label="Strip width s",
    help="Columns of a strip. A wide strip writes fewer boundary cells; a narrow one lets more strips work at once.",
    minimum=geometry.LANES,
    maximum=geometry.LANES * 32,
    step=geometry.LANES,
    unit="columns",
)
CHUNK_HEIGHT = Parameter(
    name="h",
    kind="int",
    label="Chunk height h",
    help="Rows of a chunk. The last row of every chunk is kept, so that the path is computed again from the top of a "
    "chunk: small chunks compute less again, large ones keep fewer rows.",
    minimum=16,
    maximum=4096,
    step=16,
    unit="rows",
)
BATCH = Parameter(
    name="T",
    kind="int",
    label="Batch T",
    help="Boundary cells that a strip hands to its right neighbour at a time. A small batch lets the neighbour "
    "start sooner; a large one synchronises less often.",
    minimum=8,
    maximum=32768,
    step=8,
    unit="cells",
)
THREADS = Parameter(
    name="threads",
    kind="int",
    label="Threads",
    help="CPU: worker threads, each computing one strip at a time. GPU: threads of a block (a warp of 32 computes "
    "one strip), rounded up to whole warps.",
    minimum=1,
    maximum=1024,
    unit="threads",
)
PRECISION = Parameter(
    name="precision",
    kind="choice",
    label="Precision",
    help="Bits of a value in phase 1. In 16, two cells share a register, which takes half the instructions. Values "
    "are kept less a common base; where scores are so large that those of a strip could overflow, or s is an odd "
    "multiple of 32, 32 bits are used. The answer is the same.",
    choices=("32", "16"),
    unit="bits",
    backends=("cuda",),
)
RECOMPUTE = Parameter(
    name="recompute",
    kind="choice",
    label="Phase 3 starts at",
    help="Where phase 3 begins to compute a strip again: at the local start point, or at the first row as published. "
    "Both give the same path.",
    default="start-point",
    choices=("start-point", "first-row"),
)


def _chunked(number: int, section: str, summary: str, footprint: Callable[..., Footprint]) -> Method:
    """ChunkedAlignment1 or ChunkedAlignment2."""
    return Method(
        id=f"chunked-alignment-{number}",
        name=f"ChunkedAlignment{number}",
        family="pairwise",
        summary=summary,
        citation=PAPER.at(section),
        problem=PAIR,
        parameters=(STRIP_WIDTH, CHUNK_HEIGHT, BATCH, THREADS),
        backends={backend: f"kernels.pairwise.{backend}:chunked_alignment_{number}" for backend in ("cpu", "cuda")},
        returns=frozenset({"score", "alignment"}),
        footprint=footprint,
        automatic=geometry.chunked_automatic,
        work=geometry.chunked_work,
        again=geometry.chunked_again,
        page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": 2.0, "cuda": 200.0},
    )


METHODS = (
    Method(
        id="striped-score",
        name="StripedScore",
        family="pairwise",
        summary="Score of the best alignment in strips of width s; only the strip boundaries pass through memory.",
        citation=PAPER.at("section IV"),
        problem=PAIR,
        parameters=(STRIP_WIDTH, BATCH, THREADS, PRECISION),
        backends={
            "cpu": "kernels.pairwise.cpu:striped_score",
            "cuda": "kernels.pairwise.cuda:striped_score",
        },
        returns=frozenset({"score"}),
        footprint=geometry.score_footprint,
        automatic=geometry.score_automatic,
        work=geometry.score_work,
        page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": 5.0, "cuda": 500.0},
    ),
    Method(
        id="striped-alignment",
        name="StripedAlignment",
        family="pairwise",
        summary="Best alignment in three phases: boundaries with local start states, then the strips on the path, "
        "then their sub-paths in parallel.",
        citation=PAPER.at("section V.A"),
        problem=PAIR,
        parameters=(STRIP_WIDTH, BATCH, THREADS, RECOMPUTE),
        backends={
            "cpu": "kernels.pairwise.cpu:striped_alignment",
            "cuda": "kernels.pairwise.cuda:striped_alignment",
        },
        returns=frozenset({"score", "alignment"}),
        footprint=geometry.alignment_footprint,
        automatic=geometry.alignment_automatic,
        work=geometry.alignment_work,
        again=geometry.alignment_again,
        page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": 2.0, "cuda": 200.0},
    ),
    _chunked(
        number=1,
        section="section V.B",
        summary="StripedAlignment in chunks of h rows, whose last rows are kept too: a strip is computed again only "
        "from the chunk in which its sub-path starts.",
        footprint=geometry.chunked_1_footprint,
    ),
    _chunked(
        number=2,
        section="section V.C",
        summary="ChunkedAlignment1 with start states local to chunks: phase 3 computes every chunk on the path by "
        "itself, all in parallel.",
        footprint=geometry.chunked_2_footprint,
    ),
    *baselines.methods(PAPER),
    checkpointed.method(PAPER, (STRIP_WIDTH, BATCH, THREADS, PRECISION)),
)
