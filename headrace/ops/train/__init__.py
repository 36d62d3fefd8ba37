"""Ops that update variables by their gradients: the steps of the optimizers."""
