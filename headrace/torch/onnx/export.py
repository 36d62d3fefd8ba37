"""Walking a graph, and writing it as an ONNX model."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import helper

from headrace.core.dtypes import DType
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.core.version import __version__
from headrace.messages import protos
from headrace.messages.tensor_proto import MakeNdarray
from headrace.torch.module import GraphModule
from headrace.torch.onnx import arrays, elementwise, networks, tensor_arrays
from headrace.torch.onnx.builder import OPSET, RULES, Builder, Scope, element_type, unsupported
from headrace.torch.onnx.structure import Structure, is_loop_merge, resolved

if TYPE_CHECKING:
    from pathlib import Path


# Modules of rules, imported for what they declare.
_RULES = (arrays, elementwise, networks, tensor_arrays)
# Arithmetic of sizes.
_OF_SIZES = (
    "Add",
    "AddV2",
    "Cast",
    "FloorDiv",
    "Identity",
    "Maximum",
    "Minimum",
    "Mul",
    "Pack",
    "Prod",
    "Range",
    "Sub",
)
_ALIASES = ("Switch", "Enter", "LoopCond", "RefSwitch", "RefEnter")


class _Exporter:
    """A module's graph on its way to ONNX."""

    def __init__(self, module: GraphModule) -> None:
        self._module = module
        graph = module._graph
        self._given = [graph.get_tensor_by_name(name) for name in module.input_names]
        self._fetched = [graph.get_tensor_by_name(name) for name in module._flat_outputs]
        self._variables = {
            graph.get_tensor_by_name(f"{name}:0"): value.detach().cpu().numpy()
            for name, value in module.named_variables().items()
        }
        ends = frozenset(tensor.op for tensor in (*self._given, *self._variables))
        self._structure = Structure(self._fetched, ends)
        self._dependent = self._find_dependent()
        self._values: dict[Tensor, np.ndarray | None] = {}
        self._builder = Builder(self._value)

    def _find_dependent(self) -> set[Operation]:
        """The ops that depend on inputs, on chance, or on the iteration of a loop."""
        found = {tensor.op for tensor in self._given}
        for op in self._structure.ops:
            if op in found or op.type == "Const" or any(tensor in self._variables for tensor in op.outputs):
                continue
            looped = self._structure.frames[op] and op.type not in ("Enter", "Identity")
            unplaced = op.type in ("Placeholder", "Merge", "NextIteration", "Exit") or op.type.startswith("TensorArray")
            if looped or unplaced or op.op_def.is_stateful or any(tensor.op in found for tensor in op.inputs):
                found.add(op)
        return found

    def _value(self, tensor: Tensor) -> np.ndarray | None:
        """What a tensor holds whatever the inputs are; None if there is no such thing."""
        if tensor in self._variables:
            return self._variables[tensor]
        if tensor.op in self._dependent:
            if tensor not in self._values:
                self._values[tensor] = self._chosen(tensor) if tensor.op.type == "Merge" else self._of_sizes(tensor)
            return self._values[tensor]
        if tensor not in self._values:
            if tensor.op.type in ("Identity", "Enter"):
                self._values[tensor] = self._value(tensor.op.inputs[0])
            elif self._structure.guards[tensor.op] and tensor.op.type != "Const":
                # In a branch; nothing says that it is taken.
                self._values[tensor] = None
            else:
                self._values[tensor] = np.asarray(self._computed(tensor))
        return self._values[tensor]

    def _computed(self, tensor: Tensor) -> Any:
        if tensor.op.type != "Const":
            return self._module._session.run(tensor, dict(self._variables))
        value = tensor.op.get_attr("value")
        return MakeNdarray(value) if isinstance(value, protos.TensorProto) else value

    def _chosen(self, tensor: Tensor) -> np.ndarray | None:
        """The value of a Merge whose predicate is fixed, where the branch it takes is fixed."""
        if is_loop_merge(tensor.op) or tensor.value_index:
            return None
        side = self._taken(tensor.op)
        return None if side is None else self._value(side)

    def _of_sizes(self, tensor: Tensor) -> np.ndarray | None:
        """What is computed of sizes that are known, though other sizes of the same tensor are not."""
        op = tensor.op
        if op.type in _OF_SIZES:
            if self._structure.frames[op] or self._structure.guards[op]:
                return None
            given = {t: self._value(t) for t in op.inputs}
            if op.inputs and all(value is not None for value in given.values()):
                return np.asarray(self._module._session.run(tensor, given))
        elif op.type == "Shape":
            dims = op.inputs[0].dims
            if dims is not None and None not in dims:
                return np.array(dims, tensor.dtype.as_numpy_dtype)
        elif op.type == "StridedSlice" and op.inputs[0].op.type == "Shape" and op.get_attr("shrink_axis_mask") == 1:
            dims, begin = op.inputs[0].op.inputs[0].dims, self._value(op.inputs[1])
            size = None if dims is None or begin is None else dims[int(begin[0])]
            return None if size is None else np.array(size, tensor.dtype.as_numpy_dtype)
        return None

    def _taken(self, op: Operation) -> Tensor | None:
        """The input that a Merge passes on, where that is fixed."""
        predicate = self._structure.predicate(op)
        value = None if predicate is None else self._value(predicate)
        if value is None:
            return None
        return next(t for t in op.inputs if (predicate, bool(value)) in self._structure.guards_of(t))

    # ------------------------------------------------------------------------------------------------- operators

    def _require(self, tensors: list[Tensor]) -> list[str]:
        """Emits what some tensors need that is not there yet: their names."""
        b, here = self._builder, self._builder.scope
        stack = tensors[::-1]
        while stack:
            tensor = stack[-1]
            b.scope = self._scope_of(tensor, here)
            if b.scope.find(tensor) is not None or self._value(tensor) is not None:
                stack.pop()
                continue
            missing = [
                t for t in self._needed(tensor.op)
                if b.scope.find(t) is None and self._value(t) is None
            ]  # fmt: skip
            if missing:
                if len(stack) > 4 * len(self._structure.ops) + 100:
                    raise unsupported(tensor.op, "it goes around a loop that has no operator")
                stack.extend(missing)
                continue
            self._emit(tensor.op)
            stack.pop()
        b.scope = here
        return [b.name(tensor) for tensor in tensors]

    def _scope_of(self, tensor: Tensor, scope: Scope) -> Scope:
        """The outermost scope, from one on, in which a tensor has its place."""
        frames, guards = self._structure.frames[tensor.op], self._structure.guards_of(tensor)
        while scope.parent is not None:
            inside = scope.guard in guards if scope.guard is not None else frames[: len(scope.frame)] == scope.frame
            if inside:
                break
            scope = scope.parent
        return scope

    def _needed(self, op: Operation) -> list[Tensor]:
        """What has to be there before an op is emitted. Loops and branches see to what they need themselves."""
        if op.type == "Exit":
            return []
        if op.type == "Merge":
            taken = self._taken(op)
            predicate = self._structure.predicate(op)
            return [taken] if taken is not None else [predicate] if predicate is not None else []
        return list(op.inputs[:1]) if op.type in _ALIASES else list(op.inputs)

    def _emit(self, op: Operation) -> None:
        b = self._builder
        b.enter(op)
        names = b.scope.names
        if op.type in _ALIASES:
            names.update(dict.fromkeys(op.outputs, b.name(op.inputs[0])))
        elif op.type == "Exit":
            self._loop(op)
        elif op.type == "Merge":
            self._branch(op)
        elif op.type in RULES:
            made = RULES[op.type](op, b)
            names.update(zip(op.outputs, [made] if isinstance(made, str) else made))
        elif op.type == "Placeholder":
            raise ValueError(f"The placeholder '{op.name}' is needed but is no input of the module.")
        else:
            raise unsupported(op, "there is no operator for it")

    def _type_of(self, name: str, like: Tensor) -> Any:
        """The type of a value that is carried from scope to scope."""
        if name in self._builder.sequences:
            dtype = self._builder.sequences[name]
            return helper.make_sequence_type_proto(helper.make_tensor_type_proto(element_type(dtype), None))
        return helper.make_tensor_type_proto(element_type(like.dtype), None)

    def _branch(self, op: Operation) -> None:
        b = self._builder
        taken = self._taken(op)
        if taken is not None:
            b.scope.names[op.outputs[0]] = b.name(taken)
            return
        predicate = self._structure.predicate(op)
        if predicate is None:
            raise unsupported(op, "it is not the end of a condition with two branches")
        outer, graphs = b.scope, {}
        condition = b.name(predicate)
        for tensor in op.inputs:
            side = (predicate, True) in self._structure.guards_of(tensor)
            b.scope = Scope(outer, outer.frame, (predicate, side))
            (name,) = self._require([tensor])
            made = b.emit("Identity", name)
            output = helper.make_value_info(made, self._type_of(name, tensor))
            graphs[side] = helper.make_graph(b.scope.nodes, f"{op.name}/{side}", [], [output])
            b.scope = outer
        b.enter(op)
        outer.names[op.outputs[0]] = b.emit("If", condition, then_branch=graphs[True], else_branch=graphs[False])

    def _loop(self, op: Operation) -> None:
        b, outer = self._builder, self._builder.scope
        switch = op.inputs[0].op
        condition = resolved(switch.inputs[1]).op.inputs[0]
        frame = self._structure.frames[switch]
        merges = [o for o in self._structure.ops if is_loop_merge(o) and self._structure.frames[o] == frame]
        entered = [next(t for t in merge.inputs if t.op.type == "Enter") for merge in merges]
        around = [next(t for t in merge.inputs if t.op.type == "NextIteration").op.inputs[0] for merge in merges]
        initial = self._require([tensor.op.inputs[0] for tensor in entered])
        first = self._condition(condition, frame, outer, outer.nodes, merges, initial)

        b.enter(op)
        iteration = Scope(outer, frame)
        prefix = "/".join(frame)
        count, going = f"{prefix}/iteration", f"{prefix}/going"
        carried = [f"{merge.name}/carried" for merge in merges]
        for name, start, merge in zip(carried, initial, merges):
            iteration.names[merge.outputs[0]] = name
            if start in b.sequences:
                b.sequences[name] = b.sequences[start]
        b.scope = iteration
        made = self._require(around)
        again = self._condition(condition, frame, outer, iteration.nodes, merges, made)
        b.enter(op)
        results = [b.emit("Identity", name) for name in made]
        again = b.emit("Identity", again)
        b.scope = outer
        types = [self._type_of(start, merge.outputs[0]) for start, merge in zip(initial, merges)]
        body = helper.make_graph(
            iteration.nodes,
            prefix,
            [
                helper.make_tensor_value_info(count, onnx.TensorProto.INT64, []),
                helper.make_tensor_value_info(going, onnx.TensorProto.BOOL, []),
                *[helper.make_value_info(name, kind) for name, kind in zip(carried, types)],
            ],
            [
                helper.make_tensor_value_info(again, onnx.TensorProto.BOOL, []),
                *[helper.make_value_info(name, kind) for name, kind in zip(results, types)],
            ],
        )
        outputs = b.emit_many("Loop", ["", first, *initial], len(merges), body=body)
        for merge, output, start in zip(merges, outputs, initial):
            if start in b.sequences:
                b.sequences[output] = b.sequences[start]
            for user in merge.outputs[0].consumers():
                if user.type == "Switch":
                    for leaving in user.outputs[0].consumers():
                        if leaving.type == "Exit":
                            outer.names[leaving.outputs[0]] = output

    def _condition(
        self,
        tensor: Tensor,
        frame: tuple[str, ...],
        outer: Scope,
        nodes: list[Any],
        merges: list[Any],
        names: list[str],
    ) -> str:
        """Whether a loop goes on, with what its variables hold."""
        b, here = self._builder, self._builder.scope
        b.scope = Scope(outer, frame, nodes=nodes)
        b.scope.names.update((merge.outputs[0], name) for merge, name in zip(merges, names))
        (found,) = self._require([tensor])
        b.scope = here
        return found

    # ----------------------------------------------------------------------------------------------------- model

    def model(self) -> onnx.ModelProto:
        """The whole model."""
        b = self._builder
        inputs = []
        for tensor in self._given:
            name = tensor.name.removesuffix(":0")
            b.scope.names[tensor] = name
            inputs.append(_described(name, tensor.dtype, tensor.dims))
        b.reserved.update(value.name for value in inputs)
        names = []
        for name in self._output_names():
            while name in b.reserved:
                name += "_"
            b.reserved.add(name)
            names.append(name)
        outputs = []
        for name, source, tensor in zip(names, self._require(self._fetched), self._fetched):
            b.scope.nodes.append(helper.make_node("Identity", [source], [name], name=f"{name}/output"))
            outputs.append(_described(name, tensor.dtype, tensor.dims))
        used = {name for node in _all_nodes(b.scope.nodes) for name in node.input}
        initializers = [tensor for name, tensor in b.initializers.items() if name in used]
        graph = helper.make_graph(b.scope.nodes, "headrace", inputs, outputs, initializers)
        return helper.make_model(
            graph,
            producer_name="headrace",
            producer_version=__version__,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=9,
        )

    def _output_names(self) -> list[str]:
        """Keys where the outputs are a dict, names of ops otherwise."""
        if isinstance(self._module.outputs, dict) and all(isinstance(v, str) for v in self._module.outputs.values()):
            return sorted(self._module.outputs)
        return [name.removesuffix(":0").replace(":", "_") for name in self._module._flat_outputs]


def _all_nodes(nodes: Any) -> Any:
    for node in nodes:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _all_nodes(attribute.g.node)


def _described(name: str, dtype: DType, dims: Any) -> onnx.ValueInfoProto:
    """A tensor's type, with names for sizes that are open."""
    shape = None if dims is None else [f"{name}_{i}" if size is None else size for i, size in enumerate(dims)]
    return helper.make_tensor_value_info(name, element_type(dtype), shape)


def to_onnx(module: GraphModule, path: str | Path | None = None) -> onnx.ModelProto:
    """Writes a module as an ONNX model, which gives what the module gives.

    Args:
        module: what `to_module` or `from_saved_model` made.
        path: the file to write; none is written where it is left out.

    Returns:
        the model. Sizes that are not known are open: batches may be of any size.

    Raises:
        NotImplementedError: if an op has no counterpart in ONNX; it is named.
        ValueError: if the outputs need placeholders that are no inputs.

    Example:
        >>> batch = tf.placeholder(tf.float32, [None, 3])
        >>> module = headrace.torch.to_module({"y": tf.matmul(batch, w)}, [batch], sess)
        >>> model = headrace.torch.to_onnx(module, "model.onnx")
        >>> [value.name for value in model.graph.output]
        ['y']
    """
    model = _Exporter(module).model()
    if model.ByteSize() < onnx.checker.MAXIMUM_PROTOBUF:
        onnx.checker.check_model(model)
        if path is not None:
            onnx.save_model(model, os.fspath(path))
    elif path is not None:
        # Beyond the size of a message, the weights go to a file beside it.
        weights = os.path.basename(os.fspath(path)) + ".data"
        onnx.save_model(model, os.fspath(path), save_as_external_data=True, location=weights)
    return model
