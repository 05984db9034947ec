import shlex
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from antidiag.app import theme, views
from antidiag.app.kit.results.command_line import format_command
from antidiag.app.kit.selection import Selection
from antidiag.app.views.summary import view as summary
from antidiag.app.views.summary.view import SummaryPage, SummaryView
from antidiag.kernels.registry.samples import bundled_samples
from tests.app.views import examples


@pytest.mark.parametrize("score_only", [False, True])
def test_the_summary_holds_everything(qtbot, score_only):
    view = SummaryView(Selection())
    qtbot.addWidget(view)
    view.show()
    result = examples.result(examples.problem(*examples.related(60)), score_only=score_only)
    view.show_result(result)
    view.grab()
    view.copy()
    text = QGuiApplication.clipboard().text()
    for part in (
        f"Score: {result.score}", "first, 60 nt, DNA", "a gap of length k costs 5 + 2 k", "s = 32", "Test processor",
        "The CPU is used", "Host: 2.9 MiB", "numpy: 2.0", "Li, Sanjay Ranka", "2025-03-04 12:04:00 UTC",
    ):  # fmt: skip
        assert part in text
    assert ("Starts at cell" in text) == (not score_only)
    view.copy_command()
    assert QGuiApplication.clipboard().text() == format_command(result)
    view.show_result(None)
    assert view.copy_text() == ""


def _options(problem):
    words = shlex.split(format_command(examples.result(problem)))
    return {word: words[place + 1] for place, word in enumerate(words[:-1]) if word.startswith("--")}


def test_the_command_line_repeats_the_scoring():
    options = _options(examples.problem("ACGT", "ACGT", mode="global", wildcard="N"))
    assert options["--mode"] == "global"
    assert (options["--match"], options["--mismatch"]) == ("2", "-3")
    assert (options["--gap-open"], options["--gap-extend"]) == ("5", "2")
    assert options["--wildcard"] == "N"
    assert options["--backend"] == "cpu"
    protein = _options(examples.problem("ACG", "ACG", matrix="BLOSUM62"))
    assert protein["--matrix"] == "BLOSUM62"
    assert "--match" not in protein


def test_the_command_line_writes_all_parameters():
    words = shlex.split(format_command(examples.result(examples.problem("ACGT", "ACGT"))))
    assert words[:5] == ["python", "main.py", "run", "striped-alignment", "FILE"]
    assert [words[k + 1] for k, word in enumerate(words) if word == "-p"] == [
        "s=32", "T=32", "threads=2", "recompute=start-point",
    ]  # fmt: skip


def test_the_command_line_names_bundled_files_from_the_project_and_asks_for_the_rest():
    sequences = bundled_samples()[0].read_data()
    assert Path(sequences[0].source).is_absolute()
    problem = examples.problem("ACGT", "ACGT")
    bundled = replace(problem, first=replace(problem.first, source=sequences[0].source))
    words = shlex.split(format_command(examples.result(bundled)))
    assert words[4:6] == [f"resources/samples/{bundled_samples()[0].paths[0].name}", "FILE"]
    pasted = replace(problem, first=replace(problem.first, source="pasted"))
    assert shlex.split(format_command(examples.result(pasted)))[4:6] == ["FILE", "--record"]


def test_every_view_keeps_the_contract(qtbot):
    result = examples.result(examples.problem("ACGTACGT", "ACGTCGT"))
    selection = Selection()
    assert len({view.id for view in views.view_classes()}) == len(views.view_classes())
    fitting = [kind for kind in views.view_classes() if kind.shows(result)]
    assert {"aligned", "matrix", "timeline", "summary"} <= {kind.id for kind in fitting}
    for kind in fitting:
        assert kind.title
        view = kind(selection)
        qtbot.addWidget(view)
        view.show()
        for shown in (None, result, None, result):
            view.show_result(shown)
            view.grab()


def test_a_huge_answer_is_described_by_a_thread(qtbot, monkeypatch):
    view = SummaryView(Selection())
    qtbot.addWidget(view)
    result = examples.result(examples.problem(*examples.related(60)))
    monkeypatch.setattr(summary, "MANY_CELLS", 0)
    view.show_result(result)
    assert "Score:" not in view.copy_text()
    qtbot.waitUntil(lambda: f"Score: {result.score}" in view.copy_text())


def test_many_inputs_are_put_together_on_a_thread(qtbot, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(summary, "MANY_DATA", 1)
    view = SummaryView(Selection())
    qtbot.addWidget(view)
    result = examples.result(examples.problem(*examples.related(60)))
    view.show_result(result)
    assert not view.sharp
    qtbot.waitUntil(lambda: view.sharp)
    assert f"Score: {result.score}" in view.copy_text()
    assert view.copy_text().endswith(format_command(result) + "\n")


def test_what_thousands_of_inputs_led_to_is_told_by_a_thread(qtbot, monkeypatch):
    """Their distances are millions."""
    view, threads = SummaryView(Selection()), []
    qtbot.addWidget(view)
    monkeypatch.setattr(summary, "summary_sections", lambda result: threads.append(threading.current_thread()) or [])
    monkeypatch.setattr(summary, "format_command", lambda result: "")
    view.show_result(SimpleNamespace(problem=SimpleNamespace(cells=1, data=range(2000))))
    qtbot.waitUntil(lambda: view.sharp)
    assert threads and threading.main_thread() not in threads


def test_a_page_of_many_rows_has_no_more_widgets_than_one_of_few(qtbot):
    page = SummaryPage()
    qtbot.addWidget(page)
    page.show_sections([("Answer", [("Score", "1")])])
    before = len(page.findChildren(QWidget))
    page.show_sections([("Answer & more", [(f"Name {number}", f"a < {number}\nsecond") for number in range(50)])])
    assert len(page.findChildren(QWidget)) == before
    lines = page.toPlainText().split("\n")
    assert lines[0] == "Answer & more"
    assert "a < 49" in lines
    page.show_sections([])
    assert page.toPlainText() == ""


def test_names_of_a_page_take_the_colour_of_another_theme(qtbot, monkeypatch):
    page = SummaryPage()
    qtbot.addWidget(page)
    page.show_sections([("Answer", [("Score", "1")])])
    monkeypatch.setitem(theme._state, "active", theme.DARK)
    theme.notifier.changed.emit()
    assert theme.DARK.muted in page.toHtml()
    assert theme.LIGHT.muted not in page.toHtml()
