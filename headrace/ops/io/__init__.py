"""Ops that read and write files."""
