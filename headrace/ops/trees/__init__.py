"""Ops on boosted trees: quantiles, statistics of gradients, splits, ensembles and their predictions."""
