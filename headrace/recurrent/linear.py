"""The affine map that many cells are made of, with its variables in the current variable scope."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.dtypes import int32
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat
from headrace.ops.array.constant import constant
from headrace.ops.nn.bias import bias_add
from headrace.state.initializers import constant_initializer
from headrace.state.variable_scope import get_variable, get_variable_scope, variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import InitializerLike, TensorLike
    from headrace.state.variables import Variable


def listed(args: Tensor | Sequence[Tensor]) -> list[Any]:
    """The tensors of an argument that is one tensor or a list of them.

    Raises:
        ValueError: if there are none.
    """
    if args is None or (nest.is_sequence(args) and not args):
        raise ValueError("`args` must be specified")
    return list(args) if nest.is_sequence(args) else [args]


def total_depth(args: list[Any]) -> int:
    """The sum of the last sizes of matrices.

    Raises:
        ValueError: for what is no matrix of known depth.
    """
    shapes = [item.get_shape() for item in args]
    total = 0
    for shape in shapes:
        if shape.ndims != 2:
            raise ValueError(f"linear is expecting 2D arguments: {shapes}")
        depth = shape.as_list()[1]
        if depth is None:
            raise ValueError(f"linear expects shape[1] to be provided for shape {shape}, but saw {shape[1]}")
        total += depth
    return total


def make_kernel(
    args: list[Any], output_size: int, initializer: InitializerLike | None = None, name: str = "kernel"
) -> Any:
    """The weights of a product with the concatenation of `args`."""
    return get_variable(name, [total_depth(args), output_size], dtype=args[0].dtype, initializer=initializer)


def make_bias(
    args: list[Any], output_size: int, initializer: InitializerLike | None = None, name: str = "bias"
) -> Variable:
    """A bias, zeros by default; it is never split into parts."""
    dtype = args[0].dtype
    with variable_scope(get_variable_scope()) as scope:
        scope.set_partitioner(None)
        return get_variable(
            name,
            [output_size],
            dtype=dtype,
            initializer=constant_initializer(0.0, dtype=dtype) if initializer is None else initializer,
        )


def product(args: list[Any], kernel: Variable) -> Tensor:
    """The concatenation of `args` times `kernel`."""
    if len(args) == 1:
        return matmul(args[0], kernel)
    return matmul(concat(args, constant(1, dtype=int32)), kernel)


class Linear:
    """A map `[args] kernel + bias` whose variables are made with it, in the variable scope it is made in.

    Args:
        args: a tensor [batch, depth] or a list of them, like those it will be called with.
        output_size: the depth of what it returns.
        build_bias: whether there is a bias.
        bias_initializer: zeros by default.
        kernel_initializer: that of the scope by default.
    """

    def __init__(
        self,
        args: Any,
        output_size: int,
        build_bias: bool,
        bias_initializer: InitializerLike | None = None,
        kernel_initializer: InitializerLike | None = None,
    ) -> None:
        items = listed(args)
        self._weights = make_kernel(items, output_size, kernel_initializer)
        self._biases = make_bias(items, output_size, bias_initializer) if build_bias else None

    def __call__(self, args: Any) -> Tensor:
        """The map of a tensor or a list of them."""
        result = product(listed(args), self._weights)
        return result if self._biases is None else bias_add(result, self._biases)


def linear(
    args: Sequence[TensorLike],
    output_size: int,
    bias: bool,
    bias_initializer: InitializerLike | None = None,
    kernel_initializer: InitializerLike | None = None,
) -> Tensor:
    """`[args] kernel + bias`, with variables of the current scope; arguments as for `Linear`."""
    return Linear(args, output_size, bias, bias_initializer, kernel_initializer)(args)


class LinearOnce:
    """A `Linear` that is made when it is first called, in the variable scope of that call."""

    def __init__(self, output_size: int, build_bias: bool = True) -> None:
        self._output_size, self._build_bias = output_size, build_bias
        self._made: Linear | None = None

    def __call__(self, args: Any) -> Tensor:
        """The map of a tensor or a list of them."""
        if self._made is None:
            self._made = Linear(args, self._output_size, self._build_bias)
        return self._made(args)


# Programs with cells of their own reach into 1.x's modules for these.
_Linear, _linear = Linear, linear
