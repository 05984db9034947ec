"""What defines the alignment of the method: effort, and what follows from it; which sequences it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.courtesy import in_turns
from antidiag.kernels.errors import InputError
from antidiag.kernels.model import Sequence
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.serialization import stored

MOST_LETTERS = 65535
"""Letters of a sequence: places are kept in 16 bits."""
MOST_SEQUENCES = 4000
"""Sequences whose pairs can all be aligned in reasonable time and memory."""

EFFORT = Parameter(
    "effort", "choice", "Effort", "fast: one round of consistency, no refinement. normal: two rounds (one beyond 50 "
    "sequences), then the alignment is split at 30 columns and merged again. thorough: some such alignments by other "
    "models, and one that agrees with them most.", default="normal", choices=("fast", "normal", "thorough"),
)  # fmt: skip
SEED = Parameter(
    "refinement_seed", "int", "Seed of the refinement", "Begins the random choice of the columns at which the "
    "alignment is split.", default=1, minimum=0, maximum=2**31 - 1,
)  # fmt: skip
LEAST = Parameter(
    "least_posterior", "float", "Least posterior", "Posteriors below it are dropped. automatic: .01, or where those of "
    "so many and such long sequences would take more than 10 GiB, .05 or .1; the alignment may then be less right.",
    default=None, minimum=0.01, maximum=0.5,
)  # fmt: skip
LEASTS = (0.01, 0.05, 0.1)
"""What is dropped automatically, the more the larger the problem: it never depends on the machine."""
ROOM_BYTES = 10 << 30
ENTRIES, THINNING = 4.0, 0.6
"""Posteriors of .01 and more of a letter and another sequence, about; of more, they fall with this power of it."""
ENTRY_BYTES, POINTER_BYTES = 4, 4
TRIPLETS = Parameter(
    "triplets", "bool", "Three at a time", "Along the tree a node is aligned together with one below it, where that "
    "takes 67 million cells at most: three groups at once, of the most expected accuracy that the three can have.",
    default=False,
)  # fmt: skip
OPTIONS = (EFFORT, SEED, LEAST, TRIPLETS)


@stored("msa-consistency-rules")
@dataclass(frozen=True)
class ConsistencyRules:
    """See OPTIONS."""

    effort: str
    refinement_seed: int
    least_posterior: float = LEASTS[0]
    triplets: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of what follows from the sizes of the sequences."""
        return dropped(self.least_posterior)


@stored("msa-refinement-rules")
@dataclass(frozen=True)
class RefinementRules:
    """How an alignment that is given is refined: see the options of `given`."""

    refinement: str
    refinement_seed: int
    least_posterior: float = LEASTS[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of what follows from the sizes of the sequences."""
        return dropped(self.least_posterior)


def rules(sequences: tuple[Sequence, ...], values: Mapping[str, Any]) -> ConsistencyRules:
    """The rules of option values; InputError where the sequences are too many or too long."""
    check_sizes(sequences)
    least = values[LEAST.name] or least_of(sequences)
    return ConsistencyRules(values["effort"], values["refinement_seed"], least, values[TRIPLETS.name])


def least_of(sequences: tuple[Sequence, ...]) -> float:
    """The least posterior that is kept of so many and such long sequences, where none is given."""
    letters = sum(map(len, sequences))
    fitting = (least for least in LEASTS if kept_bytes(len(sequences), letters, least) <= ROOM_BYTES)
    return next(fitting, LEASTS[-1])


def kept_bytes(sequences: int, letters: int, least: float) -> int:
    """Bytes of the posteriors of all ordered pairs, about; so many letters in all."""
    return int((sequences - 1) * letters * (entries_of(least) * ENTRY_BYTES + POINTER_BYTES))


def entries_of(least: float) -> float:
    """Posteriors that are kept of a letter and another sequence, about."""
    return ENTRIES * (LEASTS[0] / least) ** THINNING


def dropped(least: float) -> tuple[str, ...]:
    """What is said where more is dropped than usually."""
    return () if least <= LEASTS[0] else (f"Posteriors below {least:g} are dropped, to take less memory.",)


def check_sizes(sequences: tuple[Sequence, ...]) -> None:
    """InputError where the sequences are too many or too long."""
    filled = sum(len(sequence) > 0 for sequence in in_turns(sequences))
    if filled > MOST_SEQUENCES:
        raise InputError(
            f"{filled:,} sequences, and posteriors of all pairs are made of {MOST_SEQUENCES:,} at most; leave some "
            "out, or use the alignment along PartTree, which takes any number"
        )
    longest = max(in_turns(sequences), key=len)
    if len(longest) > MOST_LETTERS:
        raise InputError(
            f"{longest.name} has {len(longest):,} letters, and {MOST_LETTERS:,} are the most; cut it, or use a method "
            "without posteriors, such as ClustalW's"
        )
