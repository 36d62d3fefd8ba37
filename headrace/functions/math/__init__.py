"""Functions of numbers that are composed of several ops, and what Python's operators mean."""
