"""Feature columns: how features of examples become inputs of models."""
