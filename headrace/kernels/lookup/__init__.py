"""Shared by ops of lookup tables: the tables."""
