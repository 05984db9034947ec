"""Steps that tests of the matrix view share."""

from PySide6.QtGui import QGuiApplication

from tests.app.views import examples

FIRST, SECOND = examples.related(90)


def settled(qtbot, view):
    qtbot.waitUntil(lambda: view.sharp)
    QGuiApplication.processEvents()


def shown(qtbot, view, *, score_only=False, s=32, first=FIRST, second=SECOND, **options):
    result = examples.result(examples.problem(first, second, **options), score_only=score_only, s=s)
    view.show_result(result)
    settled(qtbot, view)
    return result
