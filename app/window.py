"""The main window, which connects the parts of the workbench and computes nothing itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QResizeEvent

from antidiag.app import actions, alignment_page, file_actions, layout, method_choice, texts, theme
from antidiag.app.dialogs import confirmations
from antidiag.app.dialogs.save_progress import SaveProgress
from antidiag.app.jobs.queue import Job
from antidiag.app.kit import ask
from antidiag.app.kit.drop_frame import DropFrame
from antidiag.app.kit.view_protocols import TaskRequest
from antidiag.app.navigation import Navigation
from antidiag.app.run_planning import RunPlanning
from antidiag.app.session import data_loader, run_jobs
from antidiag.app.session.autosave import Autosave
from antidiag.app.session.resumed_jobs import InterruptedRuns
from antidiag.app.session.session import Entry
from antidiag.app.settings import AUTOSAVE_SECONDS, FIRST_SAMPLE_SOURCES, SHORTCUTS, Settings
from antidiag.app.shown_data import ShownData
from antidiag.app.workbench import Workbench
from antidiag.kernels import registry
from antidiag.kernels.executors.executor_choice import explain_missing_dask
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result, sequence_names
from antidiag.kernels.recovery.interrupted_runs import InterruptedRun, format_percent
from antidiag.kernels.registry.memory_advice import FittingChange
from antidiag.kernels.registry.task_methods import TASKS
from antidiag.kernels.sequences.sequence_set import split_data

if TYPE_CHECKING:
    from antidiag.app.compare.window import CompareWindow
    from antidiag.app.dialogs.batch_dialog import BatchDialog
    from antidiag.app.dialogs.cluster_dialog import ClusterDialog
    from antidiag.app.dialogs.profile_dialog import ProfileDialog, ProfileRequest
    from antidiag.app.learn.workspace import LearnWorkspace
    from antidiag.app.tune.workspace import TuneWorkspace
    from antidiag.kernels.cuda.devices import Device


MOST_COMPARED = 100_000
"""Open sequences among which those that a view offers are looked for."""
MOST_OF_SAMPLE = 100
"""Rows among which the sequences of that sample are."""


class Window(Workbench):
    """Connects the workbench: plans the chosen run, starts it, and shows its result."""

    def __init__(self, settings: Settings, methods: Sequence[Method] = registry.METHODS) -> None:
        with theme.unstyled():
            super().__init__(settings, methods)
            self.setWindowTitle("Antidiag")
            self.setAcceptDrops(True)
            self.drop_frame = DropFrame(self)
            self.autosave, self.interrupted = Autosave(self.session, self.session_settings), InterruptedRuns()
            self._apply_setting(AUTOSAVE_SECONDS)
            self._gpus: list[Device] = []
            self.commands = actions.install_actions(self)
            self.splitters = layout.lay_out_window(self, self.commands)
            self.navigation = Navigation(self)
            self.planning, self.shown_data = RunPlanning(self), ShownData(self, self.navigation)
            self.commands.restore_keys(self.settings.mapping(SHORTCUTS))
        self._connect()
        self._restore_window()
        self.planning.request_plan()
        self.centralWidget().setFocus()

    def run(self) -> None:
        """Start the planned run once its plan is ready, or show why it cannot start; in Tune start the sweep."""
        if self.workspaces.currentWidget() is self.tune_page:
            self.tune.start_sweep()
        elif self.planner.busy:
            self.planning.waits_to_run = True
        elif not self.method.run_button.isEnabled():
            self.jobs.show_message(texts.as_sentence(self.method.run_button.toolTip()), error=True)
        elif self.answer and self.answer.plan:
            self.navigation.leave_form()
            self.folding.close_drawer()
            self.queue.submit(run_jobs.make_run_job(self.answer.request, self.answer.plan, self.session))

    def resume(self, run: InterruptedRun) -> None:
        """Continue an interrupted run."""
        job = run_jobs.make_resumed_job(run, self.session)
        self.interrupted.taken[job] = run
        self.queue.submit(job)
        self.interrupted.look()

    def discard(self, run: InterruptedRun) -> None:
        """Delete an interrupted run after confirmation."""
        if self.confirm_discard(run):
            self.interrupted.look(discard=run)

    def compare(self, entries: tuple[Entry, ...]) -> CompareWindow:
        """Open a window that compares results side by side."""
        from antidiag.app.compare.window import CompareWindow

        opened = CompareWindow(self, entries)
        alignments = alignment_page.make_alignment_page(opened.results, opened.names)
        if alignments is not None:
            opened.tabs.insertTab(1, alignments, "Alignments")
        opened.show()
        return opened

    def open_batch(self, paths: Sequence[Path] = ()) -> BatchDialog | None:
        """Open the window that runs the chosen method with its settings on many files."""
        from antidiag.app.dialogs.batch_dialog import BatchDialog, BatchMethod

        method = self.method.method
        if method is None or self.method.entry_errors():
            self.jobs.show_message("Choose a method and correct its settings before a batch.", error=True)
            return None
        wanted = BatchMethod(method, self.method.chosen_options(), self.method.parameters.values())
        dialog = BatchDialog(wanted, [gpu.name for gpu in self._gpus], self.settings, self)
        dialog.job_made.connect(self.queue.submit)
        dialog.cancel_wanted.connect(self.queue.cancel)
        dialog.open_wanted.connect(lambda path: self.loader.open_paths([path]))
        if paths:
            dialog.set_inputs(paths)
        dialog.show()
        return dialog

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        layout.fit_layout(self)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.queue.active and not self.confirm_close(len(self.queue.active)):
            event.ignore()
            return
        self._save_window()
        self.hide()
        self.queue.shut_down()
        self.planner.forget()
        saving = SaveProgress()
        self.autosave.finish(saving)
        self.autosave.close()
        saving.close()
        super().closeEvent(event)

    def find_field(self) -> bool:
        """Go to the search field of what is looked at; return whether there is one."""
        return self.navigation.find()

    def step_area(self, by: int) -> None:
        """Move the focus to the next area (1) or the previous one (-1)."""
        self.navigation.step_area(by)

    def confirm_close(self, jobs: int) -> bool:
        """Ask whether the window may close with unfinished jobs."""
        stores = [job.monitor.store for job in self.queue.active]
        return confirmations.confirm_close(self, jobs, any(store and store.fraction for store in stores))

    def confirm_replace(self, name: str) -> bool:
        """Ask whether a session may replace the open results; they can be saved first."""
        return confirmations.confirm_replace(
            self, len(self.session.entries), name, lambda: file_actions.ask_save_session(self)
        )

    def confirm_discard(self, run: InterruptedRun) -> bool:
        """Ask whether an interrupted run may be deleted."""
        return confirmations.confirm_discard(
            self, f"{format_percent(run.fraction)} of {run_jobs.describe_run(run)} is done"
        )

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if data_loader.can_open(event.mimeData()):
            self._copy_dragged(event)
            self.drop_frame.appear()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self._copy_dragged(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.drop_frame.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self.drop_frame.hide()
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if paths and all(path.is_dir() for path in paths):
            self.open_batch(paths)
        else:
            self.loader.open_mime(event.mimeData())
        self._copy_dragged(event)

    @staticmethod
    def _copy_dragged(event: QDropEvent) -> None:
        """Accept dragged files as a copy: a file manager must not take away what was opened here."""
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()

    def _connect(self) -> None:
        session, method, loader = self.session, self.method, self.loader
        for changed in (method.changed, self.device.changed):
            changed.connect(self.autosave.settings_changed)
        for signal in (session.chosen_changed, method.changed, self.device.changed, self.recalled):
            signal.connect(self.planning.request_plan)
        self.device.found.connect(self._found_devices)
        self.device.fell_back.connect(lambda text: self.jobs.show_message(text, stays=True))
        self.device.cluster_wanted.connect(self.ask_cluster)
        session.shown_changed.connect(self.shown_data.show_result)
        method.method_changed.connect(self._take_method)
        method.method_changed.connect(self.curves.forget)
        method.run_wanted.connect(self.run)
        method.help_wanted.connect(self.show_help)
        method.bibtex_wanted.connect(self.copy_bibtex)
        self.planning.shown.connect(self.shown_data.show_stale)
        self.planning.run_wanted.connect(self.run)
        session.result_added.connect(self.planning.plan_again)
        self.planner.planned.connect(self.planning.accept_plan)
        self.results.compare_wanted.connect(self.compare)
        for dock in self.docks.values():
            dock.visibilityChanged.connect(self.tell_panels)
        self.folding.changed.connect(self.tell_panels)
        self.tell_panels()
        self.curves.folded.connect(lambda closed: self.settings.put("curves_closed", closed))
        self.sequences.refused.connect(lambda text: self.jobs.show_message(text, error=True))
        self.sequences.open_button.clicked.connect(self.commands["open"].trigger)
        for saying in (loader.said, self.data.said):
            saying.connect(self.jobs.show_message)
        loader.opened.connect(self.settings.add_recent)
        loader.opened.connect(lambda path: ask.remember_folder([Path(path)]))  # also of dropped and recent files
        loader.rows_found.connect(self.sequences.select_rows)
        loader.own_data_found.connect(self._set_sample_aside)
        loader.found.connect(self._take_opened)
        # Queued, so that the slow drawing happens in a separate turn of the event loop.
        loader.data_added.connect(self.shown_data.show_first_soon, Qt.ConnectionType.QueuedConnection)
        self.data.open_wanted.connect(lambda path: loader.open_paths([path]))
        loader.session_wanted.connect(lambda path: file_actions.replace_session(self, path))
        loader.doubt_found.connect(self._ask_about_letters, Qt.ConnectionType.QueuedConnection)
        self.empty.open_wanted.connect(self.commands["open"].trigger)
        self.empty.run_wanted.connect(self.commands["run"].trigger)
        self.empty.paste_wanted.connect(self.commands["paste"].trigger)
        for panel in (self.cost, self.empty):
            panel.fit_wanted.connect(self._take_fit)
        self.cost.method_wanted.connect(self.method.choose)
        tabs = self.result_tabs
        tabs.settings_wanted.connect(self.use_settings)
        tabs.products_wanted.connect(self._keep_products)
        tabs.edited.connect(session.keep_edits)
        tabs.edited.connect(lambda *_: self.undoing.note_view_edit())
        tabs.view_shown.connect(lambda _: self.undoing.tell())
        tabs.page_activated.connect(self.shown_data.follow_page)
        tabs.compare_wanted.connect(self.compare)
        session.results_changed.connect(lambda: tabs.update_entries(session.entries))
        self.results.explain_no_beside = self.data.explain_no_beside = self.result_tabs.explain_no_beside
        self.results.tab_wanted.connect(self.shown_data.open_tab)
        self.data.tab_wanted.connect(self.shown_data.open_datum_tab)
        session.data_changed.connect(self.shown_data.update_data)
        session.undo_stack.indexChanged.connect(self.jobs.clear_error)
        tabs.made.connect(self._add_made)
        tabs.task_wanted.connect(self._begin_task)
        tabs.result_made.connect(self._add_result)
        for signal in (tabs.profile_wanted, self.data.profile_wanted):
            signal.connect(self.ask_profile)
        self.sequences.names_selected.connect(self.selection.choose_taxa)
        self.selection.taxa_changed.connect(self.sequences.select_names)
        self.empty.bundled_button.setMenu(self.data.bundled_menu)
        self.data.bundled_changed.connect(self.empty.bundled_button.setVisible)
        self.data.shown_wanted.connect(self.shown_data.show_datum)
        self.data.pointed_at.connect(self.shown_data.try_show_datum)
        self.interrupted.found.connect(self.left.show_runs)
        self.left.resume_wanted.connect(self.resume)
        self.left.discard_wanted.connect(self.discard)
        self.jobs.watch_wanted.connect(self._show_growth)
        for signal in (self.queue.ended, self.queue.left):
            signal.connect(self.interrupted.ended)
        self.queue.ended.connect(lambda job: self.device.look() if job.lane.startswith("cuda") else None)
        menu = file_actions.sample_menu(self)
        self.sequences.sample_button.setMenu(menu)
        self.empty.sample_button.setMenu(menu)
        self._take_method(method.method)

    def connect_learn(self, learn: LearnWorkspace) -> None:
        """Connect the workspace Learn after it was made."""
        learn.method_wanted.connect(self._use_method)
        learn.folding.changed.connect(self.tell_panels)
        learn.set_devices(len(self._gpus))

    def connect_tune(self, tune: TuneWorkspace) -> None:
        """Connect the workspace Tune after it was made."""
        self.splitters["tune"] = tune.splitter
        tune.splitter.setHandleWidth(theme.SPACING)
        layout.restore_splitter(self, "tune", tune.splitter)
        tune.folding.changed.connect(self.tell_panels)
        tune.set_gpus(self._gpus)
        self.planning.update_tune(tune)  # sets the method before its saved axes
        tune.form.set_values(self.settings.mapping("sweep"))
        tune.values_wanted.connect(self._take_values)
        tune.message_sent.connect(lambda text, error: self.jobs.show_message(text, error=error))
        tune.tuned_changed.connect(self.planning.request_plan)

    def _take_method(self, method: Method | None) -> None:
        if method:
            self.device.set_method(method)
            taken = next((taken for taken in method.problem_type.inputs if taken.kind is SEQUENCE), None)
            self.sequences.set_input(taken)
            self.data.set_problem(method.problem_type)
            self.loader.taken = taken

    def _found_devices(self, found: Any) -> None:
        gpus = ", ".join(gpu.name for gpu, _ in found.gpus)
        self._gpus = [gpu for gpu, _ in found.gpus]
        if self.learn_page.is_created:
            self.learn.set_devices(len(self._gpus))
        if self.tune_page.is_created:
            self.tune.set_gpus(self._gpus)
        self.jobs.log(f"GPUs: {gpus}" if gpus else f"No GPU is used: {found.reason}")
        self.planning.request_plan()

    def _ask_about_letters(self, doubt: str, read_anyway: Callable[[], None]) -> None:
        """Ask whether letters that may be no sequence are read as one."""
        if confirmations.confirm_letters(self, doubt):
            read_anyway()

    def _set_sample_aside(self) -> None:
        """Remove the sample of the first start, because own data are opened; undo brings it back."""
        sources = self.settings.mapping(FIRST_SAMPLE_SOURCES).get("sources", [])
        self.settings.put(FIRST_SAMPLE_SOURCES, {})
        sequences = self.session.state.sequences
        rows = [row for row, one in enumerate(sequences[:MOST_OF_SAMPLE]) if one.source and one.source in sources]
        if rows:
            self.session.remove(rows)
            self.jobs.show_message("The sample was set aside; Undo brings it back.", stays=True)

    def _take_opened(self, opened: Sequence[Any], sample: bool, counts: Mapping[type, int] | None) -> None:
        """Switch to a method that takes the data opened together, if the current one does not."""
        before, by_hand = self.method.method, self.method.by_hand
        found = method_choice.choose_for_opened(self.methods, before, opened, by_hand, sample, counts)
        if found:
            self.method.choose(found, by_hand=False)
            why = f"{before.name} does not take these data" if by_hand and before else "it suits the opened data"
            self.jobs.show_message(f"Switched to {found.name}: {why}.")

    def _take_fit(self, fit: FittingChange) -> None:
        """Use the settings of a run that would fit."""
        if not self.device.is_automatic:
            self.device.choose(fit.plan.backend, fit.plan.device if fit.plan.backend == "cuda" else 0)
        self.method.set_values(fit.plan.method, self.method.options.values(), fit.given)

    def _use_method(self, method: Method) -> None:
        self.method.choose(method)
        self.turn_to(0)

    def _take_values(self, method_id: str, parameters: dict[str, Any]) -> None:
        """Put the parameters of a point into the form and show Analyse."""
        for method in self.methods:
            if method.id == method_id:
                self.method.set_values(method, self.method.options.values(), parameters)
                self.turn_to(0)

    def _keep_products(self, entry: Entry) -> None:
        if data := texts.extract_named_data(entry.result):
            self._add_to_data(data)

    def _add_to_data(self, data: Sequence[Any], are_used: bool = True) -> None:
        sequences, others = split_data(data)
        if len(sequences):
            first = len(self.session.state.sequences)
            self.session.add(sequences, opened=range(first, first + len(sequences)))
        self.session.add_data(others, are_used=are_used)
        self.jobs.show_message("Added to the data.")

    def _begin_task(self, request: TaskRequest) -> None:
        """Add data that a view offers, as far as they are not open, and choose the method of its task for them."""
        self._use_sequences(request.data)
        if not request.task:
            return
        task = TASKS[request.task]
        recommended, _ = task.recommend(request.data, self.device.choice()[0])
        able = [one for one in (recommended, *task.methods()) if not self.session.state.missing(one.problem_type)]
        if able:
            self._use_method(able[0])
            self.jobs.show_message(f"{able[0].name} is chosen for these sequences; Run starts it.")

    def _use_sequences(self, wanted: Sequence[Any]) -> None:
        """Make sequences the inputs of runs that take any number; those that are not open are added."""
        opened = self.session.state.sequences
        rows = {(one.name, one.letters): row for row, one in enumerate(opened)} if len(opened) <= MOST_COMPARED else {}
        new = [one for one in wanted if (one.name, one.letters) not in rows]
        if new:
            rows |= {(one.name, one.letters): len(opened) + place for place, one in enumerate(new)}
            self._add_to_data(new)
        self.session.restrict_rows(rows[one.name, one.letters] for one in wanted)

    def _add_result(self, result: Result) -> None:
        """Add a result that a view made to the list, and show it."""
        options = dict(registry.find_method(result.method).problem_type.option_values(result.problem))
        self.session.add_result(Entry(result, options, {}))

    def _add_made(self, datum: Any) -> None:
        """Add what a view made to the data; a tree or distances of other sequences than the open ones stop no run."""
        taxa = getattr(datum, "taxa", None) or getattr(datum, "names", None)
        opened = set(sequence_names(self.session.state.sequences))
        self._add_to_data([datum], are_used=not (taxa and opened) or set(taxa) == opened)

    def ask_cluster(self) -> ClusterDialog | None:
        """Ask for the cluster that runs are shared out to; without Dask, say what to install."""
        from antidiag.app.dialogs.cluster_dialog import ClusterDialog

        if missing := explain_missing_dask():
            self.jobs.show_message(texts.as_sentence(missing), error=True)
            return None
        dialog = ClusterDialog(self.settings, self)
        dialog.cluster_chosen.connect(self.device.use_cluster)
        dialog.open()
        return dialog

    def ask_profile(self, alignment: AlignedSequences) -> ProfileDialog:
        """Ask for the settings of a profile of an alignment."""
        from antidiag.app.dialogs.profile_dialog import ProfileDialog

        trees = [datum for datum in self.session.state.data if isinstance(datum, Tree)]
        dialog = ProfileDialog(alignment, trees, self)
        dialog.profile_requested.connect(self._make_profile)
        dialog.open()
        return dialog

    def _make_profile(self, wanted: ProfileRequest) -> None:
        def done(made: Any) -> None:
            self._add_to_data([made])
            self.shown_data.try_show_datum(made)

        self.queue.submit(Job(wanted.title, data_loader.LANE, wanted.make_profile, done, detachable=True))

    def _show_growth(self, job: Job) -> None:
        from antidiag.app.views.growth.growth_window import GrowthWindow

        GrowthWindow(job, self).show()

    def _restore_window(self) -> None:
        layout.restore_layout(self, self.splitters)
        self.restore_settings(
            self.settings.mapping("last")
            or {"method": method_choice.first_alignment_method(self.methods).id, "by_hand": False}
        )
        self.turn_to(0)

    def _save_window(self) -> None:
        layout.save_layout(self, self.splitters)
        self.settings.put("last", self.saved_settings())
        if self.tune_page.is_created:
            self.settings.put("sweep", self.tune.form.saved_values())
        self.settings.save()
