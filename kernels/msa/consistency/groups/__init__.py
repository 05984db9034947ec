"""Groups of aligned sequences: scored, merged along a guide tree, and refined."""
