"""Shared by ops of neural networks: windows and layouts, convolutions, pooling, softmax, samplers of classes."""
