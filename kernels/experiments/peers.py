"""All peers: programs and libraries of others that solve the same problems."""

from __future__ import annotations

from collections.abc import Iterable

from kernels.experiments import peers_pairs
from kernels.experiments.peer import Peer

PEERS: tuple[Peer, ...] = (*peers_pairs.PEERS,)


def of(problem_id: str, returns: Iterable[str] = ()) -> tuple[Peer, ...]:
    """The peers for a problem type, installed or not, that give at least what is in ``returns``."""
    return tuple(peer for peer in PEERS if problem_id in peer.problems and peer.returns >= set(returns))
