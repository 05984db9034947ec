"""All peers: programs and libraries of others that solve the same problems."""

from __future__ import annotations

from kernels.experiments import peers_matrices, peers_models, peers_pairs, peers_programs
from kernels.experiments.peer import Peer
from kernels.method import Method

PEERS: tuple[Peer, ...] = (
    *peers_pairs.PEERS, *peers_matrices.PEERS, *peers_models.PEERS, *peers_programs.PEERS,
)  # fmt: skip


def of(method: Method) -> tuple[Peer, ...]:
    """The peers that can stand beside a method, installed or not: same problem, and at least what it returns."""
    return tuple(peer for peer in PEERS if peer.suits(method))
