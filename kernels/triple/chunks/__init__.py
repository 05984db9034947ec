"""Three sequences in chunks: LAYERED and SLOPED, and their alignments, on both backends."""
