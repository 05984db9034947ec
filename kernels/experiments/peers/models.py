"""Peers for hidden Markov models: hmmlearn, and the recurrence as one writes it with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from kernels import __version__
from kernels.experiments.peers.pairs import package_version
from kernels.experiments.peers.peer import Peer
from kernels.hmm import VITERBI

PATH = frozenset({"states", "log probability"})
ONE_CALL = "one call on a model and a sequence in memory, with the path; one thread"


def numpy_viterbi(
    initial: np.ndarray, transitions: np.ndarray, emissions: np.ndarray, seen: np.ndarray
) -> tuple[float, np.ndarray]:
    """The logarithm of the probability of the best path, and its states.

    Takes logarithms: ``initial`` (l,), ``transitions`` (l, l), ``emissions`` (a row a symbol); ``seen`` are symbols.
    """
    row = initial + emissions[seen[0]]
    winners = np.empty((len(seen), row.size), np.int32)
    for k in range(1, len(seen)):
        ways = row[:, None] + transitions
        winners[k] = ways.argmax(axis=0)
        row = ways.max(axis=0) + emissions[seen[k]]
    states = [int(row.argmax())]
    for k in range(len(seen) - 1, 0, -1):
        states.append(int(winners[k, states[-1]]))
    return float(row.max()), np.array(states[::-1])


def _numpy(problem: Any) -> Callable[[], float]:
    initial, transitions, emissions = problem.logs
    seen = problem.observations
    return lambda: numpy_viterbi(initial, transitions, emissions, seen)[0]


def _hmmlearn(problem: Any) -> Callable[[], float]:
    from hmmlearn.hmm import CategoricalHMM

    model = CategoricalHMM(problem.states)
    model.n_features = len(problem.hmm.alphabet)
    model.startprob_, model.transmat_ = problem.hmm.initial, problem.hmm.transitions
    model.emissionprob_ = problem.hmm.emissions
    seen = problem.observations.astype(np.int64)[:, None]
    return lambda: float(model.decode(seen)[0])


def _hmmlearn_refusal(problem: Any) -> str:
    if problem.n and int(problem.observations.max()) >= len(problem.hmm.alphabet):
        return "it takes no letters that were not seen"
    return _any_letters(problem)


def _any_letters(problem: Any) -> str:
    return "" if problem.n else "it takes one letter or more"


def _log_probability(value: float) -> str:
    return f"log p {value:,.6g}"


PEERS = (
    Peer(
        id="hmmlearn-viterbi", name="hmmlearn Viterbi", problems=(VITERBI,), returns=PATH, counts=ONE_CALL,
        install="pip install hmmlearn", version=partial(package_version, "hmmlearn"), refusal=_hmmlearn_refusal,
        prepare=_hmmlearn, score=lambda value: None, answer=_log_probability,
        host_bytes=lambda problem: 3 * 8 * problem.n * problem.states, nominal_gcups=0.3,
    ),
    Peer(
        id="numpy-viterbi", name="plain NumPy Viterbi", problems=(VITERBI,), returns=PATH, counts=ONE_CALL,
        install="", version=lambda: __version__, refusal=_any_letters, prepare=_numpy, score=lambda value: None,
        answer=_log_probability, host_bytes=lambda problem: 4 * problem.n * problem.states, nominal_gcups=0.3,
    ),
)  # fmt: skip
