"""PartTree as one reads it (Katoh and Toh 2007, as MAFFT 7 does it): the oracle of the family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Sequence
from antidiag.kernels.parttree.problem import (
    FILTER,
    LINKED,
    MEAN_SHARE,
    ROUNDS,
    UNIT,
    PartTreeAnswer,
    PartTreeProblem,
    draw_key,
)
from antidiag.kernels.trees.distances.kmers import BASES, FARTHEST, GROUPS, LENGTH_FACTOR, K

AMINO_ACIDS, BASES_AND_U = b"ACDEFGHIKLMNPQRSTVWY", b"ACGT"


@dataclass(frozen=True)
class Node:
    """A node of a tree: a sequence, or two nodes."""

    height: float
    sequence: int = -1
    children: tuple[Node, Node] | tuple[()] = ()


class Textbook:
    """The 6-mers of a problem's sequences by plain counters, their distances, and the recursion over them."""

    def __init__(self, problem: PartTreeProblem) -> None:
        groups = GROUPS if problem.protein else BASES
        self.problem, self.b = problem, LENGTH_FACTOR[problem.protein]
        code = {letter: str(number) for number, letters in enumerate(groups) for letter in letters}
        texts = ["".join(code.get(letter, "") for letter in one.letters.decode()) for one in problem.sequences]
        self.kept = list(map(len, texts))
        self.words = [Counter(text[at : at + K] for at in range(len(text) - K + 1)) for text in texts]
        self.totals = [sum(words.values()) for words in self.words]
        self.splits: list[tuple[int, ...]] = []
        self.references: list[list[tuple[int, int, int]]] = []
        """Of every split its references: sequence, how many joined it, and the split of these, -1 for none."""

    def common(self, i: int, j: int) -> int:
        """6-mers that two sequences share: of each k-mer the smaller count."""
        return sum((self.words[i] & self.words[j]).values())

    def distance(self, i: int, j: int) -> float:
        """MAFFT's: (1 - shared / 6-mers of the one that has fewer) x a factor of the lengths, at most 10."""
        short, long = sorted((self.kept[i], self.kept[j]))
        fewer = min(self.totals[i], self.totals[j])
        unlike = 1 - self.common(i, j) / fewer if fewer else 1.0
        return min(unlike * (1 / (0.1 * short / max(long, 1) + self.b / (long + self.b) + 0.01)), FARTHEST)

    def tree(self, members: list[int], level: int = 0) -> Node:
        """The tree of some sequences, all different."""
        if len(members) == 1:
            return self.leaf(members[0])
        pivot = max(members, key=lambda one: (self.totals[one], -one))
        away = {one: -1.0 if one == pivot else self.distance(pivot, one) for one in members}
        most = max(away.values())
        if self.totals[pivot] == 0 or most <= 0:
            self.splits.append((level, pivot, len(members), 0, 0))
            self.references.append([(one, 1, -1) for one in members])
            return even([self.leaf(one) for one in members])
        ranked = sorted(members, key=lambda one: (away[one], one))
        picks = self.picks(ranked, level)
        kept = self.filtered(picks, most)
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
        return self.joined(kept, trees)

    def picks(self, ranked: list[int], level: int) -> list[int]:
        """The pivot, the farthest, the one of median rank, and others by chance, in the order of their ranks."""
        size, most = len(ranked), self.problem.references
        if size <= most:
            return ranked
        chosen = [0, size - 1, 1 + (size - 2) // 2][:most]
        rest = sorted(
            (rank for rank in range(size) if rank not in chosen),
            key=lambda rank: (draw_key(self.problem.pick_seed, level, ranked[rank]), rank),
        )
        return [ranked[rank] for rank in sorted(chosen + rest[: most - len(chosen)])]

    def filtered(self, picks: list[int], most: float) -> list[int]:
        """Those that are not too near to one before them that is kept."""
        kept: list[int] = []
        for one in picks:
            if all(self.distance(other, one) >= FILTER * most for other in kept):
                kept.append(one)
        return kept

    def joined(self, kept: list[int], trees: list[Node]) -> Node:
        """UPGMA of the references, where a new distance is 0.9 of the lesser and 0.1 of the mean of the two."""
        apart = {(i, j): self.distance(kept[i], kept[j]) for i in range(len(kept)) for j in range(i + 1, len(kept))}
        nodes = dict(enumerate(trees))
        while len(nodes) > 1:
            i, j = min(apart, key=lambda pair: (apart[pair], pair))
            nodes[i] = Node(apart[i, j] / 2, children=(nodes[i], nodes.pop(j)))
            for other in nodes:
                if other != i:
                    one, two = apart[ordered(i, other)], apart[ordered(j, other)]
                    apart[ordered(i, other)] = min(one, two) * (1 - MEAN_SHARE) + (one + two) * (MEAN_SHARE / 2)
            apart = {pair: value for pair, value in apart.items() if j not in pair}
        return nodes[0]

    def leaf(self, sequence: int) -> Node:
        """A sequence, and all that are equal to it."""
        return _equal(self.problem, sequence)


def ordered(i: int, j: int) -> tuple[int, int]:
    return (i, j) if i < j else (j, i)


def even(nodes: list[Node]) -> Node:
    """Nodes joined two by two, in their order, as often as there are two left."""
    queue = list(nodes)
    while len(queue) > 1:
        queue.append(Node(0.0, children=(queue[0], queue[1])))
        del queue[:2]
    return queue[0]


def part_tree(problem: PartTreeProblem) -> PartTreeAnswer:
    """The tree of a problem."""
    book = Textbook(problem)
    first = [number for number, one in enumerate(problem.sequences) if _is_first(problem.sequences, number, one)]
    tree = _tree_of(problem, book.tree(first))
    order = sorted(range(len(book.splits)), key=book.splits.__getitem__)
    rank = {split: row for row, split in enumerate(order)} | {-1: -1}
    references = [(rank[split], one, joined, rank[below])
                  for split in order for one, joined, below in book.references[split]]  # fmt: skip
    splits = np.array([book.splits[split] for split in order], np.int64).reshape(-1, 5)
    return PartTreeAnswer(tree, splits, np.array(references, np.int64).reshape(-1, 4))


def single_linkage(problem: PartTreeProblem) -> PartTreeAnswer:
    """The tree of single linkage over (m + n - 2 LCS) / LCS; 10^6 where nothing is common. Equal sequences first."""
    leaves = {at: Node(0.0, at) for at in range(len(problem.sequences))}
    return PartTreeAnswer(_tree_of(problem, _nearest_first(leaves, apart_by_lcs(problem))))


def medoids(problem: PartTreeProblem) -> PartTreeAnswer:
    """The medoid tree: see `kernels.parttree.medoids`."""
    apart = apart_by_lcs(problem)
    first = [number for number, one in enumerate(problem.sequences) if _is_first(problem.sequences, number, one)]
    return PartTreeAnswer(_tree_of(problem, _around_medoids(problem, apart, first, 0)))


def _around_medoids(
    problem: PartTreeProblem, apart: dict[tuple[int, int], float], members: list[int], level: int
) -> Node:
    """The tree of some sequences, all different."""
    most = LINKED * problem.references
    if len(members) <= most:
        return _nearest_first({one: _equal(problem, one) for one in members}, apart)
    drawn = sorted(members, key=lambda one: draw_key(problem.pick_seed, level, one))[:most]
    chosen = drawn[: problem.references]
    for _ in range(ROUNDS):
        parts = _parts(apart, drawn, chosen)
        found = [_middle(apart, part) for part in parts.values()]
        found.sort(key=drawn.index)
        if found == chosen:
            break
        chosen = found
    parts = _parts(apart, members, sorted(chosen))
    return _nearest_first({one: _around_medoids(problem, apart, part, level + 1) for one, part in parts.items()}, apart)


def _middle(apart: dict[tuple[int, int], float], part: list[int]) -> int:
    """The sequence with the least sum of distances, of equal ones the first."""
    return min(part, key=lambda one: sum(_units(apart, one, other) for other in part))


def _parts(apart: dict[tuple[int, int], float], members: list[int], chosen: list[int]) -> dict[int, list[int]]:
    """Members by the nearest of those that are chosen, of equal ones the first."""
    parts: dict[int, list[int]] = {one: [] for one in chosen}
    for one in members:
        parts[one if one in parts else min(chosen, key=lambda other: apart[ordered(one, other)])].append(one)
    return parts


def _units(apart: dict[tuple[int, int], float], one: int, other: int) -> int:
    """A distance in whole parts; of a sequence to itself too, which shares no letters that are not known."""
    return round(float(np.float32(apart[ordered(one, other)])) * UNIT)


def _equal(problem: PartTreeProblem, sequence: int) -> Node:
    """A sequence, and all that are equal to it."""
    letters = problem.sequences[sequence].letters
    return even([Node(0.0, at) for at, one in enumerate(problem.sequences) if one.letters == letters])


def apart_by_lcs(problem: PartTreeProblem) -> dict[tuple[int, int], float]:
    """The distances of all pairs (i <= j) by their longest common subsequences."""
    known = (AMINO_ACIDS if problem.protein else BASES_AND_U).decode()
    texts = [one.letters.decode() for one in problem.sequences]
    if not problem.protein:
        texts = [text.replace("U", "T") for text in texts]
    return {(i, j): _away(problem, texts, i, j, known) for i in range(len(texts)) for j in range(i, len(texts))}


def _nearest_first(clusters: dict[int, Node], apart: dict[tuple[int, int], float]) -> Node:
    """Single linkage of clusters, each of which is as near to another as the sequence that it is called by."""
    clusters = dict(clusters)
    members = {at: [at] for at in clusters}
    while len(clusters) > 1:
        pairs = {(a, b): min(apart[ordered(i, j)] for i in members[a] for j in members[b])
                 for a in clusters for b in clusters if a < b}  # fmt: skip
        a, b = min(pairs, key=lambda pair: (pairs[pair], pair))
        clusters[a] = Node(max(pairs[a, b], 0.0), children=(clusters[a], clusters.pop(b)))
        members[a] += members.pop(b)
    return next(iter(clusters.values()))


def _away(problem: PartTreeProblem, texts: list[str], i: int, j: int, known: str) -> float:
    if i != j and problem.sequences[i].letters == problem.sequences[j].letters:
        return 0.0
    common = _common(texts[i], texts[j], known)
    return (len(texts[i]) + len(texts[j]) - 2 * common) / common if common else 1e6


def _common(one: str, other: str, known: str) -> int:
    """The longest common subsequence of letters that are known: the recurrence, a row at a time."""
    columns = np.frombuffer(other.encode(), np.uint8)
    row = np.zeros(columns.size + 1, np.int32)
    for letter in one:
        if letter in known:  # another one adds nothing
            row[1:] = np.maximum(row[1:], row[:-1] + (columns == ord(letter)))
            np.maximum.accumulate(row, out=row)
    return int(row[-1])


def _is_first(sequences: tuple[Sequence, ...], number: int, one: Sequence) -> bool:
    return all(other.letters != one.letters for other in sequences[:number])


def _tree_of(problem: PartTreeProblem, root: Node) -> Tree:
    names, parents, lengths = [], [], []
    for node, parent, length in _walk(root):
        names.append(problem.names[node.sequence] if node.sequence >= 0 else "")
        parents.append(parent)
        lengths.append(length)
    return Tree(tuple(names), np.array(parents), np.array(lengths), problem.title)


def _walk(root: Node) -> Iterator[tuple[Node, int, float]]:
    """The nodes in preorder, with the number of the parent and the length of the edge above."""
    stack, count = [(root, -1, float("nan"))], 0
    while stack:
        node, parent, length = stack.pop()
        yield node, parent, length
        for child in reversed(node.children):
            stack.append((child, count, max(node.height - child.height, 0.0)))
        count += 1
