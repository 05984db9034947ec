"""Step-by-step walkthroughs of PartTree and of single linkage."""
