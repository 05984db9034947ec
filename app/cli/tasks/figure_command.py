"""The command ``figure``: alignments, trees, distances and pairs as pictures, without a window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from antidiag.app.cli import inputs, offscreen
from antidiag.app.cli.method_runs import Files, Kind, MethodRun, Records, RunPlace
from antidiag.app.cli.progress import watch_run
from antidiag.app.cli.shell import messages
from antidiag.app.cli.shell.completion import complete_words, option_of_words
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Sequence as Letters
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry.task_methods import TASKS

FIGURE_EXAMPLES = """
[bold]Examples[/]

antidiag figure globins.sto --out globins.pdf --columns 60

antidiag figure tree.nwk --shape circular --out tree.svg

antidiag figure human.fa chimpanzee.fa --out dots.png

antidiag figure human.fa chimpanzee.fa --as matrix --mode global --out matrix.png --width-mm 180 --dpi 300
"""
SHAPES = ("rectangular", "slanted", "circular", "unrooted")
PAGES = ("A4", "A4 landscape", "Letter", "Letter landscape")
SUFFIXES = (".svg", ".png", ".pdf")
ALIGNMENT, TREE, DISTANCES, DOTPLOT, MATRIX = KINDS = ("alignment", "tree", "distances", "dotplot", "matrix")
KIND_TYPES = {AlignedSequences: ALIGNMENT, Tree: TREE, DistanceMatrix: DISTANCES, Letters: DOTPLOT}
"""What data are drawn as, if the user does not say."""
DRAWING = "antidiag.app.data_figures"


def figure(
    files: Files = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE.svg|.png|.pdf", help="File to write; required.")
    ] = None,
    draw_as: Annotated[
        str | None,
        option_of_words(
            "--as",
            KINDS,
            "What to draw; by default what the data suggest. Two sequences are a dot plot, or a matrix with the "
            "path of their best alignment.",
        ),
    ] = None,
    records: Records = None,
    kind: Kind = None,
    theme: Annotated[str, option_of_words("--theme", ("light", "dark"), "Colours of the background.")] = "light",
    columns: Annotated[
        int, typer.Option("--columns", min=10, max=2000, help="Columns of a line of an alignment.")
    ] = 80,
    colours: Annotated[
        str, typer.Option("--colours", metavar="SCHEME", help="Colours of an alignment, such as clustal or identity.")
    ] = "",
    shape: Annotated[str, option_of_words("--shape", SHAPES, "Shape of a tree.")] = "rectangular",
    mode: Annotated[
        str | None, option_of_words("--mode", ("local", "global"), "Alignment of the path in a matrix.")
    ] = None,
    size: Annotated[
        str, typer.Option("--size", metavar="WxH", help="Pixels of a dot plot, a matrix or distances on a screen.")
    ] = "960x720",
    width_mm: Annotated[
        int | None, typer.Option("--width-mm", metavar="MM", min=20, max=2000, help="Width in print.")
    ] = None,
    dpi: Annotated[
        int, typer.Option("--dpi", min=50, max=2400, help="Resolution of a PNG with --width-mm or --page.")
    ] = 300,
    page: Annotated[
        str,
        typer.Option(
            "--page",
            metavar="FORMAT",
            autocompletion=complete_words(PAGES),
            help="Break an alignment into pages with numbers: A4, Letter, or one of them landscape. PDF in one file, "
            "SVG and PNG in a file for each page.",
        ),
    ] = "",
) -> None:
    """Draw a file: an alignment, a tree, distances, or two sequences as a dot plot or matrix.

    The figure is that of the window's views. It needs PySide6 and pyqtgraph, but no screen.
    """
    path = _check_target(out, files or [])
    drawing = offscreen.load_drawing(DRAWING, f"--out {path}")
    look = _make_look(drawing, theme, columns, colours, shape, size, width_mm, dpi, page)
    with watch_run() as monitor:
        data = inputs.read_any_data(files or [], records or [], inputs.parse_sequence_type(kind), monitor)
        drawn = _choose_kind(data, draw_as)
        if mode is not None and drawn != MATRIX:
            raise ParameterError("--mode has no use without --as matrix; remove it")
        inputs.print_reading_notes(data)
        if page and drawn != ALIGNMENT:
            raise ParameterError("--page is for alignments; remove it")
        drawing.start_drawing(look)
        written = _save_figure(drawing, path, drawn, data, mode, look, monitor)
    if not messages.is_quiet():
        for number, file in enumerate(written, start=1):
            print(f"saved {file} ({drawn}{f', page {number} of {len(written)}' if len(written) > 1 else ''})")


def _check_target(out: str | None, files: Sequence[str]) -> Path:
    """Return the file to write. Raise InputError if it cannot be written, or if Qt is missing."""
    if out is None:
        raise InputError("give the file to write: --out figure.svg (or .png, .pdf)")
    path = Path(out)
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"--out {path}: the suffix must be one of {', '.join(SUFFIXES)}")
    offscreen.check_qt("a figure")
    inputs.check_writable(path, files)
    return path


def _make_look(
    drawing: Any,
    theme: str,
    columns: int,
    colours: str,
    shape: str,
    size: str,
    width_mm: int | None,
    dpi: int,
    page: str,
) -> Any:
    """Return the look of the figure. Raise ParameterError for an unknown theme or size."""
    if theme not in ("light", "dark"):
        raise ParameterError(f"--theme must be light or dark; got {theme!r}")
    width, cross, height = size.lower().partition("x")
    if not (cross and width.isdecimal() and height.isdecimal() and min(int(width), int(height)) >= 100):
        raise ParameterError(f"--size must be WIDTHxHEIGHT of 100 pixels or more, such as 960x720; got {size!r}")
    pixels = drawing.QSize(int(width), int(height))
    printed = None if width_mm is None else drawing.PrintSize(width_mm, dpi)
    if page and printed is not None:
        raise ParameterError("--width-mm has no use beside --page, which gives the width; remove one")
    return drawing.FigureLook(theme == "dark", pixels, printed, columns, colours, shape, page, dpi)


def _choose_kind(data: Sequence[Any], wanted: str | None) -> str:
    """Return what to draw. Raise InputError for data that are not drawn, or not so."""
    if wanted is not None and wanted not in KINDS:
        raise ParameterError(f"--as must be one of {', '.join(KINDS)}; got {wanted!r}")
    suggested = next((name for type_, name in KIND_TYPES.items() if all(isinstance(one, type_) for one in data)), None)
    pair = suggested == DOTPLOT
    if suggested is None or not data:
        raise InputError("these data are not drawn; give an alignment, trees, distances, or two sequences")
    if pair and len(data) != 2:
        raise InputError(
            f"a dot plot has 2 sequences; got {len(data):,}. Choose two with --record, or align them first: msa"
        )
    if not pair and len(data) != 1:
        raise InputError(f"a figure shows 1 {suggested}; the files hold {len(data):,}; give a file with one")
    if wanted is not None and wanted != suggested and not (pair and wanted == MATRIX):
        raise ParameterError(f"--as {wanted} does not suit the data, which are drawn as {suggested}")
    return wanted or suggested


def _save_figure(
    drawing: Any, path: Path, drawn: str, data: Sequence[Any], mode: str | None, look: Any, monitor: Monitor
) -> list[Path]:
    """Draw the data into a file, or a file for each page; return the files."""
    if drawn == MATRIX:
        method, _ = TASKS["align"].recommend(data)
        options = {} if mode is None else {"mode": mode}
        messages.print_message(f"path of the best alignment: {method.name} ({method.id}, recommended)")
        result = MethodRun(method, RunPlace(), options, {}).execute(data, monitor, [])
        drawing.save_matrix_figure(path, result, look, monitor)
    elif drawn == DOTPLOT:
        drawing.save_dotplot_figure(path, data[0], data[1], look, monitor)
    elif drawn == ALIGNMENT:
        return drawing.save_alignment_figure(path, data[0], look, monitor)
    else:
        save = {TREE: drawing.save_tree_figure, DISTANCES: drawing.save_distances_figure}
        save[drawn](path, data[0], look, monitor)
    return [path]
