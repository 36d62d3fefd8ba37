"""Exports for training and evaluation as well as for serving."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.core.graph import Graph
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.estimator.export.export import SupervisedInputReceiver, build_raw_supervised_input_receiver_fn
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.util import parse_input_fn_result
from headrace.ops.array.constant import placeholder

if TYPE_CHECKING:
    from headrace.estimator.estimator import Estimator


def export_saved_model_for_mode(
    estimator: Estimator,
    export_dir_base: str,
    input_receiver_fn: Callable[[], Any],
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    checkpoint_path: str | None = None,
    mode: str = ModeKeys.PREDICT,
) -> bytes:
    """Writes the model for one mode as a SavedModel; arguments and result as of `Estimator.export_saved_model`.

    Args:
        estimator: the model.
        export_dir_base, assets_extra, as_text, checkpoint_path: as there.
        input_receiver_fn: as there; for training and evaluation it returns a `SupervisedInputReceiver`.
        mode: the mode.
    """
    return estimator.experimental_export_all_saved_models(
        export_dir_base, {mode: input_receiver_fn}, assets_extra, as_text, checkpoint_path
    )


def export_all_saved_models(
    estimator: Estimator,
    export_dir_base: str,
    input_receiver_fn_map: Mapping[str, Callable[[], Any]],
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    checkpoint_path: str | None = None,
) -> bytes:
    """`Estimator.experimental_export_all_saved_models` as a function.

    Args:
        estimator: the model.
        export_dir_base, input_receiver_fn_map, assets_extra, as_text, checkpoint_path: as there.

    Example:
        >>> supervised_receiver_fn = tf.contrib.estimator.build_supervised_input_receiver_fn_from_input_fn(input_fn)
        >>> receivers = {"train": supervised_receiver_fn, "infer": serving_input_receiver_fn}
        >>> path = tf.contrib.estimator.export_all_saved_models(estimator, "export", receivers)
    """
    return estimator.experimental_export_all_saved_models(
        export_dir_base, input_receiver_fn_map, assets_extra, as_text, checkpoint_path
    )


def _placeholders_like(values: Any, tensor_like: Callable[[Tensor], Tensor]) -> Any:
    if isinstance(values, Mapping):
        return {key: tensor_like(value) for key, value in values.items()}
    return tensor_like(values)


def build_supervised_input_receiver_fn_from_input_fn(
    input_fn: Callable[..., Any], **input_fn_args: Any
) -> Callable[[], SupervisedInputReceiver]:
    """A function that makes a receiver of features and labels like those of an input function.

    Args:
        input_fn: the input function.
        **input_fn_args: its arguments.

    Example:
        >>> receiver_fn = tf.contrib.estimator.build_supervised_input_receiver_fn_from_input_fn(input_fn)
    """
    with Graph().as_default():
        features, labels, _ = parse_input_fn_result(input_fn(**input_fn_args))

    def like(tensor: Tensor) -> Tensor:
        rows = TensorShape([None, *tensor.shape.as_list()[1:]]) if tensor.shape.ndims else tensor.shape
        return placeholder(tensor.dtype, rows, name=tensor.op.name)

    # The input function ran in a graph that goes away: what is kept are placeholders without what feeds its tensors.
    with Graph().as_default():
        return build_raw_supervised_input_receiver_fn(
            _placeholders_like(features, like), _placeholders_like(labels, like)
        )
