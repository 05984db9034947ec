"""The baselines: the methods that Li et al. 2012 compare their own with (sections III and VI)."""
