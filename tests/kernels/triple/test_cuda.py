"""The kernels of three sequences: compiled for old and new cards anywhere; where there is a GPU, equal to the CPU."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import Cancelled, ParameterError
from antidiag.kernels.io import sequences
from antidiag.kernels.method import Method
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.scoring import Scoring, named_matrix
from antidiag.kernels.steps import StepLog
from antidiag.kernels.triple.chunks.cuda import kernel_sizes
from antidiag.kernels.triple.grid import CHUNK_KINDS, ChunkGrid
from antidiag.kernels.triple.model import TripleAnswer
from antidiag.kernels.triple.problem import TRIPLE
from antidiag.kernels.triple.trials import make_problem as problem_of
from tests.kernels.triple.problems import related
from tests.kernels.triple.test_emulated import ON_DEVICE, mappings

KERNELS = [("sloped", False, "sm_90"), ("sloped-bt3", True, "sm_90"), ("layered-bt2", False, "sm_75")]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "affine", "architecture"), KERNELS)
@mappings
def test_kernels_compile(kind: str, affine: bool, architecture: str, mapping: str) -> None:
    pytest.importorskip("cupy_backends.cuda.libs.nvrtc", exc_type=ImportError)
    from antidiag.kernels.triple.chunks.cuda.sources import list_sources
    from tests.nvrtc import compile_without_device

    shape = kernel_sizes.choose_kernel_shape(ChunkGrid((300, 300, 300), 32, 64), CHUNK_KINDS[kind], affine, mapping)
    name = "layered" if shape.kind.layered else "sloped"
    assert compile_without_device(list_sources(name, affine, mapping), shape.compile_constants(False), architecture)
    if shape.kind.keeps_faces:
        assert compile_without_device(
            list_sources("path", affine, mapping), shape.compile_constants(True), architecture
        )


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "s"), [("layered", 67), ("sloped", 47), ("layered-bt2", 47), ("sloped-bt3", 31)])
@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
def test_kernels_compile_with_the_widths_of_the_paper(kind: str, s: int, architecture: str) -> None:
    pytest.importorskip("cupy_backends.cuda.libs.nvrtc", exc_type=ImportError)
    from antidiag.kernels.triple.chunks.cuda.sources import list_sources
    from tests.nvrtc import compile_without_device

    shape = kernel_sizes.choose_kernel_shape(ChunkGrid((300, 300, 300), s, 100), CHUNK_KINDS[kind], False, "cells")
    assert not shape.whole_batches
    for name in ("layered" if shape.kind.layered else "sloped", *(("path",) if shape.kind.keeps_faces else ())):
        constants = shape.compile_constants(name == "path")
        assert compile_without_device(list_sources(name, False, "cells"), constants, architecture)


@pytest.mark.parametrize("affine", [0, 1])
def test_slices_compile(affine: int) -> None:
    pytest.importorskip("cupy")
    from antidiag.kernels.triple.pictures.cuda_slices import SOURCES
    from tests.nvrtc import compile_without_device

    for architecture in ("sm_75", "sm_90"):
        assert compile_without_device(SOURCES, {"AFFINE": affine}, architecture)


def test_steps_are_the_paper_s() -> None:
    """One cell a thread and step: (2 s - 1) (n + 1) and 2 s + n - 1; tiles of 4 x 4 take as many with s / 4 for s."""
    s, n = 32, 153
    steps = {}
    for name in ("layered", "sloped"):
        for mapping in ("tiles", "cells"):
            shape = kernel_sizes.choose_kernel_shape(
                ChunkGrid((300, 300, n + 1), s, n + 1), CHUNK_KINDS[name], False, mapping
            )
            steps[name, mapping] = shape.count_steps(n + 1), shape.threads
    assert steps["layered", "cells"] == (63 * (n + 1), 32) and steps["sloped", "cells"] == (2 * s + n - 1, 1024)
    assert steps["layered", "tiles"] == (15 * (n + 1), 64) and steps["sloped", "tiles"] == (2 * s // 4 + n - 1, 64)


def answers(method: Method, problem, backend: str, steps: StepLog | None = None, **parameters: Any):
    given = {name: value for name, value in parameters.items() if name in method.parameters.names()}
    result = engine.execute(engine.plan_run(method, problem, given, backend), steps=steps)
    result.check(problem)
    return result.answer


def assert_same(found: TripleAnswer, expected: TripleAnswer) -> None:
    assert found.score == expected.score
    if found.alignment is not None:
        np.testing.assert_array_equal(found.alignment.moves, expected.alignment.moves)


@pytest.mark.gpu
@pytest.mark.parametrize("method", ON_DEVICE, ids=lambda method: method.id)
@pytest.mark.parametrize("gap_open", [0, 11])
@mappings
def test_gpu_gives_the_alignment_of_the_cpu(method: Method, gap_open: int, mapping: str) -> None:
    scoring = Scoring(named_matrix("BLOSUM62"), gap_open, 2 if gap_open else 8)
    for lengths in ((150, 170, 190), (31, 200, 97), (0, 40, 3), (97, 1, 130)):
        rows = [related(length, seed) for seed, length in enumerate(lengths)]
        problem = problem_of(*rows, scoring, SequenceType.PROTEIN)
        expected = answers(registry.find_method("sloped-checkpointed"), problem, "cpu")
        s = 16 if mapping == "cells" and gap_open else 32
        for h in (16, 64):
            assert_same(answers(method, problem, "cuda", s=s, h=h, mapping=mapping), expected)


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("mapping", "s", "gap_open"),
    [
        *(("tiles", *wide) for wide in ((16, 0), (16, 11), (48, 0), (48, 11), (112, 0))),
        *(("cells", *wide) for wide in ((16, 0), (16, 11), (31, 0), (23, 11), (47, 0), (48, 0), (64, 0))),
    ],
)
def test_chunks_of_any_width(mapping: str, s: int, gap_open: int) -> None:
    scoring = Scoring(named_matrix("BLOSUM62"), gap_open, 2)
    rows = [related(length, seed) for seed, length in enumerate((150, 170, 190))]
    problem = problem_of(*rows, scoring, SequenceType.PROTEIN)
    expected = answers(registry.find_method("sloped-checkpointed"), problem, "cpu")
    for name in ("layered", "sloped", "layered-bt2", "sloped-bt2"):
        for h in (32, 100) if mapping == "cells" else (32,):
            assert_same(answers(registry.find_method(name), problem, "cuda", s=s, h=h, mapping=mapping), expected)


@pytest.mark.gpu
def test_layered_with_the_width_of_the_paper() -> None:
    scoring = Scoring(named_matrix("BLOSUM62"), 0, 2)
    rows = [related(length, seed) for seed, length in enumerate((150, 170, 190))]
    problem = problem_of(*rows, scoring, SequenceType.PROTEIN)
    expected = answers(registry.find_method("sloped-checkpointed"), problem, "cpu")
    assert_same(answers(registry.find_method("layered"), problem, "cuda", s=67, mapping="cells"), expected)


def test_chunks_too_wide_for_any_gpu_are_refused() -> None:
    wide = ChunkGrid((300, 300, 300), 112, 64)
    kernel_sizes.refuse_wide_chunks(kernel_sizes.choose_kernel_shape(wide, CHUNK_KINDS["sloped-bt1"], False), 22)
    with pytest.raises(ParameterError, match="choose a smaller s"):
        kernel_sizes.refuse_wide_chunks(kernel_sizes.choose_kernel_shape(wide, CHUNK_KINDS["sloped-bt1"], True), 22)
    nearly = kernel_sizes.choose_kernel_shape(
        ChunkGrid((300, 300, 300), 80, 64), CHUNK_KINDS["sloped-checkpointed"], True
    )
    assert kernel_sizes.MOST_SHARED - 64 < nearly.shared_bytes(45, True) < kernel_sizes.MOST_SHARED
    with pytest.raises(ParameterError, match="choose a smaller s"):  # the variables of path.cu want 52 bytes more
        kernel_sizes.refuse_wide_chunks(nearly, 45)


@pytest.mark.gpu
def test_gpu_gives_one_score_to_all_orders_and_methods() -> None:
    scoring = Scoring(named_matrix("BLOSUM62"), 0, 8)
    rows = [related(length, seed) for seed, length in enumerate((420, 500, 610))]
    found = {
        answers(method, problem_of(*order, scoring, SequenceType.PROTEIN), "cuda").score
        for method in ON_DEVICE
        for order in permutations(rows)
    }
    assert len(found) == 1


@pytest.mark.gpu
def test_real_proteins_on_the_gpu(real_data: Path) -> None:
    problem = TRIPLE.build_problem(sequences.read_sequences(real_data / "triples" / "triple_267_452.fasta"), {})
    expected = answers(registry.find_method("sloped-checkpointed"), problem, "cpu")
    for method in ON_DEVICE:
        assert_same(answers(method, problem, "cuda"), expected)


@pytest.mark.gpu
def test_cancelled_run_ends_on_the_gpu() -> None:
    monitor = Monitor()
    monitor.cancel()
    rows = [related(length, seed) for seed, length in enumerate((300, 310, 320))]
    problem = problem_of(*rows, Scoring(named_matrix("BLOSUM62"), 0, 8), SequenceType.PROTEIN)
    with pytest.raises(Cancelled):
        engine.execute(engine.plan_run(registry.find_method("sloped-bt1"), problem, {}, "cuda"), monitor)
