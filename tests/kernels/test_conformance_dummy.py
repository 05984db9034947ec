"""A family that a test registers gets the whole suite with no line of its own, and every check can fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from antidiag.kernels import registry
from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import Method
from antidiag.kernels.pairwise.parameters import StripWidth
from tests.kernels.conformance import cancelling, checks, memory
from tests.kernels.conformance.dummy import METHOD, Broken, variant

IN_FOLDER = (checks.what_is_saved_reads_back, cancelling.cancelling_leaves_nothing)
CHECKS = (
    checks.equals_the_textbook,
    checks.parameters_change_nothing,
    checks.siblings_agree,
    checks.symmetries_hold,
    checks.progress_and_steps_are_complete,
    memory.host_estimate_is_right,
    *IN_FOLDER,
)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "METHODS", (*registry.METHODS, METHOD))


def passes(check: Callable[..., None], method: Method, folder: Path) -> None:
    check(method, "cpu", *((folder,) if check in IN_FOLDER else ()))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_new_family_is_tried(check: Callable[..., None], tmp_path: Path) -> None:
    passes(check, METHOD, tmp_path)


FAULTS: list[tuple[Callable[..., None], Broken, str]] = [
    (checks.equals_the_textbook, Broken(border=True), "the score is|scores"),
    (checks.equals_the_textbook, Broken(path=True), "path scores"),
    (checks.parameters_change_nothing, Broken(parameter=True), "the score is"),
    (checks.siblings_agree, Broken(mirrored=True), "the score is"),
    (checks.symmetries_hold, Broken(mirrored=True), "the score is"),
    (checks.progress_and_steps_are_complete, Broken(falls=True), "progress falls"),
    (checks.progress_and_steps_are_complete, Broken(stops_short=True), "progress ends at"),
    (checks.progress_and_steps_are_complete, Broken(deaf=True, stops_short=True), "never told"),
    (checks.progress_and_steps_are_complete, Broken(silent=True), "the log has phases"),
    (checks.progress_and_steps_are_complete, Broken(backwards=True), "ends before it starts"),
    (memory.host_estimate_is_right, Broken(greedy=True), "MiB told"),
    (cancelling.cancelling_leaves_nothing, Broken(leaves_file=True), "files are left"),
    (cancelling.cancelling_leaves_nothing, Broken(leaves_thread=True), "threads are left"),
    (cancelling.cancelling_leaves_nothing, Broken(deaf=True, stops_short=True), "went through"),
    (cancelling.cancelling_leaves_nothing, Broken(swallows=True), "went through"),
]


@pytest.mark.parametrize(
    ("check", "broken", "message"), FAULTS, ids=lambda value: getattr(value, "__name__", str(value))
)
def test_what_is_broken_fails(check: Callable[..., None], broken: Broken, message: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=message):
        passes(check, variant(broken), tmp_path)


def test_a_parameter_that_nobody_chooses_fails() -> None:
    wrong = replace(METHOD, parameters=StripWidth, choose_parameters=lambda *asked: {})
    with pytest.raises(AssertionError, match="nothing is chosen for s"):
        checks.every_automatic_parameter_is_chosen(wrong, "cpu")


def test_an_estimate_that_is_too_large_fails() -> None:
    small = METHOD.cost.estimate_memory
    wrong = replace(
        METHOD,
        cost=replace(METHOD.cost, estimate_memory=lambda *run: Footprint({"values": 2 * small(*run).host_bytes})),
    )
    with pytest.raises(AssertionError, match="MiB told"):
        memory.host_estimate_is_right(wrong, "cpu")


def test_a_file_that_reads_back_as_another_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def lines(result: Any) -> list[str]:
        return [">a\nACGTT\n"]

    formats = tuple(replace(found, iterate_lines=lines) for found in METHOD.problem_type.file_formats)
    wrong = replace(METHOD, problem_type=replace(METHOD.problem_type, file_formats=formats))
    monkeypatch.setattr(registry, "METHODS", (*registry.METHODS[:-1], wrong))
    with pytest.raises(AssertionError):
        checks.what_is_saved_reads_back(wrong, "cpu", tmp_path)


def test_a_problem_type_without_trials_fails() -> None:
    with pytest.raises(AssertionError, match="does not say how"):
        checks.equals_the_textbook(replace(METHOD, problem_type=replace(METHOD.problem_type, trials_name="")), "cpu")
