"""The panel for choosing a method, setting its options and parameters, and starting a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QPushButton

from antidiag.app import theme
from antidiag.app.kit.controls.forms import ParameterForm
from antidiag.app.kit.controls.widgets import Card, ElidedComboBox, create_label, create_row, quiet_button
from antidiag.app.texts import family_name
from antidiag.kernels.citation import Citation
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.method import Method
from antidiag.kernels.model import SequenceType
from antidiag.kernels.scoring import FreeEnds, Mode
from antidiag.kernels.scoring_options import SECOND_COSTS, TWO_PIECES
from antidiag.kernels.scoring_presets import find_preset

TUNED = "Found by tuning on this machine. Run > Forget tuned values of the method restores the default."
MAX_SAMPLED = 10_000
"""Sequences whose type is examined, spread evenly over all."""
DataOf = Callable[[Method], Sequence[Any]]
LETTER_SCORES = ("match", "mismatch", "ambiguous")
FREE_ENDS = tuple(f"free_{end.name}" for end in fields(FreeEnds))
"""The switches of the mode custom."""
SWITCHED = (*FREE_ENDS, *SECOND_COSTS)
"""Options that are shown, and count, only where another option says so."""


class MethodPanel(Card):
    """Lets the user choose a method and its settings; sends ``changed`` when the next run would be another.

    ``run_row`` holds the Run button; the window puts it below the scrolled part, so that it stays visible.
    """

    changed = Signal()
    method_changed = Signal(object)
    run_wanted = Signal()
    help_wanted = Signal(object)
    bibtex_wanted = Signal(object)

    def __init__(self, methods: Sequence[Method]) -> None:
        super().__init__("Method")
        self._methods = tuple(methods)
        self._remembered: dict[str, dict[str, Any]] = {}
        self.family, self.chooser = ElidedComboBox(), ElidedComboBox()
        self.family.setAccessibleName("Family")
        self.chooser.setAccessibleName("Method")
        for family in dict.fromkeys(method.family for method in self._methods):
            self.family.addItem(family_name(family), family)
        self.family.setToolTip("Family of methods")
        self.summary, self.citation = create_label(kind="muted", wrap=True), create_label(kind="muted", wrap=True)
        help_button = quiet_button("Help", "What this method computes and how (Shift+F1)")
        bibtex_button = quiet_button("BibTeX", "Copy the reference of this method")
        self.options, self.parameters = ParameterForm(), ParameterForm()
        self.gap = create_label(kind="muted", wrap=True)
        self.problem = create_label(kind="error", wrap=True)
        self.run_button = QPushButton("Run   Ctrl+R")
        self.run_button.setObjectName("primary")
        self.reset_button = QPushButton("Reset")
        self.reset_button.setToolTip("Set all options and parameters to automatic")
        self.header.addWidget(help_button)
        self.header.addWidget(bibtex_button)
        self.box.addLayout(create_row(self.family, self.chooser, stretch=1))
        heading = _make_heading("Parameters")
        for widget in (self.summary, self.citation, self.options, self.gap, heading, self.parameters, self.problem):
            self.box.addWidget(widget)
        self.run_row = create_row(self.run_button, self.reset_button, stretch=0)
        self.by_hand = False
        """Whether the user chose the method; if not, the program may switch to one that suits the data."""
        for box in (self.family, self.chooser):
            box.activated.connect(self._choose_by_hand)
        self.family.currentTextChanged.connect(self._list_methods)
        self.chooser.currentIndexChanged.connect(self._show_method)
        self.options.changed.connect(self._on_edit)
        self.parameters.changed.connect(self._on_edit)
        self.run_button.clicked.connect(self.run_wanted)
        self.reset_button.clicked.connect(self.reset)
        help_button.clicked.connect(lambda: self.help_wanted.emit(self.method))
        bibtex_button.clicked.connect(lambda: self.bibtex_wanted.emit(self.method))
        self._method: Method | None = None
        self._laid_out: Method | None = None
        """The method whose settings the forms show; it stays while `recall` replaces the method."""
        self._kind = ""
        self._automatic: Mapping[str, Any] = {}
        self._list_methods()

    @property
    def method(self) -> Method | None:
        """The chosen method."""
        return self._method

    def choose(self, method: Method, by_hand: bool = True) -> None:
        """Switch to this method; ``by_hand`` says whether the user chose it."""
        self.by_hand = by_hand
        with (
            QSignalBlocker(self.family),
            QSignalBlocker(self.chooser),
        ):  # else the first method of the family would be shown in between
            if self.family.currentData() != method.family or self.chooser.findData(method) < 0:
                self.family.setCurrentIndex(self.family.findData(method.family))
                self._fill_chooser()
            self.chooser.setCurrentIndex(max(self.chooser.findData(method), 0))
        self._show_method()

    def saved_settings(self) -> dict[str, Any]:
        """Return all settings, to be restored at the next start."""
        self._save_values()
        method = self._method.id if self._method else ""
        return {"method": method, "values": self._remembered, "by_hand": self.by_hand}

    def restore_settings(self, saved: Mapping[str, Any], data_of: DataOf = lambda method: ()) -> None:
        """Restore what `remembered` returned, as far as it still fits; ``data_of(method)`` are the open data."""
        values = saved.get("values")
        if isinstance(values, dict):
            self._remembered = {str(name): value for name, value in values.items() if isinstance(value, dict)}
        self._method = None
        for method in self._methods:
            if method.id == saved.get("method"):
                self._kind = letter_kind(data_of(method)) or self._kind
                self.choose(method, bool(saved.get("by_hand", True)))
        self._show_method()

    def chosen_options(self) -> dict[str, Any]:
        """Return the options that the user set, without those that have no effect and are hidden."""
        return {
            name: value
            for name, value in self.options.values().items()
            if name not in SWITCHED or not self.options.editor(name).isHidden()
        }

    def set_values(self, method: Method, options: Mapping[str, Any], parameters: Mapping[str, Any]) -> None:
        """Choose a method with these options and parameters."""
        self.choose(method)
        self.options.set_values(options)
        self.parameters.set_values(parameters)
        self._on_edit()

    def set_data(self, data: Sequence[Any]) -> None:
        """Derive automatic values from the data; values set by hand are kept for each type of letters."""
        kind = letter_kind(data)
        if self._method and kind and kind != self._kind:
            self._save_values()
            before, self._kind = self._kind, kind
            if before:
                self.options.set_values(self._remembered.get(self._options_key(), {}))
                self.parameters.set_values(self._remembered.get(self._parameters_key(), {}))
        if self._method:
            self._automatic = self._method.problem_type.default_options(data)
            self.options.set_automatic(self._suitable_values())
            for option in self._method.problem_type.options:
                if option.proteins_only or option.nucleotides_only:
                    other = "nucleotides" if option.proteins_only else "protein"
                    self.options.show_row(option.name, self._kind != other)
            self._update_gap_text()
            has_guide = any(isinstance(datum, Tree | DistanceMatrix) for datum in data)
            for name in self._method.problem_type.guide_options:
                self.options.show_row(name, not has_guide)

    def set_resolved(self, parameters: Mapping[str, Any], backend: str, tuned: Iterable[str] = ()) -> None:
        """Show the values that the plan chose, mark those found by tuning, and hide what the backend does not use."""
        self.parameters.set_automatic(parameters)
        self.parameters.mark_rows(tuned, "tuned", TUNED)
        for parameter in self._method.parameters.declared() if self._method else ():
            self.parameters.show_row(parameter.name, backend in parameter.backends)

    def set_runnable(self, runnable: bool, reason: str = "") -> None:
        """Enable the Run button, or disable it and give the reason."""
        self.run_button.setEnabled(runnable)
        self.run_button.setToolTip(reason or "Start this run (Ctrl+R)")

    def entry_errors(self) -> tuple[str, ...]:
        """Return what is wrong with the values in the forms."""
        return self.options.entry_errors() + self.parameters.entry_errors()

    def reset(self) -> None:
        """Set all options and parameters to automatic."""
        self.options.set_values({})
        self.parameters.set_values({})
        self._on_edit()

    def _choose_by_hand(self) -> None:
        self.by_hand = True

    def _list_methods(self) -> None:
        with QSignalBlocker(self.chooser):
            self._fill_chooser()
        self._show_method()

    def _fill_chooser(self) -> None:
        self.chooser.clear()
        for method in self._methods:
            if method.family == self.family.currentData():
                self.chooser.addItem(method.name, method)

    def _show_method(self) -> None:
        method = self.chooser.currentData()
        if method is None or method is self._method:
            return
        self._save_values()
        before, recalled = self._laid_out, self._method is None
        self._method = self._laid_out = method
        self.summary.setText(method.summary + ("" if method.is_exact else " The result is approximate."))
        self.citation.setText(short_citation(method.citation))
        self.citation.setToolTip(method.citation.format_text())
        other = before is None or before.problem_type is not method.problem_type
        if other:
            self.options.set_parameters(method.problem_type.options)
        if other or recalled:
            self.options.set_values(self._remembered.get(self._options_key(), {}))
        if before is not method:
            self.parameters.set_parameters(method.parameters.declared())
        self.parameters.set_values(self._remembered.get(self._parameters_key(), {}))
        self.method_changed.emit(method)
        self._on_edit()

    def _save_values(self) -> None:
        if self._method:
            self._remembered[self._options_key()] = self.options.values()
            self._remembered[self._parameters_key()] = self.parameters.values()

    def _options_key(self) -> str:
        """Return the key of remembered options: the problem and, if known, the type of letters."""
        return f"problem {self._method.problem_type.id} {self._kind}".strip() if self._method else ""

    def _parameters_key(self) -> str:
        """Return the key of remembered parameters: the method and, if known, the type of letters."""
        return f"{self._method.id} {self._kind}".strip() if self._method else ""

    def _suitable_values(self) -> Mapping[str, Any]:
        """Return the values of options that are not set by hand: those of the chosen preset, else the defaults."""
        try:
            preset = find_preset(self.options.values().get("preset") or "")
            own = preset.values_for(self._kind != "protein") if preset else {}
        except ParameterError:  # the plan says why
            own = {}
        names = {option.name for option in self._method.problem_type.options} if self._method else set()
        return {**self._automatic, **{name: value for name, value in own.items() if name in names}}

    def _on_edit(self) -> None:
        self.options.set_automatic(self._suitable_values())
        self._update_gap_text()
        self.problem.setText("\n".join(self.entry_errors()))
        self.problem.setVisible(bool(self.entry_errors()))
        self.changed.emit()

    def _update_gap_text(self) -> None:
        """Hide match and mismatch if a matrix is set, and show the gap costs."""
        values = {**self._suitable_values(), **self.options.values()}
        has_matrix = bool(values.get("matrix"))
        if {"match", "mismatch"} & self.options.values().keys() and "matrix" not in self.options.values():
            has_matrix = False
        for name in LETTER_SCORES:
            self.options.show_row(name, not has_matrix)
        for name in FREE_ENDS:
            self.options.show_row(name, Mode.CUSTOM in (values.get("mode"), values.get("span")))
        has_two_pieces = values.get("gap_model") == TWO_PIECES
        for name in SECOND_COSTS:
            self.options.show_row(name, has_two_pieces)
        costs = [values.get(name) for name in ("gap_open", "gap_extend", *(SECOND_COSTS if has_two_pieces else ()))]
        self.gap.hide()
        if None not in costs:
            self.gap.setText(gap_sentence(*costs))
            self.gap.show()


def gap_sentence(opening: float, extension: float, opening2: float | None = None, extension2: float = 0) -> str:
    """Return a sentence on what gaps cost, with examples; a second opening cost is that of two-piece gap costs."""
    formula = f"{opening:g} + {extension:g} k" if opening else f"{extension:g} k"
    if opening2 is not None:
        costs = {length: min(opening + length * extension, opening2 + length * extension2) for length in (1, 10, 100)}
        return (
            f"A gap of length k costs the smaller of {formula} and {opening2:g} + {extension2:g} k: {costs[1]:g} for "
            f"one letter, {costs[10]:g} for ten, {costs[100]:g} for a hundred."
        )
    kind = "" if opening else " (linear)"
    return (
        f"A gap of length k costs {formula}{kind}: {opening + extension:g} for one letter, "
        f"{opening + 10 * extension:g} for ten."
    )


def letter_kind(data: Sequence[Any]) -> str:
    """Return "protein" or "nucleotides"; "" if there are no sequences, alignments and databases."""
    known = ""
    sampled = data[:: max(len(data) // MAX_SAMPLED, 1)]
    for datum in (*sampled, *data[-1:]):  # a database is the last
        letters = getattr(datum, "type", None)
        if letters == SequenceType.PROTEIN:
            return "protein"
        if isinstance(letters, SequenceType):
            known = "nucleotides"
    return known


def short_citation(citation: Citation) -> str:
    """Return a short reference such as 'Li, Ranka, Sahni 2012, section IV'."""
    names = ", ".join(author.split()[-1] for author in citation.author_names())
    return f"{names} {citation.year}" + (f", {citation.section}" if citation.section else "")


def _make_heading(text: str):
    made = create_label(text, "heading")
    made.setContentsMargins(0, theme.SPACING, 0, 0)
    return made
