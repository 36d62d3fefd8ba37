"""Layers without weights that give tensors another form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.arg_scope import add_arg_scope
from headrace.contrib.layers import utils
from headrace.contrib.layers.scoped import check_data_format, model_variable_getter, parameter
from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import float32, int32, int64
from headrace.functions.array.gather import gather_nd
from headrace.functions.array.tile import meshgrid
from headrace.functions.flow.rank_checks import assert_rank_at_least
from headrace.functions.math.reduction import reduce_max, reduce_prod, reduce_sum
from headrace.kernels.composing.arranging import concat, transpose
from headrace.kernels.composing.shapes import shape
from headrace.layers.classic import core
from headrace.ops.array.constant import constant
from headrace.ops.array.range import lin_space
from headrace.ops.array.shape import reshape
from headrace.ops.array.slice import strided_slice
from headrace.ops.array.where import one_hot, where
from headrace.ops.math.cast import to_int64
from headrace.ops.math.comparison import not_equal
from headrace.ops.nn import softmax as softmaxes
from headrace.ops.sparse.reshape import sparse_reshape
from headrace.state.initializers import constant_initializer, ones_initializer
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import CollectionNames, TensorLike
    from headrace.state.current_scope import VariableScope


@add_arg_scope
def dropout(
    inputs: TensorLike,
    keep_prob: float = 0.5,
    noise_shape: Any = None,
    is_training: bool = True,
    outputs_collections: CollectionNames | None = None,
    scope: str | None = None,
    seed: int | None = None,
) -> Tensor:
    """Sets elements to 0 at random in training and scales up the others (Srivastava et al., JMLR 15, 2014).

    Args:
        inputs: a tensor.
        keep_prob: the share of elements to keep.
        noise_shape: the shape of the choices, which are broadcast.
        is_training: a bool or a bool tensor.
        outputs_collections: collections for the outputs.
        scope: the name of the variable scope.
        seed: a seed of the choices.
    """
    with variable_scope(scope, "Dropout", [inputs], custom_getter=model_variable_getter) as opened:
        inputs = convert_to_tensor(inputs)
        layer = core.Dropout(rate=1 - keep_prob, noise_shape=noise_shape, seed=seed, name=opened.name, _scope=opened)
        outputs = layer.apply(inputs, training=is_training)
        return utils.collect_named_outputs(outputs_collections, opened.name, outputs)


@add_arg_scope
def flatten(inputs: TensorLike, outputs_collections: CollectionNames | None = None, scope: Any = None) -> Tensor:
    """Makes one axis of all but the batch's.

    Args:
        inputs: a tensor [batch, ...].
        outputs_collections: collections for the outputs.
        scope: a name scope.
    """
    with name_scope(scope, "Flatten", [inputs]) as opened:
        outputs = core.flatten(convert_to_tensor(inputs))
        return utils.collect_named_outputs(outputs_collections, opened, outputs)


@add_arg_scope
def _inner_flatten(
    inputs: SparseTensor | Tensor, new_rank: int, output_collections: Any = None, scope: Any = None
) -> SparseTensor | Tensor:
    """Makes one axis of the last ones so that `new_rank` axes are left; dense or sparse."""
    with name_scope(scope, "InnerFlatten", [inputs, new_rank]) as opened:
        if isinstance(inputs, SparseTensor):
            flattened: SparseTensor | Tensor = _sparse_inner_flatten(inputs, new_rank)
        else:
            flattened = _dense_inner_flatten(convert_to_tensor(inputs), new_rank)
    return utils.collect_named_outputs(output_collections, opened, flattened)


def _sparse_inner_flatten(inputs: SparseTensor, new_rank: int) -> SparseTensor:
    rank = inputs.dense_shape.shape[0].value
    if rank is None or rank < new_rank:
        raise ValueError(
            f"Inputs has rank less than new_rank. {inputs} must have rank at least {new_rank}. Received rank {rank}, "
            f"shape {inputs.get_shape()}"
        )
    outer, inner = inputs.dense_shape[: new_rank - 1], inputs.dense_shape[new_rank - 1 :]
    return sparse_reshape(inputs, concat((outer, [reduce_prod(inner)]), 0))


def _dense_inner_flatten(inputs: Tensor, new_rank: int) -> Tensor:
    checked = assert_rank_at_least(inputs, new_rank, message="inputs has rank less than new_rank")
    with control_dependencies([checked]):
        outer = strided_slice(shape(inputs), [0], [new_rank - 1])
        reshaped = reshape(inputs, concat((outer, [-1]), 0))
    if isinstance(new_rank, int) and inputs.shape.ndims is not None:
        sizes = inputs.shape.as_list()
        total: int | None = 1
        for size in sizes[new_rank - 1 :]:
            total = None if size is None or total is None else total * size
        reshaped.set_shape([*sizes[: new_rank - 1], total])
    return reshaped


@add_arg_scope
def dense_to_sparse(
    tensor: TensorLike,
    eos_token: Any = 0,
    outputs_collections: CollectionNames | None = None,
    scope: str | VariableScope | None = None,
) -> Any:
    """The elements of a tensor that are not `eos_token`, as a `SparseTensor`.

    Args:
        tensor: a tensor.
        eos_token: the value to leave out.
        outputs_collections: collections for the outputs.
        scope: the name of the variable scope.
    """
    with variable_scope(scope, "dense_to_sparse", [tensor]) as opened:
        tensor = convert_to_tensor(tensor)
        indices = where(not_equal(tensor, constant(eos_token, tensor.dtype)))
        values = gather_nd(tensor, indices)
        outputs = SparseTensor(indices, values, shape(tensor, out_type=int64))
        return utils.collect_named_outputs(outputs_collections, opened.name, outputs)


@add_arg_scope
def one_hot_encoding(
    labels: TensorLike,
    num_classes: int,
    on_value: TensorLike = 1.0,
    off_value: TensorLike = 0.0,
    outputs_collections: CollectionNames | None = None,
    scope: Any = None,
) -> Tensor:
    """Vectors with `on_value` at the places that labels name.

    Args:
        labels: ints.
        num_classes: the length of the vectors.
        on_value, off_value: the values there and elsewhere.
        outputs_collections: collections for the outputs.
        scope: a name scope.
    """
    with name_scope(scope, "OneHotEncoding", [labels, num_classes]) as opened:
        labels = convert_to_tensor(labels)
        if labels.dtype == int32:
            labels = to_int64(labels)
        outputs = one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return utils.collect_named_outputs(outputs_collections, opened, outputs)


@add_arg_scope
def images_to_sequence(
    inputs: TensorLike, data_format: str = "NHWC", outputs_collections: CollectionNames | None = None, scope: Any = None
) -> Tensor:
    """Images as sequences of their columns, [width, batch * height, channels].

    Args:
        inputs: images of a known width and number of channels.
        data_format: "NHWC" or "NCHW".
        outputs_collections: collections for the outputs.
        scope: a name scope.
    """
    layout = check_data_format(data_format)
    with name_scope(scope, "ImagesToSequence", [inputs]) as opened:
        inputs = convert_to_tensor(inputs)
        if layout == "channels_first":
            inputs = transpose(inputs, [0, 2, 3, 1])
        _, _, width, depth = inputs.shape.as_list()
        sizes = shape(inputs)
        batch, height = sizes[0], sizes[1]
        outputs = reshape(transpose(inputs, [2, 0, 1, 3]), [width, batch * height, depth])
        return utils.collect_named_outputs(outputs_collections, opened, outputs)


@add_arg_scope
def sequence_to_images(
    inputs: TensorLike,
    height: int,
    output_data_format: str = "channels_last",
    outputs_collections: CollectionNames | None = None,
    scope: Any = None,
) -> Tensor:
    """The images that `images_to_sequence` made sequences of.

    Args:
        inputs: [width, batch * height, channels].
        height: that of the images.
        output_data_format: "channels_last" or "channels_first".
        outputs_collections: collections for the outputs.
        scope: a name scope.
    """
    with name_scope(scope, "SequenceToImages", [inputs]) as opened:
        inputs = convert_to_tensor(inputs)
        width, rows, depth = inputs.shape.as_list()
        images = reshape(inputs, [width, -1 if rows is None else rows // height, height, depth])
        first = output_data_format == "channels_first"
        outputs = transpose(images, [1, 3, 2, 0] if first else [1, 2, 0, 3])
        return utils.collect_named_outputs(outputs_collections, opened, outputs)


@add_arg_scope
def softmax(logits: Tensor, scope: str | None = None) -> Tensor:
    """Softmax over the last axis, of any rank from 2 on.

    Args:
        logits: floats, the last size known.
        scope: the name of the variable scope.
    """
    with variable_scope(scope, "softmax", [logits]):
        classes = utils.last_dimension(logits.shape, min_rank=2)
        predictions = softmaxes.softmax(reshape(logits, [-1, classes]))
        predictions = reshape(predictions, shape(logits))
        predictions.set_shape(logits.shape)
        return predictions


@add_arg_scope
def maxout(inputs: TensorLike, num_units: int, axis: int = -1, scope: str | VariableScope | None = None) -> Tensor:
    """The largest of each group of channels (https://arxiv.org/abs/1302.4389).

    Args:
        inputs: a tensor.
        num_units: the number of groups, which divides the size of `axis`.
        axis: the axis of the channels.
        scope: the name of the variable scope.

    Raises:
        ValueError: if the groups do not divide the channels.
    """
    with variable_scope(scope, "MaxOut", [inputs]):
        inputs = convert_to_tensor(inputs)
        sizes: list[Any] = inputs.shape.as_list()
        channels = sizes[axis]
        if channels % num_units:
            raise ValueError(f"number of features({channels}) is not a multiple of num_units({num_units})")
        sizes[axis] = num_units
        sizes.append(channels // num_units)
        sizes = [shape(inputs)[i] if size is None else size for i, size in enumerate(sizes)]
        return reduce_max(reshape(inputs, sizes), -1, keepdims=False)


@add_arg_scope
def spatial_softmax(
    features: Tensor,
    temperature: TensorLike | None = None,
    name: str | None = None,
    variables_collections: CollectionNames | Mapping[str, Any] | None = None,
    trainable: bool = True,
    data_format: str = "NHWC",
) -> Tensor:
    """The expected place of each channel's activation, from -1 to 1 along both axes.

    Levine, Finn, Darrell and Abbeel, "End-to-end training of deep visuomotor policies", arXiv:1504.00702.

    Args:
        features: images of a known number of channels.
        temperature: the first value of the variable "temperature" that divides them; 1 by default.
        name: the name of the variable scope.
        variables_collections: collections for the temperature.
        trainable: whether optimizers train the temperature.
        data_format: "NHWC" or "NCHW".

    Returns:
        [batch, 2 * channels], two coordinates for each channel.

    Raises:
        ValueError: for another layout, or if the number of channels is not known.
    """
    with variable_scope(name, "spatial_softmax"):
        sizes = shape(features)
        known = convert_to_tensor(features).shape
        if check_data_format(data_format) == "channels_last":
            height, width, channels = sizes[1], sizes[2], known[3].value
        else:
            channels, height, width = known[1].value, sizes[2], sizes[3]
        if channels is None:
            raise ValueError(
                "The num_channels dimension of the inputs to `spatial_softmax` should be defined. Found `None`."
            )
        with name_scope("spatial_softmax_op", "spatial_softmax_op", [features]):
            x, y = meshgrid(lin_space(-1.0, 1.0, num=height), lin_space(-1.0, 1.0, num=width), indexing="ij")
            x, y = reshape(x, [height * width]), reshape(y, [height * width])
            start = ones_initializer() if temperature is None else constant_initializer(temperature)
            factor = parameter(
                "temperature", (), float32, start, variables_collections if trainable else None, trainable
            )
            if data_format == "NHWC":
                features = transpose(features, [0, 3, 1, 2])
            features = reshape(features, [-1, height * width])
            attention = softmaxes.softmax(features / factor)
            expected_x = reduce_sum(x * attention, [1], keepdims=True)
            expected_y = reduce_sum(y * attention, [1], keepdims=True)
            points = reshape(concat([expected_x, expected_y], 1), [-1, channels * 2])
            points.set_shape([None, channels * 2])
    return points
