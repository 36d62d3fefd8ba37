"""Public functions that are composed of several ops, by family."""
