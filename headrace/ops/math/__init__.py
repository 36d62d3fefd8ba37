"""Arithmetic, reductions, matrix products and what else computes with numbers."""
