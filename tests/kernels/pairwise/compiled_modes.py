"""Compile-time constants of the modes of pairs."""

from __future__ import annotations

FREE = ("TOP_FREE", "LEFT_FREE", "BOTTOM_FREE", "RIGHT_FREE")
GLOBAL = {"LOCAL": 0, **dict.fromkeys(FREE, 0)}
LOCAL = {**GLOBAL, "LOCAL": 1, "TOP_FREE": 1, "LEFT_FREE": 1}
OVERLAP = {"LOCAL": 0, **dict.fromkeys(FREE, 1)}
