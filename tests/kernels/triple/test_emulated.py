"""The device code of the methods of three sequences, run by the emulator: the textbook's score and path."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import engine, registry
from antidiag.kernels import triple as family
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.method import Method
from antidiag.kernels.model import SequenceType
from antidiag.kernels.scoring import Scoring, match_mismatch, named_matrix
from antidiag.kernels.steps import StepLog
from antidiag.kernels.triple.model import TripleProblem
from antidiag.kernels.triple.trials import COSTS, find_best_answer
from antidiag.kernels.triple.trials import make_problem as triple
from tests.example_counts import try_examples
from tests.kernels.triple.problems import related, triples

LINEAR = tuple(costs for costs in COSTS if not costs[0])
AFFINE_COSTS = tuple(costs for costs in COSTS if costs[0])

ON_DEVICE = [method for method in family.METHODS if "cuda" in method.backends]
each = pytest.mark.parametrize("method", ON_DEVICE, ids=lambda method: method.id)


mappings = pytest.mark.parametrize("mapping", ["tiles", "cells"])


def given_to(method: Method, s: int, h: int, mapping: str) -> dict[str, Any]:
    wanted = {"s": s, "h": h, "mapping": mapping}
    return {name: value for name, value in wanted.items() if name in method.parameters.names()}


AFFINE = [method for method in ON_DEVICE if method.id in ("sloped", "sloped-bt3", "layered-bt2", "sloped-checkpointed")]


def assert_textbook(emulated, method: Method, problem: TripleProblem, **given) -> None:
    found, expected = emulated(method, problem, **given).answer, find_best_answer(problem)
    assert found.score == expected.score
    if "alignment" in method.returns:
        np.testing.assert_array_equal(found.alignment.moves, expected.alignment.moves)


@pytest.mark.slow
@each
@mappings
@try_examples(5)
@given(data=st.data())
def test_linear_gaps(emulated, method: Method, mapping: str, data: st.DataObject) -> None:
    problem = data.draw(triples(longest=34, costs=LINEAR))
    given = given_to(method, 16, data.draw(st.sampled_from((8, 16))), mapping)
    assert_textbook(emulated, method, problem, seed=data.draw(st.sampled_from((0, 1, 2))), **given)


@pytest.mark.slow
@pytest.mark.parametrize("method", AFFINE, ids=lambda method: method.id)
@mappings
@try_examples(4)
@given(data=st.data())
def test_affine_gaps(emulated, method: Method, mapping: str, data: st.DataObject) -> None:
    """In chunks of 16, of which every thread has 2 x 2 or 4 x 4 columns, or one cell a step."""
    problem = data.draw(triples(longest=20, costs=AFFINE_COSTS))
    given = given_to(method, 16, data.draw(st.sampled_from((8, 16))), mapping)
    assert_textbook(emulated, method, problem, seed=data.draw(st.sampled_from((0, 1, 2))), **given)


@pytest.mark.parametrize("name", ["layered", "layered-bt1", "sloped-bt1"])
@mappings
def test_a_path_begins_at_the_first_cell_alone(emulated, name: str, mapping: str) -> None:
    """More layers than the borders of a chunk are kept for at a time, with gaps that cost their letters or nothing."""
    letters = np.random.default_rng(1)
    rows = ["".join(letters.choice(list("ACGT"), length)) for length in (5, 5, 70)]
    for costs in ((0, 0), (0, 2)):
        problem = triple(*rows, Scoring(named_matrix("BLOSUM62"), *costs), SequenceType.PROTEIN)
        assert_textbook(
            emulated, registry.find_method(name), problem, **given_to(registry.find_method(name), 16, 16, mapping)
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sloped-checkpointed", "sloped-bt2", "sloped-bt3"])
@mappings
def test_boxes_begin_with_the_values_above_them(emulated, name: str, mapping: str) -> None:
    """With affine gaps and many boxes, below chunks of several tiles."""
    scoring = Scoring(named_matrix("BLOSUM62"), 11, 2)
    for lengths in ((97, 1, 130), (40, 20, 60)):
        rows = [related(length, seed) for seed, length in enumerate(lengths)]
        problem = triple(*rows, scoring, SequenceType.PROTEIN)
        planned = engine.plan_run(registry.find_method("triple-traceback"), problem, {}, "cpu")
        expected = engine.execute(planned).answer
        found = emulated(name, problem, s=16 if mapping == "cells" else 32, h=16, mapping=mapping).answer
        assert found.score == expected.score
        np.testing.assert_array_equal(found.alignment.moves, expected.alignment.moves)


@pytest.mark.parametrize(("mapping", "side"), [("tiles", 16 // 4), ("cells", 16)])
def test_steps_of_layered_and_sloped_are_logged(emulated, mapping: str, side: int) -> None:
    """LAYERED's events are ranges of layers, one after another; those of SLOPED cut the layers of their neighbours."""
    rows = ("ACGTTGCAAC" * 3, "ACGTGCAAT" * 3, "TTGCAAG" * 30)
    problem = triple(*rows, Scoring(match_mismatch(2, -3), 0, 2))
    overlaps = {}
    for name in ("layered", "sloped"):
        steps = StepLog()
        emulated(name, problem, steps=steps, s=16, mapping=mapping)
        events = steps.ordered_events()
        assert set(events["strip"]) == set(range(4)) and events["layer_end"].max() == len(problem.third)
        first = events[events["strip"] == 0]
        first = first[np.argsort(first["layer_start"])]
        assert first["layer_start"][0] == 0 and first["row_end"].max() == 15
        overlaps[name] = set((first["layer_end"][:-1] - first["layer_start"][1:]).tolist())
    assert overlaps["layered"] == {0} and min(overlaps["sloped"]) == 2 * (side - 1)


@pytest.mark.slow
@each
@pytest.mark.parametrize(("gap_open", "s", "h"), [(0, 31, 10), (0, 18, 100), (5, 19, 9)])
def test_chunks_of_any_width_and_height(emulated, method: Method, gap_open: int, s: int, h: int) -> None:
    """Rows of faces end within a pack, and boxes begin within a batch of layers."""
    scoring = Scoring(named_matrix("BLOSUM62"), gap_open, 2)
    for lengths in ((40, 45, 30), (0, 20, 33), (5, 2, 25)):
        rows = [related(length, seed) for seed, length in enumerate(lengths)]
        problem = triple(*rows, scoring, SequenceType.PROTEIN)
        for seed in (0, 1):
            assert_textbook(emulated, method, problem, seed=seed, **given_to(method, s, h, "cells"))


@pytest.mark.parametrize("name", ["layered", "sloped-bt2"])
def test_pictures_and_the_step_log_have_the_chunks_of_the_run(emulated, name: str) -> None:
    problem, steps, method = triple("ACGT" * 10, "ACGA" * 9, "ACGT" * 8), StepLog(), registry.find_method(name)
    found = emulated(name, problem, steps=steps, **given_to(method, 19, 10, "cells"))
    cuts = method.picture.table_cuts(method.restore_parameters(found))
    assert (cuts.block, cuts.layers) == (19, 10 if name == "sloped-bt2" else 0)
    events = steps.ordered_events()
    events = events[events["phase"] == 1]
    places = {(event["row_start"], event["row_end"], event["column_start"], event["column_end"]) for event in events}
    rows, columns = ((0, 18), (18, 37), (37, 40)), ((0, 18), (18, 36))
    assert places == {(*row, *column) for row in rows for column in columns}


def test_tiles_fill_chunks_and_batches_fill_subchunks(emulated) -> None:
    problem, method = triple("ACGT" * 9, "ACGT" * 9, "ACGT" * 9), registry.find_method("sloped-bt2")
    for values, message in (
        ({"s": 31}, "s=31: mapping=tiles takes multiples of 16; .*mapping=cells"),
        ({"h": 100}, "h=100: mapping=tiles takes multiples of 8; .*mapping=cells"),
    ):
        with pytest.raises(ParameterError, match=message):
            engine.plan_run(method, problem, values, "cuda")
        assert engine.plan_run(method, problem, {**values, "mapping": "cells"}, "cuda").refusal is None


@pytest.mark.parametrize("name", ["layered", "sloped"])
def test_planes_of_more_cells_than_a_block_has_threads(emulated, name: str) -> None:
    """s = 48: an antidiagonal takes two warps, and a thread of SLOPED has up to three cells of a plane."""
    rows = ("ACGTTGCAAC" * 5, "ACGTGCAAT" * 6, "TTGCAAG" * 2)
    problem = triple(*rows, Scoring(match_mismatch(2, -3), 0, 2))
    assert emulated(name, problem, s=48, mapping="cells").answer.score == find_best_answer(problem).score


@pytest.mark.parametrize("name", ["sloped", "layered-bt2", "sloped-bt3", "sloped-checkpointed"])
def test_no_more_memory_is_taken_than_was_estimated(emulated, name: str) -> None:
    problem = triple("ACGTTGCAAC" * 6, "ACGTGCAAT" * 7, "TTGCAAG" * 12, Scoring(match_mismatch(2, -3), 0, 2))
    planned = engine.plan_run(registry.find_method(name), problem, {"s": 16}, "cuda")
    taken = emulated(name, problem, s=16).device_bytes
    allocations, rounding = 24, 512
    assert 0 < taken <= planned.footprint.device_bytes + allocations * rounding


def test_parts_of_the_path_end_when_their_last_box_does(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    """Launches of one box a part: a part that needs no more launches is left alone by them."""
    h, steps = 8, StepLog()
    monkeypatch.setattr(import_module("antidiag.kernels.triple.chunks.cuda.path"), "CELLS_A_LAUNCH", 1)
    problem = triple("ACGTTGCAAC" * 3, "ACGTGCAAT" * 3, "TTGCAAG" * 9, Scoring(match_mismatch(2, -3), 0, 2))
    emulated("sloped-bt2", problem, steps=steps, s=16, h=h)
    events = steps.ordered_events()
    parts = events[events["phase"] == 3]
    boxes = parts["layer_end"] // h - (parts["layer_start"] + 1) // h
    assert parts["end_ns"][boxes == 0].max() < parts["end_ns"][boxes > 1].min()
