"""The method, its scores and the sample of the first start follow what a person opens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from antidiag.app import application, settings
from antidiag.app.startup import start_with
from antidiag.app.window import Window
from antidiag.kernels import registry
from antidiag.kernels.cuda import devices
from antidiag.kernels.model import Sequence, SequenceType

PROTEIN, DNA = "MKVLAWWHEEKTRSPLQ", "ACGTTGCAACGGTCAAT"


@pytest.fixture
def real(qtbot: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A window with all methods of the program."""
    monkeypatch.setattr(devices, "discover_devices", lambda: ((), "there is none in tests"))
    found = settings.Settings()
    application.make_application(found)
    window = Window(found)
    window.resize(1500, 940)  # no panel is folded
    qtbot.addWidget(window)
    window.show()
    yield window
    window.close()


def write(path: Path, letters: str, count: int) -> Path:
    path.write_text("".join(f">s{number}\n{letters[number % 3 :]}\n" for number in range(count)))
    return path


def opened(qtbot: Any, window: Any, path: Path, total: int) -> None:
    window.loader.open_paths([path])
    qtbot.waitUntil(lambda: len(window.session.state.sequences) == total)
    qtbot.waitUntil(lambda: not window.planner.busy)


def test_a_chosen_method_that_uses_two_of_many_says_so_with_one_button(qtbot: Any, real: Any, tmp_path: Path) -> None:
    real.method.choose(registry.find_method("striped-alignment"))
    opened(qtbot, real, write(tmp_path / "many.fa", PROTEIN, 31), 31)
    assert real.method.method.id == "striped-alignment"
    qtbot.waitUntil(real.cost.fitting.isVisible)
    assert "takes all 31 open sequences; StripedAlignment uses 2" in real.cost.fitting.text()
    real.cost.fitting.linkActivated.emit("0")
    assert real.method.method.problem_type.inputs[0].maximum is None
    qtbot.waitUntil(lambda: not real.planner.busy)
    assert len(real.session.state.inputs(real.method.method.problem_type)) == 31
    qtbot.waitUntil(lambda: "StripedAlignment" not in real.cost.fitting.text())


def test_a_method_that_nobody_chose_is_replaced(qtbot: Any, real: Any, tmp_path: Path) -> None:
    opened(qtbot, real, write(tmp_path / "pair.fa", PROTEIN, 2), 2)
    before = real.method.method
    real.session.remove(range(2))
    opened(qtbot, real, write(tmp_path / "many.fa", PROTEIN, 31), 31)
    assert real.method.method is not before and real.method.method.problem_type.inputs[0].maximum is None


def test_scores_of_proteins_are_neither_offered_nor_reported_for_dna(qtbot: Any, real: Any, tmp_path: Path) -> None:
    real.method.choose(registry.find_method("msa-clustalw"))
    opened(qtbot, real, write(tmp_path / "p.fa", PROTEIN, 3), 3)
    editor = real.method.options.editor("series")
    assert not editor.isHidden()
    editor.set_value("blosum")
    real.method.options.changed.emit()
    real.session.remove(range(3))
    opened(qtbot, real, write(tmp_path / "n.fa", DNA, 3), 3)
    assert real.method.options.editor("series").isHidden() and real.method.options.values()["series"] == "gonnet"
    real.session.remove(range(3))
    opened(qtbot, real, write(tmp_path / "q.fa", PROTEIN, 3), 3)
    assert not real.method.options.editor("series").isHidden() and real.method.options.values()["series"] == "blosum"


@pytest.mark.parametrize(("kind", "told"), [(SequenceType.PROTEIN, True), (SequenceType.DNA, False)])
def test_the_matrix_series_is_a_setting_of_proteins_alone(kind: SequenceType, told: bool) -> None:
    problem_type = registry.find_method("msa-clustalw").problem_type
    letters = PROTEIN if told else DNA
    data = [Sequence(f"s{number}", letters.encode(), kind) for number in range(3)]
    labels = [label for label, _ in problem_type.setting_rows(problem_type.make_problem(data, {}))]
    assert ("Matrix series" in labels) is told and "Gap open" in labels


def test_own_data_set_the_sample_of_the_first_start_aside(
    qtbot: Any, make_window: Callable[[], Any], tmp_path: Path
) -> None:
    window = make_window()
    start_with(window, [])
    qtbot.waitUntil(lambda: len(window.session.state.sequences) == 2)
    path = write(tmp_path / "own.fa", DNA, 2)
    window.loader.open_paths([path])
    qtbot.waitUntil(lambda: [one.name for one in window.session.state.sequences] == ["s0", "s1"])
    assert window.session.state.chosen == (0, 1)
    window.commands["undo"].trigger()
    window.commands["undo"].trigger()
    assert len(window.session.state.sequences) == 2 and window.session.state.sequences[0].name != "s0"
    window.loader.open_paths([path])
    qtbot.waitUntil(lambda: len(window.session.state.sequences) == 4)


def test_a_new_method_for_own_data_does_not_hide_that_the_sample_was_set_aside(
    qtbot: Any, real: Any, tmp_path: Path
) -> None:
    start_with(real, [])
    qtbot.waitUntil(lambda: len(real.session.state.sequences) == 2)
    real.jobs._message_timer.setInterval(600_000)  # however slow the computer is
    opened(qtbot, real, write(tmp_path / "many.fa", PROTEIN, 31), 31)
    shown = real.jobs.message.text()
    assert shown.startswith("The sample was set aside; Undo brings it back. Switched to ")
    real.jobs.show_message("Something went wrong.", error=True)
    real.jobs.show_message("Saved it.")
    assert real.jobs.message.text() == "Saved it."


def test_the_sample_is_set_aside_also_after_the_next_start(
    qtbot: Any, make_window: Callable[[], Any], tmp_path: Path
) -> None:
    window = make_window()
    start_with(window, [])
    qtbot.waitUntil(lambda: len(window.session.state.sequences) == 2)
    window.close()
    again = make_window()
    start_with(again, [])
    qtbot.waitUntil(lambda: len(again.session.state.sequences) == 2 and not again.opening)
    again.loader.open_paths([write(tmp_path / "own.fa", DNA, 3)])
    qtbot.waitUntil(lambda: [one.name for one in again.session.state.sequences] == ["s0", "s1", "s2"])
