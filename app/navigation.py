"""Keyboard navigation: from area to area of the window, into the search field, and from forms to the view."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget

from antidiag.app.kit.focus import FocusAreas, find_search_field
from antidiag.app.workbench import Workbench


class Navigation(QObject):
    """Moves the keyboard focus of a window."""

    def __init__(self, window: Workbench) -> None:
        super().__init__(window)
        self._window, self._areas = window, FocusAreas(self)
        for form in (window.method.options, window.method.parameters):
            form.entered.connect(self.focus_view)

    def areas(self) -> list[QWidget]:
        """Return the visible areas of the current workspace in the order in which F6 walks through them."""
        window = self._window
        page = window.workspaces.currentWidget()
        if page is window.tune_page:
            tune = window.tune
            found = [tune.sides["data"].widget(), tune.plots, tune.sides["method"].widget()]
        elif page is window.learn_page:
            found = window.learn.focus_areas()
        else:
            method = window.folding.panels["method"]
            found = [window.sequences, window.data, window.results, window.viewer,
                     method.content or method.holder.widget()]  # fmt: skip
        return [area for area in (*found, window.jobs) if area is not None and area.isVisible()]

    def step_area(self, by: int) -> None:
        """Go to the next area (1) or the previous one (-1)."""
        self._areas.step(self.areas(), by)

    def find(self) -> bool:
        """Go to the search field of what is looked at; return whether that was all that can be done.

        In another window, such as that of a view or of the help, it is the field there.
        """
        here = QApplication.activeWindow()
        is_other = here is not None and here is not self._window
        for area in [here] if is_other else self._search_areas():
            line = find_search_field(area)
            if line is not None:
                line.setFocus(Qt.FocusReason.ShortcutFocusReason)
                line.selectAll()
                return True
        return is_other

    def focus_view(self) -> None:
        """Give the focus to the main part of the view, so that the next keys are meant for it."""
        window = self._window
        window.folding.close_drawer()
        if not (window.viewer.isVisible() and window.viewer.focus_current()):
            window.centralWidget().setFocus()

    def leave_form(self) -> None:
        """Give the focus to the view if it is in the form of the method, for example when a run starts."""
        here, method = QApplication.focusWidget(), self._window.method
        if here is not None and method.isAncestorOf(here):
            self.focus_view()

    def _search_areas(self) -> list[QWidget]:
        """Return the areas that may have a search field: the view with the focus, the visible views, then panels."""
        window = self._window
        page = window.workspaces.currentWidget()
        if page is window.tune_page:
            return [window.tune.plots, window.tune]
        if page is window.learn_page:
            return [window.learn]
        seen: list[QWidget] = list(window.viewer.places.seen()) if window.viewer.is_showing else []  # type: ignore[arg-type]
        here = QApplication.focusWidget()
        seen.sort(key=lambda view: not (here is not None and view.isAncestorOf(here)))
        return [*seen, window.results, window.sequences]
