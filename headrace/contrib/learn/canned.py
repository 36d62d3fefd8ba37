"""Classifiers and regressors: what the ready-made estimators answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from headrace.contrib.learn.estimator import Estimator
from headrace.contrib.learn.metric_spec import MetricSpec, PredictionKey


class CannedEstimator(Estimator):
    """What ready-made estimators have in common."""

    def _chosen(
        self, key: str, x: Any, input_fn: Callable[[], Any] | None, batch_size: int | None, as_iterable: bool
    ) -> Any:
        """One of the predictions, of each example or as an array."""
        found = Estimator.predict(self, x, input_fn, batch_size, [key], as_iterable)
        if as_iterable:
            return _only(found, key)
        return found[key]


def _only(found: Iterator[dict[str, Any]], key: str) -> Iterator[Any]:
    for prediction in found:
        yield prediction[key]


class Classifier(CannedEstimator):
    """An estimator of classes."""

    def predict(  # type: ignore[override]  # 1.15's ready-made estimators take no iterate_batches
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        outputs: Sequence[str] | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """The classes, or those predictions that are asked for; arguments as in `BaseEstimator.predict`."""
        if not outputs:
            return self.predict_classes(x, input_fn, batch_size, as_iterable)
        return super().predict(x, input_fn, batch_size, outputs, as_iterable)

    def predict_classes(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """The likeliest classes; arguments as in `BaseEstimator.predict`."""
        found = self._chosen(PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)
        return found if as_iterable else found.reshape(-1)

    def predict_proba(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """The probabilities of all classes; arguments as in `BaseEstimator.predict`."""
        return self._chosen(PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)


class Regressor(CannedEstimator):
    """An estimator of numbers."""

    def evaluate(  # type: ignore[override]  # 1.15's ready-made estimators take no log_progress
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
        """Evaluates a checkpoint; arguments as in `Evaluable.evaluate`. Bare functions are metrics of the scores."""
        named = {
            key if isinstance(metric, MetricSpec) or isinstance(key, tuple) else (key, PredictionKey.SCORES): metric
            for key, metric in (metrics or {}).items()
        }
        return super().evaluate(x, y, input_fn, feed_fn, batch_size, steps, named or None, name, checkpoint_path, hooks)

    def predict(  # type: ignore[override]  # 1.15's ready-made estimators take no iterate_batches
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        outputs: Sequence[str] | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """The scores, or those predictions that are asked for; arguments as in `BaseEstimator.predict`."""
        if not outputs:
            return self.predict_scores(x, input_fn, batch_size, as_iterable)
        return super().predict(x, input_fn, batch_size, outputs, as_iterable)

    def predict_scores(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """The predicted numbers; arguments as in `BaseEstimator.predict`."""
        return self._chosen(PredictionKey.SCORES, x, input_fn, batch_size, as_iterable)
