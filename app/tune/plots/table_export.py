"""Export of figures and tables: the menu, the file dialog, and tables as CSV, JSON or Markdown."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from PySide6.QtWidgets import QMenu, QWidget

from antidiag.app.kit import ask
from antidiag.kernels.errors import InputError
from antidiag.kernels.experiments.point_data import tables
from antidiag.kernels.experiments.point_data.tables import ReportTable
from antidiag.kernels.io.files import write_lines

TABLE_FILTERS = {".csv": "CSV table (*.csv)", ".json": "JSON (*.json)", ".md": "Markdown table (*.md)"}


def ask_and_save_text(parent: QWidget, title: str, name: str, text: Callable[[str], str]) -> None:
    """Ask for a file, suggest ``name``, and write the result of ``text(suffix)``; show an error if that fails."""
    path = ask.save_path(parent, title, name, ";;".join(TABLE_FILTERS.values()), TABLE_FILTERS)
    if path is not None:
        ask.run_with_warning(parent, title, lambda: write_lines(path, [text(path.suffix.lower())]))


def table_text(table: ReportTable, suffix: str, **more: str) -> str:
    """Return a table as text in the format of a suffix; ``more`` are further fields of JSON."""
    if suffix == ".md":
        return tables.to_markdown(table)
    if suffix == ".json":
        return json.dumps({**more, **table.to_json()}, indent=1) + "\n"
    if suffix == ".csv":
        return tables.to_csv(table)
    raise InputError(f"tables are saved as {', '.join(TABLE_FILTERS)}; choose one of these suffixes")


def export_menu(owner: Any, what: str) -> QMenu:
    """Return the export menu of a widget that shows a figure and a table of ``what``."""
    menu = QMenu(owner)
    menu.addAction("Save figure...", owner.save_figure)
    menu.addAction("Copy figure", owner.copy_figure)
    menu.addAction(f"Save {what}...", owner.save_table)
    menu.addAction("Copy Markdown table", owner.copy_markdown)
    return menu
