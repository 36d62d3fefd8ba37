"""Classifiers and regressors: what the ready-made estimators answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.feature_column_inputs import parse_feature_columns_from_examples
from headrace.contrib.learn.bundle_exports import (
    _default_input_fn,
    classification_signature_fn_with_prob,
    regression_signature_fn,
)
from headrace.contrib.learn.estimator import Estimator
from headrace.contrib.learn.metric_spec import MetricSpec, PredictionKey

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


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

    def _parse_examples(self, examples: Tensor) -> Any:
        """The features that the columns look at, in serialized examples."""
        columns: list[Any] = []
        for key in ("feature_columns", "linear_feature_columns", "dnn_feature_columns"):
            columns += self.params.get(key) or ()
        if not columns:
            return _default_input_fn(self, examples)
        serialized: Any = examples
        return parse_feature_columns_from_examples(serialized, columns)

    def _export_of(
        self,
        export_dir: str,
        input_fn: Callable[..., Any] | None,
        input_feature_key: str | None,
        use_deprecated_input_fn: bool,
        signature_fn: Callable[..., Any],
        default_batch_size: int | None,
        exports_to_keep: int | None,
        prediction_key: str | None,
    ) -> bytes:
        def of_columns(estimator: CannedEstimator, examples: Tensor) -> Any:
            return estimator._parse_examples(examples)

        return Estimator.export(
            self,
            export_dir,
            input_fn or of_columns,
            input_feature_key,
            use_deprecated_input_fn,
            signature_fn,
            prediction_key,
            default_batch_size,
            exports_to_keep,
        )


def _only(found: Iterator[dict[str, Any]], key: str) -> Iterator[Any]:
    for prediction in found:
        yield prediction[key]


class Classifier(CannedEstimator):
    """An estimator of classes."""

    def export(  # type: ignore[override]  # 1.15's ready-made estimators take no prediction_key
        self,
        export_dir: str,
        input_fn: Callable[..., Any] | None = None,
        input_feature_key: str | None = None,
        use_deprecated_input_fn: bool = True,
        signature_fn: Callable[..., Any] | None = None,
        default_batch_size: int | None = 1,
        exports_to_keep: int | None = None,
    ) -> bytes:
        """Writes a session bundle that gives probabilities; arguments as in `BaseEstimator.export`."""
        return self._export_of(
            export_dir,
            input_fn,
            input_feature_key,
            use_deprecated_input_fn,
            signature_fn or classification_signature_fn_with_prob,
            default_batch_size,
            exports_to_keep,
            PredictionKey.PROBABILITIES,
        )

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

    def export(  # type: ignore[override]  # 1.15's ready-made estimators take no prediction_key
        self,
        export_dir: str,
        input_fn: Callable[..., Any] | None = None,
        input_feature_key: str | None = None,
        use_deprecated_input_fn: bool = True,
        signature_fn: Callable[..., Any] | None = None,
        default_batch_size: int | None = 1,
        exports_to_keep: int | None = None,
    ) -> bytes:
        """Writes a session bundle that gives scores; arguments as in `BaseEstimator.export`."""
        return self._export_of(
            export_dir,
            input_fn,
            input_feature_key,
            use_deprecated_input_fn,
            signature_fn or regression_signature_fn,
            default_batch_size,
            exports_to_keep,
            PredictionKey.SCORES,
        )

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


class ScoredRegressor(Regressor):
    """A regressor that takes bare functions as metrics: of its scores."""

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
