"""Operations that a program applies to tensors of layers, as layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest, slots
from headrace.core.apply import operation_from_parts
from headrace.core.composite_tensors import CompositeTensor
from headrace.core.constant_value import constant_value
from headrace.core.eager import executing_eagerly
from headrace.core.registry import find_public, raw
from headrace.core.tensor import Tensor
from headrace.keras.backend.execution import function
from headrace.layers.engine import Layer
from headrace.layers.nodes import history_makers
from headrace.layers.values import get_session
from headrace.ops.array.constant import constant
from headrace.state.scoping import init_scope, makes_eager_variables
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import DTypeLike, Nested
    from headrace.messages.protos import NodeDef

_PREFIX = "tf_op_layer_"


class TensorFlowOpLayer(Layer):
    """An operation as a layer.

    Args:
        node_def: the operation as a NodeDef, its bytes, or its fields as a dictionary.
        name: the name of the layer, which is put behind "tf_op_layer_".
        constants: the inputs that do not come from layers, by their number.
        trainable: of no effect: it has no variables.
        dtype: the type of the layer.
    """

    def __init__(
        self,
        node_def: Any,
        name: str,
        constants: Mapping[Any, Any] | None = None,
        trainable: bool = True,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(name=_PREFIX + name, trainable=trainable, dtype=dtype)
        self.node_def = _as_node_def(node_def)
        # Files of models have the numbers as text.
        self.constants = {int(index): value for index, value in (constants or {}).items()}
        self.built = True
        self._attrs: dict[str, Any] | None = None

    def call(self, inputs: Any) -> Any:
        """The output of the operation, or a list of several."""
        if self._attrs is None:
            self._attrs = {key: slots.attr_from_proto(value) for key, value in self.node_def.attr.items()}
        taken = list(nest.flatten(inputs))
        if executing_eagerly():
            return self._run(taken)
        graph = taken[0].graph
        with graph.as_default():
            for index in sorted(self.constants):
                value = _static(self.constants[index])
                name = self.node_def.input[index].partition(":")[0]
                taken.insert(index, value if isinstance(value, Tensor) else constant(value, name=name))
            outputs = self._operation(graph, taken).outputs
        return outputs[0] if len(outputs) == 1 else list(outputs)

    def _operation(self, graph: Any, inputs: list[Any]) -> Operation:
        attrs = {key: value for key, value in (self._attrs or {}).items() if not key.startswith("_")}
        return operation_from_parts(graph, self.node_def.op, inputs, attrs, self.node_def.name)

    def _run(self, inputs: list[Any]) -> Any:
        """What the operation gives when it runs now."""
        decl = find_public(self.node_def.op)
        assert decl is not None
        attrs = dict(self._attrs or {})
        for index in sorted(self.constants):
            inputs.insert(index, _static(self.constants[index]))
        grouped: list[Any] = []
        inferred: set[str] = set()
        for arg in decl.signature.inputs:
            inferred.update(name for name in (arg.type_attr, arg.number_attr, arg.type_list_attr) if name)
            if arg.number_attr is None and arg.type_list_attr is None:
                grouped.append(inputs.pop(0))
                continue
            count = attrs[arg.number_attr] if arg.number_attr is not None else len(attrs[str(arg.type_list_attr)])
            grouped.append(inputs[:count])
            del inputs[:count]
        free = {key: value for key, value in attrs.items() if key in decl.signature.attrs and key not in inferred}
        outputs = getattr(raw, decl.type)(*grouped, **free)
        return list(outputs) if isinstance(outputs, tuple) else outputs

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with; `node_def` as plain values."""
        from google.protobuf import json_format

        config = super().get_config()
        config["name"] = config["name"].removeprefix(_PREFIX)
        fields = json_format.MessageToDict(self.node_def, preserving_proto_field_name=False)
        config["node_def"] = fields
        config["constants"] = {index: _value(constant) for index, constant in self.constants.items()}
        return config


def _as_node_def(node_def: Any) -> NodeDef:
    if isinstance(node_def, (bytes, dict, str)):
        from google.protobuf import json_format, message

        made: NodeDef = slots.node_def_message()
        try:
            if isinstance(node_def, bytes):
                made.ParseFromString(node_def)
            elif isinstance(node_def, str):
                json_format.Parse(node_def, made)
            else:
                json_format.ParseDict(node_def, made)
        except (json_format.ParseError, message.DecodeError) as error:
            raise ValueError(f"The settings of a TensorFlowOpLayer have no NodeDef as `node_def`: {error}") from None
        return made
    found: NodeDef = node_def
    return found


def _static(value: Any) -> Any:
    if isinstance(value, Tensor) and value._is_graph_tensor:
        known = constant_value(value)
        return value if known is None else known
    return value


def _value(value: Any) -> Any:
    """The value of a constant: an array, or a NumPy scalar."""
    known = _static(value)
    return get_session().run(known) if isinstance(known, Tensor) else np.asarray(known)[()]


# ---- making them of operations ----


def create_keras_history(tensors: Nested[Tensor]) -> list[Any]:
    """Makes the operations between tensors and the layers that they depend on layers.

    Args:
        tensors: what is computed by operations from tensors of layers.

    Returns:
        the layers.

    Raises:
        AttributeError: if something is no tensor.
        ValueError: if a composite tensor is computed so.
    """
    made: list[Any] = []
    finished: set[Any] = set()
    stack = [tensor.op for tensor in nest.flatten(tensors) if _is_unknown(tensor)]
    for tensor in nest.flatten(tensors):
        if not isinstance(tensor, Tensor) and getattr(tensor, "_keras_history", None) is None:
            if isinstance(tensor, Variable) and hasattr(tensor, "op"):
                # The model says what it lacks.
                continue
            if not isinstance(tensor, CompositeTensor):
                kind = type(tensor).__name__
                raise AttributeError(
                    f"{kind!r} object has no attribute 'op': expected the output of a layer, got {tensor!r}."
                )
            raise ValueError(
                "Sparse ops are not supported with functional models with built-in layer wrapping. Please wrap the sparse "
                f"ops in a Lambda layer: {tensor}"
            )
    stack.reverse()
    while stack:
        operation = stack[-1]
        if operation in finished:
            stack.pop()
            continue
        layer_inputs = [tensor for tensor in operation.inputs if _from_layers(tensor)]
        waiting = [t.op for t in layer_inputs if _is_unknown(t) and t.op not in finished]
        if waiting:
            stack.extend(reversed(waiting))
            continue
        stack.pop()
        finished.add(operation)
        made.append(_layer_of(operation, layer_inputs))
    return made


def _is_unknown(tensor: Any) -> bool:
    return isinstance(tensor, Tensor) and getattr(tensor, "_keras_history", None) is None


def _from_layers(tensor: Tensor) -> bool:
    """Whether a tensor is computed from one of a layer."""
    seen: set[int] = set()
    waiting = [tensor]
    while waiting:
        current = waiting.pop()
        if getattr(current, "_keras_history", None) is not None:
            return True
        if id(current) in seen:
            continue
        seen.add(id(current))
        waiting.extend(current.op.inputs)
    return False


def _layer_of(operation: Operation, layer_inputs: Sequence[Any]) -> TensorFlowOpLayer:
    taken = {id(tensor) for tensor in layer_inputs}
    constants = {}
    for index, tensor in enumerate(operation.inputs):
        if id(tensor) not in taken:
            value = constant_value(tensor) if makes_eager_variables() else None
            if value is None:
                # In graphs 1.15 runs for what is constant too, and initializes the variables made so far.
                with init_scope():
                    value = function([], tensor)([])
            constants[index] = value
    layer = TensorFlowOpLayer(slots.node_def_of(operation), constants=constants, name=operation.name)
    layer._add_inbound_node(list(layer_inputs), list(operation.outputs))
    return layer


history_makers.append(create_keras_history)
