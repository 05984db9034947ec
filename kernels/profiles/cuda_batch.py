"""Many alignments of profiles on the GPU."""

from __future__ import annotations

from collections.abc import Sequence as Sequences

from kernels.monitor import Monitor
from kernels.profiles.cuda_wavefront import wavefront
from kernels.profiles.problem import ProfileAnswer, ProfileProblem
from kernels.profiles.profile import Profile
from kernels.profiles.scoring import ColumnScoring, Span
from kernels.profiles.sizes import BATCH
from kernels.steps import Steps


def align(
    pairs: Sequences[tuple[Profile, Profile]], scoring: ColumnScoring, span: Span, monitor: Monitor
) -> list[ProfileAnswer]:
    """The best alignment of each pair, in their order."""
    found = []
    for done, pair in enumerate(pairs, 1):
        found.append(wavefront(ProfileProblem(*pair, scoring, span), {"T": BATCH}, Monitor(), Steps()).answer)
        monitor.update(done, len(pairs), "alignments")
    return found
