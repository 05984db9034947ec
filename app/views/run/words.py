"""What phases and events of a step log are called: as their method says, or strips of a matrix, or chunks of a cube."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from antidiag.app import texts
from antidiag.kernels.model import Result


@dataclass(frozen=True)
class Words:
    """``pieces`` are the phases of the log in their order, and what an event of each is; ``usual`` is one where the
    method does not say."""

    usual: str = "strip"
    pieces: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, result: Result | None, layers: bool) -> Words:
        """Those of a result, of whose events some have ``layers``, or none."""
        method = texts.method_of(result) if result is not None else None
        return cls("chunk" if layers else "strip", method.pieces if method is not None else {})

    def phase(self, number: int) -> str:
        """'phase 1', or its own name."""
        names = tuple(self.pieces)
        return names[number - 1] if number <= len(names) else f"phase {number}"

    def piece(self, number: int) -> str:
        """What an event of a phase is."""
        return self.pieces.get(self.phase(number), self.usual)

    def any_piece(self, phases: Iterable[int]) -> str:
        """The same for events of several phases."""
        words = {self.piece(number) for number in phases}
        return words.pop() if len(words) == 1 else "piece"
