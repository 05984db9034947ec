"""Digests of a module together with all that it imports: what code compiled from it can have constants of.

Imports are read from the sources, wherever they stand in a file: at its top, in a function, or under
``TYPE_CHECKING``. They are followed through every source that is neither Python's own nor that of an installed
package; packages count with their ``__init__``. What is imported by a name that is computed is not seen.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_FOLDERS_OF_INSTALLED = {"site-packages", "dist-packages"}
_OWN = __name__.partition(".")[0]
_IMPORT = re.compile(
    r"(?:^|[;:])[ \t]*(?:"
    r"from\b[ \t]*(?P<module>[.\w \t]+?)[ \t]*\bimport\b[ \t]*(?P<names>\((?:[^)#]|#[^\n]*)*\)|[^\n#;]*)"
    r"|import[ \t]+(?P<modules>[^\n#;]*))",
    re.MULTILINE,
)
"""An import statement; what looks like one in a string does no harm. Parsing each file would take ten times as long."""
_NO_NAME = re.compile(r"#[^\n]*|[()]")


def module_name(path: Path, name: str) -> tuple[str, Path]:
    """The dotted name of a module and the folder of its top package.

    ``name`` is what the module calls itself; one that does not fit its place, as that of a script, is replaced by the
    file's own.
    """
    place, parts = path.with_suffix(""), name.split(".")
    if place.name == "__init__" and parts[-1] != "__init__":
        place = place.parent
    if place.parts[-len(parts) :] == tuple(parts):
        return name, place.parents[len(parts) - 1]
    if parts[0] == _OWN and place.parts[1 - len(parts) :] == tuple(parts[1:]):  # a checkout: beside its package
        return name, place.parents[len(parts) - 2]
    return path.stem, path.parent


def is_followed(top: str, root: Path) -> bool:
    """Whether a top package that lies in ``root`` belongs to a project, rather than to Python or to a package that was
    installed; this project does even where it was installed itself."""
    if top == _OWN:
        return True
    return top not in sys.stdlib_module_names and not _FOLDERS_OF_INSTALLED.intersection(root.parts)


@cache
def sources(name: str, root: Path) -> dict[str, Path]:
    """The files of a module and of all that it imports, by their dotted names; ``root`` holds its top package."""
    own = name.partition(".")[0]
    found: dict[str, Path] = {}
    left = list(_chain(name))
    while left:
        wanted = left.pop()
        top = wanted.partition(".")[0]
        path = None if wanted in found else _file(wanted, root if top == own else _root(top))
        if path is not None:
            found[wanted] = path
            left += imports(wanted, path)
    return found


def digest(name: str, root: Path) -> str:
    """A digest of the bytes of ``sources``, wherever they lie."""
    found = hashlib.sha256()
    for module, path in sorted(sources(name, root).items()):
        found.update(f"{module} {_file_digest(path)}\n".encode())
    return found.hexdigest()


def last_change(name: str, root: Path) -> float:
    """When one of the ``sources`` was last put in its place; seconds since the epoch."""
    return max((path.stat().st_ctime for path in sources(name, root).values()), default=0.0)


@cache
def imports(name: str, path: Path) -> frozenset[str]:
    """Names of all modules that a file may import; of ``from a import b`` both a and a.b."""
    text = path.read_text(encoding="utf-8", errors="replace").replace("\\\n", " ")
    package = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
    return frozenset(
        module for statement in _IMPORT.finditer(text) for full in _named(statement, package) for module in _chain(full)
    )


def _named(statement: re.Match[str], package: list[str]) -> Iterator[str]:
    if statement["modules"] is not None:
        yield from _split(statement["modules"])
        return
    written = "".join(statement["module"].split())
    module = written.lstrip(".")
    level = len(written) - len(module)
    base = [*package[: len(package) - level + 1], module] if level else [module]
    start = ".".join(filter(None, base))
    yield start
    yield from (f"{start}.{name}" for name in _split(statement["names"]))


def _split(names: str) -> Iterator[str]:
    """The names of ``a.b as c, d``."""
    for part in _NO_NAME.sub("", names).split(","):
        words = part.split()
        if words:
            yield words[0]


def _chain(name: str) -> Iterator[str]:
    """A module and the packages around it: a, a.b, a.b.c."""
    parts = name.split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts) + 1))


@cache
def _root(top: str) -> Path | None:
    """The folder that holds a top package, if its sources are followed."""
    if top in sys.stdlib_module_names:
        return None
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    places = [Path(place).parent for place in spec.submodule_search_locations or ()]
    root = places[0] if places else Path(spec.origin or "").parent
    return root if is_followed(top, root) else None


@cache
def _file(name: str, root: Path | None) -> Path | None:
    """The source of a module, if it is one."""
    if root is None or not name:
        return None
    parts = name.split(".")
    beside = [parts[1:]] if parts[0] == _OWN and len(parts) > 1 else []
    for place in (os.path.join(root, *names) for names in (parts, *beside)):
        for path in (os.path.join(place, "__init__.py"), f"{place}.py"):
            if os.path.isfile(path):
                return Path(path)
    return None


@cache
def _file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
