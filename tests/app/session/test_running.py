"""From a plan to a job, and which results a plan would give again."""

from antidiag.app.session.run_jobs import would_repeat
from antidiag.app.session.session import Entry
from antidiag.kernels import engine
from antidiag.kernels.scoring import Scoring, match_mismatch
from tests.app import fake
from tests.problems import pair

PROBLEM = pair("ACGTACGTAA", "ACGTTCGTAA", Scoring(match_mismatch(2, -3), 5, 2))


def test_a_result_is_not_old_because_an_automatic_value_follows_the_machine():
    method, later = fake.make(), fake.make(choose_parameters=lambda problem, backend, multiprocessors: {"s": 64})
    result = engine.execute(engine.plan_run(method, PROBLEM, {}, "cpu"))
    now = engine.plan_run(later, PROBLEM, {}, "cpu")
    assert would_repeat(now, {}, Entry(result, {}, {}))
    assert not would_repeat(now, {}, Entry(result, {}, {"s": 128}))
    assert not would_repeat(engine.plan_run(method, PROBLEM, {"s": 64}, "cpu"), {"s": 64}, Entry(result, {}, {}))
    assert not would_repeat(engine.plan_run(fake.make("other"), PROBLEM, {}, "cpu"), {}, Entry(result, {}, {}))
    longer = pair("ACGTACGTAAC", "ACGTTCGTAA", PROBLEM.scoring)
    assert not would_repeat(engine.plan_run(method, longer, {}, "cpu"), {}, Entry(result, {}, {}))
