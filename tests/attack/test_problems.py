"""A short attack with a fixed seed on methods, and on the device that they run on; and that an attack finds faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from antidiag.kernels import registry
from antidiag.kernels.trials import RandomChooser
from tests.attack import __main__ as attack
from tests.attack import coding_options, jobs, making, nucleotide_families, pair_options, problems
from tests.emulator import build
from tests.kernels.conformance import checks

SEED, PROBLEMS, DEVICES, PAIRS, CODING = 14, 12, 6, 12, 15
FAMILIES = {"paths", "bipartite-paths", "folding", "matrix-chain", "tree"}
"""Problem types whose methods compile in no time; the conformance suite tries all others as well."""
METHODS = tuple(method for method in registry.METHODS if method.problem_type.id in FAMILIES)


@pytest.mark.slow
def test_random_problems(tmp_path: Path) -> None:
    found = [text for number in range(PROBLEMS) if (text := problems.attempt(SEED, number, tmp_path, "cpu", METHODS))]
    assert not found, "\n".join(found)


@pytest.mark.slow
def test_pairs_with_the_options_of_users(tmp_path: Path) -> None:
    for number in range(PAIRS):
        pair_options.try_pair_options(RandomChooser(number), tmp_path, "cpu")


@pytest.mark.slow
def test_coding_sequences_with_the_options_of_users(tmp_path: Path) -> None:
    for number in range(CODING):
        coding_options.try_coding_sequences(RandomChooser(number), tmp_path, "cpu")


@pytest.mark.slow
def test_a_reading_that_costs_more_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coding_options, "SHIFT_COST", 1)
    method = registry.find_method(coding_options.METHOD)
    found = [problems.attempt(SEED, 16 * number + 3, tmp_path, "cpu", [method]) for number in range(2 * CODING)]
    assert any("letters were read, not of" in text for text in found)


@pytest.mark.slow
def test_a_table_in_pieces_that_differs_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_options.PairStream, "write_table", lambda self, path, *others: path.write_text("other"))
    found = [problems.attempt(SEED, 8 * number + 1, tmp_path, "cpu", PAIR_METHODS) for number in range(PAIRS)]
    assert any("in pieces is not that of one run" in text for text in found)


PAIR_METHODS = tuple(map(registry.find_method, pair_options.METHODS))


@pytest.mark.slow
@pytest.mark.parametrize("method_id", ["msa-parttree", "lcs-single-linkage"])
def test_families_of_hundreds_of_nucleotide_sequences(method_id: str, tmp_path: Path) -> None:
    assert not problems.attempt(SEED, 0, tmp_path, "cpu", (registry.find_method(method_id),))


@pytest.mark.slow
def test_an_alignment_that_misses_the_true_pairs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nucleotide_families, "share_of_true_pairs", lambda letters, columns, random: 0.1)
    monkeypatch.setattr(nucleotide_families, "NEAR", 1.0)
    with pytest.raises(AssertionError, match="0.100 of the true pairs of"):
        nucleotide_families.try_nucleotide_family(registry.find_method("msa-parttree"), "cpu", RandomChooser(SEED))


@pytest.mark.parametrize("backend", ["cpu", "cuda"])
def test_every_method_is_attacked(backend: str) -> None:
    """Whatever families there are: profiles, multiple alignments, guide trees of very many sequences, products."""
    found = {problems.drawn(RandomChooser(SEED << 40 | number), backend).id for number in range(2000)}
    assert found == {method.id for method in registry.METHODS if backend in method.backends}


@pytest.mark.slow
@pytest.mark.skipif(bool(build.why_not()), reason=build.why_not())
def test_lost_devices() -> None:
    plan = making.Plan(("devices",), SEED, 0.0, "cpu")
    found = [text for number in range(DEVICES) if (text := making.attempt(plan, "devices", number))]
    assert not found, "\n".join(found)


def wrong(*arguments: object) -> None:
    raise AssertionError("1 is not 2")


def test_what_is_found_is_told_with_the_command_that_repeats_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(problems, "_checks", lambda method, backend: [wrong])
    assert attack.main(["--minutes", "1e-9", "--only", "problems", "--jobs", "1"]) == 0
    assert attack.main(["--only", "problems", "--seed", "3", "--number", "5"]) == 1
    told = capsys.readouterr().out
    assert "AssertionError: 1 is not 2" in told
    assert "again: python -m tests.attack --only problems --seed 3 --number 5" in told


def test_a_wrong_answer_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, floyd = checks.run, registry.find_method("floyd-warshall")

    def one_too_much(*arguments: object, **named: object) -> object:
        result = run(*arguments, **named)  # type: ignore[arg-type]
        if result.answer.distances is not None and result.method == floyd.id:
            return replace(result, answer=replace(result.answer, distances=result.answer.distances + 1))
        return result

    monkeypatch.setattr(checks, "run", one_too_much)
    assert any(problems.attempt(SEED, number, tmp_path, "cpu", [floyd]) for number in range(6))


def test_time_is_shared_out_and_counted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Kinds of one share take turns; the one that finds something is told, and all go on."""
    made: list[tuple[str, int]] = []

    def kind(name: str, find: bool) -> making.Kind:
        def one(seed: int, number: int, folder: Path, backend: str) -> str:
            made.append((name, number))
            clock[0] += 1.0
            return "a fault" if find and number == 1 else ""

        return making.Kind(1, name, one)

    clock = [0.0]
    monotonic: Callable[[], float] = lambda: clock[0]  # noqa: E731
    monkeypatch.setattr(making.time, "monotonic", monotonic)
    faked = {"problems": kind("good", False), "files": kind("bad", True)}
    for module in (attack, making):
        monkeypatch.setattr(module, "KINDS", faked)
    assert attack.main(["--minutes", "0.1", "--jobs", "1"]) == 1
    assert made == [(name, number) for number in range(3) for name in ("good", "bad")]
    told = capsys.readouterr().out
    assert "files: a fault\n  again: python -m tests.attack --only files --seed 0 --number 1" in told
    assert "3 good in 3 s: no findings" in told
    assert "3 bad in 3 s: 1 findings" in told


@pytest.mark.slow
def test_a_process_that_ends_early_is_found() -> None:
    made: list[making.Made] = []
    jobs.share_out(making.Plan(("unheard of",), 5, 60.0, "cpu", 2), made.append)
    assert [one.kind for one in made] == ["unheard of"] * 2
    assert {one.found.partition("again: ")[2] for one in made} == {
        f"python -m tests.attack --only unheard of --seed 5 --number {number}" for number in range(2)
    }


@pytest.mark.slow
def test_several_processes_attack_at_once() -> None:
    made: list[making.Made] = []
    seconds = 1e-3
    while not made:  # on a busy machine the time may be over before the first attempt
        jobs.share_out(making.Plan(("files",), 5, seconds, "cpu", 2), made.append)
        seconds *= 10
    assert not any(one.found for one in made)
