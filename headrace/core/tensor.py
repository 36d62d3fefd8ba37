"""Tensors: the edges of a graph, which name the outputs of operations."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from headrace.core import slots
from headrace.core.dims import Dims, merge_dims
from headrace.core.dtypes import DType
from headrace.core.errors import OperatorNotAllowedInGraphError
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.stacks import session_for

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.graph import Graph
    from headrace.core.operation import Operation
    from headrace.core.typing import SessionLike, TensorLike


_tensor_ids = itertools.count(1)


class Tensor:
    """A handle to one output of an `Operation`; it holds no value, a `Session` computes it.

    Attributes:
        op: the `Operation` that produces it.
        value_index: which output of `op` it is.
        dtype: element type.
        dims: the static shape as a plain tuple with None for unknown sizes, or None for unknown rank.
    """

    # What some tensors have noted on them: their value where the graph's construction found it, the variable behind a
    # handle, and what layers of Keras look for.
    _known_value: np.ndarray
    _variable: Any
    _keras_mask: Any
    _keras_history_checked: bool

    # NumPy's binary operators step back, so that `array + tensor` reaches Tensor.__radd__.
    __array_priority__ = 100

    def __init__(self, op: Operation, value_index: int, dtype: DType, dims: Dims = None) -> None:
        self._op = op
        self._value_index = value_index
        self._dtype = dtype
        self.dims: Dims = dims
        self._consumers: list[Operation] = []
        self._number = next(_tensor_ids)

    @property
    def _id(self) -> int:
        """How many tensors, of all graphs, were made before it."""
        return self._number

    @property
    def op(self) -> Operation:
        """The operation that produces this tensor."""
        return self._op

    @property
    def value_index(self) -> int:
        """Which output of `op` this is."""
        return self._value_index

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self._dtype

    @property
    def graph(self) -> Graph:
        """The graph that contains this tensor."""
        return self._op._graph

    @property
    def name(self) -> str:
        """`op_name:index`."""
        return f"{self._op._name}:{self._value_index}"

    @property
    def _shown_name(self) -> str:
        """What messages call it."""
        return self.name

    @property
    def device(self) -> str:
        """The device the producing operation was asked to run on, or ''."""
        return self._op._device

    @property
    def shape(self) -> TensorShape:
        """The static shape known so far."""
        return TensorShape.from_dims(self.dims)

    @property
    def _shape(self) -> TensorShape:
        return TensorShape.from_dims(self.dims)

    def get_shape(self) -> TensorShape:
        """The static shape known so far (same as `shape`)."""
        return TensorShape.from_dims(self.dims)

    def _shape_as_list(self) -> list[int | None] | None:
        return None if self.dims is None else list(self.dims)

    def _shape_tuple(self) -> Dims:
        return self.dims

    def _rank(self) -> int | None:
        return None if self.dims is None else len(self.dims)

    def set_shape(self, shape: Any) -> None:
        """Adds what `shape` knows to the static shape.

        Args:
            shape: a `TensorShape`, list or tuple; None entries say nothing.

        Raises:
            ValueError: if it contradicts what is known already.
        """
        merged = merge_dims(self.dims, as_dims(shape))
        if merged != self.dims:
            self.dims = merged
            # A plan made before may rest on the weaker shape.
            self._op._graph._version_bump()

    def consumers(self) -> list[Operation]:
        """The operations that take this tensor as an input."""
        return list(self._consumers)

    def eval(self, feed_dict: dict[Any, Any] | None = None, session: SessionLike | None = None) -> Any:
        """Computes this tensor in `session` or the default session and returns a NumPy array."""
        return session_for(self.graph, session, "tensor", "eval").run(self, feed_dict)

    def experimental_ref(self) -> Reference:
        """A hashable reference to this tensor."""
        return Reference(self)

    def __copy__(self) -> Tensor:
        return self

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={TensorShape.from_dims(self.dims)} dtype={self._dtype.name}>"

    def __str__(self) -> str:
        shape = "" if self.dims is None else f", shape={TensorShape.from_dims(self.dims)}"
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name}{device})'

    def __bool__(self) -> bool:
        raise self._not_allowed(
            "using a `tf.Tensor` as a Python `bool`",
            f"The value of {self.name} is not known while the graph is built: use `if t is not None:` to test whether a "
            "tensor is defined, and tf.cond to choose by the value of a tensor.",
        )

    def _not_allowed(self, what: str, instead: str) -> OperatorNotAllowedInGraphError:
        """The error of a use that only a tensor with a value has."""
        graph = self._op._graph
        while not hasattr(graph, "autograph") and hasattr(graph, "outer_graph"):
            graph = graph.outer_graph
        if not hasattr(graph, "autograph"):
            where = "not allowed in Graph execution. Use Eager execution or decorate this function with @tf.function."
        elif graph.autograph:
            where = (
                "not allowed: AutoGraph did not convert this function. Try decorating it directly with @tf.function."
            )
        else:
            where = "not allowed: AutoGraph is disabled in this function. Try decorating it directly with @tf.function."
        return OperatorNotAllowedInGraphError(f"{what} is {where} {instead}")

    __nonzero__ = __bool__

    def __len__(self) -> int:
        raise TypeError(
            f"len is not well defined for symbolic Tensors. ({self.name}) Please call `x.shape` rather than `len(x)` for "
            "shape information."
        )

    def __iter__(self) -> Any:
        raise self._not_allowed(
            "iterating over `tf.Tensor`",
            f"Use tf.map_fn, or tf.unstack when the first dimension of {self.name} is known.",
        )
        yield  # so that asking for the first element is refused, not `iter`

    def __contains__(self, item: object) -> bool:
        raise self._not_allowed("`in` a `tf.Tensor`", "Use tf.reduce_any(tf.equal(x, item)).")

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise NotImplementedError(
            f"Cannot convert a symbolic Tensor ({self.name}) to a numpy array: run it in a Session first."
        )

    _is_graph_tensor = True
    # Whether `==` compares elements where operations run eagerly: `tf.enable_tensor_equality`.
    _USE_EQUALITY = False

    OVERLOADABLE_OPERATORS: ClassVar[set[str]] = {
        *("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__div__", "__rdiv__"),
        *("__truediv__", "__rtruediv__", "__floordiv__", "__rfloordiv__", "__mod__", "__rmod__"),
        *("__lt__", "__le__", "__gt__", "__ge__", "__ne__", "__eq__", "__and__", "__rand__", "__or__", "__ror__"),
        *("__xor__", "__rxor__", "__getitem__", "__pow__", "__rpow__", "__invert__", "__neg__", "__abs__"),
        *("__matmul__", "__rmatmul__"),
    }

    @classmethod
    def _override_operator(cls, operator: str, function: Callable[..., Any]) -> None:
        """Lets an op family say what a Python operator on tensors means."""
        if operator not in cls.OVERLOADABLE_OPERATORS:
            raise ValueError(f"Overriding {operator} is disallowed.")
        setattr(cls, operator, function)

    if TYPE_CHECKING:
        # Tensors of eager execution have it.
        def numpy(self) -> Any: ...

        # The op families install these; type checkers need to know of them.
        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __rfloordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __rmod__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __rmatmul__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __xor__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __getitem__(self, key: Any) -> Tensor: ...

    def _as_node_def_input(self) -> str:
        """What a NodeDef calls it among its inputs."""
        return self.name if self._value_index else self._op._name

    def _as_tf_output(self) -> Tensor:
        """What 1.x's library in C calls it: nothing other than itself here."""
        return self


class Reference:
    """A hashable stand-in for a tensor or variable: equal where they are the very same object."""

    def __init__(self, referent: TensorLike) -> None:
        self._referent = referent

    def deref(self) -> Any:
        """The object referred to."""
        return self._referent

    def __hash__(self) -> int:
        return id(self._referent)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._referent is other._referent


def _installed_at_first_use(operator: str) -> Callable[..., Any]:
    def first(self: Tensor, *operands: Any) -> Tensor:
        if operator == "__getitem__":
            Tensor._override_operator(operator, slots.tensor_item.function)
        else:
            slots.install_operators()
        return getattr(Tensor, operator)(self, *operands)

    first.__name__ = operator
    return first


# What operators mean is composed of ops, which nothing below them imports; `hasattr` and Python itself ask for them before.
for _operator in Tensor.OVERLOADABLE_OPERATORS - set(vars(Tensor)):
    Tensor._override_operator(_operator, _installed_at_first_use(_operator))
