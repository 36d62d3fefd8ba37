"""What is to be minimized, and what must not be positive."""

from __future__ import annotations

import abc
import math
from typing import Any


class ConstrainedMinimizationProblem(abc.ABC):
    """A loss together with the constraints its minimum must keep. Subclasses define `objective` and `constraints`.

    Example:
        >>> class Small(tf.contrib.constrained_optimization.ConstrainedMinimizationProblem):
        ...     @property
        ...     def objective(self):
        ...         return tf.reduce_sum(tf.square(w - 3.0))
        ...
        ...     @property
        ...     def constraints(self):
        ...         return w - 1.0
    """

    @property
    @abc.abstractmethod
    def objective(self) -> Any:
        """A scalar tensor, the loss."""

    @property
    @abc.abstractmethod
    def constraints(self) -> Any:
        """A tensor of known shape; a constraint is kept where its element is not positive."""

    @property
    def num_constraints(self) -> int:
        """How many elements `constraints` has.

        Raises:
            ValueError: if the shape of the constraints or of their proxies is not fully known, or they differ.
        """
        shape = self.constraints.get_shape()
        proxies = self.proxy_constraints
        proxy_shape = shape if proxies is None else proxies.get_shape()
        if not (shape.is_fully_defined() and proxy_shape.is_fully_defined()):
            raise ValueError(
                "constraints and proxy_constraints must have fully-known shapes, but have "
                f"{shape} and {proxy_shape}: give them one with tf.reshape or set_shape"
            )
        if shape != proxy_shape:
            raise ValueError(
                f"constraints and proxy_constraints must have the same shape, not {shape} and {proxy_shape}"
            )
        return math.prod(shape.as_list())

    @property
    def proxy_constraints(self) -> Any:
        """What is differentiated in place of `constraints`: a tensor of the same shape, or None.

        A constraint that counts has no slope to follow. A smooth function near it does, while the count itself still
        decides how much the constraint weighs.
        """
        return None

    @property
    def pre_train_ops(self) -> Any:
        """Operations to run before each step, or None."""
        return None
