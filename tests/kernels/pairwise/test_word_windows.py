"""Shades of the windows of a dot plot."""

import numpy as np

from antidiag.kernels.pairwise.pictures import word_windows


def test_tones_grow_with_the_logarithm_of_the_matches():
    from antidiag.kernels.pairwise.pictures.dotplot import MatchDensity

    counts = np.array([[0, 1, 10, 100, 5000]], np.uint32)
    nothing = np.zeros_like(counts)
    tones = word_windows.shade_density(MatchDensity((0, 100), (0, 500), counts, nothing, 0, 9))
    shades = (tones[0] // 16).tolist()
    assert shades[0] == 0 and shades[1] == 1 and shades[3] == shades[4] == 15
    assert shades == sorted(shades)
    table = word_windows.tone_colours(np.array([255, 255, 255]), np.array([0, 0, 200]), None)
    assert table[0].tolist() == [255, 255, 255]
    assert table[15 * 16].tolist() == [0, 0, 200]
    assert table[15].tolist() == [255, 255, 255]
