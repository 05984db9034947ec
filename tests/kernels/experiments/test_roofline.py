"""Rooflines: measured once and kept; the kernels of a GPU's compile without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from antidiag.kernels import engine
from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import BackendUnavailable, Cancelled
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.monitor import Monitor
from tests.nvrtc import compile_without_device

SOURCE = Path(roofline.__file__).with_name("roofline.cu")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch):
    """Turns of a hundredth of their length on small arrays."""
    from antidiag.kernels.experiments.rooflines import cpu_roofline

    for name, value in (("TURN_S", 0.002), ("LOOPS", 100), ("LARGEST_BYTES", 2**16), ("TURNS", 1)):
        monkeypatch.setattr(cpu_roofline, name, value)
    return cpu_roofline


def test_a_cpu_is_measured_once_and_kept(quick, monkeypatch):
    assert roofline.stored_roofline("cpu", engine.cpu_name()) is None
    found = roofline.find_roofline("cpu")
    assert found.operations_per_s > 0
    assert found.bytes_per_s > 0
    assert (found.backend, found.device) == ("cpu", engine.cpu_name())
    assert roofline.stored_roofline("cpu", engine.cpu_name()) == found
    monkeypatch.setattr(quick, "measure_cpu", lambda workers, monitor: (1.0, 2.0))
    assert roofline.find_roofline("cpu") == found
    assert roofline.find_roofline("cpu", again=True).operations_per_s == 1.0


def test_what_is_counted_is_what_is_done(quick):
    import numpy as np

    numbers = np.zeros(160, np.int32)
    numbers[128:144], numbers[144:] = 3, -100
    quick._run_operations(numbers, 10)
    assert (numbers[:16] == 10 * 3 + 1).all()
    result = np.zeros(5)
    quick._run_triad(result, np.arange(5.0), np.ones(5), 2.0)
    assert result.tolist() == [2, 3, 4, 5, 6]


def test_measuring_can_be_cancelled(quick):
    monitor = Monitor()
    monitor.cancel()
    with pytest.raises(Cancelled):
        roofline.find_roofline("cpu", monitor=monitor)


def test_progress_goes_from_operations_to_memory(quick, monkeypatch):
    monkeypatch.setattr(quick, "TURNS", 3)
    seen: list[tuple[int, int, str]] = []
    quick.measure_cpu(1, Monitor(lambda *progress: seen.append(progress)))
    assert [done for done, _, _ in seen] == [0, 1, 2, 3, 3, 4, 5] and {total for _, total, _ in seen} == {6}
    assert [phase for _, _, phase in seen] == ["operations"] * 3 + ["memory"] * 4


def test_a_torn_file_is_no_roofline(tmp_path):
    roofline._store_path().parent.mkdir(parents=True, exist_ok=True)
    roofline._store_path().write_text("{")
    assert roofline.stored_roofline("cpu", "any") is None
    roofline._store_path().write_text('{"cpu/any": {"colour": 1}}')
    assert roofline.stored_roofline("cpu", "any") is None


def test_there_is_none_of_a_gpu_that_is_not_there(monkeypatch):
    monkeypatch.setattr(devices, "discover_devices", lambda: ((), "none is plugged in"))
    with pytest.raises(BackendUnavailable, match="none is plugged in"):
        roofline.find_roofline("cuda")


@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
def test_the_kernels_compile(architecture):
    pytest.importorskip("cupy_backends.cuda.libs.nvrtc")
    assert compile_without_device((SOURCE,), {}, architecture)


@pytest.mark.gpu
def test_a_gpu_is_measured():
    found = roofline.find_roofline("cuda")
    assert found.operations_per_s > 1e11
    assert found.bytes_per_s > 1e10
