"""What the command search finds: commands of the window and of views, methods, data, results, settings, help."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from antidiag.app import texts
from antidiag.app.command_search import CommandMatch
from antidiag.app.dialogs import help_pages
from antidiag.app.dialogs.preferences import SETTINGS
from antidiag.app.kit.view_commands import list_view_commands
from antidiag.app.kit.view_protocols import ResultView, view_widget
from antidiag.app.learn.page_titles import (
    EXERCISES_TITLE,
    LECTURES_TITLE,
    PAGE_COMMANDS,
    WALKTHROUGH_TITLE,
    page_titles,
)
from antidiag.app.panels.viewer import ResultViews
from antidiag.app.session.entry import Entry
from antidiag.app.workbench import Workbench
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.method import Method
from antidiag.kernels.model import sequence_names
from antidiag.kernels.registry import lectures
from antidiag.kernels.registry.samples import bundled_samples

SEQUENCE_HITS = 20
MOST_SOURCES = 100
"""Data of a result whose files are looked up at most."""
TUNE, LEARN = 1, 2
"""The numbers of these workspaces."""
SETTING_WORDS = {
    "At the start": "restore reopen last session",
    "Save automatically": "autosave",
    "Main memory": "limit RAM",
    "Disk for long runs": "limit space",
    "CPU threads": "limit cores",
    "Compressed files": "limit gzip",
    "Theme": "dark light",
    "Colours of proteins": "default scheme",
    "Colours of nucleotides": "default scheme DNA RNA",
    "Shortcuts": "keys keyboard",
}
"""Further words by which settings are found, by their labels."""
LEARN_WORDS = {
    WALKTHROUGH_TITLE: "walkthrough animation play GIF MP4 movie export",
    LECTURES_TITLE: "slides presenter view handout PDF HTML export",
    EXERCISES_TITLE: "exercise quiz solve hint",
}
"""Further words by which pages of Learn are found, by their titles."""
PLOT_WORDS = {
    "Lines": "curves speedup sweep scaling",
    "Heat map": "grid two axes sweep",
    "Parallel": "coordinates brushing sweep",
    "Phases": "bars times sweep",
    "Roofline": "limits bandwidth arithmetic intensity",
    "Table": "points values CSV sweep",
}
"""The plots of Tune by their titles, and further words by which they are found."""
TUNE_COMMANDS = (
    *(f"Input: {source}" for source in ("Open data", "Generated, related", "Generated, unrelated")),
    "Reuse earlier points: Skip points with the same method, problem, parameters, device and version",
    "Papers: Reproduce a paper's figure",
    "Earlier sweeps: Open a sweep that was measured before",
    "Tune: Search for good parameters of the chosen method, and keep them as defaults",
)
"""Commands of Tune that are found before it is made, as `list_view_commands` reads them from its widgets."""
PLACE_WORDS = "where to run device GPU CPU processes cluster Dask"
"""Further words by which places for runs are found."""
ENABLED = Qt.ItemFlag.ItemIsEnabled
HELP_HITS, LEAST_HELP_QUERY = 12, 4
"""Sections of the help that are found by their text at most, and least letters of such a query."""
Turn = Callable[[], object]


def find_at_once(window: Workbench) -> list[CommandMatch]:
    """Return the lines that are there when the search opens, whatever is typed."""
    return [
        *_commands(window),
        *_visible_views(window),
        *_results(window),
        *_data(window),
        *_methods(window),
        *_parameters(window),
        *_places_to_run(window),
        *_samples(window),
        *_recent_files(window),
    ]


def find_typed(window: Workbench, query: str) -> list[CommandMatch]:
    """Return the lines that depend on what is typed: sequences, from two letters on, and sections of the help."""
    return [*_sequences(window, query), *_help_text(window, query)]


def find_later(window: Workbench) -> Iterator[Iterable[CommandMatch]]:
    """Yield lines that take longer to find: settings, help pages, hidden views, lectures, pages of Learn, plots."""
    yield _settings(window)
    yield _help(window)
    viewer = window.viewer
    for kind in viewer.shown_kinds():
        yield _hidden_view(viewer, kind)
    yield _plots(window)
    yield from _learn(window)
    yield from _hidden_workspaces(window)


def _commands(window: Workbench) -> list[CommandMatch]:
    return [match for match in window.commands.list_matches() if match.text != "Search commands..."]


def _visible_views(window: Workbench) -> list[CommandMatch]:
    """Return the commands of what is seen: the views in Analyse, or the workspace Tune or Learn."""
    page = window.workspaces.currentWidget()
    if page is window.tune_page:
        return _view_matches(window.tune, "Tune", lambda: None)
    if page is window.learn_page:
        return _view_matches(window.learn, "Learn", lambda: None)
    if not window.viewer.is_showing:
        return []
    found = [match for view in window.viewer.places.seen()
             for match in _view_matches(view_widget(view), view.title, lambda: None)]  # fmt: skip
    for kind in window.viewer.shown_kinds():
        found.append(CommandMatch(f"Show {kind.title}", "view", partial(_turn_to, window, kind.id)))
    return found


def _turn_to(window: Workbench, view_id: str) -> None:
    window.turn_to(0)
    window.viewer.turn_to(view_id)


def _view_matches(view: QWidget, title: str, turn: Turn, fill_menus: bool = True) -> list[CommandMatch]:
    """Return the commands of a view; ``turn`` shows the view before a command runs."""

    def run(act: Turn) -> None:
        turn()
        act()

    return [
        CommandMatch(
            command.text,
            "  ".join(filter(None, (" > ".join(filter(None, (title, command.place))), command.keys))),
            partial(run, command.run),
        )
        for command in list_view_commands(view, fill_menus)
    ]


def _hidden_view(viewer: ResultViews, kind: type[ResultView]) -> list[CommandMatch]:
    """Return the commands of a view of the shown result that is not visible; its menus are filled if that is quick."""
    if any(isinstance(view, kind) for view in viewer.places.seen()):
        return []
    view = viewer.prepare_view(kind, with_content=hasattr(kind, "show_edits"))
    return _view_matches(view_widget(view), kind.title, partial(viewer.turn_to, kind.id), viewer.has_content(view))


def _hidden_workspaces(window: Workbench) -> Iterator[list[CommandMatch]]:
    """Yield the commands of Tune and of Learn and its pages where they are not visible; neither is made for it."""
    for number, page, title in ((TUNE, window.tune_page, "Tune"), (LEARN, window.learn_page, "Learn")):
        if page.is_created and window.workspaces.currentWidget() is not page:
            yield _view_matches(page.content, title, partial(window.turn_to, number))
    if not window.tune_page.is_created:
        yield _known_matches(TUNE_COMMANDS, "Tune", partial(window.turn_to, TUNE), lambda: window.tune)
    for row, title in enumerate(page_titles()):
        hint, turn = f"Learn > {title}", partial(_turn_to_page, window, row)
        find_page = partial(_page_of_learn, window, row)
        if not window.learn_page.is_created:
            yield _known_matches(PAGE_COMMANDS.get(title, ()), hint, turn, find_page)
        elif row != window.learn.pages.currentIndex():  # whose commands are among those of Learn
            yield _view_matches(find_page(), hint, turn)


def _page_of_learn(window: Workbench, row: int) -> QWidget:
    return window.learn.pages.widget(row)


def _known_matches(
    commands: Iterable[str], hint: str, turn: Turn, find_view: Callable[[], QWidget]
) -> list[CommandMatch]:
    """Return the commands of a view that is made when it is turned to."""

    def run(text: str) -> None:
        turn()
        for command in list_view_commands(find_view()):
            if command.text == text:
                command.run()

    return [CommandMatch(text, hint, partial(run, text)) for text in commands]


def _results(window: Workbench) -> list[CommandMatch]:
    def show(entry: Any) -> None:
        window.turn_to(0)
        window.session.show(entry)

    return [
        CommandMatch(
            f"{entry.name or texts.result_heading(entry.result)[0]}", f"result  {texts.answer_text(entry.result)}",
            partial(show, entry), _result_words(entry),
        )
        for entry in window.session.entries
    ]  # fmt: skip


def _result_words(entry: Entry) -> str:
    """Return further words by which a result is found: its method, the files of its data, note and tags."""
    files = {Path(datum.source).name for datum in entry.result.problem.data[:MOST_SOURCES]}
    return " ".join((texts.method_name(entry.result), entry.result.method, *files, entry.note, *entry.tags))


def _data(window: Workbench) -> list[CommandMatch]:
    def show(datum: Any) -> None:
        window.turn_to(0)
        window.data.shown_wanted.emit(datum)

    return [
        CommandMatch(datum.name, f"data  {datum.summary}", partial(show, datum)) for datum in window.session.state.data
    ]


def _methods(window: Workbench) -> list[CommandMatch]:
    def choose(method: Method) -> None:
        window.turn_to(0)
        window.method.choose(method)

    return [
        CommandMatch(
            method.name, f"method  {texts.family_name(method.family)}", partial(choose, method),
            f"{method.id} {method.family} {method.summary}",
        )
        for method in window.methods
    ]  # fmt: skip


def _parameters(window: Workbench) -> list[CommandMatch]:
    """Return the options and parameters of the chosen method, also by their help; a chosen one gets the focus."""

    def focus(editor: QWidget) -> None:
        window.turn_to(0)
        window.folding.show_panel("method")
        editor.setFocus()

    name = window.method.method.name if window.method.method else ""
    return [
        CommandMatch(
            form.label(parameter), f"setting of {name}", partial(focus, form.editor(parameter)),
            form.editor(parameter).toolTip(),
        )
        for form in (window.method.options, window.method.parameters)
        for parameter in form.parameter_names()
    ]  # fmt: skip


def _places_to_run(window: Workbench) -> list[CommandMatch]:
    """Return the devices and other places for runs that can be chosen."""
    box = window.device

    def choose_place(number: int) -> None:
        box.setCurrentIndex(number)
        box.activated.emit(number)

    enabled = (number for number in range(box.count()) if box.model().index(number, 0).flags() & ENABLED)
    return [
        CommandMatch(f"Run on: {box.itemText(number)}", "device", partial(choose_place, number), PLACE_WORDS)
        for number in enabled
    ]


def _samples(window: Workbench) -> list[CommandMatch]:
    return [
        CommandMatch(sample.title, "sample", partial(window.loader.open_sample, sample), sample.description)
        for sample in bundled_samples()
    ]


def _recent_files(window: Workbench) -> list[CommandMatch]:
    return [
        CommandMatch(Path(path).name, "recent file", partial(window.loader.open_paths, [path]), path)
        for path in window.settings.recent_files()
    ]


def _sequences(window: Workbench, query: str) -> list[CommandMatch]:
    """Return the first sequences whose name contains the query."""
    word = query.strip().lower()
    if len(word) < 2:
        return []

    def go_to(row: int) -> None:
        window.turn_to(0)
        window.folding.show_panel("data")
        window.sequences.go_to(row)

    every = enumerate(sequence_names(window.session.state.sequences))
    names = ((row, name) for row, name in every if word in name.lower())
    hits = (found for found, _ in zip(names, range(SEQUENCE_HITS), strict=False))
    return [CommandMatch(name, "sequence", partial(go_to, row)) for row, name in hits]


def _settings(window: Workbench) -> list[CommandMatch]:
    return [
        CommandMatch(
            label, f"setting  {page}", partial(window.open_preferences, label),
            f"preferences {SETTING_WORDS.get(label, '')}",
        )
        for page, labels in SETTINGS.items()
        for label in labels
    ]  # fmt: skip


def _help(window: Workbench) -> list[CommandMatch]:
    """Return the pages and sections of the documents, and the pages of the methods."""
    found = []
    for page in help_pages.document_pages():
        for section in page.sections:
            text = page.title if section.level == 1 else f"{page.title} \N{MIDDLE DOT} {section.title}"
            anchor = section.anchor if section.level > 1 else ""
            if section.level <= 2:
                found.append(CommandMatch(text, "help", partial(window.open_help, page.name, anchor)))
    for method in window.methods:
        open_page = partial(window.open_help, f"method {method.id}")
        found.append(CommandMatch(f"Help on {method.name}", "help", open_page, f"{method.id} {method.family}"))
    return found


def _help_text(window: Workbench, query: str) -> list[CommandMatch]:
    """Return the sections of the help whose text has every word of a query."""
    if len(query.strip()) < LEAST_HELP_QUERY:
        return []
    hits = islice(help_pages.search_pages(window.pages_of_help, query), HELP_HITS)
    return [
        CommandMatch(
            f"{hit.page.title} \N{MIDDLE DOT} {hit.section.title}", "in the help",
            partial(window.open_help, hit.page.name, hit.section.anchor), query,
        )
        for hit in hits
    ]  # fmt: skip


def _plots(window: Workbench) -> list[CommandMatch]:
    """Return the plots of Tune, which a sweep fills."""

    def show_plot(title: str) -> None:
        window.turn_to(TUNE)
        window.tune.plots.show_tab(title)

    return [
        CommandMatch(f"Plot: {title}", "plot of Tune", partial(show_plot, title), words)
        for title, words in PLOT_WORDS.items()
    ]


def _turn_to_page(window: Workbench, row: int) -> None:
    window.turn_to(LEARN)
    window.learn.contents.setCurrentRow(row)


def _learn(window: Workbench) -> Iterator[list[CommandMatch]]:
    """Yield the pages of Learn, and its lectures."""

    def open_lecture(path: Path) -> None:
        window.turn_to(LEARN)
        window.learn.show_lecture(path)

    yield [
        CommandMatch(title, "page of Learn", partial(_turn_to_page, window, row), LEARN_WORDS.get(title, ""))
        for row, title in enumerate(page_titles())
    ]
    for path in lectures.shipped_lectures():
        try:
            title = lectures.read_lecture(path).title
        except AntidiagError:
            continue
        yield [CommandMatch(title, "lecture", partial(open_lecture, path))]
