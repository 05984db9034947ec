"""How exact the numbers of distances are, by their types."""

from __future__ import annotations

DIGITS = {"int32": 53, "float32": 24, "float64": 53}
"""Binary digits of a number; weights of int32 were made sure of when the problem was built."""

TOLERANCE = {"int32": 0.0, "float32": 1e-5, "float64": 1e-12}
"""How far, as a part of the largest distance, two equal ways may differ by rounding."""
