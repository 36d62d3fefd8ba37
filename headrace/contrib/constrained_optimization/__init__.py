"""Optimization under constraints, as a game between the model and what the constraints cost."""
