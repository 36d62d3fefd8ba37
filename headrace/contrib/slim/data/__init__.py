"""Data sets in files: where they are, how they are decoded, and queues of what was."""
