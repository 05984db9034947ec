"""Compressed files: gzip, bzip2, xz, zstd and zip, in and out.

The first bytes decide how a file is unpacked, the suffix how it is packed. A file in a zip archive has a path of its
own: that of the archive, and then its name there.
"""

from __future__ import annotations

import bz2
import errno
import functools
import gzip
import importlib
import io
import lzma
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, NoReturn, cast

from antidiag.kernels import memory
from antidiag.kernels.errors import InputError
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.text import format_count

ZIP = b"PK\x03\x04"
EMPTY_ZIP = b"PK\x05\x06"
OFFICE_MEMBERS = ("[Content_Types].xml", "mimetype")
"""Files that documents of office programs hold."""
MAX_MEMBERS = 1000
"""Files that are read from an archive at most."""
SHOWN_MEMBERS = 5
"""Names of an archive that a message lists."""
ENCRYPTED = 1
"""The flag of a file in an archive that needs a password."""


class Packing(NamedTuple):
    """A program that compresses one file: its first bytes, the suffixes of its files, and how Python opens them."""

    label: str
    magic: bytes
    suffixes: tuple[str, ...]
    open_stream: Callable[..., Any]
    """Takes the compressed stream and the mode, "rb" or "wb"."""


def _zstd() -> Any:
    """Return the module that reads zstd: that of Python from 3.14 on, else the package."""
    try:
        return importlib.import_module("compression.zstd")
    except ImportError:
        pass
    try:
        return importlib.import_module("backports.zstd")
    except ImportError:
        raise InputError(
            "zstd files need the package backports.zstd; install it with: pip install backports.zstd"
        ) from None


def _open_zstd(raw: IO[bytes], mode: str) -> Any:
    """Open a zstd stream; what is written has checksums, without which damage is not noticed."""
    zstd = _zstd()
    return zstd.ZstdFile(raw, mode, options={zstd.CompressionParameter.checksum_flag: 1} if mode == "wb" else None)


PACKINGS = (
    Packing("gzip", b"\x1f\x8b", (".gz", ".bgz"), lambda raw, mode: gzip.GzipFile("", mode, fileobj=raw)),
    Packing("bzip2", b"BZh", (".bz2",), bz2.BZ2File),
    Packing("xz", b"\xfd7zXZ", (".xz",), lzma.LZMAFile),
    Packing("zstd", b"\x28\xb5\x2f\xfd", (".zst", ".zstd"), _open_zstd),
)
LABELS = {suffix: packing.label for packing in PACKINGS for suffix in packing.suffixes} | {".zip": "zip"}
"""Names of the programs by the suffixes of their files."""


def is_packed(path: Path) -> bool:
    """Return whether the name of a file says that it is compressed."""
    return path.suffix.lower() in LABELS


def format_suffix(path: Path) -> str:
    """Return the suffix that names the format: in lower case, without that of compression."""
    return (Path(path.stem) if is_packed(path) else path).suffix.lower()


def format_stem(path: Path) -> str:
    """Return the name of a file without the suffixes of its format and of compression."""
    return Path(path.stem).stem if is_packed(path) else path.stem


def describe_packing(head: bytes) -> str:
    """Return the name of the program that compressed a file with these first bytes; "" where none did."""
    if head.startswith((ZIP, EMPTY_ZIP)):
        return "zip"
    return next((packing.label for packing in PACKINGS if head.startswith(packing.magic)), "")


@contextmanager
def open_file(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file, or a file in a zip archive, as bytes that are still compressed by other programs.

    OSError where there is none, InputError where the archive cannot be read.
    """
    archive = archive_of(path)
    if archive is None:
        with open(path, "rb") as handle:
            yield handle
        return
    with _packing_errors(str(archive), "zip"), zipfile.ZipFile(archive) as opened:
        found = dict(_list_files(opened, archive)).get(path)
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        with _open_member(opened, found, str(path)) as handle:
            yield handle


@contextmanager
def open_unpacked(raw: io.BufferedReader, source: str) -> Iterator[tuple[IO[bytes], bool]]:
    """Yield the unpacked content of a stream, and whether it was packed.

    A zip archive must hold one file. InputError where the content is damaged, and where there are several files.
    """
    magic = raw.peek(6)[:6]
    if magic.startswith((ZIP, EMPTY_ZIP)):
        with (
            _packing_errors(source, "zip"),
            zipfile.ZipFile(_seekable(raw, source)) as archive,
            _open_member(archive, _only_file(archive, source), source) as member,
            open_unpacked(member, source) as (inner, _),
        ):
            yield inner, True
        return
    packing = next((one for one in PACKINGS if magic.startswith(one.magic)), None)
    if packing is None:
        yield raw, False
        return
    with _packing_errors(source, packing.label), packing.open_stream(raw, "rb") as handle:
        yield handle, True


def pack(raw: IO[bytes], path: Path) -> AbstractContextManager[IO[bytes]]:
    """Return a stream whose bytes are compressed into ``raw`` as the suffix of the path says."""
    suffix = path.suffix.lower()
    if suffix == ".zip":
        return _pack_zip(raw, path.stem)
    packing = next((one for one in PACKINGS if suffix in one.suffixes), None)
    return _keep_open(raw) if packing is None else packing.open_stream(raw, "wb")


def list_files(path: Path) -> list[Path]:
    """Return the paths of the files in a zip archive, in its order; for every other file its own path.

    InputError where the archive is empty, damaged, encrypted, a document of an office program, or larger than the
    user's limit when unpacked.
    """
    if not os.path.isfile(path) or not _is_zip(path):
        return [path]
    with _packing_errors(str(path), "zip"), zipfile.ZipFile(path) as archive:
        found = _list_files(archive, path)
        _check_size(sum(info.file_size for _, info in found), str(path))
    if not found:
        raise InputError(f"{path}: the zip archive has no files; pack it again")
    if len(found) > MAX_MEMBERS:
        raise InputError(
            f"{path}: the zip archive has {len(found):,} files, and at most {MAX_MEMBERS:,} are read; unpack it and "
            "give those that you want"
        )
    return [member for member, _ in found]


def reads_each_file(read: Callable[..., Any]) -> Callable[..., Any]:
    """Make a reader of a file read all files of a zip archive, one after another; the first datum says so."""

    @functools.wraps(read)
    def read_all(path: str | Path, *rest: Any, **options: Any) -> Any:
        paths = list_files(Path(path))
        if len(paths) == 1:
            return read(paths[0], *rest, **options)
        return note_files([datum for one in paths for datum in read(one, *rest, **options)], paths)

    return read_all


def note_files(data: list[Any], paths: list[Path]) -> list[Any]:
    """Return data of an archive; the note of the first one names the files that were read."""
    archive = archive_of(paths[0])
    if len(paths) == 1 or archive is None or not data:
        return data
    said = f"read {len(paths):,} files of {archive.name}: {_join_names(path.relative_to(archive) for path in paths)}"
    return [replace(data[0], note="; ".join(filter(None, (data[0].note, said)))), *data[1:]]


def refuse_bomb(raw: IO[bytes], source: str, limit: int) -> NoReturn:
    """Raise InputError for unpacking more than the limit; the end of a gzip file may say how much it is."""
    stated = 0
    if raw.seekable():
        raw.seek(0)
        if raw.read(2) == PACKINGS[0].magic:
            raw.seek(-4, io.SEEK_END)
            stated = int.from_bytes(raw.read(4), "little")
    _refuse_size(stated if stated > limit else 0, source, limit)


def _is_zip(path: Path) -> bool:
    """Return whether a file begins as a zip archive; False where it cannot be read, which its reader will say."""
    try:
        with open(path, "rb") as handle:
            return handle.read(4).startswith((ZIP, EMPTY_ZIP))
    except OSError:
        return False


def archive_of(path: Path) -> Path | None:
    """Return the zip archive that holds the file of this path; None for other files."""
    if os.path.lexists(path):
        return None
    found = next((parent for parent in path.parents if os.path.isfile(parent)), None)
    return found if found is not None and zipfile.is_zipfile(found) else None


def _list_files(archive: zipfile.ZipFile, path: Path) -> list[tuple[Path, zipfile.ZipInfo]]:
    """Return the files of an archive with their paths; not folders, hidden files, and what macOS adds."""
    infos = [info for info in archive.infolist() if not info.is_dir()]
    names = [PurePosixPath(info.filename).parts for info in infos]
    if any(parts[-1:] == (name,) for parts in names for name in OFFICE_MEMBERS):
        raise InputError(f"{path}: this is a document of an office program; save its sequences as plain text")
    return [
        (path.joinpath(*(part for part in parts if part not in ("/", ".."))), info)
        for parts, info in zip(names, infos, strict=True)
        if parts and parts[0] != "__MACOSX" and not parts[-1].startswith(".")
    ]


def _only_file(archive: zipfile.ZipFile, source: str) -> zipfile.ZipInfo:
    """Return the only file of an archive; InputError with the names where there are several."""
    found = _list_files(archive, Path(source))
    if len(found) == 1:
        return found[0][1]
    if not found:
        raise InputError(f"{source}: the zip archive has no files; pack it again")
    names = _join_names(member.relative_to(source) for member, _ in found)
    advice = f"give one of them, as {found[0][0]}" if os.path.exists(source) else "save the archive and give the file"
    raise InputError(f"{source}: the zip archive has {len(found):,} files: {names}; {advice}")


@contextmanager
def _open_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, source: str) -> Iterator[io.BufferedReader]:
    if info.flag_bits & ENCRYPTED:
        raise InputError(f"{source}: {info.filename} needs a password; unpack it first")
    _check_size(info.file_size, source)
    with archive.open(info) as member:
        yield io.BufferedReader(cast(io.RawIOBase, member))


def _seekable(raw: io.BufferedReader, source: str) -> IO[bytes]:
    """Return a stream that can be read from its end, where an archive has its list of files."""
    if raw.seekable():
        return raw
    limit = memory.unpacked_limit()
    data = raw.read(limit + 1)
    if len(data) > limit:
        _refuse_size(0, source, limit)
    return io.BytesIO(data)


def _check_size(size: int, source: str) -> None:
    """Raise InputError for more bytes than may be unpacked."""
    if size > (limit := memory.unpacked_limit()):
        _refuse_size(size, source, limit)


def _refuse_size(size: int, source: str, limit: int) -> NoReturn:
    stated = f" ({format_bytes(size)} by its own account)" if size else ""
    raise InputError(
        f"{source}: compressed input may hold at most {format_bytes(limit)}, and this holds more{stated}; if it is "
        f"trusted, raise the limit in the Preferences, or with {memory.UNPACKED_VARIABLE}=N, in GiB"
    )


@contextmanager
def _packing_errors(source: str, label: str) -> Iterator[None]:
    """Turn the errors of damaged compressed files into InputError."""
    damaged: tuple[type[Exception], ...] = (OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
    if label == "zstd":
        damaged += (_zstd().ZstdError,)
    try:
        yield
    except EOFError:
        raise InputError(f"{source}: the {label} file is truncated; fetch or copy it again") from None
    except NotImplementedError:
        raise InputError(
            f"{source}: this {label} file uses a method of compression that is not known here; unpack it first"
        ) from None
    except damaged as error:
        if isinstance(error, OSError) and (error.errno is not None or isinstance(error, io.UnsupportedOperation)):
            raise
        raise InputError(f"{source}: the {label} file is damaged or cut short; fetch or copy it again") from None


@contextmanager
def _pack_zip(raw: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    with (
        zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(name, "w", force_zip64=True) as member,
    ):
        yield member


@contextmanager
def _keep_open(raw: IO[bytes]) -> Iterator[IO[bytes]]:
    yield raw


def _join_names(paths: Iterator[Path]) -> str:
    names = [str(path) for path in paths]
    more = f" and {format_count(len(names) - SHOWN_MEMBERS, 'more file')}" if len(names) > SHOWN_MEMBERS else ""
    return ", ".join(names[:SHOWN_MEMBERS]) + more
