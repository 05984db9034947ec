"""Forward, posterior and Baum-Welch on the emulated GPU: what the CPU and the definitions say, up to rounding."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.hmm import reference
from antidiag.kernels.hmm.model import hmm
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.sums import problem
from antidiag.kernels.hmm.trials import draw_model, make_sequence
from antidiag.kernels.monitor import Monitor
from tests.example_counts import try_examples
from tests.kernels.hmm.examples import problems

METHODS = ("hmm-forward", "hmm-posterior", "hmm-baum-welch")
FEW = try_examples(25)
SEEDS = st.sampled_from((0, 1, 2))
PIECES = st.sampled_from((4, 9))
WIDE = hmm.make_random_hmm(40, np.random.default_rng(2))
STUCK = hmm.make_hmm("stuck", "ab", "ABCDEFGH", np.eye(2), [[0.05] * 7 + [0.65], [0.125] * 8], [0.5, 0.5])
THIRDS = [0.3333331] * 3
ROUNDED = hmm.make_hmm("rounded", "abc", "AB", [THIRDS, [0.2, 0.8, 0], [1, 0, 0]], [[0.4, 0.6]] * 3, THIRDS)


def letters(n: int, alphabet: str = "ABCDEFGH", seed: int = 1):
    return make_sequence(np.random.default_rng(seed).choice(list(alphabet.encode()), n).astype(np.uint8).tobytes())


def on_cpu(method: str, made):
    return engine.execute(engine.plan_run(registry.find_method(method), made, {}, "cpu")).answer


def close(found: float, expected: float) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-9)


def agree(emulated, made: HmmProblem, piece: int, seed: int = 1) -> None:
    """Both answers about the sequence are those of the CPU and, where it is short, of the definitions."""
    found = emulated("hmm-posterior", made, piece=piece, seed=seed).answer
    evaluated = emulated("hmm-forward", made, piece=piece, seed=seed).answer.log_probability
    close(evaluated, found.log_probability)
    expected = on_cpu("hmm-posterior", made)
    close(evaluated, expected.log_probability)
    close(evaluated, reference.compute_log_likelihood(made))
    assert (found.posterior is None) == (expected.posterior is None)
    if found.posterior is not None:
        np.testing.assert_allclose(found.posterior, expected.posterior, atol=1e-9)


def learned(learn: Callable[[], problem.LearningAnswer]) -> problem.LearningAnswer | str:
    """What was learned, or why nothing was."""
    try:
        return learn()
    except InputError as error:
        return str(error)


def same_model(emulated, made: problem.LearningProblem, piece: int, seed: int = 1) -> None:
    """What is learned is what the CPU learns, or is refused with the same words."""
    found = learned(lambda: emulated("hmm-baum-welch", made, piece=piece, seed=seed).answer)
    expected = learned(lambda: on_cpu("hmm-baum-welch", made))
    if isinstance(expected, str) or isinstance(found, str):
        assert found == expected
        return
    rounds = min(len(found.log_probabilities), len(expected.log_probabilities))
    close(found.log_probabilities[:rounds], expected.log_probabilities[:rounds])
    for part in ("initial", "transitions", "emissions"):
        np.testing.assert_allclose(getattr(found.hmm, part), getattr(expected.hmm, part), atol=1e-9)


@FEW
@given(made=problems(), piece=PIECES, seed=SEEDS)
def test_any_model(emulated, made: HmmProblem, piece: int, seed: int) -> None:
    agree(emulated, made, piece, seed)


@pytest.mark.parametrize(
    "made", [WIDE, STUCK, draw_model(40, 5, 0.9, 3), hmm.make_random_hmm(33, np.random.default_rng(1), "A")]
)
@pytest.mark.parametrize("n", [1, 2, 70])
def test_models_that_are_wide_or_never_forget(emulated, made: hmm.Hmm, n: int) -> None:
    agree(emulated, HmmProblem(made, letters(n, made.alphabet)), 9)


def test_rows_of_the_model_may_miss_one(emulated) -> None:
    """Probabilities that were rounded when they were written are taken as they are, at the borders of pieces too."""
    agree(emulated, HmmProblem(ROUNDED, letters(200, "AB")), 4)


@pytest.mark.parametrize("states", [3, 36])
def test_what_cannot_be_reached_may_be_ever_more_probable(emulated, states: int) -> None:
    """One state that nothing leads to emits the letters far more probably; the others never lead to each other."""
    emissions = np.tile([0.999, 0.001], (states, 1))
    emissions[-1] = 0.001, 0.999
    initial = np.full(states, 1 / (states - 1))
    initial[-1] = 0
    apart = hmm.make_hmm("apart", [f"s{s}" for s in range(states)], "AB", np.eye(states), emissions, initial)
    made = HmmProblem(apart, make_sequence(b"B" * 300))
    agree(emulated, made, 130)
    np.testing.assert_allclose(emulated("hmm-posterior", made, piece=40).answer.posterior[:, 0], initial[0])


@pytest.mark.parametrize("states", [2, 40])
def test_numbers_far_below_the_smallest(emulated, states: int) -> None:
    """Steps of 1e-270, and states that fall behind each other by 1e-540 a letter."""
    random = np.random.default_rng(states)
    transitions = np.where(np.eye(states) > 0, 1.0, 1e-270)
    emissions = np.tile([1e-270, 1.0], (states, 1))
    emissions[::2] = 1.0, 1e-270
    tiny = hmm.make_hmm(
        "tiny", [f"s{s}" for s in range(states)], "AB", transitions, emissions, random.dirichlet([1] * states)
    )
    for text in (b"A" * 30, b"AB" * 15, b"A" * 15 + b"B" * 15):
        agree(emulated, HmmProblem(tiny, make_sequence(text)), 9)


@try_examples(15)
@given(made=problems(st.integers(1, 40)), piece=PIECES, seed=SEEDS, others=st.lists(st.integers(0, 12), max_size=3))
def test_one_round_of_learning(emulated, made: HmmProblem, piece: int, seed: int, others: list[int]) -> None:
    """Of one sequence, or of several that are counted together; models with zeros are refused by both, or by none."""
    alphabet = made.hmm.alphabet + "X"
    more = [letters(n, alphabet, n) for n in others]
    options = {"iterations": 1, "tolerance": 0.0, "unknown": "missing"}
    same_model(emulated, problem.build_learning_problem([made.hmm, made.sequence, *more], options), piece, seed)


@pytest.mark.parametrize("made", [WIDE, STUCK, ROUNDED], ids=lambda made: made.name)
def test_several_rounds_of_learning(emulated, made: hmm.Hmm) -> None:
    several = [letters(n, made.alphabet, n) for n in (50, 1, 0, 9, 18)]
    same_model(emulated, problem.build_learning_problem([made, *several], {"iterations": 3, "tolerance": 0.0}), 9)


def test_sequences_in_batches(emulated, monkeypatch) -> None:
    """Batches of one or two sequences, tables of few slices, and a launch for every row of tiles."""
    from antidiag.kernels.hmm.rows import cuda_sizes

    for name, value in (("BATCH_CELLS", 40 * 60), ("SLICE_BYTES", 40 * 40 * 8 * 2), ("PAIR_CELLS", 1)):
        monkeypatch.setattr(cuda_sizes, name, value)
    assert cuda_sizes.group_sequences([50, 10, 0, 70, 1], 40) == [[0, 1], [3], [4]]
    wide = hmm.make_random_hmm(70, np.random.default_rng(2))
    for made in (WIDE, wide):
        several = [letters(n, seed=n) for n in (50, 10, 0, 150, 1)]
        same_model(emulated, problem.build_learning_problem([made, *several], {"iterations": 1, "tolerance": 0.0}), 9)


def test_launches_of_few_letters(emulated, monkeypatch) -> None:
    """Pieces and levels of the tree go on where the launch before has left them."""
    from antidiag.kernels.hmm.rows import cuda_sizes

    monkeypatch.setattr(cuda_sizes, "LAUNCH_US", 5)
    monkeypatch.setattr(cuda_sizes, "SCALED_JOIN_SUMS", 1)
    for made in (STUCK, ROUNDED, WIDE):
        agree(emulated, HmmProblem(made, letters(90, made.alphabet)), 11)


def test_the_sequence_that_is_impossible_is_named(emulated) -> None:
    stuck = hmm.make_hmm("stuck", "ab", "AB", np.eye(2), np.eye(2), [1, 0])
    made = problem.build_learning_problem([stuck, make_sequence(b"AA"), make_sequence(b"AB")], {})
    same_model(emulated, made, 9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("states", [8, 40])
def test_memory_is_what_was_estimated(emulated, method: str, states: int) -> None:
    start, text = hmm.make_random_hmm(states, np.random.default_rng(1)), letters(1000)
    made = registry.find_method(method).problem_type.build_problem(
        [start, text], {"iterations": 1} if method == METHODS[2] else {}
    )
    planned = engine.plan_run(registry.find_method(method), made, {"piece": 100}, "cuda")
    assert 0 < engine.execute(planned).device_bytes <= planned.footprint.device_bytes


@pytest.mark.parametrize("method", METHODS)
def test_cancel(emulated, method: str) -> None:
    made = HmmProblem(WIDE, letters(60))
    if method == "hmm-baum-welch":
        made = problem.build_learning_problem([WIDE, made.sequence], {})
    monitor = Monitor(lambda done, total, phase: monitor.cancel())
    with pytest.raises(Cancelled):
        engine.execute(engine.plan_run(registry.find_method(method), made, {"piece": 9}, "cuda"), monitor)


@pytest.mark.parametrize("states", [3, 40])
def test_times_have_all_phases(emulated, states: int) -> None:
    made = HmmProblem(hmm.make_random_hmm(states, np.random.default_rng(states)), letters(30))
    times_ms = emulated("hmm-posterior", made, piece=8).times_ms
    assert all(times_ms[phase] > 0 for phase in ("forward", "backward", "posterior"))
