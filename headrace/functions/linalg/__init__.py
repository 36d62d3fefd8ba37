"""Linear operators: matrices that are known by what they do."""
