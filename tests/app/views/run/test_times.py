from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QGuiApplication

from antidiag.app import texts
from antidiag.app.kit.cube import cube_chunks
from antidiag.app.kit.figures import export
from antidiag.app.kit.results import result_text as texts_of_views
from antidiag.app.kit.results.phase_times import list_phase_times, phase_colour
from antidiag.app.kit.selection import Selection
from antidiag.app.views.run import timeline as timeline_module
from antidiag.app.views.run.phases import PhasesView
from antidiag.app.views.run.timeline import FILL, TimelineView
from antidiag.kernels.experiments.point_data.timeline_lanes import lay_out_lanes
from antidiag.kernels.steps import STEP, StepLog
from tests.app.views import examples, tree_examples, triples

RESULT = examples.result(examples.problem(*examples.related(90)))
SCORE = examples.result(examples.problem(*examples.related(90)), score_only=True)


def log(*events):
    """A step log of (worker, strip, start, end)."""
    steps = StepLog()
    for worker, strip, start, end in events:
        steps.add(1, strip, (0, 10), (32 * strip, 32 * strip + 32), worker, start, end)
    return steps


def test_phases_share_their_time_apart_from_the_rest():
    times = {time.name: time for time in list_phase_times(RESULT)}
    assert list(times) == ["phase 1", "phase 2", "phase 3", "compilation", "transfer"]
    assert times["phase 1"].share == pytest.approx(12.5 / 15.8)
    assert times["transfer"].share == pytest.approx(0.4 / 80.4)
    assert times["phase 1"].cells == RESULT.problem.cells
    assert times["phase 1"].gcups == pytest.approx(RESULT.problem.cells / 12.5e6)
    assert 0 < times["phase 3"].cells < RESULT.problem.cells


@pytest.mark.parametrize("length", [1, 20])
def test_phases_of_three_sequences_count_the_cells_of_the_cube(length):
    result = triples.result(triples.problem(length))
    cells = {time.name: time.cells for time in list_phase_times(result)}
    again = np.zeros([size + 1 for size in result.problem.lengths], bool)
    for i, i_end, j, j_end, k, k_end in cube_chunks.collect_chunks(result).recomputed_boxes:
        again[i:i_end, j:j_end, k:k_end] = True
    assert cells == {"phase 1": result.problem.cells, "phase 3": again[1:, 1:, 1:].sum()}


def test_windows_that_cut_the_same_layers_have_no_rate(qtbot):
    """The planes of SLOPED: the log says which layers they cut, not how much of them they computed."""
    log = StepLog()
    for layers, strip in (((0, 20), 0), ((10, 30), 0), ((0, 30), 1)):
        log.add(1, strip, (0, 10), (0, 10), 0, 1000 * log.count, 1000 * log.count + 900, layers)
    view = TimelineView(Selection())
    qtbot.addWidget(view)
    view.show_result(replace(triples.result(triples.problem()), steps=log))
    said = [view.hover_text(number) for number in range(3)]
    assert ["CUPS" in text for text in said] == [False, False, True]


def test_every_phase_has_its_colour():
    palette = ("a", "b", "c", "d", "e", "f")
    names = ("phase 1", "phase 3", "compilation", "transfer")
    assert [phase_colour(name, names, palette) for name in names] == ["a", "c", "d", "e"]


def test_phases_view(qtbot):
    view = PhasesView(Selection())
    qtbot.addWidget(view)
    view.resize(700, 400)
    view.show()
    view.show_result(RESULT)
    assert [view.table.item(row, 0).text() for row in (0, 3, 5)] == ["phase 1", "compilation", "all phases"]
    assert view.table.item(0, 2).text() == "79.1 %"
    assert [view.table.item(row, 4).text() for row in (0, 5)] == [
        texts.format_rate(RESULT.problem.cells / 12.5e6),
        texts.format_rate(RESULT.gcups),
    ]
    assert view.table.item(0, 4).text().endswith(" MCUPS")
    boxes = [box for _, box in view.bar.phase_boxes()]
    assert boxes[-1].right() == pytest.approx(view.bar.width())
    assert boxes[0].width() == pytest.approx(view.bar.width() * 12.5 / 15.8)
    view.copy()
    assert QGuiApplication.clipboard().text().split("\n")[1].startswith("phase 1\t12.5\t")
    for result in (SCORE, replace(RESULT, times_ms={"phase 1": 0.0}), None):
        view.show_result(result)
        view.grab()


def test_a_result_without_a_step_log_has_no_timeline():
    assert not TimelineView.shows(replace(RESULT, steps=StepLog()))


def test_pixels_show_every_event_however_short():
    found = lay_out_lanes(log((0, 0, 0, 1), (0, 1, 500_000, 1_000_000), (1, 2, 250_000, 250_001)))
    image = found.render_rows(np.array([1, 2, 3], np.uint32), 0, 1_000_000, 100)
    assert image.shape == (2, 100)
    assert image[0, 0] == 1
    assert (image[0, 1:50] == 0).all()
    assert (image[0, 50:] == 2).all()
    assert np.flatnonzero(image[1]).tolist() == [25]
    separated = found.render_rows(np.array([1, 2, 3], np.uint32), 0, 1_000_000, 100, separated=5)
    assert np.flatnonzero(separated[0]).tolist() == [0, *range(50, 99)]
    touching = lay_out_lanes(log((0, 0, 0, 503_000), (0, 1, 504_000, 1_000_000)))
    parted = touching.render_rows(np.array([1, 2], np.uint32), 0, 1_000_000, 100, separated=5)
    assert np.flatnonzero(parted[0] == 0).tolist() == [49, 99], "also where one ends in the pixel where another begins"
    zoomed = found.render_rows(np.array([1, 2, 3], np.uint32), 600_000, 700_000, 10)
    assert (zoomed[0] == 2).all()
    assert not zoomed[1].any()


@pytest.fixture
def timeline(qtbot):
    view = TimelineView(Selection())
    qtbot.addWidget(view)
    view.resize(700, 400)
    view.show()
    view.show_result(RESULT)
    return view


def _hover(view, time_ms, lane):
    box = view.plot.getViewBox()
    view.plot.scene().sigMouseMoved.emit(box.mapViewToScene(QPointF(time_ms, lane)))


def test_hover_says_strip_rows_and_times_and_tells_the_others(timeline):
    _hover(timeline, 1.5, 1)
    assert timeline.selection.strip == 1
    text = timeline.status.text()
    assert "phase 1   strip 1   rows 1\u201390   columns 33\u201364   thread 1   1.000 to 2.800 ms" in text
    _hover(timeline, 6, 1)
    assert timeline.selection.strip is None
    _hover(timeline, 1.5, 1 + FILL / 2 + 0.05)
    assert timeline.selection.strip is None


def test_a_strip_hovered_elsewhere_is_lit(timeline):
    before = timeline.plot.grab().toImage()
    timeline.selection.hover_strip(1)
    assert timeline.plot.grab().toImage() != before
    timeline.selection.hover_strip(None)
    assert timeline.plot.grab().toImage() == before


def test_colour_by_strip_and_summary(timeline):
    assert timeline.summary.text().startswith("2 threads, 3 strips, busy ")
    before = timeline.plot.grab().toImage()
    timeline._colour.setCurrentIndex(1)
    assert timeline.plot.grab().toImage() != before


def test_very_many_events_are_thinned(qtbot, timeline, monkeypatch):
    events = np.zeros(200_000, STEP)
    events["worker"] = np.arange(len(events)) % 132
    events["start_ns"] = np.arange(len(events)) // 132 * 1000
    events["end_ns"] = events["start_ns"] + 900
    events["phase"] = 1
    steps = StepLog()
    steps.add_array(events)
    timeline.show_result(replace(RESULT, steps=steps, backend="cuda"))
    qtbot.waitUntil(lambda: timeline.bars.lanes is not None)
    boxes = []
    box = timeline.bars.event_box
    monkeypatch.setattr(timeline.bars, "event_box", lambda *a: boxes.append(a) or box(*a))
    timeline.grab()
    assert timeline.summary.text().startswith("132 multiprocessors")
    assert len(boxes) == 0


def test_timeline_figure_and_other_results(timeline, tmp_path):
    export.save_figure(tmp_path / "time.svg", timeline.figure_size(), timeline.draw_figure, "t")
    assert "time (ms)" in (tmp_path / "time.svg").read_text(encoding="utf-8")
    for result in (SCORE, None):
        timeline.show_result(result)
        timeline.grab()


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (triples.result(triples.problem()), "first \u00d7 second \u00d7 third \u00b7 SLOPED-BT2 \u00b7 s = 8"),
        (tree_examples.result(), "little matrix \u00b7 NJ-serial \u00b7 6 taxa"),
    ],
)
def test_a_timeline_of_any_problem_is_saved_and_copied(qtbot, tmp_path, result, said):
    view = TimelineView(Selection())
    qtbot.addWidget(view)
    view.show_result(replace(result, steps=triples.result(triples.problem()).steps))
    path = tmp_path / "timeline.svg"
    export.save_figure(path, view.figure_size(), view.draw_figure, texts_of_views.format_title(view.result))
    assert said in path.read_text()
    view.copy()
    assert not QGuiApplication.clipboard().image().isNull()


def test_many_events_are_laid_out_by_a_thread_and_only_the_last_result_counts(qtbot, monkeypatch):
    view = TimelineView(Selection())
    qtbot.addWidget(view)
    monkeypatch.setattr(timeline_module, "MANY_EVENTS", 0)
    view.show_result(replace(RESULT, steps=log((0, 0, 0, 10))))
    view.show_result(RESULT)
    assert view.bars.lanes is None
    qtbot.waitUntil(lambda: view.bars.lanes is not None)
    assert view.bars.lanes.events.size == RESULT.steps.ordered_events().size
    view.show_result(RESULT)
    view.show_result(None)
    qtbot.waitUntil(lambda: not view._laying.busy)
    assert view.bars.lanes is None


def test_it_opens_on_what_was_computed_and_names_what_came_before(qtbot):
    steps = StepLog()
    steps.add(1, 0, (0, 10), (0, 10), 0, 470_000_000, 473_000_000)
    timeline = TimelineView(Selection())
    qtbot.addWidget(timeline)
    result = replace(examples.result(examples.problem(*examples.related(90))), steps=steps)
    timeline.show_result(replace(result, times_ms={"compilation": 465.0, "transfer": 2.0, "phase 1": 3.0}))
    (left, right), _ = timeline.plot.viewRange()
    assert left == pytest.approx(0.09, abs=0.05), "what came before is folded"
    assert right == pytest.approx(3.09, abs=0.05)
    assert timeline.summary.text().endswith("busy 100 % of 3.0 ms")
    assert timeline.bars.first_gap_text == "470 ms before the first strip: compilation 465 ms, transfer 2.0 ms"
    timeline.fit_from_run()
    assert timeline.plot.viewRange()[0][0] <= 0


def test_waiting_is_told_apart_from_computing(qtbot):
    steps = StepLog(share=0.5)
    steps.add(1, 0, (0, 10), (0, 10), 0, 0, 1_000_000, waited_ns=500_000)
    steps.add(1, 0, (10, 20), (0, 10), 0, 3_000_000, 4_000_000)
    view = TimelineView(Selection())
    qtbot.addWidget(view)
    view.show_result(replace(RESULT, steps=steps))
    assert view.summary.text().endswith("busy 75 %, waiting 25 % of 4.0 ms; 1 of 2 launches is shown")
    assert "waited 0.5 ms" in view.hover_text(0)
    assert "waiting for neighbours" in view.legend.items[-1].text
    whole = StepLog()
    whole.add_array(steps.ordered_events())
    view.show_result(replace(RESULT, steps=whole))
    assert view.summary.text().endswith("busy 75 %, waiting 25 % of 2.0 ms, plus 2.0 ms of gaps")
    pixels = view.bars.lanes.render_rows(np.array([7, 7], np.uint32), 0, 4_000_000, 8, waiting=9)
    assert pixels.tolist() == [[9, 7, 0, 0, 0, 0, 7, 7]]


def test_long_gaps_are_folded_and_named(qtbot):
    """Compilation before, 160 ms of the host between two phases of 2 ms."""
    steps = StepLog()
    for phase, start in ((1, 346_000_000), (3, 508_000_000)):
        for worker in range(3):
            steps.add(phase, worker, (0, 10), (0, 10), worker, start, start + 2_000_000)
    view = TimelineView(Selection())
    qtbot.addWidget(view)
    view.resize(900, 400)
    view.show()
    view.show_result(replace(RESULT, steps=steps, times_ms={"compilation": 340.0, "phase 1": 2.0, "phase 3": 2.0}))
    assert "busy 100 % of 4.0 ms, plus 160 ms of gaps" in view.summary.text()
    (left, right), _ = view.plot.viewRange()
    assert right - left < 5
    before, between = view.bars.breaks
    assert before[2] == "346 ms before the first strip: compilation 340 ms"
    assert between[2].startswith("no thread busy for 160 ms: launch gap, compilation")
    _hover(view, (between[0] + between[1]) / 2e6, 0)
    assert view.status.text() == between[2]
    fold = view._fold
    times = np.array([346e6, 347e6, 348e6, 400e6, 508e6, 510e6, 900e6])
    np.testing.assert_allclose(fold.unfold_times(fold.fold_times(times)), times)
    assert fold.fold_times(510e6) - fold.fold_times(346e6) == pytest.approx(4e6 + between[1] - between[0])
    assert view._time.tickStrings([fold.fold_times(509e6) / 1e6], 1, 1) == ["509"]
    view.grab()
    assert "508.000 to 510.000 ms" in view.hover_text(int(np.argmax(view.bars.lanes.events["start_ns"])))
    view.folds.setChecked(False)
    (left, right), _ = view.plot.viewRange()
    assert right - left > 163
    assert view._time.tickStrings([509], 1, 1) == ["509"]


def test_a_first_run_on_a_gpu_opens_on_its_kernels_and_names_the_compiler(qtbot):
    """470 ms of compiling before the first kernel and 160 ms before the second, of kernels of 3 ms."""
    steps, ms = StepLog(), 1_000_000
    for phase, start in ((1, 470), (2, 631)):
        for worker in range(4):
            steps.add(phase, worker, (0, 10), (0, 10), worker, start * ms, start * ms + 3 * ms // 2)
    times = {"compilation": 628.0, "transfer": 1.0, "phase 1": 1.5, "phase 2": 1.5}
    view = TimelineView(Selection())
    qtbot.addWidget(view)
    view.resize(900, 400)
    view.show()
    view.show_result(replace(RESULT, steps=steps, times_ms=times, backend="cuda"))
    (low, high), _ = view.plot.getViewBox().viewRange()
    kernels = view.bars.drawn.events
    assert low >= 0.99 * view.bars.drawn.start_ns / 1e6 - 0.1 and high - low < 4
    assert (kernels["end_ns"] - kernels["start_ns"]).sum() / 4e6 > 0.8 * (high - low)
    before, between = view.bars.breaks
    assert before[2] == "470 ms before the first strip: compilation 628 ms, transfer 1.0 ms"
    assert between[2].endswith(": compilation, at least 158 ms of it")
    assert (between[1] - between[0]) / 1e6 < 0.2
    view.show_result(replace(RESULT, steps=steps, times_ms={**times, "compilation": 5.0}, backend="cuda"))
    assert "launch gap" in view.bars.breaks[1][2]
