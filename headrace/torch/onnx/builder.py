"""An ONNX graph in the making, and the table of what makes operators of ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from headrace.core.dtypes import DType
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


Rule = Callable[[Operation, "Builder"], Any]

RULES: dict[str, Rule] = {}

# The version of the operator set that is written.
OPSET = 18


def rule(*types: str) -> Callable[[Rule], Rule]:
    """Declares what makes operators of ops of some types: takes an op and the builder, returns its outputs' names."""

    def declare(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(types, function))
        return function

    return declare


def unsupported(op: Operation, why: str) -> NotImplementedError:
    """The error of an op that has no place in ONNX."""
    return NotImplementedError(f"{op.type} (node '{op.name}') cannot be written as ONNX: {why}")


def element_type(dtype: DType) -> int:
    """ONNX's number for a dtype."""
    if dtype.name == "bfloat16":
        return TensorProto.BFLOAT16
    if dtype.name == "string":
        return TensorProto.STRING
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype.as_numpy_dtype))


class Scope:
    """Operators of one graph of ONNX, and what names tensors of TensorFlow have in it.

    Graphs of loops and branches are inside others, whose names they see.

    Args:
        parent: the scope this one is in.
        frame: of a loop's iteration, the frames it is in, outermost first.
        guard: of a branch, the predicate and the side.
        nodes: the operators of a scope to share, where only the names are its own.
    """

    def __init__(
        self,
        parent: Scope | None = None,
        frame: tuple[str, ...] = (),
        guard: tuple[Tensor, bool] | None = None,
        nodes: list[onnx.NodeProto] | None = None,
    ) -> None:
        self.parent, self.frame, self.guard = parent, frame, guard
        self.nodes: list[onnx.NodeProto] = [] if nodes is None else nodes
        self.names: dict[Tensor, str] = {}

    def find(self, tensor: Tensor) -> str | None:
        """The name of a tensor here or around."""
        scope: Scope | None = self
        while scope is not None:
            if tensor in scope.names:
                return scope.names[tensor]
            scope = scope.parent
        return None


class Builder:
    """Collects operators and initializers.

    Args:
        value: gives the value of a tensor as an array, None if it depends on inputs.
    """

    def __init__(self, value: Callable[[Tensor], np.ndarray | None]) -> None:
        self.scope = Scope()
        self.initializers: dict[str, onnx.TensorProto] = {}
        # Names of values that are sequences of tensors, as TensorArrays are while they are written, and their dtypes.
        self.sequences: dict[str, DType] = {}
        # Names of the model's inputs and outputs.
        self.reserved: set[str] = set()
        self.value = value
        self._shared: dict[tuple[Any, ...], str] = {}
        self._kept: list[Any] = []
        self._prefix = ""
        self._made = 0

    def enter(self, op: Operation) -> None:
        """What is emitted from now on stands for an op."""
        self._prefix = op.name

    def sizes(self, tensor: Tensor) -> list[int | None] | None:
        """The elements of a vector of sizes, those that are known."""
        value = self.value(tensor)
        if value is not None:
            return [int(size) for size in value]
        if tensor.op.type != "Pack":
            return None
        values = [self.value(element) for element in tensor.op.inputs]
        return [None if size is None else int(size) for size in values]

    def need(self, op: Operation, index: int) -> np.ndarray:
        """The value of an input that ONNX wants to know when the model is written."""
        value = self.value(op.inputs[index])
        if value is None:
            raise unsupported(op, f"input {index}, {op.inputs[index].name}, depends on the model's inputs")
        return value

    def input(self, op: Operation, index: int) -> str:
        """The name of an op's input."""
        return self.name(op.inputs[index])

    def inputs(self, op: Operation) -> list[str]:
        """The names of an op's inputs."""
        return [self.name(tensor) for tensor in op.inputs]

    def name(self, tensor: Tensor) -> str:
        """The name of a tensor, which becomes an initializer where it is fixed."""
        found = self.scope.find(tensor)
        if found is None:
            value = self.value(tensor)
            if value is None:
                raise unsupported(tensor.op, "it is used where it has no value")
            name = tensor.name.removesuffix(":0")
            # Reading a variable gives what the variable holds, under its name.
            name = name.removesuffix("/read").removesuffix("/Read/ReadVariableOp")
            found = self.constant(value, name)
        return found

    def constant(self, value: TensorLike, name: str = "") -> str:
        """The name of an initializer with a value; equal small ones are shared."""
        array = np.asarray(value)
        if array.dtype.kind in "OSU":
            array = np.array([s if isinstance(s, bytes) else str(s).encode() for s in array.ravel()], object).reshape(
                array.shape
            )
            key: tuple[Any, ...] = (array.shape, tuple(array.ravel()))
        elif array.size <= 64:
            key = (array.shape, array.dtype.str, array.tobytes())
        else:
            key = (id(value), name)
            self._kept.append(value)  # so that no other gets its id
        if key not in self._shared:
            base = name or f"{self._prefix}/const"
            unique, number = base, 0
            while unique in self.initializers or unique in self.reserved:
                number += 1
                unique = f"{base}_{number}"
            self.initializers[unique] = numpy_helper.from_array(
                np.ascontiguousarray(array).reshape(array.shape), unique
            )
            self._shared[key] = unique
        return self._shared[key]

    def ints(self, *values: int) -> str:
        """A vector of int64."""
        return self.constant(np.array(values, np.int64))

    def like(self, tensor: Tensor, value: bool | float) -> str:
        """A scalar of a tensor's dtype."""
        return self.constant(np.array(value, tensor.dtype.as_numpy_dtype))

    def emit_many(self, op_type: str, inputs: Sequence[str], count: int, **attrs: Any) -> list[str]:
        """Adds an operator with several outputs: their names."""
        self._made += 1
        outputs = [f"{self._prefix}/{op_type}_{self._made}:{i}" for i in range(count)]
        given = {key: value for key, value in attrs.items() if value is not None}
        self.scope.nodes.append(
            helper.make_node(op_type, list(inputs), outputs, name=f"{self._prefix}/{op_type}_{self._made}", **given)
        )
        if op_type == "Identity" and inputs[0] in self.sequences:
            self.sequences[outputs[0]] = self.sequences[inputs[0]]
        return outputs

    def emit(self, op_type: str, *inputs: str, **attrs: Any) -> str:
        """Adds an operator with one output: its name."""
        return self.emit_many(op_type, inputs, 1, **attrs)[0]

    def cast(self, name: str, dtype: DType) -> str:
        """A value as another dtype."""
        return self.emit("Cast", name, to=element_type(dtype))

    def to_int64(self, tensor: Tensor) -> str:
        """An integer tensor as int64, which ONNX takes sizes and axes in."""
        value = self.value(tensor)
        if value is not None:
            return self.constant(np.asarray(value, np.int64))
        name = self.name(tensor)
        return name if tensor.dtype.name == "int64" else self.emit("Cast", name, to=TensorProto.INT64)

    def from_int64(self, name: str, dtype: DType) -> str:
        """What ONNX gives as int64, in the dtype that the op gives."""
        return name if dtype.name == "int64" else self.cast(name, dtype)

    def transpose(self, name: str, perm: Sequence[int]) -> str:
        """A value with its dimensions in another order."""
        return name if list(perm) == sorted(perm) else self.emit("Transpose", name, perm=list(perm))
