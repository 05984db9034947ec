"""Writing alignments: what is told meanwhile, and what is there when it is cancelled."""

import numpy as np
import pytest

from antidiag.kernels.errors import Cancelled
from antidiag.kernels.io import aligned_sequences, alignment_writer
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations
from antidiag.kernels.model import SequenceType
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


@pytest.mark.parametrize(
    ("names", "read"),
    [
        (("two words", "two words_2"), ("two_words", "two_words_2")),
        (("a b", "a c", "a d"), ("a_b", "a c", "a d")),
        (("a b", "a_b", "c"), ("a_b", "a_b_2", "c")),
        (("a", "a b c", "x y", "x z"), ("a", "a_b_c", "x y", "x z")),
        (("x", "a b", "a  c"), ("x", "a_b", "a_c")),
    ],
)
def test_names_with_blanks_stay_whole_beside_a_row_with_a_description(tmp_path, names, read):
    letters = np.array([[65, 45]] * len(names), np.uint8)
    notes = Annotations(of_rows=((0, "DE", "said"),))
    path = tmp_path / "some.fasta"
    alignment = AlignedSequences(names, letters, SequenceType.DNA, annotations=notes)
    alignment_writer.write_alignments(path, [alignment])
    (found,) = aligned_sequences.read_alignments(path)
    assert found.names == read and found.annotations == notes
