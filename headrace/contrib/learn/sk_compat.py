"""Estimators as scikit-learn has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.contrib.learn.estimator_inputs import input_and_feed_functions
from headrace.sessions.hooks import FeedFnHook

if TYPE_CHECKING:
    from headrace.contrib.learn.base_estimator import BaseEstimator


class SKCompat:
    """An estimator as scikit-learn has them: data are arrays, and results too.

    Args:
        estimator: an `Estimator` of `tf.contrib.learn`.

    Example:
        >>> x, y = np.float32([[0, 1], [1, 0], [1, 1], [0, 0]]), np.array([0, 1, 1, 0])
        >>> columns = tf.contrib.learn.infer_real_valued_columns_from_input(x)
        >>> classifier = tf.contrib.learn.SKCompat(tf.contrib.learn.LinearClassifier(columns))
        >>> classifier.fit(x, y, steps=100)
        >>> classifier.score(x, y)["accuracy"]
    """

    def __init__(self, estimator: BaseEstimator) -> None:
        self._estimator = estimator

    def fit(
        self,
        x: Any,
        y: Any,
        batch_size: int | None = 128,
        steps: int | None = None,
        max_steps: int | None = None,
        monitors: Sequence[Any] | None = None,
    ) -> SKCompat:
        """Trains the model; arguments as in `BaseEstimator.fit`."""
        input_fn, feed_fn = input_and_feed_functions(x, y, None, None, batch_size, shuffle=True, epochs=None)
        feeding = [FeedFnHook(feed_fn)] if feed_fn is not None else []
        all_monitors = [*feeding, *(monitors or ())]
        self._estimator.fit(input_fn=input_fn, steps=steps, max_steps=max_steps, monitors=all_monitors)
        return self

    def score(
        self,
        x: Any,
        y: Any,
        batch_size: int | None = 128,
        steps: int | None = None,
        metrics: Mapping[Any, Any] | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """The metrics by name; arguments as in `BaseEstimator.evaluate`."""
        input_fn, feed_fn = input_and_feed_functions(x, y, None, None, batch_size, shuffle=False, epochs=1)
        results = self._estimator._evaluate_model(input_fn, steps, feed_fn, metrics, name, None, None)
        return results

    def predict(self, x: Any, batch_size: int | None = 128, outputs: Sequence[str] | None = None) -> Any:
        """The predictions for all of the data: an array, or a dict of them."""
        input_fn, feed_fn = input_and_feed_functions(x, None, None, None, batch_size, shuffle=False, epochs=1)
        results = list(self._estimator._infer_model(input_fn, feed_fn, outputs, True, iterate_batches=True))
        if not isinstance(results[0], dict):
            return np.concatenate(list(results), axis=0)
        return {key: np.concatenate([result[key] for result in results], axis=0) for key in results[0]}
