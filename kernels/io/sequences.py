"""Reading sequences from files and pasted text, their types and composition, and the bundled samples.

FASTA is read by a thin loop over blocks of bytes, because a million records or a genome must load in
seconds; the annotated formats go through Biopython.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import replace
from io import BufferedReader
from pathlib import Path

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import line_blocks
from antidiag.kernels.io import records as reading
from antidiag.kernels.method import DataKind
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.scoring import NUCLEOTIDES
from antidiag.kernels.text import counted, shown

ALPHABETS: Mapping[SequenceType, bytes] = {
    SequenceType.DNA: NUCLEOTIDES.encode() + b"U",
    SequenceType.RNA: NUCLEOTIDES.encode() + b"U",
    SequenceType.PROTEIN: b"ABCDEFGHIJKLMNOPQRSTUVWXYZ*",
}
"""Letters of each type, IUPAC ambiguity codes included; U and T may stand for each other."""

SAMPLE_LETTERS = 1000
"""Letters looked at in the front, the middle and the end of a sequence to guess its type."""

SURE_LETTERS = 30
"""A shorter sequence that could be nucleotides is a peptide where the rest of its file is protein."""

NUMBERED = re.compile("#[0-9]{1,18}")
"""How a record is named by its number."""

WORDS_HEAD = 4096
"""Letters of a text from which it is told that it is no sequence."""

BLOCK = 1 << 20


def read(path: str | Path, type: SequenceType | None = None, monitor: Monitor | None = None) -> list[Sequence]:
    """All sequences of a file, in its order, names kept even where two are equal.

    The content decides, not the suffix: FASTA, plain letters, GenBank, EMBL, Swiss-Prot, Clustal,
    Stockholm, NEXUS or PHYLIP, each plain or gzipped, with any line ends. Letters become upper case;
    white space and digits are dropped; so are gaps and the stop at the end of a protein, which the
    note of the sequence says.

    Parameters
    ----------
    path : str or Path
        The file.
    type : SequenceType, optional
        The type of all sequences; guessed for each where it is not given.
    monitor : Monitor, optional
        Told the bytes read of the bytes there are; raises Cancelled when the user asked to stop.

    Raises
    ------
    InputError
        The file cannot be read or holds what no sequence holds; the text names file, line and record.
    """
    path = Path(path)
    monitor = monitor or Monitor()
    return _sequences(reading.records(line_blocks.blocks(path, monitor), str(path), monitor), str(path), type)


def read_stream(
    stream: BufferedReader, source: str, type: SequenceType | None = None, monitor: Monitor | None = None
) -> list[Sequence]:
    """All sequences of a stream of bytes, plain or gzipped; InputError, with ``source`` for its name, as `read`."""
    monitor = monitor or Monitor()
    blocks = line_blocks.stream_blocks(stream, source, monitor)
    return _sequences(reading.records(blocks, source, monitor), source, type)


def read_text(text: str, source: str = "pasted", type: SequenceType | None = None) -> list[Sequence]:
    """All sequences of a text in any format that `read` knows; InputError, with ``source`` for its name, as `read`."""
    block = line_blocks.plain(text.encode(errors="replace"))
    return _sequences(reading.records(iter([block]), source), source, type)


def guess_type(letters: bytes) -> SequenceType:
    """Type of a sequence from at most 3 x 1,000 of its letters, in either case.

    Nucleotides are nine tenths A, C, G, T, U or N; a short sequence must also hold nothing but
    nucleotide codes. RNA has U and no T.
    """
    sample = _sample(letters).upper()
    other = sample.translate(None, b"ACGTUN")
    strange = other.translate(None, ALPHABETS[SequenceType.DNA])
    if len(other) * 10 > len(sample) or (strange and len(sample) < SURE_LETTERS):
        return SequenceType.PROTEIN
    return SequenceType.RNA if b"U" in sample and b"T" not in sample else SequenceType.DNA


def with_type(sequence: Sequence, type: SequenceType) -> Sequence:
    """The sequence with another type; InputError where a letter does not belong to it."""
    changed = replace(sequence, type=SequenceType(type))
    validate_letters(changed)
    return changed


def validate_letters(sequence: Sequence) -> None:
    """InputError names the record and position of the first letter outside the alphabet of its type."""
    strange = sequence.letters.translate(None, ALPHABETS[sequence.type])
    if strange:
        position = sequence.letters.index(strange[:1])
        raise InputError(
            f"{_place(sequence)}letter {chr(strange[0])!r} at position {position + 1:,} is no {sequence.type} letter; "
            "correct the sequence, or choose another type"
        )


def composition(sequence: Sequence) -> Mapping[str, float]:
    """Share of each letter that occurs, in alphabetical order; the shares sum to 1."""
    counts = np.zeros(256, np.int64)
    for at in range(0, len(sequence), BLOCK):
        counts += np.bincount(sequence.array[at : at + BLOCK], minlength=256)
    return {chr(letter): counts[letter] / len(sequence) for letter in np.flatnonzero(counts).tolist()}


def gc_fraction(sequence: Sequence) -> float | None:
    """Share of G and C (and S) among the bases that are known; None for proteins or where none is."""
    if sequence.type == SequenceType.PROTEIN:
        return None
    shares = composition(sequence)
    strong = sum(shares.get(letter, 0.0) for letter in "GCS")
    known = strong + sum(shares.get(letter, 0.0) for letter in "ATUW")
    return strong / known if known else None


def what_reading_changed(sequences: Iterable[Sequence]) -> tuple[str, ...]:
    """The notes of sequences, together: "2,399,145 gaps removed from 14,950 sequences"."""
    parts = [part for sequence in sequences if sequence.note for part in sequence.note.split("; ")]
    gaps = [int(found[1].replace(",", "")) for part in parts if (found := reading.GAPS_NOTE.fullmatch(part))]
    others = Counter(part for part in parts if not reading.GAPS_NOTE.fullmatch(part))
    changes = [(f"{counted(sum(gaps), 'gap')} removed", len(gaps))] if gaps else []
    changes += others.items()
    return tuple(f"{part} from {number:,} sequences" if number > 1 else part for part, number in changes)


def reads_like_words(text: str) -> bool:
    """Whether a text without records is rather one of a language: in a line, its words differ in length.

    Letters of a sequence stand in blocks of one length, of which the last may be shorter. Nucleotides are no words.
    """
    head = text[:WORDS_HEAD].strip()
    if head.startswith(">") or guess_type("".join(head.split()).encode(errors="replace")) != SequenceType.PROTEIN:
        return False
    lines = ([word for word in line.split() if word.isalpha()] for line in head.splitlines())
    return any(len({len(word) for word in words[:-1]}) > 1 for words in lines)


def find(sequences: Sequences[Sequence], wanted: str) -> Sequence:
    """The sequence of this name, or ``#3`` for the third; InputError when there is none, or more than one.

    A name matches whole, or by one of its parts between bars (P69905 in sp|P69905|HBA_HUMAN).
    """
    for matches in (lambda name: name == wanted, lambda name: wanted in name.split("|")):
        found = [number for number, sequence in enumerate(sequences) if matches(sequence.name)]
        if len(found) == 1:
            return sequences[found[0]]
        if found:
            numbers = ", ".join(f"#{number + 1}" for number in found[:5]) + (", ..." if len(found) > 5 else "")
            raise InputError(f"record {wanted!r} is there {len(found)} times; choose one by its number: {numbers}")
    number = int(wanted[1:]) if NUMBERED.fullmatch(wanted) else 0
    if 1 <= number <= len(sequences):
        return sequences[number - 1]
    raise InputError(f"no record {shown(wanted)} among {len(sequences):,}; {_suggestion(sequences, wanted)}")


def _sequences(records: Iterable[reading.Record], source: str, type: SequenceType | None) -> list[Sequence]:
    found = list(_typed(records, source, type))
    if not found:
        raise InputError(f"{source}: no sequence in it; give FASTA, GenBank or plain letters")
    if type is None and any(sequence.type == SequenceType.PROTEIN for sequence in found):
        found = [_as_peptide(sequence) for sequence in found]
    return found


def _typed(records: Iterable[reading.Record], source: str, type: SequenceType | None) -> Iterator[Sequence]:
    for record in records:
        kind = type or record.type or guess_type(record.letters)
        sequence = Sequence(record.name, record.letters, kind, record.description, source, record.note)
        if kind != SequenceType.PROTEIN:
            validate_letters(sequence)
        yield sequence


def _as_peptide(sequence: Sequence) -> Sequence:
    if sequence.type == SequenceType.PROTEIN or len(sequence) >= SURE_LETTERS:
        return sequence
    return replace(sequence, type=SequenceType.PROTEIN)


def _sample(letters: bytes) -> bytes:
    if len(letters) <= 3 * SAMPLE_LETTERS:
        return letters
    middle = len(letters) // 2
    return letters[:SAMPLE_LETTERS] + letters[middle : middle + SAMPLE_LETTERS] + letters[-SAMPLE_LETTERS:]


def _place(sequence: Sequence) -> str:
    return ": ".join(part for part in (sequence.source, sequence.name) if part) + ": "


def _suggestion(sequences: Sequences[Sequence], wanted: str) -> str:
    names = [sequence.name for sequence in sequences[:10_000]]
    close = difflib.get_close_matches(wanted, names, 3) or names[:3]
    return f"names are such as {', '.join(close)}, and #1 is the first" if close else "the list is empty"


def _claims(path: Path, head: bytes) -> bool:
    """What nobody else claims is taken for sequences, so that the error is theirs where it is nothing at all."""
    return True


def _read_file(path: Path, monitor: Monitor | None) -> list[Sequence]:
    return read(path, monitor=monitor)


def _random(length: int, random: np.random.Generator) -> Sequence:
    letters = random.choice(np.frombuffer(b"ACGT", np.uint8), length).tobytes()
    return Sequence(f"random_{length}", letters, SequenceType.DNA)


SEQUENCE = DataKind(
    id="sequence",
    label="sequence",
    plural="sequences",
    type=Sequence,
    claims=_claims,
    read=_read_file,
    suffixes=(".fa", ".fasta", ".fna", ".faa", ".gb", ".gbk", ".embl", ".aln", ".sto", ".phy", ".nex", ".txt"),
    generate=_random,
)
