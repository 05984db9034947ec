"""Colours, spacing and fonts of the window for a light and a dark theme.

Residue colours are backgrounds for letters drawn in ``text``. They follow Paul Tol's "light" scheme and
the palette of Okabe and Ito, which stay apart for colour-blind eyes; the dark theme uses deeper shades of
the same hues.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication

from antidiag.kernels import RESOURCES

if TYPE_CHECKING:
    import pyqtgraph  # loaded by the first plot

Choice = Literal["light", "dark", "system"]

SMALL, TITLE = 0.88, 1.35
"""Sizes of captions and titles relative to the font of the desktop; the window uses no other sizes."""

SPACING = 6
MARGIN = 10
LOW_HEIGHT = 480
"""Pixels of a window below which legends have one line and idle panels are hidden."""
LEAST_PICTURE = 64
"""Least pixels of the height of a picture, so that what is below it is not drawn over it in a low window."""
RADIUS = 4
ICONS = RESOURCES / "icons"
FONT = RESOURCES / "fonts" / "JetBrainsMono-Regular.ttf"
STYLE_SHEET = Path(__file__).with_name("style.qss")


def _letter_colours(groups: Mapping[str, str]) -> Mapping[str, str]:
    return MappingProxyType({letter: colour for letters, colour in groups.items() for letter in letters})


@dataclass(frozen=True)
class Theme:
    """The colours of one theme, each as "#rrggbb"."""

    name: str
    background: str
    panel: str
    text: str
    muted: str
    border: str
    accent: str
    accent_text: str
    hover: str
    selection: str
    error: str
    warning: str
    success: str
    path: str
    strip: str
    boundary: str
    recomputed: str
    special: str
    forward: str
    reverse: str
    phases: tuple[str, ...]
    series: tuple[str, ...]
    nucleotides: Mapping[str, str] = field(repr=False)
    amino_acids: Mapping[str, str] = field(repr=False)

    def residues(self, protein: bool) -> Mapping[str, str]:
        """Return the background colour of each letter of a protein or a nucleotide sequence."""
        return self.amino_acids if protein else self.nucleotides


LIGHT = Theme(
    name="light",
    background="#f6f7f9",
    panel="#ffffff",
    text="#1b2430",
    muted="#5d6875",
    border="#d5dae1",
    accent="#1768b8",
    accent_text="#ffffff",
    hover="#edf1f6",
    selection="#d5e6f8",
    error="#b3261e",
    warning="#8a5a00",
    success="#1d7a3e",
    path="#ff5a5a",
    strip="#ffffff",
    boundary="#c2c8d0",
    recomputed="#ffa400",
    special="#7fe3ff",
    forward="#0f5cad",
    reverse="#c25a00",
    phases=("#4c9be8", "#9aa0a8", "#ffb000", "#6fc276", "#c79fef", "#e8846b", "#4fb3bf"),
    series=("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b38600", "#56b4e9", "#6a3d9a", "#5d6875",
            "#8c1d18", "#6fae1f", "#d4007a", "#003f3a", "#1c2b6b", "#e0b400"),
    nucleotides=_letter_colours({"A": "#8fd6bd", "C": "#9cc7ee", "G": "#f3d777", "TU": "#f4ab92"}),
    amino_acids=_letter_colours(
        {"AVILM": "#77aadd", "FWY": "#99ddff", "STNQ": "#8ad4bd", "KRH": "#ee9a7c", "DE": "#ffaabb",
         "G": "#eedd88", "P": "#c9d46a", "C": "#d9b8f0", "BZ": "#d7d7d7"}
    ),
)  # fmt: skip

DARK = Theme(
    name="dark",
    background="#1d2026",
    panel="#262a31",
    text="#e6e9ed",
    muted="#9aa3ae",
    border="#3a404a",
    accent="#4c9be8",
    accent_text="#0d1218",
    hover="#303640",
    selection="#2b4a6b",
    error="#ff8a80",
    warning="#f2c063",
    success="#7fd39a",
    path="#ff5a5a",
    strip="#ffffff",
    boundary="#59626e",
    recomputed="#ffb000",
    special="#7fe3ff",
    forward="#6fb7ff",
    reverse="#ffb04a",
    phases=("#4c9be8", "#9aa0a8", "#ffb000", "#6fc276", "#b38ae0", "#e8846b", "#57c7d4"),
    series=("#56b4e9", "#e69f00", "#2fc49a", "#e39ac4", "#f0e442", "#4c7de8", "#b38ae0", "#9aa3ae",
            "#e05c4b", "#a4d13a", "#ff4fae", "#7fe3d4", "#c9b6ff", "#b07d3c"),
    nucleotides=_letter_colours({"A": "#1f6f56", "C": "#255f98", "G": "#80640f", "TU": "#9a4527"}),
    amino_acids=_letter_colours(
        {"AVILM": "#2f5f93", "FWY": "#1f7391", "STNQ": "#1f6e58", "KRH": "#9a4a2c", "DE": "#96435a",
         "G": "#7d6a1c", "P": "#5f6a16", "C": "#6d4a8f", "BZ": "#565c64"}
    ),
)  # fmt: skip


class ThemeNotifier(QObject):
    """Sends ``changed`` when the theme changes."""

    changed = Signal()


notifier = ThemeNotifier()
_state: dict[str, Theme] = {"active": LIGHT}


@dataclass
class FontChoice:
    """The fonts that the user chose; "" and 0 stand for those of the program and the desktop."""

    family: str = ""
    points: float = 0.0
    letters: str = ""


_fonts = FontChoice()


def active() -> Theme:
    """Return the current theme."""
    return _state["active"]


def apply(application: QApplication, choice: Choice = "system") -> None:
    """Apply a theme to the application; "system" follows the desktop."""
    hints = application.styleHints()
    scheme = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}.get(choice, Qt.ColorScheme.Unknown)
    hints.setColorScheme(scheme)
    dark = choice == "dark" or (choice == "system" and hints.colorScheme() == Qt.ColorScheme.Dark)
    _apply_style(application, DARK if dark else LIGHT)


@contextmanager
def painted_in(theme: Theme) -> Iterator[None]:
    """Paint in the colours of a theme, such as the light one for paper, without a change of the window."""
    before, _state["active"] = active(), theme
    try:
        yield
    finally:
        _state["active"] = before


def choice_of(text: str) -> Choice:
    """Return the saved choice of a theme; "system" if the text is none."""
    return "light" if text == "light" else "dark" if text == "dark" else "system"


def switch(choice: Choice) -> None:
    """Switch the theme of the running application."""
    application = QApplication.instance()
    if isinstance(application, QApplication):
        apply(application, choice)


def choose_fonts(application: QApplication, family: str = "", points: float = 0, letters: str = "") -> None:
    """Use these fonts for the window and for sequences; "" and 0 for those of the program."""
    redraw = letters != _fonts.letters
    _fonts.family, _fonts.points, _fonts.letters = family, points, letters
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    if family:
        font.setFamily(family)
    font.setPointSizeF(_point_size())
    before = application.font()
    if (before.family(), before.pointSizeF()) != (font.family(), font.pointSizeF()):
        application.setFont(font)
    if application.styleSheet():
        _apply_style(application, active(), redraw)


def fixed_font() -> QFont:
    """Return the fixed-width font: the one that the user chose, the bundled one, or that of the system."""
    family = _fonts.letters or _fixed_family()
    if not family:
        return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font = QFont(family)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFixedPitch(True)
    font.setPointSizeF(_fonts.points or QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).pointSizeF())
    return font


def small_font(base: QFont) -> QFont:
    """Return the small font of captions."""
    return _scaled(base, SMALL)


def _scaled(base: QFont, factor: float) -> QFont:
    made = QFont(base)
    if base.pointSizeF() > 0:
        made.setPointSizeF(base.pointSizeF() * factor)
    else:
        made.setPixelSize(max(round(base.pixelSize() * factor), 1))
    return made


def _point_size() -> float:
    """Return the size of the font of the window in points: as the user chose it, else that of the desktop."""
    return _fonts.points or QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).pointSizeF()


@cache
def _fixed_family() -> str:
    number = QFontDatabase.addApplicationFont(str(FONT))
    return next(iter(QFontDatabase.applicationFontFamilies(number)), "") if number >= 0 else ""


def set_plot_colours() -> None:
    """Set the default colours of plots, if the plot library is loaded."""
    if "pyqtgraph" in sys.modules:
        sys.modules["pyqtgraph"].setConfigOptions(background=active().panel, foreground=active().text)


def style_plot(plot: pyqtgraph.PlotItem) -> None:
    """Give the axes and the title of a plot the colours of the current theme."""
    theme = active()
    for name in ("left", "bottom", "right", "top"):
        axis = plot.getAxis(name)
        axis.setPen(theme.muted)
        axis.setTextPen(theme.text)
    plot.titleLabel.setAttr("color", theme.text)
    if plot.titleLabel.text:
        plot.setTitle(plot.titleLabel.text)


def style_sheet(theme: Theme) -> str:
    """Return the style sheet of the window in the colours of a theme."""
    colours = {name: value for name, value in vars(theme).items() if isinstance(value, str)}
    return Template(STYLE_SHEET.read_text(encoding="utf-8")).substitute(
        colours,
        icons=ICONS.as_posix(),
        radius=RADIUS,
        spacing=SPACING,
        small=f"{SMALL * _point_size():.1f}pt",
        title=f"{TITLE * _point_size():.1f}pt",
    )


def palette(theme: Theme) -> QPalette:
    """Return the palette, for what the style sheet does not set."""
    role = QPalette.ColorRole
    result = QPalette()
    for target, colour in (
        (role.Window, theme.background), (role.WindowText, theme.text), (role.Base, theme.panel),
        (role.AlternateBase, theme.hover), (role.Text, theme.text), (role.Button, theme.panel),
        (role.ButtonText, theme.text), (role.BrightText, theme.error), (role.Highlight, theme.selection),
        (role.HighlightedText, theme.text), (role.Link, theme.accent), (role.LinkVisited, theme.accent),
        (role.PlaceholderText, theme.muted), (role.ToolTipBase, theme.panel), (role.ToolTipText, theme.text),
        (role.Accent, theme.accent), (role.Mid, theme.border), (role.Dark, theme.border), (role.Light, theme.panel),
    ):  # fmt: skip
        result.setColor(target, QColor(colour))
    for target in (role.Text, role.WindowText, role.ButtonText, role.HighlightedText):
        result.setColor(QPalette.ColorGroup.Disabled, target, QColor(theme.muted))
    return result


@contextmanager
def unstyled() -> Iterator[None]:
    """Build a window without the style sheet and apply it once at the end, which takes a fifth of the time."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    sheet = application.styleSheet()
    application.setStyleSheet("")
    try:
        yield
    finally:
        application.setStyleSheet(sheet)


def _apply_style(application: QApplication, theme: Theme, redraw: bool = False) -> None:
    sheet = style_sheet(theme)
    if application.styleSheet() == sheet:  # styling every widget again would be slow
        if redraw:
            notifier.changed.emit()
        return
    _state["active"] = theme
    set_plot_colours()
    application.setStyle("Fusion")
    application.setPalette(palette(theme))
    application.setStyleSheet(sheet)
    notifier.changed.emit()
