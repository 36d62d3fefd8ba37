"""Estimators that hand on features, and optimizers that clip."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from headrace.core.tensor import Tensor
from headrace.estimator.estimator import Estimator
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec
from headrace.functions.sparse.building import sparse_tensor_to_dense
from headrace.ops.math.clip import clip_by_global_norm
from headrace.optimizers.optimizer import Optimizer
from headrace.saved_model import names
from headrace.saved_model.export_output import PredictOutput

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import TensorLike
    from headrace.estimator.run_config import RunConfig

# The signature under which the library's own models give all their predictions.
_PREDICT = "predict"
_BLAME = "Please check arguments of forward_features."


def forward_features(
    estimator: Estimator,
    keys: str | Sequence[str] | None = None,
    sparse_default_values: Mapping[str, Any] | None = None,
) -> Estimator:
    """An estimator whose predictions have features among them, such as a number by which examples are known.

    Args:
        estimator: the model.
        keys: the names of the features; all by default.
        sparse_default_values: from the name of a sparse feature to what stands where it has no value.

    Raises:
        TypeError: if `keys` are no names.

    Example:
        >>> estimator = tf.contrib.estimator.forward_features(estimator, "x")
        >>> next(estimator.predict(input_fn))["x"]
    """
    if keys is not None and not (isinstance(keys, (str, list, tuple))):
        raise TypeError(f"keys should be either a string or a list of strings. Given: {type(keys)}")
    wanted = [keys] if isinstance(keys, str) else keys
    for key in wanted or ():
        if not isinstance(key, str):
            raise TypeError(
                f"All items in the given keys list should be a string. There exist an item with type: {type(key)}"
            )

    def new_model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != ModeKeys.PREDICT:
            return spec
        forwarded = _forwarded(features, wanted, sparse_default_values or {}, spec.predictions)
        predictions = {**spec.predictions, **forwarded}
        outputs = dict(spec.export_outputs or {})
        for key in (names.DEFAULT_SERVING_SIGNATURE_DEF_KEY, _PREDICT):
            output = outputs.get(key)
            if isinstance(output, PredictOutput):
                outputs[key] = PredictOutput({**output.outputs, **forwarded})
        return spec._replace(predictions=predictions, export_outputs=outputs)

    return Estimator(model_fn=new_model_fn, model_dir=estimator.model_dir, config=estimator.config)


def _forwarded(
    features: Any, keys: Sequence[str] | None, defaults: Mapping[str, Any], predictions: Any
) -> dict[str, Any]:
    """The features to hand on, as dense tensors."""
    if not isinstance(predictions, Mapping):
        raise ValueError(f"Predictions should be a dict to be able to forward features. Given: {type(predictions)}")
    if not isinstance(features, Mapping):
        raise ValueError(f"Features should be a dict to be able to forward them. Given: {type(features)}")
    dense: dict[str, Any] = {}
    for key in features if keys is None else keys:
        if key not in features:
            raise ValueError(
                f'keys should be exist in features. Key "{key}" is not in features dict. features dict has following keys: '
                f"{features.keys()}. {_BLAME}"
            )
        if key in predictions:
            raise ValueError(
                f"Cannot forward feature key ({key}). Since it does exist in predictions. Existing prediction keys: "
                f"{predictions.keys()}. {_BLAME}"
            )
        feature = convert_to_tensor_or_sparse_tensor(features[key])
        if key in defaults:
            if not isinstance(feature, SparseTensor):
                raise ValueError(
                    f"Feature ({key}) is expected to be a `SparseTensor`, because `sparse_default_values` names it. Given: "
                    f"{type(feature)}."
                )
            feature = sparse_tensor_to_dense(feature, default_value=defaults[key])
        if not isinstance(feature, Tensor):
            raise ValueError(
                f"Feature ({key}) should be a Tensor. Please use `keys` argument of forward_features to filter unwanted "
                f"features, or add key to argument `sparse_default_values`. Type of features[{key}] is {type(feature)}."
            )
        dense[key] = feature
    return dense


class _ClippingOptimizer(Optimizer):
    """Clips the gradients of another optimizer by their global norm, as it applies them."""

    def __init__(self, optimizer: Optimizer, clip_norm: Any) -> None:
        super().__init__(False, f"ClipByNorm{optimizer.get_name()}")
        self._optimizer, self._clip_norm = optimizer, clip_norm

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """The optimizer's own."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Iterable[Any], global_step: TensorLike | None = None, name: str | None = None
    ) -> Operation | Tensor:
        """The optimizer's own, of clipped gradients."""
        gradients, variables = zip(*grads_and_vars, strict=True)
        clipped, _ = clip_by_global_norm(gradients, self._clip_norm)
        return self._optimizer.apply_gradients(zip(clipped, variables, strict=True), global_step, name)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's own."""
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """The optimizer's own."""
        return self._optimizer.get_slot_names(*args, **kwargs)


def clip_gradients_by_norm(optimizer: Optimizer, clip_norm: Any) -> Optimizer:
    """An optimizer that clips all gradients by their global norm before it applies them.

    Args:
        optimizer: the optimizer.
        clip_norm: the greatest norm, a number or a scalar.

    Example:
        >>> optimizer = tf.contrib.estimator.clip_gradients_by_norm(tf.train.AdamOptimizer(), clip_norm=5.0)
        >>> train_op = optimizer.minimize(loss)
    """
    return _ClippingOptimizer(optimizer, clip_norm)
