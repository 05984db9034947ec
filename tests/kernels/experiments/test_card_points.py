"""Points on several cards: each in the process of its card, with the answers of a sweep in this process."""

from __future__ import annotations

import pytest

from antidiag.kernels.cuda.devices import Device
from antidiag.kernels.errors import Cancelled, ParameterError
from antidiag.kernels.executors.gpus import GpusExecutor
from antidiag.kernels.experiments.measuring import card_points, runner
from antidiag.kernels.experiments.measuring.sweep_control import SweepControl
from antidiag.kernels.experiments.point_data.point_store import PointStore
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask, Sweep
from antidiag.kernels.experiments.sweeps.sweep_axes import parse_axis
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated
from antidiag.kernels.registry import find_method


def make_sweep() -> Sweep:
    axis = parse_axis("s=32:256:*2", [find_method("striped-score")])
    data = Generated("mutated", length=60)
    return Sweep(("striped-score",), data, (axis,), {"mode": "local"}, {"threads": 1}, repeats=1)


@pytest.mark.slow
def test_points_on_cards_are_those_of_one_process(monkeypatch, tmp_path):
    alone = runner.run_sweep(make_sweep())
    monkeypatch.setattr(card_points, "runs_on_card", lambda task: True)
    store, progress = PointStore(tmp_path / "points.jsonl"), list[runner.SweepProgress]()
    with GpusExecutor((0, 1)) as cards:
        shared = runner.run_sweep(make_sweep(), store, on_progress=progress.append, cards=cards)
        assert len(cards.counts.by_worker) == 2
    assert [point.coordinates for point in shared] == [point.coordinates for point in alone]
    assert [(point.key, point.answer_digest) for point in shared] == [(one.key, one.answer_digest) for one in alone]
    assert all(point.runs for point in shared) and len(store.read_points().points) == 4
    assert progress[-1].done == progress[-1].total == 4


def test_points_of_the_cpu_follow_in_this_process(monkeypatch):
    monkeypatch.setattr(card_points, "runs_on_card", lambda task: task.parameters["s"] > 64)
    with GpusExecutor((0,)) as cards:
        found = runner.run_sweep(make_sweep(), cards=cards)
        assert cards.counts.done == 2
    assert len(found) == 4 and all(point.runs for point in found)


def test_cancel_ends_the_points_on_cards(monkeypatch):
    monkeypatch.setattr(card_points, "runs_on_card", lambda task: True)
    control = SweepControl()
    control.cancel()
    with GpusExecutor((0,)) as cards, pytest.raises(Cancelled):
        runner.run_sweep(make_sweep(), control=control, cards=cards)


def test_only_points_of_gpus_go_to_cards():
    task = MeasurementTask("striped-score", "pair", Generated())
    assert card_points.runs_on_card(task)
    assert not card_points.runs_on_card(MeasurementTask("striped-score", "pair", Generated(), backend="cpu"))
    assert not card_points.runs_on_card(MeasurementTask("parasail-score-32", "pair", Generated()))


def test_cards_of_several_kinds_are_refused(monkeypatch):
    found = tuple(Device(number, name, 132, (9, 0), 1 << 36) for number, name in enumerate(("H100", "A100")))
    monkeypatch.setattr("antidiag.kernels.cuda.devices.discover_devices", lambda: (found, ""))
    with pytest.raises(ParameterError, match=r"the GPUs differ \(H100, A100\)"):
        card_points.open_cards()
