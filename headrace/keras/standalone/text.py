"""`keras.preprocessing.text` as Keras 1 had it besides."""

from __future__ import annotations


def base_filter() -> str:
    """The characters that stand between words, apostrophes not among them."""
    return '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'
