"""The menus of the alignment viewer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QToolButton

from antidiag.app.kit.controls.letter_menu import LetterMenu
from antidiag.app.kit.controls.widgets import add_check_action, add_choice_section, add_section, menu_button
from antidiag.app.views.aligned.colouring import schemes
from antidiag.app.views.aligned.colouring.colour_inputs import missing_inputs
from antidiag.app.views.aligned.columns import tracks
from antidiag.kernels.alignments import row_notes
from antidiag.kernels.model import SequenceType
from antidiag.kernels.registry import alignment_trees

if TYPE_CHECKING:
    from antidiag.app.views.aligned.view import AlignmentViewer

LETTERS = {"all": "All letters", "differences": "Differences from the consensus", "none": "No letters"}
SORTS = {
    "name": "Name",
    "length": "Length, longest first",
    "start": "First letter",
    "identity": "Identity to the row at the cursor",
    "file": "Order of the file",
}
TYPES = {SequenceType.DNA: "DNA", SequenceType.RNA: "RNA", SequenceType.PROTEIN: "Protein"}
TITLES = {
    "colour": ("Colours", "Colours of the cells and letters shown"),
    "tracks": ("Tracks", "Tracks above the rows"),
    "rows": ("Rows", "Sort, hide and select rows"),
    "edit": ("Edit", "Edit gaps, columns, rows and letters"),
    "tree": ("Tree", "Tree beside the rows"),
    "compare": ("Compare", "Compare with another alignment of the same sequences"),
    "copy": ("Copy", "Copy the selected cells, or all cells"),
    "save": ("Save", "Save the alignment or a figure"),
}
"""Titles and tooltips of the menus, in the order of their buttons."""


class AlignmentMenus:
    """The menus, filled each time they open, so that they offer what is possible then."""

    def __init__(self, view: AlignmentViewer) -> None:
        self._view = view
        self._menus = {name: LetterMenu(title, view) for name, (title, _) in TITLES.items()}
        self.context = LetterMenu("", view)
        self.buttons: dict[str, QToolButton] = {}
        for name, menu in self._menus.items():
            menu.aboutToShow.connect(partial(self._fill_menu, name, menu))
            self.buttons[name] = menu_button(*TITLES[name], menu)

    def fill_context(self) -> LetterMenu:
        """Fill the context menu: edits of the selected cells, and all other menus for use by keys."""
        self.context.remove_all()
        self._fill_edit(self.context)
        self.context.addSeparator()
        for name, menu in self._menus.items():
            if name != "edit":
                self.context.addMenu(menu)
        return self.context

    def _fill_menu(self, name: str, menu: LetterMenu) -> None:
        menu.remove_all()
        getattr(self, f"_fill_{name}")(menu)

    def _fill_colour(self, menu: LetterMenu) -> None:
        view = self._view
        protein = view.alignment.type == SequenceType.PROTEIN
        missing = missing_inputs(view.alignment, view.picture.reference is not None)
        add_choice_section(menu, "Colours", schemes.available_schemes(protein, missing), view.scheme, view.set_scheme)
        add_check_action(menu, "From a file\u2026", view.scheme == "file", lambda _: view.colours.ask_colour_file())
        add_choice_section(menu, "Letters", LETTERS, view.canvas.letters, view.set_letters)
        add_section(menu, "Columns")
        add_check_action(menu, "Wrap into blocks", view.canvas.wrapped, view.canvas.set_wrapped)

    def _fill_tracks(self, menu: LetterMenu) -> None:
        for name, title in tracks.offered_tracks(self._view.picture).items():
            add_check_action(menu, title, name in self._view.canvas.shown_tracks, partial(self._view.set_track, name))

    def _fill_compare(self, menu: LetterMenu) -> None:
        comparison, posteriors = self._view.comparison, self._view.posteriors
        add_section(menu, "Compare with")
        for offered in comparison.list_comparable():
            menu.addAction(f"{offered.name} ({offered.summary})", partial(comparison.compare_with, offered, True))
        menu.addAction("Alignment from a file\u2026", comparison.ask_alignment)
        compared = comparison.result is not None
        add_section(menu, "Comparison")
        for title, at_side in (("Show below", False), ("Show at the right", True)):
            shown = comparison.is_visible and comparison.is_at_side == at_side
            add_check_action(menu, title, shown, partial(comparison.place_panel, at_side)).setEnabled(compared)
        _add_entry(menu, "Next difference\tF4", partial(comparison.next_difference, 1), compared)
        _add_entry(menu, "Previous difference\tShift+F4", partial(comparison.next_difference, -1), compared)
        _add_entry(menu, "End comparison", comparison.end_comparison, compared)
        add_section(menu, "Two rows")
        add_check_action(menu, "Posteriors below the alignment", posteriors.is_open, posteriors.show_panel)

    def _fill_rows(self, menu: LetterMenu) -> None:
        view, commands, finder = self._view, self._view.commands, self._view.finder
        choice, found = view.picture.cell_selection, len(view.picture.matches) > 0
        add_section(menu, "Sort by")
        for by, title in SORTS.items():
            menu.addAction(title, partial(commands.sort_rows, by))
        _add_entry(menu, "Letters in the selected columns", commands.sort_by_selection, not choice.is_empty)
        menu.addAction("Leaves of a tree from a file\u2026", commands.ask_tree)
        self._fill_notes(menu)
        add_section(menu, "Show")
        some = bool(choice.rows.any())
        _add_entry(menu, "Move the selected rows to the top", commands.group_selected, some)
        _add_entry(menu, "Hide the selected rows", commands.hide_selected, some)
        _add_entry(menu, "Show only the selected rows", commands.show_only_selected, some)
        hidden = len(view.alignment.names) - view.editor.state.order.size
        _add_entry(
            menu, f"Show all rows ({hidden:,} hidden)" if hidden else "Show all rows", commands.show_all, hidden > 0
        )
        _add_entry(menu, "Select the rows of the selected taxa", view.select_taxa, bool(view.selection.taxa))
        _add_entry(menu, "Find the selected letters elsewhere", finder.find_selected_letters, not choice.is_empty)
        if view.alignment.type != SequenceType.PROTEIN:
            turned = partial(finder.find_selected_letters, "rc:")
            _add_entry(menu, "Find their reverse complement", turned, not choice.is_empty)
        _add_entry(menu, "Next match", partial(finder.go_to_match, 1), found)
        _add_entry(menu, "Select the rows with matches", finder.select_matching_rows, found)

    def _fill_notes(self, menu: LetterMenu) -> None:
        """Fill in the notes on rows: show them beside the names, sort or select by them."""
        view, commands = self._view, self._view.commands
        add_section(menu, "Notes beside the names")
        for tag in row_notes.note_tags(view.alignment):
            inner = menu.add_submenu(tag)
            add_check_action(inner, "Show beside the names", tag in view.notes, partial(view.show_note, tag))
            inner.addAction("Sort by this note", partial(commands.sort_by_note, tag))
            inner.addAction("Select rows with the same note", partial(commands.select_noted, tag))
        menu.addAction("Notes from a table (CSV)\u2026", commands.ask_table)
        menu.addAction("Tag the selected rows\u2026", commands.ask_tag)
        menu.addAction("Rename the row at the cursor\u2026\tF2", commands.ask_name)

    def _fill_tree(self, menu: LetterMenu) -> None:
        tree = self._view.tree
        add_section(menu, "Beside the rows")
        for offered in tree.list_trees():
            title = f"{offered.name} ({offered.summary})"
            add_check_action(menu, title, offered is tree.original_tree, partial(tree.show_offered, offered))
        menu.addAction("Tree from a file\u2026", tree.ask_tree)
        for criterion in alignment_trees.tree_criteria():
            menu.addAction(f"Compute from the alignment: {criterion}", partial(tree.compute_tree, criterion))
        _add_entry(menu, "Stop computing", tree.cancel_computing, tree.busy)
        shown, current = tree.tree is not None, tree.panel.current
        add_section(menu, "Clades")
        _add_entry(menu, "Sort the rows by the tree", tree.sort_rows, shown)
        toggle = partial(tree.toggle_clade, current)
        _add_entry(
            menu, "Collapse or expand the selected clade\tEnter in the tree", toggle, shown and current is not None
        )
        for share in (10, 25, 50):
            collapse = partial(tree.collapse_within, share / 100)
            _add_entry(menu, f"Collapse clades within {share} % of the height", collapse, shown)
        _add_entry(menu, "Expand all clades", partial(tree.set_collapsed, ()), bool(tree.collapsed))
        _add_entry(menu, "Remove the tree", partial(tree.show_tree, None), shown)

    def _fill_edit(self, menu: LetterMenu) -> None:
        view, commands = self._view, self._view.commands
        some, nucleotides = not view.picture.cell_selection.is_empty, view.alignment.type != SequenceType.PROTEIN
        menu.addAction("Insert a gap\tSpace", commands.insert_gap)
        menu.addAction("Delete a gap\tBackspace", commands.delete_gap)
        _add_entry(menu, "Move the selected cells right\tCtrl+Right", partial(commands.move_cells, 1), some)
        _add_entry(menu, "Move the selected cells left\tCtrl+Left", partial(commands.move_cells, -1), some)
        menu.addAction("Insert a column of gaps", commands.insert_column)
        menu.addSeparator()
        _add_entry(menu, "Delete the selected columns or rows\tDel", commands.delete_selected, some)
        _add_entry(menu, "Cut (copy as FASTA)", commands.cut_selected, some)
        _add_entry(menu, "Keep only the selected cells", commands.keep_only, some)
        menu.addAction("Remove gap-only columns", commands.remove_gap_columns)
        menu.addAction("Trim columns by occupancy\u2026", commands.ask_trim)
        _add_entry(menu, "Mask the selected letters", commands.mask_letters, some)
        _add_entry(menu, "Remove the gaps of the selected rows", commands.remove_gaps, some)
        self._fill_align(menu.add_submenu("Align, add, merge, split"))
        self._fill_type(menu.add_submenu("Type of the letters"))
        menu.addSeparator()
        if nucleotides:
            menu.addAction("Reverse complement", commands.reverse_complement)
            for frame in range(3):
                menu.addAction(f"Translate, frame {frame + 1}", partial(commands.translate_codons, frame))
        add_check_action(menu, "Type over letters", commands.typing, commands.set_typing)
        _add_entry(menu, "Stop the running edit\tEsc", commands.stop_edit, commands.busy)
        menu.addSeparator()
        menu.addAction("Add to data", view.exporter.add_to_data)
        menu.addAction("Make a profile\u2026", view.exporter.request_profile)

    def _fill_type(self, menu: LetterMenu) -> None:
        """Fill in the types of letters, of which the present one is checked."""
        view = self._view
        for kind in SequenceType:
            add_check_action(menu, TYPES[kind], kind == view.alignment.type, partial(self._set_type, kind))

    def _set_type(self, kind: SequenceType, _: bool) -> None:
        self._view.commands.set_type(kind)

    def _fill_align(self, menu: LetterMenu) -> None:
        """Fill in the commands that run alignment methods."""
        view, align = self._view, self._view.realign
        inner, found = menu.add_submenu("Realign the selected cells by"), align.find_methods()
        for method in found:
            inner.addAction(method.name, partial(align.realign_cells, method)).setToolTip(method.summary)
        inner.setEnabled(bool(found))
        some = bool(view.picture.cell_selection.rows.any())
        _add_entry(menu, "Realign the selected rows to the others", align.realign_rows, some)
        menu.addSeparator()
        menu.addAction("Add sequences from a file\u2026", align.ask_sequences)
        menu.addAction("Add sequences from the clipboard", align.add_from_clipboard)
        menu.addSeparator()
        for offered in view.comparison.list_alignments():
            menu.addAction(f"Merge with {offered.name} ({offered.summary})", partial(align.merge_with, offered))
        menu.addAction("Merge with an alignment from a file\u2026", align.ask_merge)
        menu.addAction("Append columns from a file\u2026", align.ask_append)
        _add_entry(
            menu, "Split off the selected rows or columns", align.split_off, not view.picture.cell_selection.is_empty
        )
        menu.addSeparator()
        _add_entry(menu, "Stop aligning", align.cancel_work, align.busy)

    def _fill_copy(self, menu: LetterMenu) -> None:
        view = self._view
        if view.picture.shape[0] == 2:
            menu.addAction("As three lines, with the match line", view.pair_summary.copy_lines)
        menu.addAction("As FASTA\tCtrl+C", partial(view.exporter.copy_text, ".fasta"))
        menu.addAction("As Clustal", partial(view.exporter.copy_text, ".aln"))
        menu.addAction("Letters only", partial(view.exporter.copy_text, "plain"))
        menu.addAction("Without gaps, as FASTA", partial(view.exporter.copy_text, "unaligned"))
        menu.addAction("Names", partial(view.exporter.copy_text, "names"))
        menu.addAction("Picture", view.exporter.copy_picture)

    def _fill_save(self, menu: LetterMenu) -> None:
        view, taking, shown = self._view, self._view.exporter, bool(self._view.canvas.shown_tracks)
        menu.addAction("Alignment\u2026", taking.save_alignment)
        chosen = partial(taking.save_alignment, True)
        _add_entry(menu, "Selected cells\u2026", chosen, not view.picture.cell_selection.is_empty)
        if view.result is not None:
            menu.addAction("Result in its own format\u2026", view.pair_summary.save_result)
        add_section(menu, "Figure")
        menu.addAction("Current view\u2026", taking.save_picture)
        menu.addAction("Wrapped, selected cells or all\u2026", taking.save_wrapped)
        menu.addAction("Current view, size in mm\u2026", taking.print_picture)
        menu.addAction("Wrapped, size in mm\u2026", taking.print_wrapped)
        _add_entry(menu, "Tracks only, selected columns or all\u2026", taking.save_track_picture, shown)
        add_section(menu, "Table")
        _add_entry(menu, "Values of the shown tracks\u2026", taking.save_tracks, shown)
        menu.addSeparator()
        _add_entry(menu, "Stop saving", taking.stop_writing, taking.file_writing.busy)


def _add_entry(menu: LetterMenu, title: str, command: Callable[[], object], enabled: bool) -> None:
    menu.addAction(title, command).setEnabled(enabled)
