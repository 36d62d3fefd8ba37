"""Helpers for programs written for Keras."""
