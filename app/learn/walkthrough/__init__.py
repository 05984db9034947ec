"""Methods step by step: one animation, or two side by side on one clock."""
