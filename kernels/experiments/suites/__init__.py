"""Standard suites: the methods, inputs and peers that the benchmark measures."""
