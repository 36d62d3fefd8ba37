"""Models as layers: `Network`, a graph of layers, or a layer that a program writes of other layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.layer_weights import (
    filter_empty_layer_containers,
    gather_non_trainable_weights,
    gather_trainable_weights,
)
from headrace.checkpoints.tracking_internals import no_automatic_dependency_tracking
from headrace.core import nest, slots
from headrace.core.shapes import TensorShape
from headrace.keras.engine import network_config, network_run
from headrace.keras.engine.network_additions import NetworkAdditions
from headrace.keras.engine.network_attributes import dependencies_of_network, name_layers
from headrace.keras.engine.network_graph import check_names, check_not_legacy, map_graph_network, node_key
from headrace.keras.engine.op_layer import create_keras_history
from headrace.keras.utils import layer_utils
from headrace.layers.context import to_snake_case, unique_object_name
from headrace.layers.engine import Layer, default
from headrace.layers.nodes import Node, has_history
from headrace.state.dependencies import TrackableReference

if TYPE_CHECKING:
    pass

_NOT_BUILT = (
    "This model has not yet been built. Build the model first by calling `build()` or calling `fit()` with some data, "
    "or specify an `input_shape` argument in the first layer(s) for automatic build."
)


class Network(NetworkAdditions, Layer):  # type: ignore[override,misc]  # a model is as stateful as its layers
    """Layers that together make one layer.

    Given inputs and outputs, it is the graph of layers between them. A class derived from it makes its layers in
    `__init__` and says in `call` what it computes.

    Args:
        inputs: a tensor, or a structure of tensors, from `Input`.
        outputs: what is computed from them by layers.
        name: its name.

    Raises:
        ValueError: if `outputs` do not depend on `inputs` only.

    Example:
        >>> x = tf.keras.Input((4,))
        >>> network = Network(x, tf.keras.layers.Dense(2)(x))
    """

    _is_graph_network: bool
    inputs: Any
    outputs: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if len(args) == 2 or (len(args) == 1 and "outputs" in kwargs) or {"inputs", "outputs"} <= kwargs.keys():
            self._init_graph_network(*args, **kwargs)
        else:
            self._init_subclassed_network(**kwargs)

    # ---- making it ----

    @no_automatic_dependency_tracking
    def _base_init(self, name: str | None = None, **kwargs: Any) -> None:
        for key in kwargs:
            if key not in ("trainable", "dtype", "dynamic", "autocast"):
                raise TypeError("Keyword argument not understood:", key)
        layers = self.__dict__.pop("_layer_list", None)
        super().__init__(name=name, **{key: kwargs[key] for key in ("dtype", "dynamic", "autocast") if key in kwargs})
        self._layer_list = [] if layers is None else layers
        self._trainable = kwargs.get("trainable", True)
        self._is_compiled = False
        self._experimental_run_tf_function = False
        self._run_eagerly = None
        # A model that gets other layers keeps what it was compiled with, and is compiled anew by the first data.
        self.optimizer = self.__dict__.get("optimizer")
        self._distribution_strategy = self._compile_time_distribution_strategy = None
        self._compile_distribution = self._of_one_replica = False
        # What is trained in its place where it was compiled for a strategy.
        self._copy_under_strategy: Any = None
        self._scope = self._reuse = None
        self._input_layers: list[Any] = []
        self._output_layers: list[Any] = []
        self._network_nodes: set[str] = set()
        self._nodes_by_depth: dict[int, list[Node]] = {}
        self._run_order: list[Any] | None = None

    @no_automatic_dependency_tracking
    def _init_graph_network(self, inputs: Any, outputs: Any, name: str | None = None, **kwargs: Any) -> None:
        for key in kwargs:
            if key != "trainable":
                raise TypeError(
                    "Functional models may only specify `name` and `trainable` keyword arguments during initialization. Got "
                    "an unexpected argument:",
                    key,
                )
        # A list of one tensor is that tensor.
        if isinstance(inputs, list) and len(nest.flatten(inputs)) == 1:
            inputs = inputs[0]
        if isinstance(outputs, list) and len(nest.flatten(outputs)) == 1:
            outputs = outputs[0]
        self._is_graph_network = True
        flat_inputs, flat_outputs = nest.flatten(inputs), nest.flatten(outputs)
        if not has_history(flat_outputs):
            create_keras_history(flat_outputs)
        self._base_init(name=name, **kwargs)
        self._nested_inputs, self._nested_outputs = inputs, outputs
        self.inputs, self.outputs = flat_inputs, flat_outputs
        self._validate_graph_inputs_and_outputs()
        self.built = True
        self._compute_output_and_mask_jointly = True
        self._expects_training_arg = self._expects_mask_arg = True
        self._autocast = False
        self._input_coordinates = [tensor._keras_history for tensor in flat_inputs]
        self._output_coordinates = [tensor._keras_history for tensor in flat_outputs]
        self._input_layers = [history.layer for history in self._input_coordinates]
        self._output_layers = [history.layer for history in self._output_coordinates]
        graph = map_graph_network(flat_inputs, flat_outputs)
        self._network_nodes, self._nodes_by_depth = graph.node_keys, graph.nodes_by_depth
        self._layer_list = graph.layers
        check_not_legacy(graph.layers)
        name_layers(self, graph.layers)
        # The call that the model itself is, from its inputs to its outputs.
        Node(self, [], [], [], self._nested_inputs, self._nested_outputs)
        self._set_output_names()
        self.input_names = [layer.name for layer in self._input_layers]
        fed = [layer for layer in self._input_layers if getattr(layer, "is_placeholder", False)]
        self._feed_input_names = [layer.name for layer in fed]
        self._feed_inputs = [layer.input for layer in fed]
        self._feed_input_shapes = [layer._batch_input_shape for layer in fed]

    @no_automatic_dependency_tracking
    def _init_subclassed_network(self, name: str | None = None, **kwargs: Any) -> None:
        self._is_graph_network = False
        self._base_init(name=name, **kwargs)
        self.outputs: Any = []
        self.inputs: Any = []
        self.built = False

    def _init_set_name(self, name: Any, zero_based: bool = True) -> None:
        # Models count their names from 0 as layers do: `model`, `model_1`.
        self._name = name or unique_object_name(to_snake_case(type(self).__name__), zero_based=zero_based)

    def _validate_graph_inputs_and_outputs(self) -> None:
        if len({id(tensor) for tensor in self.inputs}) != len(self.inputs):
            raise ValueError(
                "The list of inputs passed to the model is redundant. All inputs should only appear once. Found: "
                f"{self.inputs}"
            )
        for tensor in self.inputs:
            if getattr(tensor, "_keras_history", None) is None:
                raise ValueError(
                    f"Input tensors to a {type(self).__name__} must come from `tf.keras.Input`. Received: {tensor} "
                    "(missing previous layer metadata)."
                )
        for tensor in self.outputs:
            if getattr(tensor, "_keras_history", None) is None:
                raise ValueError(
                    f"Output tensors to a {type(self).__name__} must be the output of a TensorFlow `Layer` (thus holding "
                    f"past layer metadata). Found: {tensor}"
                )

    def _set_output_names(self) -> None:
        """Names for its outputs: those of their layers, numbered where one layer gives several."""
        names: list[str] = []
        counts: dict[str, int] = {}
        for layer in self._output_layers:
            name = layer.name
            while name in names:
                counts[layer.name] = counts.get(layer.name, 1) + 1
                name = f"{layer.name}_{counts[layer.name] - 1}"
            names.append(name)
        self.output_names = names

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        told = [TrackableReference(name, ref) for name, ref in self._dependencies.items()]
        return [*told, *dependencies_of_network(self)]

    def _insert_layers(self, layers: Sequence[Any], relevant_nodes: Sequence[Node] | None = None) -> None:
        """Makes layers that take tensors of the model a part of it: those of losses and metrics."""
        layers = nest.flatten(layers)
        check_not_legacy(layers)
        if relevant_nodes is None:
            relevant_nodes = [node for layer in layers for node in layer.inbound_nodes]
        network_run.insert_nodes(self, relevant_nodes)
        have = {id(layer) for layer in self._layer_list}
        for layer in layers:
            if id(layer) not in have:
                have.add(id(layer))
                self._layer_list.append(layer)
        for node in relevant_nodes:
            index = node.outbound_layer.inbound_nodes.index(node)
            self._network_nodes.add(node_key(node.outbound_layer.name, index))  # type: ignore[attr-defined]  # layers have names
        self._run_order = None
        check_names(self._layer_list)

    # ---- what it is made of ----

    def _sublayers(self) -> list[Any]:
        found = {id(layer): layer for layer in self.__dict__.get("_layer_list", ())}
        if not self._takes_layers_of_attributes():
            return list(found.values())
        for layer in super()._sublayers():
            found.setdefault(id(layer), layer)
        return list(found.values())

    def _weighted_parts(self) -> list[Any]:
        found = {id(layer): layer for layer in self.__dict__.get("_layer_list", ())}
        if self._takes_layers_of_attributes():
            for part in super()._weighted_parts():
                found.setdefault(id(part), part)
        return list(found.values())

    def _tracks_attributes(self) -> bool:
        # A graph of layers is whole: what becomes its attribute afterwards is no part of it.
        return super()._tracks_attributes() and not self.__dict__.get("_is_graph_network", False)

    def _takes_layers_of_attributes(self) -> bool:
        """Whether layers that are attributes are among its layers."""
        return not self.__dict__.get("_is_graph_network", False)

    @property
    def _layers(self) -> list[Any]:
        own: list[Any] = self.__dict__.get("_layer_list", [])
        return self._sublayers() if self.__dict__.get("_tracked") else own

    @_layers.setter
    def _layers(self, layers: list[Any]) -> None:
        object.__setattr__(self, "_layer_list", layers)

    def __setattr__(self, name: str, value: object) -> None:
        known = self.__dict__
        made = "_is_graph_network" in known or not known.get("_self_setattr_tracking", True)
        if not made and name not in ("_self_setattr_tracking", "_is_graph_network") and _holds_layers(value):
            raise RuntimeError(
                "It looks like you are subclassing `Model` and you forgot to call `super(YourClass, self).__init__()`. Always "
                "start with this line."
            )
        super().__setattr__(name, value)

    @property
    def layers(self) -> list[Any]:
        """Its layers."""
        return filter_empty_layer_containers(self._layers)

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """One of its layers.

        Args:
            name: the layer's name.
            index: its number, which comes before the name.

        Raises:
            ValueError: if there is no such layer.
        """
        layers = self.layers
        if index is not None:
            if len(layers) <= index:
                raise ValueError(
                    f"Was asked to retrieve layer at index {index} but model only has {len(layers)} layers."
                )
            return layers[index]
        if not name:
            raise ValueError("Provide either a layer name or layer index.")
        for layer in layers:
            if layer.name == name:
                return layer
        raise ValueError("No such layer: " + name)

    def _lacks_weights(self) -> bool:
        """Whether it has not been called or built, and so does not have its weights yet."""
        if self.dynamic:
            return False
        return not self._is_graph_network and "build" in type(self).__dict__ and not self.built

    def _assert_weights_created(self) -> None:
        if self._lacks_weights():
            raise ValueError(
                f"Weights for model {self.name} have not yet been created. Weights are created when the Model is first "
                "called on inputs or `build()` is called with an `input_shape`."
            )

    @property
    def trainable_weights(self) -> list[Any]:
        """Its variables that are trained: those of its layers, then its own."""
        self._assert_weights_created()
        return gather_trainable_weights(self.trainable, self._weighted_parts(), self._trainable_weights)

    @property
    def non_trainable_weights(self) -> list[Any]:
        """Its variables that are not trained: those of its layers, then its own."""
        self._assert_weights_created()
        return gather_non_trainable_weights(
            self.trainable, self._weighted_parts(), [*self._non_trainable_weights, *self._trainable_weights]
        )

    @property
    def weights(self) -> list[Any]:
        """Its variables, layer by layer, then its own."""
        self._assert_weights_created()
        found = [variable for part in self._weighted_parts() for variable in part.weights]
        return [*found, *self._trainable_weights, *self._non_trainable_weights]

    @property
    def dynamic(self) -> bool:
        """Whether it, or a layer in it, can run eagerly only."""
        return bool(self._dynamic) or any(getattr(layer, "dynamic", False) for layer in self._sublayers())

    @property
    def input_spec(self) -> Any:
        """What its input layers ask: as many things as there are inputs, None where any will do."""
        if not self._is_graph_network:
            return None
        specs: list[Any] = []
        for layer in self._input_layers:
            specs.extend(nest.flatten(layer.input_spec) if layer.input_spec is not None else [None])
        return specs[0] if len(specs) == 1 else specs

    @input_spec.setter
    def input_spec(self, value: Any) -> None:
        raise AttributeError("can't set attribute 'input_spec' of a model")

    # ---- building and calling it ----

    @default
    def build(self, input_shape: Any) -> None:
        """Makes the variables of a model that a program wrote, for inputs of this shape.

        Args:
            input_shape: a shape, or a list of shapes.

        Raises:
            ValueError: if the shape is none, or the model cannot be called on placeholders of it.
        """
        if self._is_graph_network:
            self.built = True
            return
        if input_shape is None:
            raise ValueError("Input shape must be defined when calling build on a model subclass network.")
        if not isinstance(input_shape, (tuple, list, TensorShape)):
            raise ValueError(
                f"Specified input shape is not one of the valid types. Please specify a batch input shape of type tuple or "
                f"list of input shapes. User provided input type: {type(input_shape)}"
            )
        if input_shape and not self.inputs:
            network_run.build_by_calling(self, input_shape)
        self.built = True

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """The outputs for new inputs, computed by the same layers.

        Args:
            inputs: tensors as the model's.
            training: whether the layers train.
            mask: the masks of the inputs.

        Raises:
            NotImplementedError: if a class derived from it has no `call`.
        """
        if not self._is_graph_network:
            raise NotImplementedError("When subclassing the `Model` class, you should implement a `call` method.")
        return self._run_internal_graph(inputs, training=training, mask=mask)

    def _run_internal_graph(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        return network_run.run(self, inputs, training, mask)

    def compute_mask(self, inputs: Any, mask: Any) -> Any:  # type: ignore[override]  # 1.15 asks for the mask here
        """The masks of the outputs for these inputs."""
        if not self._is_graph_network:
            return None
        outputs = self._run_internal_graph(inputs, mask=mask)
        return nest.map_structure(lambda tensor: getattr(tensor, "_keras_mask", None), outputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shapes of the outputs for inputs of this shape."""
        if not self._is_graph_network:
            return super().compute_output_shape(input_shape)
        return network_run.output_shapes(self, input_shape)

    # ---- as settings, text and files ----

    def get_config(self) -> dict[str, Any]:
        """The layers and how they are connected, as plain values.

        Raises:
            NotImplementedError: for a model that a program wrote as a class.
        """
        if not self._is_graph_network:
            raise NotImplementedError
        return network_config.get_network_config(self)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
        """The model that `get_config` describes.

        Args:
            config: what it gave.
            custom_objects: classes and functions by the names they have in it.
        """
        return network_config.network_from_config(cls, config, custom_objects)

    def _updated_config(self) -> dict[str, Any]:
        return network_config.updated_config(self)

    def to_json(self, **kwargs: Any) -> str:
        """Its layers and how they are connected, as JSON.

        Args:
            **kwargs: passed on to `json.dumps`.
        """
        return network_config.as_json(self, **kwargs)

    def to_yaml(self, **kwargs: Any) -> str:
        """Its layers and how they are connected, as YAML.

        Args:
            **kwargs: passed on to `yaml.dump`.

        Raises:
            ImportError: if the package `pyyaml` is not there.
        """
        return network_config.as_yaml(self, **kwargs)

    def summary(
        self,
        line_length: int | None = None,
        positions: Sequence[float] | None = None,
        print_fn: Callable[[str], object] | None = None,
    ) -> None:
        """Prints a table of its layers.

        Args:
            line_length: the width of the table.
            positions: where its columns end, as parts of the width or in characters.
            print_fn: what takes each line, `print` by default.

        Raises:
            ValueError: before it is built.
        """
        if not self.built:
            raise ValueError(_NOT_BUILT)
        layer_utils.print_summary(self, line_length=line_length, positions=positions, print_fn=print_fn)

    def save(
        self,
        filepath: Any,
        overwrite: bool = True,
        include_optimizer: bool = True,
        save_format: str | None = None,
        signatures: Any = None,
    ) -> None:
        """Writes the model, its weights and its optimizer to a file or a folder.

        Args:
            filepath: the path.
            overwrite: whether to replace what is there without asking.
            include_optimizer: whether to write the optimizer.
            save_format: "h5" or "tf".
            signatures: the signatures of a SavedModel.
        """
        slots.save_model(self, filepath, overwrite, include_optimizer, save_format, signatures)

    def save_weights(self, filepath: Any, overwrite: bool = True, save_format: str | None = None) -> None:
        """Writes the weights to a file.

        Args:
            filepath: the path.
            overwrite: whether to replace what is there without asking.
            save_format: "h5" or "tf".
        """
        slots.save_network_weights(self, filepath, overwrite, save_format)

    def load_weights(self, filepath: Any, by_name: bool = False) -> Any:
        """Sets the weights to those of a file.

        Args:
            filepath: the path.
            by_name: whether layers are matched by name rather than by order.
        """
        return slots.load_network_weights(self, filepath, by_name)

    @property
    def _object_identifier(self) -> str:
        return "_tf_keras_network"


def _holds_layers(value: object) -> bool:
    leaves = nest.flatten(value)
    return bool(leaves) and all(
        isinstance(leaf, Layer) or (hasattr(leaf, "trainable_weights") and hasattr(leaf, "non_trainable_weights"))
        for leaf in leaves
    )
