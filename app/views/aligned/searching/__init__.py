"""The search box and its matches."""
