"""The workbench: the parts of the main window and the actions on them; `Window` connects them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow, QMenu, QStackedWidget, QWidget

from antidiag.app import views
from antidiag.app.commands import Commands
from antidiag.app.dialogs import help_pages
from antidiag.app.dialogs.help_window import HelpWindow
from antidiag.app.dialogs.preferences import PreferenceChoices, PreferencesDialog
from antidiag.app.jobs.planning import PlanAnswer, Planner, RunRequest
from antidiag.app.jobs.queue import JobQueue
from antidiag.app.jobs.run_places import CLUSTER, stored_cluster
from antidiag.app.kit.controls.dock import SideDock
from antidiag.app.kit.controls.drawers import FoldingPanels
from antidiag.app.kit.controls.lazy_widget import LazyWidget
from antidiag.app.kit.controls.widgets import FittingButton, scroll_area
from antidiag.app.kit.selection import Selection
from antidiag.app.panels.cost import CostPanel
from antidiag.app.panels.curves.panel import CurvePanel
from antidiag.app.panels.data import DataPanel
from antidiag.app.panels.devices import DeviceChooser
from antidiag.app.panels.interrupted_panel import InterruptedPanel
from antidiag.app.panels.jobs import JobPanel
from antidiag.app.panels.method import MethodPanel
from antidiag.app.panels.result_tabs import ResultTabs
from antidiag.app.panels.results import ResultPanel
from antidiag.app.panels.sequences import SequencePanel
from antidiag.app.panels.view_subject import ViewPreferences, ViewSubject
from antidiag.app.panels.viewer import EmptyPage, ResultViews
from antidiag.app.session import data_loader, run_jobs
from antidiag.app.session.autosave import DELAY_SECONDS, Autosave
from antidiag.app.session.resumed_jobs import InterruptedRuns
from antidiag.app.session.session import Entry, Session
from antidiag.app.session.window_undo import WindowUndo
from antidiag.app.settings import AUTOSAVE_SECONDS, VIEW_SETTINGS, Settings
from antidiag.kernels.method import Method

if TYPE_CHECKING:
    from antidiag.app.dialogs.batch_dialog import BatchDialog
    from antidiag.app.dialogs.help_pages import HelpPage
    from antidiag.app.learn.workspace import LearnWorkspace
    from antidiag.app.tune.workspace import TuneWorkspace

WIDE, LEFT, LEFT_SMALL, RIGHT, RIGHT_SMALL = 1450, 400, 290, 340, 300
"""Pixels: least width of a wide window, and widths of the left and right panels in wide and narrow windows."""
MOST_TAXA = 10_000
"""Names of selected sequences that a session keeps at most."""
WORKSPACES = ("analyse", "tune", "learn")


class Workbench(QMainWindow):
    """Holds session, jobs, panels and workspaces, and offers the actions of the menus.

    ``recalled`` is sent when settings were restored. ``answer`` is the plan of the current settings, or None.
    """

    recalled = Signal()
    autosave: Autosave
    interrupted: InterruptedRuns
    commands: Commands
    analyse: QMainWindow
    docks: Mapping[str, SideDock]
    folding: FoldingPanels
    compact_parts: list[QWidget]
    """Parts of the tool bar that a narrow window leaves out."""

    def __init__(self, settings: Settings, methods: Sequence[Method]) -> None:
        super().__init__()
        self.settings, self.methods = settings, tuple(methods)
        self.session, self.queue, self.planner = Session(), JobQueue(), Planner()
        self.loader = data_loader.DataLoader(self.session, self.queue)
        self.answer: PlanAnswer | None = None
        self.is_held = self.result_waits = False
        """Whether planning is suspended, and whether a restored result is still to be shown."""
        self.wanted_tabs: Mapping[str, Any] = {}
        """The tabs that are opened when the results of a session are shown."""
        self._stale: dict[Entry, bool] = {}
        self.menus: dict[str, QMenu] = {}
        self._help: HelpWindow | None = None
        self._make_panels()

    def saved_settings(self) -> dict[str, Any]:
        """Return the settings of method and device, to be restored at the next start."""
        return {**self.method.saved_settings(), **self.device.saved_choice()}

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Suspend planning while a session is replaced, so that no intermediate state is shown."""
        self.is_held = True
        try:
            yield
        finally:
            self.is_held = False
            self.recalled.emit()

    @property
    def viewer(self) -> ResultViews:
        """The page of views that was used last."""
        return self.result_tabs.active

    def session_settings(self) -> dict[str, Any]:
        """Return what a session file holds beside data and results: settings, open tabs, and states of views."""
        self.result_tabs.store_states()
        shown = {**self.result_tabs.saved_tabs(self._place_of), "data": self.session.data_views()}
        taxa = sorted(self.selection.taxa) if len(self.selection.taxa) <= MOST_TAXA else []
        return {**self.saved_settings(), "shown": {**shown, "taxa": taxa}}

    def restore_shown(self, saved: Mapping[str, Any]) -> None:
        """Restore tabs and states of views that `session_settings` returned, as far as they fit."""
        shown = saved.get("shown")
        if isinstance(shown, Mapping):
            self.session.restore_data_views(shown.get("data"))
            if isinstance(taxa := shown.get("taxa"), list):
                self.selection.choose_taxa(map(str, taxa))
            self.wanted_tabs = shown

    def subject_of(self, datum: Any) -> ViewSubject:
        """Return what views show of a datum: with the user's edits and the states of views."""
        return ViewSubject(None, datum, self.session.edits_of(datum), self.session.views_of(datum))

    def _place_of(self, subject: ViewSubject) -> dict[str, int] | None:
        """Return the number of a result or datum in the session."""
        if subject.entry is not None:
            places = (place for place, entry in enumerate(self.session.entries) if entry.result is subject.result)
            found, name = next(places, None), "result"
        else:
            numbers = (number for number, datum in enumerate(self.session.state.data) if datum is subject.datum)
            found, name = next(numbers, None), "datum"
        return None if found is None else {name: found}

    def subject_at(self, place: Mapping[str, Any]) -> ViewSubject | None:
        """Return the result or datum at a stored place; None if it is not there."""
        match place:
            case {"result": int(number)} if 0 <= number < len(self.session.entries):
                return ViewSubject.of_entry(self.session.entries[number])
            case {"datum": int(number)} if 0 <= number < len(self.session.state.data):
                return self.subject_of(self.session.state.data[number])
        return None

    @property
    def opening(self) -> bool:
        """Whether the last session is being read or its result is not shown yet."""
        return self.autosave.reading or self.result_waits

    def look_around(self) -> None:
        """Look for GPUs and interrupted runs on threads."""
        self.device.look()
        self.interrupted.look()

    def restore_settings(self, saved: dict[str, Any]) -> None:
        """Restore what `remembered` returned."""
        self.method.restore_settings(saved, lambda method: self.session.state.inputs(method.problem_type))
        self.device.restore_choice(saved)
        self.recalled.emit()

    def is_stale(self, entry: Entry) -> bool:
        """Return whether the current settings would give another result than this one."""
        if self.answer is None or self.answer.plan is None:
            return False
        if entry not in self._stale:
            request = self.answer.request
            any_backend = request.executor is not None and request.executor.chosen_place == CLUSTER
            self._stale[entry] = not run_jobs.would_repeat(self.answer.plan, request.parameters, entry, any_backend)
        return self._stale[entry]

    def forget_stale(self) -> None:
        """Compare the results with the settings anew, because these have changed."""
        self._stale.clear()

    def request(self) -> RunRequest | None:
        """Return the run that the settings describe; None while something is missing or invalid."""
        method = self.method.method
        if method is None or self.method.entry_errors():
            return None
        state = self.session.state
        if state.missing(method.problem_type):
            return None
        backend, device = self.device.choice()
        return RunRequest(
            method,
            state.inputs(method.problem_type),
            self.method.chosen_options(),
            self.method.parameters.values(),
            backend,
            device,
            self.device.choose_executor(method),
        )

    def confirm_replace(self, name: str) -> bool:
        """Ask whether a session may replace the open results; `Window` implements it."""
        raise NotImplementedError

    def open_batch(self, paths: Sequence[Path] = ()) -> BatchDialog | None:
        """Open the window that runs the chosen method on many files; `Window` implements it."""
        raise NotImplementedError

    def find_field(self) -> bool:
        """Go to the search field of what is looked at; return whether there is one. `Window` implements it."""
        raise NotImplementedError

    def step_area(self, by: int) -> None:
        """Move the focus to the next area (1) or the previous one (-1); `Window` implements it."""
        raise NotImplementedError

    @cached_property
    def pages_of_help(self) -> tuple[HelpPage, ...]:
        """All pages of the help, read at the first use."""
        return help_pages.all_pages(self.methods)

    @property
    def tune(self) -> TuneWorkspace:
        """The workspace Tune, made on first use."""
        return self.tune_page.content

    @property
    def learn(self) -> LearnWorkspace:
        """The workspace Learn, made on first use."""
        return self.learn_page.content

    def connect_tune(self, tune: TuneWorkspace) -> None:
        """Connect the workspace Tune after it was made; `Window` implements it."""
        raise NotImplementedError

    def connect_learn(self, learn: LearnWorkspace) -> None:
        """Connect the workspace Learn after it was made; `Window` implements it."""
        raise NotImplementedError

    def turn_to(self, number: int) -> None:
        """Switch to Analyse (0), Tune (1) or Learn (2)."""
        page = self.workspaces.widget(number)
        if isinstance(page, LazyWidget):
            _ = page.content
        self.workspaces.setCurrentIndex(number)
        for index, name in enumerate(WORKSPACES):
            self.commands[name].setChecked(index == number)
        self.tell_panels()

    def toggle_panel(self, name: str) -> None:
        """Hide or show a side panel of this workspace, or of Analyse if it has none of this name."""
        if not any(folding.has_panel(name) for folding in self.foldings()):
            self.turn_to(0)
        next(folding for folding in self.foldings() if folding.has_panel(name)).toggle_panel(name)
        self.tell_panels()

    def foldings(self) -> Sequence[FoldingPanels]:
        """Return what holds the side panels of the current workspace."""
        page = self.workspaces.currentWidget()
        if page is self.tune_page:
            return (self.tune.folding,)
        return self.learn.foldings() if page is self.learn_page else (self.folding,)

    def tell_panels(self) -> None:
        """Check the menu entries of the visible side panels."""
        for folding in (self.folding, *self.foldings()):
            for name in folding.panels:
                self.commands[f"{name}_panel"].setChecked(folding.is_shown(name))

    def put_docks_back(self) -> None:
        """Move the panels to their default places: data and results at the left, the method at the right."""
        self.folding.unfold_all()
        left, right = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
        data, results, method = (self.docks[name] for name in ("data", "results", "method"))
        for dock, area in ((data, left), (results, left), (method, right)):
            dock.setFloating(False)
            self.analyse.addDockWidget(area, dock)
            dock.show()
        self.folding.update_folding()
        QTimer.singleShot(0, self, self._size_docks)

    def _size_docks(self) -> None:
        """Set the default widths of the docks, which keep none before they are visible."""
        data, results, method = (self.docks[name] for name in ("data", "results", "method"))
        widths = (LEFT, RIGHT) if self.width() > WIDE else (LEFT_SMALL, RIGHT_SMALL)
        self.analyse.resizeDocks([data, method], list(widths), Qt.Orientation.Horizontal)
        self.analyse.resizeDocks([data, results], [300, 200], Qt.Orientation.Vertical)

    def cancel(self) -> None:
        """Cancel the newest job."""
        if self.queue.active:
            self.queue.cancel(self.queue.active[-1])

    def show_help(self, method: Method | None = None) -> None:
        """Show the help page of a method, or of the chosen one."""
        method = method or self.method.method
        if method:
            self.open_help(f"method {method.id}")

    def open_help(self, name: str = help_pages.FIRST_PAGE, anchor: str = "") -> HelpWindow:
        """Open the help at a page, from a section on if there is an ``anchor``."""
        if self._help is None:
            self._help = HelpWindow(self, self.pages_of_help)
        page = self._help.find_page(name)
        if page is not None:
            self._help.open_page(page, anchor)
        self._help.show()
        self._help.raise_()
        self._help.activateWindow()
        return self._help

    def open_preferences(self, label: str = "") -> PreferencesDialog:
        """Open the preferences, at a setting if its label is given."""
        from antidiag.app.kit.painting.heat_map import COLOUR_MAPS  # loads the plot library
        from antidiag.app.views.aligned.colouring import schemes
        from antidiag.app.views.aligned.columns import tracks

        titles = {name: track.title for name, track in tracks.TRACKS.items() if name != "agreement"}
        proteins, nucleotides = schemes.available_schemes(True), schemes.available_schemes(False)
        choices = PreferenceChoices(proteins, nucleotides, titles, COLOUR_MAPS)
        dialog = PreferencesDialog(self.settings, self, choices, self.commands, self.device)
        dialog.disk_changed.connect(self.method.changed)
        dialog.setting_changed.connect(self._apply_setting)
        dialog.open()
        if label:
            dialog.show_setting(label)
        return dialog

    def _apply_setting(self, name: str) -> None:
        if name == AUTOSAVE_SECONDS:
            self.autosave.set_delay(self.settings.number(name, DELAY_SECONDS))
        elif name == VIEW_SETTINGS:
            self.result_tabs.apply_preferences()

    def copy_bibtex(self, method: Method | None = None) -> None:
        """Copy the reference of a method, or of the chosen one."""
        method = method or self.method.method
        if method:
            QGuiApplication.clipboard().setText(method.citation.format_bibtex())
            self.jobs.show_message(f"Copied the reference of {method.name}.")

    def use_settings(self, entry: Entry) -> None:
        """Restore the settings and, as far as they are open, the data of a result."""
        for method in self.methods:
            if method.id == entry.result.method:
                self.session.use(method.problem_type, entry.result.problem.data)
                self.method.set_values(method, entry.options, entry.parameters)

    def _make_panels(self) -> None:
        self.sequences = SequencePanel(self.session, self.queue)
        self.data = DataPanel(self.session)
        self.results = ResultPanel(self.session, self.is_stale)
        self.method = MethodPanel(self.methods)
        self.cost = CostPanel()
        self.curves = CurvePanel(self.method.parameters, self.settings.flag("curves_closed"))
        self.jobs = JobPanel(self.queue)
        self.left = InterruptedPanel()
        self.device = DeviceChooser()
        self.device.set_cluster(stored_cluster(self.settings))
        self.search_button = FittingButton("Search commands, methods, data   Ctrl+K", "Search   Ctrl+K", "Search")
        self.selection = Selection(self)
        self.empty = EmptyPage()
        preferences = ViewPreferences(self.settings)
        self.result_tabs = ResultTabs(views.view_classes, self.selection, self.empty, preferences)
        self.undoing = WindowUndo(self, self.session.undo_stack, self.result_tabs.undoing)
        self.tune_page, self.learn_page = LazyWidget(self._make_tune), LazyWidget(self._make_learn, scroll_area)
        self.workspaces = QStackedWidget()

    def _make_tune(self) -> QWidget:
        from antidiag.app.tune.workspace import TuneWorkspace

        made = TuneWorkspace(self.queue, self.methods)
        self.connect_tune(made)
        return made

    def _make_learn(self) -> QWidget:
        from antidiag.app.learn.workspace import LearnWorkspace

        made = LearnWorkspace(self.methods)
        self.connect_learn(made)
        return made
