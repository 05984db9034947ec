"""The textbook recurrence of frame alignment (Pearson et al. 1997, FASTX): short, slow, easy to trust.

Ties: the best end has the greatest score, then lies on the forward strand, then behind the fewest amino acids, then
behind the fewest bases. Going back: a codon in frame, a shift back, a shift on, an amino acid against a gap, a codon
against a gap; opening a gap before extending it. A local path begins at the first H of 0.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.pairwise.frames.model import (
    AMINO_GAP,
    CODON,
    CODON_GAP,
    SHIFT_BACK,
    SHIFT_ON,
    FrameAnswer,
    FramePath,
    FrameProblem,
)

NEGATIVE = -(2**30)
STEPS = ((CODON, 3), (SHIFT_BACK, 2), (SHIFT_ON, 4))


def align_frames(problem: FrameProblem) -> FrameAnswer:
    """Return the best alignment of all strands by the tie rule."""
    found = [_align_strand(problem, strand) for strand in problem.strands]
    return max(found, key=lambda answer: answer.score)  # the first of equal ones


def _align_strand(problem: FrameProblem, strand: int) -> FrameAnswer:
    m, n, places = len(problem.protein), len(problem.dna), problem.places(strand)
    opening, extend, shift = problem.scoring.open, problem.scoring.extend, problem.shift_cost
    H, E, F = (np.full((m + 1, n + 1), NEGATIVE, np.int64) for _ in range(3))
    H[0] = 0
    for i in range(1, m + 1):
        for j in range(n + 1):
            E[i, j] = max(E[i - 1, j], H[i - 1, j] - opening) - extend
            if j >= 3:
                F[i, j] = max(F[i, j - 3], H[i, j - 3] - opening) - extend
            score = int(problem.table[problem.rows[i - 1], places[j]])
            steps = [H[i - 1, j - bases] - shift * (bases != 3) for _, bases in STEPS if j >= bases]
            best = max([score + step for step in steps], default=NEGATIVE)
            H[i, j] = max(best, E[i, j], F[i, j], 0 if problem.is_local else NEGATIVE)
    ends = H if problem.is_local else H[m:]
    i, j = map(int, np.unravel_index(int(np.argmax(ends)), ends.shape))
    i += 0 if problem.is_local else m
    end, score, state, operations = (i, j), int(H[i, j]), "H", []
    while not (state == "H" and (i == 0 or (problem.is_local and H[i, j] == 0))):
        if state == "H":
            pair = int(problem.table[problem.rows[i - 1], places[j]])
            for operation, bases in STEPS:
                if j >= bases and H[i, j] == H[i - 1, j - bases] - shift * (bases != 3) + pair:
                    operations.append(operation)
                    i, j = i - 1, j - bases
                    break
            else:
                state = "E" if H[i, j] == E[i, j] else "F"
        elif state == "E":
            operations.append(AMINO_GAP)
            state = "H" if E[i, j] == H[i - 1, j] - opening - extend else "E"
            i -= 1
        else:
            operations.append(CODON_GAP)
            state = "H" if F[i, j] == H[i, j - 3] - opening - extend else "F"
            j -= 3
    return FrameAnswer(score, strand, end, FramePath((i, j), end, np.array(operations[::-1], np.uint8)))
