"""Tree files: Newick, the TREES block of NEXUS, phyloXML and NeXML, in and out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from collections.abc import Sequence as Sequences
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import newick, packed_files, tree_xml
from antidiag.kernels.io.files import write_lines
from antidiag.kernels.io.line_blocks import decode_text, read_blocks, refuse_zero_byte
from antidiag.kernels.io.newick import BLANK, COMMENT, NewickText
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.method import DataKind, FileFormat
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import format_count, quote_text

NEWICK_SUFFIXES = (".nwk", ".newick", ".tree", ".tre", ".treefile", ".dnd", ".ph", ".nhx")
NEXUS_SUFFIXES = (".nex", ".nexus", ".nxs")
NHX_SUFFIX = ".nhx"
XML_WRITERS = {".phyloxml": tree_xml.phyloxml_lines, ".nexml": tree_xml.nexml_lines}

NEWICK_START = re.compile(r"\s*(\[[^\]]*\]\s*)*\(")
SPACE = rf"[\s{COMMENT}]"
BEGIN = re.compile(rf"\bbegin{SPACE}+trees{SPACE}*;", re.IGNORECASE)
MATRIX = re.compile(r";(?:\s|\[[^\]]*\])*+matrix\b", re.IGNORECASE)
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
"""Names, which may hold any word."""
END = re.compile(rf"\bend(block)?{SPACE}*;", re.IGNORECASE)
TAXLABELS = re.compile(r"\btaxlabels\b([^;]*);", re.IGNORECASE)
WORD = re.compile(rf"[^{BLANK}]+")
TRANSLATE = re.compile(rf"{SPACE}*translate\b", re.IGNORECASE)
TREE_COMMAND = re.compile(rf"{SPACE}*u?tree\b{SPACE}*+\*?([^=;]*+)=", re.IGNORECASE)
"""Possessive repeats: backtracking over many blanks would take quadratic time."""


def is_tree_file(path: Path, head: bytes) -> bool:
    """Return whether a file with these first bytes (unpacked) holds trees; a NEXUS file with an alignment does not."""
    text = head.decode("latin-1").lstrip("\ufeff\xef\xbb\xbf")
    if text[:6].lower() == "#nexus":
        if not (BEGIN.search(text) or _has_matrix(text)):
            with suppress(InputError):  # the names of many taxa come first; pasted text has no file
                text = b"".join(read_blocks(path, Monitor())).decode("latin-1")
        return bool(BEGIN.search(text)) and not _has_matrix(text)
    if text.startswith("<"):
        return bool(tree_xml.HEAD.search(text))
    return bool(NEWICK_START.match(text)) or packed_files.format_suffix(path) in NEWICK_SUFFIXES


def _has_matrix(text: str) -> bool:
    """Return whether a NEXUS text has the command MATRIX."""
    return MATRIX.search(QUOTED.sub("''", text)) is not None


@packed_files.reads_each_file
def read_trees(path: str | Path, monitor: Monitor | None = None) -> list[Tree]:
    """Read all trees of a Newick, NEXUS, phyloXML or NeXML file, also compressed; InputError names file and place."""
    path, monitor = Path(path), monitor or Monitor()
    data = b"".join(read_blocks(path, monitor)).removeprefix(b"\xef\xbb\xbf")
    refuse_zero_byte(data, str(path), "give trees as Newick or NEXUS text")
    if b"\1" in data or b"\2" in data:
        raise InputError(f"{path}: this is a binary file; give trees as Newick or NEXUS text")
    return parse_trees(decode_text(data), str(path), packed_files.format_stem(path), monitor)


def has_trees(text: str) -> bool:
    """Return whether a text is NEXUS with a TREES block, whatever else it holds."""
    return text.lstrip()[:6].lower() == "#nexus" and BEGIN.search(text) is not None


def parse_trees(text: str, source: str = "", name: str = "tree", monitor: Monitor | None = None) -> list[Tree]:
    """Read all trees of a text in any format; trees without a name of their own are called ``name``."""
    if text.lstrip().startswith("<"):
        return tree_xml.parse_xml_trees(text, source, name)
    if text.lstrip()[:6].lower() == "#nexus":
        return parse_nexus_trees(text, source, monitor)
    return newick.parse_newick(text, source, name, monitor)


def parse_nexus_trees(raw: str, source: str = "", monitor: Monitor | None = None) -> list[Tree]:
    """Read all trees of the TREES blocks of a NEXUS text, with the names that TRANSLATE gives."""
    text, found, start = NewickText(raw, source), list[Tree](), 0
    taxa = _parse_taxa(text)
    while block := BEGIN.search(text.masked, start):
        end = END.search(text.masked, block.end())
        if end is None:
            text.refuse(block.start(), "this block has no END; add it")
        start = end.end()
        names = taxa
        for command in _split_commands(text, block.end(), end.start()):
            if match := TRANSLATE.match(text.masked, command.start, command.end):
                names = _parse_translation(text, match.end(), command.end)
            elif match := TREE_COMMAND.match(text.masked, command.start, command.end):
                if monitor is not None:
                    monitor.update(command.end, len(raw), "reading trees")
                    monitor.check()
                label = text.read_name(match.start(1), match.end(1)) or f"tree {len(found) + 1}"
                tree = newick.parse_tree(text, match.end(), command.end, label, names)
                before = (comment for _, comment in text.comments(command.start, match.end()))
                tree = add_note(tree, newick.describe_tree_comments(tree, before))
                found.append(add_note(tree, _describe_untranslated(tree, names)))
    if not found:
        text.refuse(0, "this NEXUS file has no tree in a TREES block; if it holds an alignment, open it as sequences")
    return found


def add_note(tree: Tree, note: str) -> Tree:
    """Return the tree with one more note; an empty one changes nothing."""
    return replace(tree, note="; ".join(filter(None, (tree.note, note)))) if note else tree


def _parse_taxa(text: NewickText) -> dict[str, str]:
    """Return the names of the TAXA block by their numbers, which trees may use in place of names."""
    found = TAXLABELS.search(text.masked)
    if found is None:
        return {}
    labels = [text.read_name(*word.span()) for word in WORD.finditer(text.masked, *found.span(1))]
    return {str(number): label for number, label in enumerate(labels, 1) if str(number) not in labels}


class _Command(NamedTuple):
    start: int
    end: int


def _split_commands(text: NewickText, start: int, end: int) -> Iterator[_Command]:
    while (stop := text.masked.find(";", start, end)) >= 0:
        yield _Command(start, stop)
        start = stop + 1


def _parse_translation(text: NewickText, start: int, end: int) -> dict[str, str]:
    """Return the names of a TRANSLATE command: pairs of a key and a name, with commas between."""
    names: dict[str, str] = {}
    pair = re.compile(rf"([^{BLANK}]+)[{BLANK}]+(?=[^{BLANK}])")
    while start < end:
        comma = text.masked.find(",", start, end)
        stop = end if comma < 0 else comma
        filled = text.masked[start:stop].strip(BLANK)
        first = text.masked.find(filled, start)
        if found := pair.match(text.masked, first, stop):
            key = text.read_name(*found.span(1))
            if key in names:
                text.refuse(first, f"{quote_text(key)} stands in TRANSLATE twice; give each taxon a key of its own")
            names[key] = text.read_name(found.end(), stop)
        elif filled:
            text.refuse(
                first, f"{text.read_name(first, stop)!r} in TRANSLATE is not a pair of a key and a name; correct it"
            )
        start = stop + 1
    return names


def _describe_untranslated(tree: Tree, names: Mapping[str, str]) -> str:
    """Return a note of leaves that are numbers without a name, while other numbers have one."""
    known = set(names.values())
    missing = [leaf for leaf in tree.taxa if leaf.isdigit() and leaf not in known] if names else []
    if not missing:
        return ""
    return f"{format_count(len(missing), 'leaf', 'leaves')} without a name in TRANSLATE or TAXLABELS: {missing[0]}"


def newick_file_lines(trees: Sequences[Tree], nhx: bool = False) -> Iterator[str]:
    """Yield trees as a Newick file, one a line; values of nodes as BEAST writes them, or as NHX."""
    for tree in trees:
        yield from newick.newick_lines(tree, nhx)


def nexus_file_lines(trees: Sequences[Tree]) -> Iterator[str]:
    """Yield trees as a NEXUS file: a TAXA block with all names, and a TREES block."""
    trees = [replace(tree, names=_name_all_leaves(tree)) for tree in trees]
    taxa = dict.fromkeys(name for tree in trees for name in tree.taxa)
    yield f"#NEXUS\n\nBEGIN TAXA;\n  DIMENSIONS NTAX={len(taxa)};\n  TAXLABELS\n"
    yield from (f"    {newick.quote_name(name)}\n" for name in taxa)
    yield "  ;\nEND;\n\nBEGIN TREES;\n"
    for tree in trees:
        rooted = "[&U]" if tree.children(0).size > 2 else "[&R]"
        yield f"  TREE {newick.quote_name(tree.name) or 'tree'} = {rooted} "
        yield from newick.newick_lines(tree)
    yield "END;\n"


def _name_all_leaves(tree: Tree) -> tuple[str, ...]:
    """Return the names of all nodes; leaves without one are numbered, because a TAXA block needs unique names."""
    names = list(tree.names)
    for number, leaf in enumerate(tree.leaves.tolist(), 1):
        names[leaf] = names[leaf] or f"unnamed-{number}"
    return newick.unique_leaf_names(replace(tree, names=tuple(names)))


def write_trees(path: str | Path, trees: Sequences[Tree]) -> None:
    """Write trees atomically, in the format of the suffix, else as Newick; compressed where such a suffix follows.

    InputError where NHX or XML cannot hold a name or value.
    """
    suffix = packed_files.format_suffix(Path(path))
    if suffix in XML_WRITERS:
        lines = XML_WRITERS[suffix](trees)
    elif suffix in NEXUS_SUFFIXES:
        lines = nexus_file_lines(trees)
    else:
        lines = newick_file_lines(trees, nhx=suffix == NHX_SUFFIX)
    write_lines(path, lines)


def random_tree(taxa: int, random: np.random.Generator) -> Tree:
    """Return a tree made by joins of random pairs, with edge lengths uniform in 0.05 .. 1."""
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
    claims_file=is_tree_file,
    read=read_trees,
    suffixes=(*NEWICK_SUFFIXES, *NEXUS_SUFFIXES, *XML_WRITERS, ".xml"),
    generate=random_tree,
)
"""Trees as a kind of data."""

TREE_FORMATS = (
    FileFormat(".nwk", "Newick tree", "tree", iterate_lines=lambda result: newick_file_lines([result.answer.tree])),
    FileFormat(".nex", "NEXUS tree", "tree", iterate_lines=lambda result: nexus_file_lines([result.answer.tree])),
    FileFormat(
        NHX_SUFFIX, "NHX tree", "tree", iterate_lines=lambda result: newick_file_lines([result.answer.tree], nhx=True)
    ),
    FileFormat(
        ".phyloxml", "phyloXML tree", "tree", iterate_lines=lambda result: tree_xml.phyloxml_lines([result.answer.tree])
    ),
    FileFormat(".nexml", "NeXML tree", "tree", iterate_lines=lambda result: tree_xml.nexml_lines([result.answer.tree])),
)
"""Files for results whose answer has a tree."""
