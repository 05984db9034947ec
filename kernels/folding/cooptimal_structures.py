"""Count, list and weigh all RNA structures with the maximum number of base pairs.

    W[i, j] = W[i + 1, j] if N[i + 1, j] = N[i, j]
              + sum over k of W[i + 1, k - 1] W[k + 1, j] if N[i + 1, k - 1] + 1 + N[k + 1, j] = N[i, j], i pairs with k

N is Nussinov's table, W the number of optimal structures of letters i..j. The first letter of an interval is single or
has one partner, so every structure is counted once; an interval without pairs has one structure. Only intervals that
an optimal structure needs are visited. Counts have hundreds of digits: they are computed modulo several primes and put
together by the Chinese remainder theorem. Structures are numbered in the order of the cases above; number 0 is the one
that a run returns.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isqrt, prod

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.errors import InputError
from antidiag.kernels.folding import cpu
from antidiag.kernels.folding.problem import FoldingProblem
from antidiag.kernels.monitor import Monitor

MOST = 2000
"""The longest sequence whose optimal structures are counted, in letters."""
NONE = -1
"""The number of an interval without pairs, and the partner of a single letter."""
LARGEST_PRIME, SPARE_BITS = 2**31, 4
"""Products of two remainders fit into 64 bits; bits beyond the logarithm of the count, against rounding."""


@dataclass(frozen=True, eq=False)
class CooptimalStructures:
    """All optimal structures of a problem.

    ``pair_counts`` (int32, n x n) is Nussinov's table. ``intervals`` (int32, m x 2) holds the first and last letter of
    each interval that an optimal structure needs, short ones first. Interval p has the cases ``cases[starts[p]:starts[p
    + 1]]`` (int32): the partner of its first letter, or NONE; the interval inside the pair, or after the single letter;
    the interval right of the pair. ``shares`` (float64) is the fraction of all optimal structures that use each case,
    ``total`` the number of optimal structures.
    """

    problem: FoldingProblem
    pair_counts: np.ndarray
    intervals: np.ndarray
    starts: np.ndarray
    cases: np.ndarray
    shares: np.ndarray
    primes: tuple[int, ...]
    remainders: np.ndarray = field(repr=False)
    total: int

    def structure_at(self, number: int) -> np.ndarray:
        """Return the partners of all letters in optimal structure ``number``.

        Parameters
        ----------
        number : int
            From 0 to ``total`` - 1.

        Returns
        -------
        ndarray of int32, shape (n,)
            The partner of each letter, NONE for single letters.

        Raises
        ------
        IndexError
            If there is no such structure.
        """
        if not 0 <= number < self.total:
            raise IndexError(number)
        partners = np.full(self.problem.n, NONE, np.int32)
        waiting = [(len(self.intervals) - 1, number)] if len(self.intervals) else []
        while waiting:
            part, number = waiting.pop()
            case = int(self.starts[part])
            while number >= (count := self._count_case(case)):
                number -= count
                case += 1
            partner, inside, right = self.cases[case].tolist()
            if partner != NONE:
                first = int(self.intervals[part, 0])
                partners[first], partners[partner] = partner, first
            behind = self.count_interval(right)
            waiting += [(p, at) for p, at in ((inside, number // behind), (right, number % behind)) if p != NONE]
        return partners

    @cached_property
    def pair_shares(self) -> tuple[np.ndarray, np.ndarray]:
        """Return all pairs of optimal structures (int64, m x 2) and the share of the structures that have each."""
        owner = np.repeat(np.arange(len(self.intervals)), np.diff(self.starts))
        paired = self.cases[:, 0] != NONE
        ends = np.stack([self.intervals[owner[paired], 0], self.cases[paired, 0]], axis=1).astype(np.int64)
        if not len(ends):
            return ends.reshape(0, 2), np.empty(0)
        different, which = np.unique(ends, axis=0, return_inverse=True)
        return different, np.bincount(which.ravel(), self.shares[paired], len(different))

    @cached_property
    def _count_cache(self) -> dict[int, int]:
        """The counts of intervals that were put together already."""
        return {NONE: 1}

    @cached_property
    def _remainder_weights(self) -> tuple[int, tuple[int, ...]]:
        """The product of the primes, and for each prime the weight of its remainder (Chinese remainder theorem)."""
        whole = prod(self.primes)
        return whole, tuple(whole // prime * pow(whole // prime, -1, prime) for prime in self.primes)

    def _count_case(self, case: int) -> int:
        """Return how many optimal structures of an interval use a case."""
        return self.count_interval(int(self.cases[case, 1])) * self.count_interval(int(self.cases[case, 2]))

    def count_interval(self, part: int) -> int:
        """Return how many optimal structures an interval has."""
        if part not in self._count_cache:
            whole, worth = self._remainder_weights
            remainders = self.remainders[:, part].tolist()
            self._count_cache[part] = sum(r * w for r, w in zip(remainders, worth, strict=True)) % whole
        return self._count_cache[part]


def find_cooptimal(
    problem: FoldingProblem, threads: int, monitor: Monitor, device: int | None = None
) -> CooptimalStructures:
    """Find all optimal structures of a problem.

    Parameters
    ----------
    problem : FoldingProblem
        At most MOST letters.
    threads : int
        Worker threads, where the CPU computes the table.
    monitor : Monitor
    device : int or None
        The GPU that computes the table; None for the CPU.

    Returns
    -------
    CooptimalStructures

    Raises
    ------
    InputError
        If the sequence has more than MOST letters.
    Cancelled, MemoryRefused, BackendUnavailable
    """
    if problem.n > MOST:
        raise InputError(
            f"{problem.title}: optimal structures are counted for up to {MOST:,} letters; choose a shorter sequence"
        )
    made_of = compute_table(problem, threads, monitor, device)
    reached = np.zeros(made_of.shape, np.uint8)
    rule = (made_of, problem.letter_codes, problem.pairing_table, problem.min_loop)
    sizes = _mark_intervals(*rule, reached)
    monitor.check()
    parts, places = np.empty((sizes[0], 2), np.int32), np.full(made_of.shape, NONE, np.int32)
    starts, cases = np.zeros(sizes[0] + 1, np.int64), np.empty((sizes[1], 3), np.int32)
    _list_cases(*rule, reached, parts, places, starts, cases)
    monitor.check()
    bits, shares = np.zeros(len(parts)), np.zeros(len(cases))
    _weigh_cases(starts, cases, bits, shares)
    primes = _choose_primes(bits[-1] if len(parts) else 0.0)
    remainders = np.empty((len(primes), len(parts)), np.int32)
    for line, prime in zip(remainders, primes, strict=True):
        monitor.check()
        _count_modulo(starts, cases, prime, line)
    made = CooptimalStructures(problem, made_of, parts, starts, cases, shares, primes, remainders, 1)
    return replace(made, total=made.count_interval(len(parts) - 1))


def compute_table(problem: FoldingProblem, threads: int, monitor: Monitor, device: int | None = None) -> np.ndarray:
    """Return Nussinov's table (int32, n x n), computed on GPU ``device``, or on the CPU where that is None.

    Raises Cancelled, MemoryRefused and BackendUnavailable. On a GPU the part below the diagonal is undefined.
    """
    if device is None or not problem.n:
        return cpu.compute_table(problem, threads, monitor)
    from antidiag.kernels.folding import cuda  # CuPy is imported where a GPU is used

    return cuda.compute_table(problem, monitor, device)


def trace_structure(table: np.ndarray, partners: np.ndarray) -> list[tuple[int, int, int]]:
    """Return the intervals that a traceback visits, as (i, j, partner of letter i or NONE), the whole sequence first.

    Of the two intervals of a pair the one inside it comes first.
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


def _choose_primes(bits: float) -> tuple[int, ...]:
    """Return the largest primes below LARGEST_PRIME whose product has more than ``bits`` bits."""
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


@inner_njit
def _best_pairs(table, i, j):
    """The most pairs of letters i..j; 0 for an empty interval."""
    return table[i, j] if i < j else 0


@inner_njit
def _is_optimal_case(table, codes, pairing, min_loop, i, j, k):
    """Return whether an optimal structure of i..j pairs i with k, or leaves i single where k is NONE."""
    if k < 0:
        return _best_pairs(table, i + 1, j) == table[i, j]
    if k - i <= min_loop or pairing[codes[i], codes[k]] == 0:
        return False
    return _best_pairs(table, i + 1, k - 1) + 1 + _best_pairs(table, k + 1, j) == table[i, j]


@cached_njit
def _mark_intervals(table, codes, pairing, min_loop, reached):
    """Mark the intervals with pairs that optimal structures need. Return their number and that of their cases."""
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
                if _is_optimal_case(table, codes, pairing, min_loop, i, j, k):
                    cases += 1
                    for first, last in ((i + 1, j if k < 0 else k - 1), (n if k < 0 else k + 1, j)):
                        if _best_pairs(table, first, last) > 0:
                            reached[first, last] = 1
    return parts, cases


@cached_njit
def _list_cases(table, codes, pairing, min_loop, reached, parts, places, starts, cases):
    """List the marked intervals, short ones first, with the cases of each; ``places`` gets their numbers."""
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
                if _is_optimal_case(table, codes, pairing, min_loop, i, j, k):
                    last = j if k < 0 else k - 1
                    cases[case, 0] = k
                    cases[case, 1] = places[i + 1, last] if i + 1 < last else -1
                    cases[case, 2] = places[k + 1, j] if k >= 0 and k + 1 < j else -1
                    case += 1
            part += 1
            starts[part] = case


@cached_njit
def _count_modulo(starts, cases, prime, counts):
    """Count the optimal structures of each interval modulo a prime."""
    for part in range(starts.size - 1):
        total = np.int64(0)
        for case in range(starts[part], starts[part + 1]):
            inside, right = cases[case, 1], cases[case, 2]
            ways = np.int64(counts[inside]) if inside >= 0 else np.int64(1)
            total += ways * np.int64(counts[right]) % prime if right >= 0 else ways
        counts[part] = total % prime


@cached_njit
def _weigh_cases(starts, cases, bits, shares):
    """Compute log2 of the counts (``bits``), then the share of all optimal structures that use each case."""
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
