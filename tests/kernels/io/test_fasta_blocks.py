"""Aligned FASTA is read a block at a time, on several threads: the rows are those of its lines, wherever blocks end."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats import aligned_fasta

WIDTH = st.sampled_from([1, 7, 31, 32, 33, 60, 64, 65, 100])
KIND = st.sampled_from([b"ACGT-", b"ACDEFG*-", b"acgtACGT.", b"AC GT\t", b"A>C-", b"AC\0-", b"A\xe4C"])


@st.composite
def files(draw) -> list[bytes]:
    """The lines of a file: rows of one length, each in lines of its own width, some with letters that are rare."""
    length, found = draw(st.integers(1, 150)), []
    for number in range(draw(st.integers(1, 6))):
        width = draw(WIDTH)
        kind = draw(KIND)
        row = bytes(kind[(7 * number + 3 * place + place // 5) % len(kind)] for place in range(length))
        lines = [row[at : at + width] for at in range(0, length, width)]
        blank = draw(st.sampled_from([[], [b""], [b" \t"]]))
        title = b">%d %s" % (number, b"x" * draw(st.integers(0, 70)))
        found += [title, *(b"A" + line[1:] if line.startswith(b">") else line for line in lines), *blank]
    return [line + b"\n" for line in found]


def told(lines: list[bytes]) -> list[bytes]:
    """The letters of each record, one after the other: all that is seen; the byte 0 and Latin-1 are refused later."""
    found: list[bytes] = []
    for line in lines:
        if line.startswith(b">"):
            found.append(b"")
        else:
            found[-1] += bytes(letter for letter in line if letter == 0 or letter > 32)
    return found


@given(files(), st.lists(st.integers(0, 60), max_size=5))
def test_rows_are_those_of_the_lines_wherever_blocks_end(lines, borders):
    expected = told(lines)
    edges = [0, *sorted({min(border, len(lines)) for border in borders} - {0, len(lines)}), len(lines)]
    blocks = [b"".join(lines[first:last]) for first, last in pairwise(edges)]
    if len(set(map(len, expected))) > 1 or not expected[0]:
        with pytest.raises(InputError):
            aligned_fasta.read_fasta(iter(blocks), "file", 0)
        return
    raw = aligned_fasta.read_fasta(iter(blocks), "file", sum(map(len, blocks)))
    assert [row.tobytes() for row in raw.letters] == expected
    assert raw.names == [str(number) for number in range(len(expected))]
    assert raw.plain == all(set(row) <= set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ*-") for row in expected)
    dashed = any(set(row) & set(b"-.~") for row in expected)
    assert aligned_fasta.looks_aligned(iter(blocks)) == (dashed and len(expected) > 1)


def test_a_line_that_seems_as_long_as_the_one_before_but_holds_a_title():
    """Where the short last line of a row, a title and the next line begin to be as long as a whole line, the letters
    are told apart from the title all the same."""
    wide, short = b"ACGT" * 15, b"ACGT" * 8
    title = b">" + b"n" * 18
    lines = [b">a", wide, short, title, b"ACGTACG", wide, b"A" * 25]
    assert len(short) + 1 + len(title) + 1 + len(lines[4]) == len(wide)
    block = b"".join(line + b"\n" for line in lines)
    raw = aligned_fasta.read_fasta(iter([block]), "file", len(block))
    assert [row.tobytes() for row in raw.letters] == [wide + short, b"ACGTACG" + wide + b"A" * 25]
