"""Where compiled code is kept: in a folder for each module and each state of all the sources that it depends on.

Numba looks only at the file of a compiled function to see whether its code is stale, but code has constants of other
modules in it. Here the folder is called by a digest of the module and of all that it imports (source_digest.py), so
that a change of any of them leads to new code, and equal sources share it, wherever they lie. What reaches a function
in another way, as an argument or in its closure, is part of the name of a file in that folder: a function or a class
stands there with the digest of its own module. (Numba's own description of a function differs in every process.)

    <user's cache folder>/antidiag/numba/<module>-<digest>/<function>-<line>.<Python>.<key>.nbc

Files are put in place whole, and each signature has one, so that processes that save at once never mix their code. One
that is about to compile waits for another that compiles the same, and loads what it saved.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import inspect
import io
import os
import pickle
import platform
import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import platformdirs
from numba.core import caching, types
from numba.core.dispatcher import Dispatcher

from antidiag.kernels.cpu import file_lock, source_digest

KEPT_S = 30 * 24 * 3600
"""How long a folder of compiled code is kept that no process uses."""
STARTED = time.time()
"""What changes later may not be what this process imported."""
VERSIONS = f"{numba.__version__} {llvmlite.__version__} {platform.python_implementation()} {sys.version}"
DIGITS = 16
OLD_PREFIX = "numba-"
"""How folders beside ours begin that earlier versions made, one for all modules."""


def own_root() -> Path:
    """The folder of all compiled code of this user; it may not exist yet."""
    return platformdirs.user_cache_path("antidiag") / "numba"


def folder_of(name: str, root: Path) -> Path:
    """The folder of a module's code; of one whose sources changed since the program began, one of this process alone,
    because the module in memory may be the old one."""
    folder = f"{name}-{_digest(name, root)}"
    if _has_changed(name, root):
        return _lasting() / folder
    return _prepared(Path(numba.config.CACHE_DIR or own_root()) / folder)


@cache
def _digest(name: str, root: Path) -> str:
    """A digest of a module's sources and of the compiler; nobody else's where the module in memory may be older."""
    if _has_changed(name, root):
        return uuid.uuid4().hex[:DIGITS]
    return hashlib.sha256(f"{VERSIONS} {source_digest.digest(name, root)}".encode()).hexdigest()[:DIGITS]


def _has_changed(name: str, root: Path) -> bool:
    return source_digest.last_change(name, root) > STARTED


@cache
def _prepared(folder: Path) -> Path:
    """The folder, or one that can be written to, marked as used now; a new one replaces forgotten ones."""
    new, found = not folder.exists(), _writable(folder)
    with contextlib.suppress(OSError):
        os.utime(found)
    if new and found == folder and folder.parent == own_root():
        _remove_forgotten(folder)
    return found


def _remove_forgotten(used: Path) -> None:
    """Remove the folders beside ``used``, and those of earlier versions, that no process has begun to use for so long.

    One that still runs does not mind: it compiles what it lacks, and makes the folder again when it saves.
    """
    for folder in (*used.parent.glob(f"*-{'?' * DIGITS}"), *used.parent.parent.glob(f"{OLD_PREFIX}*")):
        with contextlib.suppress(OSError):
            if folder != used and time.time() - folder.stat().st_mtime > KEPT_S:
                shutil.rmtree(folder, ignore_errors=True)


def _writable(folder: Path) -> Path:
    """The folder, or one that lasts as long as the program where nothing can be written to it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        instead = _lasting() / folder.name
        instead.mkdir(exist_ok=True)
        return instead


@cache
def _lasting() -> Path:
    lasting = tempfile.TemporaryDirectory(prefix="antidiag-numba-", ignore_cleanup_errors=True)
    atexit.register(lasting.cleanup)
    return Path(lasting.name)


class _BySources(caching._CacheLocator):
    """Leads Numba to the folder of a function's module."""

    def __init__(self, function: Any, file: str, folder: Path) -> None:
        self._line, self._folder = function.__code__.co_firstlineno, folder
        self._py_file = file  # which Numba names where it warns of code that it cannot keep

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _BySources | None:
        module = _module_of(py_func)
        return None if module is None else cls(py_func, py_file, folder_of(*module))


def _module_of(thing: Any) -> tuple[str, Path] | None:
    """Name and root of the module that a function or a class is from, if it is one whose sources are followed."""
    name = thing.__module__
    file = thing.__code__.co_filename if inspect.isfunction(thing) else getattr(sys.modules.get(name), "__file__", None)
    if name is None or file is None or not file.endswith(".py") or not os.path.isfile(file):
        return None
    name, root = source_digest.module_name(Path(file).absolute(), name)
    return (name, root) if source_digest.is_followed(name.partition(".")[0], root) else None


class _Files(caching.IndexDataCacheFile):
    """A file for each signature, and no index of them, which two processes could write at once."""

    def save(self, key: str, data: Any) -> None:
        self._save_data(self._name(key), data)

    def load(self, key: str) -> Any:
        with contextlib.suppress(FileNotFoundError):
            return self._load_data(self._name(key))
        return None

    def flush(self) -> None:
        for path in Path(self._cache_path).glob(f"{self._stem}.*.nbc"):
            path.unlink(missing_ok=True)

    @property
    def _stem(self) -> str:
        return self._index_name.removesuffix(".nbi")

    def path(self, key: str) -> Path:
        """Where the code of a signature is kept."""
        return Path(self._data_path(self._name(key)))

    def _name(self, key: str) -> str:
        stamp = hashlib.sha256(repr((self._source_stamp, key)).encode()).hexdigest()
        return f"{self._stem}.{stamp[:DIGITS]}.nbc"


class _Located(caching.CompileResultCacheImpl):
    _locator_classes = [_BySources, *caching.CacheImpl._locator_classes]


class Cache(caching.FunctionCache):
    """Numba's cache of a function, by sources.

    A disk that is full, or goes away, costs compiling again and never a run.
    """

    _impl_class = _Located

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        locator = self._impl.locator
        self._cache_file = _Files(locator.get_cache_path(), self._impl.filename_base, locator.get_source_stamp())
        self._locked: set[Path] = set()

    @contextlib.contextmanager
    def alone(self, sig: Any, target_context: Any) -> Iterator[None]:
        """Nobody else compiles the same; where code is kept already, that is no matter.

        Under Numba's lock of its compiler, so that threads of this process come here one after another. Processes do
        not wait in a circle, because none of our functions calls one that calls it.
        """
        path = self._cache_file.path(self._index_key(sig, target_context.codegen()))
        if path in self._locked or path.exists():
            yield
            return
        self._locked.add(path)
        try:
            with file_lock.held(path.with_suffix(".lock")):
                yield
        finally:
            self._locked.remove(path)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """As Numba's; what cannot be read is compiled again."""
        with contextlib.suppress(OSError):
            return super().load_overload(sig, target_context)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """As Numba's; what cannot be written is compiled again next time."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)

    def _index_key(self, sig: Any, codegen: Any) -> str:
        described = description((sig, codegen.magic_tuple(), _held(self._py_func)))
        return hashlib.sha256(described).hexdigest()


def description(thing: Any) -> bytes:
    """What a signature or a closure is made of: the same in every process and checkout as long as it means the same."""
    written = io.BytesIO()
    pickler = _Describing(written, protocol=4)
    pickler.fast = True  # objects that are equal are written alike, whether or not they are the same
    pickler.dump(thing)
    return written.getvalue()


def _is(thing: Any, kind: type) -> bool:
    """As isinstance, without asking the hundreds of abstract classes of Numba's types, which takes 60 ms at first."""
    return kind in type(thing).__mro__


class _Describing(pickle.Pickler):
    """Writes functions, classes and types of Numba by what they are, and by the sources that they depend on."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._seen: set[Any] = set()

    def reducer_override(self, thing: Any) -> Any:
        if _is(thing, types.Dispatcher):
            thing = thing.dispatcher
        if _is(thing, types.Type):
            return tuple, ((type(thing), thing.key),)
        thing = thing.py_func if isinstance(thing, Dispatcher) else getattr(thing, "_defn", thing)  # of an intrinsic
        if inspect.isfunction(thing):
            return tuple, ((*self._function(thing),),)
        if inspect.isclass(thing) and (module := _module_of(thing)) is not None:
            return tuple, ((thing.__module__, thing.__qualname__, _digest(*module)),)
        return NotImplemented

    def _function(self, function: Any) -> Iterator[Any]:
        yield from (function.__module__, function.__qualname__, function.__code__.co_firstlineno)
        if function not in self._seen:  # it may be in its own closure
            self._seen.add(function)
            module = _module_of(function)
            typed_in = function.__code__.co_filename.startswith("<")
            yield uuid.uuid4().hex if typed_in else module and _digest(*module)
            yield _held(function)


def _held(function: Any) -> tuple:
    """What a function took with it when it was defined."""
    cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
    return cells, function.__defaults__, function.__kwdefaults__
