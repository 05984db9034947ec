"""Which method of Viterbi suits a model and a sequence."""

from __future__ import annotations

SHORT = 2048
"""Letters below which a run is over before threads or a GPU have begun."""

FEW_STATES = 32
"""States whose costs fit the registers of one warp."""


def recommend(states: int, length: int, backend: str) -> tuple[str, str]:
    """The identifier of a method, and why: for so many states and letters, on "cpu" or "cuda"."""
    if length < SHORT:
        return "viterbi-matvecprod", f"{length:,} letters are done before work in pieces pays"
    if backend == "cpu":
        return (
            "viterbi-persistent",
            "its pieces keep all cores busy at l^2 steps a letter; products of matrices take l^3",
        )
    if states <= FEW_STATES:
        return (
            "viterbi-persistent",
            f"{states} states stay in registers, and {length:,} letters give thousands of pieces at l^2 steps a letter",
        )
    return (
        "viterbi-persistent",
        f"{states} states share each load of the transitions over several pieces, at l^2 steps a letter; "
        "the tree takes l^3 and serves models whose rows never become parallel",
    )
