"""The report on readability counts what it says it counts."""

from __future__ import annotations

from scripts import readability

TEXT = """
class Shown(QWidget):
    def paintEvent(self, event): pass
    def told(self): "Documented."
    def size_hint(self): pass

class Shown(Other):
    def run(self): pass

def kept():
    def place(): pass  # fmt: skip
"""


def test_names_docstrings_and_skips_are_counted() -> None:
    figures, class_names = readability.count_part({"a.py": TEXT})
    assert [place.split()[1] for place in figures.one_word] == ["Shown.told", "kept", "kept.place"]
    assert [place.split()[1] for place in figures.undocumented] == ["Shown.size_hint", "Shown.run", "kept"]
    assert (figures.functions, figures.told_lines, figures.fmt_skips) == (5, 1, 1)
    assert class_names["Shown"] == 2


def test_true_verbs_are_few_and_the_table_has_a_goal_for_each_row() -> None:
    assert len(readability.TRUE_VERBS) <= 70
    figures, class_names = readability.count_part({"a.py": TEXT})
    rows = readability.make_table({"kernels": figures, "app": figures}, class_names)
    assert all(len(row) == 4 and row[-1] for row in rows)
