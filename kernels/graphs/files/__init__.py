"""Files of graphs, and of the distances between their vertices."""
