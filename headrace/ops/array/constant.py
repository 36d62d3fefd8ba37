"""Constants, placeholders, and the ops that pass a value on."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import slots
from headrace.core.convert import register_tensor_conversion_function
from headrace.core.defaults import name_scope
from headrace.core.dims import Dims, bracketed, merge_dims
from headrace.core.dtypes import DType, as_dtype, dtype_text
from headrace.core.eager import eager_graph, executing_eagerly
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import BoundConstant, op, raw
from headrace.core.shapes import Dimension, TensorShape, as_dims
from headrace.core.tensor import Tensor
from headrace.core.values import (
    are_overlooked,
    eager_refusal,
    holds_arrays,
    holds_wide_integers,
    leaves_of,
    require_shape,
    to_array,
)
from headrace.kernels.array.arguments import MAX_DIMENSIONS

if TYPE_CHECKING:
    from headrace.core.building_facts import PythonValues
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.dtypes import DType
    from headrace.core.operation import Operation
    from headrace.core.typing import DTypeLike, ShapeLike, TensorLike


const = op("Const", "*, value: tensor, dtype: type -> output: dtype")


@const.shape
def const_shape(op):
    return [op.attrs["value"].shape]


# What the runtime's messages call types.
_STATUS_NAMES = {"float16": "half", "float32": "float", "float64": "double"}
# Those whose arrays tell what they hold.
_PLAIN_KINDS = "biufc"
_PLAIN_TYPES = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
_PLAIN_TYPES |= {"float16", "float32", "float64", "complex64", "complex128"}


@const.binding
def const_binding(node):
    value, dtype = node.attrs["value"], node.attrs["dtype"]
    if value.dtype.kind in _PLAIN_KINDS and dtype.name in _PLAIN_TYPES and value.dtype != dtype.as_numpy_dtype:
        held, said = as_dtype(value.dtype).name, dtype.name
        message = f"({_STATUS_NAMES.get(held, held)}) and dtype ({_STATUS_NAMES.get(said, said)})"
        raise InvalidArgumentError(None, None, f"Type mismatch between value {message}")
    return [BoundConstant(value)]


@const.python_value
def const_in_python(op: Operation, known: PythonValues) -> np.ndarray:
    return np.array(op.attrs["value"])


const.not_differentiable()
const.accepts(value=np.array([[1, 2]], np.float32), dtype="float32").accepts(value=np.array(b"text"), dtype="string")

# As TensorFlow writes it for a constant that is kept on the host.
host_const_op = op("HostConst", "*, value: tensor, dtype: type -> output: dtype").not_differentiable()
host_const_op.shape(const_shape)
host_const_op.binding(const_binding)
host_const_op.accepts(value=np.array([1, 2], np.int32), dtype="int32")

placeholder_op = op("Placeholder", "*, dtype: type, shape: shape = None -> output: dtype")


def _possible(dims: Dims) -> Dims:
    """`dims`, of which there are not more than a tensor may have; ValueError if there are."""
    if dims is not None and len(dims) > MAX_DIMENSIONS:
        raise ValueError(f"Shape {bracketed(dims)} has too many dimensions")
    return dims


@placeholder_op.shape
def placeholder_shape(op):
    return [_possible(op.attrs["shape"])]


@placeholder_op.kernel
def placeholder_kernel(node):
    dtype, dims = node.attrs["dtype"], node.attrs["shape"]
    expected = f"dtype {_STATUS_NAMES.get(dtype.name, dtype.name)}"
    if dims is not None:
        expected += f" and shape [{','.join('?' if d is None else str(d) for d in dims)}]"
    name = node.name

    def not_fed():
        raise InvalidArgumentError(None, None, f"You must feed a value for placeholder tensor '{name}' with {expected}")

    return not_fed


placeholder_v2_op = op("PlaceholderV2", "*, dtype: type, shape: shape -> output: dtype")
placeholder_v2_op.shape(placeholder_shape)
placeholder_v2_op.kernel(placeholder_kernel)
for _decl in (placeholder_op, placeholder_v2_op):
    _decl.takes_feeds().only_in_graphs("tf.placeholder() is not compatible with eager execution.")
    _decl.rejects(dtype="float32", shape=[2], error=InvalidArgumentError, match="must feed")
    _decl.no_case("It has to be fed: all cases feed placeholders.")

placeholder_with_default_op = (
    op("PlaceholderWithDefault", "input: dtype, *, dtype: type, shape: shape -> output: dtype")
    .takes_feeds()
    .aliases()
    .forwards_memory()
)


@placeholder_with_default_op.shape
def placeholder_with_default_shape(op):
    merge_dims(op.inputs[0].dims, op.attrs["shape"])
    return [_possible(op.attrs["shape"])]


@placeholder_with_default_op.kernel
def placeholder_with_default_kernel(node):
    return lambda value: value


@placeholder_with_default_op.gradient
def placeholder_with_default_gradient(op, grad):
    return [grad]


placeholder_with_default_op.accepts([2, 3], shape=[None, 3]).accepts([2], shape=None, dtype="int64")


def constant(
    value: Any,
    dtype: DTypeLike | None = None,
    shape: Any = None,
    name: str | None = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """A tensor that always has the same value.

    Args:
        value: a number, string, bool, (nested) list, NumPy array or `TensorProto`, which is taken as it is.
        dtype: the element type; inferred from `value` by default (Python floats are float32, ints int32).
        shape: the shape; where `value` has fewer elements its last one fills the rest.
        name: a name for the operation.
        verify_shape: raise instead of filling when the shapes differ.

    Raises:
        TypeError: if `value` does not fit `dtype`; ValueError: if it does not fit `shape`.

    Example:
        >>> sess.run(tf.constant(-1.0, shape=[2, 3]))
        array([[-1., -1., -1.],
               [-1., -1., -1.]], dtype=float32)
    """
    is_eager = executing_eagerly()
    if is_eager and shape is None:
        known = eager_graph().known_constant(value, dtype)
        if known is not None:
            return known
    if isinstance(value, Tensor):
        raise TypeError(f"List of Tensors when single Tensor expected: constant() cannot take a Tensor, got {value}.")
    if not is_eager and type(value).__name__ == "TensorProto":
        # What it is stands in it: neither a type nor a shape that is asked for changes that.
        # One element that stands for many takes the memory of one, as in graphs that are imported.
        held = slots.array_of(value)
        held.flags.writeable = False
        return raw.Const(value=held, dtype=as_dtype(value.dtype), name=name)
    dims = None if shape is None else as_dims(shape) if is_eager else _sizes_in_graph(shape)
    if is_eager:
        array = _eager_array(value, None if dtype is None else as_dtype(dtype))
        if shape is not None:
            array = _laid_out(array, dims, verify_shape)
    else:
        wanted = tuple(dims) if verify_shape and dims is not None else None
        if wanted is None or are_overlooked(value, wanted):
            array = to_array(value, dtype, dims, copy=False)
        else:
            array = to_array(value, dtype, copy=False)
            require_shape(array.shape, wanted)
    element_type = as_dtype(dtype) if dtype is not None else as_dtype(array.dtype)
    array = np.array(array, copy=True)
    array.flags.writeable = False
    if is_eager:
        return eager_graph().learn_constant(value, dtype, array, element_type)
    return raw.Const(value=array, dtype=element_type, name=name)


def _eager_array(value: Any, dtype: DType | None) -> np.ndarray:
    """A value as an array, which may be a sequence of arrays.

    Raises:
        TypeError, ValueError: as TensorFlow does eagerly.
    """
    try:
        if isinstance(value, (list, tuple)) and holds_arrays(value):
            return slots.array_of_sequence(value, dtype)
        array = to_array(value, dtype, copy=False)
        if dtype is None and array.dtype.kind in "uf" and holds_wide_integers(value):
            # Only unsigned numbers hold them, or floats; eagerly ints of Python's are taken for neither.
            raise eager_refusal(value, dtype)
        if dtype is None and isinstance(value, (list, tuple)) and _mixes_kinds(value, array.dtype.kind):
            raise eager_refusal(value, dtype)
        return array
    except OverflowError:
        raise eager_refusal(value, dtype) from None
    except (TypeError, ValueError):
        if isinstance(value, (list, tuple)) and not (dtype is not None and dtype.is_quantized):
            with contextlib.suppress(TypeError, ValueError):
                return slots.array_of_sequence(value, dtype)
        raise eager_refusal(value, dtype) from None


def _mixes_kinds(values: Any, kind: str) -> bool:
    """Whether numbers of a list, of the kind that they have as an array, do not go together eagerly.

    The first one tells: numbers do not follow booleans, and only complex ones go with those.
    """
    if kind == "c":
        return not all(isinstance(leaf, complex) for leaf in leaves_of(values))
    return kind in "iuf" and isinstance(next(leaves_of(values), None), bool)


def _sizes_in_graph(shape: Any) -> Any:
    """The shape of a constant of a graph as dims.

    Raises:
        TypeError: for what has no elements, and for sizes that are texts.
    """
    if not isinstance(shape, TensorShape) and any(isinstance(size, (str, bytes)) for size in shape):
        raise TypeError(f"The sizes of a constant's shape are integers, got shape={shape!r}.")
    return as_dims(shape)


def _laid_out(array: np.ndarray, dims: Any, verify_shape: bool) -> np.ndarray:
    """The elements of an eager constant in its shape: as many as it has, or a scalar, which fills it.

    Raises:
        ValueError: if the shape is not wholly known.
        TypeError: for another number of elements, or, verifying, another shape.
        InvalidArgumentError: for one element with dimensions.
    """
    if dims is None or None in dims:
        raise ValueError(f"tf.constant: shape={bracketed(dims)} is not wholly known; give all sizes.")
    if verify_shape:
        require_shape(array.shape, tuple(dims))
    expected = math.prod(dims)
    if array.size == expected:
        return array.reshape(dims)
    if array.size != 1:
        raise TypeError(
            f"Eager execution of tf.constant with unsupported shape (value has {array.size} elements, shape is {dims} with "
            f"{expected} elements)."
        )
    if array.ndim:
        raise InvalidArgumentError(None, None, f"value must be a scalar, got shape {bracketed(array.shape)} [Op:Fill]")
    return np.broadcast_to(array, dims)


def _constant_from_value(
    value: object, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    return constant(value, dtype, name=name or "Const")


def _constant_from_shape(
    value: TensorShape, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    if not value.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape to a Tensor: {value}")
    sizes = [int(size) for size in value]
    if dtype is None:
        dtype = as_dtype("int64") if any(size >= 2**31 for size in sizes) else as_dtype("int32")
    elif as_dtype(dtype).base_dtype.name not in ("int32", "int64"):
        raise TypeError(f"Cannot convert a TensorShape to dtype: {as_dtype(dtype).name}")
    elif as_dtype(dtype).base_dtype.name == "int32" and any(size >= 2**31 for size in sizes):
        raise ValueError(f"Cannot convert a TensorShape to dtype int32; a dimension is too large ({max(sizes)})")
    return constant(sizes, dtype, name=name or "shape_as_tensor")


def _constant_from_dimension(
    value: Dimension, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    if value.value is None:
        raise ValueError(f"Cannot convert an unknown Dimension to a Tensor: {value}")
    if dtype is not None and as_dtype(dtype).base_dtype.name not in ("int32", "int64"):
        raise TypeError(f"Cannot convert a Dimension to dtype: {as_dtype(dtype).name}")
    return constant(value.value, dtype if dtype is not None else "int32", name=name or "shape_as_tensor")


def _packed(value: TensorLike, dtype: DType | None = None, name: str | None = None, as_ref: bool = False) -> Any:
    """A list that holds tensors is packed into one."""
    if as_ref or not _holds_tensor(value):
        return NotImplemented
    inferred = _element_type(value)
    element_type = inferred if dtype is None else as_dtype(dtype).base_dtype
    if element_type is not inferred:
        value = _cast_items(value, element_type)
    return _pack(value, element_type, name or "packed")


def _is_tensor_like(value: TensorLike | CompositeTensor | None) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "_as_graph_element")


def _holds_tensor(value: TensorLike | CompositeTensor | None) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_tensor(item) for item in value)
    return _is_tensor_like(value)


def _element_type(value: Any) -> DType | None:
    """The type of the first tensor in a nested list; the other items become of that type."""
    for item in value:
        if _is_tensor_like(item):
            return item.dtype.base_dtype
        if isinstance(item, (list, tuple)):
            found = _element_type(item)
            if found is not None:
                return found
    return None


def _cast_items(value: Any, dtype: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_cast_items(item, dtype) for item in value]
    if _is_tensor_like(value) and value.dtype.base_dtype is not dtype:
        return raw.Cast(value, DstT=dtype)
    return value


def _pack(value: Any, dtype: Any, name: str) -> Any:
    """One Pack for each level of nesting that holds tensors; a level of plain values stays a list."""
    with name_scope(name) as scope:
        items = []
        for i, item in enumerate(value):
            if _is_tensor_like(item):
                if item.dtype.base_dtype is not dtype:
                    if executing_eagerly() and all(map(_is_tensor_like, value)):
                        raise InvalidArgumentError(
                            None,
                            None,
                            f"cannot compute Pack as input #{i}(zero-based) was expected to be a {dtype_text(dtype)} tensor "
                            f"but is a {dtype_text(item.dtype.base_dtype)} tensor [Op:Pack] name: {name}",
                        )
                    raise TypeError(
                        f"Cannot convert a list containing a tensor of dtype {item.dtype.name} to {dtype.name} "
                        f"(Tensor is: {item!r})"
                    )
                items.append(item)
            elif isinstance(item, (list, tuple)):
                items.append(_pack(item, dtype, str(i)))
            else:
                items.append(item)
        if not any(_is_tensor_like(item) for item in items):
            return items
        parts = [item if _is_tensor_like(item) else constant(item, dtype, name=str(i)) for i, item in enumerate(items)]
        return raw.Pack(parts, axis=0, name=scope)


_registered = False


def register_conversions() -> None:
    """Registers how Python's and NumPy's values become tensors; once, whenever it is first needed."""
    global _registered
    if _registered:
        return
    _registered = True
    register_tensor_conversion_function((list, tuple), _packed, 99)
    register_tensor_conversion_function((list, tuple), _constant_from_value, 100)
    register_tensor_conversion_function(object, _constant_from_value, 200)
    register_tensor_conversion_function(TensorShape, _constant_from_shape, 100)
    register_tensor_conversion_function(Dimension, _constant_from_dimension, 100)


def placeholder(
    dtype: DTypeLike | None, shape: str | TensorShape | Sequence[int | None] | None = None, name: str | None = None
) -> Tensor:
    """A tensor that must be fed when anything that needs it is run.

    Args:
        dtype: the element type.
        shape: the shape, with None for sizes that may vary; None leaves it all open.
        name: a name for the operation.

    Example:
        >>> x = tf.placeholder(tf.float32, [None, 784])
        >>> tf.Session().run(x + 1.0, {x: np.zeros([2, 784])}).shape
        (2, 784)
    """
    return raw.Placeholder(dtype=dtype, shape=shape, name=name)


def placeholder_with_default(input: TensorLike, shape: ShapeLike | None, name: str | None = None) -> Tensor:
    """A tensor that has the value of `input` unless another is fed.

    Args:
        input: the default value.
        shape: the shape a fed value must have, with None for sizes that may vary.
        name: a name for the operation.
    """
    return raw.PlaceholderWithDefault(input, shape=shape, name=name)
