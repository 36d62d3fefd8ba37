"""The graph of layers, models, and their training."""
