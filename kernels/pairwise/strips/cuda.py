"""The striped and chunked methods on the GPU (Li et al. 2012, sections IV and V)."""

from __future__ import annotations

from functools import partial

from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import (
    PairStateParameters,
    StripedScoreParameters,
)
from antidiag.kernels.pairwise.pruning import sizes as pruning_sizes
from antidiag.kernels.pairwise.pruning.cpu import find_bounds_on_cpu
from antidiag.kernels.pairwise.strips import cuda_job, cuda_path, cuda_pruning, cuda_published, cuda_sizes, cuda_sweep
from antidiag.kernels.steps import StepLog


def striped_score(
    problem: PairProblem, parameters: StripedScoreParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Return the best score and its end cell by StripedScore (section IV) on the current device."""
    if parameters.is_published and devices.peer_indices():
        raise ParameterError("the published mapping uses one GPU; choose one, or another mapping")
    packed = not parameters.is_published and cuda_sizes.packs_two_cells(problem, parameters)
    job = cuda_job.begin_job(
        problem, monitor, steps, threads=parameters.threads, s=parameters.s, batch=parameters.T, packed=packed
    )
    notes: tuple[str, ...] = ()
    if parameters.is_published:
        best, skipped, work = cuda_published.sweep_scores(job), None, None
    else:
        bounds = find_bounds_on_cpu(job.run.host_part(), problem, parameters)
        pruning = cuda_pruning.prepare_pruning(job, bounds)
        best = cuda_sweep.sweep_scores(job, pruning=pruning)
        skipped, work = pruning.read_skipped() if pruning else (None, None)
        notes = pruning.notes if pruning else notes
    best = cuda_sweep.choose_best_end(job.encoded, best)
    answer = job.encoded.make_answer(best.score, best.cell, skipped=skipped)
    host_bytes = job.host_bytes + (pruning_sizes.bound_bytes(problem) if parameters.is_pruned else 0)
    return Outcome(answer, job.run.times_ms, host_bytes, job.run.device_bytes, notes, work)


def _run_alignment(
    problem: PairProblem,
    parameters: PairStateParameters,
    monitor: Monitor,
    steps: StepLog,
    chunks: int,
) -> Outcome:
    """Run the three phases; ``chunks`` as in striped_states.cu."""
    true_values = chunks > 0 or parameters.starts_at_first_row  # as in striped_path.cu
    job = cuda_job.begin_job(problem, monitor, steps, threads=parameters.threads, s=parameters.s, batch=parameters.T)
    published, height = parameters.is_published, parameters.chunk_height if chunks else None
    sweep_states = cuda_published.sweep_states if published else cuda_sweep.sweep_states
    link_sub_paths = cuda_published.link_sub_paths if published else cuda_path.link_sub_paths
    kept, best = sweep_states(job, chunks, height, true_values)
    if 0 in best.cell:
        start, operations = job.encoded.border_path(best.cell)
    else:
        with job.run.time_phase("phase 2"):
            paths = link_sub_paths(job, kept, best)
        _, rest = job.encoded.border_path((int(paths[-1]["start_row"]), 0))
        with job.run.time_phase("phase 3"):
            kernel = cuda_published.PATH if published else cuda_path.STRIPED_PATH
            start, operations = cuda_path.compute_paths(job, kept, paths, rest, kernel)
    alignment = job.encoded.make_alignment(start, best.cell, operations)
    return Outcome(
        job.encoded.make_answer(best.score, best.cell, alignment),
        job.run.times_ms,
        job.host_bytes,
        job.run.device_bytes,
    )


striped_alignment = partial(_run_alignment, chunks=0)
"""Return the best alignment by StripedAlignment (section V.A) on the current device."""
chunked_alignment_1 = partial(_run_alignment, chunks=1)
"""Return the best alignment by ChunkedAlignment1 (section V.B) on the current device."""
chunked_alignment_2 = partial(_run_alignment, chunks=2)
"""Return the best alignment by ChunkedAlignment2 (section V.C) on the current device."""
