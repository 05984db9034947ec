"""Graphs of other programs: GML by networkx and DOT by pydot, both optional libraries, and Pajek.

networkx reads comments of Pajek as edges, lists of arcs as single arcs, and *Arcs after *Edges as edges, so Pajek is
read here.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs.graph import MAX_VERTICES
from antidiag.kernels.text import format_count, is_small_count, parse_real, quote_text

GML_HEAD = re.compile(rb"(?:\A|\n)[ \t]*graph\s*\[", re.IGNORECASE)
DOT_HEAD = re.compile(
    rb"\s*+(?>(?://|#)[^\n]*\n\s*|/\*.*?\*/\s*)*+(?:strict\s++)?(?:di)?graph\b\s*+(?:\"[^\"]*\"|[\w.-]++)?\s*+\{",
    re.IGNORECASE | re.DOTALL,
)
PAJEK_HEAD = re.compile(rb"\s*+(?>%[^\n]*\n\s*)*+\*(?:vertices|network)\b", re.IGNORECASE)
WEIGHT_TITLES = ("weight", "cost", "distance", "length", "len", "value")
"""Attributes of edges that are weights, the first of them that any edge has."""
PAJEK_WORD = re.compile(r'"([^"]*)"|(\S+)')
PAJEK_SECTIONS = ("*network", "*vertices", "*arcs", "*edges", "*arcslist", "*edgeslist", "*matrix")


@dataclass
class EdgeTable:
    """Vertices by name, and edges as numbers of two vertices and a weight; an undirected edge is there twice."""

    names: dict[str, int] = field(default_factory=dict)
    edges: list[tuple[int, int, float]] = field(default_factory=list)
    note: str = ""

    def add_edge(self, source: int, target: int, weight: float, directed: bool) -> None:
        """Add an edge, in both directions where it has none."""
        self.edges.append((source, target, weight))
        if not directed and source != target:
            self.edges.append((target, source, weight))


def read_gml(text: str, source: str) -> EdgeTable:
    """Return the graph of a GML text; InputError where networkx is not installed or cannot read it."""
    networkx = import_optional("networkx", "GML", source)
    try:
        graph = networkx.parse_gml(text, label=None)
    except Exception as error:  # also of Python, for what is nested or typed otherwise
        raise InputError(f"{source}: this is not valid GML: {first_line(error)}; correct it") from error
    labels = [str(data.get("label", "")) for _, data in graph.nodes(data=True)]
    named = all(labels) and len(set(labels)) == len(labels)
    names = labels if named else [str(node) for node in graph.nodes]
    numbers = {node: number for number, node in enumerate(graph.nodes)}
    edges = [(numbers[u], numbers[v], data) for u, v, data in graph.edges(data=True)]
    found = weighted_edges(names, edges, graph.is_directed(), source)
    if not named and any(labels):
        found.note = f"Vertices are called by their ids, as labels are missing or occur twice. {found.note}".strip()
    return found


def read_dot(text: str, source: str) -> EdgeTable:
    """Return the graph of a DOT text, with all its subgraphs; InputError where pydot is not installed or fails."""
    pydot = import_optional("pydot", "DOT", source)
    try:
        graphs = pydot.graph_from_dot_data(text)
    except Exception as error:
        raise InputError(f"{source}: this is not valid DOT: {first_line(error)}; correct it") from error
    if not graphs:
        raise InputError(f"{source}: this is not valid DOT; correct it")
    names: dict[str, int] = {}
    edges: list[tuple[int, int, Mapping[str, Any]]] = []
    _collect_dot(graphs[0], names, edges, {})
    found = weighted_edges(list(names), edges, graphs[0].get_type() == "digraph", source)
    if len(graphs) > 1:
        found.note = f"The first of {len(graphs)} graphs was read. {found.note}".strip()
    return found


def _collect_dot(
    graph: Any, names: dict[str, int], edges: list[tuple[int, int, Mapping[str, Any]]], defaults: Mapping[str, Any]
) -> None:
    """Add the vertices and edges of a graph and of its subgraphs, with the default attributes of edges."""
    for given in graph.get_edge_defaults() or ():
        defaults = {**defaults, **given}
    for node in graph.get_node_list():
        if node.get_name() not in ("node", "graph", "edge", '"\\n"'):
            names.setdefault(_dot_name(node.get_name()), len(names))
    for subgraph in graph.get_subgraph_list():
        _collect_dot(subgraph, names, edges, defaults)
    for edge in graph.get_edge_list():
        ends = [_dot_ends(end) for end in (edge.get_source(), edge.get_destination())]
        for name in ends[0] + ends[1]:
            names.setdefault(name, len(names))
        attributes = {**defaults, **edge.get_attributes()}
        edges += [(names[one], names[other], attributes) for one in ends[0] for other in ends[1]]


def _dot_ends(end: Any) -> list[str]:
    """Return the vertices at one end of an edge, which may be a subgraph."""
    if isinstance(end, str):
        return [_dot_name(end)]
    if isinstance(end, Mapping):
        return [_dot_name(name) for name in end["nodes"]]
    names: dict[str, int] = {}
    _collect_dot(end, names, [], {})
    return list(names)


def _dot_name(name: str) -> str:
    """Return a vertex without quotes and without the port of an edge."""
    if name.startswith('"'):
        return name[1 : name.rindex('"')].replace('\\"', '"')
    return name.partition(":")[0]


def weighted_edges(
    names: list[str], edges: Iterable[tuple[int, int, Mapping[str, Any]]], directed: bool, source: str
) -> EdgeTable:
    """Return edges with the weights among their attributes; every edge weighs 1 where none has any."""
    edges = list(edges)
    title = next((title for title in WEIGHT_TITLES if any(title in data for _, _, data in edges)), "")
    table = EdgeTable({name: number for number, name in enumerate(names)})
    if len(table.names) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{source}: two vertices are called {quote_text(twice)}; give each its own name")
    lacking = 0
    for one, other, data in edges:
        text = str(data.get(title, "1")).strip('"')
        lacking += title not in data
        weight = finite_weight(text, f"{source}: the {title} {quote_text(text)} of {names[one]} - {names[other]}")
        table.add_edge(one, other, weight, directed)
    if edges and not title:
        table.note = "The file declares no weights: every edge weighs 1."
    elif lacking:
        table.note = f"{format_count(lacking, 'edge')} without a {title}: they weigh 1."
    return table


def finite_weight(text: str, place: str) -> float:
    """Return a weight; InputError, which begins with ``place``, for what is no finite number."""
    try:
        weight = parse_real(text)
    except ValueError:
        weight = np.nan
    if not np.isfinite(weight):
        raise InputError(f"{place} is not a finite number; correct it")
    return weight


def import_optional(name: str, format: str, source: str) -> Any:
    """Return an optional library; InputError that says what to install where it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(
            f"{source}: {format} is read by the library {name}, which is not installed; install it with "
            "pip install 'antidiag[graphs]', or give a CSV file of source, target, weight"
        ) from None


def first_line(error: Exception) -> str:
    """Return the first line of an error's text, else its type."""
    return next(iter(str(error).strip().splitlines()), "") or type(error).__name__


def read_pajek(text: str, source: str) -> EdgeTable:
    """Return the network of a Pajek text; InputError names the line."""
    table, count, section = EdgeTable(), 0, ""
    labels: dict[int, str] = {}
    row = 0
    for number, words in _pajek_lines(text):
        place = f"{source}, line {number:,}"
        if words[0].startswith("*"):
            section = words[0].lower()
            if section not in PAJEK_SECTIONS:
                raise InputError(f"{place}: {words[0]} is not read; give a network with *Vertices, *Arcs and *Edges")
            if section == "*vertices":
                if count:
                    raise InputError(f"{place}: a second network begins; give a file with one")
                count = _vertex_number(words[1] if len(words) > 1 else "", place, None)
                if count > MAX_VERTICES:
                    raise InputError(
                        f"{place}: {count:,} vertices; distances of all pairs need {MAX_VERTICES:,} at most"
                    )
            continue
        if section == "*vertices":
            labels[_vertex_number(words[0], place, count)] = words[1] if len(words) > 1 else words[0]
        elif section in ("*arcs", "*edges"):
            ends = [_vertex_number(word, place, count) - 1 for word in (words + [""])[:2]]
            weight = finite_weight(words[2], f"{place}: the weight {quote_text(words[2])}") if len(words) > 2 else 1.0
            table.add_edge(ends[0], ends[1], weight, section == "*arcs")
        elif section in ("*arcslist", "*edgeslist"):
            first, *others = [_vertex_number(word, place, count) - 1 for word in words]
            for other in others:
                table.add_edge(first, other, 1.0, section == "*arcslist")
        elif section == "*matrix":
            if len(words) != count or row == count:
                raise InputError(
                    f"{place}: {format_count(len(words), 'number')} in the matrix; it is {count} x {count}"
                )
            weights = [finite_weight(word, f"{place}: the weight {quote_text(word)}") for word in words]
            table.edges += [(row, column, weight) for column, weight in enumerate(weights) if weight]
            row += 1
        else:
            raise InputError(f"{place}: text before *Vertices; remove it")
    names = [labels.get(vertex, str(vertex)) for vertex in range(1, count + 1)]
    table.names = {name: vertex for vertex, name in enumerate(names)}
    if len(table.names) < count:
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{source}: two vertices are called {quote_text(twice)}; give each its own name")
    return table


def _pajek_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the numbers and words of lines that are neither blank nor comments."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("%"):
            yield number, [word[1] if word[2] is None else word[2] for word in PAJEK_WORD.finditer(line)]


def _vertex_number(word: str, place: str, count: int | None) -> int:
    """Return the number of a vertex, or with no ``count`` of all vertices."""
    if not is_small_count(word) or (count is not None and not 0 < int(word) <= count):
        known = "a number of vertices" if count is None else f"a vertex from 1 to {count:,}"
        raise InputError(f"{place}: {quote_text(word)} is not {known}; correct it")
    return int(word)
