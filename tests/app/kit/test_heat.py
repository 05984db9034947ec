import numpy as np
from PySide6.QtGui import QColor, QImage, QPainter

from antidiag.app.kit.painting import fonts_and_colours, heat_map


def nearly_uniform():
    values = np.random.default_rng(1).uniform(0.90, 0.94, (40, 40))
    values[3, 1] = 0.01
    return values


def test_a_nearly_uniform_matrix_is_stretched_and_another_is_not():
    low, high = heat_map.stretched_range(nearly_uniform())
    assert 0.9 <= low < 0.91 and 0.93 < high <= 0.94
    even = np.random.default_rng(2).uniform(0, 1, (40, 40))
    assert heat_map.stretched_range(even) == heat_map.value_range(even)
    same = np.full((5, 5), 0.5)
    assert heat_map.stretched_range(same) == heat_map.value_range(same) == (0.5, 0.5)


def contrast(first, second):
    """WCAG's contrast of two colours."""

    def luminance(colour):
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.getRgbF()[:3]]
        return linear[0] * 0.2126 + linear[1] * 0.7152 + linear[2] * 0.0722

    lights = sorted((luminance(first), luminance(second)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def test_numbers_can_be_read_on_every_colour_of_every_map():
    for name in heat_map.COLOUR_MAPS:
        for place in range(256):
            colour = QColor.fromRgb(int(heat_map.map_colours(name)[place]))
            assert contrast(heat_map.text_colour(place, name), colour) > 4, (name, place)
    assert fonts_and_colours.text_colour_on(QColor("#000000")) == fonts_and_colours.LIGHT_INK


def test_long_names_that_differ_at_their_end_differ_on_the_screen(qapp):
    pictures = []
    for end in ("human", "whale"):
        drawn = QImage(120, 40, QImage.Format.Format_RGB32)
        drawn.fill(QColor("white"))
        painter = QPainter(drawn)
        heat_map.draw_row_name(painter, 2, 20, 90, f"myoglobin_of_a_creature_{end}")
        painter.end()
        pictures.append(drawn)
    assert pictures[0] != pictures[1]
