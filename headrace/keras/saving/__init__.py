"""Models and their weights in files."""
