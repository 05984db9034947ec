"""Reading sequences from files, streams and pasted text; their types and composition.

FASTA is read by a thin loop over blocks of bytes, because a million records or a genome must load in seconds; the
annotated formats go through Biopython.
"""

from __future__ import annotations

import difflib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import replace
from io import BufferedReader
from pathlib import Path

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.file_conventions import SoftMasking, soft_masking
from antidiag.kernels.io import fasta_columns, line_blocks, packed_files
from antidiag.kernels.io import sequence_records as reading
from antidiag.kernels.io.record_letters import UNKNOWN, mask_letters
from antidiag.kernels.io.unique_names import names_of_titles
from antidiag.kernels.method import DataKind
from antidiag.kernels.model import Sequence, SequenceType, sequence_names
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.sequences.alphabets import NUCLEOTIDES
from antidiag.kernels.sequences.sequence_set import MANY_SEQUENCES, TYPES, SequenceSet
from antidiag.kernels.text import format_count, quote_text

ALPHABETS: Mapping[SequenceType, bytes] = {
    SequenceType.DNA: NUCLEOTIDES.encode() + b"U",
    SequenceType.RNA: NUCLEOTIDES.encode() + b"U",
    SequenceType.PROTEIN: b"ABCDEFGHIJKLMNOPQRSTUVWXYZ*",
}
"""Letters of each type, IUPAC ambiguity codes included; U and T may stand for each other."""

SAMPLE_LETTERS = 1000
"""Letters at the front, the middle and the end of a sequence that decide its type."""

SURE_LETTERS = 30
"""A shorter sequence that could be nucleotides is a peptide where the rest of its file is protein."""

RECORD_NUMBER = re.compile("#[0-9]{1,18}")
"""A record given by its number."""

COUNTED_VERBS = ("removed", "left out", "read as N", "read as X")
COUNTED_NOTE = re.compile(rf"([\d,]+) (.+?)s? ({'|'.join(COUNTED_VERBS)})")
"""The words of a note about what was left out: the number, the noun, and what happened to it."""

SUFFIX_TYPES = {".faa": SequenceType.PROTEIN} | dict.fromkeys((".fna", ".ffn", ".frn"), SequenceType.DNA)
"""Suffixes of FASTA that name the type of the letters."""

BATCH_LETTERS = 1 << 20


@packed_files.reads_each_file
def read_sequences(
    path: str | Path, type: SequenceType | None = None, monitor: Monitor | None = None, any_letters: bool = False
) -> Sequences[Sequence]:
    """Read all sequences of a file, in its order; equal names are kept. Very many of plain FASTA come as a set.

    The content decides the format: FASTA, all formats of alignments, GenBank, EMBL, Swiss-Prot, FASTQ, GFF3 with
    ##FASTA, ABI, SnapGene or plain letters, each plain or compressed, with any line ends. Letters become upper case;
    white space is dropped. The note of a sequence says what else was left out: gaps, digits, invisible characters, the
    stop at the end of a protein, qualities, features, comments. Where several titles begin with one word and differ,
    the whole title is the name.

    Parameters
    ----------
    path : str or Path
    type : SequenceType, optional
        The type of all sequences; guessed for each where it is not given.
    monitor : Monitor, optional
        Receives the bytes read; may cancel.
    any_letters : bool
        Text without a format is one sequence, also where that is in doubt.

    Raises
    ------
    DoubtfulLetters
        Where text without a format may be something else than one sequence.
    InputError
        Where the file cannot be read or has an invalid letter; the text names file, line and record.
    """
    path = Path(path)
    monitor = monitor or Monitor()
    if (found := _read_plain_fasta(path, type, monitor)) is not None:
        return found
    blocks = line_blocks.read_blocks(path, monitor)
    return _build_sequences(reading.read_records(blocks, str(path), monitor, any_letters), str(path), type)


def read_sequence_stream(
    stream: BufferedReader, source: str, type: SequenceType | None = None, monitor: Monitor | None = None
) -> list[Sequence]:
    """Read all sequences of a stream of bytes, plain or compressed; errors call it ``source``."""
    monitor = monitor or Monitor()
    blocks = line_blocks.read_stream_blocks(stream, source, monitor)
    return _build_sequences(reading.read_records(blocks, source, monitor), source, type)


def read_sequence_text(
    text: str, source: str = "pasted", type: SequenceType | None = None, any_letters: bool = False
) -> list[Sequence]:
    """Read all sequences of a text in any format that `read_sequences` knows; errors call it ``source``."""
    block = line_blocks.normalise_line_ends(text.encode(errors="replace"))
    return _build_sequences(reading.read_records(iter([block]), source, None, any_letters), source, type)


def iterate_sequences(
    path: str | Path, type: SequenceType | None = None, monitor: Monitor | None = None
) -> Iterator[Sequence]:
    """Yield the sequences of a file one by one, as `read_sequences` reads each alone, without keeping any.

    What depends on all sequences of a file is left to the caller: `as_peptide`, and names of equal first words. A
    compressed file may have any size.
    """
    path, monitor = Path(path), monitor or Monitor()
    blocks = line_blocks.read_blocks(path, monitor, unlimited=True)
    return _typed_sequences(reading.read_records(blocks, str(path), monitor), str(path), type)


def guess_type(letters: bytes) -> SequenceType:
    """Guess the type of a sequence from at most 3 x 1,000 of its letters, in either case.

    Nine tenths of nucleotides are A, C, G, T, U or N, or two thirds where the others are nucleotide codes and all four
    bases occur; a short sequence must hold only nucleotide codes. RNA has U and no T.
    """
    sample = _type_sample(letters).upper()
    other = sample.translate(None, b"ACGTUN?")
    if other and _are_residues(sample, other):
        return SequenceType.PROTEIN
    return SequenceType.RNA if b"U" in sample and b"T" not in sample else SequenceType.DNA


def choose_type(sample: bytes, stated: SequenceType | None, source: str) -> tuple[SequenceType, str]:
    """Return the type that a file states, in its text or by its suffix, or a guess by the letters, and a note.

    Letters that are no nucleotides are stronger than what is stated.
    """
    guessed = guess_type(sample)
    stated = stated or SUFFIX_TYPES.get(packed_files.format_suffix(Path(source)))
    if stated in (None, guessed):
        return guessed, ""
    if stated == SequenceType.PROTEIN:
        return stated, ""
    letters = sample.upper()
    if guessed != SequenceType.PROTEIN:  # T and U tell DNA and RNA apart
        return (guessed if b"T" in letters or b"U" in letters else stated), ""
    if letters.translate(None, ALPHABETS[stated] + UNKNOWN):
        return guessed, f"the file says {stated}, but the letters are those of proteins"
    return stated, ""


def with_type(sequence: Sequence, type: SequenceType) -> Sequence:
    """Return the sequence with another type; InputError where a letter does not belong to it."""
    changed = replace(sequence, type=SequenceType(type))
    validate_letters(changed)
    return changed


def validate_letters(sequence: Sequence) -> None:
    """Raise InputError for the first letter outside the alphabet of the type, with record and position."""
    strange = sequence.letters.translate(None, ALPHABETS[sequence.type])
    if strange:
        position = sequence.letters.index(strange[:1])
        raise InputError(
            f"{_location(sequence)}letter {chr(strange[0])!r} at position {position + 1:,} is not a "
            f"{sequence.type} letter; "
            "correct the sequence, or choose another type"
        )


def letter_composition(sequence: Sequence) -> Mapping[str, float]:
    """Return the share of each letter that occurs, in alphabetical order; the shares sum to 1."""
    counts = np.zeros(256, np.int64)
    for at in range(0, len(sequence), BATCH_LETTERS):
        counts += np.bincount(sequence.letter_array[at : at + BATCH_LETTERS], minlength=256)
    return {chr(letter): counts[letter] / len(sequence) for letter in np.flatnonzero(counts).tolist()}


def gc_fraction(sequence: Sequence) -> float | None:
    """Return the share of G and C (and S) among the known bases; None for proteins or where no base is known."""
    if sequence.type == SequenceType.PROTEIN:
        return None
    shares = letter_composition(sequence)
    strong = sum(shares.get(letter, 0.0) for letter in "GCS")
    known = strong + sum(shares.get(letter, 0.0) for letter in "ATUW")
    return strong / known if known else None


def reading_notes(sequences: Iterable[Sequence]) -> tuple[str, ...]:
    """Summarise the notes of sequences: "2,399,145 gaps removed from 14,950 sequences"."""
    found = sequences.notes if isinstance(sequences, SequenceSet) else (sequence.note for sequence in sequences)
    notes = [note for note in found if note]
    if not notes:
        return ()
    counts: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for part in (part for note in notes for part in note.split("; ")):
        counted = COUNTED_NOTE.fullmatch(part)
        kind = f"{counted[2]} {counted[3]}" if counted else part
        counts[kind] += 1
        totals[kind] += int(counted[1].replace(",", "")) if counted else 0
    return tuple(_summarise_note(kind, count, totals[kind]) for kind, count in counts.items())


def find_sequence(sequences: Sequences[Sequence], wanted: str) -> Sequence:
    """Return the sequence of this name, or ``#3`` for the third; InputError where there is none or more than one.

    A name matches as a whole, or by one of its parts between bars (P69905 in sp|P69905|HBA_HUMAN).
    """
    for matches in (lambda name: name == wanted, lambda name: wanted in name.split("|")):
        found = [number for number, name in enumerate(sequence_names(sequences)) if matches(name)]
        if len(found) == 1:
            return sequences[found[0]]
        if found:
            numbers = ", ".join(f"#{number + 1}" for number in found[:5]) + (", ..." if len(found) > 5 else "")
            raise InputError(f"record {wanted!r} occurs {len(found)} times; choose one by its number: {numbers}")
    number = int(wanted[1:]) if RECORD_NUMBER.fullmatch(wanted) else 0
    if 1 <= number <= len(sequences):
        return sequences[number - 1]
    raise InputError(f"no record {quote_text(wanted)} among {len(sequences):,}; {_suggest_names(sequences, wanted)}")


def _read_plain_fasta(path: Path, type: SequenceType | None, monitor: Monitor) -> SequenceSet | None:
    """Return the set of very many records of plain FASTA; None where the file holds few, or anything unusual."""
    if not os.path.isfile(path) or path.stat().st_size < 2 * MANY_SEQUENCES:  # a title and a letter take more
        return None
    if soft_masking() is SoftMasking.UNKNOWN:  # columns do not know the case of letters
        return None
    columns = fasta_columns.read_columns(line_blocks.read_blocks(path, monitor))
    if columns is None or columns.name_lengths.size < MANY_SEQUENCES or not columns.letters.size:
        return None
    stated = SUFFIX_TYPES.get(packed_files.format_suffix(path))
    known = type or (stated if stated == SequenceType.PROTEIN else None)
    if known is None:
        types = fasta_columns.guess_types(columns, SURE_LETTERS)
        doubtful = (types == TYPES.index(SequenceType.PROTEIN)) & (columns.counts[1] == 0)  # nucleotide codes alone
        for row in np.flatnonzero(doubtful | (np.diff(columns.offsets) > 3 * SAMPLE_LETTERS)).tolist():
            letters = columns.letters[columns.offsets[row] : columns.offsets[row + 1]]
            types[row] = TYPES.index(guess_type(letters.tobytes()))
    else:
        types = np.full(columns.name_lengths.size, TYPES.index(SequenceType(known)), np.uint8)
    protein = TYPES.index(SequenceType.PROTEIN)
    if ((types != protein) & (columns.counts[1] > 0)).any():  # the reader of records names the letter
        return None
    if known is None and (types == protein).any():
        types[np.diff(columns.offsets) < SURE_LETTERS] = protein
    return fasta_columns.as_set(columns, types, str(path))


def _build_sequences(
    records: Iterable[reading.SequenceRecord], source: str, type: SequenceType | None
) -> list[Sequence]:
    found = list(_typed_sequences(records, source, type))
    if not found:
        raise InputError(f"{source}: the file has no sequence; give FASTA, GenBank or plain letters")
    if type is None and any(sequence.type == SequenceType.PROTEIN for sequence in found):
        found = [as_peptide(sequence) for sequence in found]
    return _with_whole_titles(found)


def _with_whole_titles(found: list[Sequence]) -> list[Sequence]:
    """Return sequences with the whole title as name where several titles begin with one word and differ."""
    names = [sequence.name for sequence in found]
    if len(set(names)) == len(names):
        return found
    titles = list(map(title_of, found))
    return [
        one if name in (one.name, "") else replace(one, name=name)
        for one, name in zip(found, names_of_titles(titles), strict=True)
    ]


def title_of(sequence: Sequence) -> str:
    """Return the whole title line of a sequence, where that begins with its name, else the name."""
    return sequence.description if sequence.description.split()[:1] == [sequence.name] else sequence.name


def _typed_sequences(
    records: Iterable[reading.SequenceRecord], source: str, type: SequenceType | None
) -> Iterator[Sequence]:
    for record in records:
        kind, doubt = (type, "") if type else choose_type(_type_sample(record.letters), record.type, source)
        if record.cased:
            record = mask_letters(record, kind == SequenceType.PROTEIN)
        note = "; ".join(filter(None, (record.note, doubt)))
        sequence = Sequence(record.name, record.letters, kind, record.description, source, note)
        if missing := record.letters.count(UNKNOWN):
            sequence = _with_known_letters(sequence, missing)
        if kind != SequenceType.PROTEIN:
            validate_letters(sequence)
        yield sequence


def _with_known_letters(sequence: Sequence, missing: int) -> Sequence:
    """Return a sequence with N, or X in proteins, in place of '?', and a note of it."""
    unknown = "X" if sequence.type == SequenceType.PROTEIN else "N"
    note = "; ".join(filter(None, (sequence.note, f"{missing:,} '?' replaced by {unknown}")))
    return replace(sequence, letters=sequence.letters.replace(UNKNOWN, unknown.encode()), note=note)


def as_peptide(sequence: Sequence) -> Sequence:
    """Return a short sequence that could be nucleotides as a protein, as it is where other records are proteins."""
    if sequence.type == SequenceType.PROTEIN or len(sequence) >= SURE_LETTERS:
        return sequence
    return replace(sequence, type=SequenceType.PROTEIN)


def _are_residues(sample: bytes, other: bytes) -> bool:
    """Return whether a sample is of a protein; ``other`` are its letters that are neither bases nor N."""
    strange = other.translate(None, ALPHABETS[SequenceType.DNA])
    most = len(sample) // 10 if strange or not _has_four_bases(sample) else len(sample) // 3
    return len(other) > most or (bool(strange) and len(sample) < SURE_LETTERS)


def _has_four_bases(letters: bytes) -> bool:
    return all(base in letters for base in (b"A", b"C", b"G")) and (b"T" in letters or b"U" in letters)


def _type_sample(letters: bytes) -> bytes:
    if len(letters) <= 3 * SAMPLE_LETTERS:
        return letters
    middle = len(letters) // 2
    return letters[:SAMPLE_LETTERS] + letters[middle : middle + SAMPLE_LETTERS] + letters[-SAMPLE_LETTERS:]


def _summarise_note(kind: str, count: int, total: int) -> str:
    """Return a part of the notes of so many sequences, with the total of its numbers; 0 where it has no number."""
    text = kind
    if total:
        verb = next(verb for verb in COUNTED_VERBS if kind.endswith(verb))
        text = f"{format_count(total, kind.removesuffix(f' {verb}'))} {verb}"
    where = "in" if "read as" in kind else "from"
    return f"{text} {where} {count:,} sequences" if count > 1 else text


def _location(sequence: Sequence) -> str:
    return ": ".join(part for part in (sequence.source, sequence.name) if part) + ": "


def _suggest_names(sequences: Sequences[Sequence], wanted: str) -> str:
    names = list(sequence_names(sequences[:10_000]))
    close = difflib.get_close_matches(wanted, names, 3) or names[:3]
    return f"names are such as {', '.join(close)}, and #1 is the first" if close else "the list is empty"


def _is_sequence_file(path: Path, head: bytes) -> bool:
    """Take every file that no other kind of data takes, so that errors for unknown files are those of sequences."""
    return True


def _read_file(path: Path, monitor: Monitor | None) -> Sequences[Sequence]:
    return read_sequences(path, monitor=monitor)


def _random_sequence(length: int, random: np.random.Generator) -> Sequence:
    letters = random.choice(np.frombuffer(b"ACGT", np.uint8), length).tobytes()
    return Sequence(f"random_{length}", letters, SequenceType.DNA)


SEQUENCE = DataKind(
    id="sequence",
    label="sequence",
    plural="sequences",
    type=Sequence,
    claims_file=_is_sequence_file,
    read=_read_file,
    suffixes=(
        *(".fa", ".fasta", ".fna", ".faa", ".gb", ".gbk", ".gbff", ".seq", ".embl", ".dat", ".fq", ".fastq"),
        *(".gff", ".gff3", ".ab1", ".dna", ".tab", ".aln", ".sto", ".phy", ".nex", ".txt"),
    ),
    generate=_random_sequence,
)
