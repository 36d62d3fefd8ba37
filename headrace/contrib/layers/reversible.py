"""Layers whose gradient computes activations anew instead of keeping them: reversible blocks, and any function."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.autodiff.gradients import gradients
from headrace.contrib.framework.arg_scope import arg_scope, current_arg_scope
from headrace.core import nest
from headrace.core.defaults import control_dependencies
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.custom_gradient import custom_gradient_of_layers, variables_read
from headrace.kernels.composing.arranging import identity
from headrace.layers.base import Layer
from headrace.ops.array.identity import stop_gradient
from headrace.ops.flow.grouping import tuple as joined
from headrace.ops.math.add_n import add_n
from headrace.state.variable_scope import get_variable_scope, variable_scope
from headrace.state.variables import Variable
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_LAYER = re.compile(r".*revlayer_([0-9]*)/([fg])/.*")

_Function = Callable[..., Tensor]


def _named_after(function: _Function) -> Callable[[Any], Any]:
    """`functools.wraps`, which objects without a name need not go through."""
    return functools.wraps(function) if hasattr(function, "__name__") else lambda made: made


def _in_scope(function: _Function, scope: str) -> _Function:
    @_named_after(function)
    def scoped(*args: Any, **kwargs: Any) -> Tensor:
        with variable_scope(scope, use_resource=True):
            return function(*args, **kwargs)

    return scoped


def _applied(function: _Function, x: Tensor, sides: Sequence[Tensor]) -> Tensor:
    return function(x, sides) if sides else function(x)


def _summed(*lists: Sequence[Tensor | None]) -> list[Tensor | None]:
    """Lists of gradients added element by element, None standing for nothing."""
    found = [[grad for grad in column if grad is not None] for column in zip(*lists, strict=True)]
    return [add_n(column) if column else None for column in found]


class RevBlock(Layer):
    """A stack of reversible residual layers (arXiv:1707.04585): y1 = x1 + f(x2), y2 = x2 + g(y1).

    The gradient computes the inputs of each layer from its outputs, so that memory does not grow with their number.

    Args:
        f, g: functions from a tensor (and a list of side inputs, where there are) to one of the same shape, or a list
            of them, one a layer. Their variables are made under `revlayer_<i>/f` and `/g`.
        num_layers: how many layers.
        f_side_input, g_side_input: lists of tensors that all layers' functions take as well.
        use_efficient_backprop: whether gradients are computed so; else as of any other operations.
        name: the layer's name.

    Example:
        >>> x1, x2 = tf.split(tf.ones([4, 16]), 2, axis=1)
        >>> block = tf.contrib.layers.RevBlock(lambda x: tf.layers.dense(x, 8), lambda x: tf.layers.dense(x, 8), 3)
        >>> y1, y2 = block.forward(x1, x2)
    """

    def __init__(
        self,
        f: Callable[..., Any] | Sequence[Callable[..., Any]],
        g: Callable[..., Any] | Sequence[Callable[..., Any]],
        num_layers: int = 1,
        f_side_input: Sequence[Tensor] | None = None,
        g_side_input: Any = None,
        use_efficient_backprop: bool = True,
        name: str = "revblock",
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.f, self.g = self._functions(f, "f", num_layers), self._functions(g, "g", num_layers)
        self.num_layers = num_layers
        self.f_side_input = f_side_input or []
        self.g_side_input = g_side_input or []
        self._use_efficient_backprop = use_efficient_backprop

    @staticmethod
    def _functions(given: Callable[..., Any] | Sequence[Callable[..., Any]], name: str, count: int) -> list[_Function]:
        functions = given if isinstance(given, list) else [given] * count
        if len(functions) != count:
            raise AssertionError(f"{name} must have a function for each of {count} layers, has {len(functions)}.")
        return [_in_scope(function, f"revlayer_{i}/{name}") for i, function in enumerate(functions)]

    def build(self, _: TensorLike) -> None:
        """Nothing: the functions make their variables when they are called."""
        tf_logging.warn("RevBlock constructs its variables on first call, not on build.")
        self.built = True

    def call(self, inputs: Tensor, forward: bool = True) -> Any:
        """The outputs of the block for its inputs, or the other way round."""
        scope = get_variable_scope()
        before = len(scope.global_variables())
        out = self._forward(*inputs) if forward else self._backward(*inputs)
        trained = scope.trainable_variables()
        for variable in scope.global_variables()[before:]:
            where = self._trainable_weights if variable in trained else self._non_trainable_weights
            where.append(variable)
        return out

    def forward(self, x1: Tensor, x2: Tensor) -> Any:
        """The outputs (y1, y2)."""
        return self.apply([x1, x2])

    def backward(self, y1: Tensor, y2: Tensor) -> tuple[Tensor, Tensor]:
        """The inputs (x1, x2) of which these are the outputs."""
        return self.apply([y1, y2], forward=False)

    def _stacked(self, x1: Tensor, x2: Tensor, sides: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        f_sides, g_sides = nest.pack_sequence_as([self.f_side_input, self.g_side_input], list(sides))
        for f, g in zip(self.f, self.g, strict=True):
            y1 = x1 + _applied(f, x2, f_sides)
            y2 = x2 + _applied(g, y1, g_sides)
            # Both at once, so that the gradient need not keep one of them longer.
            x1, x2 = joined([y1, y2]) if self._use_efficient_backprop else (y1, y2)
        return x1, x2

    def _forward(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        sides = nest.flatten([self.f_side_input, self.g_side_input])
        if not self._use_efficient_backprop:
            return self._stacked(x1, x2, sides)

        @custom_gradient_of_layers
        def stacked(x1: Tensor, x2: Tensor, *sides: Tensor) -> tuple[tuple[Tensor, Tensor], Callable[..., Any]]:
            out = self._stacked(x1, x2, sides)

            def grad(*grads: Tensor, variables: Sequence[Any] = ()) -> Any:
                made, for_variables = self._gradients(out, grads, list(variables))
                return made if not variables else (made, for_variables)

            return out, grad

        return stacked(x1, x2, *sides)

    def _backward(self, y1: Tensor, y2: Tensor) -> tuple[Tensor, Tensor]:
        for f, g in zip(reversed(self.f), reversed(self.g), strict=True):
            x2 = y2 - _applied(g, y1, self.g_side_input)
            y1, y2 = y1 - _applied(f, x2, self.f_side_input), x2
        return y1, y2

    def _by_layer(self, variables: Sequence[Any]) -> list[dict[str, list[int]]]:
        """The places in `variables` of those of each layer's f and g."""
        places: list[dict[str, list[int]]] = [{"f": [], "g": []} for _ in range(self.num_layers)]
        for place, variable in enumerate(variables):
            found = _LAYER.match(variable.name)
            if found is None:
                raise ValueError(
                    f"The functions of a RevBlock use {variable.name}, which is not a layer's own variable."
                )
            places[int(found[1])][found[2]].append(place)
        return places

    def _gradients(
        self, ys: Sequence[Tensor], grads: Sequence[Tensor], variables: list[Any]
    ) -> tuple[list[Any], list[Any]]:
        """The gradients of the inputs and side inputs, and those of the variables."""
        places = self._by_layer(variables)
        for_variables: list[Any] = [None] * len(variables)
        f_sides, g_sides = [], []
        with variable_scope(self.scope_name, reuse=True):
            for layer in reversed(range(self.num_layers)):
                own = {name: [variables[place] for place in places[layer][name]] for name in "fg"}
                ys, grads, f_found, g_found = self._layer_gradients(ys, grads, layer, own["f"], own["g"])
                f_sides.append(f_found[1])
                g_sides.append(g_found[1])
                for name, found in (("f", f_found[0]), ("g", g_found[0])):
                    for place, grad in zip(places[layer][name], found, strict=True):
                        for_variables[place] = grad
        return [*grads, *_summed(*f_sides), *_summed(*g_sides)], for_variables

    def _layer_gradients(
        self, ys: Sequence[Tensor], grads: Sequence[Tensor], layer: int, f_variables: list[Any], g_variables: list[Any]
    ) -> tuple[Any, Any, Any, Any]:
        """The inputs of a layer, their gradients, and for f and g the gradients of variables and side inputs."""
        (y1, y2), (grad_y1, grad_y2) = ys, grads
        y1_kept = stop_gradient(y1)
        g_sides = [stop_gradient(side) for side in self.g_side_input]
        g_out = _applied(self.g[layer], y1_kept, g_sides)
        x2 = y2 - g_out
        x2_kept = stop_gradient(x2)
        f_sides = [stop_gradient(side) for side in self.f_side_input]
        f_out = _applied(self.f[layer], x2_kept, f_sides)
        x1 = y1 - f_out
        found = gradients(g_out, [y1_kept, *g_variables, *g_sides], grad_y2)
        grad_x1 = grad_y1 if found[0] is None else grad_y1 + found[0]
        g_found = found[1 : len(g_variables) + 1], found[len(g_variables) + 1 :]
        found = gradients(f_out, [x2_kept, *f_variables, *f_sides], grad_x1)
        grad_x2 = grad_y2 if found[0] is None else grad_y2 + found[0]
        f_found = found[1 : len(f_variables) + 1], found[len(f_variables) + 1 :]
        outputs = ((x1, x2), (grad_x1, grad_x2), f_found, g_found)
        # All of a layer before anything of the one below it.
        return nest.pack_sequence_as(outputs, joined(nest.flatten(outputs)))


def rev_block(
    x1: Tensor,
    x2: Tensor,
    f: Callable[..., Any],
    g: Callable[..., Any],
    num_layers: int = 1,
    f_side_input: Sequence[Tensor] | None = None,
    g_side_input: Any = None,
    is_training: bool = True,
) -> tuple[Tensor, Tensor]:
    """`RevBlock` as a function.

    Args:
        x1, x2: tensors of one shape.
        f, g, num_layers, f_side_input, g_side_input: as for `RevBlock`.
        is_training: whether gradients will be taken; they then keep no activations.

    Returns:
        the outputs (y1, y2).

    Example:
        >>> x1, x2 = tf.split(tf.ones([4, 16]), 2, axis=1)
        >>> y1, y2 = tf.contrib.layers.rev_block(
        ...     x1, x2, lambda x: tf.layers.dense(x, 8), lambda x: tf.layers.dense(x, 8), num_layers=4)
    """
    reuse = get_variable_scope().reuse
    return RevBlock(f, g, num_layers, f_side_input, g_side_input, is_training, _reuse=reuse).forward(x1, x2)


def recompute_grad(
    fn: Callable[..., Any] | None = None, use_data_dep: Any = False, tupleize_grads: bool = False
) -> Callable[..., Any]:
    """A decorator for functions whose gradient computes them once more, so that their values need not be kept.

    Args:
        fn: takes tensors by position and closes over none; one with an argument `is_recomputing` is told of it.
        use_data_dep: whether to order the computation by data rather than by control dependencies.
        tupleize_grads: whether all gradients are given at once.

    Returns:
        the decorated function, or a decorator where `fn` is not given.

    Raises:
        ValueError: if it closes over a tensor or variable, or is called with anything but tensors.

    Example:
        >>> @tf.contrib.layers.recompute_grad
        ... def layer(x):
        ...     return tf.layers.dense(x, 100, tf.nn.relu, name="wide")
    """
    if fn is None or not callable(fn):
        options = [option for option in (fn,) if option is not None]
        data = options[0] if options else use_data_dep
        return lambda function: recompute_grad(function, data, tupleize_grads)
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
        if isinstance(cell.cell_contents, (Tensor, Variable)):
            raise ValueError(
                f"fn decorated with @recompute_grad closes over Tensor {cell.cell_contents.name} (local variable name: "
                f"{name}). The decorated fn must not close over Tensors or Variables because gradients will NOT be computed "
                "for them through fn. To ensure correct gradients, make the Tensor an input to fn."
            )
    names = fn.__code__.co_varnames[: fn.__code__.co_argcount]

    def call(args: Sequence[Tensor], again: bool) -> Any:
        return fn(*args, is_recomputing=again) if "is_recomputing" in names else fn(*args)

    @functools.wraps(fn)
    def wrapped(*args: Any) -> Tensor:
        if not all(isinstance(arg, Tensor) for arg in args):
            raise ValueError("All inputs to function must be Tensors")

        @custom_gradient_of_layers
        def recomputing(*args: Tensor) -> tuple[Tensor, Callable[..., Any]]:
            scope, arguments = get_variable_scope(), current_arg_scope()

            def grad(*grads: Tensor, **given: Any) -> Any:
                variables = given.get("variables", ())
                inputs: list[Any] = [identity(arg) for arg in args]
                # Nothing of it begins before the gradients are there.
                with control_dependencies([grad for grad in grads if grad is not None]):
                    if use_data_dep:
                        inputs = _with_data_dependencies(grads, inputs)
                    with arg_scope(arguments), variable_scope(scope, reuse=True):
                        outputs = call(inputs, True)
                outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
                if set(variables_read(outputs, inputs)) != set(variables):
                    raise ValueError(
                        "The variables used on recompute were different than the variables originally used: the function "
                        "wrapped with @recompute_grad likely makes its own variable scope with a default name and has been "
                        "called twice in the same enclosing scope. Give its scope a name, or each call a scope."
                    )
                made: list[Any] = gradients(outputs, [*inputs, *variables], list(grads))
                if tupleize_grads:
                    made = _with_data_dependencies(made, made) if use_data_dep else joined(made)
                return made if not variables else (made[: len(args)], made[len(args) :])

            return call(args, False), grad

        return recomputing(*args)

    return wrapped


def _with_data_dependencies(first: Sequence[Tensor | None], then: Sequence[Tensor | None]) -> list[Tensor | None]:
    """`then`, made to depend on every tensor of `first` by adding nothing of it."""
    elements = []
    for tensor in first:
        if tensor is not None:
            rank = tensor.get_shape().ndims
            if rank is None:
                raise ValueError(f"Rank of Tensor {tensor} must be known")
            elements.append(raw.Reshape(raw.Slice(tensor, [0] * rank, [1] * rank), []))
    total = add_n(elements)
    if not total.dtype.is_floating:
        raise ValueError(f"Ordering by data needs floating tensors, got {total.dtype.name}.")
    zero = stop_gradient(float(np.finfo(total.dtype.as_numpy_dtype).tiny) * total)
    return [None if tensor is None else identity(tensor) + zero for tensor in then]
