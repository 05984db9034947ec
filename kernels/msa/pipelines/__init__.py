"""Progressive alignment pipelines: distances, guide tree, and alignment along the tree."""
