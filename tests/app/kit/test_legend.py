"""Small widgets of the views."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from antidiag.app.kit.figures.legend import Legend, LegendItem


def test_a_legend_takes_as_many_lines_as_a_narrower_window_needs(qtbot) -> None:
    window, legend = QWidget(), Legend()
    qtbot.addWidget(window)
    box = QVBoxLayout(window)
    box.addStretch(1)
    box.addWidget(legend)
    legend.show_items(tuple(LegendItem("fill", f"item {number}", ("#ff0000",)) for number in range(6)))
    heights = []
    for width in (900, 260, 900):
        window.resize(width, 300)
        window.show()
        QApplication.processEvents()
        assert legend.height() == legend.heightForWidth(legend.width())
        heights.append(legend.height())
    assert heights[1] > heights[0] == heights[2]
