"""A guide tree of long sequences by sketches: average linkage over the words that sketches share.

Each word of a sequence has a hash; a sketch keeps the least hash in each of 1,024 bins (one-permutation hashing: Li,
Owen and Zhang 2012). Two sequences of any length are compared in 1,024 steps, many at a time;
their longest common subsequence takes a step for every 32 pairs of letters.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun
from antidiag.kernels.parttree.kmers import cpu_sketches
from antidiag.kernels.parttree.lcs.linkage import Joins
from antidiag.kernels.parttree.progress import ReportProgress
from antidiag.kernels.trees.joining import cpu_upgma

WORD_LETTERS = {True: 4, False: 10}
"""Letters of a word of proteins (True) and of nucleotides: so many that few words are shared by chance."""
ALPHABET = {True: 20, False: 4}
LEAST_SHARE = 0.5
"""Share of the lesser distance in the distance to a joined cluster, as in MAFFT's linkage (0.9). Five simulated
families of 300 and 1,000 sequences were aligned much alike with 0, 0.5 and 0.9."""
AT_ONCE = 16
"""Sequences that a thread takes at a time."""

PHASE = "sketches"


def link_sketches(
    codes: np.ndarray, offsets: np.ndarray, protein: bool, phase: CpuPhase, report: ReportProgress
) -> Joins:
    """Return joins and heights by half of single and half of average linkage (LEAST_SHARE).

    Parameters
    ----------
    codes, offsets
        uint8 symbols of all sequences (`symbols.encode_sequences`), those of sequence i from offsets[i] on (int64).
    protein
        Whether they are proteins.
    phase
        Its threads share the work.
    report
        ``report(pairs, of)`` reports progress.
    """
    count, word = offsets.size - 1, WORD_LETTERS[protein]
    sketches, distances = np.empty((count, cpu_sketches.BINS), np.uint16), np.empty((count, count), np.float32)
    words, firsts, stop = np.maximum(np.diff(offsets) - word + 1, 0), range(0, count, AT_ONCE), phase.run.stop
    phase.share_tasks(
        firsts,
        lambda worker, first: cpu_sketches.draw_sketches(
            codes, offsets, ALPHABET[protein], word, sketches, first, min(first + AT_ONCE, count), stop
        ),
        report=lambda: report(0, 1),
    )
    done = np.zeros((phase.run.threads, 8), np.int64)

    def measure(worker: int, first: int) -> None:
        last = min(first + AT_ONCE, count)
        cpu_sketches.measure_sketches(sketches, words, word, distances, first, last, stop)
        done[worker, 0] += (last - first) * (first + last - 1) // 2

    pairs = max(count * (count - 1) // 2, 1)
    phase.share_tasks(firsts[::-1], measure, report=lambda: report(int(done[:, 0].sum()), pairs))
    joins, heights = cpu_upgma.join_all(distances, lambda: report(pairs, pairs), LEAST_SHARE)
    return joins.astype(np.int64), heights


@cache
def compile_sketches() -> None:
    """Compile sketches and UPGMA, or load them from the cache."""
    codes, offsets = np.tile(np.arange(4, dtype=np.uint8), 12), np.array([0, 16, 32, 48])
    with CpuRun().phase(PHASE) as phase:
        link_sketches(codes, offsets, False, phase, lambda done, total: None)
