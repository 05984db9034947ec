"""Profiles: two alignments, or an alignment and a sequence, aligned column by column (003, chapter 4)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from antidiag.kernels.citation import Citation
from antidiag.kernels.cuts import Cuts
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import Input, Method, ProblemType
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.profiles import analysis, options, placement, sizes
from antidiag.kernels.profiles.files import PROFILE
from antidiag.kernels.profiles.parameters import BATCH, BLOCK, LIMIT, STRIP_WIDTH, WORKERS
from antidiag.kernels.semiring.citation import THESIS
from antidiag.kernels.steps import Logged, Share

PROFILES = ProblemType(
    id="profiles",
    label="Two profiles",
    inputs=(Input(PROFILE, 2, 2),),
    options=options.OPTIONS,
    build=options.build,
    defaults=options.defaults,
    data=options.json_fields,
    rows=options.rows,
    answer=options.score_text,
    answer_label="score",
    formats=options.FORMATS,
    products=options.products,
    settings=options.settings,
    option_values=options.option_values,
    trials="antidiag.kernels.profiles.trials:PROFILES",
    placement=placement.COLUMNS,
)

PROFILE_SEQUENCE = ProblemType(
    id="profile-sequence",
    label="Profile and sequence",
    inputs=(Input(PROFILE, flag="profile", label="Profile"), Input(SEQUENCE)),
    options=options.OPTIONS,
    build=options.build_sequence,
    defaults=options.defaults,
    data=options.json_fields,
    rows=options.rows,
    answer=options.score_text,
    answer_label="score",
    formats=options.FORMATS,
    products=options.products,
    settings=options.settings,
    option_values=options.option_values,
    trials="antidiag.kernels.profiles.trials:SEQUENCE",
    placement=placement.COLUMNS,
)


def _automatic(names: tuple[str, ...], problem: Any, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    found = sizes.automatic(problem, backend, multiprocessors)
    return {name: found[name] for name in names if name in found}


def _method(
    id: str, name: str, section: str, summary: str, kind: ProblemType, function: str, host: sizes.Host, gcups: float,
    parameters: tuple[Parameter, ...] = (), device: sizes.Device | None = None, cuda_gcups: float = 0.0,
    cuda: str = "", citation: Citation = THESIS, pieces: Mapping[str, str] | None = None, play: str = "",
) -> Method:  # fmt: skip
    """``device``: bytes on a GPU, None where the method has none; its function there is ``cuda``, or is called as that
    on the CPU."""
    names = tuple(parameter.name for parameter in parameters)
    on_gpu = cuda or function.replace("cpu:", "cuda:")
    return Method(
        id=id,
        name=name,
        family="profiles",
        summary=summary,
        citation=citation.at(section),
        problem=kind,
        parameters=parameters,
        backends={"cpu": f"antidiag.kernels.profiles.{function}"}
        | ({"cuda": f"antidiag.kernels.profiles.{on_gpu}"} if device else {}),
        returns=frozenset({"score", "alignment"}),
        footprint=partial(sizes.footprint, host, device),
        automatic=partial(_automatic, names),
        work=lambda problem, values: problem.cells,
        logged=_logged if len(pieces or {}) > 1 else None,
        page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": gcups} | ({"cuda": cuda_gcups} if device else {}),
        cuts=_cuts,
        pieces=pieces or {},
        staging=f"antidiag.kernels.profiles.{play}" if play else "",
        models=MODELS.get(next(iter((pieces or {}).values()), ""), analysis.ALL),
    )


def _logged(problem: Any, parameters: Mapping[str, Any], backend: str) -> Logged:
    """First all scores, then all cells."""
    both = tuple(Share((phase,), problem.cells) for phase in ("scores", "maximisation"))
    return Logged((*both, Share(total=0)), "scores and cells")


def _cuts(parameters: Mapping[str, Any]) -> Cuts:
    """Blocks, or strips and the rows that are kept between batches."""
    return Cuts(block=parameters.get("k") or 0, strip=parameters.get("s") or 0, chunk=parameters.get("T") or 0)


STRIPS, TABLE, DIAGONALS = {"strips": "strip"}, {"table": "slice"}, {"antidiagonals": "antidiagonal"}
MODELS = {"block row": analysis.BLOCKS, "product": analysis.PRODUCTS, "antidiagonal": analysis.WAVES}
"""By what the first phase of a method is made of."""
BLOCK_ROWS, PRODUCT_ROWS = ({"scores": first, "maximisation": "slice"} for first in ("block row", "product"))
BLOCKS = (BLOCK, WORKERS)
ALL_THREE = sizes.on_gpu(sizes.gpu_matrices(3))
PRODUCTS, ALL_PRODUCTS = sizes.on_gpu(sizes.gpu_matrices(1, 1, 1)), sizes.on_gpu(sizes.gpu_matrices(3, 2, 4))
WAVES = sizes.on_gpu(sizes.gpu_waves, sizes.serial)  # borders of blocks go from the host before directions come

METHODS = (
    _method("profile-wavefront", "ProfileWavefront", "section 4.2.2", "Scores of a tile by matrix product, its cells "
            "right after, in strips; nothing of the size of the table is kept.", PROFILES, "cpu_wavefront:wavefront",
            sizes.strips, 1.0, (STRIP_WIDTH, BATCH, WORKERS), sizes.gpu_strips, 100.0, "cuda_wavefront:wavefront",
            pieces=STRIPS, play="plays:STRIPS"),
    _method("profile-serial", "ProfProfAlign", "algorithm 2.3", "A cell after another, with the three scores of each.",
            PROFILES, "cpu:serial", sizes.serial, 0.03, pieces=TABLE, play="plays:SERIAL"),
    _method("profile-simple", "Simple k", "algorithm 4.1", "Scores in blocks of k x k, cell by cell; then their "
            "minimisation on the CPU.", PROFILES, "cpu:simple", sizes.matrices(3), 0.02, BLOCKS, ALL_THREE, 0.15,
            pieces=BLOCK_ROWS, play="plays:SIMPLE"),
    _method("profile-row", "Row k", "algorithm 4.1", "As Simple k, row by row: the gap cost of a row once.",
            PROFILES, "cpu:row", sizes.matrices(3), 0.03, BLOCKS, ALL_THREE, 0.15, pieces=BLOCK_ROWS,
            play="plays:ROW"),
    _method("profile-column", "Column k", "algorithm 4.1", "As Simple k, column by column: the gap cost of each "
            "once.", PROFILES, "cpu:column", sizes.matrices(3), 0.03, BLOCKS, ALL_THREE, 0.15, pieces=BLOCK_ROWS,
            play="plays:COLUMN"),
    _method("profile-mix", "Mix k", "algorithm 4.1", "As Simple k, a row and a column in turn: the gap cost of "
            "each once.", PROFILES, "cpu:mix", sizes.matrices(3), 0.03, BLOCKS, ALL_THREE, 0.15, pieces=BLOCK_ROWS,
            play="plays:MIX"),
    _method("profile-cublas", "CUBLAS", "algorithm 4.1", "Two calls for a cell: a difference, and its norm. "
            "The thesis' example of how not to do it.", PROFILES, "cpu:cublas", sizes.matrices(1), 0.02,
            (), sizes.on_gpu(sizes.gpu_cublas), 0.00002, "cuda_products:cublas_cells", pieces=PRODUCT_ROWS,
            play="plays:CALLS"),
    _method("profile-matprod-v1", "MatProd V1", "algorithm 4.2", "Differences by a product with an identity matrix, "
            "which the thesis discarded: n times the work.", PROFILES, "cpu:matprod_v1", sizes.identity, 0.0005, (),
            sizes.on_gpu(sizes.gpu_identity, sizes.matrices(1)), 0.01, "cuda_products:matprod_v1",
            pieces=PRODUCT_ROWS, play="plays:IDENTITY"),
    _method("profile-matprod-v2", "MatProd V2 k", "algorithm 4.2", "k rows of scores by a product of matrices; then "
            "their minimisation on the CPU.", PROFILES, "cpu:matprod_v2", sizes.products, 0.15, (BLOCK,),
            sizes.on_gpu(sizes.gpu_matrices(1)), 0.15, pieces=PRODUCT_ROWS, play="plays:PRODUCTS"),
    _method("profile-smwavefront", "SMwavefront k", "section 4.2.2", "The blocks of an antidiagonal at a time, scores "
            "and cells together, borders through memory.", PROFILES, "cpu:smwavefront", sizes.waves, 0.03, BLOCKS,
            WAVES, 5.0, pieces=DIAGONALS, play="plays:WAVES"),
    _method("profseq-matprod-v2", "ProSeqAlign MatProd V2", "algorithm 4.6", "All scores by one product of matrices, "
            "gap costs as vectors.", PROFILE_SEQUENCE, "cpu:sequence_matprod_v2", sizes.product, 0.15, (),
            PRODUCTS, 0.15, "cuda_products:sequence_matprod_v2", pieces=PRODUCT_ROWS,
            play="plays_sequence:AT_ONCE"),
    _method("profseq-serial", "ProSeqAlign", "algorithm 2.4", "A cell after another, with the three scores of each.",
            PROFILE_SEQUENCE, "cpu:serial", sizes.serial, 0.03, pieces=TABLE, play="plays_sequence:SERIAL"),
    _method("profseq-matvecprod-v1", "ProSeqAlign MatVecProd V1", "algorithm 4.3", "H, V and D as matrices: columns of "
            "V, and rows of H and D, each by a product of a matrix and a vector.",
            PROFILE_SEQUENCE, "cpu:sequence_matvecprod_v1", sizes.limited(sizes.matrices(3)), 0.05, (LIMIT,),
            ALL_PRODUCTS, 0.01, "cuda_products:sequence_matvecprod_v1", pieces=PRODUCT_ROWS,
            play="plays_sequence:VECTORS"),
    _method("profseq-matvecprod-v2", "ProSeqAlign MatVecProd V2", "algorithm 4.5", "As V1, with gap costs as vectors.",
            PROFILE_SEQUENCE, "cpu:sequence_matvecprod_v2", sizes.products, 0.1, (),
            PRODUCTS, 0.08, "cuda_products:sequence_matvecprod_v2", pieces=PRODUCT_ROWS,
            play="plays_sequence:ROWS"),
    _method("profseq-matprod-v1", "ProSeqAlign MatProd V1", "algorithm 4.4", "H, V and D as three products of "
            "matrices.", PROFILE_SEQUENCE, "cpu:sequence_matprod_v1", sizes.limited(sizes.matrices(3)), 0.05, (LIMIT,),
            ALL_PRODUCTS, 0.1, "cuda_products:sequence_matprod_v1", pieces=PRODUCT_ROWS,
            play="plays_sequence:MATRICES"),
    _method("profseq-smwavefront", "ProSeqAlign SMwavefront k", "section 4.3", "The blocks of an antidiagonal at a "
            "time, scores and cells together.", PROFILE_SEQUENCE, "cpu:smwavefront", sizes.waves, 0.03, BLOCKS,
            WAVES, 5.0, pieces=DIAGONALS, play="plays_sequence:WAVES"),
)  # fmt: skip
