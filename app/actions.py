"""The actions behind the menus, shortcuts and command search of the window."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu

from antidiag.app import file_actions, search_sources, theme
from antidiag.app.command_search import CommandSearch, remember_recent
from antidiag.app.commands import Command, Commands
from antidiag.app.dialogs import page_dialogs, shortcuts
from antidiag.app.kit.results.command_line import format_command
from antidiag.app.panels.view_places import BESIDE, TABS
from antidiag.app.settings import RECENT_COMMANDS, configuration_folder
from antidiag.app.workbench import Workbench

MENUS = {"file": "&File", "edit": "&Edit", "run": "&Run", "view": "&View", "help": "&Help"}
SEARCH_SIZE = QSize(560, 460)
STANDARD = QKeySequence.StandardKey


def install_actions(window: Workbench) -> Commands:
    """Make the actions and the menu bar of the window."""
    commands = Commands(window, _list_commands(window))
    menus = window.menus = {name: window.menuBar().addMenu(text) for name, text in MENUS.items()}
    commands.fill(menus)
    _add_submenus(window, menus["file"], commands)
    commands["find"].setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)  # also in windows of views
    window.undoing.set_actions(commands["undo"], commands["redo"])
    return commands


def _list_commands(window: Workbench) -> list[Command]:
    panel = window.sequences
    return [
        Command("open", "Open...", "file", partial(file_actions.ask_open, window), STANDARD.Open,
                "Open files (Ctrl+O)"),
        Command("paste", "Paste sequences", "edit", partial(paste_clipboard, window), STANDARD.Paste),
        Command("save_result", "Save result...", "file", partial(file_actions.ask_save_result, window), STANDARD.Save,
                line=True),
        Command("save_sequences", "Save sequences...", "file", partial(file_actions.ask_save_sequences, window)),
        Command("open_session", "Open session...", "file", partial(file_actions.ask_open_session, window), line=True),
        Command("save_session", "Save session...", "file", partial(file_actions.ask_save_session, window),
                "Ctrl+Shift+S", "Save sequences, results and settings in one file (Ctrl+Shift+S)"),
        Command("preferences", "Preferences...", "file", window.open_preferences, "Ctrl+,", line=True),
        Command("quit", "Quit", "file", window.close, "Ctrl+Q"),
        Command("undo", "Undo", "edit", window.undoing.undo, "Ctrl+Z"),
        Command("redo", "Redo", "edit", window.undoing.redo, "Ctrl+Shift+Z"),
        Command("rename", "Rename sequence or result", "edit", partial(rename_selected, window), "F2", line=True),
        Command("duplicate", "Duplicate sequences", "edit", panel.duplicate_rows, "Ctrl+D"),
        Command("new", "New sequence...", "edit", panel.tools.ask_new, "Ctrl+Shift+N"),
        Command("turn", "Reverse complement", "edit", panel.tools.turn),
        Command("translate", "Translate...", "edit", panel.tools.ask_translate),
        Command("part", "Extract part...", "edit", panel.tools.ask_part),
        Command("doubles", "Remove duplicates", "edit", panel.tools.remove_duplicates),
        Command("keep", "Keep by name or length...", "edit", panel.tools.ask_keep),
        Command("up", "Move sequences up", "edit", partial(panel.move_rows, -1), "Alt+Up"),
        Command("down", "Move sequences down", "edit", partial(panel.move_rows, 1), "Alt+Down"),
        Command("copy_fasta", "Copy sequences as FASTA", "edit", panel.tools.copy),
        Command("delete", "Delete sequences", "edit", panel.delete),
        Command("clear", "Clear all sequences", "edit", panel.clear),
        Command("swap", "Swap first and second", "edit", partial(swap_inputs, window), "Ctrl+T"),
        Command("compare", "Compare selected results", "run", window.results.compare, "Ctrl+Shift+K", line=True,
                tip="Compare the selected results side by side (Ctrl+Shift+K)"),
        Command("delete_result", "Delete result", "edit", window.results.delete, line=True),
        Command("run", "Run", "run", window.method.run_wanted.emit, "Ctrl+R"),
        Command("batch", "Batch of files...", "run", lambda: window.open_batch(),
                tip="Run the chosen method with its settings on every file of a folder"),
        Command("cancel", "Cancel newest job", "run", window.cancel, "Esc"),
        Command("cancel_all", "Cancel all jobs", "run", window.queue.cancel_all, "Shift+Esc"),
        Command("reset", "Reset method settings", "run", window.method.reset, line=True),
        Command("command_line", "Copy result as command line", "run", partial(copy_command, window), "Ctrl+Shift+C"),
        Command("search", "Search commands...", "view", partial(open_search, window), "Ctrl+K",
                "Search commands, methods, data, results, settings and help (Ctrl+K)"),
        Command("find", "Find in the view", "edit", partial(find_in_view, window), STANDARD.Find, line=True),
        Command("next_area", "Next area", "view", partial(window.step_area, 1), "F6",
                "Move the keyboard focus to the next area of the window (F6)"),
        Command("previous_area", "Previous area", "view", partial(window.step_area, -1), "Shift+F6"),
        Command("log", "Log", "view", window.jobs.log_button.toggle, "Ctrl+L"),
        Command("analyse", "Analyse", "view", partial(window.turn_to, 0), "Ctrl+1", checkable=True, line=True,
                tip="Run methods and look at results (Ctrl+1)"),
        Command("tune", "Tune", "view", partial(window.turn_to, 1), "Ctrl+2", checkable=True,
                tip="Measure sweeps and find good parameters (Ctrl+2)"),
        Command("learn", "Learn", "view", partial(window.turn_to, 2), "Ctrl+3", checkable=True,
                tip="Walkthroughs, lectures, exercises and guidelines for dynamic programming on GPUs (Ctrl+3)"),
        Command("papers", "Reproduce a paper's figure...", "run", lambda: window.tune.show_papers(), line=True,
                tip="Measure a table or figure of a paper on this machine and compare it with the published values"),
        Command("limits", "Measure the limits of this device", "run", lambda: window.tune.measure_limits(),
                tip="Measure the peak operations and bytes per second, with which Tune compares measured rates"),
        Command("reset_tuned", "Forget tuned values of the method", "run", lambda: window.tune.reset_tuned()),
        Command("next_view", "Next view", "view", lambda: window.viewer.step(1), "Ctrl+Tab", line=True),
        Command("previous_view", "Previous view", "view", lambda: window.viewer.step(-1), "Ctrl+Shift+Tab"),
        Command("dotplot", "Dot plot of the two sequences", "view", partial(show_dotplot, window), "Ctrl+Shift+D",
                "Show a dot plot of the chosen pair without aligning it (Ctrl+Shift+D)"),
        Command("data_panel", "Data panel", "view", partial(window.toggle_panel, "data"), "Ctrl+B", line=True,
                tip="Hide or show the data panel (Ctrl+B)", checkable=True),
        Command("results_panel", "Results panel", "view", partial(window.toggle_panel, "results"), "Ctrl+Shift+R",
                tip="Hide or show the results panel (Ctrl+Shift+R)", checkable=True),
        Command("method_panel", "Method panel", "view", partial(window.toggle_panel, "method"), "Ctrl+M",
                tip="Hide or show the method panel and the Run button (Ctrl+M)", checkable=True),
        Command("widest", "Hide or show all panels", "view", partial(toggle_all, window), "Ctrl+Shift+F"),
        Command("docks", "Reset layout", "view", partial(reset_layout, window)),
        Command("beside", "Show view beside the others", "view", partial(place_view, window, BESIDE), "Ctrl+Shift+E",
                line=True),
        Command("apart", "Show view in a separate window", "view", partial(detach_view, window), "Ctrl+Shift+W"),
        Command("open_tab", "Open result in a new tab", "view", partial(open_tab, window)),
        Command("open_beside", "Open result beside the shown one", "view", partial(open_beside, window),
                "Ctrl+\\"),
        Command("close_tab", "Close tab of the result", "view", partial(close_tab, window), "Ctrl+W"),
        Command("light", "Light theme", "view", partial(set_theme, window, "light"), line=True),
        Command("dark", "Dark theme", "view", partial(set_theme, window, "dark")),
        Command("system", "Theme of the desktop", "view", partial(set_theme, window, "system")),
        Command("first_steps", "First steps", "help", window.open_help),
        Command("contents", "Contents and search", "help", lambda: window.open_help().search_line.setFocus()),
        Command("shortcuts", "Shortcuts", "help", partial(show_shortcuts, window), "F1"),
        Command("help", "Help on the method", "help", window.show_help, "Shift+F1"),
        Command("bibtex", "Copy BibTeX of the method", "help", window.copy_bibtex),
        Command("settings_folder", "Show settings folder", "help", show_settings_folder, line=True),
        Command("about", "About Antidiag", "help", lambda: page_dialogs.about_dialog(window).open()),
    ]  # fmt: skip


def rename_selected(window: Workbench) -> None:
    """Rename the current result if the list of results has the focus, otherwise the current sequence."""
    (window.results if window.results.table.hasFocus() else window.sequences).rename()


def toggle_all(window: Workbench) -> None:
    """Hide all panels; show them all if none is visible. Folded panels stay in their drawers, of which none is open."""
    panels = [(folding, name) for folding in window.foldings() for name in folding.panels]
    unfolded = [(folding, name) for folding, name in panels if folding.panels[name].content is None]
    there = any(folding.is_shown(name) for folding, name in panels)
    for folding in window.foldings():
        folding.close_drawer()
    for folding, name in unfolded:
        if folding.is_shown(name) == there:
            folding.toggle_panel(name)
    window.tell_panels()


def reset_layout(window: Workbench) -> None:
    """Move panels and views to their default places."""
    window.turn_to(0)
    window.put_docks_back()
    for page in window.result_tabs.pages:
        for view_id in page.places.moved_views():
            page.places.put(view_id, TABS)
    for detached in list(window.result_tabs.windows):
        detached.close()


def place_view(window: Workbench, place: str) -> None:
    """Show the current view beside the others."""
    tabs = window.viewer.tabs
    if window.viewer.subject is None:
        window.jobs.show_message("There is no view to move; run a method first.", error=True)
    elif place == BESIDE and tabs.count() < 2:
        window.jobs.show_message("There is no other view to show this one beside.", error=True)
    else:
        window.viewer.places.put(window.viewer.tabs_shown()[tabs.currentIndex()], place)


def detach_view(window: Workbench) -> None:
    """Show the current view in a separate window."""
    subject, view = window.viewer.subject, window.viewer.current
    if subject is None or view is None:
        window.jobs.show_message("There is no view to move; run a method first.", error=True)
    else:
        window.viewer.store_states()
        window.result_tabs.detach(subject, type(view))


def open_tab(window: Workbench) -> None:
    """Open the selected results, or the selected data if their list has the focus, in tabs of their own."""
    (window.data if window.data.list.hasFocus() else window.results).open_tab()


def open_beside(window: Workbench) -> None:
    """Open the selected result, or datum if its list has the focus, beside what is shown."""
    (window.data if window.data.list.hasFocus() else window.results).open_beside()


def close_tab(window: Workbench) -> None:
    """Close the page of the shown result, if others are open."""
    window.result_tabs.close_page(window.viewer)


def show_shortcuts(window: Workbench) -> None:
    """Show all shortcuts of the window and its views."""
    groups = {title.replace("&", ""): window.commands.keys_of(menu) for menu, title in MENUS.items()}
    shortcuts.ShortcutsDialog(window, {**groups, **shortcuts.VIEW_SHORTCUTS}).open()


def swap_inputs(window: Workbench) -> None:
    """Swap the first two inputs of the method."""
    method = window.method.method
    window.session.swap_inputs(method.problem_type if method else None)


def paste_clipboard(window: Workbench) -> None:
    """Open what is on the clipboard."""
    window.loader.open_mime(QGuiApplication.clipboard().mimeData())


def set_theme(window: Workbench, choice: theme.Choice) -> None:
    """Switch to a theme and remember it."""
    window.settings.put("theme", choice)
    theme.switch(choice)


def show_dotplot(window: Workbench) -> None:
    """Show the dot plot of the chosen pair, with the path of the shown result if it is of that pair."""
    from antidiag.app.views.dotplot.view import DotPlotView, SequencePair  # loads the plot library

    rows = window.session.state.rows(2)
    if len(rows) < 2:
        window.jobs.show_message("A dot plot needs two sequences; open more.", error=True)
        return
    first, second = (window.session.state.sequences[row] for row in rows)
    pair = SequencePair(first, second)
    shown = window.viewer.result
    if shown is None or shown.problem.data != (pair.first, pair.second):
        window.session.show(None)
        window.result_tabs.show_subject(window.subject_of(pair))
    window.viewer.turn_to(DotPlotView.id)


def copy_command(window: Workbench) -> None:
    """Copy the command line that computes the shown result."""
    if window.viewer.result is None:
        window.jobs.show_message("There is no result to repeat; run a method first.", error=True)
        return
    QGuiApplication.clipboard().setText(format_command(window.viewer.result))
    window.jobs.show_message("Copied the command line that repeats this result.")


def show_settings_folder() -> None:
    """Open the folder of the settings in the file manager."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(configuration_folder())))


def open_search(window: Workbench, size: QSize | None = None) -> CommandSearch:
    """Open the command search below its button."""

    def remember(key: str) -> None:
        recent = remember_recent(window.settings.recent_commands(), key)
        window.settings.put(RECENT_COMMANDS, {"keys": recent})

    recent = window.settings.recent_commands()
    at_once = search_sources.find_at_once(window)
    find = lambda query: [*at_once, *search_sources.find_typed(window, query)]  # noqa: E731
    search = CommandSearch(window, find, search_sources.find_later(window), recent, remember)
    button = window.search_button
    search.open_below(button, size or QSize(max(button.width(), SEARCH_SIZE.width()), SEARCH_SIZE.height()))
    return search


def find_in_view(window: Workbench) -> None:
    """Go to the search field of what is looked at; open the command search if it has none."""
    if not window.find_field():
        open_search(window)


def _add_submenus(window: Workbench, menu: QMenu, commands: Commands) -> None:
    recent, bundled = QMenu("Open recent", window), file_actions.sample_menu(window)
    recent.aboutToShow.connect(lambda: file_actions.fill_recent(window, recent))
    file_actions.fill_recent(window, recent)
    bundled.setTitle("Samples")
    for submenu in (recent, bundled):
        menu.insertMenu(commands["save_result"], submenu)
