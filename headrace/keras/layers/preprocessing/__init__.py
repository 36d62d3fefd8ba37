"""Layers that learn from data before a model is trained."""
