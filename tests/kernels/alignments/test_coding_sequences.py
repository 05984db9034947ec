"""Codon alignment: reading frames, shifts and stops; codons that follow an alignment of proteins."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from Bio.Seq import Seq

from antidiag.kernels.alignments import coding_sequences
from antidiag.kernels.alignments.coding_sequences import SHIFT_COST, read_coding_sequence, thread_codons
from antidiag.kernels.alignments.genetic_code import CODON_TAG
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.model import SequenceType
from tests.problems import sequence

BASES = "ACGT"
STOPS = ("TAA", "TAG", "TGA")


def random_gene(codons: int, seed: int) -> str:
    """Codons without a stop, whose other two frames have stops as chance has it, and a stop at the end."""
    every = ["".join(three) for three in itertools.product(BASES, repeat=3)]
    random = np.random.default_rng(seed)
    return "ATG" + "".join(random.choice([codon for codon in every if codon not in STOPS], codons)) + "TAA"


def test_a_whole_gene_is_read_as_biopython_translates_it() -> None:
    gene = random_gene(200, 1)
    read = read_coding_sequence(sequence(gene, "gene"))
    assert read.protein.tobytes().decode() == str(Seq(gene).translate()).rstrip("*")
    assert read.codons.tobytes().decode() == gene[:-3]
    assert read.final_stop and read.notes == ()


@pytest.mark.parametrize("code", [2, 5, 11])
def test_other_genetic_codes_translate_as_biopythons(code: int) -> None:
    gene = random_gene(60, 2)
    read = read_coding_sequence(sequence(gene, "gene"), code, finds_shifts=False)
    assert read.protein.tobytes().decode() == str(Seq(gene).translate(table=code)).rstrip("*").replace("*", "X")


def test_codons_with_two_meanings_are_amino_acids_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = read_coding_sequence(sequence("ATGTGAAAA", "gene"), 27)
    assert read.protein.tobytes() == b"MWK" and not read.stops


def cost_of_reading(gene: str, cuts: tuple[int, ...]) -> int:
    """The cost of codons of these lengths."""
    place = cost = 0
    for length in cuts:
        end = place + length
        if length < 3:
            cost += SHIFT_COST * (end < len(gene))
        else:
            cost += gene[place:end] in STOPS and end < len(gene)
        place = end
    assert place == len(gene)
    return int(cost)


def every_reading(length: int) -> list[tuple[int, ...]]:
    if length == 0:
        return [()]
    return [(first, *rest) for first in (1, 2, 3) if first <= length for rest in every_reading(length - first)]


@pytest.mark.parametrize("seed", range(12))
def test_no_reading_costs_less(seed: int) -> None:
    random = np.random.default_rng(seed)
    gene = "".join(random.choice(list("TAGTA"), int(random.integers(3, 13))))
    is_stop = coding_sequences.translate_every_place(gene.encode(), 1) == ord("*")
    found = coding_sequences.read_frames(is_stop, len(gene), SHIFT_COST)
    assert cost_of_reading(gene, tuple(found.tolist())) == min(
        cost_of_reading(gene, cuts) for cuts in every_reading(len(gene))
    )


@pytest.mark.parametrize("change", ["inserted", "deleted"])
def test_a_shift_of_the_frame_is_found_before_the_first_stop_that_it_makes(change: str) -> None:
    gene = random_gene(400, 3)
    broken = gene[:300] + "A" + gene[300:] if change == "inserted" else gene[:300] + gene[301:]
    read = read_coding_sequence(sequence(broken, "broken"))
    assert len(read.shifts) == 1 and not read.stops and read.final_stop
    kept = read_coding_sequence(sequence(broken, "broken"), finds_shifts=False)
    assert 295 <= read.shifts[0] <= kept.stops[0]
    assert f"the reading frame shifts at letter {read.shifts[0]}" in read.notes[0]
    letters = read.codons.tobytes().decode()
    assert letters.replace("-", "") == broken[:-3]
    whole = read_coding_sequence(sequence(gene, "gene")).protein.tobytes()
    assert read.protein.tobytes()[-250:] == whole[-250:]


def test_a_single_stop_is_no_shift_and_is_told() -> None:
    gene = random_gene(50, 4)
    read = read_coding_sequence(sequence(gene[:30] + "TAG" + gene[30:], "gene"))
    assert read.stops == (31,) and not read.shifts
    assert read.notes == ("gene: 1 stop codon before the end, at letter 31; aligned as X",)
    assert chr(read.protein[10]) == "X"


def test_an_incomplete_last_codon_is_no_shift() -> None:
    read = read_coding_sequence(sequence("ATGAAATT", "a"))
    assert read.is_cut and not read.shifts and read.notes == ("a: ends within a codon, which gaps fill",)
    assert read.codons.tobytes() == b"ATGAAATT-" and read.protein.tobytes() == b"MKX"


def proteins(rows: dict[str, str]) -> AlignedSequences:
    letters = np.array([list(row.encode()) for row in rows.values()], np.uint8)
    return AlignedSequences(tuple(rows), letters, SequenceType.PROTEIN)


def test_codons_follow_the_proteins_by_name() -> None:
    coding = [
        read_coding_sequence(sequence(letters, name)) for name, letters in (("a", "ATGAAATTT"), ("b", "ATGTTTTAA"))
    ]
    found = thread_codons(coding, proteins({"b": "M-F", "a": "MKF"}))
    assert found.names == ("b", "a") and found.type is SequenceType.DNA
    assert [row.tobytes().decode() for row in found.letters] == ["ATG---TTT", "ATGAAATTT"]


def test_proteins_that_are_no_translation_are_refused_with_the_place() -> None:
    coding = [read_coding_sequence(sequence("ATGAAATTT", "a"))]
    with pytest.raises(InputError, match="a: amino acid 2 of the protein is W, but its codon AAA codes for K"):
        thread_codons(coding, proteins({"a": "MWF"}))
    with pytest.raises(InputError, match="has 2 amino acids and the coding sequence 3 codons"):
        thread_codons(coding, proteins({"a": "MK-"}))
    with pytest.raises(InputError, match="1 coding sequence and 2 rows"):
        thread_codons(coding, proteins({"a": "MKF", "b": "MKF"}))


def test_what_cannot_be_read_is_refused() -> None:
    with pytest.raises(InputError, match="hold no codon"):
        read_coding_sequence(sequence("AT", "a"))
    with pytest.raises(InputError, match="is a protein"):
        read_coding_sequence(sequence("MKF", "a", SequenceType.PROTEIN))
    with pytest.raises(ParameterError, match="genetic code 99 is unknown"):
        read_coding_sequence(sequence("ATGAAA", "a"), 99)


def test_columns_with_a_shift_or_a_stop_are_marked():
    """One row has a stop in its third codon."""
    genes = {"a": "ATGAAATGAGGTTGG", "b": "ATGAAACGAGGTTGG"}
    coding = [read_coding_sequence(sequence(text, name)) for name, text in genes.items()]
    found = thread_codons(coding, proteins({"a": "MKXGW", "b": "MKRGW"}))
    assert found.annotations.of_columns == ((CODON_TAG, "......***......"),)
    plain = thread_codons(coding[1:], proteins({"b": "MKRGW"}))
    assert not plain.annotations.of_columns
