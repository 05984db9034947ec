import numpy as np

from antidiag.app.kit.painting.fonts_and_colours import needs_light_text


def test_ink_is_light_on_dark_colours():
    table = np.array([[0, 0, 0], [68, 1, 84], [253, 231, 37], [255, 255, 255]], np.uint8)
    assert needs_light_text(table).tolist() == [True, True, False, False]
