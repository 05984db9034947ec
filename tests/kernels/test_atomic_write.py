"""A file is replaced as a whole or not at all."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from antidiag.kernels.atomic_write import open_atomic


@pytest.mark.parametrize("sync", [False, True])
def test_a_file_is_replaced_when_the_new_one_is_complete(tmp_path: Path, sync: bool) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"old")
    with open_atomic(path, sync) as handle:
        handle.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new" and list(tmp_path.iterdir()) == [path]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"old")

    def write_half() -> None:
        with open_atomic(path) as handle:
            handle.write(b"half of")
            raise MemoryError

    with pytest.raises(MemoryError):
        write_half()
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_files_of_killed_processes_of_this_computer_are_removed_and_no_others(tmp_path: Path) -> None:
    code = """if True:
    import os, signal, sys
    from antidiag.kernels.atomic_write import open_atomic
    with open_atomic(sys.argv[1]) as handle:
        handle.write(b"half of")
        os.kill(os.getpid(), signal.SIGTERM)"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "table.csv")], check=False)
    (abandoned,) = tmp_path.iterdir()
    other_host = abandoned.with_name(abandoned.name.replace("@", "@other-"))
    alive = abandoned.with_name(re.sub(r"-\d+-", f"-{os.getppid()}-", abandoned.name, count=1))
    for kept in (other_host, alive):
        kept.touch()
    with open_atomic(tmp_path / "other.csv"):
        assert not abandoned.exists()
    assert set(tmp_path.iterdir()) == {other_host, alive, tmp_path / "other.csv"}


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_keeps_pointing_to_its_file_and_a_device_is_written_directly(tmp_path: Path) -> None:
    path, link = tmp_path / "table.csv", tmp_path / "link"
    link.symlink_to(path)
    with open_atomic(link) as handle:
        handle.write(b"new")
    assert link.is_symlink() and path.read_bytes() == b"new"
    with open_atomic(os.devnull) as handle:
        handle.write(b"new")
