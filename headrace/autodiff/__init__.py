"""Gradients: the walk back through the graph, aggregation, and the checker."""
