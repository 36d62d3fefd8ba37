"""Lookup tables: what they hold, and the ops on them."""
