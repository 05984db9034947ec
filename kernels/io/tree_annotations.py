"""Values of nodes in the comments of tree files: NHX, BEAST and FigTree, and plain comments.

NHX writes ``[&&NHX:S=human:B=100]``, BEAST, MrBayes and FigTree write ``[&rate=0.1,height_95%_HPD={1,2},name="a b"]``.
Titles and values are kept as texts; any other comment of a node is its value in the column `COMMENT_TITLE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as Sequences

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.text import is_number

COMMENT_TITLE = "comment"
BRANCH_SUFFIX = "_branch"
"""Ends the title of a value after the colon, where the node has another value of the same title."""
SUPPORT_TITLES = ("B", "posterior", "prob", "probability", "bootstrap", "support", "label")
"""Titles whose number is the support of the branch above an inner node, the first of them that is there."""

NHX_HEAD = re.compile(r"&&NHX\b[\s:]*", re.IGNORECASE)
TOKEN = re.compile(r'"(?:[^"]|"")*"|\{(?:[^{}]|\{[^{}]*\})*\}|[^,"{]+|[,"{]')
"""A text in quotes, a set in braces, what stands between such, or a comma."""
PLAIN_VALUE = re.compile(r"[^\s,=\"\[\]{}]+(?: [^\s,=\"\[\]{}]+)*|\{(?:[^{}\[\]\"]|\{[^{}\[\]\"]*\})*\}")
UNSAFE_TITLE = re.compile(r'[\s=,:;\[\]{}"&]+')
UNSAFE_IN_NHX = re.compile(r"[:=\[\]]")

NodeValues = dict[str, dict[int, str]]
"""Values by their title, and by the node."""


def clean_title(title: str) -> str:
    """Return a title that every format of trees can hold."""
    return UNSAFE_TITLE.sub("_", title.strip()) or COMMENT_TITLE


def parse_annotation(comment: str) -> dict[str, str]:
    """Return the values in a comment without its brackets; one of a plain comment has the title `COMMENT_TITLE`."""
    if head := NHX_HEAD.match(comment):
        return dict(_nhx_pairs(comment[head.end() :]))
    found = _beast_pairs(comment[1:]) if comment.startswith("&") else None
    plain = " ".join(comment.split())
    return ({COMMENT_TITLE: plain} if plain else {}) if found is None else found


def _nhx_pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield titles and values of an NHX comment; a colon without a title and '=' after it is part of the value."""
    pairs: list[list[str]] = []
    for part in text.split(":"):
        title, equals, value = part.partition("=")
        if equals or not pairs:
            pairs.append([title, value])
        else:
            pairs[-1][1] += ":" + part
    for title, value in pairs:
        if title.strip():
            yield clean_title(title), " ".join(value.split())


def _beast_pairs(text: str) -> dict[str, str] | None:
    """Return titles and values; "yes" for a title without a value, None for a text that is none of BEAST's."""
    parts = [""]
    for token in TOKEN.findall(text):
        if token == ",":
            parts.append("")
        else:
            parts[-1] += token
    found: dict[str, str] = {}
    for part in parts:
        title, equals, value = (word.strip() for word in part.partition("="))
        if not title and not equals:
            continue
        if not title or any(mark in title for mark in '"{}'):
            return None
        if len(value) > 1 and value[0] == value[-1] == '"':
            value = value[1:-1].replace('""', '"')
        found[clean_title(title)] = " ".join(value.split()) if equals else "yes"
    return found


def add_values(values: NodeValues, node: int, found: Mapping[str, str], of_branch: bool = False) -> None:
    """Add the values of a node to those of all."""
    for title, value in found.items():
        column = values.setdefault(title, {})
        if column.get(node, value) == value:
            column[node] = value
        elif title == COMMENT_TITLE:
            column[node] += f"; {value}"
        else:
            values.setdefault(f"{title}{BRANCH_SUFFIX}" if of_branch else f"{title}_2", {})[node] = value


def complete_columns(values: NodeValues, nodes: int) -> dict[str, tuple[str, ...]]:
    """Return for each title one value a node, "" where there is none."""
    return {
        title: tuple(column.get(node, "") for node in range(nodes))
        for title, column in values.items()
        if any(column.values())
    }


def fill_supports(names: list[str], values: NodeValues, inner: Iterable[int]) -> None:
    """Name inner nodes without a name by their support, where a value is one."""
    columns = [values[title] for title in SUPPORT_TITLES if title in values]
    if columns:
        for node in inner:
            if not names[node]:
                names[node] = next((column[node] for column in columns if is_number(column.get(node, ""))), "")


def annotation_texts(tree: Tree, nhx: bool = False) -> list[str]:
    """Return for each node the comment with its values, "" for none: as BEAST writes them, or as NHX.

    InputError where NHX cannot hold a value.
    """
    columns = list(tree.node_values.items())
    return [
        "".join(_annotation([(title, column[node]) for title, column in columns], nhx)) for node in range(len(tree))
    ]


def _annotation(pairs: Sequences[tuple[str, str]], nhx: bool) -> Iterator[str]:
    filled = [(title, value) for title, value in pairs if value]
    if filled and nhx:
        yield "[&&NHX" + "".join(f":{title}={_nhx_value(title, value)}" for title, value in filled) + "]"
    elif filled:
        yield "[&" + ",".join(f"{title}={_beast_value(value)}" for title, value in filled) + "]"


def _beast_value(value: str) -> str:
    return value if PLAIN_VALUE.fullmatch(value) else '"' + value.replace('"', '""') + '"'


def _nhx_value(title: str, value: str) -> str:
    if UNSAFE_IN_NHX.search(value):
        raise InputError(f"NHX cannot hold the value {value!r} of {title}; save the tree as .nwk or .nex")
    return value
