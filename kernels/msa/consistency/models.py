"""The models of a pair of sequences whose posteriors are combined, as tables that every backend reads.

A model has matches and one or two kinds of gap in either sequence. All weights are odds against letters that stand
alone, so that a letter in a gap weighs 1 and a match ``odds[a, b]``; a path weighs the product of its steps. No gap in
one sequence follows one in the other.

Two models of proteins: a pair-HMM with short and long gaps (Do, Mahabhashyam, Brudno and Batzoglou 2005), and the
partition function over affine scores, with free gaps at both ends (Roshan and Livesay 2006; Miyazawa 1995). DNA and RNA
have the second alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"
NUCLEOTIDES = "ACGT"

UNKNOWN = 20
"""Code of a letter that no model knows: it weighs 1 beside every other."""
PADDING = 21
"""Code of a place without a letter, where vectors are longer than a sequence: it matches nothing."""
CODES = 22

UNIT = 65536
"""A posterior of 1; posteriors are kept as whole numbers of such units, 65,535 at most."""
WEIGHT_UNIT = 1024
"""The largest weight of a sequence; weights are whole numbers."""
CUT = 656
"""Units of a posterior of .01: what is less is dropped."""

MIXED = {"B": "DN", "Z": "EQ", "J": "IL", "U": "C", "O": "K"}
"""Letters of proteins that stand for others; the first one's weights are taken."""

PAM250, GONNET_PAM, NEAR_PAM = 250, 160, 80
"""GONNET1992 is a matrix of 250 PAM; what is aligned best is less far apart."""

DECIMALS = 3
"""Decimals of a score that is computed: as many as every machine computes alike."""

SHORT_START, LONG_START, MATCH_START = 8.615e-05, 0.1591759622, 0.6814756989
SHORT_OPEN, LONG_OPEN = 0.0119511066, 0.008008334786
SHORT_EXTEND, LONG_EXTEND = 0.3965826333, 0.8988758326

PROTEIN_OPEN, PROTEIN_EXTEND, PROTEIN_TEMPERATURE = 22.0, 1.0, 5.0
DNA_OPEN, DNA_EXTEND, DNA_TEMPERATURE = 414.0, 27.0, 100.0


@dataclass(frozen=True, eq=False)
class PairModel:
    """Weights of the steps of a path; of gaps the short and the long kind, the second all 0 where there is one kind.

    ``odds`` is float32 (CODES, CODES). ``start`` is the weight of beginning with a match, and of ending with one;
    ``match`` of a match after a match; ``into``, ``extend`` and ``leave`` of a gap's first letter after a match, of
    each further letter, and of a match after it. ``before`` is the weight of a gap before the first match, ``after`` of
    one after the last, of each kind, and ``end_extend`` of each further letter of them.
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
    def kinds(self) -> int:
        """Kinds of gap."""
        return 2 if self.into[1] else 1

    def reversed(self) -> PairModel:
        """The same weights for sequences read backwards."""
        return replace(self, into=self.leave, leave=self.into, before=self.after, after=self.before)

    def ends(self, longest: int) -> tuple[np.ndarray, np.ndarray]:
        """Weights of a match after k letters at the beginning that stand alone, k = 0..longest.

        Returned as float32 factors from .5 to 1 and int32 exponents of 2.
        """
        letters = np.arange(longest, dtype=np.float64)
        logs = np.full((2, longest + 1), -np.inf)
        for kind in range(self.kinds):
            steps = np.log2(self.before[kind]) + letters * np.log2(self.end_extend[kind])
            logs[kind, 1:] = steps
        logs[0, 0] = np.log2(self.start)
        both = np.logaddexp2(logs[0], logs[1])
        exponents = np.floor(both).astype(np.int32) + 1
        return np.exp2(both - exponents).astype(np.float32), exponents


@cache
def protein_models() -> tuple[PairModel, ...]:
    """The pair-HMM and the partition function."""
    return pair_hmm(), partition_function(
        "partition function", _gonnet(GONNET_PAM), AMINO_ACIDS, PROTEIN_OPEN, PROTEIN_EXTEND, PROTEIN_TEMPERATURE
    )


@cache
def protein_variants() -> tuple[tuple[PairModel, ...], ...]:
    """Models of other alignments: gaps at both ends free; the partition function alone; three distances."""
    hmm, partition = protein_models()
    free = replace(partition, after=partition.before)
    near, far = (
        replace(partition, name=f"partition function, {pam} PAM", odds=_boltzmann(pam), after=partition.before)
        for pam in (NEAR_PAM, PAM250)
    )
    return (hmm, free), (free,), (hmm, free, near, far)


def _boltzmann(pam: int) -> np.ndarray:
    return _odds(np.exp(_gonnet(pam) / PROTEIN_TEMPERATURE), AMINO_ACIDS)


@cache
def dna_variants() -> tuple[tuple[PairModel, ...], ...]:
    """The same of nucleotides: the partition function at a lower and at a higher temperature."""
    return tuple(
        (partition_function("partition function", _hoxd(), NUCLEOTIDES, DNA_OPEN, DNA_EXTEND, DNA_TEMPERATURE * by),)
        for by in (0.8, 1.25)
    )


@cache
def dna_models() -> tuple[PairModel, ...]:
    """The partition function over HOXD70."""
    return (partition_function("partition function", _hoxd(), NUCLEOTIDES, DNA_OPEN, DNA_EXTEND, DNA_TEMPERATURE),)


def _hoxd() -> np.ndarray:
    from Bio.Align import substitution_matrices

    matrix = substitution_matrices.load("HOXD70")
    return np.array([[float(matrix[a, b]) for b in NUCLEOTIDES] for a in NUCLEOTIDES])


def pair_hmm() -> PairModel:
    """Five states: a match, short gaps and long gaps in either sequence.

    At the ends a gap weighs the same whatever its length, unlike in ProbCons: what one sequence has beyond the other
    says nothing of how they are aligned.
    """
    scores = _scores("BLOSUM62", AMINO_ACIDS)
    return PairModel(
        "pair-HMM",
        _odds(np.exp2(scores / 2), AMINO_ACIDS),
        start=MATCH_START,
        match=1 - 2 * (SHORT_OPEN + LONG_OPEN),
        into=(SHORT_OPEN, LONG_OPEN),
        extend=(SHORT_EXTEND, LONG_EXTEND),
        leave=(1 - SHORT_EXTEND, 1 - LONG_EXTEND),
        before=(SHORT_START * (1 - SHORT_EXTEND), LONG_START * (1 - LONG_EXTEND)),
        after=(SHORT_OPEN * SHORT_START, LONG_OPEN * LONG_START),
        end_extend=(1.0, 1.0),
    )


def partition_function(
    name: str, scores: np.ndarray, letters: str, opening: float, extension: float, temperature: float
) -> PairModel:
    """Boltzmann weights of affine scores; a gap's first letter costs ``opening``.

    A gap before the first match costs nothing, and one after the last nothing but that it is opened.
    """
    into = (float(np.exp(-opening / temperature)), 0.0)
    return PairModel(
        name,
        _odds(np.exp(scores / temperature), letters),
        start=1.0,
        match=1.0,
        into=into,
        extend=(float(np.exp(-extension / temperature)), 0.0),
        leave=(1.0, 0.0),
        before=(1.0, 0.0),
        after=into,
        end_extend=(1.0, 0.0),
    )


def codes(letters: bytes, protein: bool) -> np.ndarray:
    """Codes of letters, uint8: places in the alphabet of the models, UNKNOWN for others."""
    return _translation(protein)[np.frombuffer(letters, np.uint8)]


@cache
def _translation(protein: bool) -> np.ndarray:
    table = np.full(256, UNKNOWN, np.uint8)
    alphabet = AMINO_ACIDS if protein else NUCLEOTIDES
    meant = {letter: letter for letter in alphabet} | (
        {letter: others[0] for letter, others in MIXED.items()} if protein else {"U": "T"}
    )
    for letter, other in meant.items():
        table[[ord(letter), ord(letter.lower())]] = alphabet.index(other)
    table.setflags(write=False)
    return table


def _scores(name: str, letters: str) -> np.ndarray:
    from Bio.Align import substitution_matrices

    matrix = substitution_matrices.load(name)
    return np.array([[float(matrix[a, b]) for b in letters] for a in letters])


def _gonnet(pam: int) -> np.ndarray:
    """Gonnet's scores at another distance, in tenths of a decimal logarithm.

    The frequencies are those under which the scores of 250 PAM are log odds; the mutation matrix of 250 PAM, raised to
    a power, is that of another distance.
    """
    ratios = 10 ** (_scores("GONNET1992", AMINO_ACIDS) / 10)
    frequencies = np.linalg.solve(ratios, np.ones(len(ratios)))
    frequencies /= frequencies.sum()
    roots = np.sqrt(frequencies)
    joint = roots[:, None] * ratios * roots  # similar to the mutation matrix, and symmetric
    values, vectors = np.linalg.eigh(joint)
    changed = (vectors * np.maximum(values, 1e-12) ** (pam / PAM250)) @ vectors.T
    scores = 10 * np.log10(np.maximum(changed / (roots[:, None] * roots), 1e-6))
    return np.round(scores, DECIMALS)


def _odds(known: np.ndarray, letters: str) -> np.ndarray:
    odds = np.ones((CODES, CODES), np.float32)
    odds[: len(letters), : len(letters)] = known
    odds[PADDING] = odds[:, PADDING] = 0
    odds.setflags(write=False)
    return odds
