"""How a metric is computed of what a model gives: which prediction, label and weight its function takes, and how."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


# What the arguments of metrics' functions are called; the first of each is the name that is expected.
_LABELS = ("labels", "label", "targets", "target")
_PREDICTIONS = ("predictions", "prediction", "logits", "logit")
_WEIGHTS = ("weights", "weight")


class ModeKeys:
    """What a model function is called for."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"


class PredictionKey:
    """The usual names of a model's predictions."""

    CLASSES = "classes"
    PROBABILITIES = "probabilities"
    LOGITS = "logits"
    LOGISTIC = "logistic"
    SCORES = "scores"
    TOP_K = "top_k"
    GENERIC = "output"


class MetricSpec:
    """A metric's function, and the keys of the prediction, label and weight it is computed of.

    Args:
        metric_fn: a function of predictions, and labels and weights where it takes them, that returns a value or a
            (value, update operation). Its arguments are told by their names: `labels`, `label`, `targets` or `target`;
            `predictions`, `prediction`, `logits` or `logit`; `weights` or `weight`. Predictions are passed by position
            where no argument has such a name.
        prediction_key: the key of the prediction; None for a single one.
        label_key: the key of the label; None for a single one.
        weight_key: the key of the weights among the inputs; None for no weights.

    Raises:
        ValueError: if a key is given for which the function has no argument, or if it has two that would do.

    Example:
        >>> spec = MetricSpec(tf.contrib.metrics.streaming_accuracy, prediction_key="classes")
        >>> value, update = spec.create_metric_ops(None, labels, {"classes": tf.argmax(logits, 1)})
    """

    def __init__(
        self,
        metric_fn: Callable[..., Any],
        prediction_key: str | None = None,
        label_key: str | None = None,
        weight_key: str | None = None,
    ) -> None:
        self._metric_fn_name = _name_of(metric_fn)
        self._metric_fn = _taking_names(metric_fn, self._metric_fn_name, label_key is not None, weight_key is not None)
        self._prediction_key = prediction_key
        self._label_key = label_key
        self._weight_key = weight_key

    @property
    def prediction_key(self) -> str | None:
        """The key of the prediction."""
        return self._prediction_key

    @property
    def label_key(self) -> str | None:
        """The key of the label."""
        return self._label_key

    @property
    def weight_key(self) -> str | None:
        """The key of the weights."""
        return self._weight_key

    @property
    def metric_fn(self) -> Callable[..., Any]:
        """The function, with the arguments `labels`, `predictions` and `weights`, all by name."""
        return self._metric_fn

    def __str__(self) -> str:
        return (
            f"MetricSpec(metric_fn={self._metric_fn_name}, prediction_key={self.prediction_key}, "
            f"label_key={self.label_key}, weight_key={self.weight_key})"
        )

    def create_metric_ops(
        self, inputs: Tensor, labels: str | Tensor | Mapping[str, int | str], predictions: str | Mapping[str, int | str]
    ) -> Any:
        """The metric of what a model was given and gives.

        Args:
            inputs: a dict of tensors, read if there is a key of weights.
            labels: a tensor, or a dict of tensors.
            predictions: a tensor, or a dict of tensors.

        Returns:
            what the function returns.

        Raises:
            ValueError: for a key and no dict, or for no key and a dict of several.
            KeyError: if a dict does not have the key.
        """
        prediction = _chosen("prediction", predictions, self.prediction_key)
        label = _chosen("label", labels, self.label_key)
        try:
            weights = inputs[self.weight_key] if self.weight_key else None
            return self.metric_fn(labels=label, predictions=prediction, weights=weights)
        except Exception as error:
            tf_logging.error("Could not create metric ops for %s, %s.", self, error)
            raise


def _chosen(name: str, given: str | Tensor | Mapping[str, int | str], key: str | None) -> int | str | Tensor:
    """The tensor of a key, or the only one."""
    if key:
        if not isinstance(given, Mapping):
            raise ValueError(
                f"MetricSpec with {name}_key specified requires {name}s dict, got {given}. "
                f"Leave {name}_key out where there is one tensor of {name}s only."
            )
        if key not in given:
            raise KeyError(f"Key '{key}' missing from {list(given)}.")
        return given[key]
    if not isinstance(given, Mapping):
        return given
    if len(given) != 1:
        raise ValueError(
            f"MetricSpec without specified {name}_key requires {name}s tensor or single element dict, got {given}"
        )
    return next(iter(given.values()))


def _name_of(function: Callable[..., Any]) -> str:
    if isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", function))


def _arguments(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's arguments, without those that a `functools.partial` gives by name."""
    if isinstance(function, functools.partial):
        return tuple(name for name in _arguments(function.func) if name not in function.keywords)
    named = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(name for name, found in inspect.signature(function).parameters.items() if found.kind in named)


def _matching(name: str, arguments: tuple[str, ...], candidates: tuple[str, ...], required: bool) -> str | None:
    """The argument that has one of the names."""
    found = [argument for argument in arguments if argument in candidates]
    if len(found) > 1:
        raise ValueError(f"Ambiguous arguments {found}, must provide only one of {list(candidates)}.")
    if not found:
        if required:
            raise ValueError(f"{list(candidates)} missing from {name}({', '.join(arguments)}).")
        return None
    if found[0] != candidates[0]:
        tf_logging.warning("Canonical arg %s missing from %s(%s), using %s.", candidates[0], name, arguments, found[0])
    return found[0]


def _taking_names(
    function: Callable[..., Any], name: str, needs_labels: bool, needs_weights: bool
) -> Callable[..., Any]:
    """The function, with `labels`, `predictions` and `weights` by name."""
    arguments = _arguments(function)
    labels_name = _matching(name, arguments, _LABELS, needs_labels)
    predictions_name = _matching(name, arguments, _PREDICTIONS, False)
    weights_name = _matching(name, arguments, _WEIGHTS, needs_weights)

    def metric(
        _sentinel: int | None = None,
        labels: TensorLike | None = None,
        predictions: TensorLike | None = None,
        weights: TensorLike | None = None,
    ) -> list[int | str | None] | tuple[Tensor, Tensor]:
        if _sentinel is not None:
            raise ValueError("`metric_fn` requires named args: `labels`, `predictions`, and optionally `weights`.")
        placed: list[Any] = []
        named: dict[str, Any] = {}
        if predictions_name is not None:
            named[predictions_name] = predictions
        else:
            placed.append(predictions)
        if labels_name is not None:
            if predictions_name is None and labels_name == arguments[0]:
                placed.insert(0, labels)
            else:
                named[labels_name] = labels
        if weights is not None:
            if weights_name is None:
                raise TypeError(f"{name}() takes no weights; its arguments are {list(arguments)}.")
            named[weights_name] = weights
        return function(*placed, **named)

    return metric
