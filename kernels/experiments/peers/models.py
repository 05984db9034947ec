"""Peers for hidden Markov models: hmmlearn, and the recurrence as one writes it with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels import __version__
from antidiag.kernels.experiments.peers.pairs import package_version
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.hmm import EVALUATION, LEARNING, POSTERIOR, VITERBI
from antidiag.kernels.hmm.model.hmm import Hmm
from antidiag.kernels.hmm.sums.problem import LearningProblem

PATH = frozenset({"states", "log probability"})
PROBABILITY = frozenset({"log probability"})
ONE_CALL = "one call on a model and a sequence in memory, with the path; one thread"
SUMS = "one call on a model and a sequence in memory, with scaled numbers; one thread"
LEARNED = "one call on a model and sequences in memory, as many rounds of counting, with scaled numbers; one thread"


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


def _prepare_numpy_viterbi(problem: Any) -> Callable[[], float]:
    initial, transitions, emissions = problem.log_probabilities
    seen = problem.observations
    return lambda: numpy_viterbi(initial, transitions, emissions, seen)[0]


def _make_hmmlearn_model(hmm: Hmm, **settings: Any) -> Any:
    """Return the model of hmmlearn, with scaled numbers for sums, which are faster than logarithms there."""
    from hmmlearn.hmm import CategoricalHMM

    model = CategoricalHMM(len(hmm), implementation="scaling", **settings)
    model.n_features = len(hmm.alphabet)
    model.startprob_, model.transmat_, model.emissionprob_ = hmm.initial, hmm.transitions, hmm.emissions
    return model


def _observation_column(problem: Any) -> np.ndarray:
    return problem.observations.astype(np.int64)[:, None]


def _prepare_hmmlearn_viterbi(problem: Any) -> Callable[[], float]:
    model, seen = _make_hmmlearn_model(problem.hmm), _observation_column(problem)
    return lambda: float(model.decode(seen)[0])


def _prepare_hmmlearn_score(problem: Any) -> Callable[[], float]:
    model, seen = _make_hmmlearn_model(problem.hmm), _observation_column(problem)
    return lambda: float(model.score(seen))


def _prepare_hmmlearn_posterior(problem: Any) -> Callable[[], float]:
    model, seen = _make_hmmlearn_model(problem.hmm), _observation_column(problem)
    return lambda: float(model.score_samples(seen)[0])


def _prepare_hmmlearn_learning(problem: Any) -> Callable[[], float]:
    """Return a call with as many rounds of counting as ours: one before each iteration, and one after the last."""
    seen = np.concatenate([_observation_column(part) for part in problem.parts])
    lengths = [part.n for part in problem.parts]

    def call() -> float:
        model = _make_hmmlearn_model(
            problem.hmm, n_iter=problem.iterations + 1, tol=-np.inf, init_params="", params="ste"
        )
        model.fit(seen, lengths)
        return float(model.monitor_.history[-1])

    return call


def _learning_refusal(problem: Any) -> str:
    return next(filter(None, map(_hmmlearn_refusal, problem.parts)), "")


def _hmmlearn_refusal(problem: Any) -> str:
    if problem.n and int(problem.observations.max()) >= len(problem.hmm.alphabet):
        return "it takes no letters that were not seen"
    return _refuse_no_letters(problem)


def _refuse_no_letters(problem: Any) -> str:
    return "" if problem.n else "it takes one letter or more"


def _sums_bytes(problem: Any) -> int:
    """Return the bytes of forward and backward rows, the posterior, and frames of emissions."""
    letters = problem.letters if isinstance(problem, LearningProblem) else problem.n
    return 5 * 8 * letters * len(problem.hmm)


def _log_probability(value: float) -> str:
    return f"log p {value:,.6g}"


_hmmlearn_peer = partial(
    Peer,
    install="pip install hmmlearn",
    version=partial(package_version, "hmmlearn"),
    refusal=_hmmlearn_refusal,
    answer=_log_probability,
    host_bytes=_sums_bytes,
    nominal_gcups=0.5,
)
PEERS = (
    _hmmlearn_peer(
        id="hmmlearn-viterbi",
        name="hmmlearn Viterbi",
        problems=(VITERBI,),
        returns=PATH,
        counts=ONE_CALL,
        prepare=_prepare_hmmlearn_viterbi,
        host_bytes=lambda problem: 3 * 8 * problem.n * problem.states,
        nominal_gcups=0.3,
    ),
    _hmmlearn_peer(
        id="hmmlearn-forward",
        name="hmmlearn score",
        problems=(EVALUATION,),
        returns=PROBABILITY,
        counts=SUMS,
        prepare=_prepare_hmmlearn_score,
    ),
    _hmmlearn_peer(
        id="hmmlearn-posterior",
        name="hmmlearn score_samples",
        problems=(POSTERIOR,),
        returns=PROBABILITY | {"posterior"},
        counts=SUMS,
        prepare=_prepare_hmmlearn_posterior,
    ),
    _hmmlearn_peer(
        id="hmmlearn-baum-welch",
        name="hmmlearn fit",
        problems=(LEARNING,),
        returns=frozenset({"model"}),
        counts=LEARNED,
        refusal=_learning_refusal,
        prepare=_prepare_hmmlearn_learning,
    ),
    Peer(
        id="numpy-viterbi",
        name="plain NumPy Viterbi",
        problems=(VITERBI,),
        returns=PATH,
        counts=ONE_CALL,
        install="",
        version=lambda: __version__,
        refusal=_refuse_no_letters,
        prepare=_prepare_numpy_viterbi,
        answer=_log_probability,
        host_bytes=lambda problem: 4 * problem.n * problem.states,
        nominal_gcups=0.3,
    ),
)
