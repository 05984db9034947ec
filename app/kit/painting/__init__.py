"""Functions that draw with QPainter: fonts, colours, glyphs, logos and heat maps."""
