"""TimelineView: which strip ran where, and when."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QCheckBox, QComboBox, QVBoxLayout, QWidget

from antidiag.app import texts, theme
from antidiag.app.kit import export
from antidiag.app.kit import result_text as view_texts
from antidiag.app.kit.axis import Axis, PlainPlot, plain_plot
from antidiag.app.kit.background import Latest
from antidiag.app.kit.flow import ToolRow
from antidiag.app.kit.fold import Fold, fold, folded
from antidiag.app.kit.lanes import Lanes, lanes
from antidiag.app.kit.legend import Legend, LegendItem
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import Elided, tool_button
from antidiag.app.views.run.bars import FILL, Bars
from antidiag.app.views.run.words import Words
from antidiag.kernels.model import Result

HINT = "Wheel to zoom in time, drag to move"
HINTS = {
    "strip": f"{HINT}; a bar lights up its strip in the matrix",
    "chunk": f"{HINT}; a bar lights up its chunk in the cube",
}
BETWEEN = "launch gap, compilation or the host's work"
MANY_LANES = 24
MANY_EVENTS = 20_000
"""Events from which they are laid out on a thread: so many take some 20 ms."""


class WorkerAxis(Axis):
    """Lanes by the number of their worker."""

    workers: tuple[int, ...] = ()

    def tickSpacing(self, minimum, maximum, size):
        spacings = [(max(round(spacing), 1), 0) for spacing, _ in super().tickSpacing(minimum, maximum, size)]
        return spacings[:2]

    def tickStrings(self, values, scale, spacing):
        return [str(self.workers[round(v)]) if 0 <= round(v) < len(self.workers) else "" for v in values]


class TimeAxis(Axis):
    """Milliseconds since the start of the run, whatever is folded."""

    fold: Fold | None = None

    def tickStrings(self, values, scale, spacing):
        if self.fold is None or not self.fold.starts_ns.size:
            return super().tickStrings(values, scale, spacing)
        digits = max(0, -math.floor(math.log10(spacing))) if spacing < 1 else 0
        return [f"{self.fold.true(value * 1e6) / 1e6:,.{digits}f}" for value in values]


class TimelineView(QWidget):
    """Bars by worker over time."""

    id = "timeline"
    title = "Timeline"

    def __init__(self, selection: Selection, part: pg.PlotItem | None = None) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.bars = Bars()
        self._fold: Fold | None = None
        self.plot = PlainPlot(part or self.part())
        self._axis, self._time = self.plot.getAxis("left"), self.plot.getAxis("bottom")
        self.plot.addItem(self.bars, ignoreBounds=True)
        self.plot.setLabel("bottom", "time (ms)")
        for axis in ("bottom", "left"):
            self.plot.getAxis(axis).enableAutoSIPrefix(False)
        self.plot.hideButtons()
        self.plot.invertY(True)
        self._summary, self._status, self._legend = Elided(), Elided(), Legend()
        self._colour = QComboBox()
        self._colour.addItems(["Colour by phase", "Colour by strip"])
        tools = QWidget()
        row = ToolRow(tools)
        row.addWidget(self._colour)
        self.folds = QCheckBox("Fold gaps")
        self.folds.setChecked(True)
        self.folds.setToolTip("Draw long times narrow in which nobody did anything: compilation, transfer, the host")
        row.addWidget(self.folds)
        row.addWidget(tool_button("Fit", "Show all that was computed, from the first start to the last end", self.fit))
        row.addWidget(tool_button("From Run", "Show what came before it too: compilation, transfer", self.fit_from_run))
        row.addWidget(tool_button("Copy", "Copy the figure", self.copy))
        row.addWidget(tool_button("Save\u2026", "Save the figure as PNG or SVG", self.save))
        layout = QVBoxLayout(self)
        layout.setSpacing(theme.SPACING)
        layout.addWidget(tools)
        layout.addWidget(self._summary)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self._legend)
        layout.addWidget(self._status)
        self._colour.currentIndexChanged.connect(self._on_colour)
        self.folds.toggled.connect(self._on_fold)
        self.plot.scene().sigMouseMoved.connect(self._on_mouse)
        selection.strip_changed.connect(self._on_strip)
        theme.notifier.changed.connect(self._restyle)
        self._laying = Latest(self)
        self._laying.finished.connect(self._take)
        self._laying.failed.connect(lambda error: self._status.setText(f"The events cannot be shown: {error}"))
        self._restyle()

    @classmethod
    def part(cls) -> pg.PlotItem:
        axes = {"left": WorkerAxis("left"), "bottom": TimeAxis("bottom")}
        return plain_plot(axes)

    @classmethod
    def shows(cls, result: Result) -> bool:
        return result.steps.count > 0

    def show_result(self, result: Result | None) -> None:
        """Show the step log of a result, or nothing."""
        self._laying.cancel()
        self.result = result
        self._take(None)
        if result is not None and self.shows(result):
            if result.steps.count > MANY_EVENTS:
                self._status.setText("Laying out the events...")
                self._laying.request(lambda monitor: lanes(result.steps))
            else:
                self._take(lanes(result.steps))

    def _take(self, found: Lanes | None) -> None:
        """Show these lanes, or nothing."""
        self.bars.lanes, self.bars.strip = found, None
        self._fold = fold(found) if found is not None else None
        self.bars.words = Words.of(self.result, found is not None and bool(found.events["layer_end"].any()))
        self.bars.before = self._before() if found is not None else ""
        self._draw_folded()
        self._status.setText(self._hint())
        self._summary.setText(self._summary_text())
        self._describe()
        if self.bars.lanes is not None:
            self._colour.setItemText(1, f"Colour by {self._piece()}")
            self._axis.workers = tuple(self.bars.lanes.workers.tolist())
            self.plot.setLabel("left", self._worker_name())
            many = len(self._axis.workers) > MANY_LANES
            self.plot.setMouseEnabled(x=True, y=many)
            self.fit()
        self.bars.update()

    def fit(self) -> None:
        """Show the whole computation: compilation and transfer before it take longer, as a rule."""
        if self.bars.lanes is not None:
            self._show_from(self.bars.drawn.start_ns / 1e6)

    def fit_from_run(self) -> None:
        """Show the time since the run began."""
        if self.bars.lanes is not None:
            self._show_from(0.0)

    def _on_fold(self) -> None:
        if self.bars.lanes is not None:
            self._draw_folded()
            self.fit()

    def _draw_folded(self) -> None:
        """Lay the time out anew: with folded gaps, or as it was."""
        found, by = self.bars.lanes, self._fold if self.folds.isChecked() else None
        self._time.fold = by
        self.bars.drawn = folded(found, by) if found is not None and by is not None else found
        self.bars.breaks = () if by is None else tuple(self._breaks(by))
        self._time.picture = None
        self.bars.update()

    def _breaks(self, by: Fold) -> Iterator[tuple[float, float, str]]:
        """Where folded gaps are drawn, and what they are called."""
        compiled = by.at_least(1e6 * self._compilation_ms).tolist()
        for start, length, least in zip(by.starts_ns.tolist(), by.lengths_ns.tolist(), compiled, strict=True):
            why = f"compilation, {texts.duration(least / 1e6)} of it at least" if 2 * least > length else BETWEEN
            words = f"{texts.duration(length / 1e6)} without a {self._worker_name()} at work: {why}"
            yield float(by.drawn(start)), float(by.drawn(start + length)), words if start else self.bars.before

    @property
    def _compilation_ms(self) -> float:
        """How long the compiler took within the log: that of a CPU is done before its clock starts."""
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
        """What is known of an event."""
        event = self.bars.lanes.events[number]
        start, end, waited = (int(event[name]) / 1e6 for name in ("start_ns", "end_ns", "waited_ns"))
        rows, columns = (f"{event[f'{axis}_start'] + 1:,}\u2013{event[f'{axis}_end']:,}" for axis in ("row", "column"))
        cells = int((event["row_end"] - event["row_start"]) * (event["column_end"] - event["column_start"]))
        layers = ""
        if event["layer_end"]:
            layers = f"layers {event['layer_start'] + 1:,}\u2013{event['layer_end']:,}   "
            cells *= int(event["layer_end"] - event["layer_start"])
        rate = f"   {texts.rate(cells / (end - start) / 1e6)}" if end > start and not self._cut(number) else ""
        return (
            f"{self.bars.words.phase(event['phase'])}   {self.bars.words.piece(event['phase'])} {event['strip']:,}   "
            f"rows {rows}   columns {columns}   "
            f"{layers}{self._worker_name()} {event['worker']}   "
            f"{start:,.3f} to {end:,.3f} ms ({texts.duration(end - start)}"
            f"{', ' + texts.duration(waited) + ' of it waiting' if waited else ''}){rate}"
        )

    def _cut(self, number: int) -> bool:
        """Whether other events computed cells of the same layers of a chunk, as sloped planes do: its own are fewer."""
        events = self.bars.lanes.events
        event = events[number]
        same = (events["phase"] == event["phase"]) & (events["strip"] == event["strip"])
        layers = (events["layer_start"] < event["layer_end"]) & (events["layer_end"] > event["layer_start"])
        return int((same & layers).sum()) > 1

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Title, plot and legend, for a file."""
        title = view_texts.title(self.result)
        self.bars.shows_pointer = False
        export.draw_plot(painter, area, title, self.plot, self._legend.items)
        self.bars.shows_pointer = True

    def figure_size(self) -> QSize:
        return export.plot_size(self.fontMetrics(), self.plot, self._legend.items)

    def save(self) -> None:
        """Ask for a file and write the figure as PNG or SVG."""
        if self.result is not None:
            export.ask_and_save(self, "timeline", self.figure_size(), self.draw_figure, view_texts.title(self.result))

    def copy(self) -> None:
        """Put the figure on the clipboard."""
        if self.result is not None:
            export.copy(self.figure_size(), self.draw_figure)

    def leaveEvent(self, event) -> None:
        self._point_at(None)
        super().leaveEvent(event)

    def _hint(self) -> str:
        return HINTS.get(self._piece(), HINT) if self.bars.lanes else ""

    def _piece(self) -> str:
        """What events are, in one word."""
        return self.bars.words.any_piece(np.unique(self.bars.lanes.events["phase"]).tolist())

    def _worker_name(self) -> str:
        return "multiprocessor" if self.result is not None and self.result.backend == "cuda" else "thread"

    def _summary_text(self) -> str:
        found = self.bars.lanes
        if found is None:
            return ""
        count, name = len(found.workers), self._piece()
        numbers = "strip" if len(self.bars.words.pieces) < 2 else ["phase", "strip"]
        strips = len(np.unique(found.events[numbers]))
        gaps = self._fold.inside_ns
        waiting = f", waiting {100 * found.waiting(gaps):.0f} %" if found.waiting() else ""
        beside = f" and {texts.duration(gaps / 1e6)} between" if gaps else ""
        shown = f"; one of {1 / found.share:.0f} launches is shown" if found.share < 1 else ""
        return (
            f"{count:,} {self._worker_name()}{'s' * (count != 1)}, {strips:,} {name}{'s' * (strips != 1)}, "
            f"busy {100 * found.busy(gaps):.0f} %{waiting} of "
            f"{texts.duration((found.end_ns - found.start_ns - gaps) / 1e6)}{beside}{shown}"
        )

    def _before(self) -> str:
        """'470 ms before the first strip: compilation 465 ms, transfer 2 ms'."""
        found, named = self.bars.lanes, {"compilation": 0.0, "transfer": 0.0, **self.result.times_ms}
        parts = [f"{name} {texts.duration(named[name])}" for name in ("compilation", "transfer") if named[name] > 0]
        text = f"{texts.duration(found.start_ns / 1e6)} before the first {self._piece()}"
        return f"{text}: {', '.join(parts)}" if parts else text

    def _describe(self) -> None:
        found, palette = self.bars.lanes, theme.active().phases
        items: list[LegendItem] = []
        if found is not None and self.bars.by_strip:
            items = [LegendItem("text", f"neighbouring {self._piece()}s differ in colour")]
        elif found is not None:
            phases = np.unique(found.events["phase"]).tolist()
            items = [LegendItem("fill", self.bars.words.phase(n), (palette[(n - 1) % len(palette)],)) for n in phases]
        if found is not None and found.waiting():
            items.append(LegendItem("fill", "share of a bar that it waited for neighbours", (theme.active().border,)))
        self._legend.show_items(tuple(items))

    def _on_colour(self, index: int) -> None:
        self.bars.by_strip = index == 1
        self._describe()
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
            self._status.setText(words)
            return
        number = self.bars.drawn.at(row, point.x() * 1e6, reach) if 0 <= share < 1 else None
        self._point_at(number)

    def _point_at(self, number: int | None) -> None:
        if self.bars.lanes is None:
            return
        self._status.setText(self._hint() if number is None else self.hover_text(number))
        self.selection.hover_strip(None if number is None else int(self.bars.lanes.events["strip"][number]))

    def _on_strip(self, strip: int | None) -> None:
        self.bars.strip = strip
        self.bars.update()

    def _restyle(self) -> None:
        theme.style_plot(self.plot.getPlotItem())
        self.plot.setBackground(theme.active().panel)
        self._describe()
        self.bars.update()
