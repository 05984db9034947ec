"""A search in the window: a prepared database is opened beside a query, and the method is chosen and run."""

import pytest

from antidiag.app import application, settings
from antidiag.app.window import Window
from antidiag.kernels import registry
from antidiag.kernels.cuda import devices
from antidiag.kernels.pairwise.search import database_maker
from tests.app.steps import run

PROTEINS = ">P1 first\nMKVLATHISWKRRMLAQGHEEDKLMNP\n>P2 second\nMKVLATHISWKRRMLAQGH\n>P3 stranger\nGGSGGSPPNQGGSGG\n"


@pytest.fixture
def window(qtbot, folder, monkeypatch):
    """A window with the methods of the program."""
    monkeypatch.setattr(devices, "discover_devices", lambda: ((), "there is none in tests"))
    monkeypatch.setattr(Window, "confirm_close", lambda self, jobs: True)
    found = settings.Settings()
    application.make_application(found)
    window = Window(found, registry.METHODS)
    qtbot.addWidget(window)
    window.show()
    yield window
    window.close()


def test_a_query_is_searched_in_an_opened_database(qtbot, window, tmp_path):
    (tmp_path / "proteins.fa").write_text(PROTEINS)
    (tmp_path / "query.fa").write_text(">Q\nMKVLATHISWKRRMLAQGHEED\n")
    database_maker.make_database([tmp_path / "proteins.fa"], tmp_path / "proteins.adb")
    window.loader.open_paths([tmp_path / "query.fa", tmp_path / "proteins.adb"])
    window.method.choose(registry.find_method("smith-waterman-search"))
    run(qtbot, window)
    result = window.session.entries[-1].result
    assert [one.name for one in result.answer.subjects[:2]] == ["P1", "P2"]
    assert result.answer.evalues[0] < 1e-6 < 0.1 < result.answer.evalues[-1]
    assert result.problem.database.name == "proteins.adb"
