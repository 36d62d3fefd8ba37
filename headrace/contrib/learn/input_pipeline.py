"""`obtain_next` and `seek_next`: a list of strings epoch by epoch, its position kept in variables."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from headrace.core.defaults import colocate_with, control_dependencies
from headrace.core.dtypes import int64, string
from headrace.core.tensor import Tensor
from headrace.ops.array.constant import constant
from headrace.ops.state.input_pipeline import obtain_next
from headrace.state.updates import count_up_to
from headrace.state.variable_scope import get_variable, variable_scope


def seek_next(
    string_list: Sequence[str], shuffle: bool = False, seed: int | None = None, num_epochs: int | None = None
) -> Tensor:
    """The next string of a list, each time it is run; where it stands is kept in variables and saved with them.

    Args:
        string_list: the strings.
        shuffle: whether each epoch has an order of its own; `string_list` is then shuffled in place.
        seed: where the order starts, by Python's `random`.
        num_epochs: how often the list is gone through, None for ever.

    Returns:
        a scalar string; OutOfRangeError after the last epoch.

    Example:
        >>> name = tf.contrib.input_pipeline.seek_next(["a.txt", "b.txt"], shuffle=True, num_epochs=2)
    """
    if shuffle and seed:
        random.seed(seed)
    strings = list(string_list)
    walk: list[str] = []
    for _ in range(num_epochs or 1):
        if shuffle:
            random.shuffle(strings)
        walk += strings
    with variable_scope("obtain_next"):
        counter = get_variable(
            "obtain_next_counter", initializer=constant(np.int64(-1)), dtype=int64, trainable=False, use_resource=False
        )
        with colocate_with(counter):
            listed = get_variable(
                "obtain_next_expanded_list", initializer=constant(walk), dtype=string, trainable=False
            )
        if not num_epochs:
            return obtain_next(listed, counter)
        handed_out = get_variable(
            "obtain_next_filename_counter", initializer=constant(np.int64(0)), dtype=int64, trainable=False
        )
        with control_dependencies([count_up_to(handed_out, len(walk))]):
            return obtain_next(listed, counter)
