"""Shared by ops that train: the formulas of updates, and losses of dual ascent."""
