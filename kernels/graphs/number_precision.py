"""The precision of the number types of distances."""

from __future__ import annotations

DIGITS = {"int32": 53, "float32": 24, "float64": 53}
"""Binary digits of a type; weights for int32 were checked when the problem was built."""

TOLERANCE = {"int32": 0.0, "float32": 1e-5, "float64": 1e-12}
"""How much two equal paths may differ by rounding, relative to the largest distance."""
