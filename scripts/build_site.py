"""Build the site: collect the pages of the project, write what comes from declarations, and run Sphinx.

    python scripts/build_site.py              into build/site; a warning is an error
    python scripts/build_site.py --to FOLDER

Pages lie in docs/ as plain Markdown, which Help shows as well. Their order, and the headings of the site's menu, are
those of docs/README.md.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import reference_pages  # noqa: E402

from antidiag.kernels import __version__  # noqa: E402

DOCS = ROOT / "docs"
INDEX = DOCS / "README.md"
OUTSIDE = {
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "SECURITY.md": "security.md",
    "packaging/README.md": "packages.md",
    "resources/third-party.md": "third-party.md",
}
"""Pages of the repository that do not lie in docs/, and their names on the site."""
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^## (.*)$", re.MULTILINE)


def main(arguments: list[str] | None = None) -> int:
    """Build the site; return the exit code of Sphinx."""
    parser = argparse.ArgumentParser(description="Build the site of the project.")
    parser.add_argument("--to", type=Path, default=ROOT / "build" / "site", help="the folder of the site")
    target = parser.parse_args(arguments).to
    source = target.with_name(f"{target.name}-source")
    shutil.rmtree(source, ignore_errors=True)
    collect_pages(source)
    command = ["-m", "sphinx", "-q", "-W", "--keep-going", "-j", "auto", "-b", "html", str(source), str(target)]
    return subprocess.run(
        [sys.executable, *command], check=False, env={**os.environ, "PYTHONPATH": str(ROOT)}
    ).returncode


def collect_pages(source: Path) -> None:
    """Write all pages, pictures and generated pages into the folder that Sphinx reads."""
    shutil.copytree(DOCS, source, ignore=shutil.ignore_patterns("measured", "README.md"))
    shutil.copyfile(ROOT / "resources" / "icons" / "antidiag.svg", source / "antidiag.svg")
    (source / "version.txt").write_text(__version__, encoding="utf-8")
    places = page_places()
    for page, place in places.items():
        (source / place).parent.mkdir(parents=True, exist_ok=True)
        text = _rewrite_links(page, place, places)
        (source / place).write_text(text, encoding="utf-8")
    for name, text in reference_pages.written_pages().items():
        (source / "reference" / name).parent.mkdir(parents=True, exist_ok=True)
        (source / "reference" / name).write_text(text, encoding="utf-8")
    index = source / "index.md"
    index.write_text(index.read_text(encoding="utf-8") + "".join(_tables_of_contents(places)), encoding="utf-8")


def page_places() -> dict[Path, str]:
    """Return every page of the project and its path on the site."""
    places = {page: page.relative_to(DOCS).as_posix() for page in sorted(DOCS.rglob("*.md"))}
    places[INDEX] = "index.md"
    places |= {ROOT / name: place for name, place in OUTSIDE.items()}
    for page in sorted((ROOT / "kernels").rglob("page.md")):
        places[page] = f"families/{'-'.join(page.parent.relative_to(ROOT / 'kernels').parts)}.md"
    return places


def _rewrite_links(page: Path, place: str, places: dict[Path, str]) -> str:
    """Return a page with links as they are on the site; files that the site lacks are linked in the repository."""

    def rewrite(found: re.Match[str]) -> str:
        return found[1] + _site_link(found[2], page, place, places) + found[3]

    pieces = FENCED.split(page.read_text(encoding="utf-8"))
    return "".join(piece if number % 2 else LINK.sub(rewrite, piece) for number, piece in enumerate(pieces))


def _site_link(target: str, page: Path, place: str, places: dict[Path, str]) -> str:
    path, _, anchor = target.partition("#")
    if "://" in target or not path:
        return target
    file = (page.parent / path).resolve()
    if file in places:
        on_site = Path(places[file])
    elif file.is_relative_to(DOCS) and file.is_file() and not file.is_relative_to(DOCS / "measured"):
        on_site = file.relative_to(DOCS)
    else:
        return f"{source_address()}/{file.relative_to(ROOT).as_posix()}"
    return Path(os.path.relpath(on_site, Path(place).parent)).as_posix() + (f"#{anchor}" if anchor else "")


def source_address() -> str:
    """Return the address of the repository."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Source"]


def _tables_of_contents(places: dict[Path, str]) -> Iterator[str]:
    """Yield a hidden table of contents for each heading of the index, in the order of its links."""
    text = INDEX.read_text(encoding="utf-8")
    titles, bodies = HEADING.findall(text), HEADING.split(text)[2::2]
    listed = set()
    for title, body in zip(titles, bodies, strict=True):
        targets = [(INDEX.parent / found[2].partition("#")[0]).resolve() for found in LINK.finditer(body)]
        pages = list(dict.fromkeys(places[target] for target in targets if target in places))
        pages += [f"reference/{name}" for name in reference_pages.PAGES] if title == "Reference" else []
        pages = [page for page in pages if page not in listed]
        listed |= set(pages)
        lines = "\n".join(page.removesuffix(".md") for page in pages)
        yield f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{lines}\n```\n"
    families = [page for page in places.values() if page.startswith("families/")]
    rest = [page for page in places.values() if page not in {*listed, *families, "index.md"}]
    lines = "\n".join(page.removesuffix(".md") for page in [*families, *rest])
    yield f"\n```{{toctree}}\n:hidden:\n:caption: Pages of the families\n\n{lines}\n```\n"


if __name__ == "__main__":
    sys.exit(main())
