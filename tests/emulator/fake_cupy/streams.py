"""Streams, events, graphs, textures and devices. All work is done when it is submitted, unless a graph captures it."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any

_thread = threading.local()


class Graph:
    """Launches that a stream has captured."""

    def __init__(self, launches: list[Callable[[], None]]) -> None:
        self._launches = launches

    def launch(self, stream: Any = None) -> None:
        for launch in self._launches:
            launch()

    def upload(self, stream: Any = None) -> None:
        pass


class Stream:
    """Everything on it is over as soon as it is there."""

    ptr = 0
    done = True

    def __init__(
        self, null: bool = False, non_blocking: bool = False, ptds: bool = False, priority: Any = None
    ) -> None:
        self.non_blocking = non_blocking
        self._captured: list[Callable[[], None]] | None = None
        self._outer: list[Stream] = []

    def __enter__(self) -> Stream:
        self._outer.append(get_current_stream())
        return self.use()

    def __exit__(self, *error: object) -> None:
        self._outer.pop().use()

    def use(self) -> Stream:
        _thread.stream = self
        return self

    def synchronize(self) -> None:
        pass

    def record(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        pass

    def begin_capture(self, mode: Any = None) -> None:
        self._captured = []

    def end_capture(self) -> Graph:
        captured, self._captured = self._captured, None
        assert captured is not None, "begin_capture comes first"
        return Graph(captured)

    def is_capturing(self) -> bool:
        return self._captured is not None


Stream.null = Stream(null=True)  # type: ignore[attr-defined]


def get_current_stream(device_id: int | None = None) -> Stream:
    return getattr(_thread, "stream", Stream.null)  # type: ignore[attr-defined]


def submit(launch: Callable[[], None]) -> None:
    """Do it now, or keep it for the graph that is being captured."""
    captured = get_current_stream()._captured
    if captured is None:
        launch()
    else:
        captured.append(launch)


class Event:
    """A time."""

    done = True

    def __init__(self, block: bool = False, disable_timing: bool = False, interprocess: bool = False) -> None:
        self.time: float | None = None

    def record(self, stream: Any = None) -> None:
        self.time = time.perf_counter()

    def synchronize(self) -> None:
        pass


def get_elapsed_time(start: Event, end: Event) -> float:
    """Milliseconds."""
    if start.time is None or end.time is None:
        raise RuntimeError("cudaErrorInvalidResourceHandle: an event was not recorded")
    return (end.time - start.time) * 1e3


class _Texture(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_ulonglong)]


class ChannelFormatDescriptor:
    def __init__(self, x: int, y: int, z: int, w: int, f: int) -> None:
        self.bits = x + y + z + w


class ResourceDescriptor:
    """Linear memory; the emulator has no arrays of textures."""

    def __init__(
        self,
        restype: int,
        cuArr: Any = None,
        arr: Any = None,
        chDesc: Any = None,
        sizeInBytes: int = 0,
        **more: Any,
    ) -> None:
        assert arr is not None, "the emulator has textures of linear memory only"
        self.array, self.bytes = arr, sizeInBytes or arr.nbytes


class TextureDescriptor:
    def __init__(self, *arguments: Any, **more: Any) -> None:
        pass


class TextureObject:
    """Its pointer is the address of what tex1Dfetch of memory.h reads."""

    def __init__(self, ResDesc: ResourceDescriptor, TexDesc: TextureDescriptor) -> None:
        self.ResDesc, self.TexDesc = ResDesc, TexDesc
        self._texture = _Texture(ResDesc.array.data.ptr, ResDesc.bytes)
        self.ptr = ctypes.addressof(self._texture)
