"""Products over the (min, +) algebra and what they solve (003, chapters 5 and 6)."""

from __future__ import annotations

from kernels.tropical import folding, paths, viterbi

METHODS = (*viterbi.METHODS, *paths.METHODS, *folding.METHODS)
