"""Shared by ops of images: decoders and encoders, sizes, resampling."""
