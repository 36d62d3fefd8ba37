"""Ops that pass a value on: identities, barriers for gradients, and promises about a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.core.dims import merge_dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import applied, handed_on
from headrace.core.registry import op, raw
from headrace.core.shapes import as_dims
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import shape_text

if TYPE_CHECKING:
    from headrace.core.typing import ShapeLike, TensorLike


def _same_dims(op):
    return [op.inputs[0].dims]


def _passes(node):
    return lambda value: value


def _input_of(node):
    return node.inputs[0]


identity_op = (
    op("Identity", "input: T -> output: T")
    .aliases()
    .keeps_shape()
    .never_fails()
    .forwards_memory()
    .passes_handle()
    .views()
    .scalar("{0}")
    .gives_no_more()
    .passes_text()
)
identity_op.shape(_same_dims)
identity_op.kernel(_passes)
identity_op.same_as(_input_of)


@identity_op.gradient
def identity_gradient(op, grad):
    return [grad]


identity_op.accepts([2, 3]).accepts([]).accepts([0, 2])

identity_n_op = op("IdentityN", "input: *T, *, T: list(type) >= 1 -> output: *T").aliases().forwards_memory()


@identity_n_op.shape
def identity_n_shape(op):
    return [tensor.dims for tensor in op.inputs]


@identity_n_op.kernel
def identity_n_kernel(node):
    return lambda *values: values


@identity_n_op.gradient
def identity_n_gradient(op, *grads):
    return list(grads)


stop_gradient_op = (
    op("StopGradient", "input: T -> output: T")
    .aliases()
    .not_differentiable()
    .keeps_shape()
    .forwards_memory()
    .scalar("{0}")
    .passes_text()
)
stop_gradient_op.shape(_same_dims)
stop_gradient_op.kernel(_passes)
stop_gradient_op.same_as(_input_of)
stop_gradient_op.accepts([2, 3])

prevent_gradient_op = (
    op("PreventGradient", "input: T, *, message='' -> output: T").aliases().keeps_shape().forwards_memory()
)
prevent_gradient_op.shape(_same_dims)
prevent_gradient_op.kernel(_passes)
prevent_gradient_op.same_as(_input_of)


@prevent_gradient_op.gradient
def prevent_gradient_gradient(op, _):
    raise LookupError(f"Gradient explicitly disabled. Reason: {op.attrs['message']!r}")


snapshot_op = op("Snapshot", "input: T -> output: T")
snapshot_op.shape(_same_dims)


@snapshot_op.kernel
def snapshot_kernel(node):
    # A copy under either kind of value: arrays of strings and tensors spell it differently.
    return lambda value: value.copy() if hasattr(value, "copy") else value.clone()


deep_copy_op = op("DeepCopy", "x: T -> y: T", stateful=True)
deep_copy_op.shape(_same_dims)
deep_copy_op.kernel(snapshot_kernel)

guarantee_const_op = op("GuaranteeConst", "input: T -> output: T", stateful=True).aliases().forwards_memory()
guarantee_const_op.shape(_same_dims)
guarantee_const_op.kernel(_passes)


@guarantee_const_op.gradient
def guarantee_const_gradient(op, grad):
    return [grad]


ref_identity_op = op("RefIdentity", "input: ref T -> output: ref T").aliases().passes_handle()
ref_identity_op.shape(_same_dims)
ref_identity_op.kernel(_passes)


@ref_identity_op.gradient
def ref_identity_gradient(op, grad):
    return [grad]


ensure_shape_op = op("EnsureShape", "input: T, *, shape: shape -> output: T").aliases().forwards_memory()


@ensure_shape_op.shape
def ensure_shape_shape(op):
    return [merge_dims(op.attrs["shape"], op.inputs[0].dims)]


@ensure_shape_op.kernel
def ensure_shape_kernel(node):
    expected = node.attrs["shape"]
    if expected is None:
        return lambda value: value

    def ensured(value):
        got = tuple(value.shape)
        if len(got) != len(expected) or any(e not in (None, g) for e, g in zip(expected, got)):
            raise InvalidArgumentError(
                None,
                None,
                f"Shape of tensor {node.inputs[0].node.name} {shape_text(got)} is not compatible with expected shape "
                f"{shape_text(expected)}.",
            )
        return value

    return ensured


@ensure_shape_op.gradient
def ensure_shape_gradient(op, grad):
    return [grad]


identity_n_op.accepts([[2], [3]], T=["float32", "int32"]).accepts([[2, 3]], T=["float32"])
prevent_gradient_op.accepts([2, 3])
snapshot_op.accepts([2, 3])
deep_copy_op.accepts([2, 3])
guarantee_const_op.accepts([2, 3])
ref_identity_op.accepts([2, 3])
ensure_shape_op.accepts([2, 3], shape=[2, None]).accepts([2, None], shape=[None, 3])
ensure_shape_op.rejects([2, 3], shape=[3, 3], error=ValueError)


def identity_n(input: Sequence[TensorLike], name: str | None = None) -> list[Tensor]:
    """Tensors with the values of the list `input`, through one operation."""
    return raw.IdentityN(input, name=name)


def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    """A tensor with the value of `input` that gradients take for a constant.

    Args:
        input: a tensor of any type and shape.
        name: a name for the operation.

    Example:
        >>> tf.gradients(x * tf.stop_gradient(x), x)  # x, not 2 x
    """
    return raw.StopGradient(input, name=name)


def guarantee_const(input: TensorLike, name: str | None = None) -> Tensor:
    """A tensor with the value of `input`, which the caller promises never changes."""
    return raw.GuaranteeConst(input, name=name)


def prevent_gradient(input: TensorLike, message: str = "", name: str | None = None) -> Tensor:
    """A tensor with the value of `input`; asking for a gradient through it raises LookupError with `message`."""
    return raw.PreventGradient(input, message=message, name=name)


def ensure_shape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """A tensor with the value of `x`, checked when run to have `shape`, which becomes its static shape.

    Args:
        x: a tensor.
        shape: a shape with None for sizes that may vary.
        name: a name for the operation.

    Raises:
        ValueError: if the static shape contradicts it.
        InvalidArgumentError: when run, if the value does.
    """
    return raw.EnsureShape(x, shape=as_dims(shape), name=name)


# ---- native instructions

for _decl in (identity_op, stop_gradient_op, prevent_gradient_op, snapshot_op):
    _decl.native(handed_on)
deep_copy_op.native(lambda node: applied("copy"))
