"""What can be trained and evaluated: the interfaces of estimators of `tf.contrib.learn`."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import Any


class NotFittedError(ValueError, AttributeError):
    """Something needs a model that was trained, and there is none.

    Example:
        >>> classifier = tf.contrib.learn.LinearClassifier([tf.contrib.layers.real_valued_column("x")])
        >>> try:
        ...     classifier.evaluate(input_fn=input_fn)
        ... except tf.contrib.learn.NotFittedError as error:
        ...     print(error)
    """


class Trainable(abc.ABC):
    """What can be trained."""

    @abc.abstractmethod
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[[], Any] | None = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Sequence[Any] | None = None,
        max_steps: int | None = None,
    ) -> Any:
        """Trains the model.

        Args:
            x, y: features and labels as arrays, in the place of `input_fn`.
            input_fn: returns (features, labels): tensors, or dicts of tensors.
            steps: how many steps to take.
            batch_size: how many examples of `x` a batch has.
            monitors: monitors or SessionRunHooks.
            max_steps: up to which global step to train.
        """


class Evaluable(abc.ABC):
    """What can be evaluated."""

    @property
    @abc.abstractmethod
    def model_dir(self) -> str | None:
        """The folder of the model."""

    @abc.abstractmethod
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[[], Any] | None = None,
        feed_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Mapping[Any, Any] | None = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Sequence[Any] | None = None,
    ) -> dict[str, Any]:
        """Evaluates the model.

        Args:
            x, y: features and labels as arrays, in the place of `input_fn`.
            input_fn: returns (features, labels).
            feed_fn: returns what to feed in each step.
            batch_size: how many examples of `x` a batch has.
            steps: over how many batches.
            metrics: from name to `MetricSpec`.
            name: of this evaluation, where there are several.
            checkpoint_path: the checkpoint; the newest by default.
            hooks: SessionRunHooks.

        Returns:
            the metrics by name.
        """
