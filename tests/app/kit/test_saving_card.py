"""Large files are written in the background, with progress and Cancel."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QWidget

from antidiag.app.kit.play import offscreen, play_figure
from antidiag.app.kit.tasks.saving_card import SavingCard
from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry.lectures import SceneView
from tests.app.answers import Answers
from tests.app.kit.test_play_figures import SMALL, clock  # noqa: F401 - a fixture
from tests.patience import PATIENCE_S


@pytest.fixture
def card(qtbot: Any, answers: Answers) -> Iterator[SavingCard]:
    page = QWidget()
    qtbot.addWidget(page)
    page.resize(600, 400)
    page.show()
    yield SavingCard(page)
    page.close()


def test_the_card_shows_progress_and_cancel_keeps_the_older_file(qtbot: Any, card: SavingCard, tmp_path: Path) -> None:
    path, go_on = tmp_path / "play.gif", threading.Event()
    path.write_bytes(b"older")

    def write(path: Path, monitor: Monitor) -> None:
        monitor.update(1, 4)
        go_on.wait(PATIENCE_S)
        monitor.check()
        write_bytes(path, [b"newer"])

    card.save(path, write)
    qtbot.waitUntil(card.isVisible)
    qtbot.waitUntil(lambda: "Saving play.gif" in card.message)
    assert card.button.text() == "Cancel"
    card.button.click()
    go_on.set()
    assert not card.busy and not card.isVisible()
    qtbot.wait(50)
    assert path.read_bytes() == b"older"


def test_a_second_file_waits_for_the_first_and_errors_are_told(
    qtbot: Any, card: SavingCard, tmp_path: Path, answers: Answers
) -> None:
    go_on = threading.Event()
    card.save(tmp_path / "one.png", lambda path, monitor: go_on.wait(PATIENCE_S))
    card.save(tmp_path / "two.png", lambda path, monitor: None)
    assert "Another file is being written" in "".join(answers.warnings)
    with qtbot.waitSignal(card.saved):
        go_on.set()

    def fail(path: Path, monitor: Monitor) -> None:
        raise InputError("the disk is full")

    card.save(tmp_path / "three.png", fail)
    qtbot.waitUntil(lambda: "the disk is full" in "".join(answers.warnings))
    assert not card.isVisible()


def test_a_film_tells_its_progress_and_can_be_cancelled(qtbot: Any, clock: Any, tmp_path: Path) -> None:  # noqa: F811
    told: list[float] = []
    looks = offscreen.create_looks(clock, SceneView())
    path = tmp_path / "film.webp"
    play_figure.save_plays(
        path, clock, looks, [0, 1, 2], SMALL, Monitor(lambda done, total, phase: told.append(done / total))
    )
    assert path.exists() and told == sorted(told) and len(told) == 6
    stopped = Monitor()
    stopped.cancel()
    with pytest.raises(Cancelled):
        play_figure.save_plays(tmp_path / "none.webp", clock, looks, [0, 1, 2], SMALL, stopped)
    assert not (tmp_path / "none.webp").exists()
