"""Profiles: two alignments, or an alignment and a sequence, aligned column by column (Hanif 2014, chapter 4)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import Method, ProblemInput, ProblemType
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.profiles import cost_models, dp_class, options, sizes
from antidiag.kernels.profiles.parameters import BATCH, BLOCK, LIMIT, STRIP_WIDTH, WORKERS
from antidiag.kernels.profiles.profile_files import PROFILE
from antidiag.kernels.semiring.thesis_citation import THESIS
from antidiag.kernels.steps import LoggedWork, WorkShare
from antidiag.kernels.table_cuts import TableCuts

_SHARED: dict[str, Any] = {
    "options": options.OPTIONS,
    "default_options": options.default_options,
    "answer_json": options.json_fields,
    "answer_rows": options.describe_answer,
    "format_answer": options.score_text,
    "answer_label": "score",
    "file_formats": options.FORMATS,
    "extract_data": options.result_alignments,
    "setting_rows": options.describe_settings,
    "option_values": options.option_values,
    "dp_classification": dp_class.COLUMNS,
}
PROFILES = ProblemType(
    id="profiles",
    label="Two profiles",
    inputs=(ProblemInput(PROFILE, 2, 2),),
    build_problem=options.build_profiles,
    trials_name="antidiag.kernels.profiles.trials:PROFILES",
    **_SHARED,
)
PROFILE_SEQUENCE = ProblemType(
    id="profile-sequence",
    label="Profile and sequence",
    inputs=(ProblemInput(PROFILE, flag="profile", label="Profile"), ProblemInput(SEQUENCE)),
    build_problem=options.build_sequence,
    trials_name="antidiag.kernels.profiles.trials:SEQUENCE",
    **_SHARED,
)


def _choose_parameters(
    names: tuple[str, ...], problem: Any, backend: str, multiprocessors: int | None
) -> Mapping[str, Any]:
    """Return automatic values for the parameters of these names."""
    found = sizes.choose_parameters(problem, backend, multiprocessors)
    return {name: found[name] for name in names if name in found}


def _declare_method(
    id: str,
    name: str,
    section: str,
    summary: str,
    kind: ProblemType = PROFILES,
    *,
    cpu: str,
    host: sizes.Host,
    cuda: str = "",
    device: sizes.Device | None = None,
    gcups: tuple[float, ...],
    pieces: Mapping[str, str],
    walkthrough: str,
    parameters: tuple[Parameter, ...] = (),
) -> Method:
    """Declare a method; ``host`` and ``device`` estimate bytes, ``gcups`` are nominal rates by backend."""
    backends = {"cpu": cpu, **({"cuda": cuda} if cuda else {})}
    return Method(
        id=id,
        name=name,
        family="profiles",
        summary=summary,
        citation=THESIS.with_section(section),
        problem_type=kind,
        parameters=parameters,
        backends=backends,
        returns=frozenset({"score", "alignment"}),
        estimate_memory=partial(sizes.estimate_memory, host, device),
        automatic_parameters=partial(_choose_parameters, tuple(parameter.name for parameter in parameters)),
        count_work=lambda problem, values: problem.cells,
        logged_work=_logged_work if len(pieces) > 1 else None,
        help_page=Path(__file__).with_name("page.md"),
        nominal_gcups=dict(zip(backends, gcups, strict=True)),
        table_cuts=_cell_cuts,
        event_nouns=pieces,
        walkthrough_name=walkthrough,
        cost_models=MODELS.get(next(iter(pieces.values())), cost_models.ALL),
    )


def _logged_work(problem: Any, parameters: Mapping[str, Any], backend: str) -> LoggedWork:
    """Return the work of a run that computes all scores first, then all cells."""
    both = tuple(WorkShare((phase,), problem.cells) for phase in ("scores", "maximisation"))
    return LoggedWork((*both, WorkShare(total=0)), "scores and cells")


def _cell_cuts(parameters: Mapping[str, Any]) -> TableCuts:
    """Return the blocks, or the strips and batches of rows, into which parameters cut the table."""
    return TableCuts(block=parameters.get("k") or 0, strip=parameters.get("s") or 0, chunk=parameters.get("T") or 0)


STRIPS, TABLE, DIAGONALS = {"strips": "strip"}, {"table": "slice"}, {"antidiagonals": "antidiagonal"}
MODELS = {"block row": cost_models.BLOCKS, "product": cost_models.PRODUCTS, "antidiagonal": cost_models.WAVES}
"""Cost models by the pieces of a method's first phase."""
BLOCK_ROWS, PRODUCT_ROWS = ({"scores": first, "maximisation": "slice"} for first in ("block row", "product"))
BLOCKS = (BLOCK, WORKERS)
ONE_MATRIX = sizes.make_gpu_estimate(sizes.estimate_gpu_matrices(1))
THREE_MATRICES = sizes.make_gpu_estimate(sizes.estimate_gpu_matrices(3))
PRODUCTS = sizes.make_gpu_estimate(sizes.estimate_gpu_matrices(1, 1, 1))
ALL_PRODUCTS = sizes.make_gpu_estimate(sizes.estimate_gpu_matrices(3, 2, 4))
WAVES = sizes.make_gpu_estimate(
    sizes.estimate_gpu_waves, sizes.estimate_serial
)  # borders of blocks leave the host before directions come

METHODS = (
    _declare_method(
        "profile-wavefront",
        "ProfileWavefront",
        "section 4.2.2",
        "Matrix products score tiles of strips, whose cells follow at once; the table is never in memory as a whole.",
        cpu="antidiag.kernels.profiles.wavefront.cpu_wavefront:align_by_strips",
        host=sizes.estimate_strips,
        cuda="antidiag.kernels.profiles.wavefront.cuda_wavefront:align_by_strips",
        device=sizes.estimate_gpu_strips,
        gcups=(1.0, 100.0),
        parameters=(STRIP_WIDTH, BATCH, WORKERS),
        pieces=STRIPS,
        walkthrough="antidiag.kernels.profiles.walkthroughs.two_profiles:STRIPS",
    ),
    _declare_method(
        "profile-serial",
        "ProfProfAlign",
        "algorithm 2.3",
        "One cell after another, with the three scores of each.",
        cpu="antidiag.kernels.profiles.whole_table.cpu:align_serially",
        host=sizes.estimate_serial,
        gcups=(0.03,),
        pieces=TABLE,
        walkthrough="antidiag.kernels.profiles.walkthroughs.two_profiles:SERIAL",
    ),
    _declare_method(
        "profile-simple",
        "Simple k",
        "algorithm 4.1",
        "Scores in blocks of k x k, cell by cell; then the recurrence on the CPU.",
        cpu="antidiag.kernels.profiles.whole_table.cpu:align_simple_k",
        host=sizes.estimate_matrices(3),
        cuda="antidiag.kernels.profiles.whole_table.cuda:align_simple_k",
        device=THREE_MATRICES,
        gcups=(0.02, 0.15),
        parameters=BLOCKS,
        pieces=BLOCK_ROWS,
        walkthrough="antidiag.kernels.profiles.walkthroughs.two_profiles:SIMPLE",
    ),
    _declare_method(
        "profile-row",
        "Row k",
        "algorithm 4.1",
        "Like Simple k, row by row: the gap cost of a row is computed once.",
        cpu="antidiag.kernels.profiles.whole_table.cpu:align_row_k",
        host=sizes.estimate_matrices(3),
        cuda="antidiag.kernels.profiles.whole_table.cuda:align_row_k",
        device=THREE_MATRICES,
        gcups=(0.03, 0.15),
        parameters=BLOCKS,
        pieces=BLOCK_ROWS,
        walkthrough="antidiag.kernels.profiles.walkthroughs.two_profiles:ROW",
    ),
    _declare_method(
        "profile-column",
        "Column k",
        "algorithm 4.1",
        "Like Simple k, column by column: the gap cost of a column is computed once.",
        cpu="antidiag.kernels.profiles.whole_table.cpu:align_column_k",
        host=sizes.estimate_matrices(3),
        cuda="antidiag.kernels.profiles.whole_table.cuda:align_column_k",
        device=THREE_MATRICES,
        gcups=(0.03, 0.15),
        parameters=BLOCKS,
        pieces=BLOCK_ROWS,
        walkthrough="antidiag.kernels.profiles.walkthroughs.two_profiles:COLUMN",
    ),
    _declare_method(
        "profile-mix",
        "Mix k",
        "algorithm 4.1",
        "Like Simple k, a row and a column in turn: the gap cost of each is computed once.",
        cpu="antidiag.kernels.profiles.whole_table.cpu:align_mix_k",
        host=sizes.estimate_matrices(3),
        cuda="antidiag.kernels.profiles.whole_table.cuda:align_mix_k",
        device=THREE_MATRICES,
        gcups=(0.03, 0.15),
        parameters=BLOCKS,
        pieces=BLOCK_ROWS,
        walkthrough="antidiag.kernels.profiles.walkthroughs.two_profiles:MIX",
    ),
    _declare_method(
        "profile-cublas",
        "CUBLAS",
        "algorithm 4.1",
        "Two library calls for each cell, a difference and its norm: the thesis' example of how not to do it.",
        cpu="antidiag.kernels.profiles.whole_table.cpu:align_by_blas_calls",
        host=sizes.estimate_matrices(1),
        cuda="antidiag.kernels.profiles.whole_table.cuda_products:align_by_blas_calls",
        device=sizes.make_gpu_estimate(sizes.estimate_gpu_cublas),
        gcups=(0.02, 0.00002),
        pieces=PRODUCT_ROWS,
        walkthrough="antidiag.kernels.profiles.walkthroughs.two_profiles:CALLS",
    ),
    _declare_method(
        "profile-matprod-v1",
        "MatProd V1",
        "algorithm 4.2",
        "Differences by a product with an identity matrix: n times the work, and discarded in the thesis.",
        cpu="antidiag.kernels.profiles.whole_table.cpu:align_by_identity_product",
        host=sizes.estimate_identity,
        cuda="antidiag.kernels.profiles.whole_table.cuda_products:align_by_identity_product",
        device=sizes.make_gpu_estimate(sizes.estimate_gpu_identity, sizes.estimate_matrices(1)),
        gcups=(0.0005, 0.01),
        pieces=PRODUCT_ROWS,
        walkthrough="antidiag.kernels.profiles.walkthroughs.two_profiles:IDENTITY",
    ),
    _declare_method(
        "profile-matprod-v2",
        "MatProd V2 k",
        "algorithm 4.2",
        "A matrix product scores k rows; then the recurrence on the CPU.",
        cpu="antidiag.kernels.profiles.whole_table.cpu:align_by_matrix_product",
        host=sizes.estimate_products,
        cuda="antidiag.kernels.profiles.whole_table.cuda:align_by_matrix_product",
        device=ONE_MATRIX,
        gcups=(0.15, 0.15),
        parameters=(BLOCK,),
        pieces=PRODUCT_ROWS,
        walkthrough="antidiag.kernels.profiles.walkthroughs.two_profiles:PRODUCTS",
    ),
    _declare_method(
        "profile-smwavefront",
        "SMwavefront k",
        "section 4.2.2",
        "All blocks of an antidiagonal at a time, scores and cells together, borders through memory.",
        cpu="antidiag.kernels.profiles.whole_table.cpu:align_by_block_waves",
        host=sizes.estimate_waves,
        cuda="antidiag.kernels.profiles.whole_table.cuda:align_by_block_waves",
        device=WAVES,
        gcups=(0.03, 5.0),
        parameters=BLOCKS,
        pieces=DIAGONALS,
        walkthrough="antidiag.kernels.profiles.walkthroughs.two_profiles:WAVES",
    ),
    _declare_method(
        "profseq-matprod-v2",
        "ProSeqAlign MatProd V2",
        "algorithm 4.6",
        "One matrix product makes all scores; gap costs are vectors.",
        PROFILE_SEQUENCE,
        cpu="antidiag.kernels.profiles.whole_table.cpu:align_sequence_matprod_v2",
        host=sizes.estimate_sequence_product,
        cuda="antidiag.kernels.profiles.whole_table.cuda_products:align_sequence_matprod_v2",
        device=PRODUCTS,
        gcups=(0.15, 0.15),
        pieces=PRODUCT_ROWS,
        walkthrough="antidiag.kernels.profiles.walkthroughs.profile_and_sequence:AT_ONCE",
    ),
    _declare_method(
        "profseq-serial",
        "ProSeqAlign",
        "algorithm 2.4",
        "One cell after another, with the three scores of each.",
        PROFILE_SEQUENCE,
        cpu="antidiag.kernels.profiles.whole_table.cpu:align_serially",
        host=sizes.estimate_serial,
        gcups=(0.03,),
        pieces=TABLE,
        walkthrough="antidiag.kernels.profiles.walkthroughs.profile_and_sequence:SERIAL",
    ),
    _declare_method(
        "profseq-matvecprod-v1",
        "ProSeqAlign MatVecProd V1",
        "algorithm 4.3",
        "Matrices H, V and D: a matrix-vector product makes each column of V and each row of H and D.",
        PROFILE_SEQUENCE,
        cpu="antidiag.kernels.profiles.whole_table.cpu:align_sequence_matvecprod_v1",
        host=sizes.limit_matrices(sizes.estimate_matrices(3)),
        cuda="antidiag.kernels.profiles.whole_table.cuda_products:align_sequence_matvecprod_v1",
        device=ALL_PRODUCTS,
        gcups=(0.05, 0.01),
        parameters=(LIMIT,),
        pieces=PRODUCT_ROWS,
        walkthrough="antidiag.kernels.profiles.walkthroughs.profile_and_sequence:VECTORS",
    ),
    _declare_method(
        "profseq-matvecprod-v2",
        "ProSeqAlign MatVecProd V2",
        "algorithm 4.5",
        "Like V1, with gap costs as vectors.",
        PROFILE_SEQUENCE,
        cpu="antidiag.kernels.profiles.whole_table.cpu:align_sequence_matvecprod_v2",
        host=sizes.estimate_products,
        cuda="antidiag.kernels.profiles.whole_table.cuda_products:align_sequence_matvecprod_v2",
        device=PRODUCTS,
        gcups=(0.1, 0.08),
        pieces=PRODUCT_ROWS,
        walkthrough="antidiag.kernels.profiles.walkthroughs.profile_and_sequence:ROWS",
    ),
    _declare_method(
        "profseq-matprod-v1",
        "ProSeqAlign MatProd V1",
        "algorithm 4.4",
        "Matrices H, V and D by three matrix products.",
        PROFILE_SEQUENCE,
        cpu="antidiag.kernels.profiles.whole_table.cpu:align_sequence_matprod_v1",
        host=sizes.limit_matrices(sizes.estimate_matrices(3)),
        cuda="antidiag.kernels.profiles.whole_table.cuda_products:align_sequence_matprod_v1",
        device=ALL_PRODUCTS,
        gcups=(0.05, 0.1),
        parameters=(LIMIT,),
        pieces=PRODUCT_ROWS,
        walkthrough="antidiag.kernels.profiles.walkthroughs.profile_and_sequence:MATRICES",
    ),
    _declare_method(
        "profseq-smwavefront",
        "ProSeqAlign SMwavefront k",
        "section 4.3",
        "All blocks of an antidiagonal at a time, scores and cells together.",
        PROFILE_SEQUENCE,
        cpu="antidiag.kernels.profiles.whole_table.cpu:align_by_block_waves",
        host=sizes.estimate_waves,
        cuda="antidiag.kernels.profiles.whole_table.cuda:align_by_block_waves",
        device=WAVES,
        gcups=(0.03, 5.0),
        parameters=BLOCKS,
        pieces=DIAGONALS,
        walkthrough="antidiag.kernels.profiles.walkthroughs.profile_and_sequence:WAVES",
    ),
)
