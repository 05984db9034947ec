"""All structures of the most pairs: how many there are, exactly, how often each pair is in them, each by its number.

    W[i, j] = W[i + 1, j] if N[i + 1, j] = N[i, j]
              + sum over k of W[i + 1, k - 1] W[k + 1, j] if N[i + 1, k - 1] + 1 + N[k + 1, j] = N[i, j], i pairs with k

N is the table of Nussinov. The first letter of a part is single or has one partner, so every structure is counted once;
a part of no pairs has one. Only parts that a best structure needs are looked at. Counts have hundreds of digits: they
are computed modulo primes, as many as the logarithm of the count asks for, and put together from the remainders.
Structures are numbered in the order of the cases above, so that number 0 is the one that a run returns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import isqrt, prod

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled
from antidiag.kernels.errors import InputError
from antidiag.kernels.folding import cpu
from antidiag.kernels.folding.problem import FoldingProblem
from antidiag.kernels.monitor import Monitor

MOST = 2000
"""Letters of a sequence whose best structures are counted."""
NONE = -1
"""A part without pairs among the parts, and the partner of a letter that stays single."""
LARGEST_PRIME, SPARE_BITS = 2**31, 4
"""Products of remainders fit into 64 bits; bits that are counted beyond those of the logarithm."""


@dataclass(frozen=True, eq=False)
class Cooptimal:
    """The best structures of a problem.

    ``table`` (int32, n x n) is that of Nussinov, ``parts`` (int32, m x 2) the first and last letter of each part that
    best structures need, small ones first. Part p has the cases ``cases[starts[p]:starts[p + 1]]`` (int32): the partner
    of its first letter, or NONE; the part inside the pair, or behind the single letter; the part right of the pair.
    ``shares`` (float64) are the parts of the best structures that take each case. ``total`` is how many there are.
    """

    problem: FoldingProblem
    table: np.ndarray
    parts: np.ndarray
    starts: np.ndarray
    cases: np.ndarray
    shares: np.ndarray
    primes: tuple[int, ...]
    remainders: np.ndarray = field(repr=False)
    total: int

    def structure(self, number: int) -> np.ndarray:
        """The partners (int32, NONE for single letters) in structure ``number``, from 0; IndexError beyond the last."""
        if not 0 <= number < self.total:
            raise IndexError(number)
        partners = np.full(self.problem.n, NONE, np.int32)
        waiting = [(len(self.parts) - 1, number)] if len(self.parts) else []
        while waiting:
            part, number = waiting.pop()
            case = int(self.starts[part])
            while number >= (count := self._ways(case)):
                number -= count
                case += 1
            partner, inside, right = self.cases[case].tolist()
            if partner != NONE:
                first = int(self.parts[part, 0])
                partners[first], partners[partner] = partner, first
            behind = self._count(right)
            waiting += [(p, at) for p, at in ((inside, number // behind), (right, number % behind)) if p != NONE]
        return partners

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """All pairs of best structures (int64, m x 2), and the share of the structures that have each."""
        owner = np.repeat(np.arange(len(self.parts)), np.diff(self.starts))
        paired = self.cases[:, 0] != NONE
        ends = np.stack([self.parts[owner[paired], 0], self.cases[paired, 0]], axis=1).astype(np.int64)
        if not len(ends):
            return ends.reshape(0, 2), np.empty(0)
        different, which = np.unique(ends, axis=0, return_inverse=True)
        return different, np.bincount(which.ravel(), self.shares[paired], len(different))

    @cached_property
    def _counts(self) -> dict[int, int]:
        return {NONE: 1}

    @cached_property
    def _whole(self) -> tuple[int, tuple[int, ...]]:
        """The product of the primes, and for each what its remainder is worth (the Chinese remainder theorem)."""
        whole = prod(self.primes)
        return whole, tuple(whole // prime * pow(whole // prime, -1, prime) for prime in self.primes)

    def _ways(self, case: int) -> int:
        """How many best structures of a part take a case of it."""
        return self._count(int(self.cases[case, 1])) * self._count(int(self.cases[case, 2]))

    def _count(self, part: int) -> int:
        if part not in self._counts:
            whole, worth = self._whole
            remainders = self.remainders[:, part].tolist()
            self._counts[part] = sum(r * w for r, w in zip(remainders, worth, strict=True)) % whole
        return self._counts[part]


def found(problem: FoldingProblem, threads: int, monitor: Monitor, device: int | None = None) -> Cooptimal:
    """The best structures of a problem, its table from the GPU that is named; InputError for more than MOST letters.

    Raises what a GPU fails with.
    """
    if problem.n > MOST:
        raise InputError(f"{problem.title}: best structures are counted for up to {MOST:,} letters")
    made_of = table(problem, threads, monitor, device)
    reached = np.zeros(made_of.shape, np.uint8)
    rule = (made_of, problem.codes, problem.pairing, problem.min_loop)
    sizes = _reach(*rule, reached)
    monitor.check()
    parts, places = np.empty((sizes[0], 2), np.int32), np.full(made_of.shape, NONE, np.int32)
    starts, cases = np.zeros(sizes[0] + 1, np.int64), np.empty((sizes[1], 3), np.int32)
    _list(*rule, reached, parts, places, starts, cases)
    monitor.check()
    bits, shares = np.zeros(len(parts)), np.zeros(len(cases))
    _weigh(starts, cases, bits, shares)
    primes = _primes(bits[-1] if len(parts) else 0.0)
    remainders = np.empty((len(primes), len(parts)), np.int32)
    for line, prime in zip(remainders, primes, strict=True):
        monitor.check()
        _count(starts, cases, prime, line)
    made = Cooptimal(problem, made_of, parts, starts, cases, shares, primes, remainders, 1)
    return Cooptimal(problem, made_of, parts, starts, cases, shares, primes, remainders, made._count(len(parts) - 1))


def table(problem: FoldingProblem, threads: int, monitor: Monitor, device: int | None = None) -> np.ndarray:
    """Nussinov's table (int32, n x n) from the GPU that is named, or from the CPU; raises what a GPU fails with."""
    if device is None or not problem.n:
        return cpu.table(problem, threads, monitor)
    from antidiag.kernels.folding import cuda  # CuPy is imported where a GPU is used

    return cuda.table(problem, monitor, device)


def walk(table: np.ndarray, partners: np.ndarray) -> list[tuple[int, int, int]]:
    """The way back through a table that gives a best structure: parts i..j and the partner of letter i, or NONE.

    The whole comes first, and of two parts the one inside a pair.
    """
    found, waiting = [], [(0, len(partners) - 1)]
    while waiting:
        i, j = waiting.pop()
        if i >= j or not table[i, j]:
            continue
        partner = int(partners[i])
        found.append((i, j, partner))
        waiting += [(i + 1, j)] if partner == NONE else [(partner + 1, j), (i + 1, partner - 1)]
    return found


def _primes(bits: float) -> tuple[int, ...]:
    """The largest primes below LARGEST_PRIME whose product has more than so many bits."""
    sieve = np.ones(isqrt(LARGEST_PRIME) + 1, bool)
    sieve[:2] = False
    for number in range(2, isqrt(sieve.size) + 1):
        sieve[number * number :: number] &= not sieve[number]
    chosen: list[int] = []
    small, candidate = np.flatnonzero(sieve), LARGEST_PRIME
    while sum(map(np.log2, chosen)) < bits + SPARE_BITS:
        candidate -= 1
        if np.all(candidate % small):
            chosen.append(candidate)
    return tuple(chosen)


@called
def _most(table, i, j):
    return table[i, j] if i < j else 0


@called
def _wins(table, codes, pairing, min_loop, i, j, k):
    """Whether a best structure of i..j pairs i with k; with k = NONE, whether it leaves i single."""
    if k < 0:
        return _most(table, i + 1, j) == table[i, j]
    if k - i <= min_loop or pairing[codes[i], codes[k]] == 0:
        return False
    return _most(table, i + 1, k - 1) + 1 + _most(table, k + 1, j) == table[i, j]


@compiled
def _reach(table, codes, pairing, min_loop, reached):
    """Mark the parts with pairs that best structures need; how many they are, and how many cases they have."""
    n = codes.size
    parts, cases = 0, 0
    if n > 1 and table[0, n - 1] > 0:
        reached[0, n - 1] = 1
    for length in range(n - 1, 0, -1):
        for i in range(n - length):
            j = i + length
            if reached[i, j] == 0:
                continue
            parts += 1
            for way in range(i, j + 1):
                k = way if way > i else -1
                if _wins(table, codes, pairing, min_loop, i, j, k):
                    cases += 1
                    for first, last in ((i + 1, j if k < 0 else k - 1), (n if k < 0 else k + 1, j)):
                        if _most(table, first, last) > 0:
                            reached[first, last] = 1
    return parts, cases


@compiled
def _list(table, codes, pairing, min_loop, reached, parts, places, starts, cases):
    """The marked parts, small ones first, and the cases of each; ``places`` has the number of each part."""
    n = codes.size
    part, case = 0, 0
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            if reached[i, j] == 0:
                continue
            parts[part, 0], parts[part, 1], places[i, j] = i, j, part
            for way in range(i, j + 1):
                k = way if way > i else -1
                if _wins(table, codes, pairing, min_loop, i, j, k):
                    last = j if k < 0 else k - 1
                    cases[case, 0] = k
                    cases[case, 1] = places[i + 1, last] if i + 1 < last else -1
                    cases[case, 2] = places[k + 1, j] if k >= 0 and k + 1 < j else -1
                    case += 1
            part += 1
            starts[part] = case


@compiled
def _count(starts, cases, prime, counts):
    """The number of best structures of each part, modulo a prime."""
    for part in range(starts.size - 1):
        total = np.int64(0)
        for case in range(starts[part], starts[part + 1]):
            inside, right = cases[case, 1], cases[case, 2]
            ways = np.int64(counts[inside]) if inside >= 0 else np.int64(1)
            total += ways * np.int64(counts[right]) % prime if right >= 0 else ways
        counts[part] = total % prime


@compiled
def _weigh(starts, cases, bits, shares):
    """The logarithms (of 2) of the counts, then the share of all best structures that take each case."""
    parts = starts.size - 1
    for part in range(parts):
        most = -1.0
        for case in range(starts[part], starts[part + 1]):
            inside, right = cases[case, 1], cases[case, 2]
            shares[case] = (bits[inside] if inside >= 0 else 0.0) + (bits[right] if right >= 0 else 0.0)
            most = max(most, shares[case])
        total = 0.0
        for case in range(starts[part], starts[part + 1]):
            total += 2.0 ** (shares[case] - most)
        bits[part] = most + np.log2(total)
    taken = np.zeros(parts)
    if parts > 0:
        taken[parts - 1] = 1.0
    for part in range(parts - 1, -1, -1):
        for case in range(starts[part], starts[part + 1]):
            shares[case] = taken[part] * 2.0 ** (shares[case] - bits[part])
            for source in (cases[case, 1], cases[case, 2]):
                if source >= 0:
                    taken[source] += shares[case]
