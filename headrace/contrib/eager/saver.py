"""Saving in eager execution, which graphs do by `tf.train.Saver` and `tf.train.Checkpoint`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any


class Saver:
    """A saver for eager execution only.

    Args:
        var_list: the variables.

    Raises:
        RuntimeError: always, as in TensorFlow while graphs are built.
    """

    def __init__(self, var_list: Any) -> None:
        raise RuntimeError(
            "tfe.Saver can only be used when eager execution is enabled. Use tf.train.Saver when building graphs."
        )


@contextlib.contextmanager
def restore_variables_on_create(save_path: Any, map_func: Callable[[str], str] | None = None) -> Iterator[None]:
    """Restores variables as they are made, in eager execution only.

    Args:
        save_path: a checkpoint.
        map_func: from names of variables to names in it.

    Raises:
        ValueError: always, as in TensorFlow while graphs are built; see `tf.train.init_from_checkpoint`.
    """
    raise ValueError("Currently, restore_variables_on_create can only be used with eager execution enabled.")
    yield


def get_optimizer_variables(optimizer: Any) -> list[Any]:
    """The variables that an optimizer has made.

    Args:
        optimizer: an optimizer.
    """
    return optimizer.variables()
