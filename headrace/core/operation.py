"""Operations and the tensors they produce: the nodes and edges of a graph."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from headrace.core import callsite
from headrace.core.dtypes import DType
from headrace.core.errors import OperatorNotAllowedInGraphError, OutOfRangeError
from headrace.core.shapes import Dims, TensorShape, as_dims, merge_dims

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.graph import Graph
    from headrace.core.registry import OpDecl


_tensor_ids = itertools.count(1)


class Tensor:
    """A handle to one output of an `Operation`; it holds no value, a `Session` computes it.

    Attributes:
        op: the `Operation` that produces it.
        value_index: which output of `op` it is.
        dtype: element type.
        dims: the static shape as a plain tuple with None for unknown sizes, or None for unknown rank.
    """

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

    def eval(self, feed_dict: dict[Any, Any] | None = None, session: Any = None) -> Any:
        """Computes this tensor in `session` or the default session and returns a NumPy array."""
        return _session_for(self.graph, session, "tensor", "eval").run(self, feed_dict)

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

    def __init__(self, referent: Any) -> None:
        self._referent = referent

    def deref(self) -> Any:
        """The object referred to."""
        return self._referent

    def __hash__(self) -> int:
        return id(self._referent)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._referent is other._referent


class _FromNodeDefToo(type):
    """Lets `Operation(node_def, graph, inputs, output_types)`, as 1.x calls it, add an operation to the graph."""

    def __call__(cls, first: Any, *args: Any, **keywords: Any) -> Any:
        if hasattr(first, "DESCRIPTOR"):
            return importlib.import_module("headrace.core.bare_operations").operation_of(first, *args, **keywords)
        return super().__call__(first, *args, **keywords)


class Operation(metaclass=_FromNodeDefToo):
    """A node of a graph: an op type applied to tensors, with its attributes.

    Attributes:
        attrs: attribute name to value: DType, Dims, int, float, bool, str, NumPy array, or a list of them.
        decl: the declaration of its op type.
    """

    # The scopes it was made in, where there were any.
    _device_scopes: Sequence[Any] = ()
    _colocation_scopes: Sequence[Any] = ()

    def __init__(
        self,
        graph: Graph,
        decl: OpDecl,
        name: str,
        inputs: list[Tensor],
        attrs: dict[str, Any],
        control_inputs: list[Operation],
        device: str,
    ) -> None:
        self._graph = graph
        self.decl = decl
        self._name = name
        self._inputs = inputs
        self.attrs = attrs
        self._control_inputs = control_inputs
        self._device = device
        self._outputs: list[Tensor] = []
        self._control_outputs: list[Operation] = []
        self._control_flow_context: Any = None
        self._original_op: Operation | None = None
        # Whether a write runs in the order the program made it rather than after the readers: initializers do, for
        # one initial value may read another variable.
        self._in_program_order = False
        self._frames = callsite.user_frames(2)
        self._id = graph._next_id()
        self._gradient_function: Callable[..., Any] | None = None
        for tensor in inputs:
            tensor._consumers.append(self)
        for op in control_inputs:
            op._control_outputs.append(self)

    @property
    def name(self) -> str:
        """Full name in the graph."""
        return self._name

    @property
    def type(self) -> str:
        """The op type, such as "MatMul"."""
        return self.decl.type

    @property
    def graph(self) -> Graph:
        """The graph that contains this operation."""
        return self._graph

    @property
    def inputs(self) -> list[Tensor]:
        """The tensors it takes, lists flattened in the order of the signature."""
        return self._inputs

    @property
    def outputs(self) -> list[Tensor]:
        """The tensors it produces."""
        return self._outputs

    @property
    def control_inputs(self) -> list[Operation]:
        """Operations that must have run before it."""
        return self._control_inputs

    @property
    def _id_value(self) -> int:
        """Its number in the graph, from 1."""
        return self._id

    @property
    def _c_op(self) -> Operation:
        """What 1.x's library in C calls it: nothing other than itself here."""
        return self

    @property
    def _is_stateful(self) -> bool:
        """Whether two like it may differ."""
        return self.decl.stateful

    @property
    def _control_outputs_list(self) -> list[Operation]:
        return self._control_outputs

    @property
    def device(self) -> str:
        """The device it was asked to run on, or ''."""
        return self._device

    @property
    def traceback(self) -> tuple[tuple[str, int, str, str | None], ...]:
        """Where it was made: (filename, line, function, source), outermost first."""
        return tuple(callsite.extract(self._frames))

    @property
    def traceback_with_start_lines(self) -> list[tuple[str, int, str, str | None, int]]:
        """Where it was made, with the line where each function begins."""
        starts = [code.co_firstlineno for code, _ in reversed(self._frames)]
        return [(*row, start) for row, start in zip(self.traceback, starts, strict=True)]

    @property
    def _device_assignments(self) -> list[Any]:
        """The device scopes it was made in and where they were opened, the innermost first."""
        return [scope.origin for scope in reversed(self._device_scopes) if scope is not None]

    @property
    def _colocation_dict(self) -> dict[str, Any]:
        """Where the colocation scopes it was made in were opened, by the operation they name."""
        return {origin.obj: origin.copy_metadata() for origin in self._colocation_scopes}

    @property
    def creation_site(self) -> str | None:
        """`train.py:41: y = tf.matmul(x, w)`: the user's line that made it."""
        return callsite.describe(self._frames)

    @property
    def node_def(self) -> Any:
        """This operation as a `NodeDef` message."""
        return importlib.import_module("headrace.interop.node_def").node_def_of(self)

    @property
    def op_def(self) -> Any:
        """The op's definition as an `OpDef` message."""
        return importlib.import_module("headrace.interop.op_def").op_def_of(self.decl)

    def get_attr(self, name: str) -> Any:
        """The value of attribute `name`: types as `DType`, strings as bytes, shapes and tensors as protos.

        Raises:
            ValueError: if the operation has no such attribute.
        """
        if name not in self.attrs:
            raise ValueError(f"Operation '{self._name}' has no attr named '{name}'.")
        return importlib.import_module("headrace.interop.node_def").public_attr(self, name)

    def _set_attr(self, name: str, value: Any) -> None:
        """Sets an attribute from an `AttrValue` message or a plain value."""
        if hasattr(value, "WhichOneof"):
            value = importlib.import_module("headrace.interop.node_def").attr_from_proto(value)
        self.attrs[name] = value
        self._graph._version_bump()

    def colocation_groups(self) -> list[bytes]:
        """The groups (`loc:@name`) this operation is colocated with; itself when none was asked for."""
        groups = [g.encode() if isinstance(g, str) else g for g in self.attrs.get("_class", ())]
        groups = [g for g in groups if g.startswith(b"loc:@")]
        return groups or [f"loc:@{self._name}".encode()]

    def run(self, feed_dict: dict[Any, Any] | None = None, session: Any = None) -> None:
        """Runs this operation in `session` or the default session."""
        _session_for(self._graph, session, "operation", "run").run(self, feed_dict)

    def values(self) -> tuple[Tensor, ...]:
        """The outputs as a tuple."""
        return tuple(self._outputs)

    def constant(self, index: int) -> np.ndarray | None:
        """The value of input `index` where it is known while the graph is built, else None."""
        from headrace.core.constant_value import constant_value

        return constant_value(self._inputs[index])

    def constant_dims(self, index: int) -> Dims:
        """What is known of input `index`, an integer vector that describes a shape."""
        from headrace.core.constant_value import constant_dims

        return constant_dims(self._inputs[index])

    def _update_input(self, index: int, tensor: Tensor) -> None:
        self._graph._check_not_finalized()
        if not isinstance(tensor, Tensor):
            raise TypeError(f"tensor must be a Tensor: {tensor}")
        if tensor.graph is not self._graph:
            raise ValueError(f"{tensor} must be from the same graph as {self}.")
        if not 0 <= index < len(self._inputs):
            raise OutOfRangeError(
                None,
                None,
                f"Cannot update edge. Input index [{index}] is greater than the number of total inputs "
                f"[{len(self._inputs)}].",
            )
        old = self._inputs[index]
        self._inputs[index] = tensor
        old._consumers.remove(self)
        tensor._consumers.append(self)
        self._graph._version_bump()

    def _add_control_input(self, op: Operation) -> None:
        self._add_control_inputs([op])

    def _add_control_inputs(self, ops: Sequence[Operation]) -> None:
        for op in ops:
            if not isinstance(op, Operation):
                raise TypeError(f"op must be an Operation: {op}")
            if all(op is not have for have in self._control_inputs):
                self._control_inputs.append(op)
                op._control_outputs.append(self)
        self._graph._version_bump()

    def _remove_all_control_inputs(self) -> None:
        for op in self._control_inputs:
            op._control_outputs.remove(self)
        self._control_inputs.clear()
        self._graph._version_bump()

    def _get_control_flow_context(self) -> Any:
        return self._control_flow_context

    def _set_control_flow_context(self, context: Any) -> None:
        self._control_flow_context = context

    def _set_device(self, device: Any) -> None:
        self._device = device if isinstance(device, str) else device.to_string()
        self._graph._version_bump()

    @property
    def _output_types(self) -> list[int]:
        return [t._dtype.as_datatype_enum for t in self._outputs]

    @property
    def _input_types(self) -> list[DType]:
        """The types of the inputs, references where the op takes references."""
        types = [t._dtype.base_dtype for t in self._inputs]
        if not self.decl.takes_references:
            return types
        position = 0
        for arg in self.decl.signature.inputs:
            count = 1
            if arg.number_attr is not None:
                count = self.attrs[arg.number_attr]
            elif arg.type_list_attr is not None:
                count = len(self.attrs[arg.type_list_attr])
            if arg.is_ref:
                types[position : position + count] = [t._as_ref for t in types[position : position + count]]
            position += count
        return types

    def __repr__(self) -> str:
        return f"<tf.Operation '{self._name}' type={self.type}>"

    def __str__(self) -> str:
        return str(self.node_def)


def _session_for(graph: Graph, session: Any, what: str, method: str) -> Any:
    from headrace.core.defaults import get_default_session

    doing = "evaluate" if what == "tensor" else "execute"
    if session is None:
        session = get_default_session()
        if session is None:
            raise ValueError(
                f"Cannot {doing} {what} using `{method}()`: No default session is registered. Use "
                f"`with sess.as_default():` or pass an explicit session to `{method}(session=sess)`"
            )
        if session.graph is not graph:
            raise ValueError(
                f"Cannot use the default session to {doing} {what}: the {what}'s graph is different from the "
                f"session's graph. Pass an explicit session to `{method}(session=sess)`."
            )
    elif session.graph is not graph:
        raise ValueError(
            f"Cannot use the given session to {doing} {what}: the {what}'s graph is different from the session's graph."
        )
    return session
