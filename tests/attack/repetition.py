"""Files in which one thing stands very often: a reader that takes far more than twice as long for twice as much of it
stands still for minutes.

``python -m tests.attack.repetition --minutes 10`` repeats things that the seed draws at places of real files, and
prints where a reader takes more than its share of time when there is four times as much.
"""

from __future__ import annotations

import argparse
import gzip
import io
import re
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

TOKEN = re.compile(rb"[A-Za-z0-9_]+|[ \t]+|\n+|[^A-Za-z0-9_\s]")
HEAD, OTHERS = 1500, 30
"""Bytes in which every token is repeated, and how many of those behind them are."""
THINGS = (
    b" ", b"\t", b"\n", b"\r", b"a", b"1", b"9 ", b".", b"-", b"'", b'"', b"[", b"]", b"(", b")", b"{", b"}", b"<",
    b";", b",", b"=", b":", b"#", b">", b"*", b"\\", b"/", b"a ", b"a\n", b"a,", b"1\n", b"1,", b"()", b"(,",
    b"[]", b"[a]", b"[[", b"{}", b"{},", b"[1],", b"''", b"'a' ", b'""', b'"a" ', b'"a', b"<a>", b"<a/>", b"<a></a>",
    b"&lt;", b"<!--", b"\n\n", b";\n", b"\n>", b">a\nA\n", b"//\n", b"\n#", b"# a\n", b" \n", b"a b\n", b"1 2 3\n",
    b"1,2,3\n", b'"a":1,', b"\\u0041", b"\0", b"\xff", b"\xc3\xa9", b"1e5 ", b"0.5 ", b"a=b ", b"A-", b"*\n",
)  # fmt: skip
"""What is repeated beside what stands there."""
SIZES = 1 << 12, 1 << 15, 1 << 18, 1 << 20
"""Bytes of a repetition, about, when one is drawn; a large one seldom."""
SELDOM = (0.6, 0.25, 0.1, 0.05)
MOST = 50_000
"""Repetitions of a thing of several letters: so many small trees or records are read one by one."""
SEVERAL = 3


class Place(NamedTuple):
    """Where something stands in bytes: from ``start`` to before ``end``."""

    start: int
    end: int


def repeated(data: bytes, place: Place, thing: bytes, size: int, whole: bool) -> bytes:
    """The bytes with a thing in a place, as often as it has room in ``size`` bytes; what follows is there or is not."""
    count = max(1, size // max(1, len(thing)))
    count = min(count, MOST) if len(thing) >= SEVERAL else count
    return data[: place.start] + thing * count + (data[place.end :] if whole else b"")


def repeat(data: bytes, random: Generator) -> bytes:
    """A thing, of these bytes or any other, very often in the place of one that is there, or before it."""
    there = places(data)
    place = there[int(random.integers(len(there)))] if there else Place(0, 0)
    things = (*own(data, place), *[THINGS[int(at)] for at in random.integers(len(THINGS), size=4)])
    thing = things[int(random.integers(len(things)))]
    kept = Place(place.start, place.start if random.random() < 0.5 else place.end)
    return repeated(data, kept, thing, int(random.choice(SIZES, p=SELDOM)), random.random() < 0.6)


def places(data: bytes) -> list[Place]:
    """The tokens of the head, and some of those behind it."""
    head = [Place(*found.span()) for found in TOKEN.finditer(data, 0, HEAD)]
    step = max(1, (len(data) - HEAD) // OTHERS)
    rest = (TOKEN.search(data, at) for at in range(HEAD, len(data), step))
    return head + [Place(*found.span()) for found in rest if found]


def own(data: bytes, place: Place) -> list[bytes]:
    """What can be repeated of the bytes themselves: a token, with what may stand between two, its line, two lines, and
    all up to the next empty line."""
    token = data[place.start : place.end]
    line = data.find(b"\n", place.start) + 1 or len(data)
    second = data.find(b"\n", line) + 1 or len(data)
    block = data.find(b"\n\n", place.start) + 2
    found = [token, token + b" ", token + b"\n", token + b",", data[place.start : line], data[place.start : second]]
    return [thing for thing in dict.fromkeys([*found, data[place.start : block]]) if 0 < len(thing) < 4096]


class Case(NamedTuple):
    """A file that is made of a real one, by a thing in a place of what is within."""

    name: str
    reader: str
    member: str
    place: Place
    thing: bytes
    whole: bool

    def made(self, corpus: Mapping[str, bytes], size: int) -> bytes:
        """The bytes of the file, with about so many of them repeated."""
        inside, packed = opened(corpus[self.name])[self.member]
        return packed(repeated(inside, self.place, self.thing, size, self.whole))


def opened(data: bytes) -> dict[str, tuple[bytes, Callable[[bytes], bytes]]]:
    """What is within a file, by name, and how it is packed again when it is another."""
    if data.startswith(b"\x1f\x8b"):
        return {"": (gzip.decompress(data), lambda inside: gzip.compress(inside, 1, mtime=0))}
    if not data.startswith(b"PK\x03\x04"):
        return {"": (data, lambda inside: inside)}
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        members = {name: source.read(name) for name in source.namelist()}
    return {name: (content, _packing(members, name)) for name, content in members.items()}


def _packing(members: Mapping[str, bytes], name: str) -> Callable[[bytes], bytes]:
    def packed(inside: bytes) -> bytes:
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as written:
            for other, content in {**members, name: inside}.items():
                written.writestr(other, content)
        return target.getvalue()

    return packed


def case(corpus: Mapping[str, bytes], name: str, readers: Sequence[str], random: Generator) -> Case:
    """A thing in a place of a file, before what stands there or instead of all that follows, for one of its readers."""
    members = sorted(opened(corpus[name]))
    member = members[int(random.integers(len(members)))]
    inside, _ = opened(corpus[name])[member]
    there = places(inside) or [Place(0, 0)]
    place = there[int(random.integers(len(there)))]
    things = tuple(own(inside, place)) * 3 + THINGS
    reader = readers[int(random.integers(len(readers)))]
    thing = things[int(random.integers(len(things)))]
    return Case(name, reader, member, Place(place.end, place.end), thing, bool(random.random() < 0.5))


SMALL, TIMES = 1 << 15, 4
QUICK_S, SHARE = 0.06, 2.0
"""Seconds of processor in which SMALL bytes are surely read; and how much more than TIMES as long a reader may take for
TIMES as many."""
SLOW_S = 15.0
"""A reader that would take longer for a megabyte is slow, though its time grows as the file does."""


def told(case: Case, corpus: Mapping[str, bytes], folder: Path) -> str:
    """What is wrong with a reader and a case; "" for nothing."""
    from tests.attack import readers

    path = folder / Path(case.name).name
    spent: list[float] = []
    for size in (SMALL, SMALL * TIMES):
        path.write_bytes(case.made(corpus, size))
        before = time.process_time()
        if found := readers.attempt(case.reader, path):
            return found
        spent.append(time.process_time() - before)
        if spent[-1] < QUICK_S:
            return ""
    growth = spent[1] / spent[0]
    if growth > TIMES * SHARE:
        return f"{spent[0]:.2f} s and {spent[1]:.2f} s for {TIMES} times as much"
    return f"slow: {spent[1]:.2f} s for {SMALL * TIMES:,}" if spent[1] * (1 << 20) / SMALL / TIMES > SLOW_S else ""


def main() -> int:
    """Repeat things for some time; findings of a kind are printed once a file and reader."""
    from tests.attack import readers
    from tests.attack.corpus import corpus

    parser = argparse.ArgumentParser(description="Repeat each thing in real files, and read them.")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="files whose name has this in it")
    options = parser.parse_args()
    files = corpus()
    names = [
        name for name in sorted(files) if options.only in name and readers.readers_of(name)[0] not in readers.APART
    ]
    random = np.random.default_rng(options.seed)
    end, done, seen = time.monotonic() + 60 * options.minutes, 0, Counter[str]()
    with tempfile.TemporaryDirectory() as place:
        while time.monotonic() < end:
            name = names[int(random.integers(len(names)))]
            drawn = case(files, name, sorted({*readers.readers_of(name), "any"}), random)
            done += 1
            if found := told(drawn, files, Path(place)):
                kind = f"{name} {drawn.reader} {re.sub('[0-9.]+', '', found.splitlines()[-1])}"
                seen[kind] += 1
                if seen[kind] == 1:
                    print(f"{drawn}\n{found}", flush=True)
    print(f"{done:,} cases; {sum(seen.values()):,} findings of {len(seen)} kinds")
    return bool(seen)


if __name__ == "__main__":
    sys.exit(main())
