"""The commands of tasks: what a person wants, such as an alignment, a tree, a figure or another format."""
