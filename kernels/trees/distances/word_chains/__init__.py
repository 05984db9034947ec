"""ClustalW's fast distances: chains of the k-tuples that two sequences share."""
