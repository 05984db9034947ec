"""Writing alignments: what is told meanwhile, and what is there when it is cancelled."""

import numpy as np
import pytest

from antidiag.kernels.errors import Cancelled
from antidiag.kernels.io import aligned_sequences, alignment_writer
from antidiag.kernels.monitor import Monitor


def test_writing_tells_how_far_it_is_and_leaves_the_file_before_when_cancelled(tmp_path):
    some = aligned_sequences.read_alignment_text("".join(f">r{number}\nAC-GT\n" for number in range(200)))[0]
    path, told = tmp_path / "some.fasta", []
    alignment_writer.write_alignments(path, [some], Monitor(lambda *given: told.append(given)))
    assert told[0] == (0, 1000, "saving") and told[-1][0] > 900
    assert 50 < len(told) <= 200 and np.all(np.diff([done for done, *_ in told]) >= 0)
    before, monitor = path.read_bytes(), Monitor(lambda done, *_: done > 300 and monitor.cancel())
    with pytest.raises(Cancelled):
        alignment_writer.write_alignments(path, [some], monitor)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]
