"""Sphinx: the site, which scripts/build_site.py assembles and builds (make docs)."""

import re
from pathlib import Path

VERSION = Path(__file__).resolve().with_name("version.txt")

project = "Antidiag"
author = "The Antidiag authors"
project_copyright = "2026, The Antidiag authors"
release = VERSION.read_text(encoding="utf-8").strip() if VERSION.is_file() else ""
version = ".".join(re.findall(r"\d+", release)[:2])

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
autodoc_typehints = "description"
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
root_doc = "index"
exclude_patterns = ["README.md"]
suppress_warnings = ["myst.header"]  # pages of families begin at the second level, under the heading of their method

html_theme = "furo"
html_title = f"Antidiag {release}"
html_favicon = html_logo = "antidiag.svg"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}
