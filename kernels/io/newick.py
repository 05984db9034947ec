"""Newick trees: reading and writing, with full names.

Biopython writes and walks trees by recursion, which ends at a depth of a thousand; it takes a second for 100,000
leaves, refuses two trees in one line, and gives no line in its errors. Here quoted names and comments are masked first;
the parentheses, commas and colons that are left become arrays, from which the numbering, the parents and all errors of
grammar follow without a loop over the letters.

Underscores in names stay as they are, because names of sequences have them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NoReturn

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.tree import Tree, parents_from_depths
from antidiag.kernels.io.unique_names import describe_renaming, make_names_unique
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import parse_real, quote_text

SPECIAL = re.compile(r"""(?<![^(),:;\s\]=])'(?:[^']|'')*'|\[(?:[^\[\]]|\[[^\[\]]*\])*\]""")
"""A quoted name, which starts after a mark or white space (d'Orbigny has no quoted part), or a comment."""

OPEN_QUOTE = re.compile(r"(?<![^(),:;\s\]=])'")

QUOTED, COMMENT = "\x01", "\x02"
BLANK = " \t\n\v\f\r" + COMMENT
PLAIN = re.compile(r"[^\s()\[\]{}/\\,;:=*'\"`+<>\x00-\x1f]+")
"""Names that every program reads without quotes."""

START, OPEN, CLOSE, COMMA, COLON, END = range(6)
MARKS = {"(": OPEN, ")": CLOSE, ",": COMMA, ":": COLON}
MARK = re.compile("[(),:]")
ALONE = np.full(1, -1, np.int32)
"""The parents of a tree of one node; a damaged file can have a hundred thousand such trees."""
KIND = np.full(128, -1, np.int8)
KIND[[ord(mark) for mark in MARKS]] = list(MARKS.values())
EMPTY = np.zeros(128, bool)
EMPTY[[ord(letter) for letter in BLANK]] = True

BATCH = 4096


class NewickText:
    """The text of a file; ``masked`` has the same length, with quoted names and comments masked."""

    def __init__(self, raw: str, source: str = "") -> None:
        self.raw, self.source = raw, source
        self.masked = SPECIAL.sub(_mask_match, raw)
        self.plain = self.masked is raw or self.masked == raw
        if unclosed := OPEN_QUOTE.search(self.masked):
            self.refuse(unclosed.start(), "this quote is not closed; close it, or double it inside a quoted name")
        for bracket, state in (("[", "closed"), ("]", "opened")):
            if (place := self.masked.find(bracket)) >= 0:
                self.refuse(place, f"this comment is not {state}; correct the brackets, or quote the name")

    def refuse(self, place: int, reason: str) -> NoReturn:
        """Raise InputError with the line and column of a place in the text."""
        line = self.raw.count("\n", 0, place) + 1
        column = place - (self.raw.rfind("\n", 0, place) + 1) + 1
        raise InputError(f"{self.source or 'Newick'}, line {line}, column {column:,}: {reason}")

    def read_name(self, start: int, end: int) -> str:
        """Return the name between two places, without quotes and comments."""
        if self.plain:
            return self.raw[start:end].strip()
        masked = self.masked[start:end]
        if QUOTED not in masked:
            return masked.replace(COMMENT, "").strip()
        first, last = start + masked.find(QUOTED), start + masked.rfind(QUOTED) + 1
        if masked.replace(COMMENT, "").strip().strip(QUOTED):
            self.refuse(first, "text beside a quoted name; quote the whole name, and double the quotes in it")
        return self.raw[first + 1 : last - 1].replace("''", "'")


def parse_newick(raw: str, source: str = "", name: str = "tree", monitor: Monitor | None = None) -> list[Tree]:
    """Read all trees of a Newick text.

    Of leaves with equal names the later ones get _2, _3, ...; the note of the tree says so. Comments are skipped,
    except a number in brackets after an inner node without a name: its support.

    Parameters
    ----------
    raw : str
    source : str
        What errors call the text.
    name : str
        The name of the tree; several are numbered.
    monitor : Monitor, optional
        Receives the characters read; may cancel.

    Raises
    ------
    InputError
        Names the line and column of what is wrong.
    """
    text, places = NewickText(raw, source), []
    start = 0
    while (end := text.masked.find(";", start)) >= 0:
        places.append((start, end))
        start = end + 1
    rest = text.masked[start:].strip(BLANK)
    if rest.startswith("("):
        places.append((start, len(raw)))
    elif rest or not places:
        place = text.masked.find(rest[0], start) if rest else 0
        text.refuse(place, "this is not a Newick tree, which begins with '(' and ends with ';'; correct it")
    trees: list[Tree] = []
    for start, end in places:
        if monitor is not None:
            monitor.update(end, len(raw), "reading trees")
            monitor.check()
        label = f"{name} {len(trees) + 1}" if len(places) > 1 else name
        trees.append(parse_tree(text, start, end, label))
    return trees


def parse_tree(text: NewickText, start: int, end: int, name: str, translate: Mapping[str, str] | None = None) -> Tree:
    """Return the tree between two places of a text, without its semicolon; ``translate`` replaces names."""
    piece = text.masked[start:end]
    if MARK.search(piece) is None and piece.strip(BLANK):
        alone = text.read_name(start, end)
        return Tree(((translate or {}).get(alone, alone),), ALONE, np.full(1, np.nan), name, text.source)
    codes = np.frombuffer(piece.encode("utf-32-le"), np.uint32)
    ascii_codes = np.minimum(codes, 127)
    marks = np.flatnonzero(KIND[ascii_codes] >= 0)
    kinds = np.concatenate([[START], KIND[ascii_codes[marks]], [END]])
    borders = np.concatenate([[-1], marks, [codes.size]])
    running = np.concatenate([[0], np.cumsum(~EMPTY[ascii_codes])])
    filled = running[borders[1:]] > running[borders[:-1] + 1]
    depths = np.cumsum((kinds == OPEN).astype(np.int64) - (kinds == CLOSE))
    _check_grammar(text, kinds, depths, filled, start + borders)
    nodes, labels = _number_nodes(kinds, depths)
    has_length = kinds[labels + 1] == COLON
    lengths = np.full(labels.size, np.nan)
    lengths[has_length] = _parse_lengths(text, start + borders, labels[has_length] + 1)
    starts, ends = (start + borders[labels] + 1).tolist(), (start + borders[labels + 1]).tolist()
    names = [text.read_name(first, last) for first, last in zip(starts, ends, strict=True)]
    if not text.plain:
        _fill_supports(text, names, kinds, labels, has_length, start + borders)
    if translate:
        names = [translate.get(name, name) for name in names]
    return _with_unique_leaves(Tree(tuple(names), parents_from_depths(nodes), lengths, name, text.source))


def _with_unique_leaves(tree: Tree) -> Tree:
    """Return the tree with unique names of leaves; leaves without a name stay without."""
    names = unique_leaf_names(tree)
    note = describe_renaming(tree.names, names)
    return replace(tree, names=names, note=note) if note else tree


def unique_leaf_names(tree: Tree) -> tuple[str, ...]:
    """Return the names of all nodes, with those of leaves unique: of equal ones the later get _2, _3, ..."""
    leaves = [node for node in tree.leaves.tolist() if tree.names[node]]
    names = list(tree.names)
    for leaf, name in zip(leaves, make_names_unique(names[leaf] for leaf in leaves), strict=True):
        names[leaf] = name
    return tuple(names)


def _number_nodes(kinds: np.ndarray, depths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the depths of the nodes in preorder, and the piece of text that holds the name of each.

    Piece p follows mark p. A leaf is a piece after an opening or a comma that does not open anything; an inner node is
    an opening, and its name the piece after the matching closing: the nth one of its depth.
    """
    before, after = kinds[:-1], kinds[1:]
    leaves = np.flatnonzero((before != CLOSE) & (before != COLON) & (after != OPEN))
    opens, closes = np.flatnonzero(kinds == OPEN), np.flatnonzero(kinds == CLOSE)
    inner_depths = depths[opens] - 1
    names = np.empty(opens.size, np.int64)
    names[np.argsort(inner_depths, kind="stable")] = closes[np.argsort(depths[closes], kind="stable")]
    order = np.argsort(np.concatenate([2 * opens - 1, 2 * leaves]), kind="stable")
    return np.concatenate([inner_depths, depths[leaves]])[order], np.concatenate([names, leaves])[order]


def _parse_lengths(text: NewickText, borders: np.ndarray, pieces: np.ndarray) -> np.ndarray:
    """Return the branch lengths in these pieces of text."""
    starts, ends = (borders[pieces] + 1).tolist(), borders[pieces + 1].tolist()
    source = text.masked
    parts = [source[start:end] for start, end in zip(starts, ends, strict=True)]
    if not text.plain:
        parts = [part.replace(COMMENT, "") for part in parts]
    try:
        found = np.array([parse_real(part) for part in parts])
        if not np.isinf(found).any():
            return found
    except ValueError:
        pass
    for start, part in zip(starts, parts, strict=True):
        if not _is_number(part):
            text.refuse(
                start,
                f"{quote_text(part.strip())} is not a branch length; give a number such as 0.1 or 2e-3 after the colon",
            )
    raise AssertionError("a length was refused and then found good")


def _is_number(part: str) -> bool:
    try:
        return abs(parse_real(part)) != float("inf")
    except ValueError:
        return False


def _fill_supports(
    text: NewickText,
    names: list[str],
    kinds: np.ndarray,
    labels: np.ndarray,
    has_length: np.ndarray,
    borders: np.ndarray,
) -> None:
    """Fill in the names of inner nodes without one from a number in brackets after their name or length."""
    for node in np.flatnonzero(kinds[labels] == CLOSE).tolist():
        start, end = int(borders[labels[node]]) + 1, int(borders[labels[node] + 1 + has_length[node]])
        if not names[node] and COMMENT in text.masked[start:end]:
            for found in re.findall(r"\[([^\[\]]*)\]", text.raw[start:end]):
                if _is_number(found):
                    names[node] = found.strip()


def _check_grammar(
    text: NewickText, kinds: np.ndarray, depths: np.ndarray, filled: np.ndarray, borders: np.ndarray
) -> None:
    """Refuse the first place that breaks a rule of the grammar."""
    before, after, inside = kinds[:-1], kinds[1:], depths[:-1]
    opener = (before == START) | (before == OPEN) | (before == COMMA)
    rules = (
        ((before == CLOSE) & (after == OPEN), 1, "a comma is missing before this '('"),
        (opener & (after == OPEN) & filled, 1, "text before '('; separate them by a comma, or quote the name"),
        ((before == COLON) & ~filled, 0, "no branch length follows this colon; give a number or remove the colon"),
        ((before == COLON) & ((after == COLON) | (after == OPEN)), 1, "a comma is missing after the branch length"),
        ((after == CLOSE) & (inside == 0), 1, "this ')' closes nothing; remove it or add a '('"),
        ((after == COMMA) & (inside == 0), 1, "a comma outside all parentheses; put the tree in '(' and ')'"),
        ((before == START) & (after == END) & ~filled, 1, "no tree before this semicolon; remove it"),
        ((before == START) & (after == COLON) & ~filled, 1, "a branch length without a node; give the tree first"),
    )
    faults = [(int(np.flatnonzero(broken)[0]), side, reason) for broken, side, reason in rules if broken.any()]
    if faults:
        piece, side, reason = min(faults)
        text.refuse(max(int(borders[piece + side]), 0), reason)
    if depths[-1] > 0:
        least = np.minimum.accumulate(depths[::-1])[::-1]
        unclosed = np.flatnonzero((kinds == OPEN) & (least >= depths))[-1]
        text.refuse(int(borders[unclosed]), "this '(' is never closed; add the missing ')'")


def _mask_match(found: re.Match[str]) -> str:
    return (QUOTED if found[0][0] == "'" else COMMENT) * len(found[0])


def quote_name(name: str) -> str:
    """Return a name as Newick and NEXUS write it: in quotes where it holds white space or punctuation."""
    return name if not name or PLAIN.fullmatch(name) else "'" + name.replace("'", "''") + "'"


def newick_pieces(tree: Tree) -> Iterator[str]:
    """Yield the tree as Newick text without the semicolon, with lengths in full precision and unique names of
    leaves."""
    labels = [quote_name(name) for name in unique_leaf_names(tree)]
    for node in np.flatnonzero(~np.isnan(tree.lengths)).tolist():
        labels[node] += f":{float(tree.lengths[node]) + 0.0!r}"  # no negative zero
    ends, inner = tree.ends.tolist(), (tree.degrees > 0).tolist()
    firsts = np.append(False, tree.parents[1:] == np.arange(len(tree) - 1)).tolist()
    open_nodes: list[int] = []
    made: list[str] = []
    for node, label in enumerate(labels):
        while open_nodes and ends[open_nodes[-1]] <= node:
            made.append(")" + labels[open_nodes.pop()])
        if node and not firsts[node]:
            made.append(",")
        if inner[node]:
            made.append("(")
            open_nodes.append(node)
        else:
            made.append(label)
        if len(made) > BATCH:
            yield "".join(made)
            made = []
    yield "".join(made)
    yield "".join(")" + labels[node] for node in reversed(open_nodes))


def newick_lines(tree: Tree) -> Iterator[str]:
    """Yield the tree as a Newick file."""
    yield from newick_pieces(tree)
    yield ";\n"


def newick_text(tree: Tree) -> str:
    """Return the tree as Newick text with its semicolon, in one line."""
    return "".join(newick_pieces(tree)) + ";"
