"""The page of a guideline: sliders, the result in words, and a picture."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSignalBlocker, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGridLayout, QLabel, QSlider, QWidget

from antidiag.app import theme
from antidiag.app.kit.boxes import column_of
from antidiag.app.kit.canvas.painted_view import PictureCanvas
from antidiag.app.kit.controls.widgets import Card, create_label
from antidiag.app.learn.guidelines import Guideline, SliderSpec
from antidiag.kernels.cuda.guidelines import CARDS, CardLimits
from antidiag.kernels.text import format_count


class SliderRow:
    """A name, a slider over the values that a GPU allows, and the present value."""

    def __init__(self, slide: SliderSpec, grid: QGridLayout, changed: Callable[[], None]) -> None:
        self.spec = slide
        self.values: tuple[int, ...] = (slide.start,)
        self.slider, self.value_label = QSlider(Qt.Orientation.Horizontal), QLabel()
        self.slider.setAccessibleName(slide.label)
        self.slider.setPageStep(4)
        row = grid.rowCount()
        grid.addWidget(create_label(slide.label), row, 0)
        grid.addWidget(self.slider, row, 1)
        grid.addWidget(self.value_label, row, 2)
        self.slider.valueChanged.connect(self._show_value)
        self.slider.valueChanged.connect(changed)

    @property
    def value(self) -> int:
        """The present value."""
        return self.values[self.slider.value()]

    def set_value(self, value: int) -> None:
        """Set the allowed value that is nearest to this one."""
        distances = [abs(allowed - value) for allowed in self.values]
        self.slider.setValue(distances.index(min(distances)))

    def set_limits(self, limits: CardLimits) -> None:
        """Allow the values of this GPU, and keep the present value as far as possible."""
        before = self.value if len(self.values) > 1 else self.spec.start
        self.values = self.spec.allowed_values(limits)
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, len(self.values) - 1)
        self.set_value(before)
        self._show_value()

    def _show_value(self) -> None:
        unit = self.spec.unit
        self.value_label.setText(format_count(self.value, unit.removesuffix("s"), unit) if unit else f"{self.value:,}")


class GuidelinePage(QWidget):
    """One guideline that can be tried out."""

    def __init__(self, guideline: Guideline) -> None:
        super().__init__()
        self.guideline, self.limits = guideline, CARDS[0]
        self.card = Card(guideline.title)
        self.result_label = create_label(wrap=True)
        self.result_label.setObjectName("heading")
        self.canvas = PictureCanvas(self._draw_picture)
        self.canvas.setAccessibleName(guideline.title)
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * theme.MARGIN)
        grid.setColumnStretch(1, 1)
        grid.setColumnMinimumWidth(2, 110)
        self.slider_rows = {slide.name: SliderRow(slide, grid, self._update_result) for slide in guideline.slides}
        self.card.box.addWidget(create_label(guideline.text, "muted", wrap=True))
        self.card.box.addLayout(grid)
        self.card.box.addWidget(self.result_label)
        column_of(self.card, (self.canvas, 1), parent=self)
        theme.notifier.changed.connect(self.canvas.update)
        self.show_limits(self.limits)

    @property
    def values(self) -> dict[str, int]:
        """The present values by name."""
        return {name: row.value for name, row in self.slider_rows.items()}

    def show_limits(self, limits: CardLimits) -> None:
        """Compute for another GPU."""
        self.limits = limits
        for row in self.slider_rows.values():
            row.set_limits(limits)
        self._update_result()

    def _update_result(self) -> None:
        self.result_label.setText(self.guideline.describe(self.limits, self.values))
        self.canvas.update()

    def _draw_picture(self, painter: QPainter, area: QRectF) -> None:
        margin = theme.MARGIN
        self.guideline.draw(painter, area.adjusted(margin, margin, -margin, -margin), self.limits, self.values)
