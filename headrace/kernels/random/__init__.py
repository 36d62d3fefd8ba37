"""Shared by ops that draw: the streams of random numbers that TensorFlow has, and samplers over them."""
