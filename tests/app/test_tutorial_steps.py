"""The steps in the window of the first two tutorials, as a reader does them: with real methods, mouse and keys."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolButton, QWidget

from antidiag.app import application, settings, startup
from antidiag.app.cli import program
from antidiag.app.window import Window
from antidiag.kernels import registry
from antidiag.kernels.cuda import devices
from antidiag.kernels.io.aligned_sequences import AlignedSequences, read_alignments
from antidiag.kernels.io.tree import Tree
from tests.app.answers import Answers
from tests.app.conftest import WINDOW_SIZE
from tests.documents import ROOT

SAMPLES = ROOT / "resources" / "samples"
MOST_TURNS = 60
"""Turns of the wheel until cells must be readable."""


@pytest.fixture
def open_window(
    qtbot: Any, folder: Path, answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Window]]:
    """Starts the window with files, as `antidiag-gui FILE...`, without a GPU."""
    monkeypatch.setattr(devices, "discover_devices", lambda: ((), "there is none in tests"))
    opened: list[Window] = []

    def start(*files: Path) -> Window:
        found = settings.Settings()
        application.make_application(found)
        window = Window(found, registry.METHODS)
        qtbot.addWidget(window)
        window.resize(*WINDOW_SIZE)
        window.show()
        qtbot.waitExposed(window)
        startup.start_with(window, files)
        opened.append(window)
        return window

    yield start
    for window in opened:
        window.close()


def choose(view: QWidget, *titles: str) -> None:
    """Open the menu of a button and its submenus, and choose an entry, all by the beginnings of their titles."""
    button = next(found for found in view.findChildren(QToolButton) if found.menu() and found.text() == titles[0])
    menu: QMenu = button.menu()
    for title in titles[1:]:
        menu.aboutToShow.emit()
        actions = [action for action in menu.actions() if action.text().replace("&", "").startswith(title)]
        assert actions, f"{title}: not among {[action.text() for action in menu.actions()]}"
        assert actions[0].isEnabled(), f"{title} cannot be chosen"
        if actions[0].menu() is None:
            actions[0].trigger()
        else:
            menu = actions[0].menu()  # type: ignore[assignment]


def press(view: QWidget, title: str) -> None:
    """Click on a button."""
    button = next(
        one for one in view.findChildren(QToolButton) if one.text().rstrip("\N{HORIZONTAL ELLIPSIS}") == title
    )
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def turn_to_tab(qtbot: Any, window: Window, title: str) -> Any:
    """Click on the tab of a view; return the view."""
    bar = window.viewer.tabs.tabBar()
    index = [bar.tabText(at) for at in range(bar.count())].index(title)
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(index).center())
    view = window.viewer.current
    qtbot.waitUntil(lambda: view.sharp)
    return view


def zoom_in(widget: QWidget, at: QPointF) -> None:
    """Turn the wheel over a place."""
    event = QWheelEvent(
        at,
        QPointF(widget.mapToGlobal(at.toPoint())),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)
    QApplication.processEvents()


@pytest.fixture
def genomes(qtbot: Any, open_window: Callable[..., Window]) -> Window:
    """The window after step 5.1 of the first tutorial: both genomes are aligned."""
    window = open_window(SAMPLES / "mitochondrion-human.fasta", SAMPLES / "mitochondrion-chimpanzee.fasta")
    qtbot.waitUntil(window.method.run_button.isEnabled)
    qtbot.keyClick(window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: len(window.session.entries) == 1)
    return window


@pytest.mark.slow
def test_two_genomes_look_at_the_matrix(qtbot: Any, genomes: Window) -> None:
    assert genomes.session.entries[0].result.answer.score == 25_688
    view = turn_to_tab(qtbot, genomes, "Matrix")
    plot = view.plot.viewport()
    for _ in range(MOST_TURNS):
        if view.plot.visible_frame().shows_cells:
            break
        zoom_in(plot, QPointF(plot.rect().center()))
    qtbot.waitUntil(lambda: view.plot.visible_frame().shows_cells and view.sharp)
    rows, columns = view.plot.visible_frame().rows, view.plot.visible_frame().columns
    text = view.describe_cell((sum(rows) // 2, sum(columns) // 2))
    assert all(f"{name} " in text for name in ("H", "E", "F")), text


def test_two_genomes_step_along_the_alignment(qtbot: Any, genomes: Window) -> None:
    view = turn_to_tab(qtbot, genomes, "Alignment")
    view.canvas.setFocus()
    letters = view.alignment.letters
    mismatches = np.flatnonzero((letters[0] != letters[1]) & (letters != ord("-")).all(axis=0))
    gaps = np.flatnonzero((letters == ord("-")).any(axis=0))
    qtbot.keyClick(view.canvas, Qt.Key.Key_M)
    assert view.picture.cursor[1] == mismatches[mismatches > 0][0]
    qtbot.keyClick(view.canvas, Qt.Key.Key_G)
    assert view.picture.cursor[1] == gaps[gaps > mismatches[0]][0]
    ends = np.flatnonzero(np.diff(np.r_[gaps, -9]) != 1)
    lengths = np.diff(np.r_[-1, ends])
    longest = int(np.argmax(lengths))
    assert (gaps[ends[longest]] - lengths[longest] + 2, lengths[longest]) == (573, 5)
    outside = (gaps[ends] > 576) & (gaps[ends] < 16_024)
    assert np.count_nonzero(outside) < gaps[ends].size / 2, "most gaps lie in the control region"


@pytest.mark.parametrize("title", [pytest.param("Matrix", marks=pytest.mark.slow), "Alignment"])
def test_two_genomes_save_a_figure(qtbot: Any, genomes: Window, answers: Answers, tmp_path: Path, title: str) -> None:
    view = turn_to_tab(qtbot, genomes, title)
    answers.path = tmp_path / "figure.svg"
    if title == "Matrix":
        press(view, "Save")
    else:
        choose(view, "Save", "Current view")
    qtbot.waitUntil(lambda: (tmp_path / "figure.svg").exists())
    assert (tmp_path / "figure.svg").read_text().startswith("<?xml")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder after step 4 of the second tutorial."""
    folder = tmp_path_factory.mktemp("family")
    shutil.copy(SAMPLES / "globins.fasta", folder)
    shutil.copy(SAMPLES / "horse-globins.fasta", folder)
    place = "--backend", "cpu", "--quiet"
    for command in (
        ("msa", "globins.fasta", "--out", "globins.sto"),
        ("msa", "globins.fasta", "--method", "msa-clustalw", "--out", "clustalw.aln"),
        ("tree", "globins.sto", "--root", "midpoint", "--out", "globins.nwk"),
    ):
        verb, *rest = [str(folder / word) if "." in word else word for word in command]
        assert program.main([verb, *rest, *place]) == 0
    return folder


@pytest.fixture
def family(qtbot: Any, open_window: Callable[..., Window], made: Path) -> Any:
    """The alignment view after step 5 of the second tutorial began."""
    window = open_window(made / "globins.sto", made / "globins.nwk")
    qtbot.waitUntil(lambda: len(window.session.state.data) == 2)
    qtbot.waitUntil(lambda: isinstance(window.viewer.datum, AlignedSequences))
    view = window.viewer.current
    assert view.id == "aligned", "the window opens with the alignment"
    qtbot.waitUntil(lambda: view.alignment is not None and view.sharp)
    assert any(isinstance(datum, Tree) for datum in window.session.state.data)
    return view


def test_a_family_shows_alignment_and_tree_together(qtbot: Any, family: Any) -> None:
    choose(family, "Tree", "globins (")
    qtbot.waitUntil(lambda: family.tree.panel.isVisible() and family.sharp)
    panel, tree = family.tree.panel, family.tree.tree
    clade = next(node for node in range(1, len(tree)) if tree.degrees[node])
    place = clade_place(panel, clade)
    QTest.mouseClick(panel, Qt.MouseButton.LeftButton, pos=place)
    chosen = np.flatnonzero(family.picture.cell_selection.rows)
    assert sorted(chosen) == sorted(family.tree.clade_rows(clade)) and 0 < chosen.size < 24
    lines = family.picture.order.size
    QTest.mouseDClick(panel, Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: family.picture.order.size == lines - chosen.size + 1)


def clade_place(panel: QWidget, clade: int) -> QPoint:
    """Return a place at which the pointer is over a clade."""
    places = (QPoint(x, y) for x in range(2, panel.width(), 3) for y in range(2, panel.height(), 3))
    return next(place for place in places if panel.node_at(QPointF(place)) == clade)


def test_a_family_is_edited(qtbot: Any, family: Any, answers: Answers, made: Path, tmp_path: Path) -> None:
    before = family.alignment.letters.copy()
    family.canvas.setFocus()
    family.canvas.go_to(3, 150)
    QApplication.processEvents()
    qtbot.keyClick(family.canvas, Qt.Key.Key_Space)
    assert family.alignment.letters[3, 150] == ord("-")
    qtbot.keyClick(family.canvas, Qt.Key.Key_Backspace)
    assert np.array_equal(family.alignment.letters, before)
    rows, columns = np.arange(24) < 6, (np.arange(before.shape[1]) > 40) & (np.arange(before.shape[1]) < 66)
    family.canvas.select_cells(rows, columns)
    choose(family, "Edit", "Align, add, merge, split", "Realign the selected cells by", "Consistency")
    qtbot.waitUntil(lambda: not family.realign.busy)
    assert family.editor.undo_text
    qtbot.keyClick(family.window(), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: np.array_equal(family.alignment.letters, before))
    answers.path = made / "clustalw.aln"
    choose(family, "Compare", "Alignment from a file")
    qtbot.waitUntil(lambda: family.comparison.is_visible and family.comparison.result is not None)
    answers.path = tmp_path / "edited.sto"
    choose(family, "Save", "Alignment")
    qtbot.waitUntil(lambda: (tmp_path / "edited.sto").exists())
    (again,) = read_alignments(tmp_path / "edited.sto")
    assert np.array_equal(again.letters[np.argsort(again.names)], before[np.argsort(family.alignment.names)])


def test_a_block_of_cells_is_dragged_over_gaps(qtbot: Any, family: Any) -> None:
    letters = family.alignment.letters
    row, column = next(
        (row, column)
        for row in range(24)
        for column in range(20, 120)
        if letters[row, column] != ord("-") and letters[row, column + 1] == ord("-")
    )
    family.canvas.go_to(row, column)
    family.canvas.select_cells(np.arange(24) == row, np.arange(letters.shape[1]) == column)
    QApplication.processEvents()
    family.canvas.cells_dragged.emit(1)
    assert family.alignment.letters[row, column] == ord("-")
    assert family.alignment.letters[row, column + 1] == letters[row, column]
