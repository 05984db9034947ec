"""Coding sequences as users have them: files with shifts, stops, masks and ambiguous bases, under all genetic codes.

An attempt reads such a file codon by codon, which no other reading does for less; aligns the codons along a random
alignment of the proteins, which is read again from every format; and aligns a protein with the bases, as the textbook
does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels import registry
from antidiag.kernels.alignments.coding_sequences import (
    SHIFT_COST,
    CodingSequence,
    read_coding_sequence,
    thread_codons,
    translate_every_place,
)
from antidiag.kernels.file_conventions import SoftMasking, use_conventions
from antidiag.kernels.io import alignment_writer
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences, read_alignments
from antidiag.kernels.io.sequences import read_sequences
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.frames import genetic_codes, reference
from antidiag.kernels.registry import result_saving
from antidiag.kernels.trials import TrialChooser
from tests.kernels.conformance import checks

METHOD = "frame-alignment"
MOST, CODONS = 4, 20
BASES = {SequenceType.DNA: "ACGT", SequenceType.RNA: "ACGU"}
AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
READ_AGAIN = (".fasta", ".aln", ".sto", ".phy", ".nex")


def try_coding_sequences(choose: TrialChooser, folder: Path, backend: str) -> None:
    """Try a drawn file of coding sequences; raise AssertionError where something differs."""
    kind, code = choose.choose_one(tuple(BASES)), int(choose.choose_one(genetic_codes.code_ids()))
    with use_conventions(masking=choose.choose_one(tuple(SoftMasking))):
        genes = list(read_sequences(_write_genes(folder / "genes.fasta", kind, choose), kind))
        finds_shifts = choose.choose_one((True, True, False))
        coding = [read_coding_sequence(one, code, finds_shifts) for one in genes if len(one) > 2]
        for one in coding:
            _check_reading(one, code, finds_shifts)
        if len(coding) > 1:  # a file of one row is one sequence
            _try_threading(choose, folder, coding)
        _try_protein(choose, folder, genes[0], code, backend)


def _write_genes(path: Path, kind: SequenceType, choose: TrialChooser) -> Path:
    """Write mutated copies of a gene, some with inserted or missing bases, lower case and ambiguous letters."""
    random = choose.make_generator()
    gene = list(random.choice(list(BASES[kind]), 3 * choose.draw_integer(1, CODONS)))
    lines = []
    for number in range(choose.draw_integer(1, MOST)):
        copy = list(gene)
        for _ in range(choose.draw_integer(0, 4)):
            place = int(random.integers(len(copy)))
            changed = random.choice([*BASES[kind], "N", "R", "a", "n"])
            copy[place : place + 1] = choose.choose_one(([changed], [copy[place], changed], [], list("TAA")))
            copy = copy or [gene[0]]
        lines.append(f">g{number}\n{''.join(copy)}\n")
    text = "".join(lines)
    path.write_text(text.replace("T", "U") if kind is SequenceType.RNA else text)
    return path


def _check_reading(one: CodingSequence, code: int, finds_shifts: bool) -> None:
    """Compare a reading with the best of all."""
    letters = one.sequence.letters.decode()
    codons = ["".join(map(chr, codon)).replace("-", "") for codon in one.codons]
    read = "".join(codons)
    rest = letters[len(read) :]
    assert letters.startswith(read), f"other letters were read: {read}, not {letters}"
    assert bool(rest) == one.final_stop and (not rest or _is_stop(rest, code)), f"{rest!r} was left out at the end"
    lengths = tuple(len(codon) for codon in codons) + (3,) * one.final_stop
    expected = _read_best(letters, code, SHIFT_COST if finds_shifts else 10**6)
    assert lengths == expected, f"codons of {lengths} letters were read, not of {expected}: {letters}, code {code}"
    stops = [place for place, codon in enumerate(codons[: None if rest else -1]) if _is_stop(codon, code)]
    assert len(stops) == len([place for place in one.stops if place <= len(read) - 3 or rest])


def _is_stop(codon: str, code: int) -> bool:
    return len(codon) == 3 and _translate(codon, code) == "*"


@cache
def _translate(codon: str, code: int) -> str:
    return chr(translate_every_place(codon.encode(), code)[0])


def _read_best(letters: str, code: int, shift_cost: int) -> tuple[int, ...]:
    """Return the lengths of the codons of the reading that costs least; of equal ones that whose shifts are latest."""

    @cache
    def read_from(place: int) -> tuple[int, tuple[int, ...]]:
        """Return the cost of the best reading of the letters from a place on, and minus the lengths of its codons."""
        if place == len(letters):
            return 0, ()
        found = []
        for length in range(1, min(3, len(letters) - place) + 1):
            behind, others = read_from(place + length)
            is_last = place + length == len(letters)
            shift = 0 if length == 3 or is_last else shift_cost
            stop = not is_last and _is_stop(letters[place : place + length], code)
            found.append((behind + shift + stop, (-length, *others)))
        return min(found)

    return tuple(-length for length in read_from(0)[1])


def _try_threading(choose: TrialChooser, folder: Path, coding: list[CodingSequence]) -> None:
    """Align codons along proteins with random gaps in random order, and read them again from every format."""
    order = choose.make_generator().permutation(len(coding))
    proteins = _add_gaps([coding[number] for number in order], choose)
    found = thread_codons(coding, proteins)
    assert found.letters.shape == (len(coding), 3 * proteins.letters.shape[1])
    for row, number in enumerate(order.tolist()):
        own = found.letters[row].reshape(-1, 3)
        np.testing.assert_array_equal((own != GAP).any(axis=1), proteins.letters[row] != GAP)
        np.testing.assert_array_equal(own[proteins.letters[row] != GAP], coding[number].codons)
    path = folder / f"codons{choose.choose_one(READ_AGAIN)}"
    alignment_writer.write_alignments(path, [found])
    (again,) = read_alignments(path)
    assert again.names == found.names, f"{path.suffix} has other names"
    np.testing.assert_array_equal(again.letters, found.letters, f"{path.suffix} has other letters")


def _add_gaps(coding: list[CodingSequence], choose: TrialChooser) -> AlignedSequences:
    """Return the proteins as rows with gaps at random places."""
    random = choose.make_generator()
    width = max(one.protein.size for one in coding) + choose.draw_integer(0, 5)
    letters = np.full((len(coding), width), GAP, np.uint8)
    for row, one in enumerate(coding):
        letters[row, np.sort(random.permutation(width)[: one.protein.size])] = one.protein
    letters.setflags(write=False)
    return AlignedSequences(tuple(one.sequence.name for one in coding), letters, SequenceType.PROTEIN, "proteins")


def _try_protein(choose: TrialChooser, folder: Path, gene: Sequence, code: int, backend: str) -> None:
    """Compare the alignment of a protein with the bases of a gene with the textbook's, and its files with itself."""
    method, options = registry.find_method(METHOD), _draw_frame_options(choose, code)
    path = folder / "protein.fasta"
    path.write_text(f">protein\nM{''.join(_draw_protein(choose, gene, code))}\n")
    protein = read_sequences(path, SequenceType.PROTEIN)[0]
    data = [protein, gene] if choose.choose_one((True, False)) else [gene, protein]
    problem = method.problem_type.make_problem(data, options)
    result = checks.run(method, backend, problem, {})
    expected = reference.align_frames(problem)
    assert (result.answer.score, result.answer.strand, result.answer.end) == (
        expected.score,
        expected.strand,
        expected.end,
    ), f"{result.answer}, not {expected}: {options}"
    np.testing.assert_array_equal(result.answer.path.operations, expected.path.operations)
    for suffix in (".txt", ".json"):
        result_saving.write_result(folder / f"frames{suffix}", result)


def _draw_protein(choose: TrialChooser, gene: Sequence, code: int) -> Iterator[str]:
    """Yield the amino acids of a gene, some of them changed, masked or left out."""
    random = choose.make_generator()
    letters = gene.letters.decode()
    for place in range(0, len(letters) - 2, 3):
        if (kind := choose.choose_one(("same", "same", "same", "same", "other", "none"))) != "none":
            amino = _translate(letters[place : place + 3], code)
            yield amino if kind == "same" else str(random.choice([*AMINO_ACIDS, "X", "B", "*", "m"]))


def _draw_frame_options(choose: TrialChooser, code: int) -> Mapping[str, Any]:
    """Return options of a protein against bases as a user sets them."""
    return {
        "mode": choose.choose_one(("local", "query-in-target")),
        "strand": choose.choose_one(("forward", "reverse", "both")),
        "genetic_code": str(code),
        "matrix": choose.choose_one(("BLOSUM62", "BLOSUM45", "PAM250")),
        "gap_open": choose.choose_one((0, 5, 11)),
        "gap_extend": choose.choose_one((1, 2)),
        "frameshift": choose.choose_one((0, 8, 20)),
        "stop": choose.choose_one((None, -10, 0)),
    }
