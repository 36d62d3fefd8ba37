"""Readers of files as objects."""
