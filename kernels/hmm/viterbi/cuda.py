"""The methods of Viterbi on the GPU (003, chapter 5)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import blocks, textures
from antidiag.kernels.cuda.compile import allow_shared
from antidiag.kernels.cuda.run import LAUNCHES_AHEAD, Phase, Run
from antidiag.kernels.cuda.structs import Constants
from antidiag.kernels.cuda.transfers import touched
from antidiag.kernels.hmm import cuda_sizes
from antidiag.kernels.hmm.cuda_rows import ELEMENT_FILE, PIECES, Model, Pieces, by_correction
from antidiag.kernels.hmm.parameters import HmmParameters
from antidiag.kernels.hmm.problem import HmmProblem, ViterbiAnswer, answer, answer_of_counts
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import typed
from antidiag.kernels.semiring import MIN_PLUS
from antidiag.kernels.steps import Steps

HERE = Path(__file__).parent
SCALAR = (ELEMENT_FILE, HERE / "scalar.cu")
PRODUCTS = (ELEMENT_FILE, HERE / "products.cu")
NONE = -1
UNKNOWN_BYTE = 0x80
UNKNOWN = int.from_bytes(4 * bytes([UNKNOWN_BYTE]), signed=True)
"""No state either, and all of its bytes are the same."""
TRACE = (ELEMENT_FILE, Constants.of(NONE=NONE, UNKNOWN=UNKNOWN), HERE / "trace.cu")
TRACE_THREADS = 128
TOLD_THREADS = 1024
NO_STATE = NONE & 0xFFFF
"""NONE in 16 bits."""
BOUND_TOGETHER = 64
"""Letters, each with a texture of its own, between two looks at how far the device is."""


Fill = Callable[[Model, Mapping[str, Any]], None]


def viterbi_scalprod(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """TROPSCALPRODVITERBI: one block, a thread a state; whole costs in float64, which no sequence outgrows."""
    return _run(problem, parameters, monitor, steps, _scalar_products, np.dtype(np.float64))


def viterbi_matvecprod(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """TROPMATVECPRODVITERBI: one block goes through the whole sequence, a row times a matrix for every letter."""
    return _run(problem, parameters, monitor, steps, _rows_times_matrices)


def viterbi_matprod_smem(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """SMemViterbi: the product of all matrices, each put together in shared memory from transitions and emissions."""
    return _run(problem, parameters, monitor, steps, partial(_matrix_products, texture=False))


def viterbi_matprod_tmem(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """TMemViterbi: the product of all matrices, which are moved from a texture to shared memory."""
    return _run(problem, parameters, monitor, steps, partial(_matrix_products, texture=True))


def viterbi_tree(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Products of pieces in parallel, joined in a tree; in float64, as products cannot be kept up to a constant."""
    return _run(problem, parameters, monitor, steps, _by_tree, np.dtype(np.float64))


def viterbi_persistent(problem: HmmProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Rows of all pieces in parallel from guessed starts, corrected until nothing changes."""
    return _run(problem, parameters, monitor, steps, _in_pieces)


def _run(
    problem: HmmProblem,
    parameters: Mapping[str, Any],
    monitor: Monitor,
    steps: Steps,
    fill: Fill,
    type: np.dtype | None = None,
) -> Outcome:
    """All rows, then the path back through them."""
    run = Run(monitor, steps, rows=problem.states)
    if not problem.n:
        return Outcome(answer(problem, np.empty(0, np.int32)), run.times_ms)
    exact = cuda_sizes.exact_in_32_bits(problem)
    states = np.empty(problem.n, np.uint16)
    with touched(states):
        model = _upload(problem, run, type or np.dtype(np.int32 if exact else np.float64))
        fill(model, parameters)
        path = _path(model)
    found = _told(problem, model, path, states)
    return Outcome(found, run.times_ms, states.nbytes, run.device_bytes)


def _upload(problem: HmmProblem, run: Run, type: np.dtype) -> Model:
    costs, zero = problem.costs, MIN_PLUS.zero(type)
    parts = (costs.initial, costs.transitions, costs.emissions)
    initial, transitions, emissions = (np.minimum(part, zero).astype(type) for part in parts)
    first, ways, columns, emitted = run.upload(initial, transitions, transitions.T, emissions)
    seen, rows = run.up(problem.observations), run.empty((problem.n, problem.states), type)
    rows.data.copy_from_device_async(first.data, first.nbytes, cupy.cuda.get_current_stream())
    return Model(run, problem.states, problem.n, MIN_PLUS, type, ways, columns, emitted, seen, rows, initial)


def _scalar_products(model: Model, parameters: Mapping[str, Any]) -> None:
    states, multiply = model.states, model.kernel(SCALAR, "scalar_products")
    threads, row_bytes = _threads(states), states * model.type.itemsize
    # Nothing is shared here: a letter takes about four times as long as in `advance`.
    several = max(1, cuda_sizes.letters_a_launch(states, cuda_sizes.shape(states, row_bytes // states, 1, False)) // 4)
    with model.run.phase("rows") as phase:
        sums = _sums(model)
        for first in range(0, model.steps, several):
            last = min(first + several, model.steps)
            sizes = np.int32(states), np.int32(first), np.int32(last)
            multiply((1,), (threads,), (sums, model.seen, model.rows, *sizes), shared_mem=row_bytes)
            phase.launched(last, model.steps)


def _rows_times_matrices(model: Model, parameters: Mapping[str, Any]) -> None:
    if model.steps:
        Pieces(model, model.initial[None], model.steps, shared=True).advance()


def _matrix_products(model: Model, parameters: Mapping[str, Any], texture: bool) -> None:
    """Every row of the product goes through all letters; the initial costs are a row more, the one that is stored."""
    if not model.steps:
        return
    states, run = model.states, model.run
    rows = np.vstack([model.initial[None], MIN_PLUS.identity(states, model.type)])
    shaped = cuda_sizes.products_shape(states, model.type.itemsize, blocks.most_shared())
    constants = {"LINE": shaped.line, "PER": shaped.per, "TEXTURE": int(texture)}
    multiply = model.kernel(PRODUCTS, "multiply_matrices", **constants)
    allow_shared(multiply, shaped.shared_bytes)
    current, grid = run.up(rows), (-(-len(rows) // shaped.rows),)
    several = max(1, int(cuda_sizes.LAUNCH_US / shaped.letter_us(grid[0], blocks.multiprocessors())))
    fixed = model.transitions, model.emissions, model.seen, current, model.rows, np.int32(states), np.int32(len(rows))

    def launch(sums: Any, first: int, last: int) -> None:
        arguments = sums, *fixed, np.int32(first), np.int32(last)
        multiply(grid, (shaped.threads,), arguments, shared_mem=shaped.shared_bytes)

    with run.phase("rows") as phase:
        if not texture:
            _in_launches(model, phase, several, lambda first, last: launch(np.uint64(0), first, last))
            return
        matrices, words = _sums(model), model.type.itemsize // 4
        if typed(HmmParameters, parameters).binding == "once":
            bound = textures.bind(matrices, words)
            _in_launches(model, phase, several, lambda first, last: launch(bound, first, last))
            cupy.cuda.get_current_stream().synchronize()
            return
        # Textures stay bound until the launches that read them have ended: no more of them are under way.
        kept: deque[Any] = deque(maxlen=(LAUNCHES_AHEAD + 2) * BOUND_TOGETHER)

        def launch_each(first: int, last: int) -> None:
            for letter in range(first, last):
                kept.append(textures.bind(matrices, words))
                launch(kept[-1], letter, letter + 1)

        _in_launches(model, phase, BOUND_TOGETHER, launch_each)
        cupy.cuda.get_current_stream().synchronize()


def _in_launches(model: Model, phase: Phase, several: int, launch: Callable[[int, int], None]) -> None:
    """``launch(first, last)`` for all letters, some at a time."""
    for first in range(0, model.steps, several):
        last = min(first + several, model.steps)
        launch(first, last)
        phase.launched(last, model.steps)


def _sums(model: Model) -> cupy.ndarray:
    """S of every letter of the alphabet on the device, shape (letters, states, states)."""
    states, symbols = model.states, int(model.emissions.shape[0])
    sums = cupy.empty((symbols, states, states), model.type)
    arguments = model.transitions, model.emissions, sums, np.int32(states)
    model.kernel(SCALAR, "make_sums")((states, symbols), (_threads(states),), arguments)
    return sums


def _threads(states: int) -> int:
    """Threads of a block that has a thread a state."""
    return min(cuda_sizes.MOST_THREADS, -(-states // cuda_sizes.WARP) * cuda_sizes.WARP)


def _in_pieces(model: Model, parameters: Mapping[str, Any]) -> None:
    by_correction(model, typed(HmmParameters, parameters).piece)


def _by_tree(model: Model, parameters: Mapping[str, Any]) -> None:
    if not model.steps:
        return
    length, states = min(typed(HmmParameters, parameters).piece, model.steps), model.states
    count = -(-model.steps // length)
    units = cupy.tile(model.run.up(MIN_PLUS.identity(states, model.type)), (count, 1))
    leaves = Pieces(model, units, length, repeat=states, keep=False, normalise=cuda_sizes.AS_THEY_ARE, name="products")
    leaves.advance()
    levels, nodes, descend = [leaves.current], [count], model.kernel(PIECES, "descend")
    while nodes[-1] > 1:
        levels.append(_joined(model, levels[-1], nodes[-1]))
        nodes.append(-(-nodes[-1] // 2))
    starts = model.run.up(model.initial[None])
    for level, size in zip(levels[-2::-1], nodes[-2::-1], strict=True):
        below = cupy.empty((size, states), model.type)
        descend((size,), (model.threads,), (starts, level, below, np.int32(states)))
        starts = below
    Pieces(model, starts, length).advance()


def _joined(model: Model, below: cupy.ndarray, nodes: int) -> cupy.ndarray:
    """The products of pairs of nodes, a level up in the tree."""
    states, halves = model.states, -(-nodes // 2)
    join, several = model.kernel(PIECES, "join"), max(1, cuda_sizes.JOINED // states**3)
    above = cupy.empty((halves * states, states), model.type)
    with model.run.phase("products", waits=False) as phase:
        for first in range(0, halves, several):
            count = min(several, halves - first)
            parts = below[2 * first * states :], above[first * states :]
            join((count, states), (model.threads,), (*parts, np.int32(nodes - 2 * first), np.int32(states)))
            phase.launched(first + count, halves)
    return above


def _path(model: Model) -> cupy.ndarray:
    """The states of all letters, int32; -1 at the last one where no path is possible."""
    letters, length = model.letters, cuda_sizes.TRACED
    count, warps = -(-letters // length), TRACE_THREADS // cuda_sizes.WARP
    kernel = model.kernel(TRACE, "trace_back")
    path, run = model.run.empty(letters, np.int32), model.run
    entries, used = run.empty(count, np.int32), run.filled(count, np.int32, UNKNOWN_BYTE)
    changed, again = count, False
    with run.phase("path") as phase:
        while changed:
            counter, following = run.filled(1, np.int32), run.empty(count, np.int32)
            kernel(
                (-(-count // warps),), (TRACE_THREADS,),
                (model.columns, model.emissions, model.seen, model.rows, path, entries, following, used, counter,
                 *(np.int32(number) for number in (model.states, letters, length, count))),
            )  # fmt: skip
            entries, changed, again = following, int(counter.get()[0]) if again else count, True
            phase.launched(count - changed, count)
    return path


def _told(problem: HmmProblem, model: Model, path: cupy.ndarray, states: np.ndarray) -> ViterbiAnswer:
    """The answer of a path on the device, which comes to the host in ``states``.

    What makes its probability is counted there, where a sequence has more letters than there are numbers to count.
    """
    run, size = model.run, model.states**2 + model.states * int(model.emissions.shape[0])
    size *= size <= model.letters
    told, counts = run.empty(model.letters, np.uint16), run.filled(max(size, 1), np.int32)
    in_block = 0 < 4 * size <= cuda_sizes.SHARED_BYTES
    sizes = *map(np.int32, (model.letters, model.states, size, in_block)), told, counts
    shared_bytes = 4 * size if in_block else 0
    tell_path = model.kernel(TRACE, "tell_path")
    tell_path((blocks.multiprocessors(),), (TOLD_THREADS,), (path, model.seen, *sizes), shared_mem=shared_bytes)
    run.down(told, states)
    if states[-1] == NO_STATE:
        return answer(problem, None)
    if not size:
        return answer(problem, states.astype(np.int32))
    pairs = model.states**2
    found = run.down(counts)
    return answer_of_counts(problem, states, found[:pairs], found[pairs:])
