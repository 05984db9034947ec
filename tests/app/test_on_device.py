"""The window on a GPU: every kind of problem is run there, and every view of its result is saved.

It needs Qt and a GPU and nothing of pytest-qt, as a machine with a GPU may have neither a screen nor that.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from antidiag.app import application, settings
from antidiag.app.kit.figures import export
from antidiag.app.kit.view_protocols import GradualView
from antidiag.app.window import Window
from antidiag.kernels import registry
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import Method, ProblemInput, ProblemType
from antidiag.kernels.model import Sequence
from antidiag.kernels.registry.samples import bundled_samples

BACKEND = "cuda"
WAIT_S = 60
GENERATED, SEVERAL = 12, 4
"""The size of data that no sample has, and how many sequences are taken where any number could be."""
METHODS = {method.problem_type.id: method for method in reversed(registry.METHODS) if BACKEND in method.backends}
"""The first method of every kind of problem that has a version for GPUs."""


def given(problem: ProblemType) -> tuple[Any, ...]:
    """Data of a small sample that make such a problem; what the sample lacks is of another one, or generated."""
    pools = sorted((sample.read_data() for sample in bundled_samples()), key=letters)
    for fresh in (False, True):
        for pool in pools:
            found = [datum for taken in problem.inputs for datum in data_for(taken, [pool, *pools], fresh)]
            with contextlib.suppress(AntidiagError):
                problem.make_problem(found, {})
                return tuple(found)
    raise AssertionError(f"no data of the samples make a problem of {problem.id}")


def data_for(taken: ProblemInput, pools: list[list[Any]], fresh: bool) -> list[Any]:
    """As many data as an input must have, of the first pool that has them; ``fresh`` ones are generated."""
    count = (taken.maximum or SEVERAL) if taken.kind is SEQUENCE else taken.minimum
    there = ([datum for datum in pool if taken.kind.accepts(datum)] for pool in pools)
    own = next((found for found in there if len(found) >= count), [])[:count]
    if taken.kind.generate and (fresh or len(own) < count):
        return [taken.kind.generate(GENERATED, np.random.default_rng(seed)) for seed in range(count)]
    return own


def letters(pool: list[Any]) -> int:
    return sum(len(datum) for datum in pool if isinstance(datum, Sequence))


def wait(ready: Callable[[], Any], what: str) -> None:
    until = time.monotonic() + WAIT_S
    while not ready():
        assert time.monotonic() < until, f"after {WAIT_S} s still waiting for {what}"
        QApplication.processEvents()
        time.sleep(0.005)


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    """One window for all problems, as a user has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(settings.FOLDER_VARIABLE, str(tmp_path_factory.mktemp("settings")))
        patch.setattr(Window, "confirm_close", lambda self, jobs: True)
        found = settings.Settings()
        application.make_application(found)
        opened = Window(found)
        opened.show()
        wait(lambda: opened.device.count() > 2, "the list of devices")
        yield opened
        opened.close()


def open_and_run(window: Window, method: Method) -> Any:
    """The result of a method on data that suit it."""
    data = given(method.problem_type)
    window.session.remove(range(len(window.session.state.sequences)))
    window.session.remove_data(range(len(window.session.state.data)))
    window.session.add([datum for datum in data if isinstance(datum, Sequence)])
    window.session.add_data([datum for datum in data if not isinstance(datum, Sequence)])
    window.device.choose(BACKEND, 0)
    window.method.set_values(method, {}, {})
    ready = lambda: not window.planner.busy and window.method.run_button.isEnabled()  # noqa: E731
    wait(ready, f"the plan of {method.id} on {[getattr(datum, 'name', datum) for datum in data]}")
    before = len(window.session.entries)
    window.commands["run"].trigger()
    done = lambda: len(window.session.entries) > before or any(job.error for job in window.queue.jobs)  # noqa: E731
    wait(done, f"the result of {method.id}")
    assert [job.error for job in window.queue.jobs if job.error] == []
    return window.session.entries[0].result


def pictured_by(view: Any) -> int | None:
    """The GPU that computed the picture of a view, -1 for the CPU; None where it shows what was there."""
    shown = getattr(view, "_scanned", None) or getattr(getattr(view, "_overview", None), "index", None)
    if shown is None:
        return None
    return -1 if shown.device is None else shown.device


@pytest.mark.gpu
@pytest.mark.parametrize("problem", METHODS)
def test_every_view_of_a_run_on_the_gpu_is_shown_and_saved(window: Window, tmp_path: Path, problem: str) -> None:
    result = open_and_run(window, METHODS[problem])
    assert result.backend == BACKEND
    result.check(result.problem_type)
    assert result.steps.count, f"{result.method} has no timeline"
    for name in window.viewer.tabs_shown():
        window.viewer.turn_to(name)
        view: Any = window.viewer.current
        wait(lambda view=view: not isinstance(view, GradualView) or view.sharp, f"the view {name} of {problem}")
        assert pictured_by(view) in (None, 0), f"the view {name} of {problem} was computed by the CPU"
        picture = view.grab().toImage()
        colours = {picture.pixel(x, y) for x in range(0, picture.width(), 3) for y in range(0, picture.height(), 3)}
        assert len(colours) > 2, f"the view {name} of {problem} is empty"
        if hasattr(view, "draw_figure") and hasattr(view, "figure_size"):
            for suffix in (".png", ".svg"):
                export.save_figure(tmp_path / f"{name}{suffix}", view.figure_size(), view.draw_figure)
                assert (tmp_path / f"{name}{suffix}").stat().st_size > 500
    assert window.viewer.tabs_shown()
