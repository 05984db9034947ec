"""Newick trees: reading and writing, with full names.

Biopython writes and walks trees by recursion, which ends at a depth of a thousand; it takes a second for 100,000
leaves, refuses two trees in one line, and gives no line in its errors. Here quoted names and comments are masked first;
the parentheses, commas and colons that are left become arrays, from which the numbering, the parents and all errors of
grammar follow without a loop over the letters.

Underscores in names stay as they are, because names of sequences have them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import replace
from typing import NoReturn

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import tree_annotations
from antidiag.kernels.io.tree import Tree, parents_from_depths
from antidiag.kernels.io.unique_names import describe_renaming, make_names_unique
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import format_count, is_number, parse_real, quote_text

QUOTED, COMMENT = "\x01", "\x02"
BLANK = " \t\n\v\f\r" + COMMENT

NAME_START = r"(?<![^(),:;\s\]=])"
"""What stands before a quoted name: a mark or white space (d'Orbigny has no quoted part)."""
QUOTED_VALUE = r"""(?<=[=,{])"(?:[^"]|"")*+"(?=\s*[,\]}])"""
COMMENT_TEXT = rf"""\[&(?!&NHX)(?:{QUOTED_VALUE}|[^\[\]]|\[[^\[\]]*\])*+\]|\[(?:[^\[\]]|\[[^\[\]]*\])*\]"""
"""A comment; in one of values as BEAST writes them, quotes may hold brackets."""
SPECIAL = re.compile(rf"""{NAME_START}'(?:[^']|'')*'|{NAME_START}"(?:[^"]|\"\")*"|{COMMENT_TEXT}""")
"""A name in single or double quotes, or a comment."""

OPEN_QUOTE = re.compile(rf"""{NAME_START}['"]""")
DECIMAL_COMMA_LENGTH = re.compile(rf":[{BLANK}]*\d+,\d+(?=[,)])")
"""A branch length with a decimal comma, or an integer length and a leaf called by a number."""
TREE_COUNT = re.compile(r"\s*\d{1,18}(?:[ \t]+\d{1,18})?[ \t]*\n\s*(?=[(\[])")
"""The line before the trees in files of PHYLIP and PAML: the number of trees, or of taxa and of trees."""
HYBRID = re.compile(rf"#(?:H|LGT|R)\d+(?=[\s(),:;{COMMENT}]|$)")
"""The mark of a node with two parents in extended Newick."""
MARK_VALUE, AFTER_MARK = r"[#$]\d+(?:\.\d+)?", rf"(?=[{BLANK}]*(?:[,:;)]|$))"
APART_MARK = re.compile(rf"(?:[^\s(,]\s+|\)){MARK_VALUE}{AFTER_MARK}")
"""A mark of PAML behind white space or in place of an inner node's name: #1 for a branch, $1 for a clade."""
PAML_MARK = re.compile(rf"(?<![\s(,])(\s*)({MARK_VALUE}){AFTER_MARK}")
"""A mark of PAML, also one that follows a name at once (plate#1), which is part of the name in other files."""
PAML_TITLE = "branch_mark"
"""The title under which nodes keep marks of PAML."""
ROOTED, UNROOTED = "&R", "&U"
SHOWN_COMMENTS, SHOWN_COMMENT = 3, 60
"""Comments, and characters of each, that a note shows."""
HARD_WRAP = 40
"""Characters a line, at least, of a file whose lines are cut at one width, also inside of names and numbers."""

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
        self.raw, self.source, self.wrapped_width = raw, source, 0
        self.masked = SPECIAL.sub(_mask_match, raw)
        self._marks: list[tuple[int, str]] = []
        if ("#" in self.masked or "$" in self.masked) and APART_MARK.search(self.masked):
            self.masked = PAML_MARK.sub(self._mask_mark, self.masked)
        self.plain = self.masked is raw or self.masked == raw
        if unclosed := OPEN_QUOTE.search(self.masked):
            self.refuse(unclosed.start(), "this quote is not closed; close it, or double it inside a quoted name")
        for bracket, state in (("[", "closed"), ("]", "opened")):
            if (place := self.masked.find(bracket)) >= 0:
                self.refuse(place, f"this comment is not {state}; correct the brackets, or quote the name")

    def refuse(self, place: int, reason: str) -> NoReturn:
        """Raise InputError with the line and column of a place in the text."""
        if self.wrapped_width:
            line, column = place // self.wrapped_width + 1, place % self.wrapped_width + 1
        else:
            line = self.raw.count("\n", 0, place) + 1
            column = place - (self.raw.rfind("\n", 0, place) + 1) + 1
        raise InputError(f"{self.source or 'Newick'}, line {line}, column {column:,}: {reason}")

    def read_name(self, start: int, end: int) -> str:
        """Return the name between two places, without quotes and comments."""
        masked = self.masked[start:end]
        if QUOTED not in masked:
            name = (masked if self.plain else masked.replace(COMMENT, "")).strip()
            if "\n" in name:
                self.refuse(start, f"a line ends inside the name {quote_text(name)}; put the name on one line")
            return name
        first, last = start + masked.find(QUOTED), start + masked.rfind(QUOTED) + 1
        if masked.replace(COMMENT, "").strip().strip(QUOTED):
            self.refuse(first, "text beside a quoted name; quote the whole name, and double the quotes in it")
        quote = self.raw[first]
        return self.raw[first + 1 : last - 1].replace(2 * quote, quote)

    def comments(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        """Yield the place and the text of each comment between two places, without its brackets.

        Marks of PAML are comments with a value.
        """
        if COMMENT in self.masked[start:end]:
            for found in SPECIAL.finditer(self.raw, start, end):
                if found[0][0] == "[":
                    yield found.start(), found[0][1:-1].strip()
            for place, mark in self.find_paml_marks(start, end):
                yield place, f"&{PAML_TITLE}={mark}"

    def find_paml_marks(self, start: int, end: int) -> list[tuple[int, str]]:
        """Return the place and the text of each mark of PAML between two places."""
        return self._marks[bisect_left(self._marks, (start, "")) : bisect_left(self._marks, (end, ""))]

    def _mask_mark(self, found: re.Match[str]) -> str:
        """Keep a mark of PAML and mask it as a comment."""
        self._marks.append((found.start(2), found[2]))
        return found[1] + COMMENT * len(found[2])


def parse_newick(raw: str, source: str = "", name: str = "tree", monitor: Monitor | None = None) -> list[Tree]:
    """Read all trees of a Newick text.

    Of leaves with equal names the later ones get _2, _3, ...; the note of the tree says so. Comments of nodes become
    their values (see `tree_annotations`); an inner node without a name is named by its support: a number in brackets
    after it, or a value such as B or posterior. The note has all other comments.

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
    joined, width = _join_cut_lines(raw)
    text, places = NewickText(joined, source), []
    text.wrapped_width = width
    counted = TREE_COUNT.match(text.masked)
    start = counted.end() if counted else 0
    while (end := text.masked.find(";", start)) >= 0:
        places.append((start, end))
        start = end + 1
    rest = text.masked[start:].strip(BLANK)
    if rest.startswith("("):
        places.append((start, len(joined)))
    elif rest or not places:
        place = text.masked.find(rest[0], start) if rest else 0
        text.refuse(place, "this is not a Newick tree, which begins with '(' and ends with ';'; correct it")
    trees: list[Tree] = []
    for start, end in places:
        if monitor is not None:
            monitor.update(end, len(joined), "reading trees")
            monitor.check()
        label = f"{name} {len(trees) + 1}" if len(places) > 1 else name
        trees.append(parse_tree(text, start, end, label))
    if counted and int(counted[0].split()[-1]) != len(trees):
        text.refuse(0, f"this line announces {counted[0].split()[-1]} trees, and {len(trees):,} follow; correct it")
    return trees


def parse_tree(text: NewickText, start: int, end: int, name: str, translate: Mapping[str, str] | None = None) -> Tree:
    """Return the tree between two places of a text, without its semicolon; ``translate`` replaces names."""
    piece = text.masked[start:end]
    _refuse_hybrids(text, piece, start)
    _refuse_decimal_commas(text, piece, start)
    if MARK.search(piece) is None and piece.strip(BLANK):
        alone = text.read_name(start, end)
        tree = Tree(((translate or {}).get(alone, alone),), ALONE, np.full(1, np.nan), name, text.source)
        one, whole = np.zeros(1, np.int64), np.array([start - 1, end])
        return _with_comments(tree, list(text.comments(start, end)), whole, one, one > 0) if COMMENT in piece else tree
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
    if translate:
        inner = (kinds[labels] == CLOSE).tolist()  # a number there is a support, not that of a taxon
        names = [
            name if at_inner and is_number(name) else translate.get(name, name)
            for name, at_inner in zip(names, inner, strict=True)
        ]
    tree = Tree(tuple(names), parents_from_depths(nodes), lengths, name, text.source)
    if COMMENT in piece:
        tree = _with_comments(tree, list(text.comments(start, end)), start + borders, labels, has_length)
    if found := text.find_paml_marks(start, end):
        shown = ", ".join(dict.fromkeys(mark for _, mark in found))
        note = f"{format_count(len(found), 'mark')} of PAML ({shown}) kept as the value {PAML_TITLE}"
        tree = replace(tree, note="; ".join(filter(None, (tree.note, note))))
    return with_unique_leaves(tree)


def _join_cut_lines(raw: str) -> tuple[str, int]:
    """Return a text whose lines are all cut at one width as one line, and the width; else the text as it is, and 0."""
    lines = raw.rstrip("\n").split("\n")
    width = len(lines[0])
    if len(lines) < 2 or width < HARD_WRAP or len(lines[-1]) > width or any(len(line) != width for line in lines[:-1]):
        return raw, 0
    return "".join(lines), width


def _refuse_hybrids(text: NewickText, piece: str, start: int) -> None:
    """Refuse a network: a node that extended Newick marks as having two parents."""
    first: dict[str, int] = {}
    for mark in HYBRID.finditer(piece) if "#" in piece else ():
        if mark[0] in first:
            text.refuse(
                start + mark.start(),
                f"{mark[0]} is a node with two parents (extended Newick), and a tree has none; write the network as a "
                "tree, in which the node stands once",
            )
        first[mark[0]] = mark.start()


def _refuse_decimal_commas(text: NewickText, piece: str, start: int) -> None:
    """Refuse a tree more than half of whose branch lengths look like numbers with a decimal comma."""
    found = DECIMAL_COMMA_LENGTH.findall(piece)
    if len(found) > 1 and 2 * len(found) > piece.count(":"):
        text.refuse(
            start + piece.index(":"),
            f"{found[0][1:].strip()} may be a length with a decimal comma, or a length and a leaf; write 0.1 for 0,1, "
            "or give every leaf a length",
        )


def _with_comments(
    tree: Tree, comments: Sequences[tuple[int, str]], borders: np.ndarray, labels: np.ndarray, has_length: np.ndarray
) -> Tree:
    """Return the tree with the values in comments, and a note of what has no place beside a node."""
    node_of_piece = np.full(borders.size, -1)
    node_of_piece[labels] = np.arange(labels.size)
    node_of_piece[labels[has_length] + 1] = np.flatnonzero(has_length)
    pieces = np.searchsorted(borders, [place for place, _ in comments]) - 1
    names, values = list(tree.names), tree_annotations.NodeValues()
    others: list[str] = []
    for (_, comment), piece in zip(comments, pieces.tolist(), strict=True):
        node = int(node_of_piece[piece])
        if node < 0 or comment.upper() in (ROOTED, UNROOTED):
            others.append(comment)
        elif tree.degrees[node] and not names[node] and is_number(comment):
            names[node] = comment
        else:
            found = tree_annotations.parse_annotation(comment)
            tree_annotations.add_values(values, node, found, of_branch=piece != labels[node])
    tree_annotations.fill_supports(names, values, np.flatnonzero(tree.degrees).tolist())
    columns = tree_annotations.complete_columns(values, len(tree))
    return replace(tree, names=tuple(names), node_values=columns, note=describe_tree_comments(tree, others))


def describe_tree_comments(tree: Tree, comments: Iterable[str]) -> str:
    """Describe comments about a whole tree: a root that the tree does not have, and what has no place in it."""
    notes, others = [], []
    for comment in comments:
        branches = int(tree.degrees[0])
        if comment.upper() == ROOTED:
            notes += ["the file calls this tree rooted, and a root of three branches is taken for none"] * (
                branches > 2
            )
        elif comment.upper() == UNROOTED:
            notes += ["the file calls this tree unrooted; the root is where the file writes it"] * (branches == 2)
        elif comment:
            others.append(" ".join(comment.split())[:SHOWN_COMMENT])
    if others:
        more = ", ..." if len(others) > SHOWN_COMMENTS else ""
        shown = ", ".join(f"[{comment}]" for comment in others[:SHOWN_COMMENTS]) + more
        notes.append(f"{format_count(len(others), 'comment')} of no node left out: {shown}")
    return "; ".join(notes)


def with_unique_leaves(tree: Tree) -> Tree:
    """Return the tree with unique names of leaves; leaves without a name stay without."""
    names = unique_leaf_names(tree)
    note = describe_renaming(tree.names, names)
    return replace(tree, names=names, note="; ".join(filter(None, (tree.note, note)))) if note else tree


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
        if not is_number(part):
            text.refuse(
                start,
                f"{quote_text(part.strip())} is not a branch length; give a number such as 0.1 or 2e-3 after the colon",
            )
    raise AssertionError("a length was refused and then found good")


def _check_grammar(
    text: NewickText, kinds: np.ndarray, depths: np.ndarray, filled: np.ndarray, borders: np.ndarray
) -> None:
    """Refuse the first place that breaks a rule of the grammar."""
    before, after, inside = kinds[:-1], kinds[1:], depths[:-1]
    opener = (before == OPEN) | (before == COMMA)
    rules = (
        ((before == START) & (after == OPEN) & filled, 1, "text before the tree, which begins with '('; remove it"),
        ((before == CLOSE) & (after == OPEN), 1, "a comma is missing before this '('"),
        (opener & (after == OPEN) & filled, 1, "text before '('; separate them by a comma, or quote the name"),
        ((before == COLON) & ~filled, 0, "no branch length follows this colon; give a number or remove the colon"),
        (
            (before == COLON) & (after == COLON),
            1,
            "a comma is missing, or remove the second value of this branch",
        ),
        ((before == COLON) & (after == OPEN), 1, "a comma is missing after the branch length"),
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
    return (COMMENT if found[0][0] == "[" else QUOTED) * len(found[0])


def quote_name(name: str) -> str:
    """Return a name as Newick and NEXUS write it: in quotes where it holds white space or punctuation."""
    return name if not name or PLAIN.fullmatch(name) else "'" + name.replace("'", "''") + "'"


def newick_pieces(tree: Tree, nhx: bool = False) -> Iterator[str]:
    """Yield the tree as Newick text without the semicolon, with lengths in full precision and unique names of
    leaves. Values of nodes are comments, as BEAST writes them or as NHX."""
    labels = [quote_name(name) for name in unique_leaf_names(tree)]
    if tree.node_values:
        annotations = tree_annotations.annotation_texts(tree, nhx)
        labels = [label + annotation for label, annotation in zip(labels, annotations, strict=True)]
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


def newick_lines(tree: Tree, nhx: bool = False) -> Iterator[str]:
    """Yield the tree as a Newick file."""
    yield from newick_pieces(tree, nhx)
    yield ";\n"


def newick_text(tree: Tree) -> str:
    """Return the tree as Newick text with its semicolon, in one line."""
    return "".join(newick_pieces(tree)) + ";"
