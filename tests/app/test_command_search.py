"""Ctrl+K as a person uses it: it finds everything, forgives typing errors, and remembers what was chosen."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from antidiag.app import search_sources
from antidiag.app.command_search import HINT_ROLE, CommandSearch
from antidiag.app.dialogs.preferences import SETTINGS, PreferencesDialog
from antidiag.app.kit import fuzzy
from antidiag.app.kit.view_commands import list_view_commands
from antidiag.app.learn.page_titles import PAGE_COMMANDS, page_titles
from antidiag.kernels import registry
from tests.app import fake
from tests.app.steps import run


def open_search(qtbot, window) -> CommandSearch:
    """Press Ctrl+K, and wait until what takes longer is found."""
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    search = next(found for found in window.findChildren(CommandSearch) if found.isVisible())
    qtbot.waitUntil(lambda: not search._timer.isActive())
    return search


def lines(search):
    return [search.list.item(row).text() for row in range(search.list.count())]


def hints(search):
    return [search.list.item(row).data(HINT_ROLE) for row in range(search.list.count())]


def type_and_choose(qtbot, window, text):
    search = open_search(qtbot, window)
    qtbot.keyClicks(search.line, text)
    found = lines(search)
    qtbot.keyClick(search.line, Qt.Key.Key_Return)
    return found


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [("vitrbi", "Viterbi"), ("viterbi", "Viterbi"), ("vietrbi", "Viterbi"), ("baum", "Baum-Welch"), ("flyod", "Floyd")],
)
def test_typing_errors_are_forgiven(typed, wanted):
    names = [method.name for method in registry.METHODS]
    found = fuzzy.rank_items(typed, names, lambda name: (name, ""), lambda name: 0.0)
    assert wanted.lower() in found[0].lower()
    assert fuzzy.rank_items("xqzzy", names, lambda name: (name, ""), lambda name: 0.0) == []


def test_better_matches_come_first():
    texts = ["Reload all", "Load", "Loan of a door", "Lower added ions"]
    assert fuzzy.rank_items("load", texts, lambda text: (text, ""), lambda text: 0.0) == ["Load", "Reload all"]
    assert fuzzy.rank_items("", texts, lambda text: (text, ""), lambda text: float(text == "Load"))[0] == "Load"


def test_commands_of_the_window_and_of_its_views_are_found(qtbot, ready):
    run(qtbot, ready)
    ready.viewer.turn_to("aligned")
    view = ready.viewer.current
    found = type_and_choose(qtbot, ready, "sort by name")
    assert found[0] == "Sort by: Name"
    search = open_search(qtbot, ready)
    qtbot.keyClicks(search.line, "occupancy")
    assert "Occupancy" in lines(search) and "Alignment > Tracks" in hints(search)[lines(search).index("Occupancy")]
    qtbot.keyClick(search.line, Qt.Key.Key_Return)
    assert "occupancy" in view.canvas.shown_tracks
    ready.viewer.turn_to("matrix")  # a command of a view that is behind another tab
    type_and_choose(qtbot, ready, "remove gap-only columns")
    assert ready.viewer.current is view


def test_methods_data_results_and_settings_are_found(qtbot, ready):
    run(qtbot, ready)
    ready.session.add_data([fake.Scale("kitchen", 3.0)])
    search = open_search(qtbot, ready)
    for typed, text, hint in (
        ("other", "Other", "method"), ("kitch", "kitchen", "data"), ("two", "two", "sequence"),
        ("strip width", "Strip width s", "setting of Fake"), ("theme", "Theme", "setting  Appearance"),
        ("first steps", "First steps", "help"), ("mitochondria", "Mitochondria of human and chimpanzee", "sample"),
        ("one x two", "one x two", "result"), ("dark theme", "Dark theme", ""),
    ):  # fmt: skip
        search.line.setText(typed)
        rows = [row for row, line in enumerate(lines(search)) if text in line and hint in hints(search)[row]]
        assert rows, (typed, list(zip(lines(search), hints(search), strict=True)))
    search.close()
    assert type_and_choose(qtbot, ready, "strip width")[0] == "Strip width s"
    editor = ready.method.parameters.editor("s")
    assert QApplication.focusWidget() in (editor, editor.lineEdit())
    labels = [label for page in SETTINGS.values() for label in page]
    assert "Font size" in labels
    type_and_choose(qtbot, ready, "font size")
    dialog = ready.findChild(PreferencesDialog)
    assert dialog.isVisible() and dialog.focusWidget() is dialog.appearance.size_box
    dialog.close()


@pytest.mark.slow
def test_what_was_chosen_comes_first_the_next_time_also_after_a_restart(qtbot, ready, make_window):
    type_and_choose(qtbot, ready, "next view")
    type_and_choose(qtbot, ready, "light theme")
    search = open_search(qtbot, ready)
    assert lines(search)[:2] == ["Light theme", "Next view"]
    search.close()
    ready.close()
    again = make_window()
    again.activateWindow()
    qtbot.waitUntil(again.isActiveWindow)
    search = open_search(qtbot, again)
    assert lines(search)[:2] == ["Light theme", "Next view"]


def test_places_to_run_and_results_are_found_by_what_they_are_called(qtbot, ready, pair):
    run(qtbot, ready)
    search = open_search(qtbot, ready)
    for typed in (pair.name, ready.methods[0].name):
        search.line.setText(typed)
        assert any(hint.startswith("result") for hint in hints(search)), typed
    search.close()
    found = type_and_choose(qtbot, ready, "run on threads")
    assert found[0].startswith("Run on: CPU") and not any("No GPU" in line for line in found)
    assert ready.device.saved_choice()["backend"] == "cpu"


def test_other_spellings_are_found():
    names = ["NJ: neighbor joining", "Three neighbours of a cell", "Joining tables"]
    assert fuzzy.rank_items("neighbour joining", names, lambda name: (name, ""), lambda name: 0.0) == names[:1]


@pytest.mark.slow
def test_no_command_of_learn_is_listed_twice(qtbot, window):
    window.turn_to(2)
    window.turn_to(0)
    search = open_search(qtbot, window)
    pages = [match for match in search._later if match.hint.startswith("Learn")]
    texts = [match.text for match in pages if match.hint in ("Learn", "Learn > The four classes")]
    assert texts and len(texts) == len(set(texts))
    search.close()


def test_lines_that_do_not_depend_on_what_is_typed_are_found_once(qtbot, ready, monkeypatch):
    counted = []
    find = search_sources.find_at_once
    monkeypatch.setattr(search_sources, "find_at_once", lambda window: counted.append(1) or find(window))
    search = open_search(qtbot, ready)
    qtbot.keyClicks(search.line, "light theme")
    assert lines(search)[0] == "Light theme" and len(counted) == 1
    search.close()


def test_it_says_when_nothing_is_found(qtbot, ready):
    search = open_search(qtbot, ready)
    qtbot.keyClicks(search.line, "xqzzyplugh")
    assert lines(search) == ["Nothing matches \N{LEFT DOUBLE QUOTATION MARK}xqzzyplugh\N{RIGHT DOUBLE QUOTATION MARK}"]
    qtbot.keyClick(search.line, Qt.Key.Key_Return)
    assert search.isVisible()
    qtbot.keyClick(search.line, Qt.Key.Key_Escape)
    assert not search.isVisible()


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("autosave", "Save automatically"),
        pytest.param("memory limit", "Main memory", marks=pytest.mark.slow),
        ("presenter", "Lectures"),
        pytest.param("export gif", "Step by step", marks=pytest.mark.slow),
    ],
)
def test_settings_and_pages_are_found_by_other_words_before_they_are_opened(qtbot, window, typed, wanted):
    search = open_search(qtbot, window)
    qtbot.keyClicks(search.line, typed)
    assert window.workspaces.currentWidget() is window.analyse
    assert wanted in lines(search)
    search.close()


@pytest.mark.parametrize(
    ("typed", "wanted", "hint"),
    [
        pytest.param("heat map", "Plot: Heat map", "plot of Tune", marks=pytest.mark.slow),
        pytest.param("roofline", "Plot: Roofline", "plot of Tune", marks=pytest.mark.slow),
        ("reuse earlier", "Reuse earlier points", "Tune"),
        ("save handout", "handout", "Learn > Lectures"),
        ("affine", "", "in the help"),
    ],
)
def test_tune_and_learn_are_found_before_they_were_opened(qtbot, window, typed, wanted, hint):
    search = open_search(qtbot, window)
    qtbot.keyClicks(search.line, typed)
    assert any(
        wanted.lower() in line.lower() and hint in found
        for line, found in zip(lines(search), hints(search), strict=True)
    )
    search.close()


def test_the_search_makes_neither_tune_nor_learn(qtbot, window):
    search = open_search(qtbot, window)
    qtbot.keyClicks(search.line, "colours worker")
    assert hints(search)[0] == "Learn > Step by step"
    assert not window.tune_page.is_created and not window.learn_page.is_created
    qtbot.keyClick(search.line, Qt.Key.Key_Return)
    page = window.learn.walkthroughs
    assert page.isVisible() and page.colouring_box.currentText() == "Worker"


def test_commands_that_are_known_before_are_those_of_the_widgets(qtbot, window):
    tune = {command.text for command in list_view_commands(window.tune)}
    assert tune >= set(search_sources.TUNE_COMMANDS)
    assert tuple(window.tune.plots.tabs.tabText(row) for row in range(window.tune.plots.tabs.count())) == tuple(
        search_sources.PLOT_WORDS
    )
    for row, title in enumerate(page_titles()[1:], 1):  # the first has a button for each method
        found = tuple(command.text for command in list_view_commands(window.learn.pages.widget(row)))
        assert found == PAGE_COMMANDS.get(title, ()), title


@pytest.mark.slow
def test_a_plot_that_is_chosen_in_the_search_is_shown(qtbot, window):
    type_and_choose(qtbot, window, "plot parallel")
    assert window.workspaces.currentWidget() is window.tune_page
    assert window.tune.plots.tabs.tabText(window.tune.plots.tabs.currentIndex()) == "Parallel"


@pytest.mark.slow
def test_commands_of_hidden_pages_of_learn_are_found(qtbot, window):
    window.turn_to(2)
    search = open_search(qtbot, window)
    qtbot.keyClicks(search.line, "save hando")
    assert any(hint.startswith("Learn > Lectures") for hint in hints(search))
    search.close()


@pytest.mark.slow
def test_methods_are_listed_with_the_name_of_their_family(qtbot, window):
    search = open_search(qtbot, window)
    qtbot.keyClicks(search.line, window.methods[0].name)
    assert "method  Two sequences" in hints(search)
    search.close()
