"""Weights of samples, those that follow from classes included, and when a model takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.dtypes import as_dtype
from headrace.core.registry import raw
from headrace.core.shapes import as_shape
from headrace.core.tensor import Tensor
from headrace.keras.engine.training_input_checks import check_keys, is_tensor
from headrace.ops.array.constant import constant
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.keras.engine.training_endpoints import TrainingEndpoint


def prepare_sample_weight_modes(endpoints: Sequence[TrainingEndpoint], sample_weight_mode: Any) -> None:
    """Tells each output of a model whether its samples are weighted one by one or step by step.

    Args:
        endpoints: the outputs with their losses.
        sample_weight_mode: None, "temporal", or a list or dict of them for several outputs.

    Raises:
        ValueError: if a list or dict does not fit the outputs.
    """
    names = [endpoint.output_name for endpoint in endpoints]
    if isinstance(sample_weight_mode, Mapping):
        check_keys(sample_weight_mode, names, "sample_weight_mode")
        for endpoint in endpoints:
            if endpoint.should_skip_target_weights():
                continue
            if endpoint.output_name not in sample_weight_mode:
                raise ValueError(f"Output {endpoint.output_name} missing from `_sample_weight_modes` dictionary")
            endpoint.sample_weight_mode = sample_weight_mode[endpoint.output_name]
    elif isinstance(sample_weight_mode, (list, tuple)):
        if len(sample_weight_mode) != len(endpoints):
            raise ValueError(
                "When passing a list as sample_weight_mode, it should have one entry per model output. The model has "
                f"{len(endpoints)} outputs, but you passed {len(sample_weight_mode)} _sample_weight_modes."
            )
        for mode, endpoint in zip(sample_weight_mode, endpoints):
            if not endpoint.should_skip_target_weights():
                endpoint.sample_weight_mode = mode
    else:
        for endpoint in endpoints:
            if not endpoint.should_skip_target_weights():
                endpoint.sample_weight_mode = sample_weight_mode


def _check_rank(y: Any, sample_weight: Any, sample_weight_mode: str | None) -> None:
    if sample_weight_mode not in (None, "samplewise", "temporal"):
        raise ValueError(f'"sample_weight_mode should be None or "temporal". Found: {sample_weight_mode}')
    rank = None if sample_weight is None else len(sample_weight.shape)
    if sample_weight_mode == "temporal":
        if len(y.shape) < 3:
            raise ValueError(
                f"Found a sample_weight array for an input with shape {y.shape}. Timestep-wise sample weighting (use of "
                'sample_weight_mode="temporal") is restricted to outputs that are at least 3D, i.e. that have a time '
                "dimension."
            )
        if rank is not None and rank != 2:
            raise ValueError(
                f"Found a sample_weight array with shape {sample_weight.shape}. In order to use timestep-wise sample "
                "weighting, you should pass a 2D sample_weight array."
            )
    elif rank is not None and rank != 1:
        raise ValueError(
            f"Found a sample_weight array with shape {sample_weight.shape}. In order to use timestep-wise sample weights, "
            f'you should specify sample_weight_mode="temporal" in compile(); found "{sample_weight_mode}" instead. If you '
            "just mean to use sample-wise weights, make sure your sample_weight array is 1D."
        )
    if sample_weight is None:
        return
    if rank is not None and rank > len(y.shape):
        raise ValueError(
            f"Found a sample_weight with shape {sample_weight.shape}. Expected sample_weight with rank less than or equal "
            f"to {len(y.shape)}"
        )
    known = as_shape(y.shape)[:rank].is_compatible_with(sample_weight.shape) if not is_tensor(sample_weight) else True
    if not known:
        raise ValueError(
            f"Found a sample_weight array with shape {sample_weight.shape} for an input with shape {y.shape}. "
            "sample_weight cannot be broadcast."
        )


def _of_classes(y: Any, class_weight: Mapping[int, float]) -> Any:
    """The weight of each sample by its class: a number, or the place of the largest entry of a row."""
    if len(y.shape) > 2:
        raise ValueError("`class_weight` not supported for 3+ dimensional targets.")
    if isinstance(y, Tensor):
        return _of_class_tensor(y, class_weight)
    classes = y
    if len(y.shape) == 2:
        classes = np.argmax(y, axis=1) if y.shape[1] > 1 else np.reshape(y, y.shape[0])
    missing = set(np.unique(classes).tolist()) - set(class_weight)
    if missing:
        raise ValueError(
            f"`class_weight` must contain all classes in the data. The classes {missing} exist in the data but not in "
            "`class_weight`."
        )
    return np.asarray([class_weight[one] for one in classes.tolist()])


def _of_class_tensor(y: Tensor, class_weight: Mapping[int, float]) -> Tensor:
    largest = max(class_weight)
    # A class without a weight shows as a NaN loss, since the tensor has no values to look at.
    table = [class_weight.get(number, float("nan")) for number in range(int(largest) + 1)]
    if len(y.shape) == 2:
        y = raw.ArgMax(y, 1) if y.shape[1] is None or int(y.shape[1]) > 1 else raw.Squeeze(y, squeeze_dims=[1])
    return raw.GatherV2(constant(table, as_dtype("float32")), cast(y, as_dtype("int64")), 0)


def standardize_weights(
    y: Any, sample_weight: Any = None, class_weight: Any = None, sample_weight_mode: str | None = None
) -> Any:
    """The weights of the samples of a target: those given times those of their classes.

    Args:
        y: the target.
        sample_weight: a weight for each sample, or for each step of each in the mode "temporal".
        class_weight: a weight for each class.
        sample_weight_mode: None or "temporal".

    Returns:
        an array or a tensor, None where there are no weights.

    Raises:
        ValueError: if the weights do not fit the target.
    """
    if isinstance(sample_weight, tuple):
        sample_weight = sample_weight[0]
    if type(sample_weight).__name__ == "Series":
        sample_weight = sample_weight.values
    if y is None:
        return sample_weight
    if sample_weight is not None or sample_weight_mode is not None:
        _check_rank(y, sample_weight, sample_weight_mode)
    of_classes = _of_classes(y, class_weight) if isinstance(class_weight, Mapping) else None
    if of_classes is None:
        return sample_weight
    return of_classes if sample_weight is None else sample_weight * of_classes
