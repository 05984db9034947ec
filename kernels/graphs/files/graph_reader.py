"""Graphs read from files: edge lists, Matrix Market, GraphML, GML, DOT, Pajek, and distance matrices."""

from __future__ import annotations

import ast
import csv
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs.files import matrix_market, other_formats
from antidiag.kernels.graphs.files.other_formats import EdgeTable
from antidiag.kernels.graphs.graph import Graph, from_edges, from_weights, random_graph
from antidiag.kernels.io import distance_files, distance_tables, line_blocks, number_tables, packed_files
from antidiag.kernels.io.distance_files import BOM
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.distance_tables import DECIMAL_COMMA, is_distance
from antidiag.kernels.method import DataKind
from antidiag.kernels.model import unique_values
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import format_count, parse_real, quote_text

HEAD_BYTES = 4096
"""First bytes of a file by which distances are recognised."""
SUFFIXES = (*number_tables.EDGE_SUFFIXES, ".mtx", ".graphml", ".gml", ".net", ".paj", ".dot", ".gv")
COMMENT_MARKS = ("#", "%", "//")
TRAILING_COMMENT = re.compile(r"(?<=\s)(?:#|//).*")
SEQUENCE = re.compile(r"[A-Za-z*.-]{12,}")
"""Letters that no name of a vertex is taken for."""
WEIGHT_NAMES = ("weight", "cost", "distance", "length")
HEADINGS = (
    ("source", "target"),
    ("source", "destination"),
    ("from", "to"),
    ("src", "dst"),
    ("from node", "to node"),
    ("node1", "node2"),
    ("node 1", "node 2"),
    ("vertex1", "vertex2"),
    ("vertex 1", "vertex 2"),
)
SHORT_HEADINGS = (("u", "v"), ("i", "j"), ("start", "end"), ("tail", "head"))
"""Headings that may also be names of vertices: they count only beside a heading of the weights."""


def claims_file(path: Path, head: bytes) -> bool:
    """Return whether a file holds a graph, by its first bytes, or by the suffix of an edge list."""
    suffix = packed_files.format_suffix(path)
    text = line_blocks.normalise_line_ends(head.removeprefix(BOM))
    listed = suffix in number_tables.EDGE_SUFFIXES and not number_tables.holds_matrix(path, head)
    return (
        head.startswith(matrix_market.BANNER)
        or b"<graphml" in head
        or _reader_of(text, suffix) is not None
        or (listed and not _holds_sequences(text))
        or _has_weighted_edges(text)
        or distance_tables.looks_like_weights(path, head)
    )


def _reader_of(text: bytes, suffix: str = "") -> Callable[[str, str], EdgeTable] | None:
    """Return the reader of a format of another program, by the beginning of a text or by a suffix."""
    if other_formats.DOT_HEAD.match(text) or suffix in (".dot", ".gv"):
        return other_formats.read_dot
    if other_formats.PAJEK_HEAD.match(text) or suffix in (".net", ".paj"):
        return other_formats.read_pajek
    if suffix == ".gml" or (other_formats.GML_HEAD.search(text[:HEAD_BYTES]) and not text.lstrip().startswith(b">")):
        return other_formats.read_gml
    return None


def _whole_lines(text: bytes) -> list[list[str]]:
    """Return the fields of the whole lines of the beginning of a text; none where it is no text."""
    whole, _, rest = text.rpartition(b"\n")
    try:
        return [fields for _, fields in _split_lines(Path("beginning"), whole or rest)]
    except InputError:
        return []


def _holds_sequences(text: bytes) -> bool:
    """Return whether the lines of a text are names and sequences."""
    lines = _whole_lines(text)
    return bool(lines) and all(len(fields) == 2 and SEQUENCE.fullmatch(fields[1]) for fields in lines)


def _has_weighted_edges(text: bytes) -> bool:
    """Return whether the lines of a text are two names, which are no numbers, and a weight."""
    lines = _whole_lines(text)
    return len(lines) > 1 and all(
        len(fields) == 3 and is_distance(fields[2]) and not any(map(is_distance, fields[:2])) for fields in lines
    )


@packed_files.reads_each_file
def read_graph(path: str | Path, monitor: Monitor | None = None) -> list[Graph]:
    """Read the graph of a file, plain or compressed; an InputError names file and line.

    An edge list has one directed edge per line: source, target, and a weight (by default 1), separated by commas,
    semicolons, tabs or blanks; a line of headings and comments after #, % or // are skipped. A Matrix Market file holds
    the matrix of weights; a symmetric one has edges in both directions. In GraphML, GML and DOT, the weight is the edge
    attribute called weight, cost, distance or length. A distance matrix is a complete graph.
    """
    path = Path(path)
    text = b"".join(line_blocks.read_blocks(path, monitor or Monitor())).removeprefix(BOM)
    suffix = packed_files.format_suffix(path)
    if text.startswith(matrix_market.BANNER):
        return [matrix_market.read_matrix_market(path, text)]
    if text.lstrip().startswith(b"<"):
        return [_parse_graphml(path, text)]
    if read := _reader_of(text, suffix):
        return [_parse_other(path, text, read)]
    if distance_tables.looks_like_table(path, text[:HEAD_BYTES]):
        return [_parse_weights(path, text)]
    if text.startswith(distance_files.NPY) or distance_files.is_distance_file(path, text[:HEAD_BYTES]):
        return [graph_of_distances(matrix) for matrix in distance_files.read_distances(path, monitor)]
    return [_parse_edge_list(path, text)]


def _parse_weights(path: Path, text: bytes) -> Graph:
    """Return the graph of a table of weights with names in its head and rows; where each pair has one weight, it holds
    in both directions."""
    names, weights = distance_tables.parse_table(text, str(path))
    lower = np.tril_indices(len(names), -1)
    below, above = np.isnan(weights[lower]), np.isnan(weights.T[lower])
    if (below ^ above).all():
        np.copyto(weights, weights.T.copy(), where=np.isnan(weights))
    elif below.all() or above.all():
        raise InputError(
            f"{path}: one triangle of the table is empty, and weights lack in the other; write inf for no edge"
        )
    weights[np.isnan(weights)] = np.inf
    return from_weights(weights, names, packed_files.format_stem(path), str(path))


def _parse_other(path: Path, text: bytes, read: Callable[[str, str], EdgeTable]) -> Graph:
    """Return the graph of a text in a format of another program."""
    found = read(line_blocks.decode_text(text), str(path))
    if not found.names:
        raise InputError(f"{path}: the graph has no nodes; give one with vertices and edges")
    return _build_graph(path, tuple(found.names), found.edges, found.note)


def _parse_edge_list(path: Path, text: bytes) -> Graph:
    names: dict[str, int] = {}
    edges: list[tuple[str, str, float]] = []
    skipped, unweighted = "", 0
    columns: EdgeColumns | None = None
    for line, fields in _split_lines(path, text):
        if not edges and not skipped and (columns := _find_columns(fields)):
            skipped = columns.describe(fields)
            continue
        both_ways = columns is not None and columns.is_undirected(fields)
        fields = columns.select(fields) if columns else fields
        if len(fields) not in (2, 3):
            raise InputError(
                f"{path}, line {line:,}: {format_count(len(fields), 'field')}; an edge has a source, a target and "
                "optionally a weight"
            )
        if not edges and not skipped and _is_heading(fields):
            skipped = f"The headings in line {line} were skipped."
            continue
        try:
            weight = parse_real(fields[2]) if len(fields) == 3 else 1.0
        except ValueError:
            remedy = "" if edges else "; call the headings source, target, weight, or begin their line with #"
            raise InputError(
                f"{path}, line {line:,}: the weight {quote_text(fields[2])} is not a number{remedy}"
            ) from None
        if not np.isfinite(weight):
            raise InputError(f"{path}, line {line:,}: the weight {fields[2]} is not finite; remove the edge")
        unweighted += len(fields) == 2
        names.setdefault(fields[0], len(names))
        edges.append((fields[0], fields[1], weight))
        if both_ways:
            edges.append((fields[1], fields[0], weight))
    if not edges:
        raise InputError(f"{path}: the file has no edges; give each edge a line with source, target and weight")
    for _, target, _ in edges:  # sources come first, in the order of their lines
        names.setdefault(target, len(names))
    notes = (skipped, _describe_unweighted(unweighted, len(edges)), _describe_complete(len(names), edges))
    note = " ".join(filter(None, notes))
    return _build_graph(path, tuple(names), [(names[u], names[v], weight) for u, v, weight in edges], note)


class EdgeColumns(NamedTuple):
    """Where a table of more than three columns, such as Gephi's, has the parts of an edge."""

    parts: tuple[int, ...]
    direction: int | None

    def select(self, fields: list[str]) -> list[str]:
        """Return source, target and, if it is given, the weight in a line."""
        chosen = [fields[part] for part in self.parts if part < len(fields)]
        return chosen[:2] if chosen[2:] == [""] else chosen

    def is_undirected(self, fields: list[str]) -> bool:
        """Return whether the edge of a line has no direction."""
        return self.direction is not None and "undirected" in map(str.casefold, fields[self.direction :][:1])

    def describe(self, titles: list[str]) -> str:
        """Return which columns are read, by their titles."""
        return f"Edges are the columns {', '.join(titles[part] for part in self.parts)}; others were left out."


def _find_columns(titles: list[str]) -> EdgeColumns | None:
    """Return the columns of a table of edges by its headings; None for one of two or three columns."""
    words = [" ".join(title.casefold().replace("_", " ").split()) for title in titles]
    pair = next((pair for pair in HEADINGS if set(pair) <= set(words)), None)
    if pair is None or len(words) < 4:
        return None
    weights = [words.index(name) for name in WEIGHT_NAMES if name in words]
    return EdgeColumns((*map(words.index, pair), *weights[:1]), words.index("type") if "type" in words else None)


def _describe_unweighted(unweighted: int, edges: int) -> str:
    """Return how many edges have no weight where others have one; "" for none."""
    return f"{format_count(unweighted, 'edge')} without a weight: they weigh 1." if 0 < unweighted < edges else ""


def _describe_complete(vertices: int, edges: list[tuple[str, str, float]]) -> str:
    """Return that edges which join every pair once, or in both directions alike, could be distances; "" for others."""
    pairs = vertices * (vertices - 1) // 2
    between = [edge for edge in edges if edge[0] != edge[1]]
    weights = {(frozenset(edge[:2]), edge[2]) for edge in between}
    loops = any(edge[2] for edge in edges if edge[0] == edge[1])
    if vertices < 3 or loops or len(between) not in (pairs, 2 * pairs) or len(weights) != pairs:
        return ""
    if len({pair for pair, _ in weights}) < pairs:
        return ""
    return "Opened as edges of a graph; a file named .dist opens as distances between all pairs."


def _is_heading(fields: list[str]) -> bool:
    """Return whether the first line must be headings: a vertex may have any name, and a weight may be mistyped."""
    first, second, *weight = (" ".join(field.casefold().replace("_", " ").split()) for field in fields)
    if weight:
        return weight[0] in (*WEIGHT_NAMES, "w", "value") and (first, second) in HEADINGS + SHORT_HEADINGS
    return (first, second) in HEADINGS


def _split_lines(path: Path, text: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield the numbers and fields of all lines that are not empty or comments."""
    try:
        lines = text.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        at = text[: error.start].count(b"\n") + 1
        raise InputError(f"{path}, line {at:,}: this is not UTF-8 text; save the file as UTF-8") from None
    sample = next((line for line in lines if line.strip() and not line.lstrip().startswith(COMMENT_MARKS)), "")
    at = next((number for number, line in enumerate(lines, 1) if line is sample), 1)
    counts = {mark: len(_split_line(path, at, sample, mark)) for mark in "\t;,"}
    separator = next((mark for mark in counts if counts[mark] in (2, 3)), max(counts, key=counts.__getitem__))
    separator = separator if counts[separator] > 1 and not sample.rstrip().endswith("}") else ""
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if line and not line.startswith(COMMENT_MARKS):
            fields = _split_line(path, number, line, separator) if separator else _split_words(line)
            if separator == ";" and len(fields) == 3 and DECIMAL_COMMA.fullmatch(fields[2].strip()):
                fields[2] = fields[2].replace(",", ".")
            yield number, [field.strip() for field in fields]


def _split_words(line: str) -> list[str]:
    """Return the words of a line without the comment at its end, and with the weight in a dictionary of networkx."""
    line = TRAILING_COMMENT.sub("", line)
    words, brace, data = line.partition("{")
    if not brace:
        return line.split()
    try:
        found = ast.literal_eval(brace + data)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return line.split()
    weights = [str(found[title]) for title in WEIGHT_NAMES if isinstance(found, dict) and title in found]
    return [*words.split(), *weights[:1]]


def _split_line(path: Path, number: int, line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error as error:
        raise InputError(
            f"{path}, line {number:,}: {error}; an edge has a source, a target and optionally a weight"
        ) from None


def _build_graph(path: Path, names: tuple[str, ...], edges: list[tuple[int, int, float]], note: str) -> Graph:
    count, kinds = len(edges), (np.int64, np.int64, np.float64)
    # One column at a time: other threads run in between.
    columns = (np.fromiter((edge[at] for edge in edges), kind, count) for at, kind in enumerate(kinds))
    sources, targets, weights = columns
    pairs = unique_values(sources * len(names) + targets).size
    notes = [note] * bool(note)
    if pairs < len(edges):
        notes.append(f"{format_count(len(edges) - pairs, 'parallel edge')}: the lightest of each pair was kept.")
    if loops := int(((sources == targets) & (weights >= 0)).sum()):
        notes.append(f"{format_count(loops, 'loop')} left out: they shorten no path.")
    return from_edges(len(names), sources, targets, weights, names, path.stem, str(path), " ".join(notes))


def _parse_graphml(path: Path, text: bytes) -> Graph:
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"{path}, line {error.position[0]:,}: this is not XML: {error}") from None
    except (ValueError, LookupError, RecursionError) as error:
        raise InputError(f"{path}: this XML cannot be read: {error}; save it as UTF-8") from None
    if _local_tag(root) != "graphml":
        raise InputError(f"{path}: this XML is {quote_text(_local_tag(root))}, which is not read; save it as GraphML")
    keys = {key.get("id"): key for key in root.iter() if _local_tag(key) == "key"}
    graph = next((element for element in root if _local_tag(element) == "graph"), None)
    if graph is None:
        raise InputError(f"{path}: this GraphML file has no <graph>")
    weight_key = next((name for name, key in keys.items() if _is_weight(key)), None)
    names = _parse_nodes(path, graph)
    both_ways = graph.get("edgedefault") == "undirected"
    default = _default_weight(keys[weight_key]) if weight_key is not None else "1"
    edges: list[tuple[int, int, float]] = []
    for edge in (element for element in graph if _local_tag(element) == "edge"):
        u, v = (_edge_end(path, names, edge, end) for end in ("source", "target"))
        weight = _edge_weight(path, edge, weight_key, default)
        directed = {"true": True, "false": False}.get(edge.get("directed", ""), not both_ways)
        edges += [(u, v, weight)] if directed or u == v else [(u, v, weight), (v, u, weight)]
    if not names:
        raise InputError(f"{path}: the graph has no nodes")
    note = "" if weight_key is not None else "The file declares no weights: every edge weighs 1."
    return _build_graph(path, tuple(names), edges, note if edges else "")


def _parse_nodes(path: Path, graph: ElementTree.Element) -> dict[str, int]:
    """Return the vertices by their ids; raise InputError for a missing or repeated id."""
    names: dict[str, int] = {}
    for node in (part for part in graph if _local_tag(part) == "node"):
        name = node.get("id", "")
        if not name:
            raise InputError(f"{path}: node {len(names) + 1:,} has no id; give each node its own")
        if name in names:
            raise InputError(f"{path}: two nodes have the id {quote_text(name)}; give each node its own")
        names[name] = len(names)
    return names


def _is_weight(key: ElementTree.Element) -> bool:
    return key.get("for") in ("edge", "all") and (key.get("attr.name") or "").lower() in WEIGHT_NAMES


def _local_tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _edge_end(path: Path, names: dict[str, int], edge: ElementTree.Element, end: str) -> int:
    name = edge.get(end, "")
    if name not in names:
        raise InputError(f"{path}: the {end} {quote_text(name)} of an edge is no node of the graph")
    return names[name]


def _default_weight(key: ElementTree.Element) -> str:
    """Return the weight of edges without one."""
    return next((part.text for part in key if _local_tag(part) == "default"), "1") or ""


def _edge_weight(path: Path, edge: ElementTree.Element, weight_key: str | None, default: str) -> float:
    if weight_key is None:
        return 1.0
    texts = [datum.text for datum in edge if _local_tag(datum) == "data" and datum.get("key") == weight_key]
    text = (texts or [default])[0] or ""
    try:
        weight = parse_real(text)
    except ValueError:
        weight = np.nan
    if not np.isfinite(weight):
        ends = f"{edge.get('source')} - {edge.get('target')}"
        raise InputError(f"{path}: the weight {quote_text(text)} of the edge {ends} is not a finite number")
    return weight


def graph_of_distances(matrix: DistanceMatrix) -> Graph:
    """Return the complete graph of a distance matrix, with edges in both directions between all taxa."""
    return from_weights(matrix.values.astype(np.float64), matrix.names, matrix.name, matrix.source, matrix.note)


GRAPH = DataKind(
    id="graph",
    label="graph",
    plural="graphs",
    type=Graph,
    claims_file=claims_file,
    read=read_graph,
    suffixes=SUFFIXES,
    generate=random_graph,
)
