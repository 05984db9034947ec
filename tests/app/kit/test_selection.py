from antidiag.app.kit.selection import Selection


def test_a_change_is_told_once():
    selection, told = Selection(), []
    selection.cell_changed.connect(told.append)
    selection.hover_cell((3, 2**40))
    selection.hover_cell((3, 2**40))
    selection.hover_cell(None)
    assert told == [(3, 2**40), None]
    assert selection.cell is None


def test_clear_forgets_every_place():
    selection, told = Selection(), []
    selection.strip_changed.connect(told.append)
    selection.hover_strip(4)
    selection.hover_column(7)
    selection.show_ranges(((0, 1), (0, 1)))
    selection.clear()
    assert told == [4, None]
    assert (selection.cell, selection.column, selection.strip, selection.ranges) == (None, None, None, None)


def test_a_view_that_comes_later_finds_the_choice_of_its_own_result():
    selection, result, other = Selection(), object(), object()
    selection.choose_cell((4, 5), result)
    assert selection.chosen_place("cell", result) == (4, 5)
    assert selection.chosen_place("cell", other) is None
    assert selection.chosen_place("column", result) is None
    selection.choose_column(9, result)
    assert selection.chosen_place("column", result) == 9
    assert selection.chosen_place("cell", result) is None
    selection.choose_cell((1, 1))
    assert selection.chosen_place("cell", None) is None


def test_choices_are_events():
    selection, told = Selection(), []
    selection.cell_chosen.connect(told.append)
    selection.column_chosen.connect(told.append)
    selection.choose_cell((1, 2))
    selection.choose_cell((1, 2))
    selection.choose_column(5)
    assert told == [(1, 2), (1, 2), 5]
