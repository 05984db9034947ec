"""Processes that begin with Numba in memory and nothing of the project: to load it takes longer than what they do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

SERVING = """
import json, os, sys
import numba

numba.njit(lambda number: number + 1)(1)  # all that every compilation loads

for line in sys.stdin:
    folder, environment, file, code = json.loads(line)
    if process := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
        continue
    out = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    numba.core.config.reload_config()
    sys.path[:0] = environment["PYTHONPATH"].split(os.pathsep)
    exec(code, {"__name__": "__main__"})
    break
"""


class Starter:
    """Starts one process after the other, each a copy of one that has loaded Numba alone."""

    def __init__(self, serving: subprocess.Popen[str] | None) -> None:
        self._serving = serving

    def run(self, code: str, folder: Path, environment: Mapping[str, str], said: Path) -> tuple[int, str]:
        """Run code in a process of its own; its exit code and what it wrote, which is kept in ``said``."""
        if self._serving is None:
            done = subprocess.run(
                [sys.executable, "-c", code],
                cwd=folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            return done.returncode, done.stdout
        self._serving.stdin.write(json.dumps([str(folder), dict(environment), str(said), code]) + "\n")
        self._serving.stdin.flush()
        return int(self._serving.stdout.readline()), said.read_text()


@contextmanager
def starter() -> Iterator[Starter]:
    """A starter; where processes cannot be copied, it starts an interpreter for each."""
    if not hasattr(os, "fork"):
        yield Starter(None)
        return
    command = [sys.executable, "-c", SERVING]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as serving:
        yield Starter(serving)
        serving.stdin.close()
