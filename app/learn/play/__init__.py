"""Methods step by step: one play, or two side by side on one clock."""
