"""Which of several tasks holds which variable: what `tf.train.replica_device_setter` takes as `ps_strategy`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from headrace.core.operation import Operation
from headrace.core.shapes import as_shape


class RandomStrategy:
    """Chooses a task by the name of the operation, always the same one.

    Args:
        num_ps_tasks: how many there are.
        seed: another number gives another distribution.

    Example:
        >>> task = tf.contrib.training.RandomStrategy(3)(w.op)
    """

    def __init__(self, num_ps_tasks: int, seed: int = 0) -> None:
        self._num_tasks = num_ps_tasks
        self._seed = seed

    def __call__(self, op: Operation) -> int:
        digest = hashlib.md5(f"{op.name}_{self._seed}".encode()).hexdigest()
        return int(digest, 16) % self._num_tasks


class GreedyLoadBalancingStrategy:
    """Chooses the task with the least load so far, the first one of several.

    Args:
        num_tasks: how many there are.
        load_fn: a function from an operation to the load it is.

    Example:
        >>> choose = tf.contrib.training.GreedyLoadBalancingStrategy(3, tf.contrib.training.byte_size_load_fn)
    """

    def __init__(self, num_tasks: int, load_fn: Callable[[Operation], Any]) -> None:
        self._num_tasks = num_tasks
        self._load_fn = load_fn
        self._ps_loads = np.zeros(num_tasks)

    def __call__(self, op: Operation) -> int:
        task = int(np.argmin(self._ps_loads))
        self._ps_loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op: Operation) -> int:
    """How many bytes the one output of an operation has.

    Raises:
        ValueError: if it has more outputs, or one whose shape is not known.

    Example:
        >>> byte_size_load_fn(tf.get_variable("kernel", [3, 4]).op)
        48
    """
    if len(op.outputs) != 1:
        raise ValueError(f"Op {op} must have a single output")
    shape = op.outputs[0].get_shape()
    if not shape.is_fully_defined():
        # Variables of the oldest kind have outputs of unknown shape.
        shape = as_shape(op.get_attr("shape"))
    shape.assert_is_fully_defined()
    return (shape.num_elements() or 0) * op.outputs[0].dtype.size
