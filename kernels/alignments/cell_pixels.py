"""Pixels of an alignment: cells as colours, from many cells a pixel to letters many pixels high.

The colour of a cell is ``palette[codes[column, class]]``: ``palette`` uint8 (n, 3), ``codes`` uint8 (columns, CLASSES),
or (1, CLASSES) where all columns have the same. Pictures are uint32 (height, width) as 0xffRRGGBB. ``letters`` are
`BlockedCells`, and ``order`` has the rows of them that are shown, from the top, int64.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.alignments.blocked_cells import BlockedCells
from antidiag.kernels.alignments.cell_sample import SAMPLE_STEP, CellSample
from antidiag.kernels.alignments.column_statistics import CLASSES, LETTER_CLASS, CountUpdate, count_columns
from antidiag.kernels.alignments.cpu_blocks import BLOCK_MASK, BLOCK_SHIFT
from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.monitor import Monitor

OPAQUE = np.uint32(0xFF000000)
SPREAD = (np.arange(64) * 0.6180339887) % 1
"""Evenly spread positions of the cells that a pixel samples; steps of one size would resonate with codons."""


def pixel_edges(first: float, size: float, pixels: int, count: int) -> np.ndarray:
    """Return the first cell of each pixel, and the one after the last, int64 (pixels + 1,).

    Parameters
    ----------
    first : float
        The cell, with its fraction, at the first pixel.
    size : float
        Pixels that a cell takes.
    pixels, count : int
        Number of pixels and of cells; pixels beyond the last cell have ``count_columns``.
    """
    found = np.floor(first + np.arange(pixels + 1) / size + 1e-9).astype(np.int64)
    return np.clip(found, 0, count)


def paint_cells(letters, order, rows, columns, codes, palette, background, picture, samples=2):
    """Paint cells into ``picture``; a pixel of many cells is the mean of at most samples^2 of them.

    ``rows`` and ``columns`` are `pixel_edges`; ``background`` is the colour beyond the last cell, 0xRRGGBB.
    """
    packed, empty = _pack_colours(palette), OPAQUE | np.uint32(background)
    _paint_cells(
        *letters.storage,
        letters.places,
        order,
        rows,
        columns,
        LETTER_CLASS,
        codes,
        palette,
        packed,
        empty,
        picture,
        samples,
    )


def paint_sample(letters, order, rows, columns, codes, palette, background, picture, sample, kept):
    """Paint one cell a pixel, which comes from a `CellSample` where that has the block: ``kept`` says so.

    The other parameters are those of `paint_cells`.
    """
    count = letters.places.size
    left = columns[:-1][columns[:-1] < count]
    right = np.maximum(columns[1 : left.size + 1], left + 1)
    seen = (left + right - 1) // 2
    near = seen - letters.places[seen] % SAMPLE_STEP
    near = np.where(near < left, near + SAMPLE_STEP, near)
    there = (near < right) & (letters.places[np.minimum(near, count - 1)] % SAMPLE_STEP == 0)
    seen = np.where(there, near, seen)
    stored = letters.places[seen]
    at, colours = (
        np.where(there, stored // SAMPLE_STEP, -1),
        (codes, _pack_colours(palette), OPAQUE | np.uint32(background)),
    )
    _paint_sample(*letters.storage, order, rows, seen, stored, at, kept, sample.cells, LETTER_CLASS, *colours, picture)


def _pack_colours(palette):
    """Return colours as 0xffRRGGBB, uint32."""
    return OPAQUE | (palette.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32))


@cached_njit
def _paint_sample(
    table, array, blocks, order, rows, seen, stored, at, kept, cells, classes, codes, packed, empty, picture
):
    last = codes.shape[0] - 1
    picture[:, seen.size :] = empty
    for y in range(picture.shape[0]):
        top, bottom = rows[y], min(max(rows[y + 1], rows[y] + 1), order.size)
        if top >= order.size:
            picture[y, :] = empty
        elif y > 0 and bottom - top == 1 and rows[y - 1] == top:
            picture[y, :] = picture[y - 1, :]
        else:
            row = order[(top + bottom - 1) // 2]
            for x in range(seen.size):
                tile = stored[x] >> BLOCK_SHIFT
                if at[x] >= 0 and kept[row, tile]:
                    letter = cells[row, at[x]]
                else:
                    entry = table[row, tile]
                    letter = array[entry, stored[x]] if entry >= 0 else blocks[~entry, stored[x] & BLOCK_MASK]
                picture[y, x] = packed[codes[min(seen[x], last), classes[letter]]]


@inner_njit
def _paint_line(table, array, blocks, row, places, middle, codes, classes, packed, colours, line):
    """Paint a line of pixels of one cell each: columns ``middle``, kept at ``places``, of a row."""
    last = codes.shape[0] - 1
    for x in range(middle.size):
        entry, place = table[row, places[x] >> BLOCK_SHIFT], places[x]
        letter = array[entry, place] if entry >= 0 else blocks[~entry, place & BLOCK_MASK]
        line[x] = colours[letter] if last == 0 else packed[codes[min(middle[x], last), classes[letter]]]


@cached_njit
def _paint_cells(
    table, array, blocks, places, order, rows, columns, classes, codes, palette, packed, empty, picture, most
):
    last, width, columns_there = codes.shape[0] - 1, picture.shape[1], places.size
    several, filled = False, 0
    for x in range(width):
        if columns[x] < columns_there:
            filled = x + 1
            several |= columns[x + 1] - columns[x] > 1
    picture[:, filled:] = empty
    middle = np.empty(filled, np.int64)
    for x in range(filled):
        middle[x] = min((columns[x] + max(columns[x + 1], columns[x] + 1) - 1) // 2, columns_there - 1)
    kept_at = places[middle]
    # Where all columns have the same colours, a letter is one step from its colour.
    colours = np.empty(256, np.uint32)
    for letter in range(256):
        colours[letter] = packed[codes[0, classes[letter]]]
    for y in range(picture.shape[0]):
        top, bottom = rows[y], min(max(rows[y + 1], rows[y] + 1), order.size)
        if top >= order.size:
            picture[y, :] = empty
            continue
        if y > 0 and bottom - top == 1 and rows[y - 1] == top and rows[y] <= top + 1:
            picture[y, :] = picture[y - 1, :]
            continue
        down = min(bottom - top, most)
        if most == 1 or (down == 1 and not several):
            row = order[(top + bottom - 1) // 2]
            _paint_line(table, array, blocks, row, kept_at, middle, codes, classes, packed, colours, picture[y])
            continue
        for x in range(filled):
            left, right = columns[x], min(max(columns[x + 1], columns[x] + 1), columns_there)
            along = min(right - left, most)
            red, green, blue = 0, 0, 0
            for step in range(down):
                row = order[top + int((step + SPREAD[(7 * step + 3 * x) & 63]) * (bottom - top) / down)]
                for place in range(along):
                    column = left + int((place + SPREAD[(most * step + place + 5 * x) & 63]) * (right - left) / along)
                    stored, entry = places[column], table[row, places[column] >> BLOCK_SHIFT]
                    letter = array[entry, stored] if entry >= 0 else blocks[~entry, stored & BLOCK_MASK]
                    code = codes[min(column, last), classes[letter]]
                    red += palette[code, 0]
                    green += palette[code, 1]
                    blue += palette[code, 2]
            seen = down * along
            picture[y, x] = OPAQUE | np.uint32((red // seen) << 16 | (green // seen) << 8 | blue // seen)


def paint_letters(letters, order, tops, lefts, first_row, first_column, codes, palette, inks, shown, glyphs, picture):
    """Write the letters of cells over their colours.

    ``tops`` and ``lefts`` are the pixels at which cells begin, int64, from ``first_row`` (a place in ``order``) and
    ``first_column`` on; ``inks`` uint8 (n, 3) is the ink of each colour, ``shown`` uint8, shaped as ``codes``, says
    whether a letter is written, ``glyphs`` uint8 (CLASSES, height, width) how much ink each pixel of a letter takes.
    """
    where = letters.places, order, tops, lefts, first_row, first_column
    _paint_letters(*letters.storage, *where, LETTER_CLASS, codes, _pack_colours(palette), inks, shown, glyphs, picture)


@cached_njit
def _paint_letters(
    table,
    array,
    blocks,
    places,
    order,
    tops,
    lefts,
    first_row,
    first_column,
    classes,
    codes,
    colours,
    inks,
    shown,
    glyphs,
    picture,
):
    last, last_shown = codes.shape[0] - 1, shown.shape[0] - 1
    inked = _inked_bounds(glyphs)
    # A letter of one colour is mixed once, and copied from then on.
    number, count = np.full((colours.size, glyphs.shape[0]), -1), 0
    most = min(number.size, tops.size * lefts.size)
    mixed = np.empty((most, glyphs.shape[1], glyphs.shape[2]), np.uint32)
    for down in range(tops.size):
        source, top = order[first_row + down], tops[down]
        for along in range(lefts.size):
            column, left = first_column + along, lefts[along]
            stored, entry = places[column], table[source, places[column] >> BLOCK_SHIFT]
            kind = classes[array[entry, stored] if entry >= 0 else blocks[~entry, stored & BLOCK_MASK]]
            if not shown[min(column, last_shown), kind]:
                continue
            code = codes[min(column, last), kind]
            if number[code, kind] < 0:
                _mix_letter(glyphs[kind], colours[code], inks, code, mixed[count])
                number[code, kind] = count
                count += 1
            letter = mixed[number[code, kind]]
            for y in range(max(inked[kind, 0], -top), min(inked[kind, 1], picture.shape[0] - top)):
                for x in range(max(inked[kind, 2], -left), min(inked[kind, 3], picture.shape[1] - left)):
                    share, below = np.uint32(glyphs[kind, y, x]), picture[top + y, left + x]
                    if share:
                        own = below == colours[code]  # not of the cell beside it, or of another letter
                        picture[top + y, left + x] = letter[y, x] if own else _mix_pixel(below, inks, code, share)


@inner_njit
def _mix_letter(glyph, colour, inks, code, letter):
    """Paint a letter with its ink on a colour."""
    for y in range(glyph.shape[0]):
        for x in range(glyph.shape[1]):
            letter[y, x] = _mix_pixel(colour, inks, code, np.uint32(glyph[y, x]))


@inner_njit
def _inked_bounds(glyphs):
    """Return the bounds of the inked pixels of each letter, int64 (classes, 4): top, bottom, left, right, half-open."""
    found = np.zeros((glyphs.shape[0], 4), np.int64)
    for kind in range(glyphs.shape[0]):
        found[kind, 0], found[kind, 2] = glyphs.shape[1], glyphs.shape[2]
        for y in range(glyphs.shape[1]):
            for x in range(glyphs.shape[2]):
                if glyphs[kind, y, x]:
                    found[kind, 0], found[kind, 1] = min(found[kind, 0], y), y + 1
                    found[kind, 2], found[kind, 3] = min(found[kind, 2], x), max(found[kind, 3], x + 1)
    return found


@inner_njit
def _mix_pixel(pixel, inks, ink, share):
    """Return a pixel with a share of ink, 0 to 255, on it."""
    rest = np.uint32(255) - share
    red = (((pixel >> np.uint32(16)) & np.uint32(255)) * rest + np.uint32(inks[ink, 0]) * share) // np.uint32(255)
    green = (((pixel >> np.uint32(8)) & np.uint32(255)) * rest + np.uint32(inks[ink, 1]) * share) // np.uint32(255)
    blue = ((pixel & np.uint32(255)) * rest + np.uint32(inks[ink, 2]) * share) // np.uint32(255)
    return np.uint32(OPAQUE) | (red << np.uint32(16)) | (green << np.uint32(8)) | blue


def paint_bars(values: np.ndarray, columns: np.ndarray, colour: int, picture: np.ndarray) -> None:
    """Paint one bar a pixel over ``picture``, as high as the largest of its ``values``, 0 to 1 (columns,)."""
    width, height = columns.size - 1, picture.shape[0]
    inside = columns[:-1] < values.size
    if not inside.any():
        return
    starts = columns[:-1][inside]
    stops = np.maximum(columns[1:][inside], starts + 1)
    single = (stops - starts).max() == 1
    tallest = values[starts] if single else np.maximum.reduceat(values[: stops[-1]], starts)
    heights = np.zeros(width, np.int64)
    heights[inside] = np.ceil(np.clip(tallest, 0, 1) * height)
    picture[(height - np.arange(height))[:, None] <= heights[None, :]] = OPAQUE | np.uint32(colour)


@cached_njit
def paint_logo(counts, information, skipped, scale, columns, glyphs, colours, picture):
    """Paint a sequence logo: letters stacked by frequency, the most frequent on top.

    A letter is as high as its share of the column's ``information`` in bits times ``scale`` pixels. The class
    ``skipped`` is left out; ``columns`` are `pixel_edges`, ``colours`` uint8 (CLASSES, 3).
    """
    height, depth, breadth = picture.shape[0], glyphs.shape[1], glyphs.shape[2]
    order = np.empty(counts.shape[1], np.int64)
    start = 0
    while start < columns.size - 1 and columns[start] < counts.shape[0]:
        column, stop = columns[start], start + 1
        while stop < columns.size - 1 and columns[stop] == column:
            stop += 1
        total, found = 0, 0
        for kind in range(1, counts.shape[1]):
            amount = counts[column, kind]
            if amount and kind != skipped:
                total += amount
                place = found
                while place > 0 and counts[column, order[place - 1]] > amount:
                    order[place] = order[place - 1]
                    place -= 1
                order[place] = kind
                found += 1
        base = float(height)
        for place in range(found):
            kind = order[place]
            tall = information[column] * scale * counts[column, kind] / total
            top = base - tall
            for y in range(max(0, round(top)), min(height, round(base))):
                across = min(depth - 1, max(0, int((y + 0.5 - top) / tall * depth)))
                for x in range(start, stop):
                    along = min(breadth - 1, int((x + 0.5 - start) / (stop - start) * breadth))
                    share = np.uint32(255) if stop - start < 4 else np.uint32(glyphs[kind, across, along])
                    if share:
                        picture[y, x] = _mix_pixel(picture[y, x], colours, kind, share)
            base = top
        start = stop


def load_compiled_code(letters: np.ndarray) -> None:
    """Load the compiled code that counts, paints and edits an alignment like this one, uint8 (rows, columns).

    It does each of them with one cell, on any thread, so that neither the first picture nor the first edit waits.
    """
    corner = letters[:1, :1]
    tiles, one, counts = BlockedCells.of(corner), np.arange(1), np.zeros((1, CLASSES), np.int32)
    for some in (letters[:1], tiles[:], tiles):
        count_columns(some)
    CountUpdate(count_columns(tiles), tiles, tiles.with_cells(one, 0, np.zeros((1, 1), np.uint8))).columns()
    tiles.count_others(0, slice(1), 0)  # for the status text of the cursor
    codes, palette, glyphs = (np.zeros(shape, np.uint8) for shape in ((1, CLASSES), (2, 3), (CLASSES, 1, 1)))
    picture, places = np.zeros((1, 1), np.uint32), pixel_edges(0.0, 1.0, 1, 1)
    counts.setflags(write=False)
    paint_cells(tiles, one, places, places, codes, palette, 0, picture)
    sample = CellSample(tiles, Monitor())
    paint_sample(tiles, one, places, places, codes, palette, 0, picture, sample, sample.kept(tiles))
    paint_letters(tiles, one, one, one, 0, 0, codes, palette, palette, codes, glyphs, picture)
    colours = np.zeros((CLASSES, 3), np.uint8)
    paint_logo(counts, np.zeros(1, np.float32), 0, np.float64(1), places, glyphs, colours, picture)
