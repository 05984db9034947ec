"""Floyd-Warshall by panels: what runs on several streams is in order, and its distances are those of the definition."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.graphs import kinds, reference, sizes
from antidiag.kernels.graphs.digits import TOLERANCE
from antidiag.kernels.graphs.graph import from_weights
from antidiag.kernels.graphs.problem import build
from antidiag.kernels.monitor import Monitor


def panels(monkeypatch: pytest.MonkeyPatch, height: int) -> Any:
    """The module as the emulator has imported it, with low panels and for problems of any size."""
    module = import_module("antidiag.kernels.graphs.cuda_panels")
    monkeypatch.setattr(import_module("antidiag.kernels.graphs.sizes"), "LEAST", 0)
    monkeypatch.setattr(module, "PANEL", height)
    return module


def weights(n: int, kind: str) -> np.ndarray:
    random = np.random.default_rng(n)
    found = random.integers(1, 100, (n, n)).astype(float)
    found[random.random((n, n)) < 0.9] = np.inf
    if kind == "far":  # a long way round, of more than 16 bits, after some of less
        found[:, :] = np.inf
        found[np.arange(n), np.arange(1, n + 1) % n] = 30_000
        found[:70, :70] = 1
    if kind == "negative":
        height = random.integers(-50, 50, n)
        found += height[:, None] - height
    return found + (0.5 if kind == "halves" else 0)


@pytest.mark.parametrize(
    ("precision", "kind", "n", "height"),
    [("float64", "few", 330, 64), ("float64", "halves", 320, 64), ("float64", "far", 300, 128),
     ("int32", "negative", 520, 128), ("int32", "far", 390, 256), ("int32", "few", 130, 512)],
)  # fmt: skip
def test_distances_are_the_definitions(emulated, monkeypatch, precision, kind, n, height) -> None:
    panels(monkeypatch, height)
    made = build([from_weights(weights(n, kind))], {"numbers": precision})
    found = emulated("floyd-blocked", made, seed=1)
    np.testing.assert_array_equal(found.answer.floats(made), reference.floyd_warshall(made.graph))
    told = registry.method("floyd-blocked").footprint(made, {}, "cuda").device_bytes
    assert found.device_bytes <= told * 1.01 <= found.device_bytes * 1.02
    assert found.steps.array()["column_end"].max() == n


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("precision", "kind", "n"),
    [("int32", "few", 2105), ("int32", "far", 1100), ("float32", "negative", 2048), ("float64", "halves", 1300)],
)
def test_distances_on_a_gpu_are_the_cpus(precision: str, kind: str, n: int) -> None:
    """Three times: the next run uses what one kept. Fractions add up in another order, but always in the same."""
    made = build([from_weights(weights(n, kind))], {"numbers": precision})
    method = registry.method("floyd-blocked")
    assert sizes.overlaps(made, kinds.BLOCKED)
    expected = engine.execute(engine.plan(method, made, {}, "cpu"), keep_rate=False).answer.floats(made)
    found = [engine.execute(engine.plan(method, made, {}, "cuda"), keep_rate=False).answer.floats(made) for _ in "123"]
    allowed = TOLERANCE[precision] * expected[np.isfinite(expected)].max() if kind == "halves" else 0.0
    np.testing.assert_allclose(found[0], expected, rtol=0, atol=allowed)
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


@pytest.mark.parametrize("told", [1, 4, 7])
def test_a_cancelled_run_leaves_nothing(emulated, monkeypatch, told: int) -> None:
    from antidiag.kernels.cuda import devices

    panels(monkeypatch, 64)
    made = build([from_weights(weights(330, "few"))], {"numbers": "float64"})
    heard = []

    def listen(done: int, total: int, phase: str) -> None:
        heard.append(done)
        if len(heard) == told:
            monitor.cancel()

    monitor = Monitor(listen)
    with pytest.raises(Cancelled):
        emulated("floyd-blocked", made, monitor=monitor)
    assert devices.kept_memory().used_bytes() == 0


Place = tuple[int, int, int]
Clock = dict[Any, int]
"""Of every stream, the last of its operations that is known to be over."""


class Watched:
    """What every launch and copy of a run reads and writes, in tiles, and whether two that touch the same are in order.

    Tiles have ``size`` numbers a side, as the smallest blocks of a launch; others are whole numbers of tiles. Nothing
    is computed. Streams and the host have clocks; an event carries one from where it is recorded to where it is waited
    for. What was recorded before, as by the event of a buffer that an earlier run left, is none of this watch's: it
    counts from 1 again. So events and streams are kept as they are, and not by addresses, which are given away again.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, module: Any, size: int) -> None:
        from tests.emulator.fake_cupy import device_memory, streams

        self.size, self.side, self.itemsize = size, 0, {}
        self.clocks: dict[Any, Clock] = {}
        self.events: dict[Any, Clock] = {}
        self.host: Clock = {}
        self.writes: dict[Place, tuple[Any, int, str]] = {}
        self.reads: dict[Place, dict[Any, tuple[int, str]]] = {}
        self.operations = 0
        self._streams = streams
        stream, event, pointer = streams.Stream, streams.Event, device_memory.MemoryPointer
        monkeypatch.setattr(stream, "record", lambda own, event=None: self._record(own, event))
        monkeypatch.setattr(stream, "wait_event", lambda own, event: self._merge(self._clock(own), self.events[event]))
        monkeypatch.setattr(stream, "synchronize", lambda own: self._merge(self.host, self._clock(own)))
        monkeypatch.setattr(event, "record", lambda own, stream=None: self._record(stream or self._current(), own))
        monkeypatch.setattr(event, "synchronize", lambda own: self._merge(self.host, self.events.get(own, {})))
        for name in ("copy_from_host_async", "copy_to_host_async"):
            monkeypatch.setattr(pointer, name, self._host_copy(name, getattr(pointer, name)))
        monkeypatch.setattr(pointer, "copy_from_device_async", lambda *given: self._device_copy(*given))
        monkeypatch.setattr(module.Run, "kernel", lambda run, parts, name, **given: self._launch(name, **given))

    def _current(self) -> Any:
        return self._streams.get_current_stream()

    def _clock(self, stream: Any) -> Clock:
        return self.clocks.setdefault(stream, {})

    def _merge(self, into: Clock, other: Clock) -> None:
        for stream, at in other.items():
            into[stream] = max(into.get(stream, 0), at)

    def _record(self, stream: Any, event: Any = None) -> Any:
        event = event or self._streams.Event()
        event.time, self.events[event] = 0.0, dict(self._ahead(stream))
        return event

    def _ahead(self, stream: Any) -> Clock:
        clock = self._clock(stream)
        self._merge(clock, self.host)
        return clock

    def did(self, name: str, stream: Any, reads: set[Place], writes: set[Place]) -> None:
        """An operation on a stream; AssertionError where an earlier one that touches the same may still go on."""
        clock = self._ahead(stream)
        self.operations += 1
        clock[stream] = self.operations
        for place in reads | writes:
            before = [(self.writes[place])] if place in self.writes else []
            if place in writes:
                before += [(other, at, what) for other, (at, what) in self.reads.get(place, {}).items()]
            for other, at, what in before:
                assert clock.get(other, 0) >= at, f"{name} and {what} both touch {place}"
        for place in writes:
            self.writes[place], self.reads[place] = (stream, self.operations, name), {}
        for place in reads - writes:
            self.reads.setdefault(place, {})[stream] = self.operations, name

    def rows(self, pointer: int, nbytes: int) -> set[Place]:
        """The tiles of whole rows of a matrix, by the place where it begins, and the bytes from there on; none of
        another array."""
        base = max((at for at in self.itemsize if at <= pointer), default=pointer)
        if pointer >= base + self.side**2 * self.itemsize.get(base, 0):
            return set()
        row = self.side * self.itemsize[base]
        first, last = (pointer - base) // row, -(-(pointer + nbytes - base) // row)
        blocks = range(self.side // self.size)
        return {(base, i, j) for i in range(first // self.size, -(-last // self.size)) for j in blocks}

    def _host_copy(self, name: str, copy: Any) -> Any:
        def copied(pointer: Any, address: Any, size: int, stream: Any) -> None:
            copy(pointer, address, size, stream)
            places = self.rows(pointer.ptr, size)
            came = "from" in name
            self.did(name, stream, set() if came else places, places if came else set())

        return copied

    def _device_copy(self, pointer: Any, source: Any, size: int, stream: Any) -> None:
        self.did("copy", stream, self.rows(source.ptr, size), self.rows(pointer.ptr, size))

    def _launch(self, name: str, PER: int = 1, **constants: int) -> Any:
        wide = import_module("antidiag.kernels.semiring.cuda").SIDE * PER // self.size

        def launched(grid: tuple[int, ...], threads: Any, given: tuple[Any, ...]) -> None:
            given = tuple(
                one.data.ptr if hasattr(one, "data") and hasattr(one.data, "ptr") else int(one) for one in given
            )
            reads, writes = getattr(self, name)(wide, grid, *given)
            self.did(name, self._current(), set(reads), set(writes))

        return launched

    def _tiles(self, wide: int, first: int, count: int) -> range:
        """Of so many blocks."""
        return range(first * wide, (first + count) * wide)

    def _columns(self, wide: int, start: int, skip: int, count: int) -> list[int]:
        """The tiles of so many blocks of columns, of which some are left out."""
        blocks = [at if at < start else at + skip for at in range(count)]
        return [tile for block in blocks for tile in self._tiles(wide, block, 1)]

    def floyd_square(self, wide, grid, d, words, side, first, count) -> tuple[Any, ...]:
        assert grid == (count**2,)
        tiles = self._tiles(wide, first, count)
        return [], [(d, i, j) for i in tiles for j in tiles]

    def floyd_along(self, wide, grid, d, before, side, first, start, skip, depth) -> tuple[Any, ...]:
        rows, columns = self._tiles(wide, first, grid[1]), self._columns(wide, start, skip, grid[0])
        factors = range(rows[0], rows[0] + depth // self.size)
        assert list(factors) == list(rows) and not set(rows) & set(columns)
        reads = [(d, i, k) for i in rows for k in factors] + [(before, i, j) for i in rows for j in columns]
        return reads, [(d, i, j) for i in rows for j in columns]

    def floyd_apply(self, wide, grid, d, left, side, first, start, skip, pivot, depth, begin, end) -> tuple[Any, ...]:
        rows, columns = self._tiles(wide, first, grid[1]), self._columns(wide, start, skip, grid[0])
        pivots = range(pivot * wide, pivot * wide + depth // self.size)
        kept = set(columns) & set(range(begin * wide, end * wide))
        assert not set(rows) & set(pivots) and not kept & set(pivots)
        reads = [(left, i, k) for i in rows for k in pivots] + [(d, k, j) for k in pivots for j in columns]
        return reads, [(d, i, j) for i in rows for j in columns] + [(left, i, j) for i in rows for j in kept]

    def floyd_keep(self, wide, grid, d, left, side, first, start, skip) -> tuple[Any, ...]:
        rows, columns = self._tiles(wide, first, grid[1]), self._columns(wide, start, skip, grid[0])
        return [(d, i, j) for i in rows for j in columns], [(left, i, j) for i in rows for j in columns]

    def spread(self, wide, grid, codes, numbers, again, count) -> tuple[Any, ...]:
        return self.rows(codes, 2 * count), self.rows(numbers, 4 * count) | self.rows(again, 4 * count)

    def gathered(self, wide, grid, numbers, codes, count, limit, outside) -> tuple[Any, ...]:
        return self.rows(numbers, 4 * count), self.rows(codes, 2 * count)


@pytest.fixture
def watched(emulated, monkeypatch) -> Callable[..., Watched]:
    """A function that has a run watched, without an answer."""
    from antidiag.kernels.cuda import devices

    def watch(n: int, height: int, narrow: bool) -> Watched:
        graph = from_weights(np.full((n, n), 1 if narrow else 0.5))
        made = build([graph], {"numbers": "int32" if narrow else "float32"})
        with monkeypatch.context() as patched, devices.use(0):  # the next watch is not watched by this one
            module = panels(patched, height)
            watching = Watched(patched, module, 64)
            take = module.Panels._take

            def taken(run: Any) -> None:
                take(run)
                watching.side = run.side
                watching.itemsize = {matrix.data.ptr: matrix.itemsize for matrix in (run._d, run._left, run._codes)}

            patched.setattr(module.Panels, "_take", taken)
            module.distances(made, made, module.Run(Monitor()), narrow)
        return watching

    return watch


@pytest.mark.parametrize("sides", [1, 2, 3])
@pytest.mark.parametrize("narrow", [True, False])
@pytest.mark.parametrize("height", [128, 256, 512])
def test_no_stream_touches_what_another_still_needs(watched, monkeypatch, height, narrow, sides) -> None:
    module = import_module("antidiag.kernels.graphs.cuda_panels")
    monkeypatch.setattr(module, "SIDES", sides)
    monkeypatch.setattr(module, "_idle", {})
    assert watched(1000, height, narrow).operations > 8


WAITS = ("arrived", "laid", "crossing", "crossed", "squared", "closed", "kept", "turned", "final", "coded")
"""Names of what streams, or the host, wait for."""


def left_out(monkeypatch: pytest.MonkeyPatch, name: str) -> set[str]:
    """Have nothing wait for what is called so; the names of what is waited for, as runs go on."""
    panels_of = import_module("antidiag.kernels.graphs.cuda_panels").Panels
    after, names = panels_of._after, set()

    def waited(run: Any, called: str, panel: int, *streams: Any) -> None:
        names.add(called)
        if called != name:
            after(run, called, panel, *streams)

    monkeypatch.setattr(panels_of, "_after", waited)
    return names


@pytest.mark.parametrize("name", WAITS)
def test_every_wait_is_needed(watched, monkeypatch, name) -> None:
    """The watch would notice it: without those waits, two touch the same."""
    monkeypatch.setattr(import_module("antidiag.kernels.graphs.cuda_panels"), "_idle", {})
    names = left_out(monkeypatch, name)
    with pytest.raises(AssertionError, match="both touch"):
        watched(1000, 128, True)
    assert names <= set(WAITS)


def test_a_watch_believes_no_event_of_another(watched, monkeypatch) -> None:
    """A longer run leaves streams, and a buffer whose event knows more of them than the next run does."""
    monkeypatch.setattr(import_module("antidiag.kernels.graphs.cuda_panels"), "_idle", {})
    watched(1500, 128, True)
    left_out(monkeypatch, "arrived")
    with pytest.raises(AssertionError, match="both touch"):
        watched(1000, 128, True)
