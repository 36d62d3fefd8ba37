"""Metrics that keep state, and functions of predictions."""
