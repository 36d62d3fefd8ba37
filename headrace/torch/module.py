"""Graphs as modules of PyTorch: parameters for variables, and gradients by the graph's own."""

from __future__ import annotations

import pickle
import re
import struct
import zipfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from headrace.autodiff.gradients import gradients
from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import as_dtype
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.registry import CALLS
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.graph_tools.cutting import cut_at
from headrace.graph_tools.inlining import with_calls_inlined
from headrace.kernels.host_values import to_array, to_tensor
from headrace.messages import protos
from headrace.messages.file_faults import faults_in
from headrace.messages.graph_def import import_graph_def
from headrace.messages.graph_util import convert_variables_to_constants
from headrace.messages.node_def import shape_to_proto
from headrace.messages.tensor_proto import MakeNdarray
from headrace.ops.array.constant import placeholder
from headrace.plan.passes import FUSIONS
from headrace.plan.pipeline import without
from headrace.runtime.session import Session
from headrace.saved_model import names as saved_model_names
from headrace.saved_model.loading import load as load_saved_model

if TYPE_CHECKING:
    from pathlib import Path

    from headrace.core.typing import Fetches, SessionLike, TensorLike
    from headrace.plan.plan import Plan


# Fusions that compute sizes of shapes: to an exporter these stay open, where a tensor of sizes would be unknown values.
_OF_SIZES = {"loop shapes", "sizes"}
_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
_FORMAT = 1


class GraphModule(nn.Module):
    """A graph as a function of its inputs and variables; made by `to_module`.

    The variables are its parameters (trainable ones) and buffers (others), each under its name with "/" and "." made
    "__". Calling it runs the graph; `backward` runs the gradient that the graph's own ops define. It keeps a graph of its
    own: training it does not change the session it was made from.

    Args:
        graph_def: the graph, with placeholders for inputs and variables.
        inputs: names of the tensors that calls give, in order.
        outputs: the structure of what calls return, with names of tensors.
        variables: names to values.
        trainable: names of those that are parameters.
    """

    def __init__(
        self,
        graph_def: protos.GraphDef,
        inputs: Sequence[str],
        outputs: Any,
        variables: Mapping[str, Any],
        trainable: Sequence[str],
    ) -> None:
        super().__init__()
        self.graph_def = graph_def
        self.input_names = list(inputs)
        self.outputs = outputs
        self._flat_outputs: list[str] = nest.flatten(outputs)
        self._variables = list(variables)
        self._members = {name: re.sub(r"[/.]", "__", name) for name in self._variables}
        for name, value in variables.items():
            tensor = value if isinstance(value, torch.Tensor) else to_tensor(np.array(value))
            if name in trainable and tensor.is_floating_point():
                self.register_parameter(self._members[name], nn.Parameter(tensor))
            else:
                self.register_buffer(self._members[name], tensor)
        self._prepare()

    def _prepare(self) -> None:
        self._graph = Graph()
        with self._graph.as_default():
            import_graph_def(self.graph_def, name="")
            self._set_shapes()
            self._fed = [self._tensor(name) for name in self.input_names]
            self._fed += [self._tensor(f"{name}:0") for name in self._variables]
            self._fetched = [self._tensor(name) for name in self._flat_outputs]
            self._differentiable = [i for i, tensor in enumerate(self._fetched) if tensor.dtype.is_floating]
            self._gradients: dict[tuple[int, ...], tuple[list[Tensor], list[Any]]] = {}
        self._session = Session(graph=self._graph)

    def _set_shapes(self) -> None:
        """Gives tensors the shapes they had in the graph the module was made from: layers know more than ops tell."""
        for node in self.graph_def.node:
            if "_output_shapes" in node.attr:
                outputs = self._graph.get_operation_by_name(node.name).outputs
                for tensor, shape in zip(outputs, node.attr["_output_shapes"].list.shape):
                    tensor.set_shape(TensorShape(shape))

    def _tensor(self, name: str) -> Tensor:
        return self._graph.get_tensor_by_name(name)

    def named_variables(self) -> dict[str, torch.Tensor]:
        """The variables by the names they had in the graph."""
        return {name: getattr(self, member) for name, member in self._members.items()}

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Takes over values, as of every module; names may also be those of the variables, as checkpoints have them.

        Args:
            state_dict: tensors by the names of parameters and buffers, or of variables.
            strict: whether other names, and variables without a value, are an error.
            assign: whether the tensors themselves become the parameters, instead of their values.

        Returns:
            the names that were missing and those that were not expected, as PyTorch gives them.

        Raises:
            RuntimeError: for names or shapes that do not fit.

        Example:
            >>> module = headrace.torch.to_module(logits, [x], sess)
            >>> path = saver.save(sess, "./model.ckpt")
            >>> module.load_state_dict(headrace.torch.from_checkpoint(path), strict=False).missing_keys
            []
        """
        members = {self._members.get(name, name): value for name, value in state_dict.items()}
        return super().load_state_dict(members, strict, assign)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the graph gives for some inputs.

        Args:
            *args: the inputs, in order: tensors, arrays, or strings as NumPy has them.
            **kwargs: inputs by the names of their placeholders.

        Returns:
            tensors in the structure of the fetches; strings as NumPy arrays.

        Raises:
            TypeError: if inputs are missing or too many.
        """
        given = dict(zip(self.input_names, args))
        for key, value in kwargs.items():
            name = key if ":" in key else f"{key}:0"
            if name not in self.input_names or name in given:
                raise TypeError(f"{key!r} is no input, or is given twice; inputs: {', '.join(self.input_names)}")
            given[name] = value
        if len(args) > len(self.input_names) or len(given) != len(self.input_names):
            raise TypeError(f"The module takes {len(self.input_names)} inputs ({', '.join(self.input_names)}).")
        values = [self._ready(given[name], tensor) for name, tensor in zip(self.input_names, self._fed)]
        values += list(self.named_variables().values())
        results = self._exported(values) if _is_exporting() else _Run.apply(self, *values)
        return nest.pack_sequence_as(self.outputs, list(results))

    def _ready(self, value: np.ndarray | torch.Tensor, tensor: Tensor) -> np.ndarray | torch.Tensor:
        if isinstance(value, torch.Tensor) or tensor.dtype.name == "string":
            return value
        return to_tensor(np.asarray(value, tensor.dtype.as_numpy_dtype))

    def run(self, values: Sequence[Any]) -> list[Any]:
        """The outputs as arrays, for all inputs and variables."""
        return self._session.run(self._fetched, dict(zip(self._fed, map(_array, values))))

    def _exported(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """The outputs by calls of PyTorch alone, for `torch.export` to see: an op each, without what is made for speed."""
        shapes = [tuple(value.shape) for value in values[: len(self.input_names)]]
        # Of what a plan computes ahead, the exporter must see nothing; it looks at calls of its own thread.
        with ThreadPoolExecutor(1) as elsewhere:
            plan = elsewhere.submit(self._plain_plan, shapes).result()
        outputs: tuple[Any, ...] = plan.function(*values)
        return outputs

    def _plain_plan(self, shapes: Sequence[tuple[Any, ...]]) -> Plan:
        """A plan for inputs of these shapes, in which sizes that are to stay open are no plain numbers."""
        graph_def = protos.GraphDef.FromString(self.graph_def.SerializeToString())
        known = {name.removesuffix(":0"): shape for name, shape in zip(self.input_names, shapes)}
        for node in graph_def.node:
            if node.name in known:
                dims = tuple(size if type(size) is int else None for size in known[node.name])
                node.attr["shape"].shape.CopyFrom(shape_to_proto(dims))
        return GraphModule(graph_def, self.input_names, self.outputs, self.named_variables(), ())._plan_of_calls()

    def _plan_of_calls(self) -> Plan:
        left_out = {each.name for each in FUSIONS} - _OF_SIZES
        with without(*left_out, "reuse memory", "mark heavy", "native regions"):
            return self._session.plan_for(self._fetched, self._fed)

    def gradients(self, values: Sequence[Any], grads: Sequence[Any], positions: tuple[int, ...]) -> list[Any]:
        """The gradients with respect to the wanted values, given those of the differentiable outputs."""
        if positions not in self._gradients:
            with self._graph.as_default():
                given = [placeholder(self._fetched[i].dtype, self._fetched[i].shape) for i in self._differentiable]
                made = gradients(
                    [self._fetched[i] for i in self._differentiable], [self._fed[i] for i in positions], grad_ys=given
                )
                made = [None if grad is None else _dense(grad) for grad in made]
                self._gradients[positions] = given, made
        given, made = self._gradients[positions]
        feeds = dict(zip(self._fed, map(_array, values)))
        feeds.update(zip(given, map(_array, grads)))
        found = iter(self._session.run([grad for grad in made if grad is not None], feeds))
        return [None if grad is None else next(found) for grad in made]

    def save(self, path: str | Path) -> None:
        """Writes the module to a file that `headrace.torch.load` reads; it holds no code."""
        torch.save(
            {
                "format": _FORMAT,
                "graph_def": self.graph_def.SerializeToString(),
                "inputs": self.input_names,
                "outputs": self.outputs,
                "variables": {name: tensor.detach() for name, tensor in self.named_variables().items()},
                "trainable": [n for n in self._variables if isinstance(getattr(self, self._members[n]), nn.Parameter)],
            },
            path,
        )

    def __getstate__(self) -> dict[str, Any]:
        kept = {
            key: value
            for key, value in self.__dict__.items()
            if key not in ("_graph", "_session", "_fed", "_fetched", "_gradients")
        }
        kept["graph_def"] = self.graph_def.SerializeToString()
        return kept

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.graph_def = protos.GraphDef.FromString(state["graph_def"])
        self._prepare()


def _is_exporting() -> bool:
    # Before 2.7 torch told of compilation only.
    return bool(getattr(torch.compiler, "is_exporting", torch.compiler.is_compiling)())


class _Run(torch.autograd.Function):
    """Runs a graph, and its gradient when asked to go backward."""

    @staticmethod
    def forward(ctx: Any, module: GraphModule, *values: Any) -> Any:
        ctx.module, ctx.values = module, values
        device = next((value.device for value in values if isinstance(value, torch.Tensor)), None)
        results = [_value(result, device) for result in module.run(values)]
        for i, result in enumerate(results):
            if isinstance(result, torch.Tensor) and i not in module._differentiable:
                ctx.mark_non_differentiable(result)
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[torch.Tensor | None, ...]:
        module = ctx.module
        positions = tuple(i for i, needed in enumerate(ctx.needs_input_grad[1:]) if needed)
        found = module.gradients(ctx.values, [grads[i] for i in module._differentiable], positions)
        out: list[Any] = [None] * (len(ctx.values) + 1)
        for i, grad in zip(positions, found):
            out[i + 1] = None if grad is None else _value(grad, ctx.values[i].device)
        return tuple(out)


def _array(value: np.ndarray | torch.Tensor) -> np.ndarray:
    return to_array(value.detach()) if isinstance(value, torch.Tensor) else value


def _value(result: TensorLike, device: torch.device | None) -> np.ndarray | torch.Tensor:
    array = np.asarray(result)
    if array.dtype.kind in "OSU":
        return result
    # What a run returns must not be written to; a module's results may be.
    return to_tensor(np.array(array), device)


def _dense(grad: TensorLike) -> Tensor:
    return convert_to_tensor(grad)


def _tensor_of(element: TensorLike, graph: Graph) -> Tensor:
    found = graph.as_graph_element(element)
    if isinstance(found, Operation):
        if len(found.outputs) != 1:
            raise TypeError(f"{found.name} has {len(found.outputs)} outputs: name the tensor to fetch.")
        return found.outputs[0]
    return found


def _given_handles(part: protos.GraphDef) -> list[Any]:
    """The nodes that give variables to functions other than by calls, which are made part of the graph."""
    handles = {node.name for node in part.node if node.op == "VarHandleOp"}
    functions = {function.signature.name for function in part.library.function}
    return [
        node
        for node in part.node
        if (node.op in functions or any(value.HasField("func") for value in node.attr.values()))
        and handles.intersection(name.partition(":")[0] for name in node.input)
    ]


def to_module(
    fetches: Fetches, feeds: Sequence[TensorLike], session: SessionLike, *, _trainable: Sequence[str] = ()
) -> GraphModule:
    """A part of a graph as an `nn.Module`, with the variables' values in a session as its parameters.

    Args:
        fetches: the tensors, or their names, that the module returns: one, or a list, tuple or dict of them.
        feeds: the placeholders, or their names, that it takes, in order.
        session: the session whose variables are meant.

    Returns:
        a `GraphModule`, whose results equal `session.run(fetches, ...)`.

    Raises:
        TypeError: if a fetch is no tensor.
        ValueError: if the fetches change variables, which a function does not.

    Example:
        >>> module = headrace.torch.to_module(logits, [x], sess)
        >>> found = torch.nn.functional.cross_entropy(module(torch.ones(4, 3)), torch.tensor([0, 1, 1, 0]))
        >>> found.backward()
        >>> [tuple(parameter.grad.shape) for parameter in module.parameters()]
        [(3, 2)]
    """
    graph: Graph = session.graph
    fetched = nest.map_structure(lambda element: _tensor_of(element, graph).name, fetches)
    inputs = [_tensor_of(element, graph).name for element in nest.flatten(feeds)]
    outputs = [name.partition(":")[0] for name in nest.flatten(fetched)]
    part = cut_at(graph.as_graph_def(add_shapes=True), [name.partition(":")[0] for name in inputs], outputs)
    if any(node.op in CALLS for node in part.node):
        part = cut_at(
            with_calls_inlined(graph.as_graph_def(), graph), [name.partition(":")[0] for name in inputs], outputs
        )
    assigned = [
        node.name for node in part.node if re.match(r"(Resource)?(Assign|Scatter|Apply|Sparse.*Apply)", node.op)
    ]
    if assigned:
        raise ValueError(f"The fetches change variables ({', '.join(assigned[:3])}), which a module's results do not.")
    for node in _given_handles(part):
        raise NotImplementedError(
            f"{node.op} (node '{node.name}') gives variables to the functions of a loop or a conditional: a module cannot be "
            "made of it. tf.saved_model.loader.load runs such models in a session."
        )
    variables = {node.name: node.attr["dtype"].type for node in part.node if node.op in _VARIABLES}
    frozen = convert_variables_to_constants(session, part, outputs)
    frozen.versions.CopyFrom(graph.as_graph_def().versions)  # placeholders of scalars mean something else before 24
    values: dict[str, Any] = {}
    for node in frozen.node:
        if node.name in variables:
            values[node.name] = MakeNdarray(node.attr["value"].tensor)
            dtype = as_dtype(variables[node.name]).as_datatype_enum
            node.Clear()
            node.name, node.op = list(values)[-1], "Placeholder"
            node.attr["dtype"].type = dtype
            node.attr["shape"].shape.CopyFrom(shape_to_proto(values[node.name].shape))
    trainable = {variable.op.name for variable in graph.get_collection("trainable_variables")} | set(_trainable)
    return GraphModule(frozen, inputs, fetched, values, [name for name in values if name in trainable])


def from_saved_model(
    export_dir: str | Path,
    tags: Sequence[str] = (saved_model_names.SERVING,),
    signature_def_key: str = saved_model_names.DEFAULT_SERVING_SIGNATURE_DEF_KEY,
) -> GraphModule:
    """A signature of a SavedModel as an `nn.Module`, which takes its inputs in the order of their names.

    Args:
        export_dir: the folder.
        tags: the tags of the graph.
        signature_def_key: the signature.

    Raises:
        KeyError: if there is no such signature; OSError, RuntimeError: as `tf.saved_model.loader.load`.
    """
    with Graph().as_default() as graph, Session(graph=graph) as session:
        model = load_saved_model(session, list(tags), export_dir)
        if signature_def_key not in model.signature_def:
            raise KeyError(f"No signature {signature_def_key!r}; there are {', '.join(sorted(model.signature_def))}.")
        signature = model.signature_def[signature_def_key]
        outputs = {key: info.name for key, info in sorted(signature.outputs.items())}
        # What TensorFlow 2 writes has no collections; its objects tell which variables are trained.
        objects = [node.variable for node in model.object_graph_def.nodes if node.WhichOneof("kind") == "variable"]
        names = {variable.name for variable in objects if variable.trainable}
        trainable = [
            op.name
            for op in graph.get_operations()
            if op.type == "VarHandleOp" and _text(op.attrs.get("shared_name")) in names
        ]
        inputs = [info.name for _, info in sorted(signature.inputs.items())]
        return to_module(outputs, inputs, session, _trainable=trainable)


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


# What comes of a file that has not the form torch.load takes for granted.
_UNREADABLE = (
    zipfile.BadZipFile,
    pickle.UnpicklingError,
    struct.error,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    OverflowError,
    RuntimeError,
    TypeError,
    ValueError,
)
_PARTS: dict[str, Any] = {
    "graph_def": bytes,
    "inputs": list,
    "outputs": object,
    "variables": dict,
    "trainable": list,
}


def load(path: str | Path) -> GraphModule:
    """The module in a file that `GraphModule.save` wrote.

    Raises:
        ValueError: if the file holds something else; InvalidArgumentError: if its graph is damaged.
    """
    try:
        _check_sizes(path)
        found = torch.load(path, weights_only=True)
    except _UNREADABLE as error:
        raise ValueError(f"{path} was not written by GraphModule.save: {error}") from None
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise ValueError(f"{path} was not written by GraphModule.save")
    for part, kind in _PARTS.items():
        if not isinstance(found.get(part), kind):
            raise ValueError(f"{path}: expected {part!r} to be {kind.__name__}, got {type(found.get(part)).__name__}")
    for name, value in found["variables"].items():
        _check_variable(name, value, path)
    with faults_in(str(path)):
        return GraphModule(
            protos.GraphDef.FromString(found["graph_def"]),
            found["inputs"],
            found["outputs"],
            found["variables"],
            found["trainable"],
        )


def _check_sizes(path: str | Path) -> None:
    """Refuses a file that is larger inside than outside."""
    with zipfile.ZipFile(path) as archive:
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
            raise ValueError("its parts are compressed")
    if hasattr(path, "seek"):
        path.seek(0)


def _check_variable(name: int | str, value: int | torch.Tensor, path: str | Path) -> None:
    if not isinstance(name, str) or not isinstance(value, torch.Tensor) or value.layout is not torch.strided:
        raise ValueError(f"{path}: expected variables to be dense tensors by name, got {type(value).__name__}")
    # Strides of zero make any number of elements out of a few bytes.
    if value.numel() * value.element_size() > value.untyped_storage().nbytes():
        raise ValueError(f"{path}: the values of {name!r}, of shape {list(value.shape)}, are not all in the file")
