"""A profile HMM of HMMER as a hidden Markov model without silent states.

Deletions emit nothing, so a path through them is one transition between the states at its ends. Before and after the
model, the states N and C emit the letters of the null model; C is never left, as a model here has no end.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.hmm.model.hmm import Hmm, make_hmm
from antidiag.kernels.io.hmmer_models import HmmerModel

NOTE = "aligned to the whole model once; letters around it are of the null model"


def hmm_of_hmmer(model: HmmerModel, source: str) -> Hmm:
    """Return the states N, M1 to Mn, I1 to I(n-1) and C of a model with n nodes; a feature is named after the model.

    InputError where there are too many states, or a symbol is no letter.
    """
    length = len(model)
    matches, inserts, after = 1 + np.arange(length), length + 1 + np.arange(length - 1), 2 * length
    entry = _reached_matches(model)
    transitions = np.zeros((after + 1, after + 1))
    begin = model.transitions[0, [0, 2]] / model.transitions[0, [0, 2]].sum()
    ways = np.zeros(after + 1)
    ways[matches[0]] = begin[0]
    ways[matches] += begin[1] * entry[0, :-1]
    ways[after] = begin[1] * entry[0, -1]
    transitions[0] = (1 - model.null_loop) * ways
    transitions[0, 0] = model.null_loop
    for node in range(1, length):
        mm, mi, md, im, ii, _, _ = model.transitions[node]
        row = transitions[matches[node - 1]]
        row[matches[node]] = mm
        row[matches] += md * entry[node, :-1]
        row[after] = md * entry[node, -1]
        row[inserts[node - 1]] = mi
        transitions[inserts[node - 1], [matches[node], inserts[node - 1]]] = im, ii
    transitions[[matches[-1], after], after] = 1
    emissions = np.vstack([model.null, model.match, model.insert[1:-1], model.null])
    rows = transitions / transitions.sum(axis=1, keepdims=True)
    names = ["N", *(f"M{node}" for node in range(1, length + 1)), *(f"I{node}" for node in range(1, length)), "C"]
    labels = ["", *[model.name] * (2 * length - 1), ""]
    note = f"{model.origin}: {NOTE}"
    return make_hmm(model.name, names, model.symbols, rows, emissions, rows[0], labels, source, note)


def _reached_matches(model: HmmerModel) -> np.ndarray:
    """Return where deletions lead, float64 (n, n + 1).

    Entry [k, j] is the probability to go from the deletion of node k + 1 to match j + 1, [k, n] that to the end.
    """
    length = len(model)
    found = np.zeros((length + 1, length + 1))
    found[length - 1, length] = 1  # the deletion of the last node leads to the end
    for node in range(length - 2, -1, -1):
        to_match, to_deletion = model.transitions[node + 1, 5:]
        found[node] = to_deletion * found[node + 1]
        found[node, node + 1] += to_match
    return found[:length]
