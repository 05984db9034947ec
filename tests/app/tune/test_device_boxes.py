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
    assert not boxes.gpu_boxes[0].isEnabled()
    assert "No NVIDIA GPU" in boxes.gpu_boxes[0].toolTip()
    boxes.choose_device(0)
    assert boxes.chosen_backends() == ("auto",)
    boxes.choose_device(None)
    assert (boxes.chosen_backends(), boxes.chosen_gpus()) == (("cpu",), ())


def test_each_gpu_can_be_chosen(boxes: DeviceBoxes) -> None:
    boxes.set_gpus(GPUS)
    assert [box.text() for box in boxes.gpu_boxes] == ["GPU 0", "GPU 1"]
    boxes.gpu_boxes[0].click()
    boxes.gpu_boxes[1].click()
    assert (boxes.chosen_backends(), boxes.chosen_gpus()) == (("cpu", "cuda"), (0, 1))
    boxes.choose_device(1)
    assert (boxes.chosen_backends(), boxes.chosen_gpus()) == (("cuda",), (1,))


def test_what_was_chosen_the_last_time_is_chosen_when_the_gpus_are_found(boxes: DeviceBoxes) -> None:
    boxes.set_values({"cpu": False, "gpus": [1]})
    assert boxes.user_has_chosen
    assert boxes.chosen_gpus() == ()
    boxes.set_gpus(GPUS)
    assert boxes.chosen_gpus() == (1,)
