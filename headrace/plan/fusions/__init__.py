"""Fusions, a file each: the ops one makes, the pattern it finds, examples, and the devices it serves."""
