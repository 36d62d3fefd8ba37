"""Calling functions that make logits of features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headrace.core.tensor import Tensor
from headrace.util.inspection import fn_args


def call_logit_fn(logit_fn: Callable[..., Any], features: Any, mode: str, params: Any, config: Any) -> Any:
    """Calls a function of features that makes logits, with those arguments that it takes.

    Args:
        logit_fn: of `features` and, as it likes, `mode`, `params` and `config`.
        features, mode, params, config: what is handed on.

    Returns:
        a tensor, or a dict of them by name.

    Raises:
        ValueError: if it returns something else.

    Example:
        >>> def logit_fn(features, params):
        ...     return tf.layers.dense(features["x"], params["classes"])
        >>> tf.estimator.experimental.call_logit_fn(logit_fn, features, "train", {"classes": 3}, None).shape
        TensorShape([Dimension(8), Dimension(3)])
    """
    known = {"mode": mode, "params": params, "config": config}
    results = logit_fn(features=features, **{name: known[name] for name in fn_args(logit_fn) if name in known})
    single = isinstance(results, Tensor)
    by_name = isinstance(results, Mapping) and all(isinstance(each, Tensor) for each in results.values())
    if not (single or by_name):
        raise ValueError(
            f"logit_fn should return a Tensor or a dictionary mapping strings to Tensors. logit_fn returned: {results}"
        )
    return results
