"""What defines the alignment of the method: effort, and what follows from it; which sequences it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kernels.errors import InputError
from kernels.model import Sequence
from kernels.parameters import Parameter
from kernels.serialization import stored

MOST_LETTERS = 65535
"""Letters of a sequence: places are kept in 16 bits."""
MOST_SEQUENCES = 4000
"""Sequences whose pairs can all be aligned in reasonable time and memory."""

EFFORT = Parameter(
    "effort", "choice", "Effort", "fast: one round of consistency, no refinement. normal: two rounds (one beyond 50 "
    "sequences), then the alignment is split at 30 columns and merged again.", default="normal",
    choices=("fast", "normal"),
)  # fmt: skip
SEED = Parameter(
    "refinement_seed", "int", "Seed of the refinement", "Begins the random choice of the columns at which the "
    "alignment is split.", default=1, minimum=0, maximum=2**31 - 1,
)  # fmt: skip
LEAST = Parameter(
    "least_posterior", "float", "Least posterior", "Posteriors below it are dropped. Where all of .01 and more do not "
    "fit in memory, .05 takes about a half of it, and .1 two fifths; the alignment may be less right.",
    default=0.01, minimum=0.01, maximum=0.5,
)  # fmt: skip
OPTIONS = (EFFORT, SEED, LEAST)


@stored("msa-consistency-rules")
@dataclass(frozen=True)
class ConsistencyRules:
    """See OPTIONS."""

    effort: str
    refinement_seed: int
    least_posterior: float = LEAST.default


@stored("msa-refinement-rules")
@dataclass(frozen=True)
class RefinementRules:
    """How an alignment that is given is refined: see the options of `given`."""

    refinement: str
    refinement_seed: int


def rules(sequences: tuple[Sequence, ...], values: Mapping[str, Any]) -> ConsistencyRules:
    """The rules of option values; InputError where the sequences are too many or too long."""
    check_sizes(sequences)
    return ConsistencyRules(values["effort"], values["refinement_seed"], values["least_posterior"])


def check_sizes(sequences: tuple[Sequence, ...]) -> None:
    """InputError where the sequences are too many or too long."""
    filled = sum(len(sequence) > 0 for sequence in sequences)
    if filled > MOST_SEQUENCES:
        raise InputError(
            f"{filled:,} sequences, and posteriors of all pairs are made of {MOST_SEQUENCES:,} at most; leave some "
            "out, or use a method that goes along a guide tree alone, such as ClustalW's"
        )
    longest = max(sequences, key=len)
    if len(longest) > MOST_LETTERS:
        raise InputError(
            f"{longest.name} has {len(longest):,} letters, and {MOST_LETTERS:,} are the most; cut it, or use a method "
            "without posteriors, such as ClustalW's"
        )
