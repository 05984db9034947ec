"""Trees as phyloXML, read by Biopython, and as NeXML.

Biopython's reader of NeXML takes the ids of taxa for their names and returns children in any order, so that format is
read here. Both are written here without recursion, so that a tree may be of any depth.
"""

from __future__ import annotations

import itertools
import re
import sys
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from collections.abc import Sequence as Sequences
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import tree_annotations
from antidiag.kernels.io.newick import UNROOTED, describe_tree_comments, unique_leaf_names, with_unique_leaves
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_annotations import NodeValues, add_values, clean_title
from antidiag.kernels.text import format_count, is_number

if TYPE_CHECKING:
    from Bio.Phylo.PhyloXML import Clade, Phylogeny

HEAD = re.compile(r"<(?:\w+:)?(phyloxml|phylogeny|nexml)\b", re.IGNORECASE)
CLADE = re.compile(r"</?(?:\w+:)?clade(?=[\s>])(?![^>]*/>)")
DEEPEST = 200_000
"""Clades within each other that are read at most: each takes half a kilobyte of memory."""
PROPERTY_PREFIX = "antidiag:"
"""Begins the reference of a value that this program writes."""
SUPPORT_PROPERTIES = ("cdao:has_Support_Value", "obo:CDAO_0000081")
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML cannot hold."""
PHYLOXML_SPACE, NEXML_SPACE = "http://www.phyloxml.org", "http://www.nexml.org/2009"
TAXONOMY_FIELDS = ("scientific_name", "code", "rank")
SEQUENCE_FIELDS = ("symbol", "name", "accession")


def parse_xml_trees(text: str, source: str, name: str) -> list[Tree]:
    """Return all trees of a phyloXML or NeXML text; InputError names the source and the reason."""
    head = HEAD.search(text)
    read = _read_nexml if head and head[1].lower() == "nexml" else _read_phyloxml
    found = read(text, source)
    if not found:
        raise InputError(f"{source}: the file has no tree; give one with <phylogeny> or <tree>")
    trees = [
        replace(tree, name=tree.name or (f"{name} {number}" if len(found) > 1 else name), source=source)
        for number, tree in enumerate(found, 1)
    ]
    return [with_unique_leaves(tree) for tree in trees]


def _read_phyloxml(text: str, source: str) -> list[Tree]:
    from Bio.Phylo import PhyloXML, PhyloXMLIO

    try:
        with warnings.catch_warnings(), _recursion_of(_clade_depth(text)):
            warnings.simplefilter("ignore", PhyloXML.PhyloXMLWarning)
            phylogenies = list(PhyloXMLIO.parse(StringIO(_with_name_space(text))))
    except ElementTree.ParseError as error:
        raise InputError(f"{source}, line {error.position[0]:,}: this is not valid XML: {error}; correct it") from None
    except RecursionError:
        raise InputError(f"{source}: this phyloXML is nested too deep; give the tree as Newick") from None
    except Exception as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise InputError(f"{source}: this is not valid phyloXML: {reason}; correct it or give Newick") from error
    return [_tree_of_phylogeny(phylogeny, source) for phylogeny in phylogenies]


def _with_name_space(text: str) -> str:
    """Return a phyloXML text whose first element names its space, which some programs leave out."""
    return text.replace("<phyloxml>", f'<phyloxml xmlns="{PHYLOXML_SPACE}">', 1)


def _clade_depth(text: str) -> int:
    """Return how many clades of a phyloXML text are open at a time, at most."""
    steps = [-1 if found[0].startswith("</") else 1 for found in CLADE.finditer(text)]
    return max(itertools.accumulate(steps), default=0)


@contextmanager
def _recursion_of(depth: int) -> Iterator[None]:
    """Allow so many more calls within each other: Biopython reads a clade by a call within that of its parent."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + min(depth, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _tree_of_phylogeny(phylogeny: Phylogeny, source: str) -> Tree:
    """Return the tree of a phylogeny of Biopython."""
    if phylogeny.root is None:
        raise InputError(f"{source}: the phylogeny {phylogeny.name or ''} has no clade; remove it")
    parents, waiting = list[int](), [(phylogeny.root, -1)]
    clades: list[Clade] = []
    while waiting:
        clade, parent = waiting.pop()
        waiting += [(child, len(clades)) for child in reversed(clade.clades)]
        clades.append(clade)
        parents.append(parent)
    values = NodeValues()
    for node, clade in enumerate(clades):
        for title, value in _values_of_clade(clade):
            add_values(values, node, {clean_title(title): " ".join(str(value).split())})
    names = [_name_of_clade(clade) for clade in clades]
    for node, clade in enumerate(clades):
        if clade.clades and not names[node] and clade.confidences:
            names[node] = _number_text(float(clade.confidences[0]))
    lengths = [np.nan if clade.branch_length is None else float(clade.branch_length) for clade in clades]
    columns = tree_annotations.complete_columns(values, len(clades))
    tree = Tree(tuple(names), np.array(parents), np.array(lengths), phylogeny.name or "", node_values=columns)
    notes = [describe_tree_comments(tree, [UNROOTED] if phylogeny.rooted is False else ())]
    dropped = sum(bool(clade.references or clade.binary_characters or clade.other) for clade in clades)
    letters = sum(sequence.mol_seq is not None for clade in clades for sequence in clade.sequences)
    notes += [f"references and characters of {format_count(dropped, 'clade')} left out"] * bool(dropped)
    notes += [f"the letters of {format_count(letters, 'sequence')} left out"] * bool(letters)
    return replace(tree, note="; ".join(filter(None, notes)))


def _number_text(value: float) -> str:
    """Return a number as short as a file may have it: 95, not 95.0."""
    return repr(value).removesuffix(".0")


def _name_of_clade(clade: Clade) -> str:
    """Return the name of a clade, else that of its taxon or sequence."""
    named = [clade.name]
    named += [getattr(taxonomy, part) for taxonomy in clade.taxonomies for part in TAXONOMY_FIELDS[:2]]
    named += [sequence.name or sequence.symbol for sequence in clade.sequences]
    return next((str(name) for name in named if name), "")


def _values_of_clade(clade: Clade) -> Iterator[tuple[str, Any]]:
    """Yield titles and values of what phyloXML says of a clade besides its name and length."""
    for taxonomy in clade.taxonomies:
        parts = [("taxonomy_id", taxonomy.id and taxonomy.id.value)]
        yield from _filled(parts + [(field, getattr(taxonomy, field)) for field in TAXONOMY_FIELDS])
        yield from _filled([("common_name", ", ".join(map(str, taxonomy.common_names)))])
    for sequence in clade.sequences:
        parts = [("accession", sequence.accession and sequence.accession.value)]
        yield from _filled(parts + [(f"sequence_{part}", getattr(sequence, part)) for part in SEQUENCE_FIELDS[:2]])
    if clade.events is not None:
        counts = ((part, getattr(clade.events, part)) for part in ("type", "duplications", "speciations", "losses"))
        yield "events", ", ".join(f"{part} {count}" for part, count in _filled(counts))
    if clade.date is not None:
        words = (clade.date.value, clade.date.unit if clade.date.value is not None else None, clade.date.desc)
        yield "date", " ".join(str(word) for word in words if word is not None)
    if clade.color is not None:
        yield "color", clade.color.to_hex()
    yield from _filled([("width", clade.width)])
    yield from _filled(("distribution", distribution.desc) for distribution in clade.distributions)
    if not (len(clade.confidences) == 1 and clade.clades and not clade.name):
        for confidence in clade.confidences:
            yield confidence.type or "support", _number_text(float(confidence))
    for found in clade.properties:
        yield (found.ref or "property").removeprefix(PROPERTY_PREFIX), found.value


def _filled(pairs: Any) -> Iterator[tuple[str, Any]]:
    return ((title, value) for title, value in pairs if value is not None and value != "")


def _read_nexml(text: str, source: str) -> list[Tree]:
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"{source}, line {error.position[0]:,}: this is not valid XML: {error}; correct it") from None
    except (ValueError, LookupError, RecursionError) as error:
        raise InputError(f"{source}: this XML cannot be read: {error}; save it as UTF-8") from None
    taxa = {otu.get("id", ""): otu.get("label") or otu.get("id") or "" for otu in _elements(root, "otu")}
    networks = sum(1 for _ in _elements(root, "network"))
    found = [_tree_of_nexml(tree, taxa, source) for tree in _elements(root, "tree")]
    if networks and not found:
        raise InputError(f"{source}: this NeXML file holds networks, in which nodes have two parents; give a tree")
    note = f"{format_count(networks, 'network')} left out" if networks else ""
    return [replace(tree, note="; ".join(filter(None, (tree.note, note)))) for tree in found]


def _elements(root: ElementTree.Element, tag: str) -> Iterator[ElementTree.Element]:
    return (part for part in root.iter() if _local_tag(part) == tag)


def _local_tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _tree_of_nexml(element: ElementTree.Element, taxa: dict[str, str], source: str) -> Tree:
    """Return the tree of a <tree> element."""
    label = element.get("label") or ""
    place = f"{source}, tree {label or element.get('id', '')}"
    numbers, names, values = dict[str, int](), list[str](), NodeValues()
    for node in (part for part in element if _local_tag(part) == "node"):
        identity, taxon = node.get("id", ""), node.get("otu")
        if not identity or identity in numbers:
            raise InputError(f"{place}: the node {identity!r} has no id of its own; give each node one")
        if taxon is not None and taxon not in taxa:
            raise InputError(f"{place}: the taxon {taxon!r} of node {identity!r} is not among the <otu>; add it")
        numbers[identity] = len(names)
        names.append(taxa[taxon] if taxon else node.get("label") or "")
        add_values(values, numbers[identity], _nexml_values(node))
    if not names:
        raise InputError(f"{place}: this tree has no node; remove it")
    parents, lengths = np.full(len(names), -1), np.full(len(names), np.nan)
    for edge in (part for part in element if _local_tag(part) in ("edge", "rootedge")):
        target = numbers.get(edge.get("target", ""), -1)
        origin = numbers.get(edge.get("source", ""), -1)
        if target < 0 or (origin < 0 and _local_tag(edge) == "edge"):
            raise InputError(f"{place}: the edge {edge.get('id', '')!r} joins nodes that are not there; correct it")
        if origin >= 0 and parents[target] >= 0:
            raise InputError(f"{place}: the node {edge.get('target')!r} has two parents, and a tree has none such")
        if origin >= 0:
            parents[target] = origin
        lengths[target] = _nexml_length(edge, place)
        add_values(values, target, _nexml_values(edge), of_branch=True)
    inner = sorted(set(parents[parents >= 0].tolist()))
    tree_annotations.fill_supports(names, values, inner)
    columns = tree_annotations.complete_columns(values, len(names))
    try:
        return Tree.from_parents(names, parents, lengths, label, node_values=columns)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def _nexml_length(edge: ElementTree.Element, place: str) -> float:
    text = edge.get("length")
    if text is None:
        return np.nan
    if not is_number(text):
        raise InputError(f"{place}: the length {text!r} of edge {edge.get('id', '')!r} is no number; correct it")
    return float(text)


def _nexml_values(element: ElementTree.Element) -> dict[str, str]:
    """Return the values in the <meta> of a node or edge, or of one written as attributes."""
    found = {}
    for part in (element, *(part for part in element if _local_tag(part) == "meta")):
        reference = part.get("property") or part.get("rel") or ""
        value = part.get("content") or (part.text if part is not element else "") or part.get("href") or ""
        if reference and value.strip():
            title = "support" if reference in SUPPORT_PROPERTIES else reference.removeprefix(PROPERTY_PREFIX)
            found[clean_title(title)] = " ".join(value.split())
    return found


def phyloxml_lines(trees: Sequences[Tree]) -> Iterator[str]:
    """Yield trees as a phyloXML file; values of nodes are properties, numbers at inner nodes are confidences."""
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<phyloxml xmlns="{PHYLOXML_SPACE}">\n'
    for tree in trees:
        names, ends = unique_leaf_names(tree), tree.ends.tolist()
        yield f'<phylogeny rooted="{"false" if tree.children(0).size > 2 else "true"}">\n'
        yield f"<name>{_xml_text(tree.name)}</name>\n"
        open_nodes: list[int] = []
        for node, (name, length) in enumerate(zip(names, tree.lengths.tolist(), strict=True)):
            while open_nodes and ends[open_nodes[-1]] <= node:
                open_nodes.pop()
                yield "</clade>\n"
            open_nodes.append(node)
            yield "<clade>" + "".join(_clade_parts(tree, node, name, length)) + "\n"
        yield "</clade>\n" * len(open_nodes) + "</phylogeny>\n"
    yield "</phyloxml>\n"


def _clade_parts(tree: Tree, node: int, name: str, length: float) -> Iterator[str]:
    supported = bool(tree.degrees[node]) and is_number(name) and _number_text(float(name)) == name
    if name and not supported:
        yield f"<name>{_xml_text(name)}</name>"
    if not np.isnan(length):
        yield f"<branch_length>{length!r}</branch_length>"
    if supported:
        yield f'<confidence type="support">{name}</confidence>'
    for title, column in tree.node_values.items():
        if column[node]:
            reference = quoteattr(_xml_text(PROPERTY_PREFIX + title, escaped=False))
            attributes = 'applies_to="node" datatype="xsd:string"'
            yield f"<property ref={reference} {attributes}>{_xml_text(column[node])}</property>"


def nexml_lines(trees: Sequences[Tree]) -> Iterator[str]:
    """Yield trees as a NeXML file; values of nodes are <meta> elements."""
    named = [unique_leaf_names(tree) for tree in trees]
    taxa: dict[str, str] = {}
    for tree, names in zip(trees, named, strict=True):
        for leaf in tree.leaves.tolist():
            if names[leaf]:
                taxa.setdefault(names[leaf], f"taxon{len(taxa) + 1}")
    yield (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<nex:nexml version="0.9" generator="antidiag" xmlns="{NEXML_SPACE}" '
        f'xmlns:nex="{NEXML_SPACE}" xmlns:antidiag="urn:antidiag" xmlns:xsd="http://www.w3.org/2001/XMLSchema#" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n<otus id="taxa">\n'
    )
    yield from (f'<otu id="{identity}" label={_xml_value(name)}/>\n' for name, identity in taxa.items())
    yield '</otus>\n<trees id="trees" otus="taxa">\n'
    for number, (tree, names) in enumerate(zip(trees, named, strict=True), 1):
        yield f'<tree id="tree{number}" label={_xml_value(tree.name)} xsi:type="nex:FloatTree">\n'
        yield from _nexml_nodes(tree, names, taxa, f"t{number}")
        yield "</tree>\n"
    yield "</trees>\n</nex:nexml>\n"


def _nexml_nodes(tree: Tree, names: Sequences[str], taxa: dict[str, str], prefix: str) -> Iterator[str]:
    """Yield the nodes of a tree, and then its edges."""
    rooted = ' root="true"' if tree.children(0).size <= 2 else ""
    for node, name in enumerate(names):
        leaf = f' otu="{taxa[name]}"' if name and not tree.degrees[node] else ""
        label = f" label={_xml_value(name)}" if name else ""
        metas = "".join(
            f'<meta id="{prefix}m{node}_{number}" xsi:type="nex:LiteralMeta" datatype="xsd:string" '
            f"property={_xml_value(PROPERTY_PREFIX + title)} content={_xml_value(column[node])}/>"
            for number, (title, column) in enumerate(tree.node_values.items())
            if column[node]
        )
        yield f'<node id="{prefix}n{node}"{label}{leaf}{"" if node else rooted}>{metas}</node>\n'
    for node, (parent, length) in enumerate(zip(tree.parents.tolist(), tree.lengths.tolist(), strict=True)):
        measured = "" if np.isnan(length) else f' length="{length!r}"'
        if node:
            yield f'<edge id="{prefix}e{node}" source="{prefix}n{parent}" target="{prefix}n{node}"{measured}/>\n'
        elif measured:
            yield f'<rootedge id="{prefix}e0" target="{prefix}n0"{measured}/>\n'


def _xml_text(text: str, escaped: bool = True) -> str:
    """Return a text for XML; InputError for a character that XML cannot hold."""
    if bad := FORBIDDEN.search(text):
        raise InputError(f"XML cannot hold the character {bad[0]!r} of {text!r}; save the tree as .nwk")
    return escape(text) if escaped else text


def _xml_value(text: str) -> str:
    return quoteattr(_xml_text(text, escaped=False))
