"""The names of what a model is run for."""

from __future__ import annotations


class ModeKeys:
    """What a model is run for: `TRAIN`, `TEST` or `PREDICT`."""

    TRAIN = "train"
    TEST = "test"
    PREDICT = "predict"
