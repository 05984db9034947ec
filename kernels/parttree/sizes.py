"""Bytes and work of the guide trees of many sequences; nothing here computes a tree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.cpu.workers import cores
from antidiag.kernels.memory import Footprint
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.parameters import typed
from antidiag.kernels.parttree.alignment import MEDOID, PARTTREE, SINGLE, growth, linkage_steps
from antidiag.kernels.parttree.parameters import SectionParameters, Threads
from antidiag.kernels.parttree.problem import LINKED, PartTreeProblem
from antidiag.kernels.parttree.symbols import BITS
from antidiag.kernels.steps import Logged, Share
from antidiag.kernels.trees.distances.kmers import BASES, GROUPS, K

WORD_BYTES = 7
"""A letter, its 6-mer and how often that is there."""
DEVICE_WORD_BYTES = 8
"""The same, and the group of the letter."""
SEQUENCE_BYTES, SECTION_BYTES = 860, 560
"""Numbers of a sequence: its places in levels, its joins, and its node in the tree, with what making that takes; and
what of it is there at the same time as sections."""
INDEX_BYTES = 8
"""An entry of the index of the references."""
MOST_BYTES = 1 << 29
DEVICE_BYTES, COPIED_BYTES = 96, 750
"""Numbers of a sequence on a device, and what of them is on their way there or back."""


def bins(problem: PartTreeProblem) -> int:
    """6-mers that are possible."""
    return len(GROUPS if problem.protein else BASES) ** K


def work(problem: PartTreeProblem, parameters: Mapping[str, Any]) -> int:
    """Pairs of references and sequences on the first level."""
    return max(problem.cells, 1)


def logged(problem: PartTreeProblem, parameters: Mapping[str, Any], backend: str) -> Logged:
    """What the events of a run did: the ranges of each are members and references, on all levels."""
    return Logged((Share(),), "comparisons of a sequence with a reference")


def automatic(problem: PartTreeProblem, backend: str, multiprocessors: int | None) -> Mapping[str, Any]:
    """A thread a core."""
    return {"threads": cores()}


def footprint(problem: PartTreeProblem, parameters: Mapping[str, Any], backend: str) -> Footprint:
    """Letters and words, the numbers of the sequences, distances between references, and an index of each thread."""
    count, references = len(problem.sequences), min(problem.references, len(problem.sequences))
    host = {"sequences": SEQUENCE_BYTES * count, "distances of references": 8 * max(references, 50) ** 2}
    if backend == "cuda":
        device = {
            "6-mers": DEVICE_WORD_BYTES * problem.letters, "sequences": DEVICE_BYTES * count,
            "distances of references": host["distances of references"],
        }  # fmt: skip
        return Footprint({**host, "copies": COPIED_BYTES * count, "letters": 2 * problem.letters}, device)
    threads = typed(Threads, parameters).threads
    mean = problem.letters // max(count, 1)
    host["6-mers"] = WORD_BYTES * problem.letters
    host["index"] = threads * (12 * bins(problem) + INDEX_BYTES * references * mean)
    return Footprint(host)


def sections_footprint(problem: PartTreeProblem, parameters: Mapping[str, Any], backend: str) -> Footprint:
    """The same, with structs in sections, maps of references, and what is shared with them."""
    count, references = len(problem.sequences), min(problem.references, len(problem.sequences))
    typed(SectionParameters, parameters)
    of_reference = 4 * (bins(problem) + count)
    parts = {
        "sections": 9 * problem.letters,
        "maps and shared words": min(of_reference * references, max(MOST_BYTES, of_reference)),
    }
    host = {
        "6-mers": WORD_BYTES * problem.letters, "sequences": SECTION_BYTES * count,
        "distances of references": 8 * max(references, 50) ** 2, **parts,
    }  # fmt: skip
    return Footprint(host, parts if backend == "cuda" else {})


WIDENED = {SINGLE: (0.52, 0.25), MEDOID: (1.18, 0.2), PARTTREE: (0.52, 0.32)}
LONGEST_SHARE = 0.8
"""Columns of a family over mean^(1 - share) longest^share of its lengths: a factor, and the power of how many different
sequences there are, by guide tree. Measured with 9 real families of 120 to 46,000 different members, whole and in
part: within a factor of 1.7, 2 along PartTree. Their letters come and go in few places. Where they do so anywhere, as
in families that are made by chance, columns grow nearly with the number of sequences: a gap beside one that is there
already opens none in the rows that have it, so a letter that fits nowhere gets a column of its own there for little.
To let gaps open behind aligned columns alone made half as many, and no better alignments of real families."""
APART, MOST_APART, GROWS, MORE = {True: 0.0101, False: 0.0065}, 1500, 1.15, 1.15
APART_GROWN, DOUBLED, SMALL = 1.18, 0.53, 2048
"""Of sequences that have nothing in common (proteins, nucleotides): columns for a letter that each adds, over the root
of the length, until they are so many; where gap costs have grown by a factor, so that letters are aligned rather than
gaps made: the same of SMALL sequences, and what each doubling adds; and how many more a tree of PartTree has. Measured
with random ones of 35 to 160 letters, and 2,000 to 1,000,000 of 140. A run whose rows do not fit refuses them before it
takes their memory."""
COLUMN_BYTES = 24 * 8
"""Counts and scores of a column of a profile."""
MASK_BYTES = 21 * 4
"""Bits of 32 letters of a sequence, for every symbol."""
BLOCK_BYTES = 16 * 4
"""Distances of a sequence of a group to 16 others."""
CACHED_BYTES, MOST_BLOCKS, LEAST_BLOCK = 3 << 17, 16, 128
"""Of the masks of a block of single linkage: those of two stay in the cache next to a core. Blocks at most, as each
pair of them has edges of its own; and sequences of a block, two groups that are compared side by side."""
EDGE_BYTES = 36
"""An edge of the trees of pairs of blocks, in each form in which it is there at once."""
LITTLE = 1 << 22
"""Words of bits that one thread counts sooner than several share them."""
PROFILE_BYTES, FIRST_BYTES, LAUNCH_BYTES = 40, 1 << 20, 1 << 30
"""On the device: profiles that wait, for a letter; what is taken anyhow; and what a launch takes at most."""
PAIRS = 6
"""Sequences for each pair of the first level of the tree, about."""
STEP_CELLS, PAIR_CELLS, PART_TREE_CELLS = 0.09, 7.0, 400
"""What a word of bits takes, a pair beside these, and a distance of PartTree, as cells of two profiles (about 1 ns)."""
LINKED_BYTES, NODE_BYTES = 300, 400
"""Numbers of a sequence among medoids: its join, and its node; and with what making the node takes, where nothing
beside the tree is as large."""
DRAWN_BYTES = 30
"""A distance of two sequences that were drawn, in each form in which it is there at once."""
LEAF_BYTES, COPY_BYTES = 420, 80
"""Numbers of a different sequence: joins, steps, gaps of its node; and of any: its name and its place in the tree."""


def linkage_footprint(problem: PartTreeProblem, parameters: Mapping[str, Any], backend: str) -> Footprint:
    """Letters, masks, and numbers of the sequences."""
    lengths = problem.lengths
    letters, tree = {"letters": 2 * int(lengths.sum())}, {"sequences": NODE_BYTES * lengths.size}
    if backend == "cuda":
        return Footprint({**tree, **letters}, _linked_on_device(lengths))
    linked = _linked(lengths, typed(Threads, parameters).threads)
    return Footprint({**letters, **(linked if sum(linked.values()) > sum(tree.values()) else tree)})


def linkage_blocks(lengths: np.ndarray, threads: int) -> int:
    """Blocks of sequences, of each two of which a thread makes the tree between them."""
    words = int(_words(lengths).sum())
    by_cache = -(-words * MASK_BYTES // CACHED_BYTES)
    by_threads = 2 * math.isqrt(threads - 1) + 2 if threads > 1 and int(lengths.sum()) * words > LITTLE else 1
    return min(max(by_cache, by_threads), MOST_BLOCKS, max(1, lengths.size // LEAST_BLOCK))


def _words(lengths: np.ndarray) -> np.ndarray:
    return np.maximum((lengths + BITS - 1) // BITS, 1)


def _linked(lengths: np.ndarray, threads: int) -> dict[str, int]:
    """Masks of a block of each thread (the others are made where earlier ones were), and the edges of all trees."""
    blocks = linkage_blocks(lengths, threads)
    share = min(1.0, threads / blocks)
    masks = int(share * MASK_BYTES * _words(lengths).sum())
    return {"masks": masks, "edges": EDGE_BYTES * (blocks + 1) * lengths.size}


def _linked_on_device(lengths: np.ndarray) -> dict[str, int]:
    return {"letters": int(lengths.sum()) + 2 * lengths.size, "sequences": 28 * lengths.size}


def linkage_work(problem: PartTreeProblem, parameters: Mapping[str, Any]) -> int:
    """Steps of all pairs: in one, a letter of a sequence meets a word of another (`cpu_lcs`)."""
    return max(int(linkage_steps(problem.lengths)), 1)


def linkage_logged(problem: PartTreeProblem, parameters: Mapping[str, Any], backend: str) -> Logged:
    """All pairs in the one phase."""
    return Logged((Share(("linkage",), _linked_pairs(problem)), Share(total=0)))


def _linked_pairs(problem: PartTreeProblem) -> int:
    return len(problem.sequences) * (len(problem.sequences) - 1) // 2


def medoid_footprint(problem: PartTreeProblem, parameters: Mapping[str, Any], backend: str) -> Footprint:
    """Letters, the distances of those that are drawn, and masks and rows of groups, of which each thread has one."""
    lengths = problem.lengths
    drawn = min(LINKED * problem.references, lengths.size)
    threads = typed(Threads, parameters).threads
    words = int(_words(lengths).max())
    return Footprint({
        "sequences": LINKED_BYTES * lengths.size, "letters": 3 * int(lengths.sum()),
        "distances": DRAWN_BYTES * drawn**2 if drawn < lengths.size else 0,
        "masks and rows": threads * drawn * (MASK_BYTES * words + BLOCK_BYTES),
    })  # fmt: skip


def medoid_work(problem: PartTreeProblem, parameters: Mapping[str, Any]) -> int:
    """Steps, as of single linkage."""
    share = 2 * _medoid_pairs(problem) / max(len(problem.sequences), 1) ** 2
    return max(int(share * linkage_steps(problem.lengths)), 1)


def medoid_logged(problem: PartTreeProblem, parameters: Mapping[str, Any], backend: str) -> Logged:
    """Pairs of medoids with all sequences, and within groups, about."""
    return Logged((Share(("medoids",), _medoid_pairs(problem)), Share(total=0)))


def _medoid_pairs(problem: PartTreeProblem) -> int:
    count = len(problem.sequences)
    return count * min(count // 2, 3 * LINKED * problem.references // 4)


def alignment_footprint(problem: MsaProblem, parameters: Mapping[str, Any], backend: str) -> Footprint:
    """Masks, or words; profiles that wait; the rows."""
    lengths = problem.lengths
    count, letters, single = lengths.size, int(lengths.sum()), problem.rules.guide != PARTTREE
    different = problem.different
    second = int(np.sort(lengths)[max(lengths.size - 2, 0)])
    columns = _columns(problem)
    waiting = int(np.log2(different + 1)) + 4
    host = {
        "sequences": LEAF_BYTES * different + COPY_BYTES * count, "letters": 3 * letters,
        "profiles": waiting * columns * COLUMN_BYTES,
        "directions": 2 * columns * second if single else columns**2, "rows": columns * count,
    }  # fmt: skip
    if backend == "cuda":
        return Footprint(host, _alignment_on_device(problem, lengths, single))
    threads = typed(Threads, parameters).threads
    words = {"6-mers": WORD_BYTES * letters * different // count}
    return Footprint({**host, **(_linked(lengths[:different], threads) if single else words)})


def rooms(different: int, letters: int) -> tuple[int, int]:
    """Bytes on the device that are taken at first for profiles that wait, and for the alignments of a launch."""
    mean = letters / max(different, 1)
    pair = -(-int(mean) // 32) * 32 * (mean + 31) + 160 * mean
    return PROFILE_BYTES * letters, int(min(LAUNCH_BYTES, max(different / PAIRS, 1) * pair))


def _alignment_on_device(problem: MsaProblem, lengths: np.ndarray, single: bool) -> dict[str, int]:
    """What the guide tree or the profiles take, whichever is more: one is gone before the other comes."""
    different, mean = problem.different, float(lengths.mean())
    guide = _linked_on_device(lengths)
    if not single:
        guide = {"6-mers": DEVICE_WORD_BYTES * int(lengths.sum()), "sequences": DEVICE_BYTES * lengths.size}
    waiting, launch = rooms(different, int(different * mean))
    profiles = {
        "letters": int(different * mean), "profiles": waiting, "gaps": FIRST_BYTES, "alignments of a launch": launch,
    }  # fmt: skip
    return max(guide, profiles, key=lambda parts: sum(parts.values()))


def alignment_logged(problem: MsaProblem, parameters: Mapping[str, Any], backend: str) -> Logged:
    """What the events of a run did: all of it is told of the nodes, the guide tree in their cells."""
    return Logged((Share(("alignment",), alignment_work(problem, parameters)), Share(total=0)),
                  "cells of the nodes, and of the guide tree")  # fmt: skip


def alignment_work(problem: MsaProblem, parameters: Mapping[str, Any]) -> int:
    """Cells of the nodes, and what the guide tree takes, in such cells."""
    lengths = problem.lengths
    different = problem.different
    share = different / lengths.size
    nodes = _columns(problem) * float(lengths.sum()) * share
    guide = float(PART_TREE_CELLS) * min(problem.rules.references, different) * different
    steps = STEP_CELLS * linkage_steps(*problem.counted_lengths) * share
    if problem.rules.guide == MEDOID:
        near = min(different, LINKED * problem.rules.references)
        guide = (steps + PAIR_CELLS * different**2 / 2) * near / different
    if problem.rules.guide == SINGLE:
        guide = steps * share + PAIR_CELLS * different * (different - 1) / 2
    return max(int(nodes + (0 if problem.tree is not None else guide)), 1)


def _columns(problem: MsaProblem) -> int:
    """Columns of the alignment of so many different sequences, about."""
    guide = SINGLE if problem.tree is not None else problem.rules.guide
    count, longest, mean = max(problem.different, 1), int(problem.lengths.max()), float(problem.lengths.mean())
    if problem.related:
        linked = guide == MEDOID and count <= LINKED * problem.rules.references
        factor, power = WIDENED[SINGLE if linked else guide]
        return max(int(factor * mean ** (1 - LONGEST_SHARE) * longest**LONGEST_SHARE * count**power), longest)
    share = 1.5 + APART[problem.protein] * mean**0.5 * count / (1 + count / MOST_APART)
    if problem.protein and growth(count, problem.rules.growth) > GROWS:
        share = mean**0.5 * (APART_GROWN + DOUBLED * np.log2(count / SMALL))
    return max(int(share * mean * (MORE if guide == PARTTREE else 1)), longest)
