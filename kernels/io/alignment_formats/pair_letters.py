"""Letters of pairwise alignments whose files name sequences and operations alone: they come from files beside them.

Positions are those of SAM and PAF: on the forward strand of the whole sequence. A row on the reverse strand is the
reverse complement of its range, and its stated position is the lowest of the range, as for a row on the forward strand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

import numpy as np

from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations, RawAlignment, SourceLine
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.model import Sequence
from antidiag.kernels.sequences.alphabets import reverse_complement_letters
from antidiag.kernels.text import quote_text

POSITION_TAG = "place"
"""The tag of the position of a row in its sequence: the lowest, from 1, on the forward strand; then the strand."""
Operations = list[tuple[int, bytes]]
"""Numbers and letters of a CIGAR: M, = or X where both have a letter, D where the query has none, I the target."""
IN_TARGET, IN_QUERY = b"M=XD", b"M=XI"
"""Operations that use letters of the target, and of the query."""
PairRows = tuple[bytearray, bytearray]
"""The row of the target, then that of the query."""
GIVE_LETTERS = "give the FASTA files of both sequences together with it"


class PairLetters:
    """The sequences of the files that were given together with a file of pairs; read when a record asks for letters.

    Parameters
    ----------
    read : function without arguments
        Returns the sequences of these files.
    """

    def __init__(self, read: Callable[[], Iterable[Sequence]] = tuple) -> None:
        self._read = read
        self._lacking: dict[str, None] = {}
        self._stated: dict[str, int] = {}

    @property
    def remedy(self) -> str:
        """What the user can do about letters that are not known."""
        if self.by_name and self._lacking:
            return (
                f"the sequence files given with it have no {', '.join(list(self._lacking)[:3])}; give the file of each"
            )
        return GIVE_LETTERS

    @cached_property
    def by_name(self) -> dict[str, Sequence]:
        """The sequences by name; the first of several, and by the first word where a name has several."""
        found: dict[str, Sequence] = {}
        for sequence in self._read():
            found.setdefault(sequence.name, sequence)
            found.setdefault(sequence.name.split(None, 1)[0] if sequence.name.split() else "", sequence)
        return found

    def state_length(self, name: bytes, length: int) -> None:
        """Keep the length that a file of pairs states for a sequence, which that of the letters must be."""
        self._stated[decode_text(name)] = length

    def find_length(self, name: bytes) -> int | None:
        """Return the length of a sequence; None where no file has it."""
        sequence = self.by_name.get(decode_text(name))
        return None if sequence is None else len(sequence)

    def cut(
        self, name: bytes, start: int, end: int, strand: str, place: SourceLine, length: int | None = None
    ) -> bytes:
        """Return letters ``start`` to ``end`` of the forward strand as a row on this strand has them.

        Returns nothing where no file has the sequence. Refuses the line where the sequence is too short, or has not the
        stated length.
        """
        sequence = self.by_name.get(decode_text(name))
        if sequence is None:
            self._lacking.setdefault(decode_text(name))
            return b""
        length = self._stated.get(sequence.name) if length is None else length
        if length not in (None, len(sequence)):
            place.refuse(
                f"{quote_text(name)} has {length:,} letters here and {len(sequence):,} in {sequence.source}; give the "
                "file from which the alignment was made"
            )
        if not start <= end <= len(sequence):
            place.refuse(
                f"letters {start + 1:,} to {end:,} of {quote_text(name)} are named, which has {len(sequence):,} in "
                f"{sequence.source}; give the file from which the alignment was made"
            )
        letters = sequence.letters[start:end]
        return letters if strand == "+" else reverse_complement_letters(letters, sequence.type)


def align_letters(operations: Operations, target: bytes, query: bytes, place: SourceLine) -> PairRows:
    """Return both rows of operations on aligned letters.

    Refuses the line where they do not use all letters, or where letters that it calls equal (=) differ.
    """
    used = [sum(size for size, kind in operations if kind in kinds) for kinds in (IN_TARGET, IN_QUERY)]
    if used != [len(target), len(query)]:  # checked first, for a wrong size may be any number
        place.refuse(
            f"the operations cover {used[0]:,} letters of the target and {used[1]:,} of the query, but the positions "
            f"{len(target):,} and {len(query):,}; correct either"
        )
    above, below = bytearray(), bytearray()
    i = j = 0
    for size, kind in operations:
        own, other = target[i : i + size], query[j : j + size]
        if kind == b"=" and own.upper() != other.upper():
            place.refuse(
                f"letters {i + 1:,} to {i + size:,} of the alignment are said to be equal and are not in the files "
                "given; give those from which it was made"
            )
        above += own if kind in IN_TARGET else b"-" * size
        below += other if kind in IN_QUERY else b"-" * size
        i, j = i + size * (kind in IN_TARGET), j + size * (kind in IN_QUERY)
    return above, below


def build_pair(
    target: bytes, query: bytes, rows: PairRows, target_range: tuple[int, str], query_range: tuple[int, str]
) -> RawAlignment:
    """Build the alignment of two rows, each with its lowest position on the forward strand, from 0, and its strand."""
    letters = np.frombuffer(bytes(rows[0] + rows[1]).upper(), np.uint8).reshape(2, -1).copy()
    places = (f"{start + 1:,} {strand}" for start, strand in (target_range, query_range))
    notes = Annotations(of_rows=tuple((row, POSITION_TAG, said) for row, said in enumerate(places)))
    names = [decode_text(target), decode_text(query)]
    return RawAlignment(names, letters, notes, " x ".join(names))
