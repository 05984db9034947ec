"""``python -m bench``: measure and print."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench import cases
from bench.tables import DISAGREEMENT, Row, print_table
from kernels import engine
from kernels.cuda import devices


def main(arguments: Sequence[str] | None = None) -> int:
    """Print every table as it is measured; 1 where scores of two programs differ."""
    options = _options(arguments)
    found, reason = devices.discover()
    print(", ".join([engine.cpu_name(), f"{cases.thread_counts()[-1]} threads", *(gpu.name for gpu in found)]))
    rows: list[Row] = []
    for table in _tables(options, bool(found)):
        print_table(table)
        rows += table
    if not found:
        print(f"\nThe GPU was not measured: {reason}")
    if options.json:
        report = {"cpu": engine.cpu_name(), "versions": dict(engine.versions()), "rows": [row.data() for row in rows]}
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return int(any(row.note == DISAGREEMENT for row in rows))


def _tables(options: argparse.Namespace, has_gpu: bool) -> Iterator[list[Row]]:
    if not options.gpu_only:
        yield from cases.cpu(options.quick)
    if has_gpu:
        yield from cases.gpu(options.quick, with_cpu=not options.gpu_only)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Antidiag beside its peers, in one run.")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, without the slowest peers and pairs")
    parser.add_argument("--gpu-only", action="store_true", help="measure nothing but the GPU")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also save every row as JSON")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
