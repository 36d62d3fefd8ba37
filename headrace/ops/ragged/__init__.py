"""Ragged tensors: rows of different lengths, kept as the values of all rows and where each row begins."""
