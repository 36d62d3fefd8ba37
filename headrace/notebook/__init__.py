"""Headrace in notebooks: what graphs, plans and models look like, and `%load_ext headrace`."""
