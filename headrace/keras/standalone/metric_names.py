"""Names of metrics in logs: Keras 2.3 has them as `compile` got them, `tf.keras` of 1.15 shortens some."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headrace.keras.engine import training_metrics


@contextmanager
def in_full() -> Iterator[None]:
    """A context in which models are compiled with metrics called "accuracy" where they were asked for by that name."""
    before = training_metrics.names_in_full
    training_metrics.names_in_full = True
    try:
        yield
    finally:
        training_metrics.names_in_full = before
