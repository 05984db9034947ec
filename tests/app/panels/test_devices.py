"""The list of devices: what it offers each kind of method, and what is kept of the choice."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import pytest
from PySide6.QtCore import Qt

from antidiag.app.jobs.run_places import make_cluster_choice
from antidiag.app.panels.devices import DeviceChooser
from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.devices import ALL_GPUS, Device
from tests.app import fake

SHARED, WHOLE = fake.make(splitting=fake.SPLITTING), fake.make("other")
GPUS = tuple(Device(number, "Card", 1, (9, 0), 8 * 10**9) for number in range(2))


@pytest.fixture
def chooser(qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> DeviceChooser:
    """The list on a machine with two GPUs, which have not been looked for."""
    monkeypatch.setattr(devices, "discover_devices", lambda: (GPUS, ""))
    monkeypatch.setattr(devices, "free_memory_bytes", lambda index: 10**9)
    monkeypatch.setitem(sys.modules, "distributed", stand_in())
    made = DeviceChooser()
    qtbot.addWidget(made)
    return made


def stand_in() -> ModuleType:
    """A module in place of Dask's, which is not called."""
    made = ModuleType("distributed")
    made.__spec__ = ModuleSpec("distributed", None)
    return made


def look(qtbot: Any, chooser: DeviceChooser) -> None:
    with qtbot.waitSignal(chooser.found):
        chooser.look()


def states(chooser: DeviceChooser) -> dict[str, bool]:
    """Whether each entry can be chosen, by the beginning of its text."""
    model = chooser.model()
    flags = [model.flags(model.index(row, 0)) for row in range(chooser.count())]
    enabled = [bool(one & Qt.ItemFlag.ItemIsEnabled) for one in flags]
    return {chooser.itemText(row)[:12]: one for row, one in enumerate(enabled)}


def test_all_gpus_share_pieces_and_long_pairs_and_others_use_one(qtbot: Any, chooser: DeviceChooser) -> None:
    look(qtbot, chooser)
    chooser.choose("cuda", ALL_GPUS)
    executor = chooser.choose_executor(SHARED)
    assert executor is not None and executor.place == "gpus" and chooser.choice() == ("cuda", ALL_GPUS)
    assert chooser.choose_executor(WHOLE) is None
    chooser.choose("cuda", 1)
    assert chooser.choose_executor(SHARED) is None


def test_what_shares_runs_out_is_disabled_for_a_run_in_one_piece(qtbot: Any, chooser: DeviceChooser) -> None:
    look(qtbot, chooser)
    chooser.set_method(WHOLE)
    assert [name for name, enabled in states(chooser).items() if not enabled] == [
        "CPU \N{MIDDLE DOT} a proc",
        "Dask cluster",
    ]
    tip = chooser.itemData(2, Qt.ItemDataRole.ToolTipRole)
    assert tip.startswith("Other runs in one piece")
    chooser.set_method(SHARED)
    assert all(states(chooser).values())


def test_a_stored_gpu_is_chosen_once_it_is_found(qtbot: Any, chooser: DeviceChooser) -> None:
    chooser.restore_choice({"backend": "cuda", "device": 1})
    assert chooser.saved_choice() == {"backend": "cuda", "device": 1, "executor": ""}
    look(qtbot, chooser)
    assert chooser.choice() == ("cuda", 1)


@pytest.mark.parametrize(("saved", "text"), [
    ({"backend": "cuda", "device": 5}, "GPU 5 was not found"),
    ({"backend": "cpu", "executor": "steam"}, "'steam'"),
    ({"backend": "auto", "executor": "dask"}, "pip install 'antidiag[cluster]'"),
])  # fmt: skip
def test_a_stored_choice_that_is_gone_becomes_automatic(qtbot: Any, chooser, monkeypatch, saved, text) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    said: list[str] = []
    chooser.fell_back.connect(said.append)
    chooser.restore_choice(saved)
    look(qtbot, chooser)
    assert chooser.is_automatic and len(said) == 1
    assert text in said[0] and said[0].endswith("The device is Automatic now.")


def test_the_cluster_is_named_before_it_is_chosen(qtbot: Any, chooser: DeviceChooser) -> None:
    changes: list[None] = []
    chooser.changed.connect(lambda: changes.append(None))
    with qtbot.waitSignal(chooser.cluster_wanted):
        chooser.setCurrentIndex(chooser.count() - 1)
        chooser.activated.emit(chooser.count() - 1)
    assert chooser.is_automatic and not changes
    chooser.use_cluster(make_cluster_choice("tcp://head:8786"))
    executor = chooser.choose_executor(WHOLE)
    assert executor is not None and executor.scheduler == "tcp://head:8786" and len(changes) == 1
    assert chooser.currentText().endswith("tcp://head:8786")
    assert "tcp" not in str(chooser.saved_choice()), "a session must not name a scheduler"
