"""Shared by ops of quantized numbers: their ranges."""
