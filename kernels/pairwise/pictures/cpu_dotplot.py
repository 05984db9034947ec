"""Compiled kernels of the dot plot: a hashed index of one sequence's words of k letters, and lookups of another's.

The hash of a word is the sum of code x BASE^(places after it) in 64 bits, which wrap around. It rolls from one word to
the next for every k, and so does that of the reverse complement; words of one bucket are compared letter by letter. A
word with a letter of code UNKNOWN equals nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit

UNKNOWN = 255
"""Code of a letter that equals no other, not even itself: N, X."""
COMPLEMENTS = 3
"""Codes of complementary nucleotides add up to this."""
BASE = 0x5851F42D4C957F2D
INVERSE = pow(BASE, -1, 2**64) - 2**64
"""BASE x INVERSE = 1 in 64 bits, as a signed number."""
SPREAD = 0x1E3779B97F4A7C15
"""Multiplies a hash before its upper bits choose the bucket (Knuth's multiplicative hashing)."""
FEW = 8
"""Up to this number, places are compared one by one; more are searched for the first visible one."""


class WordHashing(NamedTuple):
    """How words are hashed: their length, BASE^(k - 1), and the hash bits that a bucket number does not use."""

    k: int
    power: int
    unused: int


class WordBuckets(NamedTuple):
    """Letter codes, and the places of their words: those of bucket b are places[starts[b]:starts[b + 1]]."""

    codes: np.ndarray
    starts: np.ndarray
    places: np.ndarray


class PixelRange(NamedTuple):
    """Words at places ``low`` .. ``high`` - 1; ``number`` pixels share ``size`` places from ``start`` on."""

    low: int
    high: int
    start: int
    size: int
    number: int


class MatchCounts(NamedTuple):
    """Where matches are counted: ``images`` uint32 (2, pixels across, pixels down), forward and reverse complement.

    ``across`` are the pixels of the queries, ``down`` those of the index. Of a word with more than ``most`` visible
    places, about ``most`` are counted.
    """

    across: PixelRange
    down: PixelRange
    most_places: int
    images: np.ndarray


def hash_parameters(k: int, buckets: int) -> WordHashing:
    """Return how words are hashed into ``buckets`` buckets, a power of two."""
    power = pow(BASE, k - 1, 2**64)
    return WordHashing(k, power - 2**64 if power >= 2**63 else power, 64 - buckets.bit_length() + 1)


@inline_njit
def bucket_of(key, words):
    """Return the bucket of a hash: the upper bits of a product, as an unsigned number."""
    return (key * SPREAD >> words.unused) & ((1 << (64 - words.unused)) - 1)


@inline_njit
def roll_hash(state, codes, at, words):
    """Return hashes of the word that ends at letter ``at`` and of its reverse complement, letters in them, and weight.

    ``state`` holds the same for the letter before; the weight is BASE^letters.
    """
    forward, reverse, letters, weight = state
    code = np.int64(codes[at])
    if code == UNKNOWN:
        return np.int64(0), np.int64(0), np.int64(0), np.int64(1)
    if letters < words.k:
        reverse += (COMPLEMENTS - code) * weight
        letters, weight = letters + 1, weight * BASE
    else:
        gone = np.int64(codes[at - words.k])
        forward -= gone * words.power
        reverse = (reverse - (COMPLEMENTS - gone)) * INVERSE + (COMPLEMENTS - code) * words.power
    return forward * BASE + code, reverse, letters, weight


@cached_njit
def count_words(codes, low, high, step, words, starts):
    """Count the words at every ``step``-th place of low .. high - 1 by bucket, two places to the right."""
    state = np.int64(0), np.int64(0), np.int64(0), np.int64(1)
    for at in range(low, min(high + words.k - 1, codes.size)):
        state = roll_hash(state, codes, at, words)
        if state[2] == words.k and (at - words.k + 1) % step == 0:
            starts[bucket_of(state[0], words) + 2] += 1


@cached_njit
def place_words(codes, low, high, step, words, starts, places):
    """Put the words at every ``step``-th place into their buckets, in order.

    starts[b + 1] moves from the start of bucket b to its end.
    """
    state = np.int64(0), np.int64(0), np.int64(0), np.int64(1)
    for at in range(low, min(high + words.k - 1, codes.size)):
        state = roll_hash(state, codes, at, words)
        place = at - words.k + 1
        if state[2] == words.k and place % step == 0:
            bucket = bucket_of(state[0], words) + 1
            places[starts[bucket]] = place
            starts[bucket] += 1


@inline_njit
def equal_words(codes, place, queries, query, k):
    """Return whether two words are equal."""
    letter = 0
    while letter < k and codes[place + letter] == queries[query + letter]:
        letter += 1
    return letter == k


@inline_njit
def complementary_words(codes, place, queries, query, k):
    """Return whether a word is the reverse complement of another."""
    last = query + k - 1
    letter = 0
    while letter < k and codes[place + letter] + queries[last - letter] == COMPLEMENTS:
        letter += 1
    return letter == k


@inline_njit
def find_first_from(places, low, high, place):
    """Return the index of the first of the sorted places[low:high] not below ``place``; ``high`` if there is none."""
    while low < high:
        middle = (low + high) // 2
        if places[middle] < place:
            low = middle + 1
        else:
            high = middle
    return low


@inline_njit
def pixel_of(place, pixels):
    """Return the pixel of a place: the last one that begins at or before it."""
    return ((place - pixels.start + 1) * pixels.number - 1) // pixels.size


@cached_njit
def count_matches(index, words, queries, low, high, both_strands, counted):
    """Count the matches of the words at ``low`` .. ``high`` - 1 of ``queries`` by pixel.

    ``both``: count reverse complements too. Returns the number of words of which only a sample of places was compared.
    """
    across, down, most, images = counted
    thinned = 0
    state = np.int64(0), np.int64(0), np.int64(0), np.int64(1)
    for at in range(low, high + words.k - 1):
        state = roll_hash(state, queries, at, words)
        if state[2] < words.k:
            continue
        query = at - words.k + 1
        for strand in range(2 if both_strands else 1):
            bucket = bucket_of(state[strand], words)
            first, last = np.int64(index.starts[bucket]), np.int64(index.starts[bucket + 1])
            if last - first > FEW:
                first = find_first_from(index.places, first, last, down.low)
                last = find_first_from(index.places, first, last, down.high)
            if first == last:
                continue
            stride = 1 + (last - first - 1) // most
            if stride > 1:
                thinned += 1
                first += query % stride
            image = images[strand, pixel_of(query, across)]
            for number in range(first, last, stride):
                place = np.int64(index.places[number])
                if place < down.low or place >= down.high:
                    continue
                if strand == 0:
                    same = equal_words(index.codes, place, queries, query, words.k)
                else:
                    same = complementary_words(index.codes, place, queries, query, words.k)
                if same:
                    image[pixel_of(place, down)] += 1
    return thinned


@cached_njit
def find_runs(index, words, queries, both_strands, last_matches, runs):
    """Join matches along diagonals; return the number of runs, or one more than ``runs`` has room for.

    ``runs`` int64 (room, 4): first place in the index and in the queries, matches, and whether they are reverse
    complements. ``seen`` int64 (2, diagonals, 2), filled with -2: last query and run of each diagonal.
    """
    found = 0
    state = np.int64(0), np.int64(0), np.int64(0), np.int64(1)
    for at in range(queries.size):
        state = roll_hash(state, queries, at, words)
        if state[2] < words.k:
            continue
        query = at - words.k + 1
        for strand in range(2 if both_strands else 1):
            bucket = bucket_of(state[strand], words)
            for number in range(index.starts[bucket], index.starts[bucket + 1]):
                place = np.int64(index.places[number])
                if strand == 0:
                    same, diagonal = (
                        equal_words(index.codes, place, queries, query, words.k),
                        place - query + queries.size,
                    )
                else:
                    same, diagonal = complementary_words(index.codes, place, queries, query, words.k), place + query
                if not same:
                    continue
                if last_matches[strand, diagonal, 0] != query - 1:
                    if found == runs.shape[0]:
                        return found + 1
                    last_matches[strand, diagonal, 1] = found
                    runs[found, 0], runs[found, 1], runs[found, 2], runs[found, 3] = place, query, 0, strand
                    found += 1
                run = last_matches[strand, diagonal, 1]
                last_matches[strand, diagonal, 0] = query
                runs[run, 0] = min(runs[run, 0], place)
                runs[run, 2] += 1
    return found
