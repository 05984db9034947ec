"""The actions behind the menus, shortcuts and command search of the window."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QFileDialog, QMenu

from antidiag.app import theme, views
from antidiag.app.commands import Command, CommandMatch, Commands, CommandSearch
from antidiag.app.dialogs import page_dialogs, shortcuts
from antidiag.app.dialogs.preferences import PreferencesDialog
from antidiag.app.jobs.queue import Job
from antidiag.app.kit.figures import export
from antidiag.app.kit.results.command_line import format_command
from antidiag.app.panels.view_places import BESIDE, TABS, WINDOW
from antidiag.app.session import archive, autosave
from antidiag.app.session.loading import SESSION_SUFFIX, prepare_all
from antidiag.app.settings import configuration_folder
from antidiag.app.workbench import Workbench
from antidiag.kernels import registry
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.io import packed_files
from antidiag.kernels.model import Result, sequence_names
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import data_loading
from antidiag.kernels.registry.result_saving import result_suffixes, write_result, write_sequences
from antidiag.kernels.registry.samples import bundled_samples

MENUS = {"file": "&File", "edit": "&Edit", "run": "&Run", "view": "&View", "help": "&Help"}
SEQUENCE_HITS = 20
STANDARD = QKeySequence.StandardKey


def install_actions(window: Workbench) -> Commands:
    """Make the actions and the menu bar of the window."""
    commands = Commands(window, _list_commands(window))
    menus = window.menus = {name: window.menuBar().addMenu(text) for name, text in MENUS.items()}
    commands.fill(menus)
    _add_submenus(window, menus["file"], commands)
    window.undoing.set_actions(commands["undo"], commands["redo"])
    return commands


def _list_commands(window: Workbench) -> list[Command]:
    panel, viewer = window.sequences, window.viewer
    return [
        Command("open", "Open...", "file", partial(ask_open, window), STANDARD.Open, "Open files (Ctrl+O)"),
        Command("paste", "Paste sequences", "edit", partial(paste_clipboard, window), STANDARD.Paste),
        Command("save_result", "Save result...", "file", partial(ask_save_result, window), STANDARD.Save,
                line=True),
        Command("save_sequences", "Save sequences...", "file", partial(ask_save_sequences, window)),
        Command("open_session", "Open session...", "file", partial(ask_open_session, window), line=True),
        Command("save_session", "Save session...", "file", partial(ask_save_session, window), "Ctrl+Shift+S",
                "Save sequences, results and settings in one file (Ctrl+Shift+S)"),
        Command("preferences", "Preferences...", "file", partial(open_preferences, window), "Ctrl+,", line=True),
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
        Command("cancel", "Cancel newest job", "run", window.cancel, "Esc"),
        Command("cancel_all", "Cancel all jobs", "run", window.queue.cancel_all, "Shift+Esc"),
        Command("reset", "Reset method settings", "run", window.method.reset, line=True),
        Command("command_line", "Copy result as command line", "run", partial(copy_command, window), "Ctrl+Shift+C"),
        Command("search", "Search commands...", "view", partial(open_search, window), "Ctrl+K"),
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
        Command("next_view", "Next view", "view", partial(viewer.step, 1), "Ctrl+Tab", line=True),
        Command("previous_view", "Previous view", "view", partial(viewer.step, -1), "Ctrl+Shift+Tab"),
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
        Command("apart", "Show view in a separate window", "view", partial(place_view, window, WINDOW), "Ctrl+Shift+W"),
        Command("light", "Light theme", "view", partial(set_theme, window, "light"), line=True),
        Command("dark", "Dark theme", "view", partial(set_theme, window, "dark")),
        Command("system", "Theme of the desktop", "view", partial(set_theme, window, "system")),
        Command("shortcuts", "Shortcuts", "help", partial(show_shortcuts, window), "F1"),
        Command("help", "Help on the method", "help", window.show_help, "Shift+F1"),
        Command("bibtex", "Copy BibTeX of the method", "help", window.copy_bibtex),
        Command("settings_folder", "Show settings folder", "help", show_settings_folder, line=True),
        Command("about", "About Antidiag", "help", lambda: page_dialogs.about_dialog(window).open()),
    ]  # fmt: skip


def open_filter() -> str:
    """Return the filters of the open dialog: all supported files, each kind of data, sessions, all files."""
    known = {
        kind.plural: [f"*{suffix}" for suffix in kind.suffixes] for kind in data_loading.data_kinds() if kind.suffixes
    }
    known["sessions"] = [f"*{SESSION_SUFFIX}"]
    every = dict.fromkeys(
        [
            *(pattern for patterns in known.values() for pattern in patterns),
            *(f"*{suffix}" for suffix in packed_files.LABELS),
        ]
    )
    lines = [f"All supported files ({' '.join(every)})"]
    lines += [f"{name[:1].upper()}{name[1:]} ({' '.join(patterns)})" for name, patterns in known.items()]
    return ";;".join([*lines, "All files (*)"])


def ask_open(window: Workbench) -> None:
    """Ask for files and open them."""
    paths, _ = QFileDialog.getOpenFileNames(window, "Open", _dialog_path(window), open_filter())
    _remember_folder(window, paths[0] if paths else "")
    window.loader.open_paths(paths)


def rename_selected(window: Workbench) -> None:
    """Rename the current result if the list of results has the focus, otherwise the current sequence."""
    (window.results if window.results.table.hasFocus() else window.sequences).rename()


def toggle_all(window: Workbench) -> None:
    """Hide all panels; show them all if none is visible."""
    panels = window.panels().values()
    there = any(not panel.isHidden() for panel in panels)
    for panel in panels:
        panel.setVisible(not there)
    window.tell_panels()


def reset_layout(window: Workbench) -> None:
    """Move panels and views to their default places."""
    window.turn_to(0)
    window.put_docks_back()
    for view_id in window.viewer.places.moved_views():
        window.viewer.places.put(view_id, TABS)


def place_view(window: Workbench, place: str) -> None:
    """Show the current view beside the others or in a separate window."""
    tabs = window.viewer.tabs
    if window.viewer.result is None and window.viewer.datum is None:
        window.jobs.show_message("There is no view to move; run a method first.", error=True)
    elif place == BESIDE and tabs.count() < 2:
        window.jobs.show_message("There is no other view to show this one beside.", error=True)
    else:
        window.viewer.places.put(window.viewer.tabs_shown()[tabs.currentIndex()], place)


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


def ask_save_result(window: Workbench) -> None:
    """Ask for a file and save the shown result."""
    result = window.viewer.result
    if result is None:
        window.jobs.show_message("There is no result to save; run a method or choose a result.", error=True)
        return
    known = result_suffixes(registry.find_method(result.method))
    filters = ";;".join(f"{label} (*{suffix})" for suffix, label in known.items())
    name = _dialog_path(window, "result" + next(iter(known)))
    path, chosen = QFileDialog.getSaveFileName(window, "Save result", name, filters)
    if path:
        save_result(window, export.add_suffix(path, chosen, known), result)


def save_result(window: Workbench, path: Path, result: Result) -> None:
    """Save a result to a file in the background."""
    _remember_folder(window, str(path))
    _write_in_background(window, path, lambda: write_result(path, result))


def ask_save_sequences(window: Workbench) -> None:
    """Ask for a file and save all sequences."""
    if not window.session.state.sequences:
        window.jobs.show_message("There are no sequences to save; open some first.", error=True)
        return
    path, _ = QFileDialog.getSaveFileName(
        window,
        "Save sequences",
        _dialog_path(window, "sequences.fasta"),
        "FASTA (*.fasta *.fa *.fna *.faa *.gz *.bz2 *.xz *.zst *.zip)",
    )
    if path:
        found = window.session.state.sequences
        _write_in_background(window, Path(path), lambda: write_sequences(path, found))


def ask_open_session(window: Workbench) -> None:
    """Ask for a session file and open it."""
    path, _ = QFileDialog.getOpenFileName(
        window, "Open session", _dialog_path(window), f"Antidiag session (*{SESSION_SUFFIX})"
    )
    if path:
        replace_session(window, Path(path))


def replace_session(window: Workbench, path: Path) -> None:
    """Replace the open session by that of a file, after confirmation if results are open."""
    if not window.session.entries or window.confirm_replace(path.name):
        open_session(window, path)


def ask_save_session(window: Workbench) -> None:
    """Ask for a file and save the session."""
    path, _ = QFileDialog.getSaveFileName(
        window,
        "Save session",
        _dialog_path(window, f"session{SESSION_SUFFIX}"),
        f"Antidiag session (*{SESSION_SUFFIX})",
    )
    if path:
        save_session(window, Path(path))


def save_session(window: Workbench, path: Path) -> None:
    """Save the session to a file in the background."""
    path = path if path.suffix == SESSION_SUFFIX else path.with_name(path.name + SESSION_SUFFIX)
    _remember_folder(window, str(path))
    session, settings = window.session, window.saved_settings()
    kept = session.state, session.entries, settings, session.data_edits()
    _write_in_background(window, path, lambda: archive.save(path, *kept))


def open_session(window: Workbench, path: Path, quietly: bool = False) -> None:
    """Read a session on a thread and replace the open one; ``quietly`` for the automatically saved session."""
    parts = window.autosave.parts if quietly else None

    missing: list[str] = []

    def read(monitor: Monitor) -> archive.Saved:
        found = archive.load(path, parts, missing.append)
        if quietly:
            window.autosave.incomplete = bool(missing)
        prepare_all(found[0].sequences, found[0].data, monitor.check)
        if found[1] or found[0].data:
            views.preload_views()  # else the window would freeze while a thread loads them
        return found

    def done(found: archive.Saved) -> None:
        state, entries, settings, edits = found
        with window.held():
            window.session.replace_all(state, entries, edits)
            window.restore_settings(settings)
        if not entries:
            _look_at_first(window)
        for text in missing:
            window.jobs.show_message(text, error=True)
        if not quietly:
            window.settings.add_recent(str(path.resolve()))

    title = "Reopen the last session" if quietly else f"Open session {path.name}"
    job = Job(title, "read", read, done)
    if quietly:
        window.autosave.wait_for(job, window.queue)
    window.queue.submit(job)


def _look_at_first(window: Workbench) -> None:
    """Show the data of a session without results: those used last, or the first."""
    state = window.session.state
    data = (state.data[number] for number in (*state.picked, *range(len(state.data))))
    if (datum := next(filter(window.viewer.capable_views, data), None)) is not None:
        window.loader.data_added.emit(datum)


def open_autosaved(window: Workbench) -> bool:
    """Open the last session; return False if there is none."""
    if not autosave.autosave_path().exists():
        return False
    open_session(window, autosave.autosave_path(), quietly=True)
    return True


def open_preferences(window: Workbench) -> None:
    """Open the preferences."""
    dialog = PreferencesDialog(window.settings, window)
    dialog.disk_changed.connect(window.method.changed)
    dialog.open()


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
        window.viewer.show_datum(pair)
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


def sample_menu(window: Workbench) -> QMenu:
    """Return the menu of the bundled samples."""
    menu = QMenu(window)
    menu.setToolTipsVisible(True)
    try:
        found = bundled_samples()
    except AntidiagError as error:
        window.jobs.show_message(str(error), error=True)
        found = ()
    for sample in found:
        action = menu.addAction(sample.title, partial(window.loader.open_sample, sample))
        action.setToolTip(f"{sample.description}\n{sample.source}")
    return menu


def open_search(window: Workbench, size: QSize | None = None) -> CommandSearch:
    """Open the command search below its button."""
    search = CommandSearch(window, partial(_find_matches, window))
    button = window.search_button
    search.open_below(button, size or QSize(max(button.width(), 460), 420))
    return search


def _find_matches(window: Workbench, query: str) -> list[CommandMatch]:
    """Return matches among commands, methods and samples; sequences from two typed letters on."""
    finds = [find for find in window.commands.list_matches() if find.text != "Search commands..."]
    finds += [CommandMatch(method.name, "method", partial(window.method.choose, method)) for method in window.methods]
    finds += [
        CommandMatch(sample.title, "sample", partial(window.loader.open_sample, sample)) for sample in bundled_samples()
    ]
    word = query.strip().lower()
    if len(word) >= 2:
        every = enumerate(sequence_names(window.session.state.sequences))
        names = ((row, name) for row, name in every if word in name.lower())
        hits = (found for found, _ in zip(names, range(SEQUENCE_HITS), strict=False))
        finds += [CommandMatch(name, "sequence", partial(window.sequences.go_to, row)) for row, name in hits]
    return finds


def _add_submenus(window: Workbench, menu: QMenu, commands: Commands) -> None:
    recent, bundled = QMenu("Open recent", window), sample_menu(window)
    recent.aboutToShow.connect(lambda: _fill_recent(window, recent))
    _fill_recent(window, recent)
    bundled.setTitle("Samples")
    for submenu in (recent, bundled):
        menu.insertMenu(commands["save_result"], submenu)


def _fill_recent(window: Workbench, menu: QMenu) -> None:
    menu.clear()
    for path in window.settings.recent_files():
        action = menu.addAction(Path(path).name, partial(window.loader.open_paths, [path]))
        action.setToolTip(path)
    menu.setToolTipsVisible(True)
    if menu.isEmpty():
        menu.addAction("No recent files").setEnabled(False)
    else:
        menu.addSeparator()
        menu.addAction("Clear this list", window.settings.clear_recent)


def _write_in_background(window: Workbench, path: Path, write) -> None:
    def done(_: object) -> None:
        window.jobs.show_message(f"Saved {path}")

    window.queue.submit(Job(f"Save {path.name}", "write", lambda monitor: write(), done))


def _dialog_path(window: Workbench, name: str = "") -> str:
    return str(Path(window.settings.text("folder", str(Path.home()))) / name)


def _remember_folder(window: Workbench, path: str) -> None:
    if path:
        window.settings.put("folder", str(Path(path).parent))
