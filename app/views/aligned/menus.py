"""The menus of the alignment viewer: everything that can be done, with its keys."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QToolButton

from antidiag.app.kit.lettered import LetteredMenu
from antidiag.app.kit.widgets import check_action, choice_actions, menu_button, section
from antidiag.app.views.aligned import schemes, tracks
from antidiag.app.views.aligned.align_commands import AlignCommands
from antidiag.app.views.aligned.commands import Commands
from antidiag.app.views.aligned.comparing import Comparison
from antidiag.app.views.aligned.finder import Finder
from antidiag.app.views.aligned.given import lacking
from antidiag.app.views.aligned.pair_side import PairSide
from antidiag.app.views.aligned.posterior_side import PosteriorSide
from antidiag.app.views.aligned.shown import ShownAlignment
from antidiag.app.views.aligned.tree_side import TreeSide
from antidiag.kernels.io import aligned_notes
from antidiag.kernels.model import SequenceType
from antidiag.kernels.registry import alignment_trees

LETTERS = {"all": "All letters", "differences": "Only where other than the consensus", "none": "No letters"}
SORTS = {"name": "Name", "length": "Length, longest first", "start": "First letter",
         "identity": "Identity to the row at the cursor"}  # fmt: skip


class Menus:
    """The menus, filled each time they open, so that they offer what can be done then."""

    def __init__(
        self,
        view: ShownAlignment,
        commands: Commands,
        finder: Finder,
        tree: TreeSide,
        compared: Comparison,
        align: AlignCommands,
        pair: PairSide,
        posteriors: PosteriorSide,
    ) -> None:
        self._view, self._commands, self._finder, self._tree = view, commands, finder, tree
        self._compared, self._align, self._pair, self._posteriors = compared, align, pair, posteriors
        titles = {"copy": "Copy", "colour": "Colours", "tracks": "Tracks", "rows": "Rows", "tree": "Tree",
                  "compare": "Compare", "save": "Save", "edit": "Edit"}  # fmt: skip
        self._menus = made = {name: LetteredMenu(title, view) for name, title in titles.items()}
        self.context = LetteredMenu("", view)
        for name, menu in made.items():
            menu.aboutToShow.connect(partial(self._fill, name, menu))
        self.buttons: list[QToolButton] = [
            menu_button("Colours", "Colours of the cells, and which letters are written", made["colour"]),
            menu_button("Tracks", "What is shown above the rows", made["tracks"]),
            menu_button("Rows", "Sort, hide and choose rows", made["rows"]),
            menu_button("Edit", "Gaps, columns, rows and letters", made["edit"]),
            menu_button("Tree", "A tree beside the rows", made["tree"]),
            menu_button("Compare", "Another alignment of the same sequences", made["compare"]),
            menu_button("Copy", "Copy the chosen cells, or all", made["copy"]),
            menu_button("Save", "Save the alignment or a figure", made["save"]),
        ]

    def fill_context(self) -> LetteredMenu:
        """What can be done with the chosen cells, and the other menus, which keys reach from here."""
        self.context.empty()
        self._fill_edit(self.context)
        self.context.addSeparator()
        for name, menu in self._menus.items():
            if name != "edit":
                self.context.addMenu(menu)
        return self.context

    def _fill(self, name: str, menu: LetteredMenu) -> None:
        menu.empty()
        getattr(self, f"_fill_{name}")(menu)

    def _fill_colour(self, menu: LetteredMenu) -> None:
        view = self._view
        protein = view.alignment.type == SequenceType.PROTEIN
        missing = lacking(view.alignment, view.picture.reference is not None)
        choice_actions(menu, "Colours", schemes.available(protein, missing), view.scheme, view.colour)
        check_action(menu, "From a file\u2026", view.scheme == "file", lambda _: view.colours.ask())
        choice_actions(menu, "Letters", LETTERS, view.canvas.letters, view.set_letters)
        section(menu, "Columns")
        check_action(menu, "Wrapped, in blocks below each other", view.canvas.wrapped, view.canvas.wrap)

    def _fill_tracks(self, menu: LetteredMenu) -> None:
        for name, title in tracks.offered(self._view.picture).items():
            check_action(menu, title, name in self._view.canvas.tracks, partial(self._view.set_track, name))

    def _fill_compare(self, menu: LetteredMenu) -> None:
        """Another alignment of the same sequences."""
        compared = self._compared
        section(menu, "Compare with")
        for offered in compared.offered():
            menu.addAction(f"{offered.name} ({offered.summary})", partial(compared.compare_with, offered, True))
        menu.addAction("An alignment in a file\u2026", compared.ask)
        there = compared.found is not None
        section(menu, "Compared")
        below, right = compared.beside and not compared.side, compared.beside and compared.side
        for title, shown, at_side in (
            ("The other alignment below this one, in step", below, False),
            ("The other alignment at the right of this one, in step", right, True),
        ):
            check_action(menu, title, shown, partial(compared.place, at_side)).setEnabled(there)
        menu.addAction("Next column that differs\tF4", partial(compared.next_difference, 1)).setEnabled(there)
        menu.addAction("The one before\tShift+F4", partial(compared.next_difference, -1)).setEnabled(there)
        menu.addAction("Compare with nothing", compared.forget).setEnabled(there)
        section(menu, "Two rows")
        check_action(menu, "Posteriors below the alignment", self._posteriors.there, self._posteriors.show)

    def _fill_rows(self, menu: LetteredMenu) -> None:
        view, commands = self._view, self._commands
        section(menu, "Sort by")
        for by, title in SORTS.items():
            menu.addAction(title, partial(commands.sort, by))
        menu.addAction("Order of the file", partial(commands.sort, "file"))
        menu.addAction("Letters in the chosen columns", commands.sort_by_choice).setEnabled(
            not view.picture.choice.empty
        )
        menu.addAction("Leaves of a tree in a file\u2026", commands.ask_tree)
        self._fill_notes(menu)
        section(menu, "Show")
        some = bool(view.picture.choice.rows.any())
        for title, command in (
            ("Chosen rows on top", commands.group),
            ("Hide the chosen rows", commands.hide),
            ("Show the chosen rows alone", commands.show_only),
        ):
            menu.addAction(title, command).setEnabled(some)
        hidden = len(view.alignment.names) - view.editor.state.order.size
        menu.addAction(f"Show all rows ({hidden:,} hidden)" if hidden else "Show all rows",
                       commands.show_all).setEnabled(hidden > 0)  # fmt: skip
        menu.addAction("Choose the rows of the selected taxa", view.choose_taxa).setEnabled(bool(view.selection.taxa))
        menu.addAction("Find the chosen letters elsewhere", self._finder.find_chosen).setEnabled(
            not view.picture.choice.empty
        )
        menu.addAction("Next that was found", partial(self._finder.next_hit, 1)).setEnabled(len(view.picture.found) > 0)
        menu.addAction("Choose the rows that were found", self._finder.choose_found).setEnabled(
            len(view.picture.found) > 0
        )

    def _fill_notes(self, menu: LetteredMenu) -> None:
        """What is said of the rows: shown beside the names, sorted by, chosen by."""
        view, commands = self._view, self._commands
        section(menu, "Text beside the names")
        for tag in aligned_notes.tags(view.alignment):
            inner = menu.inner(tag)
            check_action(inner, "Show beside the names", tag in view.notes, partial(view.show_note, tag))
            inner.addAction("Sort by it", partial(commands.sort_by_note, tag))
            inner.addAction("Choose the rows alike to the one at the cursor", partial(commands.choose_noted, tag))
        menu.addAction("Columns from a table (CSV)\u2026", commands.ask_table)
        menu.addAction("Tag the chosen rows\u2026", commands.ask_tag)
        menu.addAction("Rename the row at the cursor\u2026\tF2", commands.ask_name)

    def _fill_tree(self, menu: LetteredMenu) -> None:
        """A tree beside the rows: where it comes from, and what is done with it."""
        tree = self._tree
        section(menu, "Beside the rows")
        for offered in tree.offered():
            check_action(
                menu, f"{offered.name} ({offered.summary})", offered is tree.given, partial(tree.switch, offered)
            )
        menu.addAction("Tree in a file\u2026", tree.ask)
        for criterion in alignment_trees.criteria():
            menu.addAction(f"Computed from the alignment: {criterion}", partial(tree.compute, criterion))
        menu.addAction("Stop computing", tree.cancel).setEnabled(tree.busy)
        there, current = tree.tree is not None, tree.panel.current
        section(menu, "Clades")
        menu.addAction("Sort the rows by the tree", tree.sort).setEnabled(there)
        menu.addAction("Collapse or open the chosen clade\tEnter in the tree",
                       lambda: tree.toggle(current)).setEnabled(there and current is not None)  # fmt: skip
        for share in (10, 25, 50):
            menu.addAction(f"Collapse clades within {share} % of the height", partial(tree.collapse_within, share / 100)
                           ).setEnabled(there)  # fmt: skip
        menu.addAction("Open all clades", partial(tree.collapse, ())).setEnabled(bool(tree.collapsed))
        menu.addAction("No tree", partial(tree.show_tree, None)).setEnabled(there)

    def _fill_edit(self, menu: LetteredMenu) -> None:
        view, commands = self._view, self._commands
        some, nucleotides = not view.picture.choice.empty, view.alignment.type != SequenceType.PROTEIN
        menu.addAction("Insert a gap\tSpace", commands.insert_gap)
        menu.addAction("Delete a gap\tBackspace", commands.delete_gap)
        menu.addAction("Move the chosen cells right\tCtrl+Right", partial(commands.move, 1)).setEnabled(some)
        menu.addAction("Move the chosen cells left\tCtrl+Left", partial(commands.move, -1)).setEnabled(some)
        menu.addAction("Insert a column of gaps", commands.insert_column)
        menu.addSeparator()
        menu.addAction("Delete the chosen columns or rows\tDel", commands.delete).setEnabled(some)
        menu.addAction("Cut them (copied as FASTA)", commands.cut).setEnabled(some)
        menu.addAction("Keep the chosen cells alone", commands.keep_only).setEnabled(some)
        menu.addAction("Remove columns of gaps", commands.remove_gap_columns)
        menu.addAction("Trim columns by occupancy\u2026", commands.ask_trim)
        menu.addAction("Mask the chosen letters", commands.mask).setEnabled(some)
        menu.addAction("Remove the gaps of the chosen rows", commands.degap).setEnabled(some)
        self._fill_align(menu.inner("Align, add, merge, split"))
        menu.addSeparator()
        if nucleotides:
            menu.addAction("Reverse complement", commands.reverse_complement)
            for frame in range(3):
                menu.addAction(f"Translate, frame {frame + 1}", partial(commands.translate, frame))
        check_action(menu, "Type letters over others", commands.typing, commands.set_typing)
        menu.addAction("Stop the edit that is being made\tEsc", commands.stop).setEnabled(commands.busy)
        menu.addSeparator()
        menu.addAction("Add to data, for other methods", view.taking.keep)
        menu.addAction("Make a profile\u2026", view.taking.want_profile)

    def _fill_align(self, menu: LetteredMenu) -> None:
        """What methods of the program do to the alignment."""
        view, align = self._view, self._align
        inner, found = menu.inner("Realign the chosen cells by"), align.methods()
        for method in found:
            inner.addAction(method.name, partial(align.realign, method)).setToolTip(method.summary)
        inner.setEnabled(bool(found))
        menu.addAction("Realign the chosen rows to the others", align.realign_to_the_rest).setEnabled(
            bool(view.picture.choice.rows.any())
        )
        menu.addSeparator()
        menu.addAction("Add sequences of a file\u2026", align.ask_sequences)
        menu.addAction("Add sequences on the clipboard", align.paste)
        menu.addSeparator()
        for offered in self._compared.others():
            menu.addAction(f"Merge with {offered.name} ({offered.summary})", partial(align.merge, offered))
        menu.addAction("Merge with an alignment in a file\u2026", align.ask_merge)
        menu.addAction("Append the columns of an alignment in a file\u2026", align.ask_append)
        menu.addAction("Split off the chosen rows or columns", align.split).setEnabled(not view.picture.choice.empty)
        menu.addSeparator()
        menu.addAction("Stop what is being aligned", align.stop).setEnabled(align.busy)

    def _fill_copy(self, menu: LetteredMenu) -> None:
        view = self._view
        if view.picture.shape[0] == 2:
            menu.addAction("As three lines, with the match line", self._pair.copy)
        menu.addAction("As FASTA\tCtrl+C", partial(view.taking.copy, ".fasta"))
        menu.addAction("As Clustal", partial(view.taking.copy, ".aln"))
        menu.addAction("Letters alone", partial(view.taking.copy, "plain"))
        menu.addAction("Without gaps, as FASTA", partial(view.taking.copy, "unaligned"))
        menu.addAction("Names", partial(view.taking.copy, "names"))
        menu.addAction("Picture", view.taking.copy_picture)

    def _fill_save(self, menu: LetteredMenu) -> None:
        view = self._view
        menu.addAction("Alignment\u2026", view.taking.save_alignment)
        menu.addAction("Chosen cells\u2026", partial(view.taking.save_alignment, True)).setEnabled(
            not view.picture.choice.empty
        )
        if view.result is not None:
            menu.addAction("Result, in a format of its own\u2026", self._pair.save)
        section(menu, "Figure")
        menu.addAction("What is seen\u2026", view.taking.save_picture)
        menu.addAction("Wrapped, chosen cells or all\u2026", view.taking.save_wrapped)
        menu.addAction("What is seen, size in mm\u2026", view.taking.print_picture)
        menu.addAction("Wrapped, size in mm\u2026", view.taking.print_wrapped)
        menu.addAction("Tracks alone, of the chosen columns or all\u2026", view.taking.save_track_picture).setEnabled(
            bool(view.canvas.tracks)
        )
        section(menu, "Table")
        menu.addAction("Values of the tracks that are shown\u2026", view.taking.save_tracks).setEnabled(
            bool(view.canvas.tracks)
        )
        menu.addSeparator()
        menu.addAction("Stop saving", view.taking.stop).setEnabled(view.taking.writing.busy)
