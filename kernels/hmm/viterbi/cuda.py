"""The methods of Viterbi on the GPU (Hanif 2014, chapter 5)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import block_limits, textures
from antidiag.kernels.cuda.kernel_compiler import allow_shared_bytes
from antidiag.kernels.cuda.run import LAUNCHES_AHEAD, DeviceRun, LaunchPhase
from antidiag.kernels.cuda.structs import DeviceConstants
from antidiag.kernels.hmm.model.problem import HmmProblem, ViterbiAnswer, make_answer, make_answer_from_counts
from antidiag.kernels.hmm.parameters import PieceParameters
from antidiag.kernels.hmm.rows import cuda_sizes
from antidiag.kernels.hmm.rows.cuda_rows import ELEMENT_FILE, PIECES, DeviceModel, PieceSweep, fill_rows_by_correction
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.semiring import MIN_PLUS
from antidiag.kernels.steps import StepLog

HERE = Path(__file__).parent
SCALAR_SOURCES = (ELEMENT_FILE, HERE / "scalar.cu")
PRODUCT_SOURCES = (ELEMENT_FILE, HERE / "products.cu")
NONE = -1
UNKNOWN_BYTE = 0x80
UNKNOWN = int.from_bytes(4 * bytes([UNKNOWN_BYTE]), signed=True)
"""No state either; all of its bytes are the same."""
TRACE_SOURCES = (ELEMENT_FILE, DeviceConstants.from_values(NONE=NONE, UNKNOWN=UNKNOWN), HERE / "trace.cu")
TRACE_THREADS = 128
COUNT_THREADS = 1024
NO_STATE = NONE & 0xFFFF
"""NONE in 16 bits."""
MOST_BOUND_TEXTURES = 64
"""Letters, each with a texture of its own, between two checks of the progress of the device."""


Fill = Callable[[DeviceModel, Any], None]


def _run_method(
    problem: HmmProblem,
    parameters: MethodParameters,
    monitor: Monitor,
    steps: StepLog,
    fill: Fill,
    dtype: np.dtype | None = None,
) -> Outcome:
    """Compute all rows, then trace the path back through them."""
    run = DeviceRun(monitor, steps, rows=problem.states)
    if not problem.n:
        return Outcome(make_answer(problem, np.empty(0, np.int32)), run.times_ms)
    exact = cuda_sizes.exact_in_32_bits(problem)
    model = _upload_model(problem, run, dtype or np.dtype(np.int32 if exact else np.float64))
    fill(model, parameters)
    states = np.empty(problem.n, np.uint16)
    found = _make_device_answer(problem, model, _trace_path(model), states)
    return Outcome(found, run.times_ms, states.nbytes, run.device_bytes)


def _upload_model(problem: HmmProblem, run: DeviceRun, dtype: np.dtype) -> DeviceModel:
    """Upload the model, with costs of this type."""
    costs, zero = problem.step_costs, MIN_PLUS.zero_element(dtype)
    parts = (costs.initial, costs.transitions, costs.emissions)
    initial, transitions, emissions = (np.minimum(part, zero).astype(dtype) for part in parts)
    first, forward, columns, emitted = run.upload_together(initial, transitions, transitions.T, emissions)
    seen, rows = run.upload_array(problem.observations), run.allocate_array((problem.n, problem.states), dtype)
    rows.data.copy_from_device_async(first.data, first.nbytes, cupy.cuda.get_current_stream())
    return DeviceModel(run, problem.states, problem.n, MIN_PLUS, dtype, forward, columns, emitted, seen, rows, initial)


def _fill_rows_from_sums(model: DeviceModel, parameters: MethodParameters) -> None:
    """Fill the rows from sums of transition and emission made beforehand."""
    states, multiply = model.states, model.compile_kernel(SCALAR_SOURCES, "scalar_products")
    threads, row_bytes = _count_state_threads(states), states * model.dtype.itemsize
    # Without shared loads a letter takes about four times as long as in `PieceSweep.advance`.
    several = max(
        1,
        cuda_sizes.count_launch_letters(states, cuda_sizes.choose_team_shape(states, row_bytes // states, 1, False))
        // 4,
    )
    with model.run.begin_phase("rows") as phase:
        sums = _build_sum_tables(model)
        for first in range(0, model.step_count, several):
            last = min(first + several, model.step_count)
            sizes = np.int32(states), np.int32(first), np.int32(last)
            multiply((1,), (threads,), (sums, model.seen, model.rows, *sizes), shared_mem=row_bytes)
            phase.note_launch(last, model.step_count)


def _fill_rows_by_matrices(model: DeviceModel, parameters: MethodParameters) -> None:
    """Fill the rows by a row times a matrix for every letter."""
    if model.step_count:
        PieceSweep(model, model.initial[None], model.step_count, shared=True).advance()


def _fill_rows_by_products(model: DeviceModel, parameters: Any, texture: bool) -> None:
    """Take every row of the product through all letters; the row of the initial costs is the one stored."""
    if not model.step_count:
        return
    states, run = model.states, model.run
    rows = np.vstack([model.initial[None], MIN_PLUS.identity_matrix(states, model.dtype)])
    shaped = cuda_sizes.choose_product_shape(states, model.dtype.itemsize, block_limits.max_shared_bytes())
    constants = {"LINE": shaped.line_threads, "PER": shaped.rows_per_group, "TEXTURE": int(texture)}
    multiply = model.compile_kernel(PRODUCT_SOURCES, "multiply_matrices", **constants)
    allow_shared_bytes(multiply, shaped.shared_bytes)
    current, grid = run.upload_array(rows), (-(-len(rows) // shaped.block_rows),)
    several = max(
        1, int(cuda_sizes.LAUNCH_US / shaped.estimate_letter_us(grid[0], block_limits.multiprocessor_count()))
    )
    fixed = model.transitions, model.emissions, model.seen, current, model.rows, np.int32(states), np.int32(len(rows))

    def launch(sums: Any, first: int, last: int) -> None:
        arguments = sums, *fixed, np.int32(first), np.int32(last)
        multiply(grid, (shaped.threads,), arguments, shared_mem=shaped.shared_bytes)

    with run.begin_phase("rows") as phase:
        if not texture:
            _launch_in_slices(model, phase, several, lambda first, last: launch(np.uint64(0), first, last))
            return
        matrices, words = _build_sum_tables(model), model.dtype.itemsize // 4
        if parameters.binding == "once":
            bound = textures.bind_texture(matrices, words)
            _launch_in_slices(model, phase, several, lambda first, last: launch(bound, first, last))
            cupy.cuda.get_current_stream().synchronize()
            return
        # Textures stay bound until the launches that read them have ended.
        bound_textures: deque[Any] = deque(maxlen=(LAUNCHES_AHEAD + 2) * MOST_BOUND_TEXTURES)

        def launch_each(first: int, last: int) -> None:
            for letter in range(first, last):
                bound_textures.append(textures.bind_texture(matrices, words))
                launch(bound_textures[-1], letter, letter + 1)

        _launch_in_slices(model, phase, MOST_BOUND_TEXTURES, launch_each)
        cupy.cuda.get_current_stream().synchronize()


def _launch_in_slices(model: DeviceModel, phase: LaunchPhase, several: int, launch: Callable[[int, int], None]) -> None:
    """Call ``launch(first, last)`` for all letters, some at a time."""
    for first in range(0, model.step_count, several):
        last = min(first + several, model.step_count)
        launch(first, last)
        phase.note_launch(last, model.step_count)


def _build_sum_tables(model: DeviceModel) -> cupy.ndarray:
    """Compute S of every letter of the alphabet on the device, shape (letters, states, states)."""
    states, symbols = model.states, int(model.emissions.shape[0])
    sums = model.run.allocate_array((symbols, states, states), model.dtype)
    arguments = model.transitions, model.emissions, sums, np.int32(states)
    model.compile_kernel(SCALAR_SOURCES, "make_sums")((states, symbols), (_count_state_threads(states),), arguments)
    return sums


def _count_state_threads(states: int) -> int:
    """Return the threads of a block that has a thread per state."""
    return min(cuda_sizes.MOST_THREADS, -(-states // cuda_sizes.WARP) * cuda_sizes.WARP)


def _fill_rows_in_pieces(model: DeviceModel, parameters: PieceParameters) -> None:
    """Fill the rows in pieces, from guesses that are corrected."""
    fill_rows_by_correction(model, parameters.piece)


def _fill_rows_by_tree(model: DeviceModel, parameters: PieceParameters) -> None:
    """Fill the rows from a tree of products of pieces."""
    if not model.step_count:
        return
    length, states = min(parameters.piece, model.step_count), model.states
    count = -(-model.step_count // length)
    units = cupy.tile(model.run.upload_array(MIN_PLUS.identity_matrix(states, model.dtype)), (count, 1))
    leaves = PieceSweep(model, units, length, repeat=states, keep=False, normalise=cuda_sizes.UNSCALED, name="products")
    leaves.advance()
    levels, nodes, descend = [leaves.current], [count], model.compile_kernel(PIECES, "descend")
    while nodes[-1] > 1:
        levels.append(_join_products(model, levels[-1], nodes[-1]))
        nodes.append(-(-nodes[-1] // 2))
    starts = model.run.upload_array(model.initial[None])
    for level, size in zip(levels[-2::-1], nodes[-2::-1], strict=True):
        below = model.run.allocate_array((size, states), model.dtype)
        descend((size,), (model.block_threads,), (starts, level, below, np.int32(states)))
        starts = below
    PieceSweep(model, starts, length).advance()


def _join_products(model: DeviceModel, below: cupy.ndarray, nodes: int) -> cupy.ndarray:
    """Multiply pairs of nodes, one level up in the tree."""
    states, halves = model.states, -(-nodes // 2)
    join, several = model.compile_kernel(PIECES, "join"), max(1, cuda_sizes.JOIN_SUMS // states**3)
    above = model.run.allocate_array((halves * states, states), model.dtype)
    with model.run.begin_phase("products", waits=False) as phase:
        for first in range(0, halves, several):
            count = min(several, halves - first)
            parts = below[2 * first * states :], above[first * states :]
            join((count, states), (model.block_threads,), (*parts, np.int32(nodes - 2 * first), np.int32(states)))
            phase.note_launch(first + count, halves)
    return above


def _trace_path(model: DeviceModel) -> cupy.ndarray:
    """Trace the states of all letters, int32; -1 at the last letter where no path is possible."""
    letters, length = model.letters, cuda_sizes.TRACEBACK_LETTERS
    count, warps = -(-letters // length), TRACE_THREADS // cuda_sizes.WARP
    kernel = model.compile_kernel(TRACE_SOURCES, "trace_back")
    path, run = model.run.allocate_array(letters, np.int32), model.run
    entries, used = run.allocate_array(count, np.int32), run.allocate_filled(count, np.int32, UNKNOWN_BYTE)
    changed, again = count, False
    sizes = tuple(map(np.int32, (model.states, letters, length, count)))
    with run.begin_phase("path") as phase:
        while changed:
            counter, following = run.allocate_filled(1, np.int32), run.allocate_array(count, np.int32)
            arrays = model.columns, model.emissions, model.seen, model.rows, path, entries, following, used, counter
            kernel((-(-count // warps),), (TRACE_THREADS,), (*arrays, *sizes))
            # The counter is read inside the phase, whose time this is: it is no transfer of data.
            entries, changed, again = following, int(counter.get()[0]) if again else count, True
            phase.note_launch(count - changed, count)
    return path


def _make_device_answer(
    problem: HmmProblem, model: DeviceModel, path: cupy.ndarray, states: np.ndarray
) -> ViterbiAnswer:
    """Make the answer of a path on the device, which is copied to ``states`` on the host.

    What makes its probability is counted on the device where the sequence has more letters than there are counters.
    """
    run, size = model.run, model.states**2 + model.states * int(model.emissions.shape[0])
    size *= size <= model.letters
    copied, counts = run.allocate_array(model.letters, np.uint16), run.allocate_filled(max(size, 1), np.int32)
    in_block = 0 < 4 * size <= cuda_sizes.SHARED_BYTES
    arguments = path, model.seen, *map(np.int32, (model.letters, model.states, size, in_block)), copied, counts
    shared_bytes = 4 * size if in_block else 0
    count_path = model.compile_kernel(TRACE_SOURCES, "count_path")
    count_path((block_limits.multiprocessor_count(),), (COUNT_THREADS,), arguments, shared_mem=shared_bytes)
    run.download_array(copied, states)
    if states[-1] == NO_STATE:
        return make_answer(problem, None)
    if not size:
        return make_answer(problem, states.astype(np.int32))
    pairs = model.states**2
    found = run.download_array(counts)
    return make_answer_from_counts(problem, states, found[:pairs], found[pairs:])


viterbi_scalprod = partial(_run_method, fill=_fill_rows_from_sums, dtype=np.dtype(np.float64))
"""Run TROPSCALPRODVITERBI: one block, a thread per state; whole costs in float64, exact at any length."""
viterbi_matvecprod = partial(_run_method, fill=_fill_rows_by_matrices)
"""Run TROPMATVECPRODVITERBI: one block, a row times a matrix for every letter."""
viterbi_matprod_smem = partial(_run_method, fill=partial(_fill_rows_by_products, texture=False))
"""Run SMemViterbi: every matrix is put together in shared memory from transitions and emissions."""
viterbi_matprod_tmem = partial(_run_method, fill=partial(_fill_rows_by_products, texture=True))
"""Run TMemViterbi: matrices are moved from a texture to shared memory."""
viterbi_tree = partial(_run_method, fill=_fill_rows_by_tree, dtype=np.dtype(np.float64))
"""Multiply pieces in parallel and join them in a tree, in float64: products have no common constant."""
viterbi_persistent = partial(_run_method, fill=_fill_rows_in_pieces)
"""Compute the rows of all pieces in parallel from guessed starts, corrected until nothing changes."""
