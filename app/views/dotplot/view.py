"""DotPlotView: the words that two sequences share, from whole genomes down to letters; the way into long pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, QTimer
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QLabel

from antidiag.app import theme
from antidiag.app.kit import result_text
from antidiag.app.kit.background import Latest
from antidiag.app.kit.flow import together
from antidiag.app.kit.legend import LegendItem
from antidiag.app.kit.parameter_editors import NumberEditor
from antidiag.app.kit.plane import cell_text, cells
from antidiag.app.kit.plane import layers as plane_layers
from antidiag.app.kit.plane import picture as matrix_picture
from antidiag.app.kit.plane.data import Span
from antidiag.app.kit.plane.picture import Frame, Picture
from antidiag.app.kit.plane.view import PlaneView, widened
from antidiag.app.kit.scan_panel import ScanPanel
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import menu_button
from antidiag.app.views.dotplot import data, layers
from antidiag.app.views.dotplot.data import Part, Survey
from antidiag.app.views.dotplot.layers import LAYERS, Dots
from antidiag.kernels.cuts import Cuts
from antidiag.kernels.memory import bytes_text
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.pictures.dotplot_sizes import LEAST_K, MOST_K, automatic_k
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.scoring import Scoring, match_mismatch

K = Parameter(
    name="k",
    kind="int",
    label="Word length k",
    help="A dot is a word of k letters that both sequences have; of nucleotides, a second colour shows words that are "
    "reverse complements. Short words find distant relatives and match by chance; long ones do neither.",
    minimum=LEAST_K,
    maximum=MOST_K,
    unit="letters",
)
K_REST_MS = 250
"""Milliseconds after the last change of k before the words are looked for again."""
K_WIDTH = 98
KEPT_WINDOWS = 6
LONGEST_SQUARE = 5
CELL_PIXELS = 28
NOTHING = Scoring(match_mismatch(1, -1), 0, 1)
"""The scoring of a pair that was not aligned, where nothing is scored."""


@dataclass(frozen=True, eq=False)
class SequencePair:
    """Two sequences to be looked at before they are aligned."""

    first: Sequence
    second: Sequence
    source: str = ""

    @property
    def name(self) -> str:
        return f"{self.first.name} {result_text.TIMES} {self.second.name}"

    @property
    def summary(self) -> str:
        return f"{len(self.first):,} {result_text.TIMES} {len(self.second):,} letters, not aligned"


class DotPlotView(PlaneView):
    """Matches by pixel, then as lines, then as letters, with the path of the result behind them."""

    id = "dotplot"
    title = "Dot plot"

    def __init__(self, selection: Selection, part: pg.PlotItem | None = None) -> None:
        super().__init__(selection, part)
        self.dots: Dots | None = None
        self._survey: Survey | None = None
        self._problem: PairProblem | None = None
        self._parts: dict[tuple[Span, Span, Span], Part] = {}
        self._layers_on = set(LAYERS)
        self._window = Latest(self)
        self._k_changed = QTimer(self, singleShot=True, interval=K_REST_MS)
        self.scan_panel = ScanPanel(self.plot, "Looking for words", "The dot plot")
        self.k = NumberEditor(K)
        self.k.setFixedWidth(K_WIDTH)
        self.k.setToolTip(f"<p>{K.help}</p><p>{K.expected().capitalize()}.</p>")
        self.k.setAccessibleName(K.label)
        name = QLabel("k ")
        name.setBuddy(self.k)
        self.add_places()
        self.tools.addWidget(together(name, self.k))
        self.tools.addWidget(menu_button("Show", "What is drawn", self.layer_menu(LAYERS)))
        self.add_figures()
        self.plot.box.sigRangeChanged.connect(lambda *_: self.plot.show_overview(True))
        self.plot.settled.connect(self._on_window)
        self._window.finished.connect(self._on_part)
        self._window.failed.connect(lambda error: self._status.setText(f"The window could not be computed: {error}"))
        self.scan_panel.finished.connect(self._on_survey)
        self.k.edited.connect(self._k_changed.start)
        self._k_changed.timeout.connect(self._look_again)
        self.restyle()

    @classmethod
    def shows_datum(cls, datum: Any) -> bool:
        return isinstance(datum, SequencePair)

    @property
    def sharp(self) -> bool:
        """Whether what is on the screen is computed for exactly this window."""
        waiting = self._window.busy or self.plot.resting or self._k_changed.isActive()
        return self._survey is not None and not waiting

    def show_result(self, result: Result | None) -> None:
        """Show the pair of a result with its path, or nothing; the words of the same pair are kept."""
        if result is not None and not self.shows(result):
            result = None
        self.result = result
        self._show(matrix_picture.picture(result) if result else None)
        column = self.selection.chosen("column", result)
        if column is not None:
            self.go_to_column(column)

    def show_datum(self, datum: SequencePair) -> None:
        """Show a pair that was not aligned."""
        self.result = None
        self._show(unaligned(datum.first, datum.second))

    def draw(self, painter: QPainter, frame: Frame, area: QRectF, pointer: bool) -> None:
        if self.picture is None or self.dots is None:
            return
        colours = theme.active()
        layers.draw(painter, frame, self.dots, colours)
        if pointer:
            plane_layers.draw_pointer(painter, frame, self.picture, colours, layers.ink(colours))
        plane_layers.draw_ends(painter, frame, self.picture, colours)
        if frame.shows_cells:
            cells.draw_headers(painter, frame, area, self.picture, colours)

    def hover_text(self, cell: tuple[int, int] | None) -> str:
        """What is known of a cell: place, letters, the match it is in or the matches near it, the path."""
        if cell is None or self.picture is None:
            return ""
        parts = [f"cell ({cell[0]:,}, {cell[1]:,})", cell_text.letters(self.picture.problem, cell)]
        return "   ".join([*parts, *self._match_text(cell), *cell_text.path_text(self.picture, cell)])

    def figure_title(self) -> str:
        if self.result is not None or self.picture is None:
            return result_text.title(self.result)
        return SequencePair(*self.picture.problem.sequences).name

    def cell_pixels(self) -> float:
        return CELL_PIXELS

    def restyle(self) -> None:
        super().restyle()
        self._recolour()
        self._describe()

    def showEvent(self, event) -> None:
        super().showEvent(event)
        self.plot.settle()

    def _show(self, picture: Picture | None) -> None:
        """Show a pair; what was found out about the same one stays."""
        problem = picture.problem if picture and isinstance(picture.problem, PairProblem) else None
        same = problem is not None and self._problem is not None and problem.sequences == self._problem.sequences
        part = self.dots.part if same and self.dots else None
        self.picture, self._problem = picture, problem
        self._tools.setEnabled(picture is not None)
        self.dots = None
        if picture:
            picture.layers = self._layers_on
            self.dots = Dots(picture, part, self._layers_on)
            self.path_button.setEnabled(picture.has("path"))
            for layer in ("path", "ends"):
                self.layer_actions[layer].setVisible(picture.has(layer))
            self.layer_actions["reverse"].setVisible(self.dots.nucleotides)
        if not same:
            self._start_anew()
        self.plot.refresh()
        self._describe()
        self.say_cell(None)

    def _start_anew(self) -> None:
        self._survey = None
        self._window.cancel()
        self.scan_panel.stop()
        problem = self._problem
        self.begin(
            (result_text.shortened(problem.first.name), result_text.shortened(problem.second.name))
            if problem
            else ("", "")
        )
        if problem:
            lengths = sorted(self.plot.lengths)
            self.k.set_automatic(automatic_k(*problem.sequences))
            self.square.setChecked(lengths[1] <= LONGEST_SQUARE * lengths[0])
            self.set_square(self.square.isChecked())
            self.plot.settle()

    def _look_when_visible(self) -> None:
        if self._problem is None or self._survey is not None or not self.isVisible() or self.k.error():
            return
        first, second = self._problem.sequences
        k = self.k.value() or automatic_k(first, second)
        self.scan_panel.doing = f"Looking for words of {k} letters"
        pixels = self._pixels()
        gpu = self._gpu()
        self.scan_panel.offer((first, second, k), lambda monitor: data.survey(first, second, k, pixels, monitor, gpu))

    def _gpu(self) -> str:
        """The name of the GPU that looks for words: the one that ran, if it was one."""
        return self.result.device if self.result is not None and self.result.backend == "cuda" else ""

    def _look_again(self) -> None:
        """The words of another k; a k that is none leaves everything as it is, and says so."""
        if self.k.error():
            self._status.setText(self.k.error())
            return
        self._survey = None
        self._window.cancel()
        self._look_when_visible()
        self.say_cell(None)

    def _pixels(self) -> Span:
        """Pixels down and across of what is visible of the plane; a dot has the size of one whatever the screen."""
        area = self.plot.frame().area
        return max(round(area.height()), 1), max(round(area.width()), 1)

    def _on_survey(self, survey: Survey) -> None:
        self._survey = survey
        self._parts.clear()
        self._keep(survey.overview)
        if self.dots is not None:
            self.dots.part = None
        self.plot.clear_image(1)
        self._recolour()
        self._describe()
        self.plot.settle()

    def _on_window(self, rows: Span, columns: Span, pixels: Span) -> None:
        self.tell_window(rows, columns)
        self._describe()
        self._look_when_visible()
        if self._survey is None or self.dots is None or rows[0] >= rows[1] or columns[0] >= columns[1]:
            return
        if self.dots.shows_runs and self.dots.part.holds(rows, columns):
            self._recolour()
            return
        index, shape = self._survey.index, self._pixels()
        if (rows[1] - rows[0]) * (columns[1] - columns[0]) <= data.RUN_CELLS // 4:
            shape = 2 * shape[0], 2 * shape[1]
            sizes = zip((rows, columns), self.plot.lengths, strict=True)
            rows, columns = (widened(span, length, (span[1] - span[0]) // 2) for span, length in sizes)
        known = self._parts.get((rows, columns, shape))
        if known is not None:
            self._window.cancel()
            self._on_part(known)
        else:
            self._window.request(lambda monitor: data.window(index, rows, columns, shape, monitor))

    def _keep(self, part: Part) -> None:
        """The last windows are kept: of a long pair, each takes seconds."""
        self._parts[part.rows, part.columns, part.pixels] = part
        while len(self._parts) > KEPT_WINDOWS:
            del self._parts[next(iter(self._parts))]

    def _on_part(self, part: Part) -> None:
        self._keep(part)
        self.dots.part = part
        self._recolour()
        self._describe()
        self.say_cell(self.picture.hovered)

    def _recolour(self) -> None:
        """Show what is known in the colours of the theme; nothing under the matches themselves."""
        if self._survey is not None and self.dots is not None:
            lut, overview, part = self._lut(), self._survey.overview, self.dots.part
            self.plot.show_image(0, overview.rows, overview.columns, overview.tones, lut)
            if part is not None:
                tones = np.zeros((1, 1), np.uint8) if part.runs is not None else part.tones
                self.plot.show_image(1, part.rows, part.columns, tones, lut)
                frame = self.plot.frame()
                self.plot.show_overview(not part.holds(frame.rows, frame.columns))
        self.plot.refresh()

    def _lut(self) -> np.ndarray:
        colours = theme.active()
        forward, reverse = (
            _rgb(colour) if layer in self._layers_on else None
            for layer, colour in (("forward", colours.forward), ("reverse", colours.reverse))
        )
        return data.colours(_rgb(colours.panel), forward, reverse)

    def switch_layer(self, layer: str, on: bool) -> None:
        (self._layers_on.add if on else self._layers_on.discard)(layer)
        self._recolour()
        self._describe()

    def _match_text(self, cell: tuple[int, int]) -> list[str]:
        part = self.dots.part if self.dots else None
        if part is None or not part.holds((cell[0], cell[0] + 1), (cell[1], cell[1] + 1)):
            return []
        if part.runs is None:
            forward, reverse = part.counts_at(cell)
            counts = [f"{forward:,} equal words here"] if forward else []
            return counts + ([f"{reverse:,} reverse complements here"] if reverse else [])
        run = part.run_at(cell)
        if run is None:
            return []
        length, starts = int(part.runs.lengths[run]), (int(part.runs.first[run]), int(part.runs.second[run]))
        spans = (f"{start + 1:,}\u2013{start + length:,}" for start in starts)
        kind = "reverse complements" if part.runs.reverse[run] else "equal"
        return [f"{length:,} letters {kind}: {' and '.join(spans)}"]

    def _describe(self) -> None:
        """Say in the legend what is drawn, what was left out, and what it takes."""
        self._legend.show_items(tuple(self._items()) if self.dots is not None and self._survey is not None else ())

    def _items(self) -> list[LegendItem]:
        colours, whole, index = theme.active(), self._survey.overview.density, self._survey.index
        found = []
        least = "at least " if whole.thinned or index.step > 1 else ""
        if "forward" in self._layers_on:
            words = f"{index.k} letters equal ({least}{int(whole.forward.sum()):,})"
            found.append(LegendItem("fill", words, (colours.forward,)))
        if "reverse" in self._layers_on and self.dots.nucleotides:
            words = f"reverse complement ({least}{int(whole.reverse.sum()):,})"
            found.append(LegendItem("fill", words, (colours.reverse,)))
        if self.picture.shows("path"):
            found.append(LegendItem("line", "path", (colours.path,)))
        if self.plot.frame().shows_cells:
            found.append(LegendItem("fill", "a letter equal", (colours.boundary,)))
        part = self.dots.part or self._survey.overview
        if part.runs is None and part.density.thinned:
            words = f"{part.density.thinned:,} frequent words thinned to {part.density.most:,} places each"
            found.append(LegendItem("text", words))
        if self._gpu() and index.device is None:
            found.append(LegendItem("text", f"by the CPU: {self._gpu()} is not here or has too little memory"))
        step = f", every {index.step:,} letters" if index.step > 1 else ""
        found.append(LegendItem("text", f"index {bytes_text(index.nbytes)}{step}"))
        return found


def unaligned(first: Sequence, second: Sequence) -> Picture:
    """The picture of a pair without a result."""
    return Picture(PairProblem(first, second, NOTHING), Cuts(), None, (0, 0), np.empty((0, 4), np.int64))


def _rgb(colour: str) -> np.ndarray:
    shade = QColor(colour)
    return np.array((shade.red(), shade.green(), shade.blue()))
