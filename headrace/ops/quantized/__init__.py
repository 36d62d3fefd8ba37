"""Ops on tensors of integers that stand for floats of a range: each takes and gives the range's two ends."""
