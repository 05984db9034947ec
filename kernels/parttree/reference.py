"""Textbook PartTree (Katoh and Toh 2007, as in MAFFT 7), single linkage and medoid trees: the oracle of the family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.parttree import symbols
from antidiag.kernels.parttree.problem import (
    DISTANCE_UNIT,
    FILTER_SHARE,
    LINKED_PER_REFERENCE,
    MEAN_SHARE,
    MEDOID_ROUNDS,
    PartTreeAnswer,
    PartTreeProblem,
    draw_key,
)
from antidiag.kernels.trees.distances.shared_words.kmers import BASES, FARTHEST, GROUPS, LENGTH_FACTOR, K


@dataclass(frozen=True)
class TextbookNode:
    """A node of a tree: a sequence, or two nodes."""

    height: float
    sequence: int = -1
    children: tuple[TextbookNode, TextbookNode] | tuple[()] = ()


class PartTreeTextbook:
    """The 6-mers of a problem's sequences by plain counters, their distances, and the recursion over them."""

    def __init__(self, problem: PartTreeProblem) -> None:
        groups = GROUPS if problem.is_protein else BASES
        self.problem, self.b = problem, LENGTH_FACTOR[problem.is_protein]
        code = {letter: str(number) for number, letters in enumerate(groups) for letter in letters}
        texts = ["".join(code.get(letter, "") for letter in one.letters.decode()) for one in problem.sequences]
        self.kept = list(map(len, texts))
        self.words = [Counter(text[at : at + K] for at in range(len(text) - K + 1)) for text in texts]
        self.totals = [sum(words.values()) for words in self.words]
        self.splits: list[tuple[int, ...]] = []
        self.references: list[list[tuple[int, int, int]]] = []
        """Of every split its references: sequence, how many joined it, and the split of these, -1 for none."""

    def count_common_words(self, i: int, j: int) -> int:
        """Return the number of shared 6-mers of two sequences: of each the smaller count."""
        return sum((self.words[i] & self.words[j]).values())

    def distance(self, i: int, j: int) -> float:
        """Return MAFFT's distance: (1 - shared / 6-mers of the one with fewer) x a factor of the lengths, at most
        10."""
        short, long = sorted((self.kept[i], self.kept[j]))
        fewer = min(self.totals[i], self.totals[j])
        unlike = 1 - self.count_common_words(i, j) / fewer if fewer else 1.0
        return min(unlike * (1 / (0.1 * short / max(long, 1) + self.b / (long + self.b) + 0.01)), FARTHEST)

    def tree(self, members: list[int], level: int = 0) -> TextbookNode:
        """Return the tree of some different sequences."""
        if len(members) == 1:
            return self.leaf(members[0])
        pivot = max(members, key=lambda one: (self.totals[one], -one))
        away = {one: -1.0 if one == pivot else self.distance(pivot, one) for one in members}
        most = max(away.values())
        if self.totals[pivot] == 0 or most <= 0:
            self.splits.append((level, pivot, len(members), 0, 0))
            self.references.append([(one, 1, -1) for one in members])
            return join_evenly([self.leaf(one) for one in members])
        ranked = sorted(members, key=lambda one: (away[one], one))
        picks = self.pick_references(ranked, level)
        kept = self.filter_picks(picks, most)
        self.splits.append((level, pivot, len(members), len(picks), len(kept)))
        groups: dict[int, list[int]] = {one: [] for one in kept}
        for one in members:
            nearest = one if one in groups else min(kept, key=lambda other: self.distance(one, other))
            groups[nearest].append(one)
        own: list[tuple[int, int, int]] = []
        self.references.append(own)
        trees = []
        for one, group in groups.items():
            own.append((one, len(group), len(self.splits) if len(group) > 1 else -1))
            trees.append(self.tree(group, level + 1))
        return self.join_references(kept, trees)

    def pick_references(self, ranked: list[int], level: int) -> list[int]:
        """Return the pivot, the farthest, the one of median rank, and others by random keys, in order of their
        ranks."""
        size, most = len(ranked), self.problem.references
        if size <= most:
            return ranked
        chosen = [0, size - 1, 1 + (size - 2) // 2][:most]
        rest = sorted(
            (rank for rank in range(size) if rank not in chosen),
            key=lambda rank: (draw_key(self.problem.pick_seed, level, ranked[rank]), rank),
        )
        return [ranked[rank] for rank in sorted(chosen + rest[: most - len(chosen)])]

    def filter_picks(self, picks: list[int], largest_distance: float) -> list[int]:
        """Return the picks that are not too near to a kept one before them."""
        kept: list[int] = []
        for one in picks:
            if all(self.distance(other, one) >= FILTER_SHARE * largest_distance for other in kept):
                kept.append(one)
        return kept

    def join_references(self, references: list[int], trees: list[TextbookNode]) -> TextbookNode:
        """Join the references by UPGMA, where a new distance is 0.9 of the smaller and 0.1 of the mean of the two."""
        apart = {
            (i, j): self.distance(references[i], references[j])
            for i in range(len(references))
            for j in range(i + 1, len(references))
        }
        nodes = dict(enumerate(trees))
        while len(nodes) > 1:
            i, j = min(apart, key=lambda pair: (apart[pair], pair))
            nodes[i] = TextbookNode(apart[i, j] / 2, children=(nodes[i], nodes.pop(j)))
            for other in nodes:
                if other != i:
                    one, two = apart[ordered_pair(i, other)], apart[ordered_pair(j, other)]
                    apart[ordered_pair(i, other)] = min(one, two) * (1 - MEAN_SHARE) + (one + two) * (MEAN_SHARE / 2)
            apart = {pair: value for pair, value in apart.items() if j not in pair}
        return nodes[0]

    def leaf(self, sequence: int) -> TextbookNode:
        """Return a node of a sequence and all that are equal to it."""
        return _equal_leaves(self.problem, sequence)


def ordered_pair(i: int, j: int) -> tuple[int, int]:
    """Return the two numbers in ascending order."""
    return (i, j) if i < j else (j, i)


def join_evenly(nodes: list[TextbookNode]) -> TextbookNode:
    """Join nodes two by two, in their order, until one is left."""
    queue = list(nodes)
    while len(queue) > 1:
        queue.append(TextbookNode(0.0, children=(queue[0], queue[1])))
        del queue[:2]
    return queue[0]


def build_part_tree(problem: PartTreeProblem) -> PartTreeAnswer:
    """Return the tree of a problem."""
    book = PartTreeTextbook(problem)
    tree = _tree_of_nodes(problem, book.tree(distinct_sequences(problem)))
    order = sorted(range(len(book.splits)), key=book.splits.__getitem__)
    rank = {split: row for row, split in enumerate(order)} | {-1: -1}
    references = [
        (rank[split], one, joined, rank[below]) for split in order for one, joined, below in book.references[split]
    ]
    splits = np.array([book.splits[split] for split in order], np.int64).reshape(-1, 5)
    return PartTreeAnswer(tree, splits, np.array(references, np.int64).reshape(-1, 4))


def single_linkage(problem: PartTreeProblem) -> PartTreeAnswer:
    """Return the tree of single linkage over (m + n - 2 LCS) / LCS, 10^6 with nothing in common; equal sequences
    first."""
    leaves = {at: TextbookNode(0.0, at) for at in range(len(problem.sequences))}
    return PartTreeAnswer(_tree_of_nodes(problem, _link_nearest(leaves, lcs_distances(problem))))


def medoid_tree(problem: PartTreeProblem) -> PartTreeAnswer:
    """Return the medoid tree: see `kernels.parttree.lcs.medoid_trees`."""
    apart = lcs_distances(problem)
    return PartTreeAnswer(_tree_of_nodes(problem, _medoid_tree(problem, apart, distinct_sequences(problem), 0)))


def _medoid_tree(
    problem: PartTreeProblem, distances: dict[tuple[int, int], float], members: list[int], level: int
) -> TextbookNode:
    """Return the tree of some different sequences."""
    most = LINKED_PER_REFERENCE * problem.references
    if len(members) <= most:
        return _link_nearest({one: _equal_leaves(problem, one) for one in members}, distances)
    drawn = sorted(members, key=lambda one: draw_key(problem.pick_seed, level, one))[:most]
    chosen = drawn[: problem.references]
    for _ in range(MEDOID_ROUNDS):
        parts = _split_by_nearest(distances, drawn, chosen)
        found = [_central_member(distances, part) for part in parts.values()]
        found.sort(key=drawn.index)
        if found == chosen:
            break
        chosen = found
    parts = _split_by_nearest(distances, members, sorted(chosen))
    return _link_nearest(
        {one: _medoid_tree(problem, distances, part, level + 1) for one, part in parts.items()}, distances
    )


def _central_member(distances: dict[tuple[int, int], float], members: list[int]) -> int:
    """Return the sequence with the smallest sum of distances, the first of equal ones."""
    return min(members, key=lambda one: sum(_distance_units(distances, one, other) for other in members))


def _split_by_nearest(
    distances: dict[tuple[int, int], float], members: list[int], chosen: list[int]
) -> dict[int, list[int]]:
    """Return members by the nearest of the chosen sequences, the first of equal ones."""
    parts: dict[int, list[int]] = {one: [] for one in chosen}
    for one in members:
        parts[one if one in parts else min(chosen, key=lambda other: distances[ordered_pair(one, other)])].append(one)
    return parts


def _distance_units(distances: dict[tuple[int, int], float], first: int, second: int) -> int:
    """Return a distance in units of 1 / UNIT."""
    return round(float(np.float32(distances[ordered_pair(first, second)])) * DISTANCE_UNIT)


def _equal_leaves(problem: PartTreeProblem, sequence: int) -> TextbookNode:
    """Return a node of a sequence and all that are equal to it."""
    letters = problem.sequences[sequence].letters
    return join_evenly([TextbookNode(0.0, at) for at, one in enumerate(problem.sequences) if one.letters == letters])


def lcs_distances(problem: PartTreeProblem) -> dict[tuple[int, int], float]:
    """Return the distances of all pairs (i <= j) by their longest common subsequences."""
    known = (symbols.AMINO_ACIDS if problem.is_protein else symbols.BASES).decode()
    texts = [one.letters.decode() for one in problem.sequences]
    same = str.maketrans("UO", "CK") if problem.is_protein else str.maketrans("U", "T")
    texts = [text.translate(same) for text in texts]
    return {(i, j): _lcs_distance(problem, texts, i, j, known) for i in range(len(texts)) for j in range(i, len(texts))}


def _link_nearest(clusters: dict[int, TextbookNode], distances: dict[tuple[int, int], float]) -> TextbookNode:
    """Join clusters by single linkage; each is represented by the sequence that it is named after."""
    clusters = dict(clusters)
    members = {at: [at] for at in clusters}
    while len(clusters) > 1:
        pairs = {
            (a, b): min(distances[ordered_pair(i, j)] for i in members[a] for j in members[b])
            for a in clusters
            for b in clusters
            if a < b
        }
        a, b = min(pairs, key=lambda pair: (pairs[pair], pair))
        clusters[a] = TextbookNode(min(max(pairs[a, b], 0.0), FARTHEST), children=(clusters[a], clusters.pop(b)))
        members[a] += members.pop(b)
    return next(iter(clusters.values()))


def _lcs_distance(problem: PartTreeProblem, texts: list[str], i: int, j: int, known: str) -> float:
    """Return the distance of two sequences."""
    if i != j and problem.sequences[i].letters == problem.sequences[j].letters:
        return 0.0
    common = _lcs_length(texts[i], texts[j], known)
    return (len(texts[i]) + len(texts[j]) - 2 * common) / common if common else 1e6


def _lcs_length(first: str, second: str, known: str) -> int:
    """Return the length of the longest common subsequence of known letters, by the recurrence, a row at a time."""
    columns = np.frombuffer(second.encode(), np.uint8)
    row = np.zeros(columns.size + 1, np.int32)
    for letter in first:
        if letter in known:  # others add nothing
            row[1:] = np.maximum(row[1:], row[:-1] + (columns == ord(letter)))
            np.maximum.accumulate(row, out=row)
    return int(row[-1])


def distinct_sequences(problem: PartTreeProblem) -> list[int]:
    """Return the numbers of the different sequences, the first of equal ones."""
    numbers: dict[bytes, int] = {}
    for number, sequence in enumerate(problem.sequences):
        numbers.setdefault(sequence.letters, number)
    return list(numbers.values())


def _tree_of_nodes(problem: PartTreeProblem, root: TextbookNode) -> Tree:
    """Return a node as a tree."""
    names, parents, lengths = [], [], []
    for node, parent, length in _walk_preorder(root):
        names.append(problem.names[node.sequence] if node.sequence >= 0 else "")
        parents.append(parent)
        lengths.append(length)
    return Tree(tuple(names), np.array(parents), np.array(lengths), problem.title)


def _walk_preorder(root: TextbookNode) -> Iterator[tuple[TextbookNode, int, float]]:
    """Yield the nodes in preorder, with the number of the parent and the length of the edge above."""
    stack, count = [(root, -1, float("nan"))], 0
    while stack:
        node, parent, length = stack.pop()
        yield node, parent, length
        for child in reversed(node.children):
            stack.append((child, count, max(node.height - child.height, 0.0)))
        count += 1
