"""Drawing of states over letters: shades when zoomed out, the trellis when zoomed in, features and path."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from antidiag.app.kit.canvas.letter_canvas import LetterCanvas
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.painting.fonts_and_colours import cell_font
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.theme import Theme
from antidiag.kernels.hmm import state_columns
from antidiag.kernels.hmm.state_columns import Feature, StateColumns
from antidiag.kernels.model import Result

MAP = "viridis"
NAMES = 96  # width of the state names in pixels
FEATURES, GAP = 22, 6  # height of the row of features, and space around the states
TRELLIS_WIDTH, TRELLIS_HEIGHT = 38, 24  # smallest letter and state in pixels with the trellis
READABLE_WIDTH = 56  # pixels of a letter at which the numbers of the trellis can be read
NODE_HEIGHT, NODE_WIDTH = 20, 46
LONG_COST = 1000
TALLEST = 140
PATH = 2.0
DOT = 2.5  # radius of a state that is impossible


@dataclass
class DrawnStates:
    """What is drawn of a result, with the last computed range of letters."""

    result: Result
    features: tuple[Feature, ...]
    columns: StateColumns | None = None
    shades: QImage | None = None
    pointed: tuple[int | None, int | None] = (None, None)
    starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.starts = [feature.start for feature in self.features]

    @property
    def state_count(self) -> int:
        """The number of states."""
        return self.result.problem.states

    def feature_at(self, letter: int) -> int | None:
        """Return the index of the feature over a letter, or None."""
        number = bisect.bisect_right(self.starts, letter) - 1
        return number if number >= 0 and letter < self.features[number].end else None

    def label_colours(self, theme: Theme) -> dict[str, str]:
        """Return a colour for each kind of feature, in the order of the model."""
        hmm = self.result.problem.hmm
        labels = dict.fromkeys(label for state in range(len(hmm)) if (label := hmm.state_label(state)))
        used = {feature.label for feature in self.features}
        return {label: theme.phases[k % len(theme.phases)] for k, label in enumerate(labels) if label in used}


def row_layout(area: QRectF, canvas: LetterCanvas, what: DrawnStates) -> tuple[float, float]:
    """Return the top of the first state, and the height of a state."""
    top = area.top() + canvas.content_top + GAP
    room = area.bottom() - (FEATURES if what.features else 0) - 2 * GAP - top
    return top, min(max(room / what.state_count, 1), TALLEST)


def state_at(y: float, canvas: LetterCanvas, what: DrawnStates) -> int | None:
    """Return the state at a pixel of the canvas, or None."""
    top, height = row_layout(QRectF(canvas.rect()), canvas, what)
    state = int((y - top) // height)
    return state if 0 <= state < what.state_count else None


def shows_trellis(canvas: LetterCanvas, what: DrawnStates) -> bool:
    """Whether there is space for the nodes and edges of the trellis."""
    _, height = row_layout(QRectF(canvas.rect()), canvas, what)
    found = what.columns is not None and what.columns.winners is not None
    return found and canvas.letter_width >= TRELLIS_WIDTH and height >= TRELLIS_HEIGHT


def shows_differences(stretch: StateColumns) -> bool:
    """Whether the trellis shows costs relative to the best state of each letter, because costs have many digits."""
    return bool(stretch.values[np.isfinite(stretch.values)].max(initial=0) >= LONG_COST)


def shade_image(stretch: StateColumns) -> QImage:
    """Return the shades as an image, with a pixel for each column and state."""
    return heat_map.render_image(stretch.shades.astype(float), MAP, "black")


def draw_states(painter: QPainter, area: QRectF, canvas: LetterCanvas, what: DrawnStates, theme: Theme) -> None:
    """Draw everything into an area as large as the canvas."""
    with saved_painter_state(painter):
        painter.setClipRect(area.adjusted(NAMES, 0, 0, 0), Qt.ClipOperation.IntersectClip)
        canvas.draw_ruler(painter, area.top())
        if what.result.answer.states is None:
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, "The model cannot emit this sequence.")
        elif shows_trellis(canvas, what):
            _draw_trellis(painter, area, canvas, what, theme)
        else:
            _draw_shades(painter, area, canvas, what, theme)
        _draw_features(painter, area, canvas, what, theme)
    _draw_names(painter, area, canvas, what, theme)


def _draw_shades(painter: QPainter, area: QRectF, canvas: LetterCanvas, what: DrawnStates, theme: Theme) -> None:
    stretch = what.columns
    if stretch is None or what.shades is None:
        return
    top, height = row_layout(area, canvas, what)
    target = QRectF(
        canvas.x_of(stretch.first),
        top,
        canvas.x_of(stretch.last) - canvas.x_of(stretch.first),
        height * what.state_count,
    )
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.drawImage(target, what.shades)
    on_path = state_columns.path_columns(what.result.answer.states, stretch, what.state_count)
    painter.setPen(Qt.PenStyle.NoPen)
    for state in range(what.state_count):
        changes = np.flatnonzero(np.diff(np.concatenate(([False], on_path[state], [False])))).reshape(-1, 2)
        y = top + (state + 0.5) * height - PATH / 2
        for low, high in stretch.borders[changes].tolist():
            left = canvas.x_of(low)
            painter.fillRect(QRectF(left, y, max(canvas.x_of(high) - left, 1), PATH), QColor(theme.path))


def _draw_trellis(painter: QPainter, area: QRectF, canvas: LetterCanvas, what: DrawnStates, theme: Theme) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    stretch, states = what.columns, what.result.answer.states
    top, height = row_layout(area, canvas, what)

    def place(letter: int, state: int) -> QPointF:
        return QPointF(canvas.x_of(letter + 0.5), top + (state + 0.5) * height)

    half = min(NODE_WIDTH, canvas.letter_width - 14) / 2
    letters = [k for k in range(*canvas.visible_range) if stretch.first <= k < stretch.last]
    for on_path in (False, True):
        painter.setPen(QPen(QColor(theme.path if on_path else theme.boundary), 2.5 if on_path else 1.2))
        for letter in letters:
            for state, won in enumerate(stretch.winners[letter - stretch.first].tolist()):
                own = letter > 0 and states[letter] == state and states[letter - 1] == won
                possible = won >= 0 and np.isfinite(stretch.values[state, letter - stretch.first])
                if possible and own == on_path:
                    start, end = place(letter - 1, won), place(letter, state)
                    painter.drawLine(start + QPointF(half, 0), end - QPointF(half, 0))
    painter.setFont(cell_font(10))
    relative = shows_differences(stretch)
    for letter in letters:
        column = letter - stretch.first
        least = float(stretch.values[:, column].min())
        costs = stretch.values[:, column] - (least if relative and np.isfinite(least) else 0)
        for state in range(what.state_count):
            on_path, pointed = states[letter] == state, what.pointed == (letter, state)
            _draw_node(painter, place(letter, state), half, float(costs[state]), on_path, pointed, theme)


def _draw_node(
    painter: QPainter, centre: QPointF, half: float, cost: float, on_path: bool, pointed: bool, theme: Theme
) -> None:
    if not np.isfinite(cost):
        painter.setPen(QPen(QColor(theme.accent if pointed else theme.boundary), 1.5))
        painter.drawEllipse(centre, DOT, DOT)
        return
    box = QRectF(centre.x() - half, centre.y() - NODE_HEIGHT / 2, 2 * half, NODE_HEIGHT)
    painter.setPen(QPen(QColor(theme.path if on_path else theme.accent if pointed else theme.border), 2))
    painter.setBrush(QColor(theme.selection if on_path else theme.panel))
    painter.drawRoundedRect(box, NODE_HEIGHT / 2, NODE_HEIGHT / 2)
    text = f"{round(cost, 1) + 0.0:.1f}"  # no negative zero
    if painter.fontMetrics().horizontalAdvance(text) > box.width() - 4:
        text = ""
    painter.setPen(QColor(theme.text))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _draw_features(painter: QPainter, area: QRectF, canvas: LetterCanvas, what: DrawnStates, theme: Theme) -> None:
    if not what.features:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    top, height = row_layout(area, canvas, what)
    top, metrics = top + height * what.state_count + GAP, painter.fontMetrics()
    painter.fillRect(QRectF(NAMES, top, area.width(), FEATURES - 4), QColor(theme.background))
    colours, (first, last) = what.label_colours(theme), canvas.visible_range
    low = max(bisect.bisect_right(what.starts, first) - 1, 0)
    drawn = -1.0
    for feature in what.features[low : bisect.bisect_left(what.starts, last)]:
        left, right = canvas.x_of(feature.start), max(canvas.x_of(feature.end), canvas.x_of(feature.start) + 1)
        if right <= drawn:
            continue
        box = QRectF(max(left, NAMES), top, min(right, area.right()) - max(left, NAMES), FEATURES - 4)
        drawn = right
        painter.fillRect(box, QColor(colours[feature.label]))
        words = f"{feature.label} {feature.start + 1:,}\u2013{feature.end:,}"
        words = words if metrics.horizontalAdvance(words) + 8 <= box.width() else feature.label
        if metrics.horizontalAdvance(words) + 8 <= box.width():
            painter.setPen(QColor("#10141a"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)


def _draw_names(painter: QPainter, area: QRectF, canvas: LetterCanvas, what: DrawnStates, theme: Theme) -> None:
    """Draw the state names that fit, and highlight the name of the state under the mouse."""
    metrics, hmm = painter.fontMetrics(), what.result.problem.hmm
    top, height = row_layout(area, canvas, what)
    every = max(int(np.ceil((metrics.height() + 1) / height)), 1)
    pointed = what.pointed[1]
    for state in range(0, what.state_count, every):
        painter.setPen(QColor(theme.accent if state == pointed else theme.text))
        box = QRectF(area.left() + 4, top + (state + 0.5) * height - 10, NAMES - 12, 20)
        name = metrics.elidedText(hmm.states[state], Qt.TextElideMode.ElideRight, int(box.width()))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)
    if what.features:
        box = QRectF(area.left() + 4, top + height * what.state_count + GAP, NAMES - 12, FEATURES - 4)
        painter.setPen(QColor(theme.muted))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, "features")
