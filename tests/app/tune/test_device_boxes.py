"""The boxes that say where a sweep runs."""

from __future__ import annotations

import pytest

from antidiag.app.tune.device_boxes import DeviceBoxes
from antidiag.kernels.cuda.devices import Device

GPUS = [Device(number, f"NVIDIA {number}", 132, (9, 0), 2**30) for number in range(2)]


@pytest.fixture
def boxes(qtbot) -> DeviceBoxes:
    boxes = DeviceBoxes()
    qtbot.addWidget(boxes)
    return boxes


def test_without_a_gpu_there_is_the_cpu_alone(boxes: DeviceBoxes) -> None:
    assert not boxes.boxes[0].isEnabled()
    assert "No NVIDIA GPU" in boxes.boxes[0].toolTip()
    boxes.choose(0)
    assert boxes.backends() == ("auto",)
    boxes.choose(None)
    assert (boxes.backends(), boxes.gpus()) == (("cpu",), ())


def test_each_gpu_can_be_chosen(boxes: DeviceBoxes) -> None:
    boxes.set_gpus(GPUS)
    assert [box.text() for box in boxes.boxes] == ["GPU 0", "GPU 1"]
    boxes.boxes[0].click()
    boxes.boxes[1].click()
    assert (boxes.backends(), boxes.gpus()) == (("cpu", "cuda"), (0, 1))
    boxes.choose(1)
    assert (boxes.backends(), boxes.gpus()) == (("cuda",), (1,))


def test_what_was_chosen_the_last_time_is_chosen_when_the_gpus_are_found(boxes: DeviceBoxes) -> None:
    boxes.set_values({"cpu": False, "gpus": [1]})
    assert boxes.touched
    assert boxes.gpus() == ()
    boxes.set_gpus(GPUS)
    assert boxes.gpus() == (1,)
