"""Pruning on the CPU: bounds that hold, and the answer of the whole matrix, ties and path included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from antidiag.kernels import engine, registry
from antidiag.kernels.pairwise import reference, trials
from antidiag.kernels.pairwise.checkpointed import sizes
from antidiag.kernels.pairwise.encoding import NEGATIVE, EncodedPair, FreeBorders, encode_pair
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.pruning import bounds
from antidiag.kernels.pairwise.pruning import reference as pruning_reference
from antidiag.kernels.scoring import NO_FREE_ENDS, FreeEnds, Mode, Scoring, match_mismatch, named_matrix
from tests import oracle
from tests.cpu_runs import run_on_cpu
from tests.example_counts import try_examples
from tests.problems import assert_same_path, pair, pairs

SCORE, ALIGNMENT = registry.find_method("striped-score"), registry.find_method("checkpointed-alignment")
DNA = Scoring(match_mismatch(2, -3), 5, 2)
SCORINGS = (
    DNA,
    Scoring(match_mismatch(1, -1), 0, 1),
    Scoring(match_mismatch(5, -4), 10, 1),
    Scoring(match_mismatch(1, 1), 0, 0),
    Scoring(match_mismatch(-3, -2), 0, 1),
    Scoring(match_mismatch(60, -127), 200, 3),
    Scoring(match_mismatch(2, -4), 4, 2, 24, 1),
    Scoring(match_mismatch(3, -2), 0, 3, 9, 0),
)
ENDS = st.builds(FreeEnds, *(st.booleans(),) * 4)


@pytest.fixture(autouse=True, scope="module")
def always_bounded() -> Iterator[None]:
    """Bounds are used although they gain little."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounds, "LEAST_SHARE", -(10.0**9))
        yield


@st.composite
def related(draw: st.DrawFn, longest: int = 700) -> PairProblem:
    """A sequence, and a copy with letters changed, pieces lost and repeated; all modes."""
    random, letters = np.random.default_rng(draw(st.integers(0, 10**6))), list(draw(st.sampled_from(("ACGT", "AC"))))
    first = random.choice(letters, draw(st.integers(1, longest)))
    changed = random.random(first.size) < draw(st.sampled_from((0, 0.01, 0.03, 0.1, 0.3, 1)))
    second = np.where(changed, random.choice(letters, first.size), first)
    for _ in range(draw(st.integers(0, 3))):
        at, count = draw(st.integers(0, second.size)), draw(st.integers(1, 60))
        piece = random.choice(letters, count) if draw(st.booleans()) else second[at : at + count]
        second = np.insert(second, at, piece) if draw(st.booleans()) else np.delete(second, slice(at, at + count))
        second = second if second.size else first
    pieces = ["".join(first), "".join(second)]
    if draw(st.booleans()):
        pieces.reverse()
    mode = draw(st.sampled_from(Mode))
    ends = draw(ENDS) if mode is Mode.CUSTOM else NO_FREE_ENDS
    return trials.make_pair(*pieces, draw(st.sampled_from(SCORINGS)), mode, ends=ends)


def best_rest(encoded: EncodedPair, row: int, column: int) -> int:
    """The best score of a path that begins in a cell: the last cells of the textbook's matrix of the rest."""
    part = encoded.slice_pair((row, encoded.rows.size), (column, encoded.columns.size))
    part = replace(part, is_local=False, free=FreeBorders())
    H = reference._fill_matrices(part).H
    m, n = part.rows.size, part.columns.size
    ends = np.zeros(H.shape, bool)
    ends[m, n] = True
    if encoded.is_local:
        ends[:] = True
    ends[m] |= encoded.free.bottom
    ends[:, n] |= encoded.free.right
    return int(np.where(ends, H, NEGATIVE).max())


@try_examples(60, deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=related(longest=60), data=st.data())
def test_no_rest_gains_more_than_its_bound(problem: PairProblem, data: st.DataObject) -> None:
    encoded = encode_pair(problem)
    found = bounds.find_bounds(encoded)
    assert found is not None
    assert found.least <= oracle.best_alignment(problem).score
    assert (np.diff(found.row_gains) <= 0).all()
    assert (np.diff(found.column_gains) <= 0).all()
    for _ in range(20):
        row, column = (data.draw(st.integers(0, part.size)) for part in (encoded.rows, encoded.columns))
        assert best_rest(encoded, row, column) <= found.gain(row, column)


@pytest.mark.parametrize("method", [SCORE, ALIGNMENT], ids=lambda method: method.id)
@try_examples(120, deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=st.one_of(related(), pairs(longest=300)), data=st.data())
def test_the_answer_is_that_of_the_whole_matrix(method: Any, problem: PairProblem, data: st.DataObject) -> None:
    chosen = {"s": data.draw(st.sampled_from((32, 64))), "T": data.draw(st.sampled_from((8, 64)))}
    chosen |= {"threads": 2, "precision": data.draw(st.sampled_from(("16", "32"))), "pruning": "on"}
    if method is ALIGNMENT:
        chosen |= {"tile": data.draw(st.sampled_from((32, 64, 128))), "checkpoint_memory": 1}
    with pytest.MonkeyPatch.context() as patch:
        if data.draw(st.booleans()):  # tiles of some thousand cells are swept and cut into tiles
            for name, value in (("SMALL_CELLS", 33 * 33), ("LEAST_TILE", 32), ("TILES", 8), ("TILE_STRIP", 32)):
                patch.setattr(sizes, name, value)
        found = run_on_cpu(method, problem, chosen)
    expected = oracle.best_alignment(problem)
    assert (found.answer.score, found.answer.end) == (expected.score, expected.end)
    if method is ALIGNMENT:
        assert_same_path(found.answer, expected)
    skipped = found.answer.skipped.skipped_cells if found.answer.skipped else 0
    assert found.work == problem.cells - skipped


@pytest.mark.parametrize("mode", [Mode.LOCAL, Mode.GLOBAL])
@pytest.mark.parametrize(("divergence", "most"), [(0.01, 0.05), (0.03, 0.06), (0.1, 0.13)])
def test_similar_pairs_need_few_blocks(mode: Mode, divergence: float, most: float) -> None:
    random, letters = np.random.default_rng(5), np.array(list("ACGT"))
    first = random.choice(letters, 20_000)
    second = np.where(random.random(first.size) < divergence * 4 / 3, random.choice(letters, first.size), first)
    problem = pair("".join(first), "".join(second), DNA, mode)
    sizes_ = {"s": 96, "T": 96, "threads": 2, "precision": "32"}
    pruned, whole = (run_on_cpu(SCORE, problem, {**sizes_, "pruning": choice}) for choice in ("on", "off"))
    assert (pruned.answer.score, pruned.answer.end) == (whole.answer.score, whole.answer.end)
    assert whole.work in (None, problem.cells)
    assert pruned.work < most * problem.cells


def test_proteins_and_rare_letters_are_pruned(tmp_path: Any) -> None:
    random = np.random.default_rng(2)
    first = random.choice(list("ACDEFGHIKLMNPQRSTVWY"), 3000)
    first[random.random(3000) < 0.002] = "X"
    second = np.where(random.random(3000) < 0.05, random.choice(list("ACDEFGHIKLMNPQRSTVWY"), 3000), first)
    from antidiag.kernels.model import SequenceType

    problem = pair("".join(first), "".join(second), Scoring(named_matrix("BLOSUM62"), 10, 1), kind=SequenceType.PROTEIN)
    sizes_ = {"s": 32, "T": 32, "threads": 2, "precision": "16"}
    pruned, whole = (run_on_cpu(SCORE, problem, {**sizes_, "pruning": choice}) for choice in ("on", "off"))
    assert (pruned.answer.score, pruned.answer.end) == (whole.answer.score, whole.answer.end)
    assert pruned.work < 0.6 * problem.cells


@pytest.mark.parametrize(("length", "on_gpu"), [(60, "off"), (262_143, "off"), (262_144, "on")])
@pytest.mark.parametrize("method", [SCORE, ALIGNMENT])
def test_short_pairs_are_not_pruned_on_a_gpu_unless_the_user_asks(method: Any, length: int, on_gpu: str) -> None:
    problem = pair("A" * length, "C" * length, Scoring(match_mismatch(2, -3), 5, 2))
    given: dict[str, Any] = {"pruning": "off"}  # only what is chosen without it is looked at: no bounds are made
    chosen = [method.automatic_values(problem, backend, 132, given)["pruning"] for backend in ("cpu", "cuda")]
    assert chosen == ["on", on_gpu]


def test_the_result_tells_what_was_skipped() -> None:
    letters = "".join(np.random.default_rng(1).choice(list("ACGT"), 3000))
    problem = pair(letters, letters, DNA)
    plan = engine.plan_run(SCORE, problem, {"s": 96, "T": 96}, backend="cpu")
    result = engine.execute(plan, keep_rate=False)
    assert result.cells == result.work == problem.cells - result.answer.skipped.skipped_cells
    assert 0 < result.cells < problem.cells / 5


def test_report_and_json_tell_both_rates() -> None:
    letters = "".join(np.random.default_rng(1).choice(list("ACGT"), 3000))
    problem = pair(letters, letters, DNA)
    for method in (SCORE, ALIGNMENT):
        plans = [engine.plan_run(method, problem, {"s": 96, "T": 96, "pruning": one}, "cpu") for one in ("on", "off")]
        pruned, whole = (engine.execute(plan, keep_rate=False) for plan in plans)
        rows = dict(method.problem_type.answer_rows(pruned))
        share = pruned.answer.skipped.skipped_cells / problem.cells
        assert rows["Pruning"].startswith(f"{100 * share:.1f} % of the cells skipped")
        assert "counting all cells" in rows["Pruning"]
        assert "Pruning" not in dict(method.problem_type.answer_rows(whole))
        told = method.problem_type.answer_json(pruned)
        assert told["skipped_cells"] == problem.cells - pruned.cells
        assert told["gcups_of_all_cells"] == pytest.approx(pruned.gcups / (1 - share))
        assert "skipped_cells" not in method.problem_type.answer_json(whole)


@try_examples(100, deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=related(longest=40), data=st.data())
def test_the_textbook_of_pruning_gives_the_path_of_the_whole_matrix(problem: PairProblem, data: st.DataObject) -> None:
    encoded, best = encode_pair(problem), oracle.best_alignment(problem)
    s, T, least = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9)), best.score - data.draw(st.integers(0, 4))
    pruned = pruning_reference.prune_matrices(encoded, s, T, least)
    H = pruned.values.H
    assert (H <= reference._fill_matrices(encoded).H).all()
    end = reference._find_end(encoded, H)
    start, operations = reference._trace_back(encoded, pruned.values, end)
    found = encoded.make_answer(int(H[end]), end, encoded.make_alignment(start, end, operations))
    assert (found.score, found.end) == (best.score, best.end)
    assert_same_path(found, best)


@try_examples(60, deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=related(longest=60))
def test_compiled_gains_are_those_of_the_textbook(problem: PairProblem) -> None:
    encoded = encode_pair(problem)
    found = bounds.find_bounds(encoded)
    assert found is not None
    assert found.row_gains.tolist() == pruning_reference.list_gains(encoded, by_rows=True)
    assert found.column_gains.tolist() == pruning_reference.list_gains(encoded, by_rows=False)
