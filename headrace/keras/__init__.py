"""Keras: models of layers, trained and saved by a few calls."""

# Of which Keras this is the API, as 1.15 says it.
__version__ = "2.2.4-tf"
