"""Profiles: two alignments, or an alignment and a sequence, aligned column by column (Hanif 2014, chapter 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from antidiag.kernels.cost_estimate import CostEstimate
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import Method, ProblemInput, ProblemType, TablePicture, Teaching
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.profiles import cost_models, dp_class, options, sizes
from antidiag.kernels.profiles.parameters import (
    ProfileBlockParameters,
    ProfileBlockSize,
    ProfileLimitParameters,
    ProfileStripParameters,
)
from antidiag.kernels.profiles.profile_files import PROFILE
from antidiag.kernels.semiring.thesis_citation import THESIS
from antidiag.kernels.steps import LoggedWork, WorkShare
from antidiag.kernels.table_cuts import TableCuts, no_cuts

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


def _declare_method(
    *,
    id: str,
    name: str,
    section: str,
    summary: str,
    problem_type: ProblemType = PROFILES,
    parameters: type[MethodParameters] = MethodParameters,
    cuts: Callable[[Any], TableCuts] = no_cuts,
    cpu: str,
    host: sizes.Host,
    cuda: str = "",
    device: sizes.Device | None = None,
    gcups: tuple[float, ...],
    pieces: Mapping[str, str],
    walkthrough: str,
) -> Method:
    """Declare a method; ``host`` and ``device`` estimate bytes, ``gcups`` are nominal rates by backend."""
    backends = {"cpu": cpu, **({"cuda": cuda} if cuda else {})}
    return Method(
        id=id,
        name=name,
        family="profiles",
        summary=summary,
        citation=THESIS.with_section(section),
        problem_type=problem_type,
        parameters=parameters,
        choose_parameters=sizes.choose_parameters,
        refuse_backend=options.refuse_backend,
        backends={backend: f"antidiag.kernels.profiles.{function}" for backend, function in backends.items()},
        returns=frozenset({"score", "alignment"}),
        cost=CostEstimate(
            estimate_memory=partial(sizes.estimate_memory, host, device),
            nominal_gcups=dict(zip(backends, gcups, strict=True)),
            cost_models=MODELS.get(next(iter(pieces.values())), cost_models.ALL),
        ),
        picture=TablePicture(
            table_cuts=cuts, event_nouns=pieces, logged_work=_logged_work if len(pieces) > 1 else None
        ),
        teaching=Teaching(Path(__file__).with_name("page.md"), f"antidiag.kernels.profiles.walkthroughs.{walkthrough}"),
    )


def _logged_work(problem: Any, parameters: MethodParameters, backend: str) -> LoggedWork:
    """Return the work of a run that computes all scores first, then all cells."""
    both = tuple(WorkShare((phase,), problem.cells) for phase in ("scores", "maximisation"))
    return LoggedWork((*both, WorkShare(total=0)), "scores and cells")


def _cut_into_blocks(parameters: ProfileBlockSize) -> TableCuts:
    """Return blocks of k x k cells."""
    return TableCuts(block=parameters.k)


def _cut_into_strips(parameters: ProfileStripParameters) -> TableCuts:
    """Return strips and batches of rows."""
    return TableCuts(strip=parameters.s, chunk=parameters.T)


STRIPS, TABLE, DIAGONALS = {"strips": "strip"}, {"table": "slice"}, {"antidiagonals": "antidiagonal"}
MODELS = {"block row": cost_models.BLOCKS, "product": cost_models.PRODUCTS, "antidiagonal": cost_models.WAVES}
"""Cost models by the pieces of a method's first phase."""
BLOCK_ROWS, PRODUCT_ROWS = ({"scores": first, "maximisation": "slice"} for first in ("block row", "product"))
ONE_MATRIX = sizes.make_gpu_estimate(sizes.estimate_gpu_matrices(1))
THREE_MATRICES = sizes.make_gpu_estimate(sizes.estimate_gpu_matrices(3))
PRODUCTS = sizes.make_gpu_estimate(sizes.estimate_gpu_matrices(1, 1, 1))
ALL_PRODUCTS = sizes.make_gpu_estimate(sizes.estimate_gpu_matrices(3, 2, 4))
WAVES = sizes.make_gpu_estimate(
    sizes.estimate_gpu_waves, sizes.estimate_serial
)  # borders of blocks leave the host before directions come

_declare_block_method = partial(
    _declare_method,
    parameters=ProfileBlockParameters,
    cuts=_cut_into_blocks,
    host=sizes.estimate_matrices(3),
    device=THREE_MATRICES,
    pieces=BLOCK_ROWS,
)
_declare_sequence_method = partial(_declare_method, problem_type=PROFILE_SEQUENCE)

METHODS = (
    _declare_method(
        id="profile-wavefront",
        name="ProfileWavefront",
        section="section 4.2.2",
        summary="Tiles of strips are scored by matrix products and computed at once; the table is never in memory as "
        "a whole.",
        cpu="wavefront.cpu_wavefront:align_by_strips",
        host=sizes.estimate_strips,
        cuda="wavefront.cuda_wavefront:align_by_strips",
        device=sizes.estimate_gpu_strips,
        gcups=(1.0, 100.0),
        parameters=ProfileStripParameters,
        cuts=_cut_into_strips,
        pieces=STRIPS,
        walkthrough="two_profiles:STRIPS",
    ),
    _declare_method(
        id="profile-serial",
        name="ProfProfAlign",
        section="algorithm 2.3",
        summary="Cell by cell on one thread, with the three scores of each.",
        cpu="whole_table.cpu:align_serially",
        host=sizes.estimate_serial,
        gcups=(0.03,),
        pieces=TABLE,
        walkthrough="two_profiles:SERIAL",
    ),
    _declare_block_method(
        id="profile-simple",
        name="Simple k",
        section="algorithm 4.1",
        summary="Scores in blocks of k x k, cell by cell; then the recurrence on the CPU.",
        cpu="whole_table.cpu:align_simple_k",
        cuda="whole_table.cuda:align_simple_k",
        gcups=(0.02, 0.15),
        walkthrough="two_profiles:SIMPLE",
    ),
    _declare_block_method(
        id="profile-row",
        name="Row k",
        section="algorithm 4.1",
        summary="Like Simple k, row by row: the gap cost of a row is computed once.",
        cpu="whole_table.cpu:align_row_k",
        cuda="whole_table.cuda:align_row_k",
        gcups=(0.03, 0.15),
        walkthrough="two_profiles:ROW",
    ),
    _declare_block_method(
        id="profile-column",
        name="Column k",
        section="algorithm 4.1",
        summary="Like Simple k, column by column: the gap cost of a column is computed once.",
        cpu="whole_table.cpu:align_column_k",
        cuda="whole_table.cuda:align_column_k",
        gcups=(0.03, 0.15),
        walkthrough="two_profiles:COLUMN",
    ),
    _declare_block_method(
        id="profile-mix",
        name="Mix k",
        section="algorithm 4.1",
        summary="Like Simple k, a row and a column in turn: the gap cost of each is computed once.",
        cpu="whole_table.cpu:align_mix_k",
        cuda="whole_table.cuda:align_mix_k",
        gcups=(0.03, 0.15),
        walkthrough="two_profiles:MIX",
    ),
    _declare_method(
        id="profile-cublas",
        name="CUBLAS",
        section="algorithm 4.1",
        summary="Two library calls for each cell, a difference and its norm; the slow example of the thesis.",
        cpu="whole_table.cpu:align_by_blas_calls",
        host=sizes.estimate_matrices(1),
        cuda="whole_table.cuda_products:align_by_blas_calls",
        device=sizes.make_gpu_estimate(sizes.estimate_gpu_cublas),
        gcups=(0.02, 0.00002),
        pieces=PRODUCT_ROWS,
        walkthrough="two_profiles:CALLS",
    ),
    _declare_method(
        id="profile-matprod-v1",
        name="MatProd V1",
        section="algorithm 4.2",
        summary="Differences of columns by a product with an identity matrix; n times the work, and discarded in the "
        "thesis.",
        cpu="whole_table.cpu:align_by_identity_product",
        host=sizes.estimate_identity,
        cuda="whole_table.cuda_products:align_by_identity_product",
        device=sizes.make_gpu_estimate(sizes.estimate_gpu_identity, sizes.estimate_matrices(1)),
        gcups=(0.0005, 0.01),
        pieces=PRODUCT_ROWS,
        walkthrough="two_profiles:IDENTITY",
    ),
    _declare_method(
        id="profile-matprod-v2",
        name="MatProd V2 k",
        section="algorithm 4.2",
        summary="A matrix product scores k rows; then the recurrence on the CPU.",
        cpu="whole_table.cpu:align_by_matrix_product",
        host=sizes.estimate_products,
        cuda="whole_table.cuda:align_by_matrix_product",
        device=ONE_MATRIX,
        gcups=(0.15, 0.15),
        parameters=ProfileBlockSize,
        cuts=_cut_into_blocks,
        pieces=PRODUCT_ROWS,
        walkthrough="two_profiles:PRODUCTS",
    ),
    _declare_method(
        id="profile-smwavefront",
        name="SMwavefront k",
        section="section 4.2.2",
        summary="Blocks by antidiagonals: scores and cells of all blocks of an antidiagonal at a time, borders "
        "through memory.",
        cpu="whole_table.cpu:align_by_block_waves",
        host=sizes.estimate_waves,
        cuda="whole_table.cuda:align_by_block_waves",
        device=WAVES,
        gcups=(0.03, 5.0),
        parameters=ProfileBlockParameters,
        cuts=_cut_into_blocks,
        pieces=DIAGONALS,
        walkthrough="two_profiles:WAVES",
    ),
    _declare_sequence_method(
        id="profseq-matprod-v2",
        name="ProSeqAlign MatProd V2",
        section="algorithm 4.6",
        summary="One matrix product gives all scores; gap costs are vectors.",
        cpu="whole_table.cpu:align_sequence_matprod_v2",
        host=sizes.estimate_product_rows(sizes.SLAB),
        cuda="whole_table.cuda_products:align_sequence_matprod_v2",
        device=PRODUCTS,
        gcups=(0.15, 0.15),
        pieces=PRODUCT_ROWS,
        walkthrough="profile_and_sequence:AT_ONCE",
    ),
    _declare_sequence_method(
        id="profseq-serial",
        name="ProSeqAlign",
        section="algorithm 2.4",
        summary="Cell by cell on one thread, with the three scores of each.",
        cpu="whole_table.cpu:align_serially",
        host=sizes.estimate_serial,
        gcups=(0.03,),
        pieces=TABLE,
        walkthrough="profile_and_sequence:SERIAL",
    ),
    _declare_sequence_method(
        id="profseq-matvecprod-v1",
        name="ProSeqAlign MatVecProd V1",
        section="algorithm 4.3",
        summary="Matrices H, V and D of the scores: each column of V and each row of H and D is a matrix-vector "
        "product.",
        cpu="whole_table.cpu:align_sequence_matvecprod_v1",
        host=sizes.limit_matrices(sizes.estimate_matrices(3)),
        cuda="whole_table.cuda_products:align_sequence_matvecprod_v1",
        device=ALL_PRODUCTS,
        gcups=(0.05, 0.01),
        parameters=ProfileLimitParameters,
        pieces=PRODUCT_ROWS,
        walkthrough="profile_and_sequence:VECTORS",
    ),
    _declare_sequence_method(
        id="profseq-matvecprod-v2",
        name="ProSeqAlign MatVecProd V2",
        section="algorithm 4.5",
        summary="MatVecProd V1 with the gap scores H and V as vectors in place of matrices.",
        cpu="whole_table.cpu:align_sequence_matvecprod_v2",
        host=sizes.estimate_product_rows(1),
        cuda="whole_table.cuda_products:align_sequence_matvecprod_v2",
        device=PRODUCTS,
        gcups=(0.1, 0.08),
        pieces=PRODUCT_ROWS,
        walkthrough="profile_and_sequence:ROWS",
    ),
    _declare_sequence_method(
        id="profseq-matprod-v1",
        name="ProSeqAlign MatProd V1",
        section="algorithm 4.4",
        summary="Matrices H, V and D by three matrix products.",
        cpu="whole_table.cpu:align_sequence_matprod_v1",
        host=sizes.limit_matrices(sizes.estimate_matrices(3)),
        cuda="whole_table.cuda_products:align_sequence_matprod_v1",
        device=ALL_PRODUCTS,
        gcups=(0.05, 0.1),
        parameters=ProfileLimitParameters,
        pieces=PRODUCT_ROWS,
        walkthrough="profile_and_sequence:MATRICES",
    ),
    _declare_sequence_method(
        id="profseq-smwavefront",
        name="ProSeqAlign SMwavefront k",
        section="section 4.3",
        summary="Blocks by antidiagonals: scores and cells of all blocks of an antidiagonal at a time.",
        cpu="whole_table.cpu:align_by_block_waves",
        host=sizes.estimate_waves,
        cuda="whole_table.cuda:align_by_block_waves",
        device=WAVES,
        gcups=(0.03, 5.0),
        parameters=ProfileBlockParameters,
        cuts=_cut_into_blocks,
        pieces=DIAGONALS,
        walkthrough="profile_and_sequence:WAVES",
    ),
)
