"""Shared by ops of control flow: the contexts of branches and loops, and lists of tensors."""
