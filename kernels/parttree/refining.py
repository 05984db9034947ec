"""What follows a first alignment of very many sequences: the tree of its rows, and its top aligned anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.io.aligned import GAP
from antidiag.kernels.parttree import cpu_refining
from antidiag.kernels.parttree.adding import gap_table
from antidiag.kernels.parttree.alignment import refuse_rows
from antidiag.kernels.parttree.cpu_adding import NO_LETTER
from antidiag.kernels.parttree.cpu_align import LEFT, UP
from antidiag.kernels.parttree.linkage import edges, joins_along, spanning
from antidiag.kernels.parttree.symbols import AMINO_ACIDS, BASES, SYMBOLS, Rules, codes_of
from antidiag.kernels.parttree.tasks import steps_of

Tell = Callable[[int, int], None]
BLOCK = 2048
"""Rows of a block, of each two of which a thread makes the tree between them."""


def tree_of_rows(rows: np.ndarray, threads: int, tell: Tell) -> tuple[np.ndarray, np.ndarray]:
    """Single linkage of aligned rows, uint8 (n, columns): joins int64 (n - 1, 2) and lengths of the edges below."""
    count, sizes = len(rows), (rows != GAP).sum(axis=1)
    rows = rows.view()
    rows.setflags(write=False)  # as those of an alignment are: the same code serves all
    parts = np.array_split(np.arange(count), max(1, min(16, -(-count // BLOCK))))

    def tree(one: np.ndarray, two: np.ndarray, done: np.ndarray, stop: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        within = one is two
        room = one.size - 1 + (0 if within else two.size)
        keys, lengths = np.empty(room, np.int64), np.empty(room, np.float32)
        cpu_refining.tree_between(rows, sizes, one, two, within, keys, lengths, done, stop)
        return keys, lengths.view(np.int32)

    keys, bits = spanning(parts, count, threads, tree, tell)
    joins, heights = joins_along(keys, bits.view(np.float32), np.arange(count))
    return joins, edges(joins, heights)


def refined(rows: np.ndarray, joins: np.ndarray, most: int, rules: Rules, protein: bool, tell: Tell) -> np.ndarray:
    """Rows, uint8 (n, columns), of which the largest branches of their tree, ``most`` of them, were aligned anew to all
    other rows, one after another: the rows of either side stand beside each other as before."""
    for number, members in enumerate(_branches(joins, len(rows), most)):
        rows = _realigned(rows, members, rules, protein, partial(tell, number, most))
    tell(1, 1)
    return rows


def _branches(joins: np.ndarray, count: int, most: int) -> Iterator[np.ndarray]:
    """The leaves of each of the largest branches below the root, bool (count,)."""
    steps = steps_of(joins, count)
    place, leaves = np.empty(steps.node.size, np.int64), np.ones(steps.node.size, np.int64)
    place[steps.node] = np.arange(steps.node.size)
    for number, (one, other) in enumerate(joins.tolist()):
        leaves[count + number] = leaves[one] + leaves[other]
    for node in np.argsort(-leaves[:-1], kind="stable")[:most].tolist():
        inside = steps.leaf[place[node] - 2 * leaves[node] + 2 : place[node] + 1]
        members = np.zeros(count, bool)
        members[inside[inside >= 0]] = True
        yield members


def _realigned(
    rows: np.ndarray, members: np.ndarray, rules: Rules, protein: bool, tell: Callable[[], None]
) -> np.ndarray:
    """The rows, members aligned anew to the others."""
    codes = codes_of(np.arange(256, dtype=np.uint8), AMINO_ACIDS if protein else BASES)
    symbols, stop = gap_table(protein, codes, NO_LETTER), workers.stop_word()
    sides = []
    for own in (rows[members], rows[~members]):
        used = (own != GAP).any(axis=0)
        sides.append(np.ascontiguousarray(own[:, used]))
    found: list[np.ndarray] = []

    def work(worker: int) -> None:
        found.append(cpu_refining.aligned_anew(*sides, symbols, rules, stop))

    workers.share(work, 1, stop, tell)
    operations = np.repeat(found[0][:, 0], found[0][:, 1])
    refuse_rows(len(rows), operations.size)
    made = np.full((len(rows), operations.size), GAP, np.uint8)
    for own, those, absent in zip(sides, (members, ~members), (LEFT, UP), strict=True):
        made[np.ix_(those, operations != absent)] = own
    return made


@cache
def compile_refining() -> None:
    """Compile, or load from the cache folder."""
    rows = np.frombuffer(b"ACDE-FGACD-EFGA-DEFG", np.uint8).reshape(4, 5)
    joins, _ = tree_of_rows(rows, 1, lambda done, total: None)
    rules = Rules(np.zeros((SYMBOLS, SYMBOLS), np.float32), *map(np.float32, (1, 1, 1)))
    refined(rows, joins, 1, rules, True, lambda done, total: None)
