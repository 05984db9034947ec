"""The benchmark: fair scoring, honest tables."""

from __future__ import annotations

import pytest

from bench import cases, contenders, pairs, tables, timing
from bench.tables import Row
from kernels.cuda.devices import Device


@pytest.mark.parametrize("make", [pairs.mitochondria, pairs.proteins])
def test_peers_score_the_same_problem(make):
    pair = make().start
    score = float(contenders.ours(pair, "striped-score", threads=1)().score)
    assert score > 0
    assert contenders.biopython(pair)() == score
    if contenders.has_parasail():
        assert contenders.parasail(pair, contenders.PARASAIL_SCORE)() == score
        assert contenders.parasail(pair, contenders.PARASAIL_PATH)() == score


def test_random_pairs_repeat_and_resemble_each_other():
    one, again = pairs.random_dna(2000), pairs.random_dna(2000)
    assert one.first.letters == again.first.letters
    same = sum(a == b for a, b in zip(one.first.letters, one.second.letters, strict=True))
    assert 0.85 < same / 2000 < 0.99


def test_contenders_take_turns():
    turns: list[str] = []
    timed = timing.side_by_side({"a": lambda: turns.append("a"), "b": lambda: turns.append("b")}, 3)
    assert turns == ["a", "b"] * 3
    assert len(timed["a"].seconds) == 3


def test_median_and_spread():
    timed = timing.Timed((1.0, 2.0, 4.0), None)
    assert timed.median_s == 2.0
    assert timed.spread == 1.5


def test_without_parasail_the_table_says_so(monkeypatch, capsys):
    monkeypatch.setattr(contenders, "has_parasail", lambda: False)
    rows = cases._score_table(pairs.mitochondria().start, 1, with_biopython=False)
    assert rows[-1].note == "not installed"
    assert all(row.ratio is None for row in rows)
    tables.print_table(rows)
    assert "not installed" in capsys.readouterr().out


def test_scores_that_differ_are_marked():
    pair = pairs.mitochondria().start
    timed = {"one": timing.Timed((1.0,), 5), "other": timing.Timed((2.0,), 6)}
    rows = cases._rows("Score", pair, timed, "other", {})
    assert [row.note for row in rows] == [tables.DISAGREEMENT] * 2
    assert [row.ratio for row in rows] == [2.0, 1.0]


def test_columns_without_values_are_left_out(capsys):
    tables.print_table([Row("Score", "a pair", "one", median_s=0.0123, gcups=1.5, score=7.0)])
    _, title, heading, line = capsys.readouterr().out.splitlines()
    assert title == "Score: a pair"
    assert heading.split() == ["contender", "median", "GCUPS", "score"]
    assert line.split() == ["one", "12.30", "ms", "1.50", "7"]


def test_the_gpu_is_measured_by_its_kernels_and_by_the_clock(monkeypatch):
    """The table of a GPU, with the CPU in its place."""
    gpu = Device(0, "A GPU", multiprocessors=1, compute_capability=(9, 0), memory_bytes=0)
    on_cpu = contenders.ours
    monkeypatch.setattr(cases.devices, "device", lambda _: gpu)
    monkeypatch.setattr(contenders, "ours", lambda pair, method, *_, **__: on_cpu(pair, method, threads=1))
    pair = pairs.mitochondria().start
    kernels, whole, cpu = cases._gpu_table(pair, "striped-alignment", 2, with_cpu=True)
    limit = cases.INSTRUCTIONS_PER_S / cases.INSTRUCTIONS_PER_CELL
    assert kernels.of_limit == pytest.approx(kernels.gcups * 1e9 / limit)
    assert kernels.median_s < whole.median_s
    assert (kernels.repeats, whole.repeats) == (2, 2)
    assert (whole.ratio, cpu.ratio) == (pytest.approx(cpu.median_s / whole.median_s), 1.0)
    assert kernels.score == whole.score == cpu.score
