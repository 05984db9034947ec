"""Codon alignment: coding sequences are read codon by codon, their proteins are aligned, and the codons follow.

A coding sequence is read from its first letter on. A reading that meets several stops before the end, and few or none
in another frame from some letter on, is taken to have a shift of the frame there: an incomplete codon of one or two
letters, which is filled with gaps. Among all readings the one that costs least is taken: a stop before the end costs 1,
a shift SHIFT_COST, an incomplete codon at the very end nothing. Of equal ones it has the latest shifts, so that a shift
lies just before the first stop that it avoids; it may have happened anywhere after the last stop of the frame that it
leads to.

Aligned rows without their gaps are the letters that were given, less a stop codon at the end.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field

import numpy as np

from antidiag.kernels.alignments.genetic_code import CODON_TAG
from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.io.alignment_formats.raw_alignment import NO_ANNOTATIONS, Annotations
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.text import format_count

SHIFT_COST = 4
"""Stops that a shift of the frame must avoid at least, so that it is taken for one."""
NO_SHIFTS = 2**30
STOP, UNKNOWN = ord("*"), ord("X")
MOST_LISTED = 5
"""Most places that a note names."""


@dataclass(frozen=True, eq=False)
class CodingSequence:
    """A coding sequence, read codon by codon.

    ``codons`` is uint8 (codons, 3), incomplete ones filled with gaps, without a stop codon at the end; ``protein``,
    uint8 (codons,), are their amino acids, X for incomplete codons and for stops. ``stops`` and ``shifts`` are the
    letters, counted from 1, at which stop codons and incomplete codons before the end begin. ``final_stop``: a stop
    codon at the end was left out; ``is_cut``: the last codon is incomplete.
    """

    sequence: Sequence
    codons: np.ndarray = field(repr=False)
    protein: np.ndarray = field(repr=False)
    stops: tuple[int, ...] = ()
    shifts: tuple[int, ...] = ()
    final_stop: bool = False
    is_cut: bool = False

    @property
    def protein_sequence(self) -> Sequence:
        """The protein, under the name of the coding sequence."""
        return Sequence(self.sequence.name, self.protein.tobytes(), SequenceType.PROTEIN)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is unusual in the sequence, in words."""
        name, found = self.sequence.name, []
        if self.shifts:
            found.append(f"{name}: the reading frame shifts at {_list_places(self.shifts)}; gaps fill the codon there")
        if self.stops:
            found.append(
                f"{name}: {format_count(len(self.stops), 'stop codon')} before the end, at "
                f"{_list_places(self.stops)}; aligned as X"
            )
        if self.is_cut:
            found.append(f"{name}: ends within a codon, which gaps fill")
        return tuple(found)


def _list_places(places: Sequences[int]) -> str:
    """Return letter numbers in words: "letter 7", "letters 7, 10 and 5 more"."""
    named = ", ".join(f"{place:,}" for place in places[:MOST_LISTED])
    more = f" and {len(places) - MOST_LISTED:,} more" if len(places) > MOST_LISTED else ""
    return f"{'letter' if len(places) == 1 else 'letters'} {named}{more}"


def read_coding_sequence(sequence: Sequence, code: int = 1, finds_shifts: bool = True) -> CodingSequence:
    """Read a coding sequence by a genetic code of the NCBI, and find shifts of its frame.

    Parameters
    ----------
    sequence : Sequence
        DNA or RNA, from the first letter of a codon on.
    code : int
        NCBI number of the genetic code.
    finds_shifts : bool
        False: the frame is kept, whatever stops it meets.

    Returns
    -------
    CodingSequence

    Raises
    ------
    InputError
        For a protein, and for fewer letters than a codon has.
    ParameterError
        For an unknown code.
    """
    if sequence.type is SequenceType.PROTEIN:
        raise InputError(f"{sequence.name} is a protein; codons are aligned of coding sequences, DNA or RNA")
    if len(sequence) < 3:
        raise InputError(f"{sequence.name}: {format_count(len(sequence), 'letter')} hold no codon; leave it out")
    letters = np.frombuffer(sequence.letters.upper(), np.uint8)
    amino_acids = translate_every_place(sequence.letters, code)
    lengths = read_frames(amino_acids == STOP, letters.size, SHIFT_COST if finds_shifts else NO_SHIFTS)
    starts = np.cumsum(lengths) - lengths
    final_stop = bool(lengths[-1] == 3 and amino_acids[starts[-1]] == STOP and lengths.size > 1)
    if final_stop:
        starts, lengths = starts[:-1], lengths[:-1]
    places = np.minimum(starts[:, None] + np.arange(3), letters.size - 1)
    codons = np.where(np.arange(3) < lengths[:, None], letters[places], np.uint8(GAP))
    whole = lengths == 3
    protein = np.where(whole, amino_acids[np.minimum(starts, amino_acids.size - 1)], UNKNOWN).astype(np.uint8)
    stops = np.flatnonzero(protein == STOP)
    protein[stops] = UNKNOWN
    shifts, is_cut = starts[:-1][~whole[:-1]] + 1, bool(not whole[-1])
    places = tuple((starts[stops] + 1).tolist()), tuple(shifts.tolist())
    return CodingSequence(sequence, codons, protein, *places, final_stop, is_cut)


def translate_every_place(letters: bytes, code: int) -> np.ndarray:
    """Return the amino acid of the codon that begins at each letter, uint8 (letters - 2,).

    A codon that a code reads as a stop or as an amino acid counts as the amino acid. Raises ParameterError for an
    unknown code.
    """
    from Bio import BiopythonWarning
    from Bio.Data import CodonTable
    from Bio.Seq import Seq

    if code not in CodonTable.generic_by_id:
        codes = ", ".join(map(str, sorted(CodonTable.generic_by_id)))
        raise ParameterError(f"genetic code {code} is unknown; choose one of {codes}")
    found = np.empty(len(letters) - 2, np.uint8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BiopythonWarning)  # of codons with two meanings
        for frame in range(min(3, found.size)):
            part = letters[frame : frame + (len(letters) - frame) // 3 * 3]
            found[frame::3] = np.frombuffer(bytes(Seq(part).translate(table=code)), np.uint8)
    return found


@cached_njit
def read_frames(is_stop, length, shift_cost):
    """Return the lengths of the codons of the reading that costs least, int64: 3, and 1 or 2 where the frame shifts.

    ``is_stop`` bool (length - 2,): whether a stop codon begins at a letter. Costs are those of the module.
    """
    costs, choices = np.zeros(length + 1, np.int64), np.zeros(length, np.int64)
    for place in range(length - 1, -1, -1):
        least, chosen = np.int64(2**60), 0
        if place + 3 <= length:
            least, chosen = costs[place + 3] + (is_stop[place] and place + 3 < length), 3
        for letters in (2, 1):
            if place + letters <= length:
                cost = costs[place + letters] + (0 if place + letters == length else shift_cost)
                if cost < least:
                    least, chosen = cost, letters
        costs[place], choices[place] = least, chosen
    lengths, count, place = np.empty(length, np.int64), 0, 0
    while place < length:
        lengths[count] = choices[place]
        place += choices[place]
        count += 1
    return lengths[:count].copy()


def thread_codons(coding: Sequences[CodingSequence], proteins: AlignedSequences) -> AlignedSequences:
    """Return the alignment of codons that follows an alignment of the proteins.

    Parameters
    ----------
    coding : sequence of CodingSequence
    proteins : AlignedSequences
        A row for each of them, found by its name, else by its place. A stop at the end of a row may be there or not.

    Returns
    -------
    AlignedSequences
        Three columns for each column of the proteins; rows in the order of ``proteins``.

    Raises
    ------
    InputError
        Where rows and sequences are not the same, or a row is not the translation of its sequence.
    """
    rows = _match_rows(coding, proteins)
    letters = np.full((len(rows), proteins.letters.shape[1], 3), GAP, np.uint8)
    for row, one in enumerate(rows):
        aligned = np.flatnonzero(proteins.letters[row] != GAP)
        if aligned.size == one.protein.size + 1 and proteins.letters[row, aligned[-1]] == STOP:
            aligned = aligned[:-1]
        _check_translation(one, proteins.letters[row, aligned])
        letters[row, aligned] = one.codons
    kind = SequenceType.RNA if all(one.sequence.type is SequenceType.RNA for one in rows) else SequenceType.DNA
    flat = letters.reshape(len(rows), -1)
    flat.setflags(write=False)
    marks = _mark_columns(rows, letters)
    notes = Annotations(of_columns=((CODON_TAG, marks),)) if marks.strip(".") else NO_ANNOTATIONS
    return AlignedSequences(proteins.names, flat, kind, name=f"{proteins.name} codons", annotations=notes)


def _mark_columns(rows: Sequences[CodingSequence], letters: np.ndarray) -> str:
    """Return a sign for each column: where a row has an incomplete codon before its end, or a stop; '.' elsewhere."""
    marks = np.full((letters.shape[1], 3), ord("."), np.uint8)
    for row, one in enumerate(rows):
        places = np.flatnonzero((letters[row] != GAP).any(axis=1))
        starts = np.cumsum((one.codons != GAP).sum(axis=1)) - (one.codons != GAP).sum(axis=1) + 1
        for sign, letters_of in (("*", one.stops), ("/", one.shifts)):
            marks[places[np.searchsorted(starts, letters_of)]] = ord(sign)
    return marks.tobytes().decode("ascii")


def _match_rows(coding: Sequences[CodingSequence], proteins: AlignedSequences) -> list[CodingSequence]:
    """Return the coding sequence of each row of proteins."""
    if len(coding) != len(proteins.names):
        raise InputError(
            f"{format_count(len(coding), 'coding sequence')} and {format_count(len(proteins.names), 'row')} of "
            "proteins; give one protein for each coding sequence"
        )
    by_name: Mapping[str, CodingSequence] = {one.sequence.name: one for one in coding}
    if len(by_name) == len(coding) and by_name.keys() == set(proteins.names):
        return [by_name[name] for name in proteins.names]
    return list(coding)


def _check_translation(one: CodingSequence, row: np.ndarray) -> None:
    """Raise InputError where a row of proteins is not the translation of a sequence; X and stops fit everything."""
    name = one.sequence.name
    size = min(row.size, one.protein.size)
    free = np.isin(row, (UNKNOWN, STOP)) | (row == UNKNOWN)
    differs = np.flatnonzero((row[:size] != one.protein[:size]) & ~free[:size] & (one.protein[:size] != UNKNOWN))
    if differs.size:
        place = int(differs[0])
        codon = one.codons[place].tobytes().decode()
        raise InputError(
            f"{name}: amino acid {place + 1:,} of the protein is {chr(row[place])}, but its codon {codon} codes for "
            f"{chr(one.protein[place])}; check the frame, the genetic code and that both are the same gene"
        )
    if row.size != one.protein.size:
        raise InputError(
            f"{name}: the protein has {format_count(row.size, 'amino acid')} and the coding sequence "
            f"{format_count(one.protein.size, 'codon')}; check the frame and that both are the same gene"
        )
