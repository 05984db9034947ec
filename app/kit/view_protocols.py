"""What the window asks of a view, as protocols that mypy checks; every view is a QWidget.

A view receives frozen results and the shared selection, and knows neither the window nor other views. Abilities that
only some views have are protocols of their own; the window asks with ``isinstance``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

from antidiag.app.kit.selection import Selection
from antidiag.app.kit.view_state import ViewState
from antidiag.kernels.model import Result


@runtime_checkable
class ResultView(Protocol):
    """A view; ``id`` names it in sessions and settings, ``title`` on its tab."""

    id: str
    title: str

    def __init__(self, selection: Selection) -> None: ...

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Whether it can show a result; asked before `show_result`."""

    def show_result(self, result: Result | None) -> None:
        """Show a result, or nothing."""


@runtime_checkable
class DataView(ResultView, Protocol):
    """A view that also shows data that no run made."""

    @classmethod
    def shows_datum(cls, datum: Any) -> bool:
        """Whether it can show a datum; asked before `show_datum`."""

    def show_datum(self, datum: Any) -> None:
        """Show a datum instead of a result."""


@runtime_checkable
class EditedView(ResultView, Protocol):
    """A view whose picture the user can edit; ``edited(edits)`` has all edits as plain values and data, or None."""

    @property
    def edited(self) -> SignalInstance:
        """Sent with the edits of the picture."""

    def show_edits(self, edits: Mapping[str, Any]) -> None:
        """Restore such edits; called after `show_result` and `show_datum`."""


@runtime_checkable
class UndoView(ResultView, Protocol):
    """A view with its own undo; the texts say what undo and redo would do, "" for nothing."""

    @property
    def undo_text(self) -> str:
        """What Undo would do; empty if nothing."""

    @property
    def redo_text(self) -> str:
        """What Redo would do; empty if nothing."""

    def undo(self) -> None:
        """Undo the last edit."""

    def redo(self) -> None:
        """Redo the edit that was undone last."""


@runtime_checkable
class DataSourceView(ResultView, Protocol):
    """A view that creates data from what it shows; ``datum_offered(datum)`` offers one to other methods."""

    @property
    def datum_offered(self) -> SignalInstance:
        """Sent with data that the view made."""


@dataclass(frozen=True)
class TaskRequest:
    """Data that a view offers to other methods, and the id of the task whose method is chosen for them; "" for none."""

    data: tuple[Any, ...]
    task: str = ""


@runtime_checkable
class TaskSourceView(ResultView, Protocol):
    """A view that gives what it shows to another task; ``task_wanted(request)`` is sent with a `TaskRequest`."""

    @property
    def task_wanted(self) -> SignalInstance:
        """Sent with the data and the task."""


@runtime_checkable
class ResultSourceView(ResultView, Protocol):
    """A view that computes further results; ``result_made(result)`` adds one to the list and shows it."""

    @property
    def result_made(self) -> SignalInstance:
        """Sent with a result that the view made."""


@runtime_checkable
class ProfileSourceView(ResultView, Protocol):
    """A view of alignments; ``profile_wanted(alignment)`` asks for a profile of one."""

    @property
    def profile_wanted(self) -> SignalInstance:
        """Sent with an alignment of which a profile is requested."""


@runtime_checkable
class SideDataView(ResultView, Protocol):
    """A view that can show other data beside its own; ``offer(data)`` lists the open data."""

    def offer(self, data: Sequence[Any]) -> None:
        """Receive the open data."""


@runtime_checkable
class StatefulView(ResultView, Protocol):
    """A view that keeps what the user has set in it for each result and each datum."""

    @property
    def view_state(self) -> ViewState:
        """The parts of its state."""


@runtime_checkable
class GradualView(ResultView, Protocol):
    """A view that draws in steps; ``sharp`` is whether the final picture is on the screen."""

    @property
    def sharp(self) -> bool:
        """Whether the picture is complete."""


def can_show_datum(kind: type[ResultView], datum: Any) -> bool:
    """Whether views of a kind show this datum."""
    view: Any = kind
    return hasattr(view, "shows_datum") and view.shows_datum(datum)


def view_widget(view: ResultView) -> QWidget:
    """Return the view as a widget; raise TypeError if it is none."""
    if not isinstance(view, QWidget):
        raise TypeError(f"the view {view.id!r} is no widget")
    return view
