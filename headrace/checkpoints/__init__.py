"""Saving and restoring: savers over variables, checkpoints of objects, and what both rest on."""
