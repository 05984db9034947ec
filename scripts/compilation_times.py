"""Measure how long the first compilation of each method takes, and write what ships with the program.

Each method runs once, at a tiny size, in a process and a compiler cache of its own. Processor time is measured, so that
a busy machine gives the same. `compiled_methods` estimates from it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("methods", nargs="*", help="ids of methods; all if none is named")
    parser.add_argument("--one", action="store_true", help="print the milliseconds of one method, in this process")
    chosen = parser.parse_args()
    if chosen.one:
        print(measure_method(chosen.methods[0]))
        return 0
    from antidiag.kernels import registry
    from antidiag.kernels.machine.compiled_methods import SHIPPED_TIMES

    found = json.loads(SHIPPED_TIMES.read_text())
    for method in registry.METHODS:
        if "cpu" in method.backends and (not chosen.methods or method.id in chosen.methods):
            found.setdefault(method.family, {})[method.id] = run_in_empty_cache(method.id)
            print(f"{method.id}: {found[method.family][method.id]:,} ms", flush=True)
            SHIPPED_TIMES.write_text(json.dumps(found, indent=1) + "\n")
    return 0


def run_in_empty_cache(method_id: str) -> int:
    """Return the milliseconds of a method in a new process with an empty compiler cache."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder, "XDG_CACHE_HOME": folder}
        command = [sys.executable, __file__, method_id, "--one"]
        done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
        return int(done.stdout.split()[-1])


def measure_method(method_id: str) -> int:
    """Return the milliseconds of processor time of the first run of a method."""
    from antidiag.kernels import engine, registry
    from antidiag.kernels.experiments.suites import promised_costs

    method = registry.find_method(method_id)
    plan = engine.plan_run(method, promised_costs.make_problem(method, 0), backend="cpu", use_tuned=False)
    begun = time.process_time()
    engine.execute(plan, keep_rate=False, keep_parts=False)
    return round(1000 * (time.process_time() - begun))


if __name__ == "__main__":
    sys.exit(main())
