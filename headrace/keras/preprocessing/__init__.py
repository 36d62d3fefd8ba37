"""Images, sequences and texts as inputs of models."""
