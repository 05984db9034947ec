"""What views show: a result of the list or a datum, with the user's edits and the states of its views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakKeyDictionary

from antidiag.app import texts
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.view_protocols import (
    DataSourceView,
    DataView,
    EditedView,
    ProfileSourceView,
    ResultSourceView,
    ResultView,
    SideDataView,
    StatefulView,
    TaskSourceView,
    can_show_datum,
)
from antidiag.app.kit.view_state import ViewState
from antidiag.app.session.entry import Entry
from antidiag.app.settings import VIEW_SETTINGS, Settings
from antidiag.kernels.model import Result

Choices = dict[str, Any]
VIEW_SIGNALS = ("made", "profile_wanted", "task_wanted", "result_made")
"""Signals of a host of views that pass on what a view offers."""


@dataclass(frozen=True, eq=False)
class ViewSubject:
    """An entry or a datum; ``edits`` and ``states`` are by the id of the view, and shared with the session."""

    entry: Entry | None = None
    datum: Any = None
    edits: Mapping[str, Any] = field(default_factory=dict)
    states: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of_entry(cls, entry: Entry) -> ViewSubject:
        """Return the subject of a result in the list."""
        return cls(entry, None, entry.edits, entry.views)

    @property
    def result(self) -> Result | None:
        """The result; None for a datum."""
        return self.entry.result if self.entry is not None else None

    @property
    def key(self) -> Any:
        """What stays the same object while an entry is renamed: the result, or the datum."""
        return self.result if self.entry is not None else self.datum

    @property
    def shown(self) -> Any:
        """The entry or the datum."""
        return self.entry if self.entry is not None else self.datum

    @property
    def title(self) -> str:
        """The name of a result with its input, or the name of a datum."""
        parts = self.name, texts.problem_title(self.entry.result) if self.entry is not None else ""
        return " \N{MIDDLE DOT} ".join(filter(None, parts))

    @property
    def name(self) -> str:
        """The name of a result, which is that of its method unless it was renamed, or the name of a datum."""
        if self.entry is None:
            return str(self.datum.name)
        return self.entry.name or texts.method_name(self.entry.result)

    @property
    def start_text(self) -> str:
        """The time of day when the run of a result began, by which results of the same title differ; "" for a datum."""
        return f"{self.result.started.astimezone():%H:%M:%S}" if self.result is not None else ""

    def can_be_shown_by(self, kind: type[ResultView]) -> bool:
        """Whether views of a kind show this result or datum."""
        return can_show_datum(kind, self.datum) if self.entry is None else kind.shows(self.entry.result)

    def renewed(self, entries: Mapping[int, Entry]) -> ViewSubject | None:
        """Return the subject with its present entry, None if that was deleted; ``entries`` are by ids of results."""
        if self.entry is None:
            return self
        found = entries.get(id(self.entry.result))
        return None if found is None else replace(self, entry=found)

    def show_in(self, view: ResultView) -> None:
        """Show the subject in a view, with its edits and its state."""
        state = view.view_state if isinstance(view, StatefulView) else ViewState()
        state.forget()
        if self.entry is None and isinstance(view, DataView):
            view.show_datum(self.datum)
        else:
            view.show_result(self.result)
        if isinstance(view, EditedView) and view.id in self.edits:
            view.show_edits(self.edits[view.id])
        if isinstance(saved := self.states.get(view.id), Mapping):
            state.restore(saved)

    def store_state(self, view: ResultView) -> None:
        """Store what the user has set in a view that shows the subject."""
        if isinstance(view, StatefulView):
            self.states[view.id] = view.view_state.collect()


class ViewPreferences:
    """What the user chose last in each kind of view, such as colours and tracks; new views begin with it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._noted: WeakKeyDictionary[Any, Choices] = WeakKeyDictionary()

    def begin_view(self, view: ResultView) -> None:
        """Set in a new view what was chosen last."""
        chosen = self._settings.mapping(VIEW_SETTINGS).get(view.id)
        if isinstance(view, StatefulView) and isinstance(chosen, dict):
            view.view_state.restore(chosen)
        self.note(view)

    def note(self, view: ResultView) -> None:
        """Note what a view has now, which nobody chose: it began with that, or a result brought it."""
        if isinstance(view, StatefulView):
            self._noted[view] = view.view_state.collect_settings()

    def remember(self, view: ResultView) -> None:
        """Remember what the user has chosen in a view since; choices by kind of data are added to those for others."""
        if not isinstance(view, StatefulView):
            return
        before, now = self._noted.get(view, {}), view.view_state.collect_settings()
        changed = {name: value for name, value in now.items() if name not in before or before[name] != value}
        if changed:
            self._noted[view] = now
            every = self._settings.mapping(VIEW_SETTINGS)
            known = every.get(view.id)
            known = known if isinstance(known, dict) else {}
            chosen = {name: _merge(known.get(name), value) for name, value in changed.items()}
            self._settings.put(VIEW_SETTINGS, {**every, view.id: {**known, **chosen}})


def make_view(
    kind: type[ResultView],
    selection: Selection,
    host: Any,
    offered: Sequence[Any],
    preferences: ViewPreferences | None,
) -> ResultView:
    """Return a new view with what the user chose last, connected to its ``host``; ``offered`` are the open data.

    The host has the signals of `VIEW_SIGNALS`, and ``send_edits(view, edits)``.
    """
    view = kind(selection)
    if isinstance(view, DataSourceView):
        view.datum_offered.connect(host.made)
    if isinstance(view, TaskSourceView):
        view.task_wanted.connect(host.task_wanted)
    if isinstance(view, ResultSourceView):
        view.result_made.connect(host.result_made)
    if isinstance(view, ProfileSourceView):
        view.profile_wanted.connect(host.profile_wanted)
    if isinstance(view, EditedView):
        view.edited.connect(lambda edits: host.send_edits(view, edits))
    if isinstance(view, SideDataView):
        view.offer(offered)
    if preferences is not None:
        preferences.begin_view(view)
    return view


def _merge(before: Any, value: Any) -> Any:
    return {**before, **value} if isinstance(before, dict) and isinstance(value, dict) else value
