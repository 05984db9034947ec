"""The list of all methods."""

from __future__ import annotations

from antidiag.kernels import folding, graphs, hmm, msa, pairwise, parttree, products, profiles, trees, triple
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.method import Method

METHODS: tuple[Method, ...] = (
    *pairwise.METHODS,
    *triple.METHODS,
    *trees.METHODS,
    *parttree.METHODS,
    *profiles.METHODS,
    *msa.METHODS,
    *hmm.METHODS,
    *graphs.METHODS,
    *folding.METHODS,
    *products.METHODS,
)


def find_method(method_id: str) -> Method:
    """Return the method with this identifier; raise ParameterError if there is none."""
    for candidate in METHODS:
        if candidate.id == method_id:
            return candidate
    known = ", ".join(candidate.id for candidate in METHODS)
    raise ParameterError(f"unknown method {method_id!r}; known methods: {known}")
