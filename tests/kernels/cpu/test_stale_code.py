"""Compiled code never outlives the sources that it was made from."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from antidiag.kernels.scoring import Scoring, match_mismatch
from tests import oracle
from tests.problems import pair

ROOT = Path(__file__).resolve().parents[3]
SEQUENCES = "ACGTACGTTGCAAGCTTAGGCATCATGCAATGCCATTA", "TTACGTACGAATGCAAGCTTTAGGCATCTGCAATGGCCATTACC"
RUN = f"""
import json
from antidiag.kernels import registry
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.scoring import Scoring, match_mismatch
from antidiag.kernels.steps import StepLog
from tests.problems import pair

problem = pair(*{SEQUENCES!r}, Scoring(match_mismatch(2, -3), 5, 2))
method = registry.find_method("chunked-alignment-2")
parameters = method.parameters(s=32, T=32, h=16, threads=1)
answer = method.load_backend("cpu")(problem, parameters, Monitor(), StepLog()).answer
print(json.dumps([answer.score, answer.alignment.operations.tolist()]))
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project, as far as a method needs it."""
    root = tmp_path_factory.mktemp("checkout")
    for name in ("antidiag", "kernels"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "tests").mkdir()
    for name in ("__init__.py", "problems.py", "choosing.py", "example_counts.py"):
        if (ROOT / "tests" / name).exists():
            shutil.copy(ROOT / "tests" / name, root / "tests")
    return root


def computed(checkout: Path) -> tuple[int, list[int]]:
    """Score and path of a small pair by chunked-alignment-2, in a process of its own.

    Compiled code is kept with that of all programs of this user: an earlier run of this test has left its own there.
    """
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    found = subprocess.run(
        [sys.executable, "-c", RUN],
        cwd=checkout,
        env={**environment, "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return tuple(json.loads(found.stdout))


def replace_constant(folder: Path, name: str, value: int) -> None:
    """Change a constant where it is defined, which the sources say themselves."""
    definition = re.compile(rf"^{name} = \d+$", re.MULTILINE)
    [path] = [path for path in folder.rglob("*.py") if definition.search(path.read_text(encoding="utf-8"))]
    path.write_text(definition.sub(f"{name} = {value}", path.read_text(encoding="utf-8")), encoding="utf-8")


@pytest.mark.slow
def test_a_changed_constant_of_another_module_leads_to_new_code(checkout: Path) -> None:
    expected = oracle.best_alignment(pair(*SEQUENCES, Scoring(match_mismatch(2, -3), 5, 2)))
    answer = expected.score, expected.alignment.operations.tolist()
    assert computed(checkout) == answer
    replace_constant(checkout / "kernels", "PLACE_BITS", 20)
    assert computed(checkout) == answer
