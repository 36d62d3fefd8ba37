"""Operations: the nodes of a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import slots
from headrace.core.dims import Dims
from headrace.core.dtypes import DType
from headrace.core.errors import OutOfRangeError
from headrace.core.stacks import session_for
from headrace.core.tensor import Tensor
from headrace.util import callsite

if TYPE_CHECKING:
    import numpy as np
    from tensorboard.compat.proto.node_def_pb2 import NodeDef
    from tensorboard.compat.proto.op_def_pb2 import OpDef

    from headrace.core.eager import EagerOperation
    from headrace.core.graph import Graph
    from headrace.core.registry import OpDecl
    from headrace.core.typing import SessionLike


class _FromNodeDefToo(type):
    """Lets `Operation(node_def, graph, inputs, output_types)`, as 1.x calls it, add an operation to the graph."""

    def __call__(cls, first: Any, *args: Any, **keywords: Any) -> EagerOperation:
        if hasattr(first, "DESCRIPTOR"):
            return slots.operation_of(first, *args, **keywords)
        return super().__call__(first, *args, **keywords)


class Operation(metaclass=_FromNodeDefToo):
    """A node of a graph: an op type applied to tensors, with its attributes.

    Attributes:
        attrs: attribute name to value: DType, Dims, int, float, bool, str, NumPy array, or a list of them.
        decl: the declaration of its op type.
    """

    # What only some operations have stands here for the others: a graph has many.
    # The scopes it was made in.
    _device_scopes: Sequence[Any] = ()
    _colocation_scopes: Sequence[Any] = ()
    _control_inputs: list[Operation] | tuple[()] = ()
    _control_outputs: list[Operation] | tuple[()] = ()
    _control_flow_context: Any = None
    _original_op: Operation | None = None
    # Whether a write runs in the order the program made it rather than after the readers: initializers do, for
    # one initial value may read another variable.
    _in_program_order = False
    # Of a branch or a loop that gives more for its gradient: how many inputs and results, and which attributes it had before.
    _original: tuple[int, int, dict[str, Any]] | None = None
    _gradient_function: Callable[..., Any] | None = None

    def __init__(
        self,
        graph: Graph,
        decl: OpDecl,
        name: str,
        inputs: list[Tensor],
        attrs: dict[str, Any],
        control_inputs: list[Operation],
        device: str,
        frames: callsite.Frames | None = None,
    ) -> None:
        self._graph = graph
        self.decl = decl
        self._name = name
        self._inputs = inputs
        self.attrs = attrs
        self._device = device
        self._outputs: list[Tensor] = []
        self._frames = callsite.user_frames(2) if frames is None else frames
        self._id = graph._next_id()
        for tensor in inputs:
            tensor._consumers.append(self)
        if control_inputs:
            self._control_inputs = control_inputs
            for op in control_inputs:
                op._let_wait(self)

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
        return list(self._control_inputs)

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
        return list(self._control_outputs)

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
    def node_def(self) -> NodeDef:
        """This operation as a `NodeDef` message."""
        return slots.node_def_of(self)

    @property
    def op_def(self) -> OpDef:
        """The op's definition as an `OpDef` message."""
        return slots.op_def_of(self.decl)

    def get_attr(self, name: str) -> Any:
        """The value of attribute `name`: types as `DType`, strings as bytes, shapes and tensors as protos.

        Raises:
            ValueError: if the operation has no such attribute.
        """
        if name not in self.attrs:
            raise ValueError(f"Operation '{self._name}' has no attr named '{name}'.")
        return slots.public_attr(self, name)

    def _set_attr(self, name: str, value: Any) -> None:
        """Sets an attribute from an `AttrValue` message or a plain value."""
        if hasattr(value, "WhichOneof"):
            value = slots.attr_from_proto(value)
        self.attrs[name] = value
        self._graph._version_bump()

    def colocation_groups(self) -> list[bytes]:
        """The groups (`loc:@name`) this operation is colocated with; itself when none was asked for."""
        groups = [g.encode() if isinstance(g, str) else g for g in self.attrs.get("_class", ())]
        groups = [g for g in groups if g.startswith(b"loc:@")]
        return groups or [f"loc:@{self._name}".encode()]

    def run(self, feed_dict: dict[Any, Any] | None = None, session: SessionLike | None = None) -> None:
        """Runs this operation in `session` or the default session."""
        session_for(self._graph, session, "operation", "run").run(self, feed_dict)

    def values(self) -> tuple[Tensor, ...]:
        """The outputs as a tuple."""
        return tuple(self._outputs)

    def constant(self, index: int) -> np.ndarray | None:
        """The value of input `index` where it is known while the graph is built, else None."""
        from headrace.core.constant_value import constant_value

        return constant_value(self._inputs[index])

    def constant_dims(self, index: int, *, captured: bool = False) -> Dims:
        """What is known of input `index`, an integer vector that describes a shape.

        Args:
            index: which input.
            captured: whether what a function has captured counts as what it is outside.
        """
        from headrace.core.constant_value import constant_dims

        return constant_dims(self._inputs[index], captured=captured)

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

    def _let_wait(self, op: Operation) -> None:
        if self._control_outputs:
            self._control_outputs.append(op)
        else:
            self._control_outputs = [op]

    def _add_control_input(self, op: Operation) -> None:
        self._add_control_inputs([op])

    def _add_control_inputs(self, ops: Sequence[Operation]) -> None:
        for op in ops:
            if not isinstance(op, Operation):
                raise TypeError(f"op must be an Operation: {op}")
            if all(op is not have for have in self._control_inputs):
                self._control_inputs = [*self._control_inputs, op]
                op._let_wait(self)
        self._graph._version_bump()

    def _remove_all_control_inputs(self) -> None:
        for op in self._control_inputs:
            op._control_outputs = [other for other in op._control_outputs if other is not self]
        self._control_inputs = ()
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
