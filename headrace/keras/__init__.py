"""Keras: models of layers, trained and saved by a few calls."""
