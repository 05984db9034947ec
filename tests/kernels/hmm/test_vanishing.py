"""States that fall behind all others by more than 64 bits can hold, and come back: no answer loses them silently."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from antidiag.kernels import registry
from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.engine import execute, plan_run
from antidiag.kernels.errors import InputError, ScoreOverflow
from antidiag.kernels.hmm import reference
from antidiag.kernels.hmm.model import hmm
from antidiag.kernels.hmm.model import underflow as vanishing
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.rows.cpu_tables import build_probability_tables
from antidiag.kernels.hmm.sums import cpu_extended_range, extended_range
from antidiag.kernels.hmm.sums.problem import LearningProblem
from antidiag.kernels.hmm.trials import draw_model, make_sequence
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor

VITERBI = [method.id for method in registry.METHODS if method.problem_type.id == "viterbi"]
LOST = ["hmm-posterior", "viterbi-probabilities"]


def overtaken(letters: int = 400, behind: float = 0.1, after: float = 1e-20) -> HmmProblem:
    """Of two states that follow a first one, the second falls behind letter by letter, and is the better in the end."""
    transitions, emissions = [[0, 0.5, 0.5], [0, 1, 0], [0, 0, 1]], [[1, 0], [1 - after, after], [behind, 1 - behind]]
    made = hmm.make_hmm("two", ["start", "first", "second"], "AB", transitions, emissions, [1, 0, 0])
    return HmmProblem(made, make_sequence(b"A" * letters + b"B" * letters))


def sparse(states: int, symbols: int, least: float, seed: int) -> hmm.Hmm:
    """A model whose probabilities, where they are not zero, go down to ``least``."""
    random, found = np.random.default_rng(seed), draw_model(states, symbols, 0.5, seed)

    def make_steep(rows: np.ndarray) -> np.ndarray:
        rows = rows * least ** random.random(rows.shape)
        return rows / rows.sum(axis=-1, keepdims=True)

    parts = found.transitions, found.emissions, found.initial
    return hmm.make_hmm("steep", found.states, found.alphabet, *map(make_steep, parts))


def run(method: str, made: HmmProblem | LearningProblem, backend: str = "cpu") -> Result:
    planned = plan_run(registry.find_method(method), made, {}, backend, use_tuned=False)
    return execute(planned, keep_rate=False, keep_parts=False)


def in_rational_numbers(made: HmmProblem) -> Fraction:
    """The probability, path by path."""
    parts = made.hmm.initial, made.hmm.transitions, made.hmm.emissions
    initial, transitions, emissions = ([Fraction(float(x)) for x in part.ravel()] for part in parts)
    symbols, states, total = len(made.hmm.alphabet), made.states, Fraction(0)
    for path in product(range(states), repeat=made.n):
        term = initial[path[0]]
        for k, state in enumerate(path):
            term *= emissions[state * symbols + int(made.observations[k])]
            term *= transitions[state * states + path[k + 1]] if k + 1 < made.n else 1
        total += term
    return total


@pytest.mark.parametrize("letters", [10, 400, 3000])
def test_forward_keeps_a_state_that_comes_back(letters: int) -> None:
    made = overtaken(letters)
    expected = reference.compute_log_likelihood(made)
    assert run("hmm-forward", made).answer.log_probability == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("method", LOST)
def test_what_cannot_keep_it_refuses(method: str) -> None:
    with pytest.raises(ScoreOverflow, match="instead of -"):
        run(method, overtaken())
    assert run(method, overtaken(20)).answer.log_probability == pytest.approx(
        reference.compute_log_likelihood(overtaken(20)), rel=1e-3
    )


def test_learning_refuses() -> None:
    made = overtaken()
    with pytest.raises(ScoreOverflow, match="instead of -"):
        run("hmm-baum-welch", LearningProblem(made.hmm, (made.sequence,), iterations=2))


def test_a_small_share_that_is_lost_is_no_rounding_however_long_the_sequence() -> None:
    random = np.random.default_rng(4)
    long = HmmProblem(overtaken(1).hmm, make_sequence(b"A" + bytes(random.choice(list(b"AB"), 100_000).tolist())))
    model, found = build_probability_tables(long), run("hmm-posterior", long).answer.log_probability
    assert found < -1e4
    for lost in (1e-5, 1.0):
        with pytest.raises(ScoreOverflow, match="instead of -"):
            extended_range.refuse_lost_states(long, model, found - lost, Monitor())


def test_the_sequence_that_cannot_be_learned_from_is_the_first_whatever_the_threads() -> None:
    random, made = np.random.default_rng(5), overtaken(1).hmm
    parts = [b"A" + bytes(random.choice(list(b"AB"), 60).tolist()) for _ in range(60)]
    for number in (7, 31, 52):  # the state in which all begin gives no B
        parts[number] = b"B" + parts[number]
    named = (replace(make_sequence(part), name=f"s{number}") for number, part in enumerate(parts))
    problem = LearningProblem(made, tuple(named))
    for threads in (1, 2, 5):
        planned = plan_run(
            registry.find_method("hmm-baum-welch"), problem, {"threads": threads}, "cpu", use_tuned=False
        )
        with pytest.raises(InputError, match="s7"):
            execute(planned, keep_rate=False, keep_parts=False)


@pytest.mark.parametrize("method", VITERBI)
def test_no_method_of_viterbi_loses_it_in_silence(method: str) -> None:
    made = overtaken()
    try:
        found = run(method, made).answer
    except ScoreOverflow:
        assert method == "viterbi-probabilities"
        return
    assert found.log_probability == pytest.approx(reference.compute_log_likelihood(made), abs=1)


@pytest.mark.parametrize("seed", range(8))
def test_small_models_are_those_of_rational_numbers(seed: int) -> None:
    """Probabilities down to 10^-200, which no row of ordinary numbers could hold after two letters."""
    random = np.random.default_rng(seed)
    found = sparse(int(random.integers(2, 4)), 2, 1e-200, seed)
    made = HmmProblem(found, make_sequence(bytes(random.choice(list(b"AB"), 6).tolist())), "missing")
    exact, mine = in_rational_numbers(made), run("hmm-forward", made).answer.log_probability
    if not exact:
        assert mine == -np.inf
        return
    bits = exact.numerator.bit_length() - exact.denominator.bit_length()
    logarithm = float(np.log(float(exact / Fraction(2) ** bits))) + bits * float(np.log(2))
    assert mine == pytest.approx(logarithm, rel=1e-12)


@pytest.mark.parametrize("states", [1, 3, 8, 17])
def test_a_long_sequence_has_the_logarithm_of_the_textbook(states: int) -> None:
    for seed in range(6):
        found = sparse(states, 3, 10.0 ** -(20 * seed), seed)
        letters = np.random.default_rng(seed).choice(list(found.alphabet.encode()), 300).astype(np.uint8).tobytes()
        made = HmmProblem(found, make_sequence(letters), "missing")
        expected = reference.compute_log_likelihood(made)
        with CpuRun().phase("forward") as phase:
            log_probability = extended_range.compute_log_probability(made, build_probability_tables(made), phase)
        assert log_probability == pytest.approx(expected, rel=1e-11)


def test_models_of_which_every_transition_is_possible_are_bounded() -> None:
    (islands,) = hmm.read_hmm("cpg-islands")
    (finder,) = hmm.read_hmm("gene-finder")
    letters = make_sequence(b"ACGT" * 1000)
    assert vanishing.cannot_underflow(HmmProblem(islands, letters))
    assert not vanishing.cannot_underflow(HmmProblem(finder, letters))
    assert vanishing.cannot_underflow(HmmProblem(finder, make_sequence(b"ACGT" * 5)))


def test_the_gpu_refuses_as_well_or_says_why_not(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    made = overtaken(1000)
    with pytest.raises(ScoreOverflow, match="on the CPU"):
        emulated("hmm-forward", made)
    monkeypatch.setattr(extended_range, "MOST_COMPARED_CELLS", 0)
    result = emulated("hmm-forward", made)
    assert extended_range.LOST_STATES_NOTE in result.notes
    assert extended_range.LOST_STATES_NOTE not in run("hmm-forward", made).notes


def test_cancelling_is_heard() -> None:
    made = overtaken(4000)
    table = build_probability_tables(made)
    stop = np.ones(1, np.int64)
    done = cpu_extended_range.compute_scaled_rows(
        table.initial.copy(), np.zeros(table.width, np.int64), table, 0, made.n, 2.0, stop
    )
    assert done == 0
