"""How element-wise ops are declared: shape rules, kernels, public functions, and the gradient of broadcasting.

What one op computes stands in the modules beside this one; here is only what they share.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.argument_errors import no_kernel
from headrace.core.composite import IndexedSlices, SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.dims import Dims, broadcast_dims, is_fully_defined
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import OpDecl, op, raw
from headrace.core.tensor import Tensor
from headrace.devices import vector_loops
from headrace.kernels.composing import shape as shape_of
from headrace.kernels.math.in_place import is_native

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import NodeView, TensorLike


# Sets of element types as TensorFlow's op definitions list them.
FLOATS = "{bfloat16, half, float, double}"
REAL = "{bfloat16, half, float, double, int32, int64}"
SIGNED = "{bfloat16, half, float, double, int32, int64, complex64, complex128}"
INEXACT = "{bfloat16, half, float, double, complex64, complex128}"
NO_NAN = "{half, float, double, complex64, complex128}"
INTEGERS = "{int8, int16, int32, int64, uint8, uint16, uint32, uint64}"

# torch computes in these; the signed type stands in for the unsigned one that has hardly any kernels.
_WIDER = {torch.uint16: torch.int32, torch.uint32: torch.int64, torch.uint64: torch.int64}


# ---- what does nothing ----


def without_neutral(node: NodeView, neutral: float, left: bool = True) -> Any:
    """The operand that a binary op returns unchanged because the other is the constant scalar `neutral`, else None.

    Args:
        node: the planned node.
        neutral: 1 for products, 0 for sums. (x + 0 turns -0.0 into 0.0, which this does not.)
        left: whether the scalar may also stand on the left.
    """
    for index in (1, 0) if left else (1,):
        scalar, other = node.constant(index), node.inputs[1 - index]
        if scalar is not None and scalar.shape == () and scalar.dtype.kind in "fiuc" and scalar == neutral:
            return other
    return None


def without_ones(node: NodeView) -> Any:
    """The factor that a product returns unchanged because the other is ones in its shape, as losses without weights have."""
    for index in (1, 0):
        ones, other = node.inputs[index].node, node.inputs[1 - index]
        if ones.type != "Fill" or ones.constant(1) != 1:
            continue
        shape = ones.inputs[0]
        if shape.node.type == "Shape" and shape.node.inputs[0] is _shaped_by(other):
            return other
    return None


def _shaped_by(value: Any) -> Any:
    """The tensor whose shape `value` was given, where it was made in the shape of another; else itself."""
    node = value.node
    if node.type == "Fill":
        shape = node.inputs[0]
    elif node.type == "Tile" and node.inputs[0].dims is not None and set(node.inputs[0].dims) <= {1}:
        shape = node.inputs[1]
    else:
        return value
    return shape.node.inputs[0] if shape.node.type == "Shape" else value


# ---- shapes ----


def same_shape(op):
    """The shape rule of an op whose output is shaped as its first input."""
    return [op.inputs[0].dims]


def broadcast_shape(op):
    """The shape rule of an op that broadcasts its first two inputs against each other."""
    return [broadcast_or_raise(op.inputs[0].dims, op.inputs[1].dims)]


def broadcast_or_raise(a: Dims, b: Dims) -> Dims:
    """`broadcast_dims`, with the words of TensorFlow's shape functions where the shapes do not fit."""
    try:
        return broadcast_dims(a, b)
    except ValueError:
        assert a is not None
        assert b is not None
        shared = min(len(a), len(b))
        for x, y in zip(a[len(a) - shared :], b[len(b) - shared :], strict=True):
            if x is not None and y is not None and x != y and 1 not in (x, y):
                raise ValueError(f"Dimensions must be equal, but are {x} and {y}") from None
        raise


def bracketed(shape: Iterable[int]) -> str:
    """A run-time shape as TensorFlow's kernels print it: `[2,3]`."""
    return "[" + ",".join(str(int(size)) for size in shape) + "]"


def may_clash(a: Dims, b: Dims) -> bool:
    """Whether shapes that are statically `a` and `b` can turn out not to broadcast when the step runs."""
    if a is None or b is None:
        return a != () and b != ()
    return any(x != y and 1 not in (x, y) for x, y in zip(reversed(a), reversed(b), strict=False)) or any(
        x is None and y is None for x, y in zip(reversed(a), reversed(b), strict=False)
    )


def checked(node: NodeView, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` of two values, saying "Incompatible shapes" where they do not broadcast.

    Where the static shapes rule that out it is `function` itself, so that nothing is added to a step.
    """
    if not may_clash(node.inputs[0].dims, node.inputs[1].dims):
        return function

    def compute(x, y):
        try:
            return function(x, y)
        except (RuntimeError, ValueError):
            require_broadcast(x, y)
            raise

    return compute


def require_broadcast(x: torch.Tensor, y: torch.Tensor) -> None:
    """Raises InvalidArgumentError unless two values broadcast against each other."""
    for m, n in zip(reversed(x.shape), reversed(y.shape), strict=False):
        if m != n and 1 not in (m, n):
            raise InvalidArgumentError(
                None, None, f"Incompatible shapes: {bracketed(x.shape)} vs. {bracketed(y.shape)}"
            )


# ---- kernels ----


def widened(node: NodeView, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` by way of a signed type where torch lacks kernels for the unsigned one of the inputs."""
    own = node.inputs[0].dtype.torch
    wide = _WIDER.get(own)
    if wide is None:
        return function
    result = node.outputs[0].dtype.torch

    def compute(*values):
        return function(*[value.to(wide) for value in values]).to(result)

    return compute


def unary(
    op_type: str,
    types: str,
    function: Callable[..., Any],
    *,
    integers: bool = False,
    result: str = "T",
    sample: Sequence[float] | None = None,
    in_place: Callable[[Any], Any] | None = None,
) -> OpDecl:
    """Declares an op that maps each element of its input.

    Args:
        op_type: TensorFlow's name for it.
        types: the element types it takes, in the language of signatures.
        function: computes it on torch tensors.
        integers: whether there is a kernel for integers, where `types` names any.
        result: the element type of the output.
        sample: arguments at which the op is tested, where it is not defined for all numbers.
        in_place: computes it in the memory of its argument.
    """
    decl = op(op_type, f"x: T, *, T: {types} -> y: {result}")
    decl.shape(same_shape)
    if types == INTEGERS:
        decl.accepts(np.array([5, 0, 127], np.int32))
    else:
        decl.accepts([2, 3] if sample is None else np.array(sample, np.float32)).accepts([0, 3])

    @decl.kernel
    def kernel(node):
        if node.inputs[0].dtype.is_integer and not integers:
            raise no_kernel(node)
        return vector_loops.faster(node, widened(node, function))

    if vector_loops.has_loop(op_type):
        decl.numpy_floats()
    elif in_place is None:
        return decl.fresh()

    def reuse(node, index):
        loop = vector_loops.in_place(node)
        return in_place if loop is None and is_native(node) else loop

    return decl.reuses(reuse)


def binary(
    op_type: str,
    types: str,
    function: Callable[..., Any] | None = None,
    *,
    inputs: str = "x y",
    result: str = "T",
    attrs: str = "",
) -> OpDecl:
    """Declares an op on the elements of two inputs that broadcast against each other.

    Args:
        op_type: TensorFlow's name for it.
        types: the element types it takes, in the language of signatures.
        function: computes it on torch tensors; None where the kernel is declared by itself.
        inputs: the names of its inputs.
        result: the element type of the output.
        attrs: attributes beside the type, in the language of signatures.
    """
    first, second = inputs.split()
    decl = op(op_type, f"{first}: T, {second}: T, *, T: {types}{', ' if attrs else ''}{attrs} -> z: {result}")
    decl.shape(broadcast_shape)
    if types == INTEGERS:
        decl.accepts(np.array([[5, 0], [127, 3]], np.int32), np.array([1, 2], np.int32))
    else:
        decl.accepts([2, 3], [3]).accepts([2, 1], [1, 3]).accepts([0, 3], [3])
    decl.rejects([2], [3], error=ValueError)
    if function is not None:
        decl.kernel(lambda node: checked(node, widened(node, function)))
    return decl.fresh()


def function_of(decl: OpDecl, name: str, summary: str, *, sparse: bool = False) -> Callable[..., Any]:
    """The public function of an op with inputs `x`, or `x` and `y`.

    Args:
        decl: the op.
        name: the function's name.
        summary: what it computes, in one line.
        sparse: whether it maps the values of a SparseTensor too.
    """
    if sparse:

        def function(x: TensorLike | SparseTensor, name: str | None = None) -> Tensor | SparseTensor:
            if isinstance(x, SparseTensor):
                return SparseTensor(x.indices, decl(x.values, name=name), x.dense_shape)
            return decl(x, name=name)

        arguments = "x: a tensor or SparseTensor"
    elif len(decl.signature.inputs) == 1:

        def function(x: TensorLike, name: str | None = None) -> Tensor:  # type: ignore[misc]  # another form of it
            return decl(x, name=name)

        arguments = "x: a tensor"
    else:

        def function(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:  # type: ignore[misc]  # the third
            return decl(x, y, name=name)

        arguments = "x, y: tensors of one type, of shapes that broadcast"
    allowed = decl.signature.attrs["T"].allowed if "T" in decl.signature.attrs else None
    of = f" of {', '.join(dtype.name for dtype in allowed)}" if allowed else ""
    function.__name__ = function.__qualname__ = name
    function.__module__ = sys._getframe(1).f_globals["__name__"]
    function.__doc__ = (
        f"{summary}\n\nArgs:\n    {arguments}{of}.\n    name: a name for the operation.\n\n"
        f"Raises:\n    TypeError: for other element types."
        + ("" if len(decl.signature.inputs) == 1 else "\n    ValueError: if the shapes do not broadcast.")
    )
    return function


# ---- what gradients are built from ----


def scalar(value: TensorLike, dtype: DType, name: str = "Const") -> Tensor:
    """A constant scalar."""
    return convert_to_tensor(value, dtype.base_dtype, name=name)


def conjugate(x: Tensor) -> Tensor:
    """Conj(x) for complex types, `x` itself for others."""
    return raw.Conj(x) if x.dtype.is_complex else x


def broadcast_axes(x: Tensor, y: Tensor) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """(shape, axes it was broadcast along) of each operand, as ops."""
    shape_x, shape_y = shape_of(x), shape_of(y)
    axes_x, axes_y = raw.BroadcastGradientArgs(shape_x, shape_y)
    return (shape_x, axes_x), (shape_y, axes_y)


def summed(gradient: Tensor, part: tuple[Any, Any]) -> Tensor:
    """The gradient of an operand: summed over the axes it was broadcast along, in its own shape."""
    shape, axes = part
    return raw.Reshape(raw.Sum(gradient, axes), shape)


def static_and_equal(x: Tensor, y: Tensor, grad: Tensor | IndexedSlices) -> bool:
    """Whether two operands and the gradient are tensors of the same, fully known static shape."""
    return isinstance(grad, Tensor) and is_fully_defined(x.dims) and x.dims == y.dims == grad.dims


def smart_broadcast_axes(x: Tensor, y: Tensor, grad: Tensor | IndexedSlices) -> tuple[Any, Any]:
    """As `broadcast_axes`, computed while building where the shapes are static.

    None stands for an operand that has the gradient's shape already. What BroadcastGradientArgs gives for a pair of
    static shapes is asked once a graph, as TensorFlow does, so that the operations of both are the same.
    """
    if not isinstance(grad, Tensor):
        # Slices become a tensor when they are reshaped.
        return broadcast_axes(x, y)
    dims_x, dims_y = x.dims, y.dims
    if not (is_fully_defined(dims_x) and is_fully_defined(dims_y)):
        shape_x, shape_y = raw.Shape(x), raw.Shape(y)
        axes_x, axes_y = raw.BroadcastGradientArgs(shape_x, shape_y)
        return (shape_x, axes_x), (shape_y, axes_y)
    assert dims_x is not None
    assert dims_y is not None
    cache = get_default_graph().__dict__.setdefault("_broadcast_axes_cache", {})
    axes = cache.get((dims_x, dims_y))
    if axes is None:
        raw.BroadcastGradientArgs(list(dims_x), list(dims_y))
        axes = cache[(dims_x, dims_y)] = reduction_axes(dims_x, dims_y)
    return (
        None if dims_x == grad.dims else (list(dims_x), axes[0]),
        None if dims_y == grad.dims else (list(dims_y), axes[1]),
    )


def reduction_axes(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[list[int], list[int]]:
    """The axes of the broadcast shape along which an operand of shape `a`, and one of shape `b`, was repeated.

    An axis on which both have size 1 counts for both: summing over it is harmless.

    Raises:
        ValueError: if the shapes do not broadcast.

    Example:
        >>> reduction_axes((2, 3), (3,))
        ([], [0])
    """
    rank = max(len(a), len(b))
    a_full, b_full = (1,) * (rank - len(a)) + tuple(a), (1,) * (rank - len(b)) + tuple(b)
    if tuple(a) == tuple(b):
        return [], []
    axes_a, axes_b = [], []
    for axis, (x, y) in enumerate(zip(a_full, b_full, strict=True)):
        if x != y and 1 not in (x, y):
            raise ValueError(f"Incompatible shapes: {bracketed(a)} vs. {bracketed(b)}")
        if x == 1:
            axes_a.append(axis)
        if y == 1:
            axes_b.append(axis)
    return axes_a, axes_b
