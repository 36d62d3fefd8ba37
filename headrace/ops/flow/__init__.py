"""Ops that order, choose and repeat the work of others."""
