"""NJ-pruned on the CPU: the joins of the full search, found by reading few rows.

With u = S / (r - 2) the criterion of a pair is, up to a factor, d(i, j) - u(i) - u(j). Two numbers per row i bound d(i,
j) - u(j) from below for all its pairs: H, its minimum with the values of u at the start of the epoch, minus the largest
growth of any u since then; and T, its minimum when the row was last read, minus the sum of the largest growths of every
join since then. At each join rows are read best bound first, until no bound is as good as the best pair that was found.

An epoch is a number of joins between two passes over the whole matrix. In it a new cluster takes the place and the row
of the first of its two, and only the rows of clusters of this epoch have its distances: row i of an older cluster
stands for the pairs (i, j) with j < i of the same age, the row of a new cluster for all its pairs. So columns are
written only in the few new rows. The pass at the end of the epoch fills the columns in, drops those of dead clusters,
and computes H again.

The bounds are computed in the type of the matrix; `rounding_slack` is more than what rounding can do to them. What
passes them is decided by the criterion itself, in double precision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu import float_lanes as lanes
from antidiag.kernels.cpu.float_lanes import LANES
from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.trees.joining.cpu_serial import sum_rows
from antidiag.kernels.trees.sizes import SHORTEST_EPOCH

NOWHERE = 1e30
"""Beyond every distance: -u where no cluster is, and the bound of a row that needs no reading."""

LIMIT = 1e28
"""A number between distances and NOWHERE."""

WIDTH = 16
"""Rows whose columns are filled in together: a cache line of a new row."""

CHUNK = 512
"""Pairs whose minimum is kept while a row is read, so that the best of them is found again quickly."""


class ClusterPlaces(NamedTuple):
    """The clusters, one per place, padded to a whole vector.

    ``rows`` is the matrix row of each place, ``sums`` the row sums (float64), ``nodes`` int32 the nodes of the tree;
    ``away`` is NOWHERE for the clusters of this epoch and 0 for older ones.
    """

    rows: np.ndarray
    sums: np.ndarray
    nodes: np.ndarray
    away: np.ndarray


class RowBounds(NamedTuple):
    """The bounds of the rows, one per place.

    u, and u at the start of the epoch; both again without the clusters of this epoch; and the two minima H and T.
    """

    u: np.ndarray
    u_old: np.ndarray
    snapshot: np.ndarray
    snapshot_old: np.ndarray
    H: np.ndarray
    T: np.ndarray


class SearchBuffers(NamedTuple):
    """Buffers of a search: the bound of every row, the minima of chunks of a row, and the best pair."""

    L: np.ndarray
    minima: np.ndarray
    best: np.ndarray


class JoinArrays(NamedTuple):
    """The joins: ``nodes`` int32 (n - 3, 2); ``records`` float64 (n - 3, 3), their distance and both row sums."""

    nodes: np.ndarray
    records: np.ndarray


@inner_njit
def rounding_slack(itemsize):
    """Return what rounding can do to a bound, as a share of the largest distance, for numbers of so many bytes."""
    return 2.0**-20 if itemsize == 4 else 2.0**-48


@inner_njit
def _read_row(distances, count, u, snapshot, minima):
    """Return the minima of d - u and of d - snapshot over the first ``count`` pairs of a row.

    Minima of chunks go to ``minima``. Pairs up to the end of the last vector are read too: they are others of the row,
    or marks.
    """
    least = least_then = lanes.splat(distances.dtype.type(NOWHERE))
    for chunk in range((count + CHUNK - 1) // CHUNK):
        now = lanes.splat(distances.dtype.type(NOWHERE))
        for j in range(chunk * CHUNK, min(chunk * CHUNK + CHUNK, count), LANES):
            d = lanes.load(distances, j)
            now = lanes.minimum(lanes.subtract(d, lanes.load(u, j)), now)
            least_then = lanes.minimum(lanes.subtract(d, lanes.load(snapshot, j)), least_then)
        minima[chunk] = lanes.minimum_lane(now)
        least = lanes.minimum(now, least)
    return np.float64(lanes.minimum_lane(least)), np.float64(lanes.minimum_lane(least_then))


@inner_njit
def _find_least(L, count):
    """Return where the smallest of the first numbers is; what follows them in the last vector is beyond every bound."""
    best = lanes.load(L, 0)
    for p in range(LANES, count, LANES):
        best = lanes.minimum(lanes.load(L, p), best)
    least, p = lanes.minimum_lane(best), 0
    while L[p] != least:
        p += 1
    return p


@inner_njit
def _compute_bounds(H, T, u, growth, grown, L, count):
    """Write the bound of every row to L."""
    total, step = lanes.splat(growth), lanes.splat(grown)
    for p in range(0, count, LANES):
        bound = lanes.maximum(lanes.subtract(lanes.load(H, p), total), lanes.subtract(lanes.load(T, p), step))
        lanes.store(L, p, lanes.subtract(bound, lanes.to_double(lanes.load(u, p))))


@inner_njit
def _update_u(S, scale, epoch_marks, u, u_old, snapshot, count):
    """Write u = S x scale to ``u``, and to ``u_old`` without the clusters of this epoch (minus ``epoch_marks``).

    Returns the largest growth since the join before, and since the snapshot.
    """
    step = total = lanes.splat(u.dtype.type(-NOWHERE))
    factor = lanes.splat(scale)
    for p in range(0, count, LANES):
        value = lanes.cast_to_type_of(lanes.multiply(lanes.load(S, p), factor), u)
        step = lanes.maximum(lanes.subtract(value, lanes.load(u, p)), step)
        total = lanes.maximum(lanes.subtract(value, lanes.load(snapshot, p)), total)
        lanes.store(u, p, value)
        lanes.store(u_old, p, lanes.subtract(value, lanes.load(epoch_marks, p)))
    zero = lanes.splat(u.dtype.type(0.0))
    return (
        np.float64(-lanes.minimum_lane(lanes.subtract(zero, step))),
        np.float64(-lanes.minimum_lane(lanes.subtract(zero, total))),
    )


@inner_njit
def _search_row(distances, p, count, u, S, r, threshold, minima, best):
    """Compare the pairs of a row whose d - u is at most ``threshold`` with the best so far: (criterion, j, i)."""
    for chunk in range((count + CHUNK - 1) // CHUNK):
        if minima[chunk] > threshold:
            continue
        for j in range(chunk * CHUNK, min(chunk * CHUNK + CHUNK, count)):
            if distances[j] - u[j] <= threshold:
                criterion = (r - 2) * np.float64(distances[j]) - (S[p] + S[j])
                high, low = float(max(p, j)), float(min(p, j))
                if criterion < best[0] or (
                    criterion == best[0] and (high < best[1] or (high == best[1] and low < best[2]))
                ):
                    best[0], best[1], best[2] = criterion, high, low


@inner_njit
def _find_best_pair(D, cluster_places, bounds, buffers, count, r, drift, rounding, stop):
    """Find the best pair of a join, into ``room.best``; return the number of rows that were read."""
    rows, S, _, away = cluster_places
    u, u_old, snapshot, snapshot_old, H, T = bounds
    L, minima, best = buffers
    _compute_bounds(H, T, u, drift[1], drift[0], L, count)
    best[0], read = np.inf, 0
    while True:
        p = _find_least(L, count)
        limit = best[0] / (r - 2) + rounding
        if L[p] > limit or L[p] > LIMIT or stop[0]:
            return read
        distances = D[rows[p]]
        new = away[p] != 0
        length = count if new else p
        values, then_values = (u, snapshot) if new else (u_old, snapshot_old)
        now, then = _read_row(distances, length, values, then_values, minima)
        H[p], T[p], L[p] = then - rounding, now - rounding + drift[0], NOWHERE
        read += 1
        if now - u[p] <= limit:
            # A limit on d - u(j): the criterion minus u(i), which all pairs of the row share.
            _search_row(distances, p, length, values, S, r, limit + u[p] + rounding, minima, best)


@inner_njit
def _complete_row(D, rows, p, new_places, epoch_marks):
    """Fetch what the row of an older cluster lacks: its distances to the clusters of this epoch."""
    if epoch_marks[p] == 0:
        for q in new_places:
            D[rows[p], q] = D[rows[q], p]


@inner_njit
def _join_clusters(one, other, between, S, count):
    """Write the distances of the new cluster over ``one``; the sums of all others follow.

    Returns the largest distance to a cluster; dead clusters have a sum far below 0.
    """
    greatest = lanes.splat(0.0)
    half, apart, nowhere = lanes.splat(0.5), lanes.splat(between), lanes.splat(-LIMIT)
    for k in range(0, count, LANES):
        both = lanes.add(lanes.to_double(lanes.load(one, k)), lanes.to_double(lanes.load(other, k)))
        distance = lanes.cast_to_type_of(lanes.multiply(half, lanes.subtract(both, apart)), one)
        lanes.store(one, k, distance)
        stored = lanes.to_double(distance)
        sums = lanes.load(S, k)
        lanes.store(S, k, lanes.add(lanes.subtract(sums, both), stored))
        greatest = lanes.maximum(lanes.select_above(sums, nowhere, stored), greatest)
    return -lanes.minimum_lane(lanes.subtract(lanes.splat(0.0), greatest))


@inner_njit
def make_joins(D, cluster_places, bounds, drift, sizes, joined, join_limit, stop):
    """Make up to ``join_limit`` joins of an epoch; ``stop`` ends them early.

    ``D`` is float32 or float64; ``cluster_places``, ``bounds`` and ``joined`` are `ClusterPlaces`, `RowBounds` and
    `JoinArrays`. ``drift`` float64: sum of the largest growths, growth since the snapshot, largest distance, rows read.
    ``sizes`` int64: places, clusters, joins so far, the next node.
    """
    rows, S, nodes, away = cluster_places
    u, u_old, snapshot, snapshot_old, H, T = bounds
    joins, records = joined
    count = sizes[0]
    room = SearchBuffers(np.empty(S.size), np.empty(count // CHUNK + 1, D.dtype), np.zeros(3))
    best = room.best
    new_places = np.flatnonzero((away[:count] != 0) & (u[:count] > -LIMIT))
    for step in range(sizes[2], sizes[2] + join_limit):
        r = sizes[1]
        rounding = drift[2] * rounding_slack(D.itemsize)
        drift[3] += _find_best_pair(D, cluster_places, bounds, room, count, r, drift, rounding, stop)
        if stop[0]:
            return
        b, a = int(best[1]), int(best[2])
        one, other = D[rows[a]], D[rows[b]]
        _complete_row(D, rows, a, new_places, away)
        _complete_row(D, rows, b, new_places, away)
        between = np.float64(one[b])
        joins[step, 0], joins[step, 1] = nodes[a], nodes[b]
        records[step, 0], records[step, 1], records[step, 2] = between, S[a], S[b]
        sum_of_new = 0.5 * ((S[a] + S[b]) - r * between)
        S[a] = S[b] = -NOWHERE * r
        drift[2] = max(drift[2], _join_clusters(one, other, between, S, count))
        new_places = new_places[(new_places != a) & (new_places != b)]
        for q in new_places:
            D[rows[q], a] = one[q]
        new_places = np.append(new_places, a)
        one[a] = NOWHERE
        S[a], nodes[a] = sum_of_new, sizes[3]
        away[a] = NOWHERE
        sizes[1], sizes[2], sizes[3] = r - 1, step + 1, sizes[3] + 1
        if r - 1 == 3:
            return
        scale = 1.0 / (r - 3)
        u[a] = snapshot[a] = sum_of_new * scale
        snapshot_old[a] = snapshot_old[b] = snapshot[b] = u[b] = -NOWHERE
        H[a] = T[a] = -NOWHERE
        H[b] = T[b] = 0.0
        grown, drift[1] = _update_u(S, scale, away, u, u_old, snapshot, count)
        drift[0] += max(grown, 0.0)


call_make_joins = cached_njit(make_joins)
"""`make_joins` for calls from Python."""


@inner_njit
def fill_columns(D, rows, older_places, new_places, first, last):
    """Write the distances to the clusters of the epoch into rows ``older_places[first:last]`` of older clusters.

    ``WIDTH`` rows are taken at a time, whose elements in the row of a new cluster are neighbours.
    """
    for at in range(first, last, WIDTH):
        for q in new_places:
            distances = D[rows[q]]
            for p in older_places[at : min(at + WIDTH, last)]:
                D[rows[p], q] = distances[p]


call_fill_columns = cached_njit(fill_columns)
"""`fill_columns` for calls from Python."""


@inner_njit
def drop_columns(D, rows, kept_places, u, H, first, last):
    """Drop the dead columns of rows ``kept_places[first:last]``, and compute their H; ``u`` is that of the kept
    places."""
    minima = np.empty(kept_places.size // CHUNK + 1, D.dtype)
    for at in range(first, last):
        distances = D[rows[kept_places[at]]]
        for t in range(kept_places.size):
            distances[t] = distances[kept_places[t]]
        distances[at] = NOWHERE
        H[at] = _read_row(distances, at, u, u, minima)[1]


call_drop_columns = cached_njit(drop_columns)
"""`drop_columns` for calls from Python."""


@cached_njit
def join_all(D, taxa, epoch, joined, stop):
    """Make all joins of a matrix on one thread, with passes over it after one in ``epoch`` of the clusters.

    ``D`` is float32 or float64 (taxa, whole vectors) and written over, ``joined`` are `JoinArrays`; ``stop`` ends it
    early.
    """
    D[:, taxa:] = 0.0
    S = np.empty(taxa)
    sum_rows(D[:, :taxa], S, 0, taxa)
    rows, kept, nodes = np.arange(taxa), np.arange(taxa), np.arange(taxa).astype(np.int32)
    drift = np.zeros(4)
    drift[2] = D.max() if taxa else 0.0
    done = 0
    while done < taxa - 3 and not stop[0]:
        count = kept.size
        sums = np.full((count + LANES - 1) // LANES * LANES, -NOWHERE * count)
        sums[:count] = S[kept]
        S, nodes = sums, nodes[kept]
        u = (S / (count - 2)).astype(D.dtype)
        H, T = np.zeros(u.size), np.zeros(u.size)
        drop_columns(D, rows, kept, u, H, 0, count)
        rows = rows[kept]
        T[:count] = -NOWHERE
        H[:count] -= drift[2] * rounding_slack(D.itemsize)
        drift[0] = drift[1] = 0.0
        away = np.zeros_like(u)
        bounds = RowBounds(u, u.copy(), u.copy(), u.copy(), H, T)
        sizes = np.array([count, taxa - done, done, taxa + done])
        join_limit = min(max(SHORTEST_EPOCH, count // epoch), taxa - 3 - done)
        make_joins(D, ClusterPlaces(rows, S, nodes, away), bounds, drift, sizes, joined, join_limit, stop)
        done = sizes[2]
        kept = np.flatnonzero(S[:count] > -LIMIT)
        new = away[kept] != 0
        older_places = kept[~new]
        fill_columns(D, rows, older_places, kept[new], 0, older_places.size)
