"""Files of trees: Newick, and the TREES block of NEXUS, in and out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence as Sequences
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import newick
from antidiag.kernels.io.files import write_lines
from antidiag.kernels.io.line_blocks import blocks
from antidiag.kernels.io.newick import BLANK, COMMENT, Text
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.method import DataKind, FileFormat
from antidiag.kernels.monitor import Monitor

NEWICK_SUFFIXES = (".nwk", ".newick", ".tree", ".tre", ".treefile", ".dnd", ".ph", ".nhx")
NEXUS_SUFFIXES = (".nex", ".nexus", ".nxs")

NEWICK_START = re.compile(r"\s*(\[[^\]]*\]\s*)*\(")
SPACE = rf"[\s{COMMENT}]"
BEGIN = re.compile(rf"\bbegin{SPACE}+trees{SPACE}*;", re.IGNORECASE)
MATRIX = re.compile(r"\bmatrix\b", re.IGNORECASE)
END = re.compile(rf"\bend(block)?{SPACE}*;", re.IGNORECASE)
TRANSLATE = re.compile(rf"{SPACE}*translate\b", re.IGNORECASE)
TREE_COMMAND = re.compile(rf"{SPACE}*u?tree\b{SPACE}*+\*?([^=;]*+)=", re.IGNORECASE)
"""Blanks, once taken, are never given back to the name, which would be tried from each of them."""


def claims(path: Path, head: bytes) -> bool:
    """Whether a file with these first bytes (unpacked) is one of trees; a NEXUS file with an alignment is not."""
    text = head.decode("latin-1").lstrip("\ufeff\xef\xbb\xbf")
    if text[:6].lower() == "#nexus":
        if not (BEGIN.search(text) or MATRIX.search(text)) and path.is_file():
            # The names of many taxa come first.
            text = b"".join(blocks(path, Monitor())).decode("latin-1")
        return bool(BEGIN.search(text)) and not MATRIX.search(text)
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:] if suffix.lower() != ".gz"]
    return bool(NEWICK_START.match(text)) or (suffixes[-1:] != [] and suffixes[-1] in NEWICK_SUFFIXES)


def read(path: str | Path, monitor: Monitor | None = None) -> list[Tree]:
    """All trees of a Newick or NEXUS file, plain or packed with gzip. InputError names the file and the place."""
    path, monitor = Path(path), monitor or Monitor()
    data = b"".join(blocks(path, monitor)).removeprefix(b"\xef\xbb\xbf")
    if any(control in data for control in (b"\0", b"\1", b"\2")):
        raise InputError(f"{path}: a binary file; give trees as Newick or NEXUS text")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    stem = path.with_suffix("").stem if path.suffix.lower() == ".gz" else path.stem
    return parse(text, str(path), stem, monitor)


def parse(text: str, source: str = "", name: str = "tree", monitor: Monitor | None = None) -> list[Tree]:
    """All trees of a text, Newick or NEXUS; trees without a name of their own are called ``name``."""
    if text.lstrip()[:6].lower() == "#nexus":
        return parse_nexus(text, source, monitor)
    return newick.parse(text, source, name, monitor)


def parse_nexus(raw: str, source: str = "", monitor: Monitor | None = None) -> list[Tree]:
    """All trees of the TREES blocks of a NEXUS text, with the names that TRANSLATE gives."""
    text, found, start = Text(raw, source), list[Tree](), 0
    while block := BEGIN.search(text.masked, start):
        end = END.search(text.masked, block.end())
        if end is None:
            text.refuse(block.start(), "this block has no END; add it")
        start = end.end()
        names: dict[str, str] = {}
        for command in _commands(text, block.end(), end.start()):
            if match := TRANSLATE.match(text.masked, command.start, command.end):
                names = _translation(text, match.end(), command.end)
            elif match := TREE_COMMAND.match(text.masked, command.start, command.end):
                if monitor is not None:
                    monitor.update(command.end, len(raw), "reading trees")
                    monitor.check()
                label = text.name(match.start(1), match.end(1)) or f"tree {len(found) + 1}"
                found.append(newick.parse_tree(text, match.end(), command.end, label, names))
    if not found:
        text.refuse(0, "no TREES block with a tree in this NEXUS file; open it as sequences if it holds an alignment")
    return found


class _Command(NamedTuple):
    start: int
    end: int


def _commands(text: Text, start: int, end: int) -> Iterator[_Command]:
    while (stop := text.masked.find(";", start, end)) >= 0:
        yield _Command(start, stop)
        start = stop + 1


def _translation(text: Text, start: int, end: int) -> dict[str, str]:
    """The names of a TRANSLATE command: pairs of a key and a name, with commas between."""
    names: dict[str, str] = {}
    pair = re.compile(rf"([^{BLANK}]+)[{BLANK}]+(?=[^{BLANK}])")
    while start < end:
        comma = text.masked.find(",", start, end)
        stop = end if comma < 0 else comma
        filled = text.masked[start:stop].strip(BLANK)
        first = text.masked.find(filled, start)
        if found := pair.match(text.masked, first, stop):
            names[text.name(*found.span(1))] = text.name(found.end(), stop)
        elif filled:
            text.refuse(first, f"{text.name(first, stop)!r} in TRANSLATE is no pair of a key and a name")
        start = stop + 1
    return names


def newick_lines(trees: Sequences[Tree]) -> Iterator[str]:
    """Trees as a Newick file, one a line."""
    for tree in trees:
        yield from newick.lines(tree)


def nexus_lines(trees: Sequences[Tree]) -> Iterator[str]:
    """Trees as a NEXUS file: a TAXA block with all names, and a TREES block."""
    trees = [replace(tree, names=_every_leaf_named(tree)) for tree in trees]
    taxa = dict.fromkeys(name for tree in trees for name in tree.taxa)
    yield f"#NEXUS\n\nBEGIN TAXA;\n  DIMENSIONS NTAX={len(taxa)};\n  TAXLABELS\n"
    yield from (f"    {newick.quoted(name)}\n" for name in taxa)
    yield "  ;\nEND;\n\nBEGIN TREES;\n"
    for tree in trees:
        rooted = "[&U]" if tree.children(0).size > 2 else "[&R]"
        yield f"  TREE {newick.quoted(tree.name) or 'tree'} = {rooted} "
        yield from newick.lines(tree)
    yield "END;\n"


def _every_leaf_named(tree: Tree) -> tuple[str, ...]:
    """The names of all nodes; leaves without one are numbered, as a TAXA block tells them apart by their names."""
    names = list(tree.names)
    for number, leaf in enumerate(tree.leaves.tolist(), 1):
        names[leaf] = names[leaf] or f"unnamed-{number}"
    return newick.leaf_names(replace(tree, names=tuple(names)))


def write(path: str | Path, trees: Sequences[Tree]) -> None:
    """Write trees as NEXUS where the suffix is one of it, else as Newick; gzipped where .gz follows; all or nothing."""
    path = Path(path)
    packed = path.suffix.lower() == ".gz"
    suffix = (Path(path.stem) if packed else path).suffix.lower()
    write_lines(path, nexus_lines(trees) if suffix in NEXUS_SUFFIXES else newick_lines(trees), packed)


def random_tree(taxa: int, random: np.random.Generator) -> Tree:
    """A tree made by joins of random pairs, with edge lengths uniform in 0.05 .. 1."""
    alive, joins = list(range(taxa)), np.empty((max(taxa - 1, 0), 2), np.int64)
    for join in range(taxa - 1):
        for side in range(2):
            at = int(random.integers(len(alive)))
            joins[join, side], alive[at] = alive[at], alive[-1]
            alive.pop()
        alive.append(taxa + join)
    names = [f"taxon_{number}" for number in range(1, taxa + 1)]
    return Tree.from_joins(names, joins, random.uniform(0.05, 1, joins.shape), f"random tree of {taxa:,}")


TREE = DataKind(
    id="tree",
    label="tree",
    plural="trees",
    type=Tree,
    claims=claims,
    read=read,
    suffixes=(*NEWICK_SUFFIXES, *NEXUS_SUFFIXES),
    generate=random_tree,
)
"""Trees as a kind of data."""

FORMATS = (
    FileFormat(".nwk", "Newick tree", "tree", lines=lambda result: newick_lines([result.answer.tree])),
    FileFormat(".nex", "NEXUS tree", "tree", lines=lambda result: nexus_lines([result.answer.tree])),
)
"""Files for results whose answer has a tree."""
