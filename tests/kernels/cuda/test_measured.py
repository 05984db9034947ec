"""Guidelines that are measured: all variants compute the same, and say what they took; on a GPU, what the card does."""

from __future__ import annotations

import pytest

from antidiag.kernels.errors import BackendUnavailable, ParameterError

IDS = ("layout", "constant", "texture", "built-in", "dynamic")
VARIANTS = {"layout": 2, "constant": 6, "texture": 6, "built-in": 6, "dynamic": 3}


def test_guidelines_are_those_of_the_thesis() -> None:
    from antidiag.kernels.cuda import measured

    assert tuple(guideline.id for guideline in measured.GUIDELINES) == IDS
    with pytest.raises(ParameterError, match="measured are: layout, constant"):
        measured.find("luck")


def test_without_a_gpu_nothing_is_measured() -> None:
    from antidiag.kernels.cuda import devices, measured

    if not devices.discover()[0]:
        with pytest.raises(BackendUnavailable):
            measured.measure("layout")


@pytest.mark.parametrize("guideline", IDS)
def test_all_variants_compute_the_same(emulated, guideline: str) -> None:
    """`measure` refuses variants whose results differ; launches from the device are beyond the emulator, and say so."""
    from antidiag.kernels.cuda import measured

    found = measured.measure(guideline, sizes=measured.Sizes(rows=256, parts=4, steps=64, blocks=2, launches=3))
    assert found.device == "emulated GPU" and len(found.rows) == VARIANTS[guideline]
    missing = [row for row in found.rows if row.milliseconds is None]
    assert [row.variant for row in missing] == ["launched by a thread of the device"] * (guideline == "dynamic")
    assert all(row.remark.startswith("not available: ") for row in missing)
    assert found.fastest_ms == min(row.milliseconds for row in found.rows if row.milliseconds is not None)


def test_variants_that_differ_are_found(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    from antidiag.kernels.cuda import measured
    from antidiag.kernels.errors import AntidiagError

    kernel = measured._kernel
    monkeypatch.setattr(measured, "_kernel", lambda name: kernel(name.replace("read_diagonals", "read_rows")))
    with pytest.raises(AntidiagError, match="antidiagonal by antidiagonal computes something else than row by row"):
        measured.measure("layout", sizes=measured.Sizes(rows=256, parts=4))


@pytest.mark.gpu
def test_what_the_guidelines_say_holds_on_the_device_at_hand() -> None:
    """What a card has done since there is CUDA: no ratio here is close."""
    from antidiag.kernels.cuda import measured

    rows = {row.variant: row.milliseconds for guideline in IDS for row in measured.measure(guideline).rows}
    assert rows["antidiagonal by antidiagonal"] < rows["row by row"]
    assert rows["constant memory, one place for all lanes"] < rows["constant memory, a place for each lane"]
