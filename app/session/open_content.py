"""Which of the data that were read are open already, so that a file that is opened again is not added again."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from collections.abc import Sequence as Sequences
from dataclasses import fields
from typing import Any

from antidiag.kernels.model import Sequence
from antidiag.kernels.sequences.sequence_set import MANY_SEQUENCES
from antidiag.kernels.serialization import LABELS, digest_value


def find_open_rows(wanted: Sequences[Sequence], sequences: Sequences[Sequence]) -> Sequences[int] | None:
    """Return the rows of the open ``sequences`` that are the ``wanted`` ones; None unless all of these are open.

    Names, titles, letters and types count, files do not. Of equal sequences each has a row of its own. Among many
    sequences, only a file that holds all of them is recognised.
    """
    if len(wanted) > len(sequences):
        return None
    if len(sequences) >= MANY_SEQUENCES:
        return range(len(sequences)) if wanted == sequences else None
    rows: defaultdict[tuple[str, str, bytes, str], deque[int]] = defaultdict(deque)
    for row, sequence in enumerate(sequences):
        rows[_content_key(sequence)].append(row)
    found = [rows[key].popleft() for key in map(_content_key, wanted) if rows[key]]
    return tuple(found) if len(found) == len(wanted) else None


def _content_key(sequence: Sequence) -> tuple[str, str, bytes, str]:
    return sequence.name, sequence.description, sequence.letters, sequence.type


def find_open_datum(wanted: Any, data: Iterable[Any]) -> Any | None:
    """Return the open datum with the content of another one, whatever both are called; None if there is none."""
    similar = [one for one in data if type(one) is type(wanted) and one.summary == wanted.summary]
    digest = _digest_content(wanted) if similar else ""
    return next((one for one in similar if _digest_content(one) == digest), None)


def _digest_content(datum: Any) -> str:
    """Return a digest of all that a file says, also of notes and marks, which do not count in other digests."""
    return digest_value([getattr(datum, field.name) for field in fields(datum) if field.name not in LABELS])
