"""Recurrences over structures of tensors, with gradients of one's own."""
