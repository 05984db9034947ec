"""The standard benchmark: fair scoring, honest tables, no clock of its own."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.devices import Device
from antidiag.kernels.experiments.measuring import peak_memory, runner
from antidiag.kernels.experiments.point_data.points import PointStatus
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.experiments.rooflines.roofline import Roofline
from antidiag.kernels.experiments.suites import cpu_suite
from antidiag.kernels.experiments.suites.benchmark_cases import BenchmarkCase
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask
from antidiag.kernels.experiments.sweeps.sweep_inputs import with_input
from antidiag.kernels.machine import measured_rates
from bench import __main__ as bench
from bench import dot_plot_times

LENGTH = 120


def small(case: BenchmarkCase) -> BenchmarkCase:
    """A case on the fronts of some of its sequences, called once."""
    inputs = with_input(case.sweep.inputs, "length", LENGTH)
    if inputs.count:
        inputs = with_input(inputs, "count", 4)
    return dataclasses.replace(case, sweep=dataclasses.replace(case.sweep, inputs=inputs, repeats=1, warm_up=0))


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(devices, "discover_devices", lambda: ((), "there is none"))


@pytest.mark.slow
def test_peers_score_the_same_problem(no_gpu):
    for case in cpu_suite.benchmark_cases():
        found = runner.run_sweep(small(case).sweep)
        assert {point.status for point in found} <= {PointStatus.MEASURED, PointStatus.REFUSED}
        assert len({point.score for point in found if point.has_times}) == 1
        assert all("not installed" in point.reason for point in found if not point.has_times)


@pytest.mark.slow
def test_quick_leaves_out_the_slowest_peers(no_gpu):
    def contenders(quick: bool) -> int:
        return sum(len(case.sweep.contenders) for case in cpu_suite.benchmark_cases(quick))

    assert contenders(True) < contenders(False)


@pytest.mark.slow
def test_a_gpu_is_measured_where_there_is_one(monkeypatch):
    gpu = Device(0, "A GPU", multiprocessors=1, compute_capability=(9, 0), memory_bytes=0)
    monkeypatch.setattr(devices, "discover_devices", lambda: ((gpu,), ""))
    cases = list(cpu_suite.benchmark_cases(gpu_only=True))
    assert cases
    assert all(case.sweep.backends == ("cuda",) for case in cases)
    assert any("cpu" in case.sweep.backends for case in cpu_suite.benchmark_cases() if "GPU" in case.sweep.title)


def test_the_benchmark_prints_and_saves(no_gpu, monkeypatch, capsys, tmp_path):
    first = small(next(cpu_suite.benchmark_cases()))
    monkeypatch.setattr(cpu_suite, "benchmark_cases", lambda *_: iter([dataclasses.replace(first, with_peak=True)]))
    monkeypatch.setattr(roofline, "find_roofline", lambda backend: Roofline(backend, "A processor", 1, 1e9, 1e9, ""))
    monkeypatch.setattr(peak_memory, "measure_peak_bytes", lambda task: 2**20)
    monkeypatch.setattr(dot_plot_times, "REPEATS", 1)
    assert bench.main(["--quick", "--json", str(tmp_path / "b.json")]) == 0
    printed = capsys.readouterr().out
    assert "| StripedScore | cpu |" in printed
    assert "Peak memory of striped-score, threads = 1: 1.0 MiB." in printed
    assert "The GPU was not measured: there is none" in printed
    assert "| phage-lambda x prophage-ecoli536 |" in printed
    rows = json.loads((tmp_path / "b.json").read_text())["rows"]
    assert {row["contender"] for row in rows} == set(first.sweep.contenders)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peaks are read from /proc")
def test_the_peak_of_a_task_is_that_of_its_own_process():
    """The reference of the path keeps the matrix: so many bytes at least."""
    from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated

    cells = 4000
    task = MeasurementTask("antidiagonal", "pair", Generated(length=cells), backend="cpu")
    found = peak_memory.measure_peak_bytes(task)
    assert found is not None
    assert 0 <= found < 2**31
    assert peak_memory.measure_peak_bytes(dataclasses.replace(task, parameters={"no": 1})) is None


def test_promises_are_printed_and_shipped_for_all_methods_or_some(no_gpu, monkeypatch, capsys, tmp_path):
    path = tmp_path / "shipped.json"
    path.write_text('{"cpu": {"methods": {}}, "cuda": {"methods": {}}}')
    monkeypatch.setattr(measured_rates, "SHIPPED_RATES", path)
    measured_rates.shipped_points.cache_clear()
    try:
        code = bench.main(["--promises", "--quick", "--only", "matrix-chain", "--ship-rates"])
        printed = capsys.readouterr().out
        assert code in (0, 1) and printed.count("| matrix-chain | ") == 3
        assert "cells within 1.5 x, time within 2 x where it is more than 5 ms" in printed
        assert [len(points) for points in measured_rates.shipped_points("cpu").values()] == [3]
    finally:
        measured_rates.shipped_points.cache_clear()


def test_subsets_of_a_family_keep_the_references_and_draw_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from bench import homfam

    texts = {f"s{at}": "ACDEFGHIKLMNPQRSTVWY"[at % 5 :] for at in range(12)}
    (tmp_path / "some.fa").write_text("".join(f">{name}\n{text}\n" for name, text in texts.items()))
    (tmp_path / "some.ref").write_text(f">s3\n---{texts['s3']}\n>s5\n{texts['s5']}\n")
    records = homfam.read(tmp_path / "some.fa")
    drawn = [homfam.draw_subset(records, tmp_path, "some", 4, draw) for draw in (0, 0, 1)]
    names = [[one.name for one in subset] for subset in drawn]
    assert names[0] == names[1] != names[2]
    assert all({"s3", "s5"} <= set(own) and len(own) == 6 for own in names)
    homfam.main([str(tmp_path), "--subsets", "1,4", "--draws", "2", "--no-peers", "--threads", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["some", "1"], ["some", "4"], ["mean", "1"], ["mean", "4"]]
    assert ".999" in lines[1] or "1000" in lines[1]
