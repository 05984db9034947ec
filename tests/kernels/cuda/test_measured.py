"""Guidelines that are measured: all variants compute the same, and say what they took; on a GPU, what the card does."""

from __future__ import annotations

import pytest

from antidiag.kernels.errors import BackendUnavailable, ParameterError

IDS = ("layout", "constant", "texture", "built-in", "dynamic")
VARIANTS = {"layout": 2, "constant": 6, "texture": 6, "built-in": 6, "dynamic": 3}


def test_guidelines_are_those_of_the_thesis() -> None:
    from antidiag.kernels.cuda import guideline_timings

    assert tuple(guideline.id for guideline in guideline_timings.GUIDELINES) == IDS
    with pytest.raises(ParameterError, match="choose one of: layout, constant"):
        guideline_timings.find_guideline("luck")


def test_without_a_gpu_nothing_is_measured() -> None:
    from antidiag.kernels.cuda import devices, guideline_timings

    if not devices.discover_devices()[0]:
        with pytest.raises(BackendUnavailable):
            guideline_timings.measure_guideline("layout")


@pytest.mark.parametrize("guideline", IDS)
def test_all_variants_compute_the_same(emulated, guideline: str) -> None:
    """`measure` refuses variants whose results differ; launches from the device are beyond the emulator, and say so."""
    from antidiag.kernels.cuda import guideline_timings

    found = guideline_timings.measure_guideline(
        guideline, sizes=guideline_timings.GuidelineSizes(rows=256, parts=4, steps=64, blocks=2, launches=3)
    )
    assert found.device == "emulated GPU" and len(found.rows) == VARIANTS[guideline]
    missing = [row for row in found.rows if row.milliseconds is None]
    assert [row.variant for row in missing] == ["launched by a thread of the device"] * (guideline == "dynamic")
    assert all(row.remark.startswith("not available: ") for row in missing)
    assert found.fastest_ms == min(row.milliseconds for row in found.rows if row.milliseconds is not None)


def test_variants_that_differ_are_found(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    from antidiag.kernels.cuda import guideline_timings
    from antidiag.kernels.errors import AntidiagError

    kernel = guideline_timings._compile_kernel
    monkeypatch.setattr(
        guideline_timings, "_compile_kernel", lambda name: kernel(name.replace("read_diagonals", "read_rows"))
    )
    with pytest.raises(AntidiagError, match="antidiagonal by antidiagonal computes other results than row by row"):
        guideline_timings.measure_guideline("layout", sizes=guideline_timings.GuidelineSizes(rows=256, parts=4))


@pytest.mark.parametrize("error", [MemoryError("no memory"), KeyError("a mistake")])
def test_other_errors_than_cudas_are_raised(emulated, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """A device without dynamic parallelism is reported; lack of memory and mistakes keep their tracebacks."""
    from antidiag.kernels.cuda import guideline_timings
    from antidiag.kernels.cuda import kernel_compiler as compiling

    def fail(*parts: object) -> str:
        raise error

    monkeypatch.setattr(compiling, "join_source", fail)
    with pytest.raises(type(error)):
        guideline_timings._measure_device_launches(None, 1)


@pytest.mark.gpu
def test_what_the_guidelines_say_holds_on_the_device_at_hand() -> None:
    """What a card has done since there is CUDA: no ratio here is close."""
    from antidiag.kernels.cuda import guideline_timings

    rows = {
        row.variant: row.milliseconds
        for guideline in IDS
        for row in guideline_timings.measure_guideline(guideline).rows
    }
    assert rows["antidiagonal by antidiagonal"] < rows["row by row"]
    assert rows["constant memory, one place for all lanes"] < rows["constant memory, a place for each lane"]
