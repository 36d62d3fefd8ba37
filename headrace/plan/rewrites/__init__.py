"""Patterns that have one good kernel, a file each: a function from the nodes of a plan to the nodes after it."""
