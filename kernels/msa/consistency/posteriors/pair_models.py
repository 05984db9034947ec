"""Models of a pair of sequences whose posteriors are combined, as tables that every backend reads.

A model has matches and one or two kinds of gap in either sequence. Weights are odds against unaligned letters: a letter
in a gap weighs 1 and a match ``odds[a, b]``; a path weighs the product of its steps. No gap in one sequence follows a
gap in the other.

Proteins use two models: a pair HMM with short and long gaps (Do, Mahabhashyam, Brudno and Batzoglou 2005), and the
partition function over affine scores with free end gaps (Roshan and Livesay 2006; Miyazawa 1995). DNA and RNA use the
second alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from antidiag.kernels.sequences.alphabets import letter_meanings

AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"
NUCLEOTIDES = "ACGT"

UNKNOWN = 20
"""Code of a letter that no model knows: it weighs 1 beside every other."""
PADDING = 21
"""Code of padding behind a sequence that is shorter than a vector: it matches nothing."""
CODES = 22

UNIT = 65536
"""Units of a posterior of 1; posteriors are stored as whole numbers up to 65,535."""
WEIGHT_UNIT = 1024
"""The largest weight of a sequence; weights are whole numbers."""
CUT = 656
"""Units of a posterior of .01, below which posteriors are dropped."""

MIXED = {letter: residues[0] for letter, residues in letter_meanings(protein=True).items() if letter != "X"}
"""Letters of proteins beside the twenty, and the residue whose weights they have: the first that they stand for."""

PAM250, GONNET_PAM, NEAR_PAM = 250, 160, 80
"""Distances in PAM: GONNET1992 is a matrix of 250 PAM, while well aligned sequences are closer."""

DECIMALS = 3
"""Decimals of computed scores, few enough to be equal on every machine."""

SHORT_START, LONG_START, MATCH_START = 8.615e-05, 0.1591759622, 0.6814756989
SHORT_OPEN, LONG_OPEN = 0.0119511066, 0.008008334786
SHORT_EXTEND, LONG_EXTEND = 0.3965826333, 0.8988758326

PROTEIN_OPEN, PROTEIN_EXTEND, PROTEIN_TEMPERATURE = 22.0, 1.0, 5.0
DNA_OPEN, DNA_EXTEND, DNA_TEMPERATURE = 414.0, 27.0, 100.0


@dataclass(frozen=True, eq=False)
class PairModel:
    """Weights of the steps of a path; gap weights are those of short and long gaps, the second 0 if there is one kind.

    ``odds`` float32 (CODES, CODES). ``start`` weighs a match at the beginning or end, ``match`` a match after a match;
    ``into``, ``extend`` and ``leave`` a gap's first letter after a match, each further letter, and a match after it.
    ``before`` and ``after`` weigh a gap before the first and after the last match, ``end_extend`` each of its further
    letters.
    """

    name: str
    odds: np.ndarray
    start: float
    match: float
    into: tuple[float, float]
    extend: tuple[float, float]
    leave: tuple[float, float]
    before: tuple[float, float]
    after: tuple[float, float]
    end_extend: tuple[float, float]

    @property
    def gap_kinds(self) -> int:
        """Return the number of kinds of gap."""
        return 2 if self.into[1] else 1

    def reverse_model(self) -> PairModel:
        """Return the model for reversed sequences."""
        return replace(self, into=self.leave, leave=self.into, before=self.after, after=self.before)

    def end_weights(self, longest: int) -> tuple[np.ndarray, np.ndarray]:
        """Return weights of a match after k unaligned letters at the beginning, k = 0 to ``longest``.

        They are float32 factors from 0.5 to 1 and int32 exponents of 2.
        """
        letters = np.arange(longest, dtype=np.float64)
        logs = np.full((2, longest + 1), -np.inf)
        for kind in range(self.gap_kinds):
            steps = np.log2(self.before[kind]) + letters * np.log2(self.end_extend[kind])
            logs[kind, 1:] = steps
        logs[0, 0] = np.log2(self.start)
        both = np.logaddexp2(logs[0], logs[1])
        exponents = np.floor(both).astype(np.int32) + 1
        return np.exp2(both - exponents).astype(np.float32), exponents


@cache
def make_protein_models() -> tuple[PairModel, ...]:
    """Return the pair HMM and the partition function."""
    return make_pair_hmm(), make_partition_function(
        "partition function", _gonnet_scores(GONNET_PAM), AMINO_ACIDS, PROTEIN_OPEN, PROTEIN_EXTEND, PROTEIN_TEMPERATURE
    )


@cache
def make_protein_variants() -> tuple[tuple[PairModel, ...], ...]:
    """Return models of the other alignments of "thorough": free end gaps, the partition function alone, three
    distances.
    """
    hmm, partition = make_protein_models()
    free = replace(partition, after=partition.before)
    near, far = (
        replace(partition, name=f"partition function, {pam} PAM", odds=_boltzmann_odds(pam), after=partition.before)
        for pam in (NEAR_PAM, PAM250)
    )
    return (hmm, free), (free,), (hmm, free, near, far)


def _boltzmann_odds(pam: int) -> np.ndarray:
    """Return the odds of Gonnet's scores at a distance."""
    return _make_odds(np.exp(_gonnet_scores(pam) / PROTEIN_TEMPERATURE), AMINO_ACIDS)


@cache
def make_dna_variants() -> tuple[tuple[PairModel, ...], ...]:
    """Return models of the other alignments of "thorough": the partition function at two other temperatures."""
    return tuple(
        (
            make_partition_function(
                "partition function", _hoxd_scores(), NUCLEOTIDES, DNA_OPEN, DNA_EXTEND, DNA_TEMPERATURE * by
            ),
        )
        for by in (0.8, 1.25)
    )


@cache
def make_dna_models() -> tuple[PairModel, ...]:
    """Return the partition function over HOXD70."""
    return (
        make_partition_function(
            "partition function", _hoxd_scores(), NUCLEOTIDES, DNA_OPEN, DNA_EXTEND, DNA_TEMPERATURE
        ),
    )


def _hoxd_scores() -> np.ndarray:
    """Return HOXD70 in the order of the nucleotides."""
    from Bio.Align import substitution_matrices

    matrix = substitution_matrices.load("HOXD70")
    return np.array([[float(matrix[a, b]) for b in NUCLEOTIDES] for a in NUCLEOTIDES])


def make_pair_hmm() -> PairModel:
    """Return the pair HMM: matches, and short and long gaps in either sequence.

    Unlike in ProbCons an end gap weighs the same for every length: what one sequence has beyond the other says nothing
    of how they are aligned.
    """
    scores = _matrix_scores("BLOSUM62", AMINO_ACIDS)
    return PairModel(
        "pair-HMM",
        _make_odds(np.exp2(scores / 2), AMINO_ACIDS),
        start=MATCH_START,
        match=1 - 2 * (SHORT_OPEN + LONG_OPEN),
        into=(SHORT_OPEN, LONG_OPEN),
        extend=(SHORT_EXTEND, LONG_EXTEND),
        leave=(1 - SHORT_EXTEND, 1 - LONG_EXTEND),
        before=(SHORT_START * (1 - SHORT_EXTEND), LONG_START * (1 - LONG_EXTEND)),
        after=(SHORT_OPEN * SHORT_START, LONG_OPEN * LONG_START),
        end_extend=(1.0, 1.0),
    )


def make_partition_function(
    name: str, scores: np.ndarray, letters: str, opening: float, extension: float, temperature: float
) -> PairModel:
    """Return Boltzmann weights of affine scores; a gap's first letter costs ``opening``.

    A gap before the first match is free; one after the last match costs its opening.
    """
    into = (float(np.exp(-opening / temperature)), 0.0)
    return PairModel(
        name,
        _make_odds(np.exp(scores / temperature), letters),
        start=1.0,
        match=1.0,
        into=into,
        extend=(float(np.exp(-extension / temperature)), 0.0),
        leave=(1.0, 0.0),
        before=(1.0, 0.0),
        after=into,
        end_extend=(1.0, 0.0),
    )


def encode_letters(letters: bytes, protein: bool) -> np.ndarray:
    """Encode letters as places in the alphabet of the models, uint8; UNKNOWN for others."""
    return _letter_codes(protein)[np.frombuffer(letters, np.uint8)]


@cache
def _letter_codes(protein: bool) -> np.ndarray:
    """Return the code of each byte."""
    table = np.full(256, UNKNOWN, np.uint8)
    alphabet = AMINO_ACIDS if protein else NUCLEOTIDES
    meant = {letter: letter for letter in alphabet} | (MIXED if protein else {"U": "T"})
    for letter, other in meant.items():
        table[[ord(letter), ord(letter.lower())]] = alphabet.index(other)
    table.setflags(write=False)
    return table


def _matrix_scores(name: str, letters: str) -> np.ndarray:
    """Return a named matrix in the order of ``letters``."""
    from Bio.Align import substitution_matrices

    matrix = substitution_matrices.load(name)
    return np.array([[float(matrix[a, b]) for b in letters] for a in letters])


def _gonnet_scores(pam: int) -> np.ndarray:
    """Return Gonnet's scores at another distance, in tenths of a decimal logarithm.

    Frequencies are those under which the 250 PAM scores are log odds; a power of the 250 PAM mutation matrix gives
    another distance.
    """
    ratios = 10 ** (_matrix_scores("GONNET1992", AMINO_ACIDS) / 10)
    frequencies = np.linalg.solve(ratios, np.ones(len(ratios)))
    frequencies /= frequencies.sum()
    roots = np.sqrt(frequencies)
    joint = roots[:, None] * ratios * roots  # similar to the mutation matrix, and symmetric
    values, vectors = np.linalg.eigh(joint)
    changed = (vectors * np.maximum(values, 1e-12) ** (pam / PAM250)) @ vectors.T
    scores = 10 * np.log10(np.maximum(changed / (roots[:, None] * roots), 1e-6))
    return np.round(scores, DECIMALS)


def _make_odds(known: np.ndarray, letters: str) -> np.ndarray:
    """Return odds over all codes: 1 for unknown letters, 0 for padding."""
    odds = np.ones((CODES, CODES), np.float32)
    odds[: len(letters), : len(letters)] = known
    odds[PADDING] = odds[:, PADDING] = 0
    odds.setflags(write=False)
    return odds
