"""PartTree's recursion: groups of sequences are split around references, level by level, on the CPU or a GPU."""
