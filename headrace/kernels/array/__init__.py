"""Shared by ops that move elements: arguments, slices, index vectors, paddings."""
