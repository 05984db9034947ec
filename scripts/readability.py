"""Report how readable the code is: sizes, one-word names, repeated class names, missing docstrings.

``python scripts/readability.py [FOLDER]`` prints one table for ``kernels`` and ``app`` with the goal of each figure.
It is a report and always succeeds.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

PARTS = ("kernels", "app")
VERB_LIST = """
add align append build cancel check clear close compile copy count decode delete draw encode execute export extend find
format import insert load main map measure merge move open paint parse pause plan play plot read redo refresh remove
rename reset restore resume run save score search show sort start stop update validate wait write undo zoom
"""
TRUE_VERBS = frozenset(VERB_LIST.split())
"""Verbs that are complete names, because the class or module says their object."""
QT_VIRTUAL = frozenset(("event", "paint", "data", "flags", "index", "parent", "shape", "validate", "fixup", "accept"))
"""Methods of Qt whose names have no capital letter."""
QT_BASE = re.compile(r"Q[A-Z]|(AxisItem|GraphicsObject|PlotItem|PlotWidget|ViewBox)$")
"""The beginning of the names of classes of Qt, and classes of pyqtgraph that derive from them."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class PartFigures:
    """What is counted in one part of the program."""

    lines: int = 0
    functions: int = 0
    one_word: list[str] = field(default_factory=list)
    undocumented: list[str] = field(default_factory=list)
    told_lines: int = 0
    fmt_skips: int = 0


def is_one_word(name: str) -> bool:
    """Return whether a function name is a single word and not a true verb."""
    bare = name.strip("_")
    return "_" not in bare and bare == bare.lower() and bare not in TRUE_VERBS


def base_names(node: ast.ClassDef) -> list[str]:
    """Return the last parts of the names of a class's bases: ``QtWidgets.QWidget`` gives ``QWidget``."""
    return [ast.unparse(base).split("[")[0].split(".")[-1] for base in node.bases]


def find_qt_classes(trees: list[ast.Module]) -> set[str]:
    """Return the names of classes that derive from a class of Qt, directly or through classes of the program."""
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    found: set[str] = set()
    while more := {node.name for node in classes if derives_from_qt(node, found)} - found:
        found |= more
    return found


def derives_from_qt(node: ast.ClassDef, qt_classes: Collection[str]) -> bool:
    """Return whether a base of a class is a class of Qt or one of these classes of the program."""
    return any(QT_BASE.match(base) or base in qt_classes for base in base_names(node))


def iterate_definitions(
    node: ast.AST, path: tuple[str, ...] = (), in_qt: bool = False, qt_classes: frozenset[str] = frozenset()
) -> Iterator[tuple[Function | ast.ClassDef, tuple[str, ...], bool]]:
    """Yield every function and class below a node, with the names around it and whether its class is one of Qt."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield child, path, in_qt and isinstance(node, ast.ClassDef)
            is_qt = isinstance(child, ast.ClassDef) and derives_from_qt(child, qt_classes)
            yield from iterate_definitions(child, (*path, child.name), is_qt, qt_classes)
        else:
            yield from iterate_definitions(child, path, in_qt, qt_classes)


def is_public(names: tuple[str, ...]) -> bool:
    """Return whether no name of a path is private."""
    return not any(name.startswith("_") for name in names)


def is_qt_override(name: str) -> bool:
    """Return whether a method of a class of Qt has a name of Qt."""
    return name != name.lower() or name in QT_VIRTUAL


def count_part(files: dict[str, str]) -> tuple[PartFigures, Counter[str]]:
    """Return the figures of some files, given as texts by path, and how often each public class name is defined."""
    figures, class_names = PartFigures(), Counter[str]()
    trees = {path: ast.parse(text) for path, text in files.items()}
    qt_classes = frozenset(find_qt_classes(list(trees.values())))
    for path, text in files.items():
        lines = text.splitlines()
        figures.lines += len(lines)
        figures.told_lines += sum(bool(re.search(r"\btold\b|_told\b|\btold_", line, re.IGNORECASE)) for line in lines)
        figures.fmt_skips += sum("# fmt: skip" in line for line in lines)
        for node, around, is_qt in iterate_definitions(trees[path], qt_classes=qt_classes):
            if isinstance(node, ast.ClassDef):
                class_names[node.name] += is_public((node.name,)) and not around
                continue
            if (node.name.startswith("__") and node.name.endswith("__")) or (is_qt and is_qt_override(node.name)):
                continue
            place = f"{path}:{node.lineno} {'.'.join((*around, node.name))}"
            figures.functions += 1
            if is_one_word(node.name):
                figures.one_word.append(place)
            if is_public((*around, node.name)) and not _is_nested(trees[path], node) and not ast.get_docstring(node):
                figures.undocumented.append(place)
    return figures, class_names


def _is_nested(tree: ast.Module, node: Function) -> bool:
    """Return whether a function is defined inside another function."""
    owners: list[ast.Module | ast.ClassDef] = [tree, *(one for one in tree.body if isinstance(one, ast.ClassDef))]
    return not any(node in owner.body for owner in owners)


def make_table(parts: dict[str, PartFigures], class_names: Counter[str]) -> list[tuple[str, ...]]:
    """Return the rows of the report: name, a figure for each part, goal."""
    repeated = sum(count > 1 for count in class_names.values())
    every = list(parts.values())
    shares = [f"{len(one.one_word) / max(one.functions, 1):.0%} of {one.functions:,}" for one in every]
    return [
        ("", *parts, "goal"),
        ("lines", *(f"{one.lines:,}" for one in every), "12 % fewer"),
        ("functions with a one-word name", *shares, "< 20%"),
        ("public class names that occur twice", f"{repeated} in all", *[""] * (len(parts) - 1), "0"),
        ("public functions without a docstring", *(f"{len(one.undocumented):,}" for one in every), "0"),
        ("lines with the word told", *(f"{one.told_lines:,}" for one in every), "0"),
        ("fmt: skip", *(f"{one.fmt_skips:,}" for one in every), "< 100 in all"),
    ]


def read_files(folder: Path) -> dict[str, str]:
    """Return the texts of the Python files of a folder by path."""
    return {str(path): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))}


def main(arguments: list[str] | None = None) -> int:
    """Print the table, or with ``--list FOLDER`` the one-word names of a folder."""
    given = sys.argv[1:] if arguments is None else arguments
    root = Path(__file__).resolve().parents[1]
    if given[:1] == ["--list"]:
        print("\n".join(count_part(read_files(Path(given[1])))[0].one_word))
        return 0
    parts, class_names = {}, Counter[str]()
    for name in PARTS:
        parts[name], own = count_part(read_files((Path(given[0]) if given else root) / name))
        class_names += own
    for row in make_table(parts, class_names):
        print(f"{row[0]:38s}" + "".join(f"{cell:>18s}" for cell in row[1:]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
