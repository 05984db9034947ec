"""Damaged files made of real ones: pure functions from bytes to bytes, for whoever attacks a reader.

What is packed (gzip, zip) is half of the time damaged inside and packed again, so that checksums do not hide the
readers behind them; JSON is half of the time changed as a tree, so that it stays JSON.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from numpy.random import Generator

from tests.attack.repetition import repeat

Mutation = Callable[[bytes, Generator], bytes]

MOST_AT_ONCE = 4
"""Mutations that one file gets."""
REPEATED = 0.08
"""Share of files in which one thing stands very often, and nothing else is wrong."""
LARGEST = 1 << 20
"""Bytes of a damaged file, unless the real one is larger."""
LONG, DEEP = 140_000, 100_000
"""Letters of a long field, longer than the largest that the csv module takes; and how deep nesting goes."""

NUMBER = re.compile(rb"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
FIELD = re.compile(rb"[^\s,;:\"'=<>()\[\]{}]+")
SPACE = re.compile(rb"[ \t,;]+")
BRACKETS = {b"(": b")", b"[": b"]", b"{": b"}", b"<a>": b"</a>"}

NUMBERS = (
    b"0", b"-0", b"-1", b"1", b"2", b"1.5", b"-3", b"NaN", b"nan", b"inf", b"-inf", b"Infinity", b"1e308", b"1e309",
    b"-1e400", b"1e-400", b"4294967296", b"2147483648", b"-2147483649", b"9223372036854775808",
    b"18446744073709551616", b"99999999999999999999999999", b"1_000", b"0x10", b"1,5", b"1.", b".5", b".", b"-", b"+",
    b"1e", b"1e+", b"--1", b"1" + b"0" * 400, b"9" * 5000, b"0." + b"0" * 400 + b"1", b"1." + b"0" * 60 + b"e+05",
    b"true", b"null", b"\"1\"", "\u0663".encode(), "\u00bd".encode(), b"1\0", b"50000", b"100000", b"1000000000",
)  # fmt: skip
"""What may stand in the place of a number."""

STRANGE = (
    b"", b" ", b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x1a", b"\x1b[31m", b"\x7f", b"\x85", b"\x0b", b"\x0c",
    b"\xef\xbb\xbf", "\u2028".encode(), "\u202e".encode(), "\u00e9".encode(), "\U0001f9ec".encode(), b"'", b"''", b'"',
    b'""', b"[", b"]", b"(", b")", b";", b",", b":", b"=", b"%", b"%s", b"{}", b"#", b">", b"*", b"-", b".", b"?",
    b"\\", b"/", b"//", b"../../x", b"&amp;", b"&x;", b"<", b"<!--", b"]]>", b"\\ud800", b"NaN", b"None", b"__class__",
    b"\t", b"\n", b"\n\n", b"\r", b"\r\n", b"ID   ", b"LOCUS", b"ORIGIN", b"CLUSTAL", b"#NEXUS", b"BEGIN TREES;",
    b"END;", b"# STOCKHOLM 1.0", b"%%MatrixMarket", b"\x1f\x8b",
)  # fmt: skip
"""What may stand in the place of a word, or between two."""

BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 1.5, 10**25, 10**400, float("nan"), float("inf"), "", "1", "x", "\ud800", "\0",
    "x" * LONG, [], {}, [[]], [None], {"": None}, ["a", "a"], [0, 0], {"class": "graph", "fields": {}},
    {"array": "arrays/0.npy"}, {"tuple": []}, {"sequence": 10**9}, {"enum": "mode", "value": 0}, {"mapping": []},
    {"bytes": 0},
)  # fmt: skip
"""What may stand in the place of a value of JSON."""


def mutate(data: bytes, random: Generator) -> bytes:
    """The bytes with one to four faults, or one thing very often; the same for the same state of ``random``."""
    largest = max(LARGEST, len(data))
    inner = _inside(data)
    if inner is not None and random.random() < 0.5:
        return inner(data, random)
    if random.random() < REPEATED:
        return repeat(data, random)
    for _ in range(int(random.integers(1, MOST_AT_ONCE + 1))):
        mutation = _one_of(MUTATIONS, random)
        data = mutation(data, random)[:largest]
    return data


def flip_bytes(data: bytes, random: Generator) -> bytes:
    """Up to eight bytes replaced by any others."""
    changed = bytearray(data)
    for _ in range(int(random.integers(1, 9))):
        if changed:
            changed[int(random.integers(len(changed)))] = int(random.integers(256))
    return bytes(changed)


def flip_bits(data: bytes, random: Generator) -> bytes:
    """Up to eight bits turned."""
    changed = bytearray(data)
    for _ in range(int(random.integers(1, 9))):
        if changed:
            changed[int(random.integers(len(changed)))] ^= 1 << int(random.integers(8))
    return bytes(changed)


def cut_end(data: bytes, random: Generator) -> bytes:
    """Without its end."""
    return data[: _place(data, random)]


def cut_start(data: bytes, random: Generator) -> bytes:
    """Without its start."""
    return data[_place(data, random) :]


def cut_out(data: bytes, random: Generator) -> bytes:
    """Without a piece."""
    start, end = sorted((_place(data, random), _place(data, random)))
    return data[:start] + data[end:]


def repeat_piece(data: bytes, random: Generator) -> bytes:
    """A piece of up to 200 bytes stands there twice, or very often."""
    start = _place(data, random)
    piece = data[start : start + int(random.integers(1, 200))]
    return data[:start] + piece * int(random.choice([2, 3, 50, 1000])) + data[start:]


def swap_pieces(data: bytes, random: Generator) -> bytes:
    """Two pieces change places."""
    a, b, c, d = sorted(_place(data, random) for _ in range(4))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def repeat_line(data: bytes, random: Generator) -> bytes:
    """A line stands there twice, or a few hundred times."""
    lines, at = _line(data, random)
    lines[at:at] = [lines[at]] * int(random.choice([1, 1, 2, 300]))
    return b"\n".join(lines)


def delete_line(data: bytes, random: Generator) -> bytes:
    """Without a line."""
    lines, at = _line(data, random)
    del lines[at]
    return b"\n".join(lines)


def swap_lines(data: bytes, random: Generator) -> bytes:
    """Two lines change places."""
    lines, one = _line(data, random)
    other = int(random.integers(len(lines)))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def keep_lines(data: bytes, random: Generator) -> bytes:
    """The first one to three lines alone, with or without the last line end."""
    kept = b"\n".join(data.split(b"\n")[: int(random.integers(1, 4))])
    return kept + _one_of((b"", b"\n", b"\n\n"), random)


def join_lines(data: bytes, random: Generator) -> bytes:
    """A line end is gone, or a blank."""
    lines, at = _line(data, random)
    lines[at : at + 2] = [_one_of((b"", b" "), random).join(lines[at : at + 2])]
    return b"\n".join(lines)


def indent_line(data: bytes, random: Generator) -> bytes:
    """A line begins with blanks, or ends with them."""
    lines, at = _line(data, random)
    lines[at] = _one_of((b" " + lines[at], b"\t" + lines[at], lines[at] + b" \t", b"     "), random)
    return b"\n".join(lines)


def repeat_field(data: bytes, random: Generator) -> bytes:
    """A word of a line stands there twice."""
    return _in_a_line(data, random, lambda words, at: words[: at + 1] + words[at:])


def delete_field(data: bytes, random: Generator) -> bytes:
    """A line without one of its words."""
    return _in_a_line(data, random, lambda words, at: words[:at] + words[at + 1 :])


def swap_fields(data: bytes, random: Generator) -> bytes:
    """A word of a line and the last one change places."""
    return _in_a_line(data, random, lambda words, at: [*words[:at], words[-1], *words[at + 1 : -1], words[at]])


def strange_number(data: bytes, random: Generator) -> bytes:
    """A number replaced by one that is huge, is not there, or only looks like one."""
    return _replaced(data, NUMBER, NUMBERS, random)


def strange_word(data: bytes, random: Generator) -> bytes:
    """A word replaced by what is none."""
    return _replaced(data, FIELD, STRANGE, random)


def long_field(data: bytes, random: Generator) -> bytes:
    """A word made 140,000 letters long."""
    found = _match(data, FIELD, random)
    place = found.end() if found else len(data)
    return data[:place] + (_one_of((b"A", b"1", b"x", b" ", b"-"), random) * LONG) + data[place:]


def insert(data: bytes, random: Generator) -> bytes:
    """Something strange, anywhere: control characters, bytes that are no UTF-8, marks of other formats."""
    place = _place(data, random)
    return data[:place] + _one_of(STRANGE + NUMBERS, random) + data[place:]


def nest(data: bytes, random: Generator) -> bytes:
    """Brackets within brackets, a hundred thousand deep, closed or not."""
    place, opening = _place(data, random), _one_of(tuple(BRACKETS), random)
    depth = int(random.choice([10, 2000, DEEP]))
    closing = BRACKETS[opening] * depth if random.random() < 0.7 else b""
    return data[:place] + opening * depth + closing + data[place:]


def other_line_ends(data: bytes, random: Generator) -> bytes:
    """The line ends of Windows or of the old Macintosh, everywhere."""
    return data.replace(b"\n", _one_of((b"\r\n", b"\r", b"\n\n", b"\n\r", b"\x85", b"\x0b"), random))


def byte_order_mark(data: bytes, random: Generator) -> bytes:
    """A byte order mark in front."""
    return _one_of(BYTE_ORDER_MARKS, random) + data


def other_encoding(data: bytes, random: Generator) -> bytes:
    """The same text in UTF-16 or UTF-32, with or without a mark."""
    return data.decode("latin-1").encode(_one_of(("utf-16", "utf-16-le", "utf-16-be", "utf-32"), random))


def pack(data: bytes, random: Generator) -> bytes:
    """Packed with gzip, whole, cut, twice, or with something behind it."""
    packed = gzip.compress(data, 1, mtime=0)
    cut = packed[: int(random.integers(1, len(packed)))]
    return _one_of((packed, cut, gzip.compress(packed, 1, mtime=0), packed + b"x", packed + packed), random)


MUTATIONS: tuple[Mutation, ...] = (
    flip_bytes, flip_bits, cut_end, cut_start, cut_out, repeat_piece, swap_pieces, repeat_line, delete_line,
    swap_lines, keep_lines, join_lines, indent_line, repeat_field, delete_field, swap_fields, strange_number,
    strange_number, strange_word, strange_word, long_field, insert, nest, other_line_ends, byte_order_mark,
    other_encoding, pack,
)  # fmt: skip


def _inside(data: bytes) -> Mutation | None:
    """How to damage what is within, where the bytes are packed, or JSON."""
    if data.startswith(b"\x1f\x8b"):
        return _inside_gzip
    if data.startswith(b"PK\x03\x04"):
        return _inside_zip
    if data.lstrip()[:1] == b"{":
        return _inside_json_lines if b"}\n{" in data else _inside_json
    return None


def _inside_gzip(data: bytes, random: Generator) -> bytes:
    try:
        return gzip.compress(mutate(gzip.decompress(data), random), 1, mtime=0)
    except (OSError, EOFError, zlib.error):
        return flip_bytes(data, random)


def _inside_zip(data: bytes, random: Generator) -> bytes:
    """One member damaged, and all packed again with checksums that fit."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as source:
            members = {name: source.read(name) for name in source.namelist()}
    except (zipfile.BadZipFile, OSError, EOFError, zlib.error, NotImplementedError):
        return flip_bytes(data, random)
    if not members:
        return data
    name = _one_of(tuple(sorted(members)), random)
    members[name] = mutate(members[name], random)
    if random.random() < 0.1:
        del members[name]
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as written:
        for name, content in members.items():
            written.writestr(name, content)
    return target.getvalue()


def _inside_json(data: bytes, random: Generator) -> bytes:
    """One value of the tree is another, a key is gone, or another value has its place."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return flip_bytes(data, random)
    places = list(_places(tree))
    if not places:
        return data
    parent, key = places[int(random.integers(len(places)))]
    choice = random.random()
    if choice < 0.15:
        del parent[key]
    elif choice < 0.35:
        other, there = places[int(random.integers(len(places)))]
        if other is not parent:
            parent[key] = json.loads(json.dumps(other[there]))
    else:
        parent[key] = _one_of(VALUES, random)
    return json.dumps(tree).encode()


def _inside_json_lines(data: bytes, random: Generator) -> bytes:
    """One line changed as a tree."""
    lines, at = _line(data, random)
    lines[at] = _inside_json(lines[at], random) if lines[at].strip() else b"{}"
    return b"\n".join(lines)


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Every value of a tree, as what holds it and the key or the number there."""
    waiting = [tree]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict | list):
            for key in list(found) if isinstance(found, dict) else range(len(found)):
                yield found, key
                waiting.append(found[key])


def _replaced(data: bytes, pattern: re.Pattern[bytes], others: tuple[bytes, ...], random: Generator) -> bytes:
    found = _match(data, pattern, random)
    return data[: found.start()] + _one_of(others, random) + data[found.end() :] if found else data


def _match(data: bytes, pattern: re.Pattern[bytes], random: Generator) -> re.Match[bytes] | None:
    """The first match behind any place, of the first thousand bytes half of the time: heads have most to say."""
    limit = min(len(data), 1000) if random.random() < 0.5 else len(data)
    return pattern.search(data, int(random.integers(limit + 1))) or pattern.search(data)


def _in_a_line(data: bytes, random: Generator, change: Callable[[list[bytes], int], list[bytes]]) -> bytes:
    lines, at = _line(data, random)
    words = SPACE.split(lines[at])
    mark = SPACE.search(lines[at])
    lines[at] = (mark[0] if mark else b" ").join(change(words, int(random.integers(len(words)))))
    return b"\n".join(lines)


def _line(data: bytes, random: Generator) -> tuple[list[bytes], int]:
    """All lines, and the number of any; of one of the first five in half of the cases."""
    lines = data.split(b"\n")
    return lines, int(random.integers(min(len(lines), 5) if random.random() < 0.5 else len(lines)))


def _place(data: bytes, random: Generator) -> int:
    return int(random.integers(len(data) + 1))


def _one_of(choices: tuple[Any, ...], random: Generator) -> Any:
    return choices[int(random.integers(len(choices)))]
