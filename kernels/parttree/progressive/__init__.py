"""Progressive alignment of very many sequences along a guide tree: profiles, their alignment, and the final rows."""
