"""The methods in strips on the CPU: extreme pairs, progress, cancel, step log, memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.model import LEFT, UP, PairProblem
from antidiag.kernels.pairwise.parameters import PairStripParameters
from antidiag.kernels.pairwise.strips import cpu_sizes, sizes, start_states
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch, named_matrix
from antidiag.kernels.steps import StepLog
from tests import oracle
from tests.cpu_runs import run_on_cpu
from tests.problems import pair

SMALL = {"s": 32, "T": 32, "threads": 3, "precision": "32"}
DNA = Scoring(match_mismatch(2, -3), 5, 2)
ALIGNMENTS = {
    "striped-start-point": ("striped-alignment", {"recompute": "start-point"}),
    "striped-first-row": ("striped-alignment", {"recompute": "first-row"}),
    "chunked-1": ("chunked-alignment-1", {"h": 16}),
    "chunked-2": ("chunked-alignment-2", {"h": 16}),
    "checkpointed": ("checkpointed-alignment", {"tile": 32, "checkpoint_memory": 1}),
}
ALIGNED = pytest.mark.parametrize(("method", "given"), ALIGNMENTS.values(), ids=ALIGNMENTS)


def run(
    method: str, problem: PairProblem, monitor: Monitor | None = None, steps: StepLog | None = None, **given: Any
) -> Outcome:
    return run_on_cpu(registry.find_method(method), problem, {**SMALL, **given}, monitor, steps)


def random_dna(length: int, seed: int = 1) -> str:
    return "".join(np.random.default_rng(seed).choice(list("ACGT"), length))


@ALIGNED
@pytest.mark.parametrize("mode", Mode)
def test_gaps_longer_than_a_strip_or_chunk(method: str, given: dict[str, Any], mode: Mode) -> None:
    letters = random_dna(200)
    cheap = Scoring(match_mismatch(5, -4), 3, 0)
    longer = letters[:90] + "C" * 170 + letters[90:]
    for first, second in ((letters, longer), (letters, letters[:40] + letters[140:]), (longer, letters + "G" * 250)):
        problem = pair(first, second, cheap, mode)
        found, expected = run(method, problem, **given).answer, oracle.best_alignment(problem)
        assert found.score == expected.score
        np.testing.assert_array_equal(found.alignment.operations, expected.alignment.operations)
        assert max(map(len, "".join(map(str, found.alignment.operations)).split("0"))) >= 100


@ALIGNED
@pytest.mark.parametrize("mode", Mode)
def test_a_gap_passes_a_border_where_another_path_ends_too(method: str, given: dict[str, Any], mode: Mode) -> None:
    """In row, or column, 32 H comes from the diagonal and the gap goes on: its last letters repeat those before it."""
    before, after = random_dna(20), random_dna(40, seed=2)
    gapped, plain = before + "T" * 6 + before[-6:] + "T" * 8 + after, before + after
    affine = Scoring(match_mismatch(5, -4), 10, 1)
    for first, second in ((gapped, plain), (gapped, plain + "G" * 30)):
        problem = pair(first, second, affine, mode)
        found, expected = run(method, problem, **given).answer, oracle.best_alignment(problem)
        assert expected.alignment.operations[20:40].tolist() == [UP] * 20
        np.testing.assert_array_equal(found.alignment.operations, expected.alignment.operations)


@ALIGNED
def test_equal_sequences_score_beyond_16_bits(method: str, given: dict[str, Any]) -> None:
    letters = random_dna(7_000)
    problem = pair(letters, letters, Scoring(match_mismatch(5, -4), 5, 2))
    found = run(method, problem, s=512, T=512, **given).answer
    assert (found.score, found.end, found.alignment.start) == (35_000, (7_000, 7_000), (0, 0))
    assert not found.alignment.operations.any()


@ALIGNED
@pytest.mark.parametrize("n", [31, 32, 33, 64, 100])
def test_one_letter_repeated_is_all_ties(method: str, given: dict[str, Any], n: int) -> None:
    problem = pair("A" * 60, "A" * n, DNA)
    found, expected = run(method, problem, **given).answer, oracle.best_alignment(problem)
    assert (found.score, found.end) == (expected.score, expected.end)
    assert found.alignment.start == expected.alignment.start


@ALIGNED
def test_sequences_without_a_common_letter(method: str, given: dict[str, Any]) -> None:
    problem = pair("A" * 70, "C" * 100, DNA)
    local = run(method, problem, **given).answer
    assert (local.score, local.alignment.start, local.end, local.alignment.operations.size) == (0, (0, 0), (0, 0), 0)
    free = pair("A" * 70, "C" * 100, Scoring(match_mismatch(2, -100), 0, 1), Mode.GLOBAL)
    found = run(method, free, **given).answer
    assert (found.score, sorted(found.alignment.operations.tolist())) == (-170, [UP] * 70 + [LEFT] * 100)


@ALIGNED
@pytest.mark.parametrize("end", [31, 32, 33, 64, 96])
@pytest.mark.parametrize("row", [31, 32, 33, 64])
def test_best_cell_at_a_strip_batch_or_chunk_border(method: str, given: dict[str, Any], row: int, end: int) -> None:
    core = random_dna(20)
    first, second = "A" * (row - 20) + core + "A" * 20, "C" * (end - 20) + core + "C" * 60
    problem = pair(first.replace("T", "G"), second.replace("T", "G"), DNA)
    found, expected = run(method, problem, **given).answer, oracle.best_alignment(problem)
    assert (found.score, found.end) == (expected.score, expected.end)
    np.testing.assert_array_equal(found.alignment.operations, expected.alignment.operations)


def test_columns_beyond_the_end_win_nothing_where_everything_is_free() -> None:
    for mode in Mode:
        problem = pair("ACGTA" * 7, "CA" * 35, Scoring(match_mismatch(1, 1), 0, 0), mode)
        found, expected = run("striped-alignment", problem).answer, oracle.best_alignment(problem)
        assert (found.score, found.end) == (expected.score, expected.end)


@pytest.mark.parametrize("method", ["striped-score", "striped-alignment", "chunked-alignment-2"])
def test_cancel_ends_a_long_run(method: str) -> None:
    letters = random_dna(1_000) * 300
    monitor = Monitor(lambda done, total, phase: monitor.cancel())
    problem = pair(letters, letters, DNA)
    with pytest.raises(Cancelled):
        run(method, problem, monitor, s=1024, h=4096, T=32768, threads=2)


@pytest.mark.parametrize("method", ["striped-score", "striped-alignment", "chunked-alignment-2"])
def test_progress_grows_to_the_total_of_each_phase(method: str) -> None:
    seen: dict[str, list[tuple[int, int]]] = {}
    monitor = Monitor(lambda done, total, phase: seen.setdefault(phase, []).append((done, total)))
    run(method, pair(random_dna(900), random_dna(1100, seed=2), DNA), monitor, h=64)
    assert set(seen) - {"bounds"} == ({"phase 1"} if method == "striped-score" else {"phase 1", "phase 3"})
    for updates in seen.values():
        assert updates == sorted(updates)
        assert updates[-1][0] == updates[-1][1]


def test_an_error_in_a_worker_reaches_the_caller() -> None:
    class Broken(StepLog):
        def add(self, *event: Any, **more: Any) -> None:
            raise RuntimeError("no room for steps")

    with pytest.raises(RuntimeError, match="no room for steps"):
        run("striped-score", pair(random_dna(500), random_dna(500), DNA), steps=Broken())


def test_steps_of_phase_1_cover_every_cell_once() -> None:
    problem, steps = pair(random_dna(301), random_dna(517, seed=2), DNA), StepLog()
    run("striped-score", problem, steps=steps, pruning="off")
    covered = np.zeros((301, 517), int)
    for event in steps.ordered_events():
        covered[event["row_start"] : event["row_end"], event["column_start"] : event["column_end"]] += 1
        assert 0 <= event["worker"] < 3
        assert 0 <= event["start_ns"] <= event["end_ns"]
    assert (covered == 1).all()


def last_phase(method: str, given: dict[str, Any], problem: PairProblem) -> tuple[Outcome, np.ndarray]:
    """A run and its events of phase 3, or of phase 2 where that is the last one."""
    steps = StepLog()
    outcome = run(method, problem, steps=steps, **given)
    events = steps.ordered_events()
    return outcome, events[events["phase"] > 1]


@ALIGNED
def test_steps_of_the_last_phase_hold_the_path(method: str, given: dict[str, Any]) -> None:
    letters = random_dna(400)
    outcome, events = last_phase(method, given, pair(letters, letters[:200] + letters[260:], DNA))
    for j, i in outcome.answer.alignment.list_cells():  # the first sequence is the longer one: its letters are columns
        inside = (events["row_start"] <= i) & (i <= events["row_end"])
        assert (inside & (events["column_start"] <= j) & (j <= events["column_end"])).any()


def test_steps_of_phase_3_say_where_it_began() -> None:
    letters = random_dna(400)
    problem = pair(letters, letters, DNA)
    strips = [(k * 32, min((k + 1) * 32, 400)) for k in range(13)]
    for name, begins in (
        ("striped-start-point", lambda start: start),
        ("striped-first-row", lambda start: 0),
        ("chunked-1", lambda start: start // 48 * 48),
    ):
        method, given = ALIGNMENTS[name]
        _, events = last_phase(method, {**given, "h": 48} if "h" in given else given, problem)
        found = sorted((event["strip"], event["row_start"], event["row_end"]) for event in events)
        assert found == [(k, begins(start), end) for k, (start, end) in enumerate(strips)]


def test_phase_3_of_chunked_alignment_2_computes_single_chunks() -> None:
    letters = random_dna(400)
    _, events = last_phase("chunked-alignment-2", {"h": 48}, pair(letters, letters, DNA))
    crossed = {(row // 48, row // 32) for row in range(400)}
    found = [(event["row_start"] // 48, event["strip"]) for event in events if event["row_end"] > event["row_start"]]
    assert sorted(found) == sorted(crossed)
    assert (events["row_start"] % 48 == 0).all()
    assert (events["row_end"] - events["row_start"] <= 48).all()


@pytest.mark.parametrize("size", [(40, 50), (700, 900), (900, 200)])
@pytest.mark.parametrize(
    ("method", "given"), [("striped-score", {}), *ALIGNMENTS.values()], ids=["striped-score", *ALIGNMENTS]
)
def test_bytes_stay_within_the_footprint(method: str, given: dict[str, Any], size: tuple[int, int]) -> None:
    problem = pair(random_dna(size[0]), random_dna(size[1]), DNA, Mode.GLOBAL)
    declared = registry.find_method(method)
    parameters = declared.parameters.restore({"pruning": "on", **SMALL, **given})
    promised = declared.cost.estimate_memory(problem, parameters, "cpu").host_bytes
    assert 0.3 * promised < run(method, problem, **given).host_bytes <= promised


def test_memory_of_the_score_does_not_grow_with_the_strips() -> None:
    wide, narrow = (
        sizes.estimate_score_memory(
            pair("A" * 50_000, "C" * 50_000, DNA), PairStripParameters(s=s, T=32, threads=3, precision="32"), "cpu"
        ).host
        for s in (1024, 32)
    )
    assert wide["boundary columns"] == narrow["boundary columns"]


def test_a_48_kb_pair_needs_less_than_a_gibibyte() -> None:
    for method in ("striped-alignment", "chunked-alignment-1", "chunked-alignment-2"):
        planned = engine.plan_run(registry.find_method(method), pair("A" * 48_502, "C" * 48_502, DNA), {}, "cpu")
        assert planned.footprint.host_bytes < 2**30


@pytest.mark.parametrize("size", [(1, 1), (20, 3000), (1000, 1000), (50_000, 50_000), (100, 2_000_000)])
def test_automatic_parameters_are_valid_and_use_the_cores(size: tuple[int, int]) -> None:
    problem = pair("A" * size[0], "C" * size[1], DNA)
    for method_id in ("striped-score", "striped-alignment", "chunked-alignment-1", "chunked-alignment-2"):
        parameters = engine.plan_run(registry.find_method(method_id), problem, {}, "cpu").parameters
        assert all(value is not None for value in parameters.as_mapping().values())
        if problem.cells > 1e9:
            assert cpu_sizes.count_strips(problem, parameters.s) >= parameters.threads


def test_times_name_the_phases_and_keep_compilation_apart() -> None:
    problem = pair("ACGT" * 20, "AGGT" * 30, DNA)
    assert set(run("striped-score", problem).times_ms) == {"bounds", "phase 1", "compilation", "transfer"}
    again = run("striped-alignment", problem).times_ms
    assert set(again) == {"phase 1", "phase 2", "phase 3", "compilation", "transfer"}


def test_scores_beyond_8_bits_and_scaled_matrices() -> None:
    protein = "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSH"
    for scoring in (Scoring(named_matrix("GONNET1992"), 11.25, 1.5), Scoring(match_mismatch(2000, -3000), 5000, 2000)):
        problem = pair(protein, protein[:20] + protein[26:] * 2, scoring)
        found, expected = run("striped-alignment", problem).answer, oracle.best_alignment(problem)
        assert found.score == expected.score
        np.testing.assert_array_equal(found.alignment.operations, expected.alignment.operations)


def kept_states(s: int, h: int, strips: int, chunks: int) -> start_states.StartStates:
    """Start states that all say: a new path in row 0."""
    boundaries = np.full((strips, 2, chunks * h + 16), start_states.KIND_NEW << start_states.PLACE_BITS, np.int32)
    bottoms = np.full((strips, chunks - 1, 2, s), start_states.KIND_NEW << start_states.PLACE_BITS, np.int32)
    return start_states.StartStates(boundaries, bottoms, s, h)


def test_start_states_are_followed_from_strip_to_strip() -> None:
    states = kept_states(s=32, h=1000, strips=3, chunks=1)
    states.boundaries[1, start_states.KIND_K, 9] = start_states.KIND_H << start_states.PLACE_BITS | 7
    states.boundaries[0, start_states.KIND_H, 7] = start_states.KIND_NEW << start_states.PLACE_BITS | 4
    assert start_states.link_sub_paths(states, (12, 70), start_states.KIND_K << start_states.PLACE_BITS | 9) == [
        start_states.SubPath(0, start_states.KIND_NEW, 4, 7, 32, start_states.KIND_H),
        start_states.SubPath(1, start_states.KIND_H, 7, 9, 64, start_states.KIND_K),
        start_states.SubPath(2, start_states.KIND_K, 9, 12, 70, start_states.KIND_H),
    ]


def test_start_states_are_followed_from_chunk_to_chunk() -> None:
    states = kept_states(s=32, h=16, strips=2, chunks=3)
    states.bottoms[1, 1, start_states.KIND_TOP_G - start_states.KIND_TOP_H, 4] = (
        start_states.KIND_TOP_H << start_states.PLACE_BITS | 3
    )
    states.bottoms[1, 0, 0, 2] = start_states.KIND_H << start_states.PLACE_BITS | 10
    states.boundaries[0, start_states.KIND_H, 10] = start_states.KIND_NEW << start_states.PLACE_BITS | 2
    assert start_states.link_sub_paths(states, (40, 60), start_states.KIND_TOP_G << start_states.PLACE_BITS | 5) == [
        start_states.SubPath(0, start_states.KIND_NEW, 2, 10, 32, start_states.KIND_H),
        start_states.SubPath(1, start_states.KIND_H, 10, 16, 35, start_states.KIND_TOP_H),
        start_states.SubPath(1, start_states.KIND_TOP_H, 16, 32, 37, start_states.KIND_TOP_G),
        start_states.SubPath(1, start_states.KIND_TOP_G, 32, 40, 60, start_states.KIND_H),
    ]
