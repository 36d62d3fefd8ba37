"""`keras.utils.test_utils`: data for trying models out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headrace.keras.backend.learning import clear_session


def get_test_data(
    num_train: int = 1000,
    num_test: int = 500,
    input_shape: Sequence[int] = (10,),
    output_shape: Sequence[int] = (2,),
    classification: bool = True,
    num_classes: int = 2,
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Random data that a model can learn: noise about a mean that tells the class, or the values to predict.

    Args:
        num_train, num_test: how many samples.
        input_shape: the shape of a sample.
        output_shape: the shape of a target, where it is no class.
        classification: whether targets are classes.
        num_classes: how many there are.

    Returns:
        ((inputs, targets) to train on, (inputs, targets) to test with).
    """
    samples = num_train + num_test
    if classification:
        y = np.random.randint(0, num_classes, size=(samples,))
        means = y.astype(float)
    else:
        means = np.random.random((samples,))
        y = np.broadcast_to(means.reshape([-1] + [1] * len(output_shape)), (samples, *output_shape)).copy()
    noise = np.random.normal(scale=0.7, size=(samples, *input_shape))
    x = (noise + means.reshape([-1] + [1] * len(input_shape))).astype(np.float32)
    return (x[:num_train], y[:num_train]), (x[num_train:], y[num_train:])


def keras_test(func: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: the graph of the layers begins anew after the function."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return func(*args, **kwargs)
        finally:
            clear_session()

    return wrapper
