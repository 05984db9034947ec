"""Methods step by step, as a lecturer uses the page."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from antidiag.app.kit.replay import picture
from antidiag.app.learn.play.page import PlayPage
from antidiag.kernels import registry
from antidiag.kernels.plays import staging
from antidiag.kernels.plays.clock import BY_MEASURED, BY_TIME, Clock
from antidiag.kernels.registry import method


@pytest.fixture
def page(qtbot):
    page = PlayPage(registry.METHODS)
    qtbot.addWidget(page)
    page.resize(970, 650)
    page.show()
    return page


def _picture(page, number=0):
    stage = page.stages[number]
    return stage.picture(QRectF(stage.canvas.rect()))


def test_all_methods_with_a_play_are_offered(page):
    offered = [page.method.itemData(row) for row in range(page.method.count())]
    assert [one for one in offered if one] == list(registry.METHODS)


def test_a_method_without_a_play_says_why(page):
    page.choose(method("msa-parttree"))
    assert not page.plays and method("msa-parttree").unplayed in page.error.text() and page.error.isVisible()
    page.choose(method("nj-pruned"))
    assert page.plays and not page.error.isVisible()


def test_two_methods_keep_one_measured_clock(qtbot, page):
    page.choose(method("antidiagonal"), method("striped-score"))
    page.by.setCurrentIndex(page.by.findData(BY_MEASURED))
    assert page.measured.isVisible() and not page.stages[0].isVisible() and page.scene().clock == BY_MEASURED
    page.measured.run()
    qtbot.waitUntil(lambda: not page.measured.busy and len(page.measured.replays.runs) == 2)
    first, second = page.measured.results
    assert first.problem is second.problem and first.answer.score == second.answer.score
    logs = [(result.steps.array()["end_ns"].max(), replay.end_ns)
            for result, (_, replay) in zip(page.measured.results, page.measured.replays.runs, strict=True)]  # fmt: skip
    assert all(log == replay for log, replay in logs), "the clock is that of the logs"
    page.measured.replays.player.slider.setValue(1000)
    assert all(replay.done(replay.start_ns + page.measured.replays.time_ns) == replay.events.size
               for _, replay in page.measured.replays.runs)  # fmt: skip
    assert "measured" in page.measured.replays.status.text() and "The CPU is used" not in page.measured.told.text()
    cells = first.problem.cells
    for name, replay in page.measured.replays.runs:
        told = picture.told(replay, replay.end_ns, replay.sheets[-1], name)
        assert f"{replay.events.size:,} of {replay.events.size:,} parts, {cells:,} of {cells:,} cells" in told
        assert "(001, section" in told or "no model of its traffic" in told, "it is said what the bytes are"
    page.choose(method("nussinov"))
    assert not page.measured.replays.runs and page.measured.methods == (method("nussinov"),)
    page.by.setCurrentIndex(0)
    assert page.stages[0].isVisible() and page.plays


def test_a_measurement_is_cancelled_and_begun_again(qtbot, page):
    page.choose(method("antidiagonal"), method("striped-score"))
    page.by.setCurrentIndex(page.by.findData(BY_MEASURED))
    measured = page.measured
    measured.amount.setValue(2)
    measured.backend.setCurrentIndex(measured.backend.findData("auto"))
    measured.press()
    assert measured.busy and measured.button.text() == "Cancel"
    measured.press()
    assert not measured.busy and measured.button.text() == "Run" and "Cancelled" in measured.told.text()
    with qtbot.waitSignal(measured.ended):
        measured.press()
    assert len(measured.replays.runs) == 2 and measured.button.text() == "Run"
    assert page.scene().size == 2 and page.scene().measured
    measured.run()
    page.hide()
    assert not measured.busy, "nothing runs that nobody looks at"


def test_forward_back_jump_and_play(qtbot, page):
    page.choose(method("striped-score"))
    last = len(page.plays[0])
    assert page.transport.tick == 0 and page.stages[0].look.step == -1
    qtbot.keyClick(page, Qt.Key.Key_Right)
    qtbot.keyClick(page, Qt.Key.Key_Right)
    qtbot.keyClick(page, Qt.Key.Key_Left)
    assert page.stages[0].look.step == 0 and "Step 1 of" in page.stages[0].words.text()
    qtbot.keyClick(page, Qt.Key.Key_End)
    assert page.stages[0].look.step == last - 1
    qtbot.keyClick(page, Qt.Key.Key_Space)
    assert page.transport.playing and page.transport.tick == 0
    page.transport._advance()
    assert page.transport.tick == 1
    qtbot.keyClick(page, Qt.Key.Key_Space)
    assert not page.transport.playing
    curve = _picture(page).curve
    page.stages[0]._click(QPointF(curve.left() + curve.width() * 0.5, curve.center().y()))
    assert page.stages[0].look.step == pytest.approx(last / 2, abs=1)


def test_a_cell_is_explained_with_its_numbers(page):
    page.choose(method("striped-score"))
    page.transport.go(page.clock.last)
    box = _picture(page).boxes((0, 4, 4, 0))[0]
    page.stages[0]._click(box.center())
    text = page.detail.formula.text()
    assert "H(3, 3) + c(T, T) = 0 + 2 = 2" in text and "<b" in text
    page.transport.go(0)
    assert "Computed in step" in page.detail.formula.text()


def test_a_letter_that_is_changed_changes_the_picture_at_once(page):
    page.choose(method("striped-score"))
    page.transport.go(page.clock.last)
    page.form.editor("first").set_value("GATTACA")
    page.form.editor("second").set_value("GATTACA")
    page.form.changed.emit()
    assert page.plays[0].answer.score == 14 and page.stages[0].play is page.plays[0]
    page.form.editor("first").set_value("?")
    page.form.changed.emit()
    assert "no letter" in page.error.text() and page.plays[0].answer.score == 14


def test_two_methods_keep_one_clock(page):
    page.choose(method("antidiagonal"), method("striped-score"))
    assert all(stage.isVisible() for stage in page.stages)
    page.transport.go(5)
    assert [stage.look.step for stage in page.stages] == [4, 4]
    page.by.setCurrentIndex(page.by.findData(BY_TIME))
    page.transport.go(page.clock.last)
    assert [stage.look.step for stage in page.stages] == [len(play) - 1 for play in page.plays]
    page.choose(method("antidiagonal"))
    assert not page.stages[1].isVisible()


def test_the_clock_of_time_shows_what_is_done_by_then():
    plays = tuple(staging.of(method(one)).make({}) for one in ("antidiagonal", "striped-score"))
    clock = Clock(plays, BY_TIME)
    shown = [clock.steps(tick) for tick in range(clock.last + 1)]
    assert shown[0] == (-1, -1) and shown[-1] == tuple(len(play) - 1 for play in plays)
    assert all(after[0] >= before[0] and after[1] >= before[1] and after != before for before, after in pairwise(shown))
    for number, play in enumerate(plays):
        assert all(clock.steps(clock.tick(number, step))[number] == step for step in range(len(play)))


def test_pictures_are_drawn_in_every_colouring(page):
    page.choose(method("chunked-alignment-2"), method("antidiagonal"))
    page.path.setChecked(True)
    pictures = set()
    for row in range(page.colouring.count()):
        page.colouring.setCurrentIndex(row)
        page.transport.go(page.clock.last - 3)
        image = QImage(900, 600, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        page.draw_figure(painter, QRectF(0, 0, 900, 600))
        painter.end()
        pictures.add(bytes(image.constBits()))
    assert len(pictures) == page.colouring.count()


def test_best_paths_are_counted_stepped_through_and_widened_by_a_margin(page):
    page.choose(method("striped-score"), values={"first": "AA", "second": "AAA", "mode": "global", "gap_open": 0})
    page.colouring.setCurrentIndex(page.colouring.findData("paths"))
    page.transport.go(page.clock.last)
    assert page.ways.isVisible() and "3 best paths" in page.ways.words.text() and page.ways.number.maximum() == 3
    density = dict(page.stages[0].look.shares)
    assert 0 < min(density.values()) < 1
    seen = set()
    for number in (1, 2, 3):
        page.ways.number.setValue(number)
        assert set(page.stages[0].look.shares.values()) == {1.0}
        seen.add(frozenset(page.stages[0].look.shares))
    assert len(seen) == 3
    page.ways.number.setValue(0)
    page.ways.margin.setValue(4)
    assert set(page.stages[0].look.shares) > set(density)
    page.choose(method("hmm-forward"))
    assert "summed" in page.ways.words.text() and not page.ways.number.isEnabled()


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf", "webp", "html"])
def test_what_is_shown_is_saved(page, tmp_path, suffix):
    page.choose(method("striped-score"), values={"first": "AC", "second": "AGC"})
    page.write(tmp_path / f"play.{suffix}")
    assert (tmp_path / f"play.{suffix}").stat().st_size > 1000
