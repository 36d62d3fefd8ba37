"""Layers that make one tensor of several, and the functions that apply them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import bool as bool_type
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.functions.math.reduction import reduce_all, reduce_prod
from headrace.functions.nn.moments import l2_normalize
from headrace.keras.backend.products import batch_dot
from headrace.kernels.composing.arranging import concat, transpose
from headrace.kernels.composing.filling import ones_like
from headrace.kernels.composing.shapes import expand_dims, shape
from headrace.layers.engine import Layer
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


Sizes = tuple["int | None", ...]


def _sizes_of(shapes: Any) -> Any:
    """A shape, or a list of shapes, as tuples."""
    if isinstance(shapes, TensorShape):
        return tuple(shapes.as_list())
    if isinstance(shapes, (list, tuple)) and any(isinstance(item, (list, tuple, TensorShape)) for item in shapes):
        return type(shapes)(_sizes_or_none(TensorShape(item)) for item in shapes)
    return shapes


def _sizes_or_none(known: TensorShape) -> Sizes | None:
    return None if known.ndims is None else tuple(known.as_list())


def _are_several(shapes: Any) -> bool:
    return isinstance(shapes, list) and bool(shapes) and isinstance(shapes[0], tuple)


def _check_masks(inputs: Any, mask: Any) -> None:
    if not isinstance(mask, list):
        raise ValueError("`mask` should be a list.")
    if not isinstance(inputs, list):
        raise ValueError("`inputs` should be a list.")
    if len(mask) != len(inputs):
        raise ValueError("The lists `inputs` and `mask` should have the same length.")


def _broadcast(first: Sizes | None, second: Sizes | None) -> Sizes | None:
    """The shape of what is computed elementwise of tensors of two shapes; None if either is unknown."""
    if first is None or second is None:
        return None
    if len(first) < len(second):
        first, second = second, first
    if not second:
        return first
    sizes = list(first[: -len(second)])
    for i, j in zip(first[-len(second) :], second):
        if i is None or j is None:
            sizes.append(None)
        elif i == 1 or j == 1 or i == j:
            sizes.append(j if i == 1 else i)
        else:
            raise ValueError(f"Operands could not be broadcast together with shapes {first} {second}")
    return tuple(sizes)


class Merge(Layer):
    """What the layers that combine tensors element by element share: their inputs are brought to one rank."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def _merge_function(self, inputs: Any) -> Any:
        """What is made of the inputs, which can be broadcast."""
        raise NotImplementedError

    def _merged_sizes(self, shapes: list[Sizes]) -> Sizes | None:
        """The shape of what is made of inputs of these shapes, without the batch's axis."""
        merged: Sizes | None = None if shapes[0] is None else shapes[0][1:]
        for other in shapes[1:]:
            merged = _broadcast(merged, None if other is None else other[1:])
        return merged

    def build(self, input_shape: Any) -> None:
        """Sees whether the inputs can be broadcast."""
        shapes = _sizes_of(input_shape)
        if not _are_several(shapes):
            raise ValueError("A merge layer should be called on a list of inputs.")
        if len(shapes) < 2:
            raise ValueError(
                f"A merge layer should be called on a list of at least 2 inputs. Got {len(shapes)} inputs."
            )
        if () in shapes:
            raise IndexError(f"A merge layer merges along the axes behind the batch's, and got numbers: {shapes}.")
        if len({sizes[0] for sizes in shapes if sizes} - {None}) > 1:
            raise ValueError(f"Can not merge tensors with different batch sizes. Got tensors with shapes : {shapes}")
        self._merged_sizes(shapes)
        # Inputs of one rank are broadcast as they are.
        self._reshape_required = None in shapes or len({len(sizes) for sizes in shapes}) > 1
        self.built = True

    def call(self, inputs: Any) -> Any:
        """What is made of the inputs."""
        if not isinstance(inputs, list):
            raise ValueError("A merge layer should be called on a list of inputs.")
        if not self._reshape_required:
            return self._merge_function(inputs)
        ranks = [tensor.shape.ndims for tensor in inputs]
        if None not in ranks:
            most = max(ranks)
            aligned = []
            for tensor in inputs:
                for _ in range(most - tensor.shape.ndims):
                    tensor = expand_dims(tensor, 1)
                aligned.append(tensor)
            return self._merge_function(aligned)
        return self._merged_by_last_axes(inputs)

    def _merged_by_last_axes(self, inputs: list[Any]) -> Any:
        """For inputs of unknown rank: with the batch's axis last, where broadcasting lines axes up."""
        moved = False
        rotated = []
        for tensor in inputs:
            rank = tensor.shape.ndims
            if rank is None:
                sizes = shape(tensor)
                turned = concat([sizes[1:], expand_dims(sizes[0], 0)], 0)
                flat = reshape(tensor, raw.Pack([sizes[0], reduce_prod(sizes[1:])], axis=0))
                rotated.append(reshape(transpose(flat, perm=(1, 0)), turned))
                moved = True
            elif rank > 1:
                rotated.append(transpose(tensor, perm=[*range(1, rank), 0]))
                moved = True
            else:
                rotated.append(tensor)
        merged = self._merge_function(rotated)
        if not moved:
            return merged
        rank = merged.shape.ndims
        if rank is None:
            sizes = shape(merged)
            count = shape(sizes)[0]
            turned = concat([expand_dims(sizes[count - 1], 0), sizes[: count - 1]], 0)
            flat = reshape(merged, raw.Pack([-1, sizes[count - 1]], axis=0))
            return reshape(transpose(flat, perm=(1, 0)), turned)
        return transpose(merged, perm=[rank - 1, *range(rank - 1)]) if rank > 1 else merged

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the inputs, broadcast."""
        shapes = _sizes_of(input_shape)
        merged = self._merged_sizes(shapes)
        if merged is None:
            return TensorShape(None)
        batches = {sizes[0] for sizes in shapes if sizes is not None} - {None}
        return TensorShape([batches.pop() if len(batches) == 1 else None, *merged])

    def compute_mask(self, inputs: Any, mask: Any = None) -> Tensor | None:
        """Where no input is masked."""
        if mask is None:
            return None
        _check_masks(inputs, mask)
        known = [expand_dims(cast(each, bool_type), axis=0) for each in mask if each is not None]
        return reduce_all(concat(known, 0), axis=0, keepdims=False) if known else None


class Add(Merge):
    """The sum of a list of inputs.

    Example:
        >>> y = tf.keras.layers.Add()([x, 2.0 * x])
    """

    def _merge_function(self, inputs: list[Any]) -> Any:
        return functools.reduce(lambda a, b: a + b, inputs)


class Subtract(Merge):
    """The first of two inputs less the second."""

    def build(self, input_shape: Any) -> None:
        """Sees whether there are two inputs that can be broadcast."""
        super().build(input_shape)
        if len(input_shape) != 2:
            raise ValueError("A `Subtract` layer should be called on exactly 2 inputs")

    def _merge_function(self, inputs: list[Any]) -> Any:
        if len(inputs) != 2:
            raise ValueError("A `Subtract` layer should be called on exactly 2 inputs")
        return inputs[0] - inputs[1]


class Multiply(Merge):
    """The product of a list of inputs, element by element."""

    def _merge_function(self, inputs: list[Any]) -> Any:
        return functools.reduce(lambda a, b: a * b, inputs)


class Average(Merge):
    """The mean of a list of inputs, element by element."""

    def _merge_function(self, inputs: list[Any]) -> Any:
        return functools.reduce(lambda a, b: a + b, inputs) / len(inputs)


class Maximum(Merge):
    """The largest of a list of inputs, element by element."""

    def _merge_function(self, inputs: list[Any]) -> Any:
        return functools.reduce(lambda a, b: raw.Maximum(a, b), inputs)


class Minimum(Merge):
    """The smallest of a list of inputs, element by element."""

    def _merge_function(self, inputs: list[Any]) -> Any:
        return functools.reduce(lambda a, b: raw.Minimum(a, b), inputs)


class Concatenate(Merge):
    """Joins a list of inputs along an axis.

    Args:
        axis: the axis along which they may differ.
    """

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis
        self._reshape_required = False

    def build(self, input_shape: Any) -> None:
        """Sees whether the inputs have the same sizes along the other axes."""
        shapes = _sizes_of(input_shape)
        if not _are_several(shapes) or len(shapes) < 2:
            raise ValueError("A `Concatenate` layer should be called on a list of at least 2 inputs")
        if not all(sizes is None for sizes in shapes):
            others = set()
            for sizes in shapes:
                rest = list(sizes)
                del rest[self.axis]
                others.add(tuple(rest))
            if len(others) > 1:
                raise ValueError(
                    "A `Concatenate` layer requires inputs with matching shapes except for the concat axis. Got inputs "
                    f"shapes: {shapes}"
                )
        self.built = True

    def _merge_function(self, inputs: list[Any]) -> Any:
        rank = inputs[0].shape.ndims
        return concat(inputs, self.axis if self.axis >= 0 or not rank else self.axis % rank)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the first input, with the sum of the sizes along the axis."""
        shapes = _sizes_of(input_shape)
        if not _are_several(shapes):
            raise ValueError("A `Concatenate` layer should be called on a list of inputs.")
        sizes = list(shapes[0])
        for other in shapes[1:]:
            mine, more = sizes[self.axis], other[self.axis]
            sizes[self.axis] = None if mine is None or more is None else mine + more
        return TensorShape(sizes)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Tensor | None:
        """The masks of the inputs, joined."""
        if mask is None:
            return None
        _check_masks(inputs, mask)
        if all(each is None for each in mask):
            return None
        masks = []
        for tensor, each in zip(inputs, mask):
            if each is None:
                masks.append(ones_like(tensor, dtype=bool_type))
            else:
                flags = cast(each, bool_type)
                masks.append(expand_dims(flags, -1) if flags.shape.ndims < tensor.shape.ndims else flags)
        return reduce_all(self._merge_function(masks), axis=-1, keepdims=False)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "axis": self.axis}


class Dot(Merge):
    """The products of the examples of two inputs, summed along an axis of each.

    Args:
        axes: that axis, or the axis of the first and of the second input.
        normalize: whether to scale the inputs along the axis to length 1 before, which gives cosines.

    Raises:
        TypeError: if `axes` is neither an int nor a list; ValueError: if it holds other than two ints.

    Example:
        >>> cosine = tf.keras.layers.Dot(axes=1, normalize=True)([x, 2.0 * x])
    """

    def __init__(self, axes: int | Sequence[int], normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(axes, int):
            if not isinstance(axes, (list, tuple)):
                raise TypeError("Invalid type for `axes` - should be a list or an int.")
            if len(axes) != 2:
                raise ValueError("Invalid format for `axes` - should contain two elements.")
            if not all(isinstance(axis, int) for axis in axes):
                raise ValueError('Invalid format for `axes` - list elements should be "int".')
        self.axes = axes
        self.normalize = normalize
        self._reshape_required = False

    def _axes_for(self, ranks: Sequence[int]) -> list[int]:
        """The axis of each input, counted from the first."""
        axes = [self.axes] * 2 if isinstance(self.axes, int) else list(self.axes)
        return [axis % rank if axis < 0 else axis for axis, rank in zip(axes, ranks)]

    def build(self, input_shape: Any) -> None:
        """Sees whether the sizes along the axes are the same."""
        shapes = _sizes_of(input_shape)
        if not _are_several(shapes) or len(shapes) != 2:
            raise ValueError("A `Dot` layer should be called on a list of 2 inputs.")
        first, second = shapes
        if first is not None and second is not None:
            axes = self._axes_for([len(first), len(second)])
            if first[axes[0]] != second[axes[1]]:
                raise ValueError(
                    f"Dimension incompatibility {first[axes[0]]} != {second[axes[1]]}. Layer shapes: {first}, {second}"
                )
        self.built = True

    def _merge_function(self, inputs: Any) -> Any:
        if len(inputs) != 2:
            raise ValueError("A `Dot` layer should be called on exactly 2 inputs")
        axes = self._axes_for([tensor.shape.ndims for tensor in inputs])
        if self.normalize:
            inputs = [l2_normalize(tensor, axis=axis) for tensor, axis in zip(inputs, axes)]
        return batch_dot(inputs[0], inputs[1], axes)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The sizes of the first input and those of the second without its batch's, each without the axis."""
        shapes = _sizes_of(input_shape)
        if not _are_several(shapes) or len(shapes) != 2:
            raise ValueError("A `Dot` layer should be called on a list of 2 inputs.")
        first, second = (list(sizes) for sizes in shapes)
        axes = self._axes_for([len(first), len(second)])
        del first[axes[0]], second[axes[1]]
        sizes = first + second[1:]
        return TensorShape(sizes if len(sizes) > 1 else [*sizes, 1])

    def compute_mask(self, inputs: Any, mask: Any = None) -> None:
        """None: what is summed has no steps."""
        return None

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "axes": self.axes, "normalize": self.normalize}


def add(inputs: Any, **kwargs: Any) -> Tensor:
    """The sum of a list of tensors.

    Args:
        inputs: the tensors.
        **kwargs: those of layers, such as `name`.

    Example:
        >>> y = tf.keras.layers.add([x, 2.0 * x])
    """
    return Add(**kwargs)(inputs)


def subtract(inputs: Any, **kwargs: Any) -> Tensor:
    """The first of two tensors less the second.

    Args:
        inputs: the tensors.
        **kwargs: those of layers, such as `name`.
    """
    return Subtract(**kwargs)(inputs)


def multiply(inputs: Any, **kwargs: Any) -> Tensor:
    """The product of a list of tensors, element by element.

    Args:
        inputs: the tensors.
        **kwargs: those of layers, such as `name`.
    """
    return Multiply(**kwargs)(inputs)


def average(inputs: Any, **kwargs: Any) -> Tensor:
    """The mean of a list of tensors, element by element.

    Args:
        inputs: the tensors.
        **kwargs: those of layers, such as `name`.
    """
    return Average(**kwargs)(inputs)


def maximum(inputs: Any, **kwargs: Any) -> Tensor:
    """The largest of a list of tensors, element by element.

    Args:
        inputs: the tensors.
        **kwargs: those of layers, such as `name`.
    """
    return Maximum(**kwargs)(inputs)


def minimum(inputs: Any, **kwargs: Any) -> Tensor:
    """The smallest of a list of tensors, element by element.

    Args:
        inputs: the tensors.
        **kwargs: those of layers, such as `name`.
    """
    return Minimum(**kwargs)(inputs)


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Tensor:
    """A list of tensors, joined along an axis.

    Args:
        inputs: the tensors.
        axis: the axis along which they may differ.
        **kwargs: those of layers, such as `name`.
    """
    return Concatenate(axis=axis, **kwargs)(inputs)


def dot(inputs: Any, axes: int | Sequence[int], normalize: bool = False, **kwargs: Any) -> Tensor:
    """The products of the examples of two tensors, summed along an axis of each.

    Args:
        inputs: the tensors.
        axes: that axis, or the axis of the first and of the second tensor.
        normalize: whether to scale them along the axis to length 1 before.
        **kwargs: those of layers, such as `name`.
    """
    return Dot(axes=axes, normalize=normalize, **kwargs)(inputs)
