"""Fewest operations of a cell of two sequences, whatever the method."""

from __future__ import annotations

from antidiag.kernels.scoring import Mode

LANES = {"cpu": 16, "cuda": 32}

LEAST_OPERATIONS = {"cpu": {Mode.LOCAL: 11.0, Mode.GLOBAL: 9.0}, "cuda": {Mode.LOCAL: 5.5, Mode.GLOBAL: 5.5}}
"""Fewest operations of a cell. On a CPU: the additions, subtractions and maxima of the recurrence in
strips/cpu_tile_kernels.py, and one maximum for the best score. On a GPU: instructions of the arithmetic pipe with
Hopper's fused add-and-maximum, extraction of the letters' score included."""
