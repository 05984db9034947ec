"""Colours of branches and names: by patterns, by first words, or by a number of each node."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg

from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.theme import Theme
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_edits import names_are_values
from antidiag.kernels.io.tree_weights import leaf_weights
from antidiag.kernels.trees.tree_layout import has_lengths

SCALE_COLOURS = 24  # colours of a scale
COLOUR_MAP = "plasma"
MAP_RANGES = {"light": (0.0, 0.8), "dark": (0.3, 1.0)}  # the part of the map that is visible on each theme
WORD = re.compile(r"[^\s_|.:/-]+")


@dataclass(frozen=True, eq=False)
class TreeColouring:
    """``codes`` is the colour of each node, int16, -1 for none; ``items`` explain them in the legend."""

    codes: np.ndarray
    colours: tuple[str, ...]
    items: tuple[LegendItem, ...] = ()

    def node_colour(self, node: int) -> str | None:
        """Return the colour of a node, or None."""
        code = int(self.codes[node])
        return self.colours[code] if code >= 0 else None


def colouring_choices(tree: Tree) -> dict[str, str]:
    """Return the ways to colour that apply to this tree, with their labels."""
    found = {"none": "One colour", "word": "First word of the name"}
    if has_lengths(tree):
        if tree.degrees[0] == 2:
            found["weight"] = "Sequence weight"
        found["length"] = "Branch length"
    if names_are_values(tree):
        found["support"] = "Support"
    return found


def create_colouring(tree: Tree, by: str, patterns: Sequence[str], theme: Theme) -> TreeColouring:
    """Return a colouring by one of `colouring_choices`, or by "patterns"."""
    makers = {
        "patterns": lambda: colour_by_patterns(tree, patterns, theme),
        "word": lambda: colour_by_first_word(tree, theme),
        "weight": lambda: colour_by_values(tree, node_weights(tree), "weight", theme),
        "length": lambda: colour_by_values(tree, tree.lengths, "branch length", theme),
        "support": lambda: colour_by_values(tree, node_supports(tree), "support", theme),
    }
    return makers[by]() if by in makers else make_uncoloured(tree)


def make_uncoloured(tree: Tree) -> TreeColouring:
    """Return a colouring without colours."""
    return TreeColouring(np.full(len(tree), -1, np.int16), ())


def colour_by_patterns(tree: Tree, patterns: Sequence[str], theme: Theme) -> TreeColouring:
    """Colour leaves by the first pattern (regular expression, any case) in their names. Raise ParameterError for an
    invalid pattern."""
    compiled = []
    for pattern in patterns:
        try:
            compiled.append(re.compile(pattern, re.IGNORECASE))
        except re.error as error:
            raise ParameterError(
                f"{pattern!r} is not a valid regular expression: {error}; put \\ before special characters"
            ) from None
    codes = [next((code for code, pattern in enumerate(compiled) if pattern.search(name)), -1) for name in tree.taxa]
    return _colour_classes(tree, np.array(codes, np.int16), list(patterns), theme)


def colour_by_first_word(tree: Tree, theme: Theme) -> TreeColouring:
    """Colour leaves by the first word of their names; only frequent words get colours."""
    return colour_by_labels(tree, [found[0] if (found := WORD.search(name)) else "" for name in tree.taxa], theme, 2)


def colour_by_labels(tree: Tree, words: Sequence[str], theme: Theme, least: int = 1) -> TreeColouring:
    """Colour leaves by labels, "" for none; the most frequent of at least ``least`` leaves get colours."""
    common = [word for word, count in Counter(words).most_common(len(theme.series)) if word and count >= least]
    places = {word: code for code, word in enumerate(common)}
    codes = np.array([places.get(word, -1) for word in words], np.int16)
    return _colour_classes(tree, codes, common, theme)


def colour_by_values(tree: Tree, values: np.ndarray, label: str, theme: Theme) -> TreeColouring:
    """Colour nodes by a number, NaN for none."""
    known = ~np.isnan(values)
    if not known.any():
        return make_uncoloured(tree)
    low, high = float(values[known].min()), float(values[known].max())
    codes = np.full(len(tree), -1, np.int16)
    codes[known] = np.clip((values[known] - low) / ((high - low) or 1) * SCALE_COLOURS, 0, SCALE_COLOURS - 1)
    span = np.linspace(*MAP_RANGES[theme.name], SCALE_COLOURS)
    colours = tuple(colour.name() for colour in pg.colormap.get(COLOUR_MAP).map(span, mode="qcolor"))
    words = f"{label} {low:.4g} to {high:.4g}" if high > low else f"{label} {low:.4g}"
    return TreeColouring(codes, colours, (LegendItem("gradient", words, colours[::4]),))


def node_weights(tree: Tree) -> np.ndarray:
    """Return the ClustalW weight of each leaf for this root; of inner nodes, the mean below them."""
    found = np.zeros(len(tree))
    found[tree.leaves] = leaf_weights(tree)
    return tree.below(found) / tree.leaf_counts


def node_supports(tree: Tree) -> np.ndarray:
    """Return the support values of inner nodes, NaN elsewhere."""
    found = np.full(len(tree), np.nan)
    if names_are_values(tree):
        for node in np.flatnonzero(tree.degrees).tolist():
            if tree.names[node]:
                found[node] = float(tree.names[node])
    return found


def _colour_classes(tree: Tree, leaf_codes: np.ndarray, labels: list[str], theme: Theme) -> TreeColouring:
    """Give each class a colour; an inner node has that of all its leaves, if they agree."""
    codes = np.full(len(tree), -1, np.int64)
    codes[tree.leaves] = leaf_codes
    leaf = tree.degrees == 0
    highest = tree.highest_below(np.where(leaf, codes, -2))
    lowest = -tree.highest_below(np.where(leaf, -codes, -len(labels) - 2))
    codes = np.where(highest == lowest, highest, -1).astype(np.int16)
    colours = tuple(theme.series[code % len(theme.series)] for code in range(len(labels)))
    counts = np.bincount(leaf_codes[leaf_codes >= 0], minlength=len(labels))
    items = tuple(
        LegendItem("fill", f"{label} ({count:,})", (colour,))
        for label, colour, count in zip(labels, colours, counts.tolist(), strict=True)
    )
    return TreeColouring(codes, colours, items)
