"""Many profile alignments at once, such as the nodes of a guide tree level; other families build on this.

On the CPU every thread aligns whole pairs, the largest first, so that none waits at the end. On a GPU all strips of all
pairs share one queue (`cuda_many_alignments`).
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Sequences
from functools import cache

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.cpu.workers import count_processors, make_stop_word, map_on_threads
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.column_scores.scoring import ColumnScoring, EncodedProfiles, ProfileSpan
from antidiag.kernels.profiles.problem import ProfileAnswer, ProfileProblem
from antidiag.kernels.profiles.profile import Profile
from antidiag.kernels.profiles.sizes import BATCH, STRIP_WIDTH
from antidiag.kernels.profiles.wavefront import cpu_strips
from antidiag.kernels.profiles.wavefront.cpu_strips import WORD, ProfileStripProgress
from antidiag.kernels.profiles.wavefront.cpu_wavefront import allocate_borders, make_strip_problem, trace_answer
from antidiag.kernels.profiles.whole_table.cpu_table import tiny_problem

LONG = 2**16
"""Mean cells of alignments whose problems are encoded by threads."""


def align_profile_pairs(
    pairs: Sequences[tuple[Profile, Profile]],
    scoring: ColumnScoring,
    span: ProfileSpan = ProfileSpan.GLOBAL,
    threads: int | None = None,
    monitor: Monitor | None = None,
    backend: str = "cpu",
) -> list[ProfileAnswer]:
    """Return the best alignment of each pair, in their order, equal to that of any method.

    Parameters
    ----------
    pairs
        Profiles over one alphabet.
    threads
        None: one per core.
    backend
        "cuda" uses the current device, which `kernels.cuda.devices` has opened on this thread.

    Raises
    ------
    Cancelled, and the errors of `ProfileProblem.encoded`.
    """
    sizes = [len(first) * len(second) for first, second in pairs]
    return align_encoded_pairs(
        sizes, lambda at: ProfileProblem(*pairs[at], scoring, span).encoded, threads, monitor, backend
    )


def align_encoded_pairs(
    sizes: Sequences[int],
    encode_pair: Callable[[int], EncodedProfiles],
    threads: int | None = None,
    monitor: Monitor | None = None,
    backend: str = "cpu",
) -> list[ProfileAnswer]:
    """Return the best alignments of encoded pairs of one kind of score and one mode.

    ``encode_pair(number)`` encodes a pair on the thread that aligns it; ``sizes`` are their numbers of cells.
    """
    if backend == "cuda":
        from antidiag.kernels.profiles.wavefront import cuda_many_alignments  # it imports CuPy

        return cuda_many_alignments.align_encoded_pairs(
            _encode_all(sizes, encode_pair, monitor or Monitor()), monitor or Monitor()
        )
    _compile_once()
    run = CpuRun(monitor or Monitor(), threads=threads or count_processors())
    order = sorted(range(len(sizes)), key=lambda at: -sizes[at])
    found: dict[int, ProfileAnswer] = {}

    def align(worker: int, at: int) -> None:
        found[at] = _align_one(encode_pair(at), run.stop)

    with run.phase("alignments", total=len(sizes)) as phase:
        phase.share_tasks(order, align)
    return [found[at] for at in range(len(sizes))]


def _encode_all(
    sizes: Sequences[int], make: Callable[[int], EncodedProfiles], monitor: Monitor
) -> list[EncodedProfiles]:
    """Encode all pairs, on threads where encoding takes longer than the hand-over."""
    threads = 1 if sum(sizes) < LONG * len(sizes) else 0
    return map_on_threads(make, range(len(sizes)), threads, monitor.check)


def _align_one(encoded_pair: EncodedProfiles, stop: np.ndarray) -> ProfileAnswer:
    """Align a pair on this thread; the answer is not complete if all threads are to stop."""
    whole = make_strip_problem(encoded_pair, STRIP_WIDTH, BATCH)
    kept, packed = allocate_borders(whole), cpu_strips.pack_rows(whole.encoded.rows)
    turns = ProfileStripProgress(np.zeros(len(kept.best) * WORD, np.int64), stop)
    times: np.ndarray = np.zeros((-(-encoded_pair.m // BATCH), 2), np.int64)
    for number in range(len(kept.best)):
        cpu_strips.compute_strip(whole, packed, number, kept, turns, times)
    return trace_answer(whole, packed, kept, stop)


@cache
def _compile_once() -> None:
    """Compile everything, or load it from the cache folder."""
    _align_one(tiny_problem(), make_stop_word())
