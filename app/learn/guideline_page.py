"""A guideline to be tried out: sliders, what follows from them in words, and a picture."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGridLayout, QLabel, QSlider, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.painted_view import Canvas
from antidiag.app.kit.widgets import Card, label
from antidiag.app.learn.guidelines import Guideline, Slide
from antidiag.kernels.cuda.guidelines import CARDS, Limits
from antidiag.kernels.text import counted

WIDEST_TEXT = 900


class SlideRow:
    """A name, a slider over the values that a card allows, and the value."""

    def __init__(self, slide: Slide, grid: QGridLayout, changed: Callable[[], None]) -> None:
        self.spec = slide
        self.values: tuple[int, ...] = (slide.start,)
        self.slider, self.text = QSlider(Qt.Orientation.Horizontal), QLabel()
        self.slider.setAccessibleName(slide.label)
        self.slider.setPageStep(4)
        row = grid.rowCount()
        grid.addWidget(label(slide.label), row, 0)
        grid.addWidget(self.slider, row, 1)
        grid.addWidget(self.text, row, 2)
        self.slider.valueChanged.connect(self._tell)
        self.slider.valueChanged.connect(changed)

    @property
    def value(self) -> int:
        return self.values[self.slider.value()]

    def set_value(self, value: int) -> None:
        """The value that is nearest to this one."""
        distances = [abs(allowed - value) for allowed in self.values]
        self.slider.setValue(distances.index(min(distances)))

    def set_card(self, limits: Limits) -> None:
        """Allow what this card does, and keep the value as far as it can be."""
        before = self.value if len(self.values) > 1 else self.spec.start
        self.slider.blockSignals(True)
        self.values = self.spec.values(limits)
        self.slider.setRange(0, len(self.values) - 1)
        self.slider.blockSignals(False)
        self.set_value(before)
        self._tell()

    def _tell(self) -> None:
        unit = self.spec.unit
        self.text.setText(counted(self.value, unit.removesuffix("s"), unit) if unit else f"{self.value:,}")


class GuidelinePage(QWidget):
    """One guideline."""

    def __init__(self, guideline: Guideline) -> None:
        super().__init__()
        self.guideline, self.limits = guideline, CARDS[0]
        self.card = Card(guideline.title)
        self.words = label(wrap=True)
        self.words.setObjectName("heading")
        self.canvas = Canvas(self._draw)
        self.canvas.setAccessibleName(guideline.title)
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * theme.MARGIN)
        grid.setColumnStretch(1, 1)
        grid.setColumnMinimumWidth(2, 110)
        self.rows = {slide.name: SlideRow(slide, grid, self._show) for slide in guideline.slides}
        for widget in (label(guideline.text, "muted", wrap=True),):
            self.card.box.addWidget(widget)
        self.card.box.addLayout(grid)
        self.card.box.addWidget(self.words)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        box.addWidget(self.card)
        box.addWidget(self.canvas, 1)
        theme.notifier.changed.connect(self.canvas.update)
        self.show_card(self.limits)

    @property
    def values(self) -> dict[str, int]:
        return {name: row.value for name, row in self.rows.items()}

    def show_card(self, limits: Limits) -> None:
        """Compute for another card."""
        self.limits = limits
        for row in self.rows.values():
            row.set_card(limits)
        self._show()

    def _show(self) -> None:
        self.words.setText(self.guideline.words(self.limits, self.values))
        self.canvas.update()

    def _draw(self, painter: QPainter, area: QRectF) -> None:
        margin = theme.MARGIN
        self.guideline.draw(painter, area.adjusted(margin, margin, -margin, -margin), self.limits, self.values)
