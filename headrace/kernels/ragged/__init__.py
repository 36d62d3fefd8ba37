"""Shared by ops of ragged tensors: how variants hold them."""
