"""Tree building from a distance matrix: neighbor joining and UPGMA."""
