"""Probability distributions, the divergences between them, and the bijectors that transform them."""
