"""The list of all methods."""

from __future__ import annotations

import difflib

from antidiag.kernels import folding, graphs, hmm, msa, pairwise, parttree, products, profiles, trees, triple
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.method import Method
from antidiag.kernels.pairwise import batch, search
from antidiag.kernels.pairwise.edit_methods import EDIT_METHODS
from antidiag.kernels.pairwise.frames.methods import FRAME_METHODS

METHODS: tuple[Method, ...] = (
    *pairwise.METHODS,
    *EDIT_METHODS,
    *FRAME_METHODS,
    *batch.METHODS,
    *search.METHODS,
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
    known = [candidate.id for candidate in METHODS]
    close = difflib.get_close_matches(method_id, known, 3) or [one for one in known if method_id in one][:3]
    hint = f"did you mean {' or '.join(close)}?" if close else f"known methods: {', '.join(known)}"
    raise ParameterError(f"unknown method {method_id!r}; {hint}")
