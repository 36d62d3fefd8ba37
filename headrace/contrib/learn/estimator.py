"""`Estimator` of `tf.contrib.learn`: a model function with its folder, trained, evaluated and asked by calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.learn import estimator_exports
from headrace.contrib.learn.base_estimator import BaseEstimator
from headrace.contrib.learn.estimator_inputs import make_metrics_ops
from headrace.contrib.learn.estimator_parts import (
    as_model_fn_ops,
)
from headrace.contrib.learn.model_outputs import ModelFnOps
from headrace.estimator.run_config import RunConfig as CoreRunConfig
from headrace.util import tf_logging
from headrace.util.inspection import fn_args

if TYPE_CHECKING:
    pass

_OPTIONAL = ("mode", "params", "config", "model_dir")


class Estimator(BaseEstimator):
    """A model, given by a function that builds it.

    Args:
        model_fn: of `features` and `labels` and, as it likes, `mode`, `params`, `config` and `model_dir`; it returns a
            `ModelFnOps`, an `EstimatorSpec`, or (predictions, loss, train_op).
        model_dir: the folder of checkpoints and summaries; that of `config` by default, else a new temporary one.
        config: a `RunConfig`.
        params: a dict that is handed on to `model_fn`.
        feature_engineering_fn: of features and labels; returns others, which the model function gets.

    Raises:
        ValueError: if `params` are given and `model_fn` takes none, or the two folders differ.

    Example:
        >>> def model_fn(features, labels, mode):
        ...     y = tf.contrib.layers.linear(features["x"], 1)
        ...     loss = tf.losses.mean_squared_error(labels, y)
        ...     train = tf.contrib.layers.optimize_loss(loss, tf.train.get_global_step(), 0.1, "SGD")
        ...     return y, loss, train
        >>> tf.contrib.learn.Estimator(model_fn, "model").fit(input_fn=input_fn, steps=100)
    """

    def __init__(
        self,
        model_fn: Callable[..., Any] | None = None,
        model_dir: str | None = None,
        config: CoreRunConfig | None = None,
        params: Any = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(model_dir, config)
        if model_fn is not None:
            taken = fn_args(model_fn)
            if params is not None and "params" not in taken:
                raise ValueError(
                    f"Estimator's model_fn ({model_fn}) does not have a params argument, but params ({params}) were passed "
                    "to the Estimator's constructor."
                )
            if params is None and "params" in taken:
                tf_logging.warning(
                    "Estimator's model_fn (%s) includes params argument, but params are not passed to Estimator.",
                    model_fn,
                )
        self._model_fn: Any = model_fn
        self.params = params
        self._feature_engineering_fn = feature_engineering_fn

    def _call_model_fn(
        self, features: Any, labels: Any, mode: str, metrics: Any = None, config: Any = None
    ) -> ModelFnOps:
        if self._feature_engineering_fn is not None:
            features, labels = self._feature_engineering_fn(features, labels)
        known = {
            "mode": mode, "params": self.params, "config": config or self.config, "model_dir": self.model_dir,
        }  # fmt: skip
        taken = fn_args(self._model_fn)
        results = self._model_fn(features, labels, **{name: known[name] for name in _OPTIONAL if name in taken})
        ops = as_model_fn_ops(results, mode)
        if metrics:
            ops.eval_metric_ops.update(make_metrics_ops(metrics, features, labels, ops.predictions))
        return ops

    def export_savedmodel(
        self,
        export_dir_base: str,
        serving_input_fn: Callable[[], Any],
        default_output_alternative_key: str | None = None,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        graph_rewrite_specs: Sequence[Any] = (),
        strip_default_attrs: bool = False,
    ) -> bytes:
        """Writes the model as a SavedModel, into a folder named by the time.

        Args:
            export_dir_base: where that folder is made.
            serving_input_fn: returns an `InputFnOps`.
            default_output_alternative_key: the name of the head that serves where a request names none; needed where
                there are several.
            assets_extra: from path below `assets.extra` to the path of a file to copy there.
            as_text: whether to write the graph as text.
            checkpoint_path: the checkpoint; the newest by default.
            graph_rewrite_specs: `GraphRewriteSpec`s; of those the one for the serving tag, without transforms.
            strip_default_attrs: whether to leave out attributes with their default values.

        Returns:
            the path of the folder.

        Raises:
            ValueError: without `serving_input_fn`; NotFittedError: if there is no checkpoint.
            NotImplementedError: for transforms of the graph.
        """
        if serving_input_fn is None:
            raise ValueError("serving_input_fn must be defined.")
        return estimator_exports.export_savedmodel(
            self,
            export_dir_base,
            serving_input_fn,
            default_output_alternative_key,
            assets_extra,
            as_text,
            self._checkpoint(checkpoint_path),
            graph_rewrite_specs,
            strip_default_attrs,
        )
