"""Step-by-step walkthroughs of tree building and of pairwise distances."""
