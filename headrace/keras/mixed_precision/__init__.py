"""Layers that compute in float16."""
