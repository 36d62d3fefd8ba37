"""Estimators whose models are given: linear ones, networks, both together, baselines, clusters."""
