"""The kernels of three sequences: compiled for old and new cards anywhere; where there is a GPU, equal to the CPU."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from kernels import engine, registry
from kernels.errors import Cancelled, ParameterError
from kernels.io import sequences
from kernels.method import Method
from kernels.model import SequenceType
from kernels.monitor import Monitor
from kernels.scoring import Scoring, named_matrix
from kernels.steps import Steps
from kernels.triple.chunks import cuda_sizes
from kernels.triple.grid import KINDS, Grid
from kernels.triple.model import TripleAnswer
from kernels.triple.problem import TRIPLE
from kernels.triple.trials import problem as problem_of
from tests.kernels.triple.problems import related
from tests.kernels.triple.test_emulated import ON_DEVICE

KERNELS = [("sloped", False, "sm_90"), ("sloped-bt3", True, "sm_90"), ("layered-bt2", False, "sm_75")]


@pytest.mark.parametrize(("kind", "affine", "architecture"), KERNELS)
def test_kernels_compile(kind: str, affine: bool, architecture: str) -> None:
    pytest.importorskip("cupy_backends.cuda.libs.nvrtc", exc_type=ImportError)
    from kernels.triple.chunks.cuda_sources import sources
    from tests.nvrtc import compile_without_device

    shape = cuda_sizes.shape(Grid((300, 300, 300), 32, 64), KINDS[kind], affine)
    name = "layered" if shape.layered else "sloped"
    assert compile_without_device(sources(name, affine), shape.defines(False), architecture)
    if shape.keeps:
        assert compile_without_device(sources("path", affine), shape.defines(True), architecture)


def answers(method: Method, problem, backend: str, steps: Steps | None = None, **parameters: int):
    given = {name: value for name, value in parameters.items() if name in {p.name for p in method.parameters}}
    result = engine.execute(engine.plan(method, problem, given, backend), steps=steps)
    result.check(problem)
    return result.answer


def assert_same(found: TripleAnswer, expected: TripleAnswer) -> None:
    assert found.score == expected.score
    if found.alignment is not None:
        np.testing.assert_array_equal(found.alignment.moves, expected.alignment.moves)


@pytest.mark.gpu
@pytest.mark.parametrize("method", ON_DEVICE, ids=lambda method: method.id)
@pytest.mark.parametrize("gap_open", [0, 11])
def test_gpu_gives_the_alignment_of_the_cpu(method: Method, gap_open: int) -> None:
    scoring = Scoring(named_matrix("BLOSUM62"), gap_open, 2 if gap_open else 8)
    for lengths in ((150, 170, 190), (31, 200, 97), (0, 40, 3), (97, 1, 130)):
        rows = [related(length, seed) for seed, length in enumerate(lengths)]
        problem = problem_of(*rows, scoring, SequenceType.PROTEIN)
        expected = answers(registry.method("sloped-checkpointed"), problem, "cpu")
        for h in (16, 64):
            assert_same(answers(method, problem, "cuda", s=32, h=h), expected)


@pytest.mark.gpu
@pytest.mark.parametrize(("s", "gap_open"), [(16, 0), (16, 11), (48, 0), (48, 11), (112, 0)])
def test_chunks_of_any_width(s: int, gap_open: int) -> None:
    scoring = Scoring(named_matrix("BLOSUM62"), gap_open, 2)
    rows = [related(length, seed) for seed, length in enumerate((150, 170, 190))]
    problem = problem_of(*rows, scoring, SequenceType.PROTEIN)
    expected = answers(registry.method("sloped-checkpointed"), problem, "cpu")
    for method in (registry.method("sloped"), registry.method("sloped-bt2")):
        assert_same(answers(method, problem, "cuda", s=s, h=32), expected)


def test_chunks_too_wide_for_any_gpu_are_refused() -> None:
    wide = Grid((300, 300, 300), 112, 64)
    cuda_sizes.refuse_wide(cuda_sizes.shape(wide, KINDS["sloped-bt1"], False), 22)
    with pytest.raises(ParameterError, match="choose a smaller s"):
        cuda_sizes.refuse_wide(cuda_sizes.shape(wide, KINDS["sloped-bt1"], True), 22)
    nearly = cuda_sizes.shape(Grid((300, 300, 300), 80, 64), KINDS["sloped-checkpointed"], True)
    assert cuda_sizes.MOST_SHARED - 64 < nearly.shared_bytes(45, True) < cuda_sizes.MOST_SHARED
    with pytest.raises(ParameterError, match="choose a smaller s"):  # the variables of path.cu want 52 bytes more
        cuda_sizes.refuse_wide(nearly, 45)


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
    problem = TRIPLE.build(sequences.read(real_data / "triples" / "triple_267_452.fasta"), {})
    expected = answers(registry.method("sloped-checkpointed"), problem, "cpu")
    for method in ON_DEVICE:
        assert_same(answers(method, problem, "cuda"), expected)


@pytest.mark.gpu
def test_cancelled_run_ends_on_the_gpu() -> None:
    monitor = Monitor()
    monitor.cancel()
    rows = [related(length, seed) for seed, length in enumerate((300, 310, 320))]
    problem = problem_of(*rows, Scoring(named_matrix("BLOSUM62"), 0, 8), SequenceType.PROTEIN)
    with pytest.raises(Cancelled):
        engine.execute(engine.plan(registry.method("sloped-bt1"), problem, {}, "cuda"), monitor)
