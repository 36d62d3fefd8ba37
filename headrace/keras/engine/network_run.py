"""Running the layers of a model on new inputs, one call after the other."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.eager import executing_eagerly
from headrace.core.errors import InvalidArgumentError
from headrace.core.func_graph import FuncGraph
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.keras.engine.network_attributes import name_layers, parts_of
from headrace.layers.context import get_graph, is_learning_phase
from headrace.ops.array.constant import placeholder

if TYPE_CHECKING:
    from headrace.keras.engine.network import Network
    from headrace.layers.nodes import Node


class _Step:
    """One call of a layer of a model, with what is known of it beforehand.

    Attributes:
        layer: the layer.
        inputs: what the call took, and `input_ids` which tensors these are.
        arguments: its other arguments.
        takes_training: whether the layer's `call` has an argument `training`.
        has_tensors: whether there are tensors among the other arguments.
    """

    __slots__ = ("arguments", "has_tensors", "input_ids", "inputs", "layer", "output_ids", "single", "takes_training")

    def __init__(self, node: Node) -> None:
        layer: Any = node.outbound_layer
        self.layer = layer
        self.inputs = node.input_tensors
        self.input_ids = [id(tensor) for tensor in nest.flatten(node.input_tensors)]
        self.single = not nest.is_sequence(node.input_tensors)
        self.output_ids = [id(tensor) for tensor in nest.flatten(node.output_tensors)]
        self.arguments = dict(node.arguments) if node.arguments else {}
        self.has_tensors = any(isinstance(value, Tensor) for value in nest.flatten(self.arguments))
        self.takes_training = "training" in layer._call_fn_args


def _steps(network: Network) -> list[_Step]:
    """The calls of a model's layers, in an order in which they can be run; found once."""
    order = network._run_order
    if order is None:
        depths = sorted(network._nodes_by_depth, reverse=True)
        inputs = {id(tensor) for tensor in network.inputs}
        order = network._run_order = [
            _Step(node)
            for depth in depths
            for node in network._nodes_by_depth[depth]
            if not (
                getattr(node.outbound_layer, "_is_input_layer", False)
                or all(id(tensor) in inputs for tensor in nest.flatten(node.output_tensors))
            )
        ]
    return order


def run(network: Network, inputs: Any, training: Any = None, mask: Any = None) -> Any:
    """The outputs of a model for new inputs.

    Args:
        network: the model.
        inputs: tensors in the order of the model's inputs.
        training: whether the layers train.
        mask: the masks of the inputs.
    """
    taken_in = nest.flatten(inputs)
    if mask is not None:
        for tensor, of_tensor in zip(taken_in, nest.flatten(mask)):
            tensor._keras_mask = of_tensor
    if len(taken_in) != len(network.inputs) and all(hasattr(tensor, "_keras_history") for tensor in taken_in):
        raise ValueError(
            f"Layer {network.name} expects {len(network.inputs)} inputs, but it received {len(taken_in)} input tensors. "
            f"Inputs received: {taken_in}"
        )
    known: dict[int, Any] = {id(reference): tensor for reference, tensor in zip(network.inputs, taken_in)}
    for step in _steps(network):
        if not all(number in known for number in step.input_ids):
            continue
        if step.single:
            taken: Any = known[step.input_ids[0]]
        else:
            taken = nest.pack_sequence_as(step.inputs, [known[number] for number in step.input_ids])
        arguments = dict(step.arguments)
        given = arguments.get("training")
        if step.takes_training and (given is None or is_learning_phase(given)):
            # The phase that was in force while the model was made is not that of this call.
            arguments["training"] = training
        if step.has_tensors:
            arguments = nest.map_structure(lambda value: _renewed(value, known), arguments)
        outputs = step.layer(taken, **arguments)
        flat = [outputs] if len(step.output_ids) == 1 and not nest.is_sequence(outputs) else nest.flatten(outputs)
        known.update(zip(step.output_ids, flat))
    results = []
    for tensor in network.outputs:
        if id(tensor) not in known:
            raise AssertionError(f"Could not compute output {tensor}")
        results.append(known[id(tensor)])
    return nest.pack_sequence_as(network._nested_outputs, results)


def _renewed(value: Any, known: dict[int, Any]) -> Any:
    """For a tensor of a layer among the arguments of a call, its value in this one."""
    if isinstance(value, Tensor) and getattr(value, "_keras_history", None) is not None:
        return known.get(id(value), value)
    return value


def insert_nodes(network: Network, nodes: Sequence[Node]) -> None:
    """Adds calls to a model, each nearer to the outputs than what it takes.

    Raises:
        ValueError: if a call takes a tensor from outside the model.
    """
    waiting: list[Any] = list(nodes)
    depths = {id(node): depth for depth, there in network._nodes_by_depth.items() for node in there}
    for node in list(waiting):
        if id(node) in depths:
            waiting.remove(node)
    while waiting:
        placed = []
        for node in waiting:
            inbound = [
                layer.inbound_nodes[index] for layer, index, _, _ in node.iterate_inbound(include_arguments=True)
            ]
            if all(id(other) in depths for other in inbound):
                depth = min((depths[id(other)] for other in inbound), default=1) - 1
                depths[id(node)] = depth
                network._nodes_by_depth.setdefault(depth, []).append(node)
                placed.append(node)
        if not placed:
            names = [node.outbound_layer.name for node in waiting]  # type: ignore[attr-defined]  # layers have names
            raise ValueError(
                f"Layers {names} depend on tensors that are not computed from the inputs of the model: Graph disconnected."
            )
        waiting = [node for node in waiting if node not in placed]


def placeholders_of_shape(shape: Any) -> Tensor:
    """A placeholder of the type and of this shape that `Network.build` calls models on."""
    return placeholder("float32", shape=TensorShape(shape))


def build_by_calling(network: Network, input_shape: Any) -> None:
    """Makes the variables of a model that a program wrote, by calling it on placeholders.

    Raises:
        ValueError: if its `call` takes other things than inputs, or not these inputs.
    """
    signature = inspect.getfullargspec(network.call)
    # Without `self` and `inputs`, and without arguments that have a default.
    required = signature.args[2 : len(signature.args) - len(signature.defaults or ())]
    if len(signature.args) < 2:
        raise ValueError("You can only call `build` on a model if its `call` method accepts an `inputs` argument.")
    if any(argument != "training" for argument in required):
        raise ValueError(
            "Currently, you cannot build your model if it has positional or keyword arguments that are not inputs to the "
            "model, but are required for its `call` method. Instead, in order to instantiate and build your model, `call` "
            "your model on real tensor data with all expected call arguments."
        )
    graph = FuncGraph("build_graph") if executing_eagerly() else get_graph()
    with graph.as_default():
        several = isinstance(input_shape, list) and all(
            shape is None or isinstance(shape, (tuple, list, TensorShape)) for shape in input_shape
        )
        inputs: Any = (
            [placeholders_of_shape(shape) for shape in input_shape] if several else placeholders_of_shape(input_shape)
        )
        try:
            network.call(inputs, **dict.fromkeys(required, False))
        except (InvalidArgumentError, TypeError) as error:
            raise ValueError(
                "You cannot build your model by calling `build` if your layers do not support float type inputs. Instead, in "
                "order to instantiate and build your model, `call` your model on real tensor data (of the correct "
                f"dtype): {error}"
            ) from error
    name_layers(network, parts_of(network))


def output_shapes(network: Network, input_shape: Any) -> Any:
    """The shapes of the outputs of a model for inputs of a shape, told by its layers one after the other.

    Raises:
        ValueError: if there are not as many shapes as inputs.
    """
    given = _shapes_of(input_shape)
    if len(given) != len(network._input_layers):
        raise ValueError(
            f"Invalid input_shape argument {input_shape}: model has {len(network._input_layers)} tensor inputs."
        )
    known = {id(tensor): shape for tensor, shape in zip(network.inputs, given)}
    for step in _steps(network):
        shapes = [known[number] for number in step.input_ids]
        taken = shapes[0] if step.single else nest.pack_sequence_as(step.inputs, shapes)
        known.update(zip(step.output_ids, _shapes_of(step.layer.compute_output_shape(taken))))
    return nest.pack_sequence_as(network._nested_outputs, [known[id(tensor)] for tensor in network.outputs])


def _shapes_of(shapes: Any) -> list[TensorShape]:
    """The shapes in a structure whose leaves are shapes."""
    if isinstance(shapes, TensorShape):
        return [shapes]
    if isinstance(shapes, dict):
        return [shape for key in sorted(shapes) for shape in _shapes_of(shapes[key])]
    if shapes is None or all(size is None or not isinstance(size, (list, tuple, dict, TensorShape)) for size in shapes):
        return [TensorShape(shapes)]
    return [shape for part in shapes for shape in _shapes_of(part)]
