"""What the window asks of a view: every view in the registry is one, and whole in what it can do beside."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from antidiag.app import views
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.view_protocols import (
    DataSourceView,
    DataView,
    EditedView,
    GradualView,
    ProfileSourceView,
    ResultView,
    view_widget,
)
from antidiag.app.panels.viewer import ResultViews
from antidiag.app.session.entry import Entry
from tests.app.views import examples

ABILITIES = {
    DataView: ("shows_datum", "show_datum"),
    EditedView: ("edited", "show_edits"),
    DataSourceView: ("datum_offered",),
    ProfileSourceView: ("profile_wanted",),
    GradualView: ("sharp",),
}


@pytest.mark.parametrize("kind", views.view_classes(), ids=lambda kind: kind.id)
def test_a_view_is_whole_in_what_it_can_do(qtbot, kind):
    view = kind(Selection())
    qtbot.addWidget(view_widget(view))
    assert isinstance(view, ResultView) and view.id and view.title
    for ability, names in ABILITIES.items():
        assert isinstance(view, ability) == any(hasattr(view, name) for name in names), ability.__name__
    view.show_result(None)


def test_the_abilities_are_told_apart(qtbot):
    able = {
        view.id: [ability for ability in ABILITIES if issubclass_of(view, ability)] for view in views.view_classes()
    }
    assert able["tree"] == [DataView, EditedView, DataSourceView, GradualView]
    of_data = {view for view, found in able.items() if DataView in found}
    assert of_data == {"tree", "distances", "dotplot", "aligned", "profile"}
    assert able["summary"] == [GradualView]
    assert able["phases"] == []


def issubclass_of(kind: type[ResultView], ability: type) -> bool:
    return all(hasattr(kind, name) for name in ABILITIES[ability])


class Plain(QWidget):
    """A view that can do nothing beside."""

    id, title = "plain", "Plain"
    told = Signal(object)

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.result = None

    @classmethod
    def shows(cls, result) -> bool:
        return True

    def show_result(self, result) -> None:
        self.result = result


def test_a_view_needs_no_more_than_the_protocol(qtbot):
    shown = ResultViews(lambda: [Plain], Selection(), QWidget())
    qtbot.addWidget(shown)
    assert shown.capable_views("anything") == [] and not shown.show_datum("anything")
    shown.show_entry(None)
    assert shown.tabs_shown() == ()


def test_a_view_is_made_when_it_is_looked_at(qtbot):
    class Second(Plain):
        id, title = "second", "Second"

    shown = ResultViews(lambda: [Plain, Second], Selection(), QWidget())
    qtbot.addWidget(shown)
    entry = an_entry()
    shown.show_entry(entry)
    assert shown.tabs_shown() == ("plain", "second") and list(shown.views) == ["plain"]
    assert shown.current.result is entry.result
    shown.turn_to("second")
    assert shown.current is shown.views["second"] and shown.current.result is entry.result
    shown.show_entry(None)
    assert shown.views["plain"].result is None and shown.views["second"].result is None


def test_tabs_that_stay_are_not_put_in_anew(qtbot, monkeypatch):
    class Second(Plain):
        id, title = "second", "Second"

        @classmethod
        def shows(cls, result):
            return len(result.problem.first) > 8

    class Third(Plain):
        id, title = "third", "Third"

    shown = ResultViews(lambda: [Plain, Second, Third], Selection(), QWidget())
    qtbot.addWidget(shown)
    shown.show_entry(an_entry())
    shown.turn_to("third")
    changes = []

    def note(name):
        change = getattr(shown.tabs, name)
        monkeypatch.setattr(shown.tabs, name, lambda *given: changes.append(name) or change(*given))

    for name in ("addTab", "insertTab", "removeTab", "clear"):
        note(name)
    shown.show_entry(an_entry())
    assert not changes and shown.current.id == "third"
    shown.show_entry(Entry(examples.result(examples.problem("ACGTACGTA", "ACGTTCGT"))))
    assert shown.tabs_shown() == ("plain", "second", "third") and shown.current.id == "third"
    shown.turn_to("second")
    shown.show_entry(an_entry())
    assert changes == ["insertTab", "removeTab"]
    assert shown.tabs_shown() == ("plain", "third") and shown.current.id == "plain"


def an_entry() -> Entry:
    return Entry(examples.result(examples.problem("ACGTACGT", "ACGTTCGT")))


def test_what_is_no_widget_is_refused(qtbot):
    class Ghost:
        id, title = "ghost", "Ghost"
        shows, show_result = Plain.shows, Plain.show_result

        def __init__(self, selection: Selection) -> None: ...

    shown = ResultViews(lambda: [Ghost], Selection(), QWidget())
    qtbot.addWidget(shown)
    with pytest.raises(TypeError, match="'ghost' is no widget"):
        shown.show_entry(an_entry())
