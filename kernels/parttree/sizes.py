"""Memory and work of the methods for very many sequences; nothing here computes a tree."""

from __future__ import annotations

import math

import numpy as np

from antidiag.kernels.memory import Footprint
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.parttree.parameters import PartTreeThreads, SectionParameters
from antidiag.kernels.parttree.problem import LINKED_PER_REFERENCE, PartTreeProblem
from antidiag.kernels.parttree.progressive.alignment_rules import (
    MEDOID,
    PARTTREE,
    SINGLE,
    SKETCH,
    count_linkage_steps,
    gap_cost_growth,
)
from antidiag.kernels.parttree.symbols import BITS
from antidiag.kernels.steps import LoggedWork, WorkShare
from antidiag.kernels.trees.distances.shared_words.kmers import BASES, GROUPS, K

WORD_BYTES = 7
"""Bytes of a letter, its 6-mer and the count of that."""
DEVICE_WORD_BYTES = 8
"""Bytes of a letter, its 6-mer, the count of that, and the group of the letter."""
SEQUENCE_BYTES, SECTION_BYTES = 860, 560
"""Bytes of a sequence: positions in levels, joins and its node in the tree, with what making the node takes; and those
that exist at the same time as sections."""
INDEX_BYTES = 8
"""Bytes of an entry of the index of the references."""
MOST_BYTES = 1 << 29
DEVICE_BYTES, COPIED_BYTES = 96, 750
"""Bytes of a sequence on a device, and of copies of it on the host while it is transferred."""


def possible_words(problem: PartTreeProblem) -> int:
    """Return the number of possible 6-mers."""
    return len(GROUPS if problem.is_protein else BASES) ** K


def part_tree_logged(problem: PartTreeProblem, parameters: MethodParameters, backend: str) -> LoggedWork:
    """Return what the events of a run did: members and references of all levels."""
    return LoggedWork((WorkShare(),), "comparisons of a sequence with a reference")


def part_tree_footprint(problem: PartTreeProblem, parameters: MethodParameters, backend: str) -> Footprint:
    """Return the memory of letters, words, sequences, distances between references, and an index for each thread."""
    count, references = len(problem.sequences), min(problem.references, len(problem.sequences))
    host = {"sequences": SEQUENCE_BYTES * count, "distances of references": 8 * max(references, 50) ** 2}
    if backend == "cuda":
        device = {
            "6-mers": DEVICE_WORD_BYTES * problem.letters,
            "sequences": DEVICE_BYTES * count,
            "distances of references": host["distances of references"],
        }
        return Footprint({**host, "copies": COPIED_BYTES * count, "letters": 2 * problem.letters}, device)
    threads = parameters.worker_threads
    mean = problem.letters // max(count, 1)
    host["6-mers"] = WORD_BYTES * problem.letters
    host["index"] = threads * (12 * possible_words(problem) + INDEX_BYTES * references * mean)
    return Footprint(host)


def sections_footprint(problem: PartTreeProblem, parameters: SectionParameters, backend: str) -> Footprint:
    """Return the memory of CUDA-Parttree, with sections, maps of references, and shared words."""
    count, references = len(problem.sequences), min(problem.references, len(problem.sequences))
    of_reference = 4 * (possible_words(problem) + count)
    parts = {
        "sections": 9 * problem.letters,
        "maps and shared words": min(of_reference * references, max(MOST_BYTES, of_reference)),
    }
    host = {
        "6-mers": WORD_BYTES * problem.letters,
        "sequences": SECTION_BYTES * count,
        "distances of references": 8 * max(references, 50) ** 2,
        **parts,
    }
    return Footprint(host, parts if backend == "cuda" else {})


WIDENED = {SINGLE: (0.52, 0.25), MEDOID: (1.18, 0.2), PARTTREE: (0.52, 0.32), SKETCH: (0.52, 0.25)}
LONGEST_SHARE = 0.8
"""Expected columns of a family of related sequences, over mean^(1 - share) longest^share of its lengths: a factor and a
power of the number of different sequences, by guide tree. Measured with 9 real families of 120 to 46,000 different
members, whole and in part: within a factor of 1.7, or 2 along PartTree. Random families get more columns, nearly in
proportion to their members: a gap beside an existing one opens none, so that a letter that fits nowhere gets its own
column for little."""
APART, MOST_APART, GROWS, MORE = {True: 0.0101, False: 0.0065}, 1500, 1.15, 1.15
APART_GROWN, DOUBLED, SMALL = 1.18, 0.53, 2048
"""Expected columns of unrelated sequences (proteins, nucleotides): columns per added letter over the root of the
length, up to a limit of sequences; where gap costs grew by a factor, so that letters are aligned rather than gaps
opened, the columns of SMALL sequences and those that each doubling adds; and the factor of a PartTree guide. Measured
with random sequences, 35 to 160 letters, 2,000 to 1,000,000 of 140. A run whose rows do not fit is refused before it
takes the memory."""
COLUMN_BYTES = 24 * 8
"""Bytes of counts and scores of a column of a profile."""
MASK_BYTES = 21 * 4
"""Bytes of the masks of 32 letters of a sequence, one word per symbol."""
BLOCK_BYTES = 16 * 4
"""Bytes of the distances of a sequence to 16 others."""
CACHED_BYTES, MOST_BLOCKS, LEAST_BLOCK = 3 << 17, 16, 128
"""Bytes of the masks of a block of single linkage: those of two blocks stay in a core's cache. Most blocks, as each
pair of them has its own edges; and fewest sequences of a block, two groups that are compared together."""
EDGE_BYTES = 36
"""Bytes of an edge of the trees of pairs of blocks, in all its copies."""
LITTLE = 1 << 22
"""Words of bits that one thread counts sooner than several would share them."""
PROFILE_BYTES, MOVED, FIRST_BYTES, LAUNCH_BYTES = 50, 1.5, 1 << 20, 1 << 30
"""Device bytes: profiles, per letter, as many as two levels of a balanced tree take; how many times as many while those
that are still needed move to a new array; a fixed part; and most bytes of a launch of more than one alignment."""
WIDER = 1.2
"""Approximate columns, per letter of the longest sequences, of the widest profiles that the device aligns."""
PAIRS = 6
"""Sequences per pair of the first level of the tree, about."""
STEP_CELLS, PAIR_CELLS, PART_TREE_CELLS = 0.09, 7.0, 400
"""Cost of a word of bits, of a pair in addition, and of a PartTree distance, in cells of two profiles (about 1 ns)."""
NODE_SPREAD = 1.45
"""Cells of the nodes of related sequences over their number times the square of their mean length: 1.03 to 2.04 in 15
families of 200 to 9,000, since most joins are of few sequences."""
NODE_COST, JOIN_COST = 2.3, 20_000
"""Time of a cell of two profiles, and of a join in addition, in times of a cell of the guide tree."""
SKETCH_CELLS, DISTANCE_BYTES, SKETCH_BYTES = 80, 4, 2048
"""Cost of a pair of sketches, in such cells; bytes of a distance between sketches, and of a sketch."""
LINKED_BYTES, NODE_BYTES = 300, 400
"""Bytes of a sequence among medoids (its join and node), and with what making the node takes."""
DRAWN_BYTES = 30
"""Bytes of a distance of two drawn sequences, in all its copies."""
LEAF_BYTES, COPY_BYTES = 420, 80
"""Bytes of a different sequence (joins, steps, gaps of its node), and of any sequence (name, place in the tree)."""


def linkage_footprint(problem: PartTreeProblem, parameters: PartTreeThreads, backend: str) -> Footprint:
    """Return the memory of letters, masks and sequences of single linkage."""
    lengths = problem.lengths
    letters, tree = {"letters": 2 * int(lengths.sum())}, {"sequences": NODE_BYTES * lengths.size}
    if backend == "cuda":
        return Footprint({**tree, **letters}, _device_linkage_bytes(lengths))
    linked = _linkage_bytes(lengths, parameters.threads)
    return Footprint({**letters, **(linked if sum(linked.values()) > sum(tree.values()) else tree)})


def linkage_blocks(lengths: np.ndarray, threads: int) -> int:
    """Return the number of blocks of sequences; a thread makes the tree between each two of them."""
    words = int(mask_words(lengths).sum())
    by_cache = -(-words * MASK_BYTES // CACHED_BYTES)
    by_threads = 2 * math.isqrt(threads - 1) + 2 if threads > 1 and int(lengths.sum()) * words > LITTLE else 1
    return min(max(by_cache, by_threads), MOST_BLOCKS, max(1, lengths.size // LEAST_BLOCK))


def mask_words(lengths: np.ndarray) -> np.ndarray:
    """Return the words of bits of sequences."""
    return np.maximum((lengths + BITS - 1) // BITS, 1)


def _linkage_bytes(lengths: np.ndarray, threads: int) -> dict[str, int]:
    """Return the bytes of the masks of a block for each thread, and of the edges of all trees."""
    blocks = linkage_blocks(lengths, threads)
    share = min(1.0, threads / blocks)
    masks = int(share * MASK_BYTES * mask_words(lengths).sum())
    return {"masks": masks, "edges": EDGE_BYTES * (blocks + 1) * lengths.size}


def _device_linkage_bytes(lengths: np.ndarray) -> dict[str, int]:
    """Return the device bytes of single linkage."""
    return {"letters": int(lengths.sum()) + 2 * lengths.size, "sequences": 28 * lengths.size}


def linkage_work(problem: PartTreeProblem, parameters: PartTreeThreads) -> int:
    """Return the steps of all pairs: in one, a letter of a sequence meets a word of another (`cpu_spanning_tree`)."""
    return max(int(count_linkage_steps(problem.lengths)), 1)


def linkage_logged(problem: PartTreeProblem, parameters: PartTreeThreads, backend: str) -> LoggedWork:
    """Return what the events of a run did: all pairs in the one phase."""
    return LoggedWork((WorkShare(("linkage",), _linkage_pairs(problem)), WorkShare(total=0)))


def _linkage_pairs(problem: PartTreeProblem) -> int:
    """Return the number of pairs of sequences."""
    return len(problem.sequences) * (len(problem.sequences) - 1) // 2


def medoid_footprint(problem: PartTreeProblem, parameters: PartTreeThreads, backend: str) -> Footprint:
    """Return the memory of letters, drawn distances, and masks and rows of a group for each thread."""
    lengths = problem.lengths
    drawn = min(LINKED_PER_REFERENCE * problem.references, lengths.size)
    threads = parameters.threads
    words = int(mask_words(lengths).max())
    return Footprint(
        {
            "sequences": LINKED_BYTES * lengths.size,
            "letters": 3 * int(lengths.sum()),
            "distances": DRAWN_BYTES * drawn**2 if drawn < lengths.size else 0,
            "masks and rows": threads * drawn * (MASK_BYTES * words + BLOCK_BYTES),
        }
    )


def medoid_work(problem: PartTreeProblem, parameters: PartTreeThreads) -> int:
    """Return the steps of a medoid tree, in the unit of `linkage_work`."""
    share = 2 * _medoid_pairs(problem) / max(len(problem.sequences), 1) ** 2
    return max(int(share * count_linkage_steps(problem.lengths)), 1)


def medoid_logged(problem: PartTreeProblem, parameters: PartTreeThreads, backend: str) -> LoggedWork:
    """Return what the events of a run did: pairs of medoids with all sequences, and within groups, about."""
    return LoggedWork((WorkShare(("medoids",), _medoid_pairs(problem)), WorkShare(total=0)))


def _medoid_pairs(problem: PartTreeProblem) -> int:
    """Return the number of pairs that a medoid tree compares, about."""
    count = len(problem.sequences)
    return count * min(count // 2, 3 * LINKED_PER_REFERENCE * problem.references // 4)


def alignment_footprint(problem: MsaProblem, parameters: PartTreeThreads, backend: str) -> Footprint:
    """Return the memory of masks or words, waiting profiles, directions and rows."""
    lengths = problem.lengths
    count, letters = lengths.size, int(lengths.sum())
    different = problem.distinct_count
    second = int(np.sort(lengths)[max(lengths.size - 2, 0)])
    columns = _expected_columns(problem)
    waiting = int(np.log2(different + 1)) + 4
    is_chain = problem.rules.guide in (SINGLE, MEDOID)
    host = {
        "sequences": LEAF_BYTES * different + COPY_BYTES * count,
        "letters": 3 * letters,
        "profiles": waiting * columns * COLUMN_BYTES,
        "directions": 2 * columns * second if is_chain else columns**2,
        "rows": columns * count,
    }
    if problem.rules.guide == SKETCH:
        host |= {"distances": DISTANCE_BYTES * different**2, "sketches": SKETCH_BYTES * different}
    if backend == "cuda":
        return Footprint(host, _device_alignment_bytes(problem, lengths))
    if is_chain:
        host |= _linkage_bytes(lengths[:different], parameters.threads)
    if problem.rules.guide == PARTTREE:
        host["6-mers"] = WORD_BYTES * letters * different // count
    return Footprint(host)


def initial_device_bytes(different: int, letters: int) -> tuple[int, int]:
    """Return device bytes allocated at first for waiting profiles, and for the alignments of a launch."""
    mean = letters / max(different, 1)
    pair = -(-int(mean) // 32) * 32 * (mean + 31) + 280 * mean
    return PROFILE_BYTES * letters, int(min(LAUNCH_BYTES, max(different / PAIRS, 1) * pair))


def _device_alignment_bytes(problem: MsaProblem, lengths: np.ndarray) -> dict[str, int]:
    """Return the device bytes of the guide tree or of the profiles, whichever is more: they follow each other."""
    different, mean = problem.distinct_count, float(lengths.mean())
    guide = _device_linkage_bytes(lengths)
    if problem.rules.guide == PARTTREE:
        guide = {"6-mers": DEVICE_WORD_BYTES * int(lengths.sum()), "sequences": DEVICE_BYTES * lengths.size}
    waiting, launch = initial_device_bytes(different, int(different * mean))
    second, longest = np.sort(lengths)[[max(lengths.size - 2, 0), -1]].tolist()
    profiles = {
        "letters": int(different * mean),
        "profiles": int(MOVED * waiting),
        "gaps": FIRST_BYTES,
        "alignments of a launch": max(launch, int(WIDER**2 * second * longest)),
    }
    return max(guide, profiles, key=lambda parts: sum(parts.values()))


def alignment_logged(problem: MsaProblem, parameters: PartTreeThreads, backend: str) -> LoggedWork:
    """Return what the events of a run did: all of it counts as cells of the nodes, the guide tree included."""
    return LoggedWork(
        (WorkShare(("alignment",), alignment_work(problem, parameters)), WorkShare(total=0)),
        "cells of the nodes, and of the guide tree",
    )


def alignment_work(problem: MsaProblem, parameters: PartTreeThreads) -> int:
    """Return the cells of all nodes, and the cost of the guide tree in such cells."""
    return max(int(_expected_node_cells(problem) + _guide_cells(problem)), 1)


def timed_alignment_work(problem: MsaProblem, parameters: PartTreeThreads) -> int:
    """Return the work of `alignment_work` in cells of the guide tree, of which each takes about 1 ns on one thread."""
    nodes = NODE_COST * _expected_node_cells(problem) + JOIN_COST * problem.distinct_count
    return max(int(nodes + _guide_cells(problem)), 1)


def timed_tree_work(problem: PartTreeProblem, parameters: MethodParameters) -> int:
    """Return the letters of the sequences that are compared with each reference."""
    return max(problem.cells * problem.letters // max(len(problem.sequences), 1), 1)


def _expected_node_cells(problem: MsaProblem) -> float:
    """Return the expected cells of all nodes."""
    lengths, different = problem.lengths, problem.distinct_count
    if problem.are_related and problem.rules.guide != PARTTREE:
        return NODE_SPREAD * different * float(lengths.mean()) ** 2
    return _expected_columns(problem) * float(lengths.sum()) * different / lengths.size


def aligned_cells(problem: MsaProblem, node_cells: int) -> int:
    """Return the work of a run whose nodes had so many cells: these, and the cost of the guide tree in such cells."""
    return max(int(node_cells + _guide_cells(problem)), 1)


def _guide_cells(problem: MsaProblem) -> float:
    """Return the cost of the guide tree, in cells of two profiles; 0 where the tree is given."""
    if problem.tree is not None:
        return 0.0
    lengths, different = problem.lengths, problem.distinct_count
    share = different / lengths.size
    guide = float(PART_TREE_CELLS) * min(problem.rules.references, different) * different
    steps = STEP_CELLS * count_linkage_steps(*problem.counted_lengths) * share
    if problem.rules.guide == MEDOID:
        near = min(different, LINKED_PER_REFERENCE * problem.rules.references)
        guide = (steps + PAIR_CELLS * different**2 / 2) * near / different
    if problem.rules.guide == SKETCH:
        guide = SKETCH_CELLS * different**2 / 2
    if problem.rules.guide == SINGLE:
        guide = steps * share + PAIR_CELLS * different * (different - 1) / 2
    return guide


def _expected_columns(problem: MsaProblem) -> int:
    """Return the expected number of columns of the alignment."""
    guide = SINGLE if problem.tree is not None else problem.rules.guide
    count, longest, mean = max(problem.distinct_count, 1), int(problem.lengths.max()), float(problem.lengths.mean())
    if problem.are_related:
        linked = guide == MEDOID and count <= LINKED_PER_REFERENCE * problem.rules.references
        factor, power = WIDENED[SINGLE if linked else guide]
        return max(int(factor * mean ** (1 - LONGEST_SHARE) * longest**LONGEST_SHARE * count**power), longest)
    share = 1.5 + APART[problem.is_protein] * mean**0.5 * count / (1 + count / MOST_APART)
    if problem.is_protein and gap_cost_growth(count, problem.rules.growth) > GROWS:
        share = mean**0.5 * (APART_GROWN + DOUBLED * np.log2(count / SMALL))
    return max(int(share * mean * (MORE if guide == PARTTREE else 1)), longest)
