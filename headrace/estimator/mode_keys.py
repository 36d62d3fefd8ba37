"""What a model function is called for."""

from __future__ import annotations


class ModeKeys:
    """The modes in which an estimator calls its model function."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"
