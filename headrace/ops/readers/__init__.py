"""Readers, which take work from a queue and give records, and the ops on whole files."""
