"""Bit-parallel edit distance: bands, tiles and threads against edlib and the striped alignment; kernels compile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from antidiag.kernels import engine
from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.model import Result
from antidiag.kernels.pairwise.bit_parallel.cpu_sweep import WordSweep, find_distance
from antidiag.kernels.pairwise.bit_parallel.trials import edit_letters, make_edit_pair
from antidiag.kernels.pairwise.bit_parallel.word_pair import WordPair
from antidiag.kernels.pairwise.bit_parallel.word_sizes import CPU_STRIP
from antidiag.kernels.pairwise.encoding import encode_pair
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.trials import DNA, make_pair
from antidiag.kernels.registry import find_method
from antidiag.kernels.registry.task_methods import TASKS
from antidiag.kernels.scoring import Mode

edlib = pytest.importorskip("edlib")

EDLIB_MODES = {"global": "NW", "query-in-target": "HW", "custom": "SHW"}


def run(method: str, problem: PairProblem, **given: int) -> Result:
    """Return the result on the CPU, which has checked itself."""
    planned = engine.plan_run(find_method(method), problem, given, "cpu", use_tuned=False)
    result = engine.execute(planned, keep_rate=False, keep_parts=False)
    result.check(problem)
    return result


def draw_letters(length: int, share: float, seed: int) -> tuple[str, str]:
    """Return random letters, and their copy with a share of edits; unrelated letters for a share of 1."""
    random, alphabet = np.random.default_rng(seed), list("ACGT")
    first = random.choice(alphabet, length)
    second = random.choice(alphabet, length) if share == 1 else edit_letters(first, alphabet, share, random)
    return "".join(first), "".join(second)


@pytest.mark.parametrize("share", [0, 0.01, 0.1, 0.4, 1])
def test_distances_are_those_of_edlib_in_every_band(share: float) -> None:
    first, second = draw_letters(9000, share, 1)
    expected = edlib.align(first, second, mode="NW")["editDistance"]
    for threads in (1, 3):
        assert run("bit-parallel-score", make_edit_pair(first, second), threads=threads).score == -expected


@pytest.mark.parametrize("share", [0.01, 0.3, 1])
@pytest.mark.parametrize("tile", [512, 1536])
def test_path_is_that_of_the_striped_alignment(share: float, tile: int) -> None:
    first, second = draw_letters(3000, share, 2)
    problem = make_edit_pair(first, second[: 2700 if share == 1 else None])
    found, expected = run("bit-parallel", problem, tile=tile), run("striped-alignment", problem)
    assert found.score == expected.score
    np.testing.assert_array_equal(found.answer.alignment.operations, expected.answer.alignment.operations)


@pytest.mark.parametrize(("mode", "free"), [("query-in-target", {}), ("custom", {"free_second_end": True})])
def test_free_ends_are_those_of_edlib(mode: str, free: dict[str, bool]) -> None:
    first, _ = draw_letters(900, 0, 3)
    target, part = draw_letters(5000, 0, 4)[0], draw_letters(900, 0, 3)[1]
    for query, other in ((first, target[:2000] + part[:870] + target[2000:]), (first, part + target), (target, first)):
        expected = edlib.align(query, other, mode=EDLIB_MODES[mode])["editDistance"]
        assert run("bit-parallel", make_edit_pair(query, other, mode=mode, **free)).score == -expected


@pytest.mark.parametrize("share", [0, 0.01, 0.1, 1])
@pytest.mark.parametrize("turned", [False, True])
def test_prefixes_take_a_band_and_are_those_of_edlib(share: float, turned: bool) -> None:
    """Also where the target is the shorter one, so that paths may end in the last column."""
    query, target = draw_letters(5000, share, 7)
    query, target = (query[:4700], target) if not turned else (query, target[:4700])
    expected = edlib.align(query, target, mode="SHW")["editDistance"]
    problem = make_edit_pair(query, target, mode="custom", free_second_end=True)
    assert run("bit-parallel-score", problem).score == -expected
    if share <= 0.01 and not turned:
        assert run("bit-parallel-score", problem).cells < 0.3 * len(query) * len(target)
    found, textbook = run("bit-parallel", problem, tile=512), run("striped-alignment", problem)
    assert found.answer.end == textbook.answer.end
    np.testing.assert_array_equal(found.answer.alignment.operations, textbook.answer.alignment.operations)


def test_similar_sequences_take_a_band() -> None:
    """The first band is wide enough, or the second is: less than a sixteenth of the cells."""
    first, second = draw_letters(30_000, 0.005, 5)
    result = run("bit-parallel-score", make_edit_pair(first, second))
    assert result.cells < 0.06 * len(first) * len(second)


def test_a_band_that_is_too_narrow_is_not_believed() -> None:
    """The best path leaves the first band: 400 letters are missing at the start, and 400 others at the end."""
    random = np.random.default_rng(6)
    letters = "".join(random.choice(list("ACGT"), 6000))
    problem = make_edit_pair(letters[400:], letters[:-400])
    sweep = WordSweep(WordPair(encode_pair(problem), CPU_STRIP), CpuRun())
    with sweep.run.phase("phase 1") as phase:
        sweep.set_band(128)
        narrow = sweep.compute_cells(phase, 0)
        end, _ = find_distance(sweep, phase)
    assert narrow > 800 == -end.score == edlib.align(letters[400:], letters[:-400])["editDistance"]


def test_other_scores_are_refused() -> None:
    for problem in (make_pair("ACGT", "ACG", DNA), replace(make_edit_pair("ACGT", "ACG"), mode=Mode.LOCAL)):
        with pytest.raises(ParameterError, match="bit-parallel computes edit distances"):
            run("bit-parallel", problem)


def test_ambiguous_letters_are_edits_and_wildcards_are_not() -> None:
    assert run("bit-parallel", make_edit_pair("ACNNGT", "ACNNGT")).score == -2
    assert run("bit-parallel", make_edit_pair("ACNNGT", "ACAAGU", wildcard="N")).score == 0


def test_the_task_align_offers_it() -> None:
    assert "bit-parallel" in [method.id for method in TASKS["align"].methods()]


@pytest.mark.parametrize(
    "architecture", ["sm_90", *(pytest.param(old, marks=pytest.mark.slow) for old in ("sm_75", "sm_80"))]
)
@pytest.mark.parametrize("words", [1, pytest.param(3, marks=pytest.mark.slow), 8])
def test_kernels_compile(words: int, architecture: str) -> None:
    pytest.importorskip("cupy")
    from antidiag.kernels.pairwise.bit_parallel.cuda_sources import MATCHES, PATH, SWEEP
    from tests.nvrtc import compile_without_device

    for parts, more in ((MATCHES, {}), (SWEEP, {"KEEP": 0}), (SWEEP, {"KEEP": 1}), (PATH, {})):
        assert compile_without_device(parts, {"R": words, "TOP_FREE": 0, "LEFT_FREE": 1, **more}, architecture)
