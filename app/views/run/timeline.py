"""TimelineView: which worker computed which strip, and when."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import cast

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QCheckBox, QComboBox, QVBoxLayout

from antidiag.app import texts, theme
from antidiag.app.kit.canvas.painted_view import PaintedView
from antidiag.app.kit.controls.widgets import ElidedLabel, tool_button
from antidiag.app.kit.figures import export
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.plots.axis import FastPlot, PlotAxis, create_plot
from antidiag.app.kit.results import result_text as view_texts
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.run.timeline_bars import FILL, PieceNames, TimelineBars
from antidiag.kernels.experiments.point_data.idle_gaps import IdleFold, find_idle_gaps, fold_lanes
from antidiag.kernels.experiments.point_data.timeline_lanes import TimelineLanes, lay_out_lanes
from antidiag.kernels.model import Result

HINT = "Wheel to zoom in time, drag to move"
HINTS = {
    "strip": f"{HINT}; point at a bar to highlight its strip in the matrix",
    "chunk": f"{HINT}; point at a bar to highlight its chunk in the cube",
}
GAP_TEXT = "launch gap, compilation or work of the host"
MANY_LANES = 24
MANY_EVENTS = 20_000  # more events are laid out on a thread; so many take about 20 ms


class WorkerAxis(PlotAxis):
    """Axis that labels each lane with the number of its worker."""

    workers: tuple[int, ...] = ()

    def tickSpacing(self, minimum, maximum, size):
        spacings = [(max(round(spacing), 1), 0) for spacing, _ in super().tickSpacing(minimum, maximum, size)]
        return spacings[:2]

    def tickStrings(self, values, scale, spacing):
        return [str(self.workers[round(v)]) if 0 <= round(v) < len(self.workers) else "" for v in values]


class TimeAxis(PlotAxis):
    """Axis of milliseconds since the start of the run, also where gaps are folded."""

    fold: IdleFold | None = None

    def tickStrings(self, values, scale, spacing):
        if self.fold is None or not self.fold.starts_ns.size:
            return super().tickStrings(values, scale, spacing)
        digits = max(0, -math.floor(math.log10(spacing))) if spacing < 1 else 0
        return [f"{self.fold.unfold_times(value * 1e6) / 1e6:,.{digits}f}" for value in values]


class TimelineView(PaintedView):
    """A lane of bars for each worker over time."""

    id = "timeline"
    title = "Timeline"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.bars = TimelineBars()
        self._fold: IdleFold | None = None
        self.plot = FastPlot(create_plot({"left": WorkerAxis("left"), "bottom": TimeAxis("bottom")}))
        self._axis, self._time = self.plot.getAxis("left"), self.plot.getAxis("bottom")
        self.plot.addItem(self.bars, ignoreBounds=True)
        self.plot.setLabel("bottom", "time (ms)")
        for axis in ("bottom", "left"):
            self.plot.getAxis(axis).enableAutoSIPrefix(False)
        self.plot.hideButtons()
        self.plot.invertY(True)
        self.summary = ElidedLabel()
        self._colour = QComboBox()
        self._colour.addItems(["Colour by phase", "Colour by strip"])
        self.folds = QCheckBox("Fold gaps")
        self.folds.setChecked(True)
        self.folds.setToolTip("Draw long idle times narrow, such as compilation, transfer and work of the host")
        for tool in (
            self._colour,
            self.folds,
            tool_button("Fit", "Show the computation, from the first start to the last end", self.fit),
            tool_button("Whole run", "Include compilation and transfer before the computation", self.fit_from_run),
        ):
            self.tools.addWidget(tool)
        self.build_layout(self.plot)
        cast(QVBoxLayout, self.layout()).insertWidget(1, self.summary)
        self._colour.currentIndexChanged.connect(self._on_colour)
        self.folds.toggled.connect(self._on_fold)
        self.plot.scene().sigMouseMoved.connect(self._on_mouse)
        selection.strip_changed.connect(self._on_strip)
        self._laying = LatestTask(
            self, self._show_lanes, lambda error: self.status.setText(f"The events cannot be shown: {error}")
        )
        self.apply_theme()
        self.view_state.keep_choice("colour", self._colour)
        self.view_state.keep_check("folds", self.folds)
        self.view_state.keep_place("window", self._list_window, self._restore_window)

    @property
    def has_content(self) -> bool:
        """Whether the step log is laid out."""
        return self.bars.lanes is not None

    def _list_window(self) -> list[list[float]]:
        return [list(map(float, span)) for span in self.plot.getViewBox().viewRange()]

    def _restore_window(self, window: list[list[float]]) -> None:
        across, down = window
        self.plot.setRange(xRange=tuple(across), yRange=tuple(down), padding=0)

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return result.steps.count > 0

    def show_result(self, result: Result | None) -> None:
        """Show the step log of a result, or nothing."""
        self._laying.cancel()
        self.result = result
        self._show_lanes(None)
        if result is not None and self.shows(result):
            if result.steps.count > MANY_EVENTS:
                self.status.setText("Reading the step log\u2026")
                self._laying.request(lambda monitor: lay_out_lanes(result.steps))
            else:
                self._show_lanes(lay_out_lanes(result.steps))

    def _show_lanes(self, found: TimelineLanes | None) -> None:
        self.bars.lanes, self.bars.strip = found, None
        self._fold = find_idle_gaps(found) if found is not None else None
        self.bars.words = PieceNames.for_result(
            self.result, found is not None and bool(found.events["layer_end"].any())
        )
        self.bars.first_gap_text = self._first_gap_text() if found is not None else ""
        self._draw_folded()
        self.status.setText(self._hint_text())
        self.summary.setText(self._summary_text())
        self._update_legend()
        if self.bars.lanes is not None:
            self._colour.setItemText(1, f"Colour by {self._event_name()}")
            self._axis.workers = tuple(self.bars.lanes.workers.tolist())
            self.plot.setLabel("left", self._worker_name())
            self.plot.setMouseEnabled(x=True, y=len(self._axis.workers) > MANY_LANES)
            self.fit()
            self.view_state.resume()
        self.bars.update()

    def fit(self) -> None:
        """Show the computation without the compilation and transfer before it, which usually take longer."""
        if self.bars.lanes is not None:
            self._show_from(self.bars.drawn.start_ns / 1e6)

    def fit_from_run(self) -> None:
        """Show the time from the start of the run."""
        if self.bars.lanes is not None:
            self._show_from(0.0)

    def _on_fold(self) -> None:
        if self.bars.lanes is not None:
            self._draw_folded()
            self.fit()

    def _draw_folded(self) -> None:
        found, used = self.bars.lanes, self._fold if self.folds.isChecked() else None
        self._time.fold = used
        self.bars.drawn = fold_lanes(found, used) if found is not None and used is not None else found
        self.bars.breaks = () if used is None else tuple(self._folded_gaps(used))
        self._time.picture = None
        self.bars.update()

    def _folded_gaps(self, used: IdleFold) -> Iterator[tuple[float, float, str]]:
        """Yield start, end and label of each folded gap as it is drawn."""
        compiled = used.least_share_ns(1e6 * self._compilation_ms).tolist()
        for start, length, least in zip(used.starts_ns.tolist(), used.lengths_ns.tolist(), compiled, strict=True):
            why = (
                f"compilation, at least {texts.format_duration(least / 1e6)} of it" if 2 * least > length else GAP_TEXT
            )
            words = f"no {self._worker_name()} busy for {texts.format_duration(length / 1e6)}: {why}"
            yield (
                float(used.fold_times(start)),
                float(used.fold_times(start + length)),
                words if start else self.bars.first_gap_text,
            )

    @property
    def _compilation_ms(self) -> float:
        """Compilation time within the step log; a CPU backend compiles before the log starts."""
        found = self.result
        return found.times_ms.get("compilation", 0.0) if found is not None and found.backend == "cuda" else 0.0

    def _show_from(self, start: float) -> None:
        end, count = max(self.bars.drawn.end_ns / 1e6, 1e-6), len(self.bars.lanes.workers)
        self.plot.getViewBox().setLimits(
            xMin=-end,
            xMax=2 * end,
            yMin=-1.5,
            yMax=count + 0.5,
            minXRange=(end - self.bars.drawn.start_ns / 1e6) / 1e5,
            maxXRange=3 * end,
        )
        self.plot.setRange(xRange=(start, end), yRange=(-0.6, count - 0.4), padding=0.01)

    def hover_text(self, number: int) -> str:
        """Describe an event in one line."""
        event = self.bars.lanes.events[number]
        start, end, waited = (int(event[name]) / 1e6 for name in ("start_ns", "end_ns", "waited_ns"))
        rows, columns = (f"{event[f'{axis}_start'] + 1:,}\u2013{event[f'{axis}_end']:,}" for axis in ("row", "column"))
        cells = int((event["row_end"] - event["row_start"]) * (event["column_end"] - event["column_start"]))
        layers = ""
        if event["layer_end"]:
            layers = f"layers {event['layer_start'] + 1:,}\u2013{event['layer_end']:,}   "
            cells *= int(event["layer_end"] - event["layer_start"])
        rate = (
            f"   {texts.format_rate(cells / (end - start) / 1e6)}"
            if end > start and not self._shares_layers(number)
            else ""
        )
        return (
            f"{self.bars.words.phase_name(event['phase'])}   {self.bars.words.piece_name(event['phase'])} "
            f"{event['strip']:,}   "
            f"rows {rows}   columns {columns}   "
            f"{layers}{self._worker_name()} {event['worker']}   "
            f"{start:,.3f} to {end:,.3f} ms ({texts.format_duration(end - start)}"
            f"{', waited ' + texts.format_duration(waited) if waited else ''}){rate}"
        )

    def _shares_layers(self, number: int) -> bool:
        """Whether other events computed cells of the same layers of the chunk, so that this one has fewer."""
        events = self.bars.lanes.events
        event = events[number]
        same = (events["phase"] == event["phase"]) & (events["strip"] == event["strip"])
        layers = (events["layer_start"] < event["layer_end"]) & (events["layer_end"] > event["layer_start"])
        return int((same & layers).sum()) > 1

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Draw title, plot and legend, for a file."""
        self.bars.shows_pointer = False
        export.draw_plot(painter, area, self.figure_title(), self.plot, self.legend.items)
        self.bars.shows_pointer = True

    def figure_size(self) -> QSize:
        """Return the size of the exported figure."""
        return export.plot_figure_size(self.fontMetrics(), self.plot, self.legend.items)

    def figure_title(self) -> str:
        """Return the title of an exported figure."""
        return view_texts.format_title(self.result)

    def leaveEvent(self, event) -> None:
        self._point_at(None)
        super().leaveEvent(event)

    def _hint_text(self) -> str:
        return HINTS.get(self._event_name(), HINT) if self.bars.lanes else ""

    def _event_name(self) -> str:
        return self.bars.words.common_piece_name(np.unique(self.bars.lanes.events["phase"]).tolist())

    def _worker_name(self) -> str:
        return "multiprocessor" if self.result is not None and self.result.backend == "cuda" else "thread"

    def _summary_text(self) -> str:
        found = self.bars.lanes
        if found is None:
            return ""
        count, name = len(found.workers), self._event_name()
        of_all_phases = len(self.bars.words.pieces) < 2 and self.bars.words.usual != "step"
        numbers = "strip" if of_all_phases else ["phase", "strip"]
        strips = len(np.unique(found.events[numbers]))
        gaps = self._fold.gaps_after_start_ns
        waiting = f", waiting {100 * found.waiting_share(gaps):.0f} %" if found.waiting_share() else ""
        beside = f", plus {texts.format_duration(gaps / 1e6)} of gaps" if gaps else ""
        shown = f"; 1 of {1 / found.share:.0f} launches is shown" if found.share < 1 else ""
        return (
            f"{count:,} {self._worker_name()}{'s' * (count != 1)}, {strips:,} {name}{'s' * (strips != 1)}, "
            f"busy {100 * found.busy_share(gaps):.0f} %{waiting} of "
            f"{texts.format_duration((found.end_ns - found.start_ns - gaps) / 1e6)}{beside}{shown}"
        )

    def _first_gap_text(self) -> str:
        """Return a text such as '470 ms before the first strip: compilation 465 ms, transfer 2 ms'."""
        found, named = self.bars.lanes, {"compilation": 0.0, "transfer": 0.0, **self.result.times_ms}
        parts = [
            f"{name} {texts.format_duration(named[name])}" for name in ("compilation", "transfer") if named[name] > 0
        ]
        text = f"{texts.format_duration(found.start_ns / 1e6)} before the first {self._event_name()}"
        return f"{text}: {', '.join(parts)}" if parts else text

    def _update_legend(self) -> None:
        found, palette = self.bars.lanes, theme.active().phases
        items: list[LegendItem] = []
        if found is not None and self.bars.by_strip:
            items = [LegendItem("text", f"neighbouring {self._event_name()}s have different colours")]
        elif found is not None:
            phases = np.unique(found.events["phase"]).tolist()
            items = [
                LegendItem("fill", self.bars.words.phase_name(n), (palette[(n - 1) % len(palette)],)) for n in phases
            ]
        if found is not None and found.waiting_share():
            items.append(LegendItem("fill", "part of a bar: waiting for neighbours", (theme.active().border,)))
        self.legend.show_items(tuple(items))

    def _on_colour(self, index: int) -> None:
        self.bars.by_strip = index == 1
        self._update_legend()
        self.bars.update()

    def _on_mouse(self, position: QPointF) -> None:
        box, found = self.plot.getViewBox(), self.bars.lanes
        if found is None or not box.sceneBoundingRect().contains(position):
            self._point_at(None)
            return
        point = box.mapSceneToView(position)
        lane, reach = round(point.y()), 2 * box.viewPixelSize()[0] * 1e6
        share = (point.y() - lane + FILL / 2) / FILL
        row = lane * found.depth + int(share * found.depth)
        words = next((words for left, right, words in self.bars.breaks if left <= point.x() * 1e6 < right), "")
        if words:
            self._point_at(None)
            self.status.setText(words)
            return
        number = self.bars.drawn.event_at(row, point.x() * 1e6, reach) if 0 <= share < 1 else None
        self._point_at(number)

    def _point_at(self, number: int | None) -> None:
        if self.bars.lanes is None:
            return
        self.status.setText(self._hint_text() if number is None else self.hover_text(number))
        self.selection.hover_strip(None if number is None else int(self.bars.lanes.events["strip"][number]))

    def _on_strip(self, strip: int | None) -> None:
        self.bars.strip = strip
        self.bars.update()

    def apply_theme(self) -> None:
        """Redraw in the colours of the current theme."""
        theme.style_plot(self.plot.getPlotItem())
        self.plot.setBackground(theme.active().panel)
        self._update_legend()
        self.bars.update()
