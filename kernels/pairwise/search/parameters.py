"""Parameters of a search: what changes its cost and never its answer."""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels.parameters import BOTH_BACKENDS, MethodParameters, parameter, thread_count


@dataclass(frozen=True, kw_only=True)
class SearchParameters(MethodParameters):
    """Parameters of a search in a database."""

    block: int = parameter(
        "Block",
        "Letters of the database that are scored at a time. Large blocks keep all threads or multiprocessors at work; "
        "small ones need less memory, and an interrupted search loses less.",
        default=2**26,
        minimum=2**10,
        maximum=2**32,
        unit="letters",
    )
    threads: int = thread_count(
        "CPU threads that score sequences, and that align the hits, also those of a GPU.", BOTH_BACKENDS
    )
