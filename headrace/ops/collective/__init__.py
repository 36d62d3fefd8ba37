"""Ops that the members of a group run together."""
