"""DotPlotView: the words that two sequences share, from whole genomes down to single letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, QTimer
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QLabel

from antidiag.app import theme
from antidiag.app.kit.controls.flow_layouts import group_widgets
from antidiag.app.kit.controls.parameter_editors import NumberEditor
from antidiag.app.kit.controls.widgets import menu_button
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.plane import cell_text, cells
from antidiag.app.kit.plane import layers as plane_layers
from antidiag.app.kit.plane import matrix_picture as matrix_picture
from antidiag.app.kit.plane.matrix_picture import MatrixFrame, MatrixPicture
from antidiag.app.kit.plane.plane_view import PlaneView, widen_span
from antidiag.app.kit.results import result_text
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.kit.tasks.progress_card import ProgressCard
from antidiag.app.views.dotplot import layers
from antidiag.app.views.dotplot.layers import LAYERS, DotLayers
from antidiag.kernels.cuda.gpu_or_cpu import cpu_note
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.pictures import word_windows
from antidiag.kernels.pairwise.pictures.dotplot_sizes import LEAST_K, MOST_K, choose_word_length
from antidiag.kernels.pairwise.pictures.word_windows import DotOverview, DotWindow
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.registry.matrix_values import Span
from antidiag.kernels.scoring import Scoring, match_mismatch
from antidiag.kernels.table_cuts import TableCuts

WORD_LENGTH = Parameter(
    name="k",
    kind="int",
    label="Word length k",
    help="A dot is a word of k letters that both sequences have. For nucleotides, a second colour shows reverse "
    "complements. Short words find distant relatives but also match by chance; long words do neither.",
    minimum=LEAST_K,
    maximum=MOST_K,
    unit="letters",
)
K_REST_MS = 250  # after the last change of k, before the words are searched again
K_WIDTH = 98
KEPT_WINDOWS = 6
LONGEST_SQUARE = 5
CELL_PIXELS = 28
NO_SCORING = Scoring(match_mismatch(1, -1), 0, 1)  # placeholder for a pair that is not aligned


@dataclass(frozen=True, eq=False)
class SequencePair:
    """Two sequences that are shown before they are aligned."""

    first: Sequence
    second: Sequence
    source: str = ""

    @property
    def name(self) -> str:
        """The names of both sequences."""
        return f"{self.first.name} {result_text.TIMES} {self.second.name}"

    @property
    def summary(self) -> str:
        """The lengths of both sequences."""
        return f"{len(self.first):,} {result_text.TIMES} {len(self.second):,} letters, not aligned"


class DotPlotView(PlaneView):
    """Word matches as pixels, lines, or letters, depending on the zoom, with the path of the result behind them."""

    id = "dotplot"
    title = "Dot plot"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.dots: DotLayers | None = None
        self._overview: DotOverview | None = None
        self._problem: PairProblem | None = None
        self._windows: dict[tuple[Span, Span, Span], DotWindow] = {}
        self._layers_on = set(LAYERS)
        self._window = LatestTask(
            self, self._on_part, lambda error: self.status.setText(f"The window could not be computed: {error}")
        )
        self._k_changed = QTimer(self, singleShot=True, interval=K_REST_MS)
        self.scan_panel = ProgressCard(self.plot, "Searching for words", "The dot plot")
        self.k = NumberEditor(WORD_LENGTH)
        self.k.setFixedWidth(K_WIDTH)
        self.k.setToolTip(f"<p>{WORD_LENGTH.help}</p><p>{WORD_LENGTH.describe_values().capitalize()}.</p>")
        self.k.setAccessibleName(WORD_LENGTH.label)
        name = QLabel("k ")
        name.setBuddy(self.k)
        self.add_navigation_tools()
        self.tools.addWidget(group_widgets(name, self.k))
        self.tools.addWidget(menu_button("Show", "Show or hide matches and path", self.create_layer_menu(LAYERS)))
        self.add_figure_tools()
        self._keep_layers(LAYERS)
        self.view_state.keep_place("k", self.k.value, self._restore_word_length)
        self.plot.box.sigRangeChanged.connect(lambda *_: self.plot.show_overview(True))
        self.plot.settled.connect(self._on_window)
        self.scan_panel.finished.connect(self._on_survey)
        self.k.edited.connect(self._k_changed.start)
        self._k_changed.timeout.connect(self._search_again)
        self.apply_theme()

    @classmethod
    def shows_datum(cls, datum: Any) -> bool:
        """Return whether the view can show data."""
        return isinstance(datum, SequencePair)

    @property
    def sharp(self) -> bool:
        """Whether the picture on the screen was computed for the visible window."""
        waiting = self._window.busy or self.plot.is_settling or self._k_changed.isActive()
        return self._overview is not None and not waiting

    def show_result(self, result: Result | None) -> None:
        """Show the pair of a result with its path, or nothing; words of the same pair are kept."""
        result = result if result is not None and self.shows(result) else None
        self.result = result
        self._show_picture(matrix_picture.create_picture(result) if result else None)
        column = self.selection.chosen_place("column", result)
        if column is not None:
            self.go_to_column(column)

    def show_datum(self, datum: SequencePair) -> None:
        """Show a pair that is not aligned."""
        self.result = None
        self._show_picture(unaligned_picture(datum.first, datum.second))

    def draw(self, painter: QPainter, frame: MatrixFrame, area: QRectF, pointer: bool) -> None:
        """Draw dots, pointer and path ends."""
        if self.picture is None or self.dots is None:
            return
        colours = theme.active()
        layers.draw_layers(painter, frame, self.dots, colours)
        if pointer:
            plane_layers.draw_pointer(painter, frame, self.picture, colours, layers.pointer_colour(colours))
        plane_layers.draw_ends(painter, frame, self.picture, colours)
        if frame.shows_cells:
            cells.draw_headers(painter, frame, area, self.picture, colours)

    def describe_cell(self, cell: tuple[int, int] | None) -> str:
        """Describe a cell: position, letters, matches, and whether it is on the path."""
        if cell is None or self.picture is None:
            return ""
        parts = [f"cell ({cell[0]:,}, {cell[1]:,})", cell_text.meeting_letters(self.picture.problem, cell)]
        return "   ".join([*parts, *self._match_text(cell), *cell_text.describe_path(self.picture, cell)])

    def figure_title(self) -> str:
        """Return the title of the exported figure."""
        if self.result is not None or self.picture is None:
            return result_text.format_title(self.result)
        return SequencePair(*self.picture.problem.sequences).name

    @property
    def named_subject(self) -> Any:
        """The result or the pair that files are named after."""
        return self.result or (SequencePair(*self.picture.problem.sequences) if self.picture else None)

    def readable_cell_pixels(self) -> float:
        """Pixels of a cell from which letters are drawn."""
        return CELL_PIXELS

    def apply_theme(self) -> None:
        """Redraw in the colours of the current theme."""
        super().apply_theme()
        self._update_images()
        self._update_legend()

    def showEvent(self, event) -> None:
        super().showEvent(event)
        self.plot.settle_later()

    def _show_picture(self, picture: MatrixPicture | None) -> None:
        problem = picture.problem if picture and isinstance(picture.problem, PairProblem) else None
        same = problem is not None and self._problem is not None and problem.sequences == self._problem.sequences
        part = self.dots.window if same and self.dots else None
        self.picture, self._problem = picture, problem
        self._tools.setEnabled(picture is not None)
        self.dots = None
        if picture:
            picture.layers = self._layers_on
            self.dots = DotLayers(picture, part, self._layers_on)
            self.path_button.setEnabled(picture.has_layer("path"))
            for layer in ("path", "ends"):
                self.layer_actions[layer].setVisible(picture.has_layer(layer))
            self.layer_actions["reverse"].setVisible(self.dots.is_nucleotide)
        if not same:
            self._reset_pair()
        self.plot.redraw_layers()
        self._update_legend()
        self.show_cell_status(None)

    def _reset_pair(self) -> None:
        self._overview = None
        self._window.cancel()
        self.scan_panel.cancel_work()
        problem = self._problem
        if problem is None:
            self.begin_picture()
            return
        self.begin_picture(result_text.axis_names(problem))
        lengths = sorted(self.plot.lengths)
        self.k.set_automatic(choose_word_length(*problem.sequences))
        self.square.setChecked(lengths[1] <= LONGEST_SQUARE * lengths[0])
        self.set_square(self.square.isChecked())
        self.plot.settle_later()

    def _search_when_visible(self) -> None:
        if self._problem is None or self._overview is not None or not self.isVisible() or self.k.error():
            return
        first, second = self._problem.sequences
        k = self.k.value() or choose_word_length(first, second)
        self.scan_panel.doing = f"Searching for words of {k} letters"
        pixels, gpu = self._visible_pixels(), self._gpu_name()
        self.scan_panel.start_or_ask(
            (first, second, k), lambda monitor: word_windows.index_pair(first, second, k, pixels, monitor, gpu)
        )

    def _gpu_name(self) -> str:
        """Return the name of the GPU of the run, which searches the words, or "" for the CPU."""
        return self.result.device if self.result is not None and self.result.backend == "cuda" else ""

    def _search_again(self) -> None:
        if self.k.error():
            self.status.setText(self.k.error())
            return
        self._overview = None
        self._window.cancel()
        self._search_when_visible()
        self.show_cell_status(None)

    def _restore_word_length(self, length: int | None) -> None:
        """Search words of another length; None stands for the automatic one."""
        if length != self.k.value():
            self.k.set_value(length)
            self._search_again()

    def _visible_pixels(self) -> Span:
        area = self.plot.visible_frame().visible_area
        return max(round(area.height()), 1), max(round(area.width()), 1)

    def _on_survey(self, survey: DotOverview) -> None:
        self._overview = survey
        self._windows.clear()
        self._cache_window(survey.overview)
        if self.dots is not None:
            self.dots.window = None
        self.plot.clear_image(1)
        self._update_images()
        self._update_legend()
        self.plot.settle_later()

    def _on_window(self, rows: Span, columns: Span, pixels: Span) -> None:
        self.share_window(rows, columns)
        self._update_legend()
        self._search_when_visible()
        if self._overview is None or self.dots is None or rows[0] >= rows[1] or columns[0] >= columns[1]:
            return
        if self.dots.shows_runs and self.dots.window.contains_window(rows, columns):
            self._update_images()
            return
        index, shape = self._overview.index, self._visible_pixels()
        if (rows[1] - rows[0]) * (columns[1] - columns[0]) <= word_windows.RUN_CELLS // 4:
            shape = 2 * shape[0], 2 * shape[1]
            sizes = zip((rows, columns), self.plot.lengths, strict=True)
            rows, columns = (widen_span(span, length, (span[1] - span[0]) // 2) for span, length in sizes)
        known = self._windows.get((rows, columns, shape))
        if known is not None:
            self._window.cancel()
            self._on_part(known)
        else:
            self._window.request(lambda monitor: word_windows.compute_window(index, rows, columns, shape, monitor))

    def _cache_window(self, part: DotWindow) -> None:
        """Keep the last windows, because each takes seconds for a long pair."""
        self._windows[part.rows, part.columns, part.pixels] = part
        while len(self._windows) > KEPT_WINDOWS:
            del self._windows[next(iter(self._windows))]

    def _on_part(self, part: DotWindow) -> None:
        self._cache_window(part)
        self.dots.window = part
        self._update_images()
        self._update_legend()
        self.show_cell_status(self.picture.hovered)

    def _update_images(self) -> None:
        """Draw the computed pictures in the colours of the theme, without pixels where matches are drawn as lines."""
        if self._overview is not None and self.dots is not None:
            lut, overview, part = self._colour_table(), self._overview.overview, self.dots.window
            self.plot.show_image(0, overview.rows, overview.columns, overview.tones, lut)
            if part is not None:
                tones = np.zeros((1, 1), np.uint8) if part.runs is not None else part.tones
                self.plot.show_image(1, part.rows, part.columns, tones, lut)
                frame = self.plot.visible_frame()
                self.plot.show_overview(not part.contains_window(frame.rows, frame.columns))
        self.plot.redraw_layers()

    def _colour_table(self) -> np.ndarray:
        colours = theme.active()
        forward, reverse = (
            _rgb_of(colour) if layer in self._layers_on else None
            for layer, colour in (("forward", colours.forward), ("reverse", colours.reverse))
        )
        return word_windows.tone_colours(_rgb_of(colours.panel), forward, reverse)

    def switch_layer(self, layer: str, on: bool) -> None:
        """Show or hide a layer."""
        (self._layers_on.add if on else self._layers_on.discard)(layer)
        self._update_images()
        self._update_legend()

    def _match_text(self, cell: tuple[int, int]) -> list[str]:
        part = self.dots.window if self.dots else None
        if part is None or not part.contains_window((cell[0], cell[0] + 1), (cell[1], cell[1] + 1)):
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

    def _update_legend(self) -> None:
        self.legend.show_items(
            tuple(self._legend_items()) if self.dots is not None and self._overview is not None else ()
        )

    def _legend_items(self) -> list[LegendItem]:
        colours, whole, index = theme.active(), self._overview.overview.density, self._overview.index
        found = []
        least = "at least " if whole.thinned or index.step > 1 else ""
        if "forward" in self._layers_on:
            words = f"{index.k} equal letters ({least}{int(whole.forward.sum()):,})"
            found.append(LegendItem("fill", words, (colours.forward,)))
        if "reverse" in self._layers_on and self.dots.is_nucleotide:
            words = f"reverse complement ({least}{int(whole.reverse.sum()):,})"
            found.append(LegendItem("fill", words, (colours.reverse,)))
        if self.picture.shows_layer("path"):
            found.append(LegendItem("line", "path", (colours.path,)))
        if self.plot.visible_frame().shows_cells:
            found.append(LegendItem("fill", "equal letters", (colours.boundary,)))
        part = self.dots.window or self._overview.overview
        if part.runs is None and part.density.thinned:
            words = f"{part.density.thinned:,} frequent words reduced to {part.density.most_places:,} positions each"
            found.append(LegendItem("text", words))
        if self._gpu_name() and index.device is None:
            found.append(LegendItem("text", cpu_note(self._gpu_name())))
        step = f", every {index.step:,} letters" if index.step > 1 else ""
        found.append(LegendItem("text", f"index {format_bytes(index.nbytes)}{step}"))
        return found


def unaligned_picture(first: Sequence, second: Sequence) -> MatrixPicture:
    """Return the picture of a pair without a result."""
    return MatrixPicture(PairProblem(first, second, NO_SCORING), TableCuts(), None, (0, 0), np.empty((0, 4), np.int64))


def _rgb_of(colour: str) -> np.ndarray:
    shade = QColor(colour)
    return np.array((shade.red(), shade.green(), shade.blue()))
