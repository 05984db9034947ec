import re

import pytest

from antidiag.app.views.aligned.side_panels import pair_statistics
from antidiag.app.views.aligned.side_panels.pair_statistics import count_columns
from antidiag.kernels.monitor import Monitor
from tests.app.views import examples


@pytest.mark.parametrize("mode", ["local", "global"])
def test_statistics_count_what_the_rows_show(mode, monkeypatch):
    monkeypatch.setattr(pair_statistics, "CHUNK", 16)
    result = examples.result(examples.problem(*examples.related(200), mode=mode))
    top, bottom = result.answer.alignment.gapped_rows(*result.problem.sequences)
    counts = count_columns(result, Monitor())
    assert counts.identical == counts.positive == sum(a == b for a, b in zip(top, bottom, strict=True))
    assert counts.gap_letters == top.count("-") + bottom.count("-")
    assert counts.gaps == sum(len(re.findall("-+", row)) for row in (top, bottom))


def test_similar_letters_score_above_0():
    counts = count_columns(
        examples.result(examples.problem("AILK", "AVLE", mode="global", matrix="BLOSUM62")), Monitor()
    )
    assert (counts.identical, counts.positive, counts.gaps) == (2, 4, 0)
