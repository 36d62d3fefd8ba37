"""The words of specifications: layers, pooling, activations, shapes.

Two letters name a layer and its activation: C is a convolution, F a dense layer; x is the layers' own activation, s sigmoid,
t tanh, r relu, m softmax, l none.
"""

from __future__ import annotations

from typing import Any

from headrace.contrib.layers.batch_norm import batch_norm
from headrace.contrib.layers.convolution import convolution2d
from headrace.contrib.layers.dense import fully_connected
from headrace.contrib.layers.normalization import unit_norm
from headrace.contrib.layers.pooling import avg_pool2d, max_pool2d
from headrace.contrib.layers.shaping import dropout, flatten
from headrace.contrib.specs.composable import Callable, Composable, External, Function, Import, debug
from headrace.core.tensor import Tensor
from headrace.kernels.composing.arranging import concat, identity, transpose
from headrace.kernels.composing.shapes import expand_dims, squeeze
from headrace.ops.array.shape import reshape
from headrace.ops.flow import printing
from headrace.ops.math.unary import sigmoid, tanh
from headrace.ops.nn.activations import relu
from headrace.ops.nn.lrn import local_response_normalization
from headrace.ops.nn.softmax import softmax
from headrace.state.variable_scope import VariableScope, get_variable, variable_scope

# Words of specifications, too.
__all__ = ["External", "Import", "debug"]


class Idx(Composable):
    """Makes of a tensor what it is."""

    def funcall(self, x: Any) -> Any:
        """x."""
        return x


class Conc(Composable):
    """What several functions make, side by side.

    Args:
        dim: along which axis.
        *args: the functions.
    """

    def __init__(self, dim: int, *args: Composable) -> None:
        self.dim, self.funs = dim, args

    def funcall(self, x: Any) -> Tensor:
        """What they make of `x`, concatenated."""
        return concat([f.funcall(x) for f in self.funs], self.dim)


Fun = Function
Print, Id = Fun(printing.Print), Fun(identity)

Cx, Fx = Fun(convolution2d), Fun(fully_connected)
Cs, Fs = (layer(activation_fn=sigmoid) for layer in (Cx, Fx))
Ct, Ft = (layer(activation_fn=tanh) for layer in (Cx, Fx))
Cr, Fr = (layer(activation_fn=relu) for layer in (Cx, Fx))
Cm, Fm = (layer(activation_fn=softmax) for layer in (Cx, Fx))
Cl, Fl = (layer(activation_fn=None) for layer in (Cx, Fx))

Mp, Ap = Fun(max_pool2d), Fun(avg_pool2d)

Do, Bn, Unit = Fun(dropout), Fun(batch_norm), Fun(unit_norm)
Lrn = Fun(local_response_normalization)

Flat, Reshape, Transpose = Fun(flatten), Fun(reshape), Fun(transpose)
Squeeze, Expand = Fun(squeeze), Fun(expand_dims)

Relu, Sig, Tanh, Smax = Fun(relu), Fun(sigmoid), Fun(tanh), Fun(softmax)


def Dws(n: int) -> Function:
    """A dense layer of `n` units with sigmoid, at each place of an image."""
    return Cs(n, [1, 1])


def Dwm(n: int) -> Function:
    """A dense layer of `n` units with softmax, at each place of an image."""
    return Cm(n, [1, 1])


def Var(name: str, *args: Any, **kw: Any) -> Callable:
    """A variable, whatever comes in.

    Args:
        name: its name.
        *args, **kw: further arguments of `tf.get_variable`.
    """
    return Callable(lambda _: get_variable(name, *args, **kw))


class Shared(Composable):
    """A network that has the same variables wherever it is applied.

    Args:
        subnet: the network.
        name: the name of its variable scope; one with a number by default.
        scope: the scope of variables that are there.

    Raises:
        ValueError: if name or scope are none, and for both of them.
    """

    shared_number = 1

    def __init__(self, subnet: Composable, name: str | None = None, scope: VariableScope | None = None) -> None:
        if scope is not None and not isinstance(scope, VariableScope):
            raise ValueError("scope must be None or a VariableScope")
        if name is not None and not isinstance(name, str):
            raise ValueError("name must be None or a string")
        if scope is not None and name is not None:
            raise ValueError("cannot provide both a name and a scope")
        if name is None:
            name = f"Shared_{Shared.shared_number}"
            Shared.shared_number += 1
        self.subnet, self.name, self.scope = subnet, name, scope

    def funcall(self, x: Any) -> Any:
        """What the network makes of `x`; the first time it makes the variables."""
        first = self.scope is None
        with variable_scope(
            self.name if self.scope is None else self.scope, values=[x], reuse=not first or None
        ) as scope:
            self.scope = scope
            return self.subnet.funcall(x)
