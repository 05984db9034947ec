"""The site is built from the pages without a warning, and has what the menu promises."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scripts import build_site, explanation_figures, reference_pages
from tests.documents import ROOT

DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site; a warning of Sphinx fails."""
    for name in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(name)
    folder = tmp_path_factory.mktemp("built") / "site"
    assert build_site.main(["--to", str(folder)]) == 0
    return folder


@pytest.mark.slow
def test_every_page_is_on_the_site_and_in_its_menu(site: Path) -> None:
    menu = (site / "index.html").read_text(encoding="utf-8")
    for place in build_site.page_places().values():
        html = Path(place).with_suffix(".html").as_posix()
        assert (site / html).is_file(), html
        assert place == "index.md" or f'href="{html}"' in menu, f"{html} is not in the menu"


def test_reference_pages_have_every_method_and_every_command(site: Path) -> None:
    from antidiag.app.cli import COMMANDS
    from antidiag.kernels import registry

    parameters = (site / "reference" / "parameters.html").read_text(encoding="utf-8")
    assert [one.id for one in registry.METHODS if f">{one.id}<" not in parameters] == []
    commands = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"antidiag {name}" not in re.sub(r"<[^>]+>", "", commands)] == []
    functions = (site / "reference" / "functions.html").read_text(encoding="utf-8")
    assert all(
        f'id="antidiag.{name}"' in functions for name in ("align", "align_family", "PairAlignment", "InputError")
    )


def test_the_table_of_commands_has_all_commands() -> None:
    from antidiag.app.cli import COMMANDS

    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `(?:antidiag|python main\.py) ([\w-]+)", text, re.MULTILINE))
    assert set(COMMANDS) <= listed, "without a row: " + ", ".join(sorted(set(COMMANDS) - listed))


def test_pages_are_plain_markdown() -> None:
    """Help shows them with Qt, which knows no directives."""
    pages = [page for page in build_site.page_places() if page.is_relative_to(DOCS)]
    assert [
        page.name for page in pages if re.search(r"^```\{|^:::", page.read_text(encoding="utf-8"), re.MULTILINE)
    ] == []


def test_every_figure_has_the_command_that_draws_it() -> None:
    drawn = explanation_figures.drawn_figures()
    assert set(drawn) == {path.name for path in (DOCS / "figures").glob("*.svg")}
    for page in (DOCS / "explanation").glob("*.md"):
        shown = re.findall(r"\]\(\.\./figures/([\w-]+\.svg)\)", page.read_text(encoding="utf-8"))
        assert set(shown) <= set(drawn), page.name


def test_tables_of_the_reference_escape_what_markdown_would_take() -> None:
    assert reference_pages.format_table(("a", "b"), [("x|y", "")]) == "| a | b |\n| --- | --- |\n| x\\|y |   |\n"
