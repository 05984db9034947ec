"""Conventions of files that the user chooses: how a CIGAR is written, and what lower-case letters mean.

Stored choices are those of the window (`kernels.user_limits`); `use_conventions` replaces them for one command.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import TypeVar

from antidiag.kernels import user_limits
from antidiag.kernels.errors import ParameterError


class CigarStyle(StrEnum):
    """How columns with two letters are written in a CIGAR.

    EXTENDED tells equal letters (=) from different ones (X); MATCH has M for both, as programs for SAM 1.3 expect.
    """

    EXTENDED = "extended"
    MATCH = "match"


class SoftMasking(StrEnum):
    """What lower-case letters of FASTA and FASTQ mean.

    IGNORE: the same as capitals. UNKNOWN: an unknown letter, N of nucleotides and X of proteins.
    """

    IGNORE = "ignore"
    UNKNOWN = "unknown"


_Convention = TypeVar("_Convention", CigarStyle, SoftMasking)
_cigar: ContextVar[CigarStyle | None] = ContextVar("_cigar", default=None)
_masking: ContextVar[SoftMasking | None] = ContextVar("_masking", default=None)


def cigar_style() -> CigarStyle:
    """Return how a CIGAR is written."""
    return _cigar.get() or list(CigarStyle)[user_limits.stored_choice(user_limits.CIGAR)]


def soft_masking() -> SoftMasking:
    """Return what lower-case letters mean."""
    return _masking.get() or list(SoftMasking)[user_limits.stored_choice(user_limits.MASKING)]


def choose_cigar(name: str | None) -> None:
    """Write CIGARs in this style from now on, in this context; None is the stored choice. Raises ParameterError."""
    _cigar.set(parse_convention(CigarStyle, "cigar", name))


def choose_masking(name: str | None) -> None:
    """Read lower-case letters so from now on, in this context; None is the stored choice. Raises ParameterError."""
    _masking.set(parse_convention(SoftMasking, "soft-masking", name))


@contextmanager
def use_conventions(cigar: str | None = None, masking: str | None = None) -> Iterator[None]:
    """Use these conventions in a block; None keeps the present one. Raises ParameterError for an unknown name."""
    before = _cigar.get(), _masking.get()
    choose_cigar(cigar or before[0])
    choose_masking(masking or before[1])
    try:
        yield
    finally:
        choose_cigar(before[0])
        choose_masking(before[1])


def parse_convention(kind: type[_Convention], option: str, name: str | None) -> _Convention | None:
    """Return a convention by its name, None for None; raise ParameterError, which names the option."""
    if name is None:
        return None
    if name.lower() not in list(kind):
        raise ParameterError(f"{option} must be one of {', '.join(kind)}; got {name!r}")
    return kind(name.lower())
