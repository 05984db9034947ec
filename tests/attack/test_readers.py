"""Damaged files: what mutations make, and that every reader takes them or refuses them in our words."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zipfile
from collections import Counter
from io import BytesIO

import numpy as np
import pytest

from antidiag.kernels.experiments.point_data import point_store
from tests.attack import mutation, readers
from tests.attack.corpus import corpus

SEED, FILES, AT_ONCE = 20, 2000, 500


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(first, marks=pytest.mark.slow) for first in range(AT_ONCE, FILES, AT_ONCE))]
)
def test_damaged_files_are_read_or_refused(tmp_path, first):
    found = [readers.attack(SEED, number, tmp_path) for number in range(first, first + AT_ONCE)]
    assert not any(found), "\n\n".join(filter(None, found))


def test_every_real_file_is_read_as_it_is(tmp_path):
    """So that what is refused is refused for its damage."""
    for name, data in corpus().items():
        if (reader := readers.readers_of(name)[0]) in readers.APART or name == "expected.json":
            continue
        (tmp_path / name).write_bytes(data)
        if reader == "sweep":  # whose input is not there
            assert point_store.read_points(tmp_path / name).warnings == ()
        else:
            readers.READERS[reader](tmp_path / name)


def test_every_reader_is_attacked():
    drawn = Counter(readers.case(SEED, number)[1] for number in range(FILES))
    assert set(drawn) == {*readers.READERS, "names"}
    assert min(drawn.values()) > 5


def test_readers_are_attacked_without_a_window():
    """As on a machine with a GPU and nothing else."""
    hidden = "import sys; sys.modules.update(dict.fromkeys(('PySide6', 'pyqtgraph'))); import tests.attack.readers"
    subprocess.run([sys.executable, "-c", hidden], check=True)


@pytest.mark.parametrize("mutate", mutation.MUTATIONS)
@pytest.mark.parametrize("data", [b"", b"\n", b"x", b"a b,c\n1 2.5,3\n" * 20])
def test_a_mutation_is_a_function_of_bytes_and_seed(mutate, data):
    made = [[mutate(data, np.random.default_rng(seed)) for seed in range(20)] for _ in range(2)]
    assert made[0] == made[1]
    assert all(isinstance(one, bytes) for one in made[0])
    assert len(data) < 3 or any(one != data for one in made[0])


def test_what_is_packed_is_damaged_inside_as_well():
    packed = gzip.compress(b">one\nACGT\n" * 50)
    inside = {_unpacks(one) for one in _mutants(packed)} - {None, _unpacks(packed)}
    assert len(inside) > 20
    archive = corpus()["pair.antidiag"]
    whole = [one for one in _mutants(archive) if _sound(one)]
    assert len(whole) > 20


def test_json_stays_json_half_of_the_time():
    found = [one for one in _mutants(corpus()["cpg-islands.json"]) if _is_json(one)]
    assert 30 < len(found) < 90


def _mutants(data: bytes) -> list[bytes]:
    return [mutation.mutate(data, np.random.default_rng(seed)) for seed in range(100)]


def _unpacks(data: bytes) -> bytes | None:
    try:
        return gzip.decompress(data)
    except Exception:
        return None


def _sound(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(BytesIO(data)) as source:
            return source.testzip() is None
    except Exception:
        return False


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def test_a_reader_that_hangs_is_found(tmp_path, monkeypatch):
    def read(path):
        while True:
            pass

    monkeypatch.setattr(readers, "READERS", {"slow": read, "broken": lambda path: 1 / 0, "fine": lambda path: None})
    assert "Hangs: more than 0.2 s" in readers.attempt("slow", tmp_path, 0.2)
    assert "ZeroDivisionError" in readers.attempt("broken", tmp_path)
    assert readers.attempt("fine", tmp_path) == ""


@pytest.mark.parametrize("without", [False, True])
def test_where_qt_is_not_installed_what_needs_it_is_read_as_any_other_file(tmp_path, monkeypatch, without):
    read: list[str] = []
    monkeypatch.setattr(readers, "without_qt", lambda: without)
    monkeypatch.setattr(
        readers, "READERS", {name: lambda path, name=name: read.append(name) for name in readers.READERS}
    )
    number = next(number for number in range(1000) if readers.case(0, number)[1] == "colours")
    assert readers.attack(0, number, tmp_path) == ""
    assert read == ["any" if without else "colours"]
