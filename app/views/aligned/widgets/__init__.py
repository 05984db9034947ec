"""The canvas of the alignment viewer, its keys and the overview map."""
