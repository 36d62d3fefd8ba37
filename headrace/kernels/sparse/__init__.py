"""Shared by ops of sparse tensors: index vectors, operands, crosses of features."""
