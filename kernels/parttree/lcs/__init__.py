"""Guide trees over longest common subsequences: single linkage, and medoid trees."""
