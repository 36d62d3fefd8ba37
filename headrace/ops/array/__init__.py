"""Ops that make, reshape, cut, join and rearrange arrays."""
