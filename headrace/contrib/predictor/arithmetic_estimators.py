"""An estimator without variables, whose outputs are known: what programs try predictors with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.target_columns import ProblemType
from headrace.contrib.learn.estimator import Estimator as ContribEstimator
from headrace.contrib.learn.model_outputs import ModelFnOps
from headrace.contrib.learn.serving_inputs import InputFnOps
from headrace.core.dtypes import float32
from headrace.estimator.estimator import Estimator
from headrace.estimator.export.export import ServingInputReceiver
from headrace.estimator.model_fn import EstimatorSpec
from headrace.ops.array.constant import constant, placeholder_with_default
from headrace.ops.math.binary import add, multiply, subtract
from headrace.saved_model.export_output import PredictOutput
from headrace.saved_model.names import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from headrace.state.global_step import get_global_step

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def _outputs(features: Mapping[str, Tensor]) -> dict[str, Tensor]:
    x, y = features["x"], features["y"]
    return {
        "sum": add(x, y, name="sum"),
        "product": multiply(x, y, name="product"),
        "difference": subtract(x, y, name="difference"),
    }


def _model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
    outputs = _outputs(features)
    exports = {name: PredictOutput({name: tensor}) for name, tensor in outputs.items()}
    exports[DEFAULT_SERVING_SIGNATURE_DEF_KEY] = PredictOutput({"sum": outputs["sum"]})
    return EstimatorSpec(
        mode=mode,
        predictions=outputs,
        loss=constant(0.0),
        train_op=get_global_step().assign_add(1),
        export_outputs=exports,
    )


def _contrib_model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
    outputs = _outputs(features)
    return ModelFnOps(
        mode=mode,
        predictions=outputs,
        loss=constant(0.0),
        train_op=get_global_step().assign_add(1),
        output_alternatives={name: (ProblemType.UNSPECIFIED, {name: tensor}) for name, tensor in outputs.items()},
    )


def get_arithmetic_estimator(core: bool = True, model_dir: str | None = None) -> Any:
    """An estimator whose outputs are the sum, the product and the difference of its features `x` and `y`.

    Args:
        core: whether it is one of `tf.estimator` rather than of `tf.contrib.learn`.
        model_dir: its folder.
    """
    if core:
        return Estimator(model_fn=_model_fn, model_dir=model_dir)
    return ContribEstimator(model_fn=_contrib_model_fn, model_dir=model_dir)


def get_arithmetic_input_fn(core: bool = True, train: bool = False) -> Callable[[], Any]:
    """What gives that estimator its features.

    Args:
        core: whether it is for `tf.estimator` rather than `tf.contrib.learn`.
        train: whether it is for training: features and labels rather than what is fed.
    """

    def input_fn() -> Any:
        features = {name: placeholder_with_default(constant(1.0, float32), [], name=name) for name in ("x", "y")}
        if train:
            return features, None
        return ServingInputReceiver(features, features) if core else InputFnOps(features, None, features)

    return input_fn
