"""File formats: bytes on disk to arrays and back, knowing nothing of graphs."""
