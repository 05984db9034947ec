"""The middle of the window: the views of one result, or a page with the next steps if there is none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from antidiag.app import texts, theme
from antidiag.app.kit.controls.chips import ChipRow
from antidiag.app.kit.controls.widgets import (
    ElidedLabel,
    create_label,
    create_row,
    is_in_low_window,
    quiet_button,
)
from antidiag.app.kit.focus import focus_view
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.kit.view_protocols import (
    ResultView,
    SideDataView,
    UndoView,
    can_show_datum,
    view_widget,
)
from antidiag.app.panels.result_table import STALE
from antidiag.app.panels.view_places import ViewPlaces
from antidiag.app.panels.view_subject import ViewPreferences, ViewSubject, make_view
from antidiag.app.session.entry import Entry, edited_summary
from antidiag.kernels.model import Result
from antidiag.kernels.registry.data_loading import find_kind
from antidiag.kernels.registry.memory_advice import FittingChange

BORDER = 2
"""Pixels that the border of a button adds to its first size hint."""
EMPTY_WIDTH = 520


class HeightKeeper(QWidget):
    """Takes no width and is as high as the highest of some widgets, hidden or not, in whatever font they have."""

    def __init__(self, *widgets: QWidget) -> None:
        super().__init__()
        self._widgets = widgets

    def sizeHint(self) -> QSize:
        for widget in self._widgets:
            widget.ensurePolished()
        return QSize(0, max(widget.sizeHint().height() for widget in self._widgets) + BORDER)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


class ResultViews(QWidget):
    """Shows the views that can display the result; a view gets the result when it becomes visible."""

    settings_wanted = Signal(object)
    products_wanted = Signal(object)
    made = Signal(object)
    """Sent with data that a view made for other methods."""
    profile_wanted = Signal(object)
    """Sent with an alignment of which a profile is requested."""
    task_wanted = Signal(object)
    """Sent with the data that a view offers, and the task whose method is chosen for them (`TaskRequest`)."""
    result_made = Signal(object)
    """Sent with a result that a view made."""
    edited = Signal(object, str, object)
    """Sent with an entry or datum, the id of a view, and the edits of its picture (None: no edits)."""
    detach_wanted = Signal(object, object)
    """Sent with what is shown and the kind of view that is wanted in a window of its own."""

    def __init__(
        self,
        kinds: Callable[[], Sequence[type[ResultView]]],
        selection: Selection,
        empty: QWidget,
        preferences: ViewPreferences | None = None,
    ) -> None:
        super().__init__()
        self._kinds, self.selection, self._preferences = kinds, selection, preferences
        self._made: dict[str, ResultView] = {}
        self._offered: Sequence[Any] = ()
        self.subject: ViewSubject | None = None
        self.is_pinned = False
        """Whether this page keeps its result when another one is chosen."""
        self.find_detached: Callable[[Any], Collection[str]] = lambda key: ()
        """Returns the ids of the views of a result or datum that are in windows of their own."""
        self._fresh: set[ResultView] = set()
        self._last_id = ""
        self.heading_label, self.chips = ElidedLabel(), ChipRow()
        self.heading_label.setObjectName("heading")
        self._counting = LatestTask(self, self._show_identity)
        self.stale_button = quiet_button(
            "Use these settings", "This result was made with other settings: put them back"
        )
        self.stale_button.clicked.connect(lambda: self.settings_wanted.emit(self.entry))
        self.keep = quiet_button("Add to data", "")
        self.keep.clicked.connect(lambda: self.products_wanted.emit(self.entry))
        self.stale_note = ElidedLabel(STALE)
        self.stale_note.setObjectName("warning")
        self.places = ViewPlaces(self._make_view)
        self.tabs = self.places.tabs
        self.places.view_shown.connect(self._on_view_shown)
        self.places.detach_wanted.connect(self._on_detach)
        self._none = create_label(
            "No view can show this result; its numbers are in the line above.", "muted", wrap=True
        )
        page, box = QWidget(), QVBoxLayout()
        self._top, self._numbers = QWidget(), QWidget()
        top = QHBoxLayout(self._top)
        top.setContentsMargins(theme.SPACING, theme.SPACING, theme.SPACING, 0)
        top.addWidget(self.heading_label, 1)
        top.addWidget(self.keep)
        box.setContentsMargins(0, 0, 0, 0)
        numbers = QHBoxLayout(self._numbers)
        numbers.setContentsMargins(theme.SPACING, 0, theme.SPACING, 0)
        numbers.addWidget(self.chips, 1)
        numbers.addWidget(self.stale_note, 1)
        numbers.addWidget(self.stale_button)
        numbers.addWidget(HeightKeeper(self.chips, self.stale_button))
        box.setSpacing(theme.SPACING // 2)
        box.addWidget(self._top)
        box.addWidget(self._numbers)
        box.addWidget(self._none)
        box.addWidget(self.places, 1)
        page.setLayout(box)
        self._pages = QStackedWidget()
        self._pages.addWidget(empty)
        self._pages.addWidget(page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._pages)

    @property
    def result(self) -> Result | None:
        """The shown result; None if data or nothing is shown."""
        return self.subject.result if self.subject is not None else None

    @property
    def entry(self) -> Entry | None:
        """The shown entry; None if data or nothing is shown."""
        return self.subject.entry if self.subject is not None else None

    @property
    def datum(self) -> Any:
        """The shown data; None if a result or nothing is shown."""
        return self.subject.datum if self.subject is not None else None

    @property
    def current(self) -> ResultView | None:
        """The view of the current tab."""
        return self.places.current

    @property
    def views(self) -> Mapping[str, ResultView]:
        """The views made so far, by their ids."""
        return self._made

    def capable_views(self, datum: Any) -> list[type[ResultView]]:
        """Return the kinds of views that can show data."""
        return [kind for kind in self._kinds() if can_show_datum(kind, datum)]

    def offer(self, data: Sequence[Any]) -> None:
        """Pass the open data to the views that can show them beside a result."""
        self._offered = data
        for view in self._made.values():
            if isinstance(view, SideDataView):
                view.offer(data)

    def _make_view(self, kind: type[ResultView]) -> ResultView:
        """A view that is looked at for the first time."""
        view = self._made[kind.id] = make_view(kind, self.selection, self, self._offered, self._preferences)
        return view

    def store_states(self) -> None:
        """Store what the user has set in the views, for the time when this result or datum is shown again."""
        for view in self._fresh if self.subject is not None else ():
            self.subject.store_state(view)
        self.remember_choices()

    def remember_choices(self) -> None:
        """Remember what the user has chosen in the views, such as colours, for views that are made later."""
        for view in self._fresh if self.subject is not None and self._preferences is not None else ():
            self._preferences.remember(view)

    def show_datum(
        self, datum: Any, edits: Mapping[str, Any] = MappingProxyType({}), states: dict[str, Any] | None = None
    ) -> bool:
        """Show data in the views that can; return False if none can.

        ``edits`` holds the user's edits of their pictures, and ``states`` the states of the views, by the id of the
        view.
        """
        able = self.capable_views(datum)
        if not able:
            return False
        self.store_states()
        self.subject = ViewSubject(None, datum, edits, {} if states is None else states)
        self._counting.cancel()
        self._show_views(able)
        self._name_datum(edits)
        self.heading_label.setToolTip(datum.source)
        self.chips.show_chips(())
        self._none.hide()
        self.keep.hide()
        self.set_stale(False)
        self._fit_height()
        self._pages.setCurrentIndex(1)
        return True

    def _name_datum(self, edits: Mapping[str, Any]) -> None:
        """Show the name and the present size of the data."""
        size = edited_summary(edits) or self.datum.summary
        self.heading_label.setText(f"{self.datum.name} \N{MIDDLE DOT} {size}")

    def show_subject(self, subject: ViewSubject) -> bool:
        """Show a result or datum; return False if no view can show the datum."""
        if subject.entry is None:
            return self.show_datum(subject.datum, subject.edits, subject.states)
        self.show_entry(subject.entry)
        return True

    def show_entry(self, entry: Entry | None) -> None:
        """Show this result in all views that can; None shows the page with the next steps."""
        self.store_states()
        self.subject = ViewSubject.of_entry(entry) if entry is not None else None
        able = [kind for kind in self._kinds() if kind.shows(entry.result)] if entry is not None else []
        self._show_heading()
        self._none.setVisible(entry is not None and not able)
        self._offer_products()
        self._fit_height()
        self._pages.setCurrentIndex(int(entry is not None))
        self._show_views(able)

    def update_views(self, wanted: str = "") -> None:
        """Show the views that are not in windows of their own, and turn to the ``wanted`` one."""
        if self.subject is not None:
            self.store_states()
            self._last_id = wanted or self._last_id
            result = self.result
            able = [kind for kind in self._kinds() if kind.shows(result)] if result is not None else []
            self._show_views(able if result is not None else self.capable_views(self.datum))

    def _show_views(self, able: Sequence[type[ResultView]]) -> None:
        """Show the result in the visible views; the others get it when they become visible."""
        self._fresh.clear()
        self.selection.begin_subject(self.subject.key if self.subject is not None else None)
        detached = self.find_detached(self.subject.key) if self.subject is not None else ()
        tabs = [kind for kind in able if kind.id not in detached]
        for view in self._made.values():
            if type(view) not in tabs:
                view.show_result(None)
        for view in self.places.show_views(tabs, self._last_id):
            self._refresh(view)

    def _show_heading(self) -> None:
        """Show title and values of the result; a thread computes the identity."""
        self._counting.cancel()
        result = self.result
        if result is None:
            self.heading_label.setText("")
            self.chips.show_chips(())
            return
        title, chips = texts.result_heading(result)
        self.heading_label.setText(" \N{MIDDLE DOT} ".join(filter(None, (title, edited_summary(self.entry.edits)))))
        self.chips.show_chips(chips)
        for widget in (self.heading_label, self.chips):
            widget.setToolTip("\n".join(texts.origin_parts(result)))
        if texts.identity_counter(result) is not None:
            self._counting.request(lambda monitor: texts.identity_counter(result)())

    def _show_identity(self, share: float) -> None:
        answer, *rest = self.chips.chips
        self.chips.show_chips((answer, ("identity", texts.format_percent(share)), *rest))

    def _offer_products(self) -> None:
        """Show the button "Add to data" if other methods can use data of this result, such as a tree."""
        method = texts.result_method(self.result) if self.result else None
        products = method.problem_type.extract_data(self.result) if method and method.problem_type.extract_data else []
        self.keep.setVisible(bool(products))
        if products:
            found = find_kind(products[0])
            self.keep.setToolTip(
                f"Add the {found.label if found else 'data'} of this result to the data, as input of other methods"
            )

    def set_stale(self, stale: bool) -> None:
        """Show or hide the note that the settings have changed since this result."""
        self.stale_button.setVisible(stale)
        self.stale_note.setVisible(stale)

    def undoing(self) -> UndoView | None:
        """Return the visible view that can undo or redo something, or None."""
        seen = (view for view in self._made.values() if isinstance(view, UndoView) and view_widget(view).isVisible())
        return next((view for view in seen if view.undo_text or view.redo_text), None)

    def tabs_shown(self) -> tuple[str, ...]:
        """Return the ids of the views of the result, in the order of the tabs."""
        return self.places.shown()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave name and numbers of the result out of a low window; the list of results has them."""
        super().resizeEvent(event)
        self._fit_height()

    def _fit_height(self) -> None:
        """Show name, numbers and the buttons beside them, or in a low window the buttons alone, beside the tabs.

        The line of numbers is as high with the note about other settings as without it, so that the view stays where
        it is; data have neither.
        """
        low = is_in_low_window(self)
        self.places.set_low(low)
        if low:
            self.places.put_beside_tabs(self.stale_button, self.keep)
        else:
            self._top.layout().addWidget(self.keep)
            self._numbers.layout().addWidget(self.stale_button)
        self._top.setVisible(not low)
        self._numbers.setVisible(not low and self.datum is None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on a part that takes no focus gives the keys to the view."""
        self.focus_current()

    def focus_current(self) -> bool:
        """Give the focus to the main part of the current view; return whether there is one."""
        return self.is_showing and self.current is not None and focus_view(view_widget(self.current))

    @property
    def is_showing(self) -> bool:
        """Whether a result or data are shown."""
        return self.result is not None or self.datum is not None

    def shown_kinds(self) -> list[type[ResultView]]:
        """Return the kinds of views that can show the result or data, in the order of the tabs."""
        if not self.is_showing:
            return []
        ids = self.tabs_shown()
        return sorted((kind for kind in self._kinds() if kind.id in ids), key=lambda kind: ids.index(kind.id))

    def prepare_view(self, kind: type[ResultView], with_content: bool) -> ResultView:
        """Return a view that may not be visible, made if it was not yet; ``with_content`` shows the result in it."""
        view = self.places.find_view(kind)
        if with_content:
            self._refresh(view)
        return view

    def has_content(self, view: ResultView) -> bool:
        """Return whether a view shows the current result or data already."""
        return view in self._fresh

    def turn_to(self, view_id: str) -> None:
        """Show the view of this id, if there is one."""
        self.places.turn_to(view_id)

    def step(self, by: int) -> None:
        """Turn to another tab: 1 is the next, -1 the previous."""
        if self.tabs.count():
            self.tabs.setCurrentIndex((self.tabs.currentIndex() + by) % self.tabs.count())

    def _on_view_shown(self, view: ResultView) -> None:
        """Update a view that became visible."""
        if view is self.current:
            self._last_id = view.id
        self._refresh(view)

    def _refresh(self, view: ResultView) -> None:
        """Show the current result or data in a view that does not show it yet."""
        if view in self._fresh:
            return
        self._fresh.add(view)
        if self.subject is not None:
            self.subject.show_in(view)
            if self._preferences is not None:
                self._preferences.note(view)
        else:
            view.show_result(None)

    def _on_detach(self, view_id: str) -> None:
        kind = next((kind for kind in self._kinds() if kind.id == view_id), None)
        if kind is not None and self.subject is not None:
            self.store_states()
            self.detach_wanted.emit(self.subject, kind)

    def send_edits(self, view: ResultView, edits: Any) -> None:
        """Pass on the edits of a view, and show the new size of what is edited."""
        if self.subject is not None:
            self.edited.emit(self.subject.shown, view.id, edits)
            self._show_heading() if self.entry is not None else self._name_datum({view.id: edits or {}})


class EmptyPage(QWidget):
    """Shows the next steps while there is no result."""

    open_wanted = Signal()
    paste_wanted = Signal()
    run_wanted = Signal()
    fit_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.run_button = QPushButton("Run   Ctrl+R")
        self.run_button.setObjectName("primary")
        self.run_button.clicked.connect(self.run_wanted)
        self.title, self.text = create_label(kind="title"), create_label(kind="muted", wrap=True)
        self.open_button = QPushButton("Open files...")
        self.paste_button, self.sample_button = QPushButton("Paste"), QPushButton("Try a sample")
        self.fit_button = QPushButton()
        self.fit_button.clicked.connect(lambda: self.fit_wanted.emit(self._fitting[0]))
        self._fitting: Sequence[FittingChange] = ()
        self.fit_button.setObjectName("primary")
        self.open_button.clicked.connect(self.open_wanted)
        self.paste_button.clicked.connect(self.paste_wanted)
        buttons = QHBoxLayout()
        self.bundled_button = QPushButton("Open bundled data")
        self.bundled_button.setToolTip("Data of this kind that come with the program")
        self.bundled_button.hide()
        for button in (
            self.run_button,
            self.bundled_button,
            self.open_button,
            self.paste_button,
            self.sample_button,
        ):
            buttons.addWidget(button)
        buttons.addStretch(1)
        inner = QWidget()
        inner.setMaximumWidth(EMPTY_WIDTH)
        column = QVBoxLayout(inner)
        column.setSpacing(theme.MARGIN)
        for widget in (self.title, self.text):
            column.addWidget(widget)
        column.addLayout(create_row(self.fit_button, QWidget(), stretch=1))
        column.addLayout(buttons)
        box = QVBoxLayout(self)
        box.addStretch(1)
        box.addLayout(create_row(QWidget(), inner, QWidget(), stretch=1))
        box.addStretch(2)

    def explain(
        self,
        anything: bool,
        missing: str,
        runnable: bool,
        reason: str = "",
        fitting: Sequence[FittingChange] = (),
        rest: str = "",
    ) -> None:
        """Show the next step: what is ``missing``, or the ``reason`` why a run cannot start and what would fit.

        ``rest`` is a note about sequences that the run would not use.
        """
        self._fitting = fitting
        self.run_button.setVisible(not missing and not reason)
        self.run_button.setEnabled(runnable)
        self.fit_button.setVisible(bool(fitting))
        self.fit_button.setText(f"Use {fitting[0].change}" if fitting else "")
        if missing and not anything:
            self.title.setText("Open sequences to begin")
            self.text.setText(
                "Open FASTA or GenBank files, drop them anywhere in this window, paste sequences with Ctrl+V, "
                "or try a sample."
            )
        elif missing:
            self.title.setText("Something is missing")
            self.text.setText(f"{missing}\n\nOpen, drop or paste data, or try a sample.")
        elif reason:
            self.title.setText("This run cannot start")
            fits = texts.what_fits(fit.format_text for fit in fitting)
            self.text.setText("\n\n".join(part for part in (texts.as_sentence(reason), fits) if part))
        else:
            self.title.setText("Ready to run")
            ready = (
                "The result appears here, with pictures of the computation and the times of its phases. "
                "Ctrl+Shift+D shows a dot plot of two sequences without a run."
            )
            self.text.setText("\n\n".join(part for part in (ready, rest) if part))
