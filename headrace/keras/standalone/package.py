"""What `import keras` itself gives."""

from __future__ import annotations

import sys

from headrace.keras.standalone.layers import Input
from headrace.keras.standalone.models import Model, Sequential

# The last one that ran on TensorFlow 1, Theano and CNTK; its defaults are those here.
__version__ = "2.3.1"

__all__ = ["Input", "Model", "Sequential"]


def announce() -> None:
    """Says on what Keras runs, as it does when it is imported."""
    sys.stderr.write("Using TensorFlow backend.\n")
