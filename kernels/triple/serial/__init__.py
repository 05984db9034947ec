"""The baselines of three sequences on one core: Scoring and Traceback."""
