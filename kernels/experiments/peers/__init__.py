"""All peers: programs and libraries of others that solve the same problems."""

from __future__ import annotations

from antidiag.kernels.experiments.peers import matrices, models, pairs, programs, searches
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.method import Method

PEERS: tuple[Peer, ...] = (
    *pairs.PEERS,
    *matrices.PEERS,
    *models.PEERS,
    *programs.PEERS,
    *searches.PEERS,
)


def peers_of_method(method: Method) -> tuple[Peer, ...]:
    """Return the peers of a method, installed or not: they solve its problem and return at least what it returns."""
    return tuple(peer for peer in PEERS if peer.accepts(method))
