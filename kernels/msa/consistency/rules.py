"""Options of consistency-based alignment, the rules that follow from them, and the limits of its input."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.model import Sequence, sequence_lengths
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.serialization import stored

MOST_LETTERS = 65535
"""Maximum letters of a sequence: places are stored in 16 bits."""
MOST_SEQUENCES = 4000
"""Maximum sequences, whose pairs fit into reasonable time and memory."""

EFFORT = Parameter(
    name="effort",
    kind="choice",
    label="Effort",
    help="fast: one round of consistency, no refinement. normal: two rounds (one beyond 50 sequences), then 30 "
    "refinements. thorough: four alignments by different models, then the alignment that agrees best with them.",
    default="normal",
    choices=("fast", "normal", "thorough"),
)
SEED = Parameter(
    name="refinement_seed",
    kind="int",
    label="Refinement seed",
    help="Seed of the random columns at which a refinement splits the alignment.",
    default=1,
    minimum=0,
    maximum=2**31 - 1,
)
LEAST = Parameter(
    name="least_posterior",
    kind="float",
    label="Smallest posterior",
    help="Smallest posterior probability that is kept. automatic: 0.01; 0.05 or 0.1 where posteriors would need more "
    "than 10 GiB, which may cost accuracy.",
    default=None,
    minimum=0.01,
    maximum=0.5,
)
LEASTS = (0.01, 0.05, 0.1)
"""Automatic values, larger for larger problems; they never depend on the machine."""
ROOM_BYTES = 10 << 30
ENTRIES, THINNING = 4.0, 0.6
"""Typical posteriors of at least .01 per letter and other sequence; they fall with this power of the threshold. They
choose the threshold alone: what a run needs follows from how similar its sequences are (`sizes.estimate_density`)."""
ENTRY_BYTES, POINTER_BYTES = 4, 4
TRIPLETS = Parameter(
    name="triplets",
    kind="bool",
    label="Triplets",
    help="Align three groups of sequences at once: a node of the tree together with one below it, where that takes "
    "at most 67 million cells.",
    default=False,
)
OPTIONS = (EFFORT, SEED, LEAST, TRIPLETS)


@stored("msa-consistency-rules")
@dataclass(frozen=True)
class ConsistencyRules:
    """The values of OPTIONS that define the alignment."""

    effort: str
    refinement_seed: int
    least_posterior: float = LEASTS[0]
    triplets: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what a user should know about effects of the input's size."""
        return describe_dropped(self.least_posterior)


@stored("msa-refinement-rules")
@dataclass(frozen=True)
class RefinementRules:
    """How a given alignment is refined: see the options of `given_alignment`."""

    refinement: str
    refinement_seed: int
    least_posterior: float = LEASTS[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what a user should know about effects of the input's size."""
        return describe_dropped(self.least_posterior)


def make_rules(sequences: Sequences[Sequence], values: Mapping[str, Any]) -> ConsistencyRules:
    """Return the rules of option values; InputError if sequences are too many or too long."""
    check_sizes(sequences)
    least = values[LEAST.name] or choose_least_posterior(sequences)
    return ConsistencyRules(values["effort"], values["refinement_seed"], least, values[TRIPLETS.name])


def choose_least_posterior(sequences: Sequences[Sequence]) -> float:
    """Choose the least posterior that is kept, by number and lengths of the sequences."""
    letters = int(sequence_lengths(sequences).sum())
    typical = {least: ENTRIES * (LEASTS[0] / least) ** THINNING for least in LEASTS}
    fitting = (
        least for least in LEASTS if count_posterior_bytes(len(sequences), letters, typical[least]) <= ROOM_BYTES
    )
    return next(fitting, LEASTS[-1])


def count_posterior_bytes(sequences: int, letters: int, density: float) -> int:
    """Count the bytes of the posteriors of all ordered pairs.

    ``letters`` are those of all sequences, ``density`` the posteriors of a letter and one other sequence.
    """
    return int((sequences - 1) * letters * (density * ENTRY_BYTES + POINTER_BYTES))


def describe_dropped(least: float) -> tuple[str, ...]:
    """Return a note if more posteriors are dropped than usual."""
    return () if least <= LEASTS[0] else (f"Posteriors below {least:g} are dropped to save memory.",)


def check_sizes(sequences: Sequences[Sequence]) -> None:
    """Raise InputError if sequences are too many or too long."""
    lengths = sequence_lengths(sequences)
    filled = int(np.count_nonzero(lengths))
    if filled > MOST_SEQUENCES:
        raise InputError(
            f"{filled:,} sequences are too many for posteriors of all pairs (at most {MOST_SEQUENCES:,}); remove some, "
            "or use the alignment along PartTree, which takes any number"
        )
    longest = sequences[int(lengths.argmax())]
    if len(longest) > MOST_LETTERS:
        raise InputError(
            f"{longest.name} has {len(longest):,} letters (at most {MOST_LETTERS:,}); cut it, or use a method without "
            "posteriors, such as ClustalW"
        )
