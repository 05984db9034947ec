"""What the window asks of a view. Every view is a QWidget; what else it is, these types say, and mypy checks.

A view is made with the selection that it shares with the others. It takes frozen results and knows neither the window
nor another view. What only some views can do are types of their own; the window asks with ``isinstance``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

from antidiag.app.kit.selection import Selection
from antidiag.kernels.model import Result


@runtime_checkable
class View(Protocol):
    """``id`` names it in sessions and settings, ``title`` on its tab."""

    id: str
    title: str

    def __init__(self, selection: Selection) -> None: ...

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Whether it has something to show of a result; it is asked before `show_result`."""

    def show_result(self, result: Result | None) -> None:
        """Show a result, or nothing."""


@runtime_checkable
class DataView(View, Protocol):
    """A view that also shows data that no run made."""

    @classmethod
    def shows_datum(cls, datum: Any) -> bool:
        """Whether it can show a datum; it is asked before `show_datum`."""

    def show_datum(self, datum: Any) -> None:
        """Show a datum in place of a result."""


@runtime_checkable
class EditedView(View, Protocol):
    """A view whose picture a user can edit.

    ``edited(edits)``: what was done so far, as plain values and frozen data of the engine, or None for nothing.
    """

    @property
    def edited(self) -> SignalInstance: ...

    def show_edits(self, edits: Mapping[str, Any]) -> None:
        """Go on with such edits; called after `show_result` and `show_datum`."""


@runtime_checkable
class UndoView(View, Protocol):
    """A view with an undo of its own; the texts say what undo and redo would do, "" where there is nothing."""

    @property
    def undo_text(self) -> str: ...
    @property
    def redo_text(self) -> str: ...
    def undo(self) -> None: ...
    def redo(self) -> None: ...


@runtime_checkable
class MakingView(View, Protocol):
    """A view that makes data of what it shows; ``kept(datum)`` gives one to other methods."""

    @property
    def kept(self) -> SignalInstance: ...


@runtime_checkable
class ProfiledView(View, Protocol):
    """A view of alignments; ``profile_wanted(alignment)`` asks for a profile of one."""

    @property
    def profile_wanted(self) -> SignalInstance: ...


@runtime_checkable
class OfferedView(View, Protocol):
    """A view that can show other data beside what it shows; ``offer(data)`` says what is open."""

    def offer(self, data: Sequence[Any]) -> None: ...


@runtime_checkable
class GradualView(View, Protocol):
    """A view whose picture comes in steps; ``sharp``: whether the one on the screen is the one that stays."""

    @property
    def sharp(self) -> bool: ...


def make_part(kind: type[View]) -> Any:
    """What of a view takes longest to be made, where it can be made before the view, in a turn of the event loop of its
    own: ``kind.part()``, which one view is then given beside its selection. None where there is no such part."""
    return kind.part() if hasattr(kind, "part") else None


def shows_datum(kind: type[View], datum: Any) -> bool:
    """Whether views of a kind show data that no run made, and this datum."""
    return hasattr(kind, "shows_datum") and kind.shows_datum(datum)


def as_widget(view: View) -> QWidget:
    """The view as the widget that it is; TypeError where it is none."""
    if not isinstance(view, QWidget):
        raise TypeError(f"the view {view.id!r} is no widget")
    return view
