"""The actions that open and save files and sessions, and the menus of recent files and samples."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QMenu

from antidiag.app import views
from antidiag.app.jobs.queue import Job
from antidiag.app.kit import ask
from antidiag.app.session import archive, autosave, journal
from antidiag.app.session.data_loader import SESSION_SUFFIX, prepare_all
from antidiag.app.session.state import State
from antidiag.app.settings import FIRST_SAMPLE_SOURCES
from antidiag.app.workbench import Workbench
from antidiag.kernels import registry
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.io import packed_files
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import data_loading
from antidiag.kernels.registry.result_saving import result_suffixes, write_result, write_sequences
from antidiag.kernels.registry.samples import bundled_samples


def open_filter() -> str:
    """Return the filters of the open dialog: all supported files, each kind of data, sessions, all files."""
    known = {
        kind.plural: [f"*{suffix}" for suffix in kind.suffixes] for kind in data_loading.data_kinds() if kind.suffixes
    }
    known["sessions"] = [f"*{SESSION_SUFFIX}"]
    packed = [f"*{suffix}" for suffix in packed_files.LABELS]
    every = dict.fromkeys([*(pattern for patterns in known.values() for pattern in patterns), *packed])
    lines = [f"All supported files ({' '.join(every)})"]
    lines += [f"{name[:1].upper()}{name[1:]} ({' '.join(patterns)})" for name, patterns in known.items()]
    return ";;".join([*lines, "All files (*)"])


def ask_open(window: Workbench) -> None:
    """Ask for files and open them."""
    window.loader.open_paths(ask.open_paths(window, "Open", open_filter()))


def ask_save_result(window: Workbench) -> None:
    """Ask for a file and save the shown result."""
    result = window.viewer.result
    if result is None:
        window.jobs.show_message("There is no result to save; run a method or choose a result.", error=True)
        return
    known = result_suffixes(registry.find_method(result.method))
    filters = ";;".join(f"{label} (*{suffix})" for suffix, label in known.items())
    name = ask.suggest_name(result, "result") + next(iter(known))
    path = ask.save_path(window, "Save result", name, filters, known)
    if path is not None:
        save_result(window, path, result)


def save_result(window: Workbench, path: Path, result: Result) -> None:
    """Save a result to a file in the background."""
    _write_in_background(window, path, lambda: write_result(path, result))


def ask_save_sequences(window: Workbench) -> None:
    """Ask for a file and save all sequences."""
    if not window.session.state.sequences:
        window.jobs.show_message("There are no sequences to save; open some first.", error=True)
        return
    found = window.session.state.sequences
    name = ask.suggest_name(found[0], "sequences") + ".fasta"
    path = ask.save_path(window, "Save sequences", name, "FASTA (*.fasta *.fa *.fna *.faa *.gz *.bz2 *.xz *.zst *.zip)")
    if path is not None:
        _write_in_background(window, path, lambda: write_sequences(path, found))


def ask_open_session(window: Workbench) -> None:
    """Ask for a session file and open it."""
    path = ask.open_path(window, "Open session", f"Antidiag session (*{SESSION_SUFFIX})")
    if path is not None:
        replace_session(window, path)


def replace_session(window: Workbench, path: Path) -> None:
    """Replace the open session by that of a file, after confirmation if results are open."""
    if not window.session.entries or window.confirm_replace(path.name):
        open_session(window, path)


def ask_save_session(window: Workbench) -> None:
    """Ask for a file and save the session."""
    state = window.session.state
    name = ask.suggest_name(next(iter((*state.sequences[:1], *state.data)), None), "session") + SESSION_SUFFIX
    path = ask.save_path(window, "Save session", name, f"Antidiag session (*{SESSION_SUFFIX})")
    if path is not None:
        save_session(window, path)


def save_session(window: Workbench, path: Path) -> None:
    """Save the session to a file in the background."""
    path = path if path.suffix == SESSION_SUFFIX else path.with_name(path.name + SESSION_SUFFIX)
    session, settings = window.session, window.session_settings()
    kept = session.state, session.entries, settings, session.data_edits()
    _write_in_background(window, path, lambda: archive.save(path, *kept))


def open_session(window: Workbench, path: Path, quietly: bool = False) -> None:
    """Read a session on a thread and replace the open one; ``quietly`` for the automatically saved session."""
    parts = window.autosave.parts if quietly else None

    missing: list[str] = []

    def read(monitor: Monitor) -> archive.Saved:
        if quietly and not path.exists():  # the program was killed before the first session was saved
            found: archive.Saved = State(), (), {}, {}
        else:
            found = archive.load(path, parts, missing.append)
        changes = window.autosave.journal if quietly else journal.journal_of(path)
        if quietly:
            window.autosave.incomplete = bool(missing)
        found = changes.replay(found, missing.append)
        prepare_all(found[0].sequences, found[0].data, monitor)
        if found[1] or found[0].data:
            views.preload_views()  # else the window would freeze while a thread loads them
        return found

    def done(found: archive.Saved) -> None:
        state, entries, settings, edits = found
        with window.held():
            window.session.replace_all(state, entries, edits)
            window.restore_settings(settings)
            window.restore_shown(settings)
        if not entries:
            _look_at_first(window)
        for text in missing:
            window.jobs.show_message(text, error=True)
        if not quietly:
            window.settings.put(FIRST_SAMPLE_SOURCES, {})
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
        window.loader.data_added.emit((datum,))


def open_autosaved(window: Workbench) -> bool:
    """Open the last session; return False if there is none."""
    if not autosave.autosave_path().exists() and not window.autosave.journal.has_records():
        return False
    open_session(window, autosave.autosave_path(), quietly=True)
    return True


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


def fill_recent(window: Workbench, menu: QMenu) -> None:
    """Fill the menu of recent files."""
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
