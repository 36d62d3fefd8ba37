"""Optimizers, moving averages, learning rate decays, and what wraps optimizers."""
