"""Ops on sparse tensors: index matrices, values and dense shapes that travel as three tensors."""
