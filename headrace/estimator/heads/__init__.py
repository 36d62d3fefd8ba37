"""Heads: what a model's logits mean, its loss, its predictions, metrics and exports."""
