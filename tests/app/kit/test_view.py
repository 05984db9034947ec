"""What the window asks of a view: every view in the registry is one, and whole in what it can do beside."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.kit.selection import Selection
from app.kit.view import DataView, EditedView, GradualView, MakingView, ProfiledView, View, as_widget
from app.panels.viewer import ResultViews
from app.views import VIEWS

ABILITIES = {
    DataView: ("shows_datum", "show_datum"),
    EditedView: ("edited", "show_edits"),
    MakingView: ("kept",),
    ProfiledView: ("profile_wanted",),
    GradualView: ("sharp",),
}


@pytest.mark.parametrize("kind", VIEWS, ids=lambda kind: kind.id)
def test_a_view_is_whole_in_what_it_can_do(qtbot, kind):
    view = kind(Selection())
    qtbot.addWidget(as_widget(view))
    assert isinstance(view, View) and view.id and view.title
    for ability, names in ABILITIES.items():
        assert isinstance(view, ability) == any(hasattr(view, name) for name in names), ability.__name__
    view.show_result(None)


def test_the_abilities_are_told_apart(qtbot):
    able = {view.id: [ability for ability in ABILITIES if issubclass_of(view, ability)] for view in VIEWS}
    assert able["tree"] == [DataView, EditedView, MakingView, GradualView]
    of_data = {view for view, found in able.items() if DataView in found}
    assert of_data == {"tree", "distances", "dotplot", "aligned", "profile"}
    assert able["summary"] == []


def issubclass_of(kind: type[View], ability: type) -> bool:
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
    views = ResultViews([Plain(Selection())], QWidget())
    qtbot.addWidget(views)
    assert views.able("anything") == [] and not views.show_datum("anything")
    views.show_entry(None)
    assert views.tabs_shown() == ()


def test_what_is_no_widget_is_refused(qtbot):
    class Ghost:
        id, title = "ghost", "Ghost"
        shows, show_result = Plain.shows, Plain.show_result

    with pytest.raises(TypeError, match="'ghost' is no widget"):
        ResultViews([Ghost()], QWidget())
