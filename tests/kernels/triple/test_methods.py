"""One suite for all methods of three sequences on the CPU: the right answer, path included, whatever the parameters."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from numba import typeof

from antidiag.kernels import engine, registry, triple
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import sequences
from antidiag.kernels.memory import explain_refusal
from antidiag.kernels.method import Method
from antidiag.kernels.model import SequenceType
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch, named_matrix
from antidiag.kernels.steps import StepLog
from antidiag.kernels.triple import grid, sizes
from antidiag.kernels.triple.model import TripleAnswer, TripleProblem
from antidiag.kernels.triple.problem import TRIPLE
from antidiag.kernels.triple.serial import cpu as serial_cpu
from antidiag.kernels.triple.serial import cpu_rows
from antidiag.kernels.triple.trials import find_best_answer
from antidiag.kernels.triple.trials import make_problem as problem_of

ALIGNING = [method for method in triple.METHODS if "alignment" in method.returns]
CHUNKED = [method for method in triple.METHODS if method.parameters.names()]
each = pytest.mark.parametrize("method", triple.METHODS, ids=lambda method: method.id)
FILES = ("triple_113_364.fasta", "triple_267_452.fasta")


def answer(method: Method, problem: TripleProblem, **parameters: int) -> TripleAnswer:
    result = engine.execute(engine.plan_run(method, problem, parameters, "cpu"))
    result.check(problem)
    return result.answer


def assert_same(found: TripleAnswer, expected: TripleAnswer) -> None:
    assert found.score == expected.score
    assert found.end == expected.end
    if found.alignment is not None and expected.alignment is not None:
        np.testing.assert_array_equal(found.alignment.moves, expected.alignment.moves)


@pytest.mark.parametrize("name", ["sloped-bt2", "sloped-bt3", "layered-bt3", "sloped-checkpointed"])
@pytest.mark.parametrize("gap_open", [0, 4])
def test_subchunks_end_where_a_block_of_planes_does(name: str, gap_open: int) -> None:
    """Planes are computed in blocks of 128: here one ends among the last steps of some lines of a subchunk."""
    random = np.random.default_rng(3)
    ancestor = random.choice(list("ACDEFGHIKL"), 260)

    def make_row(n: int) -> str:
        return "".join(np.where(random.random(n) < 0.6, ancestor[:n], random.permutation(ancestor)[:n]))

    rows = [make_row(n) for n in (33, 40, 260)]
    problem = problem_of(*rows, Scoring(named_matrix("BLOSUM62"), gap_open, 4), SequenceType.PROTEIN)
    expected = answer(registry.find_method("triple-traceback"), problem)
    for h in (96, 104, 112, 120, 128, 248):
        assert_same(answer(registry.find_method(name), problem, s=32, h=h), expected)


def test_a_chunk_with_more_windows_than_a_larger_one() -> None:
    """A window has whole blocks of planes: here there are five in the larger chunks, and eight in those at the end."""
    problem = problem_of("ACGTTG" * 6, "ACGTG" * 8, "CGTTGA" * 161 + "ACG", Scoring(match_mismatch(2, -3), 0, 2))
    steps = StepLog()
    result = engine.execute(engine.plan_run(registry.find_method("sloped"), problem, {"s": 32}, "cpu"), steps=steps)
    assert np.bincount(steps.ordered_events()["strip"]).tolist() == [5, 5, 8, 8]
    assert result.score == answer(registry.find_method("triple-scoring"), problem).score


@pytest.mark.parametrize("gap_open", [0, 5])
def test_two_equal_sequences_reduce_to_the_best_pair(gap_open: int) -> None:
    """S(x, x, y) = 2 D(x, y) + s(x, x) with D the best pair, where x aligned with itself is its best alignment."""
    random = np.random.default_rng(5)
    x, y = ("".join(random.choice(list("ACGT"), length)) for length in (70, 90))
    scoring = Scoring(match_mismatch(2, -3), gap_open, 2)
    pair = PairProblem(problem_of(x, y, "", scoring).first, problem_of(x, y, "", scoring).second, scoring, Mode.GLOBAL)
    apart = engine.execute(engine.plan_run(registry.find_method("striped-score"), pair, {}, "cpu")).answer.score
    for rows in permutations((x, x, y)):
        assert answer(registry.find_method("sloped"), problem_of(*rows, scoring), s=32).score == 2 * apart + 2 * len(x)


EMPTY_OR_SHORT = ("", "", ""), ("A", "", ""), ("", "A", ""), ("", "", "A"), ("A", "A", "A")
LONG = "ACGT" * 10


@each
@pytest.mark.parametrize("gap_open", [0, 3])
@pytest.mark.parametrize("rows", [*EMPTY_OR_SHORT, ("A", "", LONG), (LONG, "A", ""), ("", LONG, "C")])
def test_empty_sequences_and_single_letters(method: Method, rows: tuple[str, str, str], gap_open: int) -> None:
    problem = problem_of(*rows, Scoring(match_mismatch(2, -3), gap_open, 2))
    assert_same(answer(method, problem), find_best_answer(problem))


@pytest.mark.parametrize("matrix", ["BLOSUM62", "PAM250", "GONNET1992", "NUC.4.4"])
def test_matrices_score_proteins_and_dna(matrix: str) -> None:
    rows = ("ACGTACGT", "ACGTCGT", "CGTACG")
    problem = problem_of(*rows, Scoring(named_matrix(matrix), 0.5, 3), SequenceType.PROTEIN)
    for method in (registry.find_method("sloped-bt3"), registry.find_method("layered-bt1")):
        assert_same(answer(method, problem), find_best_answer(problem))


@pytest.mark.parametrize("name", FILES)
def test_real_proteins(name: str, real_data: Path) -> None:
    found = sequences.read_sequences(real_data / "triples" / name)
    for options in ({}, {"gap_open": 10, "gap_extend": 1}) if name == FILES[0] else ({},):
        problem = TRIPLE.build_problem(found, options)
        score = answer(registry.find_method("sloped"), problem).score
        expected = answer(registry.find_method("sloped-checkpointed"), problem)
        assert expected.score == score
        for other in ("layered-bt2", "sloped-bt3"):
            assert_same(answer(registry.find_method(other), problem), expected)


def test_layered_logs_layers_and_sloped_planes_which_cut_many_layers() -> None:
    """The windows of LAYERED follow one another in layers; those of SLOPED overlap by the slope of the planes."""
    problem = problem_of("ACGT" * 20, "ACGA" * 20, "AGT" * 300, Scoring(match_mismatch(1, -1), 0, 1))
    overlaps = {}
    for name in ("layered", "sloped"):
        steps = StepLog()
        engine.execute(
            engine.plan_run(registry.find_method(name), problem, {"s": 48, "threads": 1}, "cpu"), steps=steps
        )
        events = steps.ordered_events()
        first = events[events["strip"] == 0]
        assert first["layer_start"][0] == 0 and first["layer_end"].max() == len(problem.third)
        assert set(np.unique(events["strip"])) == set(range(4))
        overlaps[name] = (first["layer_end"][:-1] - first["layer_start"][1:]).tolist()
    assert len(overlaps["layered"]) > 0 and set(overlaps["layered"]) == {0}
    assert len(overlaps["sloped"]) > 0 and min(overlaps["sloped"]) >= 48


def test_phase_3_computes_less_again_with_subchunks() -> None:
    problem = problem_of("ACGTTG" * 12, "ACGTG" * 14, "CGTTGA" * 30, Scoring(match_mismatch(2, -3), 0, 2))
    again = {}
    for name in ("sloped-bt1", "sloped-bt2", "sloped-bt3"):
        steps, given = StepLog(), {"s": 32} if name == "sloped-bt1" else {"s": 32, "h": 24}
        engine.execute(engine.plan_run(registry.find_method(name), problem, given, "cpu"), steps=steps)
        events = steps.ordered_events()
        third = events[events["phase"] == 3]
        again[name] = int((third["layer_end"] - third["layer_start"]).sum())
    assert again["sloped-bt2"] == again["sloped-bt3"] < again["sloped-bt1"]


@pytest.mark.parametrize("method", CHUNKED, ids=lambda method: method.id)
@pytest.mark.parametrize("gap_open", [0, 4])
def test_footprint_is_what_a_run_takes(method: Method, gap_open: int) -> None:
    problem = problem_of("ACGT" * 15, "ACGT" * 14, "AGT" * 30, Scoring(match_mismatch(1, -1), gap_open, 1))
    names = method.parameters.names()
    given = {name: value for name, value in {"s": 32, "h": 16, "threads": 2}.items() if name in names}
    planned = engine.plan_run(method, problem, given, "cpu")
    taken = engine.execute(planned).host_bytes
    path = planned.footprint.host.get("path", 0)
    assert planned.footprint.host_bytes - path == taken


@each
def test_a_run_that_does_not_fit_is_refused_before_it_begins(method: Method) -> None:
    problem = problem_of("ACGT" * 15, "ACGT" * 14, "AGT" * 30, Scoring(match_mismatch(1, -1), 0, 1))
    footprint = engine.plan_run(method, problem, {}, "cpu").footprint
    assert explain_refusal(footprint, footprint.host_bytes, None) is None
    assert "host memory" in str(explain_refusal(footprint, footprint.host_bytes - 1, None))


def test_local_starts_number_so_many_layers() -> None:
    problem = problem_of("A", "A", "A" * grid.MOST_LAYERS, Scoring(match_mismatch(1, -1), 0, 1))
    with pytest.raises(InputError, match="give the shortest sequence third, or choose SLOPED-checkpointed"):
        engine.plan_run(registry.find_method("sloped-bt1"), problem, {}, "cpu")
    long = problem_of(*3 * ["A" * grid.MOST_LAYERS], Scoring(match_mismatch(1, -1), 0, 1))
    with pytest.raises(InputError, match="can number 32,766; choose SLOPED-checkpointed"):
        grid.refuse_layers(long, grid.CHUNK_KINDS["sloped-bt1"])
    assert answer(registry.find_method("sloped-checkpointed"), problem).score == 3 - 2 * (grid.MOST_LAYERS - 1)


@pytest.mark.parametrize("affine", [False, True], ids=["linear", "affine"])
def test_no_phase_of_traceback_compiles(monkeypatch: pytest.MonkeyPatch, affine: bool) -> None:
    called: list[tuple] = []
    for name in ("rows", "affine_rows", "walk_back"):
        call = getattr(cpu_rows, name)

        def recorded(*arguments, name=name, call=call):
            called.append((name, *map(typeof, arguments)))
            return call(*arguments)

        monkeypatch.setattr(cpu_rows, name, recorded)
    serial_cpu._compile_serial(affine, True)
    compiled = set(called)
    called.clear()
    answer(
        registry.find_method("triple-traceback"), problem_of("AB", "AC", "A", Scoring(match_mismatch(1, -1), affine, 1))
    )
    assert called
    assert set(called) <= compiled


@pytest.mark.parametrize("name", ["layered-bt2", "sloped-bt2", "layered-bt3", "sloped-bt3"])
def test_heights_that_cut_nothing_give_a_note(name: str) -> None:
    problem = problem_of("ACGTACGT", "ACGTAGT", "ACGTACGTACGTAC")
    planned = engine.plan_run(registry.find_method(name), problem, {"h": 16}, "cpu")
    note = "No chunk is cut, because h (16) is not below the 15 layers; phase 3 works as in BT1."
    assert planned.notes == (note,) and engine.execute(planned).notes == (note,)
    assert not engine.plan_run(registry.find_method(name), problem, {"h": 8}, "cpu").notes
    assert not engine.plan_run(registry.find_method(name[:-1] + "1"), problem, {}, "cpu").notes


@pytest.mark.parametrize("name", ["layered", "sloped-bt3", "layered-bt2", "sloped-checkpointed"])
@pytest.mark.parametrize("gap_open", [0, 4])
def test_a_cpu_takes_the_values_of_the_paper(name: str, gap_open: int) -> None:
    """It rounds s to whole vectors and says so; h can be any number."""
    method = registry.find_method(name)
    random = np.random.default_rng(4)
    rows = ["".join(random.choice(list("ACDEF"), length)) for length in (70, 60, 130)]
    problem = problem_of(*rows, Scoring(named_matrix("BLOSUM62"), gap_open, 2), SequenceType.PROTEIN)
    expected = answer(registry.find_method("triple-traceback"), problem)
    for s, rounded, h in ((31, 32, 100), (47, 48, 41), (67, 80, 9)):
        values = {"s": s, **({"h": h} if "h" in method.parameters.names() else {})}
        planned = engine.plan_run(method, problem, values, "cpu")
        assert (
            planned.parameters.s == rounded and f"The backend cpu computes with s={rounded}, not {s}." in planned.notes
        )
        assert_same(engine.execute(planned).answer, expected)


@pytest.mark.parametrize("backend", ["cpu", "cuda"])
@pytest.mark.parametrize("name", ["layered-bt2", "sloped-bt2", "layered-bt3", "sloped-bt3", "sloped-checkpointed"])
def test_automatic_heights_cut_chunks(name: str, backend: str) -> None:
    method = registry.find_method(name)
    for layers in (16, 60, 153, 255, 256, 300, 800):
        problem = problem_of("ACGTACGT", "ACGTAGT", "A" * layers)
        values = method.choose_parameters(problem, backend, None)
        parameters = method.parameters.resolve({"h": values["h"]}, values)
        assert sizes.make_run_grid(problem, parameters).boxes > 1
        assert not method.parameter_notes(problem, parameters)


def test_nothing_is_said_of_a_height_that_nobody_chose() -> None:
    problem = problem_of("ACG", "ACG", "ACG")
    method = registry.find_method("sloped-bt3")
    assert not engine.plan_run(method, problem, {}, "cpu").notes
    assert not engine.plan_run(method, problem, {"threads": 1}, "cpu").notes
    assert engine.plan_run(method, problem, {"h": 64}, "cpu").notes
