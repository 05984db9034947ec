"""Methods step by step, as a lecturer uses the page."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QWidget

from antidiag.app.kit.controls.widgets import scroll_to
from antidiag.app.kit.replay import replay_picture
from antidiag.app.learn.walkthrough.walkthrough_page import WalkthroughPage
from antidiag.kernels import registry
from antidiag.kernels.registry import find_method
from antidiag.kernels.walkthroughs import walkthrough
from antidiag.kernels.walkthroughs.shared_clock import BY_MEASURED, BY_TIME, SharedClock


@pytest.fixture
def page(qtbot):
    page = WalkthroughPage(registry.METHODS)
    qtbot.addWidget(page)
    page.resize(970, 650)
    page.show()
    return page


def _picture(page, number=0):
    stage = page.animation_views[number]
    return stage.make_picture(QRectF(stage.canvas.rect()))


def test_all_methods_with_a_play_are_offered(page):
    offered = [page.method_box.itemData(row) for row in range(page.method_box.count())]
    assert [one for one in offered if one] == list(registry.METHODS)


def test_a_method_without_a_play_says_why(page):
    page.choose_methods(find_method("msa-parttree"))
    assert (
        not page.animations
        and find_method("msa-parttree").teaching.no_walkthrough_reason in page.form.error_label.text()
        and page.form.error_label.isVisible()
    )
    page.choose_methods(find_method("nj-pruned"))
    assert page.animations and not page.form.error_label.isVisible()


def test_costs_of_the_second_gap_piece_are_offered_with_two_pieces_alone(page):
    page.choose_methods(find_method("striped-score"))
    model, second = page.form.editor("gap_model"), page.form.editor("gap_open2")
    assert second.isHidden()
    for chosen, hidden in (("two-piece", False), ("affine", True)):
        model.set_value(chosen)
        page.form.changed.emit()
        assert second.isHidden() is hidden and page.animations


def test_two_methods_keep_one_measured_clock(qtbot, page):
    page.choose_methods(find_method("antidiagonal"), find_method("striped-score"))
    page.clock_box.setCurrentIndex(page.clock_box.findData(BY_MEASURED))
    assert (
        page.measured_runs.isVisible()
        and not page.animation_views[0].isVisible()
        and page.make_scene().clock == BY_MEASURED
    )
    page.measured_runs.run_methods()
    qtbot.waitUntil(lambda: not page.measured_runs.is_busy and len(page.measured_runs.replays.runs) == 2)
    first, second = page.measured_runs.results
    assert first.problem is second.problem and first.answer.score == second.answer.score
    logs = [
        (result.steps.ordered_events()["end_ns"].max(), replay.end_ns)
        for result, (_, replay) in zip(page.measured_runs.results, page.measured_runs.replays.runs, strict=True)
    ]
    assert all(log == replay for log, replay in logs), "the clock is that of the logs"
    page.measured_runs.replays.player.slider.setValue(1000)
    assert all(replay.done(replay.start_ns + page.measured_runs.replays.time_ns) == replay.events.size
               for _, replay in page.measured_runs.replays.runs)  # fmt: skip
    assert (
        "measured" in page.measured_runs.replays.status.text()
        and "The CPU is used" not in page.measured_runs.status_label.text()
    )
    cells = first.problem.cells
    for name, replay in page.measured_runs.replays.runs:
        told = replay_picture.describe_moment(replay, replay.end_ns, replay.sheets[-1], name)
        assert f"{replay.events.size:,} of {replay.events.size:,} parts, {cells:,} of {cells:,} cells" in told
        assert ", section" in told or "no traffic model" in told, "it is said what the bytes are"
    page.choose_methods(find_method("nussinov"))
    assert not page.measured_runs.replays.runs and page.measured_runs.methods == (find_method("nussinov"),)
    page.clock_box.setCurrentIndex(0)
    assert page.animation_views[0].isVisible() and page.animations


def test_a_measurement_is_cancelled_and_begun_again(qtbot, page):
    page.choose_methods(find_method("antidiagonal"), find_method("striped-score"))
    page.clock_box.setCurrentIndex(page.clock_box.findData(BY_MEASURED))
    measured = page.measured_runs
    measured.size_box.setValue(2)
    measured.backend_box.setCurrentIndex(measured.backend_box.findData("auto"))
    measured.run_or_cancel()
    assert measured.is_busy and measured.button.text() == "Cancel"
    measured.run_or_cancel()
    assert not measured.is_busy and measured.button.text() == "Run" and "Cancelled" in measured.status_label.text()
    with qtbot.waitSignal(measured.runs_ended):
        measured.run_or_cancel()
    assert len(measured.replays.runs) == 2 and measured.button.text() == "Run"
    assert page.make_scene().size == 2 and page.make_scene().is_measured
    measured.run_methods()
    page.hide()
    assert not measured.is_busy, "nothing runs that nobody looks at"


def test_forward_back_jump_and_play(qtbot, page):
    page.choose_methods(find_method("striped-score"))
    last = len(page.animations[0])
    assert page.controls.step == 0 and page.animation_views[0].look.step == -1
    qtbot.keyClick(page, Qt.Key.Key_Right)
    qtbot.keyClick(page, Qt.Key.Key_Right)
    qtbot.keyClick(page, Qt.Key.Key_Left)
    assert page.animation_views[0].look.step == 0 and "Step 1 of" in page.animation_views[0].step_label.text()
    qtbot.keyClick(page, Qt.Key.Key_End)
    assert page.animation_views[0].look.step == last - 1
    qtbot.keyClick(page, Qt.Key.Key_Space)
    assert page.controls.is_playing and page.controls.step == 0
    page.controls.advance(1)
    assert page.controls.step == 1
    qtbot.keyClick(page, Qt.Key.Key_Space)
    assert not page.controls.is_playing
    curve = _picture(page).curve
    page.animation_views[0]._on_clicked(QPointF(curve.left() + curve.width() * 0.5, curve.center().y()))
    assert page.animation_views[0].look.step == pytest.approx(last / 2, abs=1)


def test_a_cell_is_explained_with_its_numbers(page):
    page.choose_methods(find_method("striped-score"))
    page.controls.go_to(page.clock.last_tick)
    box = _picture(page).cell_boxes((0, 4, 4, 0))[0]
    page.animation_views[0]._on_clicked(box.center())
    text = page.cell_detail.formula.text()
    assert "H(3, 3) + c(T, T) = 0 + 2 = 2" in text and "<b" in text
    page.controls.go_to(0)
    assert "Computed in step" in page.cell_detail.formula.text()


def test_a_letter_that_is_changed_changes_the_picture_at_once(page):
    page.choose_methods(find_method("striped-score"))
    page.controls.go_to(page.clock.last_tick)
    page.form.editor("first").set_value("GATTACA")
    page.form.editor("second").set_value("GATTACA")
    page.form.changed.emit()
    assert page.animations[0].answer.score == 14 and page.animation_views[0].animation is page.animations[0]
    page.form.editor("first").set_value("?")
    page.form.changed.emit()
    assert "is not a letter" in page.form.error_label.text() and page.animations[0].answer.score == 14


def test_a_wrong_number_of_a_model_is_explained_below_its_table(qtbot, page):
    page.resize(970, 380)
    page.choose_methods(find_method("viterbi-serial"))
    editor = page.form.editor("emissions")
    editor.table.setFocus()
    editor.table.setCurrentCell(1, 0)
    qtbot.keyClicks(editor.table, "1")
    qtbot.keyClick(editor.table.focusWidget(), Qt.Key.Key_Return)
    message = page.form.error_label
    qtbot.waitUntil(lambda: not message.visibleRegion().isEmpty())
    assert "emissions of state 'L' sum to 1.875" in message.text()
    assert editor.geometry().bottom() < message.y() < page.form.editor("initial").y()
    qtbot.keyClick(editor.table, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert not message.isVisible() and page.form.values()["emissions"] == "0.5 0.5; 0.125 0.875"


@pytest.mark.parametrize("width", [620, 970])
def test_fields_are_whole_in_a_narrow_page_and_in_its_drawer(qtbot, width):
    window = QWidget()
    qtbot.addWidget(window)
    page = WalkthroughPage(registry.METHODS)
    page.setParent(window)  # as in the window of the program, whose pages may be narrower than they ask for
    window.resize(width, 400)
    page.resize(width, 400)
    window.show()
    page.choose_methods(find_method("viterbi-serial"))
    qtbot.waitUntil(lambda: bool(page.folding.folded_sides) == (width == 620))
    page.folding.show_panel("method")
    qtbot.waitUntil(page.form.editor("letters").isVisible)
    for widget in (page.method_box, page.form.editor("letters"), page.form.editor("transitions").table):
        scroll_to(widget)
        assert widget.width() > 250 and widget.visibleRegion().boundingRect().width() == widget.width()


def test_two_methods_keep_one_clock(page):
    page.choose_methods(find_method("antidiagonal"), find_method("striped-score"))
    assert all(stage.isVisible() for stage in page.animation_views)
    page.controls.go_to(5)
    assert [stage.look.step for stage in page.animation_views] == [4, 4]
    page.clock_box.setCurrentIndex(page.clock_box.findData(BY_TIME))
    page.controls.go_to(page.clock.last_tick)
    assert [stage.look.step for stage in page.animation_views] == [len(play) - 1 for play in page.animations]
    page.choose_methods(find_method("antidiagonal"))
    assert not page.animation_views[1].isVisible()


def test_the_clock_of_time_shows_what_is_done_by_then():
    plays = tuple(
        walkthrough.load_walkthrough(find_method(one)).make_animation({}) for one in ("antidiagonal", "striped-score")
    )
    clock = SharedClock(plays, BY_TIME)
    shown = [clock.steps_at(tick) for tick in range(clock.last_tick + 1)]
    assert shown[0] == (-1, -1) and shown[-1] == tuple(len(play) - 1 for play in plays)
    assert all(after[0] >= before[0] and after[1] >= before[1] and after != before for before, after in pairwise(shown))
    for number, play in enumerate(plays):
        assert all(clock.steps_at(clock.tick_of(number, step))[number] == step for step in range(len(play)))


def test_pictures_are_drawn_in_every_colouring(page):
    page.choose_methods(find_method("chunked-alignment-2"), find_method("antidiagonal"))
    page.path_box.setChecked(True)
    pictures = set()
    for row in range(page.colouring_box.count()):
        page.colouring_box.setCurrentIndex(row)
        page.controls.go_to(page.clock.last_tick - 3)
        image = QImage(900, 600, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        page.draw_figure(painter, QRectF(0, 0, 900, 600))
        painter.end()
        pictures.add(bytes(image.constBits()))
    assert len(pictures) == page.colouring_box.count()


def test_best_paths_are_counted_stepped_through_and_widened_by_a_margin(page):
    page.choose_methods(
        find_method("striped-score"), values={"first": "AA", "second": "AAA", "mode": "global", "gap_open": 0}
    )
    page.colouring_box.setCurrentIndex(page.colouring_box.findData("paths"))
    page.controls.go_to(page.clock.last_tick)
    assert (
        page.best_paths_bar.isVisible()
        and "3 best paths" in page.best_paths_bar.count_label.text()
        and page.best_paths_bar.number_box.maximum() == 3
    )
    density = dict(page.animation_views[0].look.shares)
    assert 0 < min(density.values()) < 1
    seen = set()
    for number in (1, 2, 3):
        page.best_paths_bar.number_box.setValue(number)
        assert set(page.animation_views[0].look.shares.values()) == {1.0}
        seen.add(frozenset(page.animation_views[0].look.shares))
    assert len(seen) == 3
    page.best_paths_bar.number_box.setValue(0)
    page.best_paths_bar.margin_box.setValue(4)
    assert set(page.animation_views[0].look.shares) > set(density)
    page.choose_methods(find_method("hmm-forward"))
    assert "summed" in page.best_paths_bar.count_label.text() and not page.best_paths_bar.number_box.isEnabled()


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf", "webp", "html"])
def test_what_is_shown_is_saved(page, qtbot, answers, tmp_path, suffix):
    page.choose_methods(find_method("striped-score"), values={"first": "AC", "second": "AGC"})
    answers.path = tmp_path / f"play.{suffix}"
    page.save_animation()
    assert page.saving.busy, "it is written in the background"
    qtbot.waitUntil(lambda: not page.saving.busy)
    assert (tmp_path / f"play.{suffix}").stat().st_size > 1000
