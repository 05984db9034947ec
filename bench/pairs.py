"""The pairs of sequences that are measured: real ones, and random DNA with a mutated copy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from kernels import sequences
from kernels.model import Mode, PairProblem, Sequence, SequenceType
from kernels.pairwise import problem

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"
SAMPLES = ROOT / "resources" / "samples"
MUTATED = 0.1
"""Share of the letters of a random sequence that its copy has changed."""


@dataclass(frozen=True)
class Pair:
    """A named pair of sequences and the options that every program scores it with."""

    name: str
    first: Sequence
    second: Sequence
    options: dict[str, object]

    @property
    def problem(self) -> PairProblem:
        """The local pair problem."""
        return problem.build((self.first, self.second), {"mode": str(Mode.LOCAL), **self.options})

    @property
    def start(self) -> Pair:
        """The same pair cut to its first letters, for warming up."""
        return replace(self, first=_cut(self.first), second=_cut(self.second))


DNA = {"match": 2, "mismatch": -3, "gap_open": 5, "gap_extend": 2, "wildcard": "N"}
PROTEIN = {"matrix": "BLOSUM62", "gap_open": 10, "gap_extend": 1}


def mitochondria() -> Pair:
    """Two mitochondrial genomes of about 16.5 kb, nine tenths identical."""
    return Pair("mitochondria", *_read("mitochondrion-human.fasta", "mitochondrion-chimpanzee.fasta"), DNA)


def phages() -> Pair:
    """Two sequences of 48.5 kb with about 17 kb in common."""
    return Pair("phages", *_read("phage-lambda.fasta", "prophage-ecoli536.fasta"), DNA)


def proteins() -> Pair:
    """Two proteins of about 1,400 residues; the bundled haemoglobin chains where these are not there."""
    long = next(iter(sorted((SHARED / "triples").glob("triple_13*.fasta"))), None)
    found = sequences.read(long or SAMPLES / "human-haemoglobin.fasta")
    return Pair("long proteins" if long else "haemoglobin", found[0], found[1], PROTEIN)


def random_dna(length: int) -> Pair:
    """Random DNA of this length and a copy with substitutions, the same at each call."""
    draw = np.random.default_rng(length)
    letters = np.frombuffer(b"ACGT", np.uint8)
    original = letters[draw.integers(0, 4, length)]
    other = letters[draw.integers(0, 4, length)]
    copy = np.where(draw.random(length) < MUTATED, other, original)
    first, second = (
        Sequence(name, row.tobytes(), SequenceType.DNA) for name, row in (("original", original), ("copy", copy))
    )
    return Pair(f"random {length // 1000} kb", first, second, DNA)


def _cut(sequence: Sequence) -> Sequence:
    return replace(sequence, letters=sequence.letters[:200])


def _read(*names: str) -> tuple[Sequence, Sequence]:
    first, second = (sequences.read(SAMPLES / name)[0] for name in names)
    return first, second
