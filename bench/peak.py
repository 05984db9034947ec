"""Prints what one call adds to the peak memory of this process: ``python -m bench.peak ours 4`` (threads)."""

from __future__ import annotations

import sys
from pathlib import Path

from bench import contenders, pairs


def main(who: str, threads: str = "1") -> None:
    """Warm up on a short pair, then align the phages once."""
    for pair in (pairs.phages().start, pairs.phages()):
        before = peak()
        if who == "ours":
            contenders.ours(pair, "striped-alignment", threads=int(threads))()
        else:
            contenders.parasail(pair, contenders.PARASAIL_PATH)()
    print(peak() - before)


def peak() -> int:
    """Largest resident size of this process so far, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    main(*sys.argv[1:])
