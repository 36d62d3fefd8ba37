"""Parsing of examples by dicts of features."""
