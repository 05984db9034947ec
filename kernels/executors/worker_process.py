"""A worker process: reads tasks as frames from standard input and writes their answers to standard output.

A frame is its length (8 bytes, little-endian) and a message. The process ends when its input does, so that none
outlives its caller. `kernels.executors.processes` starts it with -m and the folder of shared inputs.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO

LENGTH_BYTES = 8


def write_frame(stream: BinaryIO, message: bytes) -> None:
    """Write a frame with a message."""
    stream.write(len(message).to_bytes(LENGTH_BYTES, "little"))
    stream.write(message)
    stream.flush()


def read_frame(stream: BinaryIO) -> bytes | None:
    """Return the message of the next frame, or None where the stream ends, also in the middle of a frame."""
    head = stream.read(LENGTH_BYTES)
    if len(head) < LENGTH_BYTES:
        return None
    length = int.from_bytes(head, "little")
    message = stream.read(length)
    return message if len(message) == length else None


def main(shared_folder: Path) -> None:
    """Run the tasks that arrive, one after the other, until the input ends. An empty frame asks for a description."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print goes to standard error
    from antidiag.kernels.executors import task_runner

    while (message := read_frame(sys.stdin.buffer)) is not None:
        if message:
            answer = task_runner.run_task_message(message, lambda digest: (shared_folder / digest).read_bytes())
        else:
            answer = task_runner.describe_worker()
        write_frame(answers, answer)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
