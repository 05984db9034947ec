"""Graphs from files: edge lists (CSV, TSV), Matrix Market, GraphML, and distance matrices (PHYLIP, NPY)."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs import matrix_market
from antidiag.kernels.graphs.graph import Graph, from_edges, from_weights, random_graph
from antidiag.kernels.io import distances, line_blocks, tables
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.method import DataKind
from antidiag.kernels.model import different
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import counted, real, shown

SUFFIXES = (".csv", ".tsv", ".edges", ".mtx", ".graphml")
WEIGHT_NAMES = ("weight", "cost", "distance", "length")
HEADINGS = (
    ("source", "target"), ("source", "destination"), ("from", "to"), ("src", "dst"), ("from node", "to node"),
    ("node1", "node2"), ("node 1", "node 2"), ("vertex1", "vertex2"), ("vertex 1", "vertex 2"),
)  # fmt: skip
SHORT_HEADINGS = (("u", "v"), ("i", "j"), ("start", "end"), ("tail", "head"))
"""Headings that could also be names of vertices: known by the heading of the weight beside them."""


def claims(path: Path, head: bytes) -> bool:
    """Whether a file holds a graph: by its first bytes, or by the suffix of an edge list and what such has."""
    suffix = Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
    listed = suffix in tables.EDGES and not tables.holds_matrix(path, head)
    return head.startswith(matrix_market.BANNER) or b"<graphml" in head or listed


def read(path: str | Path, monitor: Monitor | None = None) -> list[Graph]:
    """The graph of a file, plain or gzipped; InputError names file and line.

    An edge list has an edge on a line: source, target, and a weight (1 where it is left out), separated by commas,
    semicolons, tabs or blanks; a line of headings (see HEADINGS) and lines after # are skipped. Edges are directed. A
    matrix in Matrix Market form holds the weights; symmetric ones are edges both ways. Of GraphML, the graph's own
    direction counts, and the edge attribute called weight (or cost, distance, length). A distance matrix, as PHYLIP
    or NPY, is a complete graph.
    """
    path = Path(path)
    text = b"".join(line_blocks.blocks(path, monitor or Monitor())).removeprefix(b"\xef\xbb\xbf")
    if text.startswith(matrix_market.BANNER):
        return [matrix_market.read(path, text)]
    if text.lstrip().startswith(b"<"):
        return [_graphml(path, text)]
    if text.startswith(distances.NPY) or text.split(b"\n", 1)[0].strip().isdigit():
        return [of_distances(matrix) for matrix in distances.read(path, monitor)]
    return [_edge_list(path, text)]


def _edge_list(path: Path, text: bytes) -> Graph:
    names: dict[str, int] = {}
    edges: list[tuple[str, str, float]] = []
    skipped = ""
    for line, fields in _fields(path, text):
        if len(fields) not in (2, 3):
            raise InputError(
                f"{path}, line {line:,}: {counted(len(fields), 'field')}; an edge is source, target and, if you like, "
                "a weight"
            )
        if not edges and not skipped and _is_heading(fields):
            skipped = f"The headings in line {line} were skipped."
            continue
        try:
            weight = real(fields[2]) if len(fields) == 3 else 1.0
        except ValueError:
            remedy = "" if edges else "; of headings, source, target, weight are known, and a line after # is skipped"
            raise InputError(f"{path}, line {line:,}: the weight {shown(fields[2])} is not a number{remedy}") from None
        if not np.isfinite(weight):
            raise InputError(f"{path}, line {line:,}: the weight {fields[2]} is not finite; leave the edge out")
        names.setdefault(fields[0], len(names))
        edges.append((fields[0], fields[1], weight))
    if not edges:
        raise InputError(f"{path}: no edges; give a line with source, target and weight for each")
    for _, target, _ in edges:  # behind all that have lines of their own, which stand in the order of their lines
        names.setdefault(target, len(names))
    return _from_list(path, tuple(names), [(names[u], names[v], weight) for u, v, weight in edges], skipped)


def _is_heading(fields: list[str]) -> bool:
    """Whether the first line surely names its columns: a vertex may be called anything, and a weight be mistyped."""
    first, second, *weight = (" ".join(field.casefold().replace("_", " ").split()) for field in fields)
    if weight:
        return weight[0] in (*WEIGHT_NAMES, "w", "value") and (first, second) in HEADINGS + SHORT_HEADINGS
    return (first, second) in HEADINGS


def _fields(path: Path, text: bytes) -> Iterator[tuple[int, list[str]]]:
    """The numbers and fields of all lines that say something."""
    try:
        lines = text.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        at = text[: error.start].count(b"\n") + 1
        raise InputError(f"{path}, line {at:,}: this is not UTF-8 text; save the file as UTF-8") from None
    sample = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    at = next((number for number, line in enumerate(lines, 1) if line is sample), 1)
    counts = {mark: len(_split(path, at, sample, mark)) for mark in "\t;,"}
    separator = next((mark for mark in counts if counts[mark] in (2, 3)), max(counts, key=counts.__getitem__))
    separator = separator if counts[separator] > 1 else ""
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if line and not line.startswith("#"):
            fields = _split(path, number, line, separator) if separator else line.split()
            yield number, [field.strip() for field in fields]


def _split(path: Path, number: int, line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error as error:
        raise InputError(
            f"{path}, line {number:,}: {error}; an edge is source, target and, if you like, a weight"
        ) from None


def _from_list(path: Path, names: tuple[str, ...], edges: list[tuple[int, int, float]], note: str) -> Graph:
    count, kinds = len(edges), (np.int64, np.int64, np.float64)
    # One at a time, which of a million lets other threads go on.
    columns = (np.fromiter((edge[at] for edge in edges), kind, count) for at, kind in enumerate(kinds))
    sources, targets, weights = columns
    pairs = different(sources * len(names) + targets).size
    notes = [note] * bool(note)
    if pairs < len(edges):
        notes.append(f"{counted(len(edges) - pairs, 'parallel edge')}: of each pair the lightest was kept.")
    if loops := int(((sources == targets) & (weights >= 0)).sum()):
        notes.append(f"{counted(loops, 'loop')} left out: they shorten nothing.")
    return from_edges(len(names), sources, targets, weights, names, path.stem, str(path), " ".join(notes))


def _graphml(path: Path, text: bytes) -> Graph:
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"{path}, line {error.position[0]:,}: this is not XML: {error}") from None
    except (ValueError, LookupError, RecursionError) as error:
        raise InputError(f"{path}: this XML cannot be read: {error}; save it as UTF-8") from None
    keys = {key.get("id"): key for key in root.iter() if _tag(key) == "key"}
    graph = next((element for element in root if _tag(element) == "graph"), None)
    if graph is None:
        raise InputError(f"{path}: no <graph> in this GraphML file")
    weight_key = next((name for name, key in keys.items() if _is_weight(key)), None)
    names = _nodes(path, graph)
    both_ways = graph.get("edgedefault") == "undirected"
    default = _default(keys[weight_key]) if weight_key is not None else "1"
    edges: list[tuple[int, int, float]] = []
    for edge in (element for element in graph if _tag(element) == "edge"):
        u, v = (_vertex(path, names, edge, end) for end in ("source", "target"))
        weight = _weight(path, edge, weight_key, default)
        directed = {"true": True, "false": False}.get(edge.get("directed", ""), not both_ways)
        edges += [(u, v, weight)] if directed or u == v else [(u, v, weight), (v, u, weight)]
    if not names:
        raise InputError(f"{path}: the graph has no nodes")
    note = "" if weight_key is not None else "No weights are declared: every edge weighs 1."
    if not edges:
        none = np.empty(0, np.int64)
        return from_edges(len(names), none, none, np.empty(0), tuple(names), path.stem, str(path))
    return _from_list(path, tuple(names), edges, note)


def _nodes(path: Path, graph: ElementTree.Element) -> dict[str, int]:
    """The vertices by their ids; InputError for a node that has none, or that of another."""
    names: dict[str, int] = {}
    for node in (part for part in graph if _tag(part) == "node"):
        name = node.get("id", "")
        if not name:
            raise InputError(f"{path}: node {len(names) + 1:,} has no id; give every node its own")
        if name in names:
            raise InputError(f"{path}: two nodes have the id {shown(name)}; give every node its own")
        names[name] = len(names)
    return names


def _is_weight(key: ElementTree.Element) -> bool:
    return key.get("for") in ("edge", "all") and (key.get("attr.name") or "").lower() in WEIGHT_NAMES


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _vertex(path: Path, names: dict[str, int], edge: ElementTree.Element, end: str) -> int:
    name = edge.get(end, "")
    if name not in names:
        raise InputError(f"{path}: an edge has the {end} {shown(name)}, which is no node of the graph")
    return names[name]


def _default(key: ElementTree.Element) -> str:
    """The weight of edges that have none."""
    return next((part.text for part in key if _tag(part) == "default"), "1") or ""


def _weight(path: Path, edge: ElementTree.Element, weight_key: str | None, default: str) -> float:
    if weight_key is None:
        return 1.0
    texts = [datum.text for datum in edge if _tag(datum) == "data" and datum.get("key") == weight_key]
    text = (texts or [default])[0] or ""
    try:
        weight = real(text)
    except ValueError:
        weight = np.nan
    if not np.isfinite(weight):
        ends = f"{edge.get('source')} - {edge.get('target')}"
        raise InputError(f"{path}: the weight {shown(text)} of the edge {ends} is not a finite number")
    return weight


def of_distances(matrix: DistanceMatrix) -> Graph:
    """The complete graph of a distance matrix: an edge both ways between every two taxa."""
    return from_weights(matrix.values.astype(np.float64), matrix.names, matrix.name, matrix.source, matrix.note)


GRAPH = DataKind(
    id="graph",
    label="graph",
    plural="graphs",
    type=Graph,
    claims=claims,
    read=read,
    suffixes=SUFFIXES,
    generate=random_graph,
)
