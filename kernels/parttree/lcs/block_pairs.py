"""Single linkage in pieces: the different sequences by ascending length in blocks, and all pairs of blocks.

Each pair of blocks, and each block, has a minimum spanning tree of its own. Together they contain that of all
sequences, which the caller makes of their edges.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations_with_replacement, pairwise
from math import isqrt

import numpy as np

from antidiag.kernels.model import group_equal_sequences
from antidiag.kernels.parttree.problem import PartTreeProblem
from antidiag.kernels.parttree.sizes import LEAST_BLOCK, linkage_blocks, mask_words
from antidiag.kernels.run_splitting import RunPiece


def list_block_pairs(problem: PartTreeProblem, least: int) -> list[RunPiece]:
    """Return the pairs of blocks of about as many letters each, ``least`` of them if there are enough sequences."""
    first, _ = group_equal_sequences(problem.sequences)
    lengths = np.sort(problem.lengths[first])
    words = mask_words(lengths)
    enough = min(isqrt(max(2 * least - 1, 0)) + 1, lengths.size // LEAST_BLOCK)
    blocks = max(linkage_blocks(lengths, 1), enough, 1)
    wanted = np.searchsorted(np.cumsum(words), np.linspace(0, words.sum(), blocks + 1)[1:-1])
    borders = np.unique([0, *wanted, lengths.size]).tolist()
    return [
        RunPiece(
            "pairs of sequences",
            {"first": a, "first_end": a_end, "second": b, "second_end": b_end},
            float(lengths[a:a_end].sum() * words[b:b_end].sum()) / (1 + (a == b)),
        )
        for (a, a_end), (b, b_end) in combinations_with_replacement(pairwise(borders), 2)
    ]


def read_block_pair(numbers: Mapping[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the ranks of the sequences of both blocks, int64; the same array twice for one block."""
    first = np.arange(numbers["first"], numbers["first_end"])
    is_one = numbers["first"] == numbers["second"]
    return first, first if is_one else np.arange(numbers["second"], numbers["second_end"])
