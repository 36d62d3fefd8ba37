"""Shared by ops of arithmetic and linear algebra: declaring element-wise ops, segments, matrices, special functions."""
