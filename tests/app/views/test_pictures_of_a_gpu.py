"""Pictures of a run on a GPU come from that GPU: here from the emulated one, beside those of the CPU."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from antidiag.app.kit.selection import Selection
from antidiag.app.views.cube.view import CubeView
from antidiag.app.views.dotplot.view import DotPlotView
from antidiag.kernels.triple.pictures import slices
from tests.app.views import examples, triples

GPU = "emulated GPU"


def opened(qtbot: Any, view: Any, result: Any) -> Any:
    qtbot.addWidget(view)
    view.resize(900, 700)
    view.show()
    view.show_result(result)
    qtbot.waitUntil(lambda: view.sharp)
    return view


@pytest.mark.usefixtures("emulated")
@pytest.mark.parametrize("kept", [True, False])
def test_slices(qtbot: Any, monkeypatch: pytest.MonkeyPatch, kept: bool) -> None:
    from antidiag.kernels.triple.pictures import cuda_slices

    used = []
    fill = cuda_slices._fill_planes
    monkeypatch.setattr(cuda_slices, "_fill_planes", lambda *given: used.append(given) or fill(*given))
    if not kept:
        monkeypatch.setattr(slices, "MOST_KEPT_VALUES", 10)
    on_cpu = triples.result(triples.problem(), s=16)
    expected = opened(qtbot, CubeView(Selection()), on_cpu)
    assert not used
    view = opened(qtbot, CubeView(Selection()), replace(on_cpu, backend="cuda", device=GPU))
    assert used
    for ours, theirs in zip(view.slices.plots, expected.slices.plots, strict=True):
        np.testing.assert_array_equal(ours.values, theirs.values)


@pytest.mark.usefixtures("emulated")
def test_dot_plot(qtbot: Any) -> None:
    on_cpu = examples.result(examples.problem(*examples.related(300)))
    expected = opened(qtbot, DotPlotView(Selection()), on_cpu)
    view = opened(qtbot, DotPlotView(Selection()), replace(on_cpu, backend="cuda", device=GPU))
    assert (view._overview.index.device, expected._overview.index.device) == (0, None)
    np.testing.assert_array_equal(view._overview.overview.tones, expected._overview.overview.tones)


def test_a_gpu_that_is_not_here(qtbot: Any) -> None:
    given = replace(examples.result(examples.problem(*examples.related(300))), backend="cuda", device="NVIDIA Other")
    view = opened(qtbot, DotPlotView(Selection()), given)
    assert view._overview.index.device is None
    assert any("by the CPU: NVIDIA Other is" in item.text for item in view.legend.items)
