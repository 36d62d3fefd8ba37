"""Models whose layers are applied one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.tracking_internals import no_automatic_dependency_tracking
from headrace.core import nest, slots
from headrace.core.shapes import TensorShape
from headrace.keras import backend_config
from headrace.keras.engine.input_layer import Input
from headrace.keras.engine.network_attributes import name_layers
from headrace.keras.engine.network_graph import check_not_legacy
from headrace.keras.engine.training import Model
from headrace.keras.utils.generic_utils import serialize_keras_object
from headrace.keras.utils.layer_utils import get_source_inputs
from headrace.layers.engine import Layer, default
from headrace.util import tf_logging

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_SINGLE_OUTPUT = (
    "All layers in a Sequential model should have a single output tensor. For multi-output layers, use the functional "
    "API."
)


class Sequential(Model):
    """A model whose layers are applied one after the other.

    Where the first layer says what shape its input has, the model is built as the layers are added; otherwise when it is
    first called, or by `build`.

    Args:
        layers: the layers to begin with.
        name: its name.

    Raises:
        TypeError: if something in `layers` is no layer.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu", input_shape=(4,))])
        >>> model.add(tf.keras.layers.Dense(1))
    """

    def __init__(self, layers: Sequence[Any] | None = None, name: str | None = None) -> None:
        super().__init__(name=name)
        self.supports_masking = True
        self._build_input_shape: Any = None
        self._compute_output_and_mask_jointly = True
        for layer in [] if layers is None else layers if isinstance(layers, (list, tuple)) else [layers]:
            self.add(layer)

    @property
    def layers(self) -> list[Any]:
        """Its layers, without one that only stands for the input."""
        own = super().layers
        if own and getattr(own[0], "_is_input_layer", False):
            return own[1:]
        return list(own)

    @property
    def dynamic(self) -> bool:
        """Whether a layer in it can run eagerly only."""
        return any(getattr(layer, "dynamic", False) for layer in self.layers)

    # ---- its layers ----

    def _takes_layers_of_attributes(self) -> bool:
        return False

    @no_automatic_dependency_tracking
    def add(self, layer: Any) -> None:
        """Adds a layer behind the others.

        Args:
            layer: the layer; an `Input` tensor in the first place is taken for its layer.

        Raises:
            TypeError: if it is no layer; ValueError: if it gives several tensors.
        """
        history = getattr(layer, "_keras_history", None)
        if history is not None and getattr(history.layer, "_is_input_layer", False):
            layer = history.layer
        if not isinstance(layer, Layer):
            raise TypeError(f"The added layer must be an instance of class Layer. Found: {layer}")
        check_not_legacy([layer])
        self.built = False
        made_inputs = False
        own = self._layer_list
        if not own:
            if getattr(layer, "_is_input_layer", False):
                made_inputs = True
            else:
                shape, dtype = _first_input(layer)
                if shape is not None:
                    layer(Input(batch_shape=shape, dtype=dtype, name=f"{layer.name}_input"))
                    made_inputs = True
            if made_inputs:
                outputs = nest.flatten(layer.inbound_nodes[-1].output_tensors)
                if len(outputs) != 1:
                    raise ValueError(_SINGLE_OUTPUT)
                self.outputs = outputs
                self.inputs = get_source_inputs(outputs[0])
        elif self.outputs:
            output = layer(self.outputs[0])
            if nest.is_sequence(output):
                raise TypeError(_SINGLE_OUTPUT)
            self.outputs = [output]
        if made_inputs or self._is_graph_network:
            own.append(layer)
            self._graph_of(own)
        else:
            own.append(layer)
        name_layers(self, self._layer_list)

    def _graph_of(self, layers: list[Any]) -> None:
        """Makes it the graph of what its layers compute."""
        graph_layers = layers
        self._init_graph_network(self.inputs, self.outputs, name=self.name)
        # The layers of the graph are the same ones; the input's may come first.
        if not getattr(graph_layers[0], "_is_input_layer", False):
            graph_layers = [self._input_layers[0], *(layer for layer in graph_layers)]
        self._layer_list = graph_layers
        self.built = True

    @no_automatic_dependency_tracking
    def pop(self) -> None:
        """Takes the last layer away.

        Raises:
            TypeError: if there is none.
        """
        if not self.layers:
            raise TypeError("There are no layers in the model.")
        own = self._layer_list
        gone = own.pop()
        if not self.layers:
            self.outputs = None
            self.inputs = None
            self.built = False
        elif self._is_graph_network:
            gone._inbound_nodes.pop()
            last = self.layers[-1]
            last._outbound_nodes = []
            self.outputs = [last.output]
            self._graph_of(own)

    # ---- building and calling it ----

    @default
    def build(self, input_shape: Any = None) -> None:
        """Makes the variables, for inputs of this shape.

        Args:
            input_shape: the shape of a batch; not needed where the first layer said it.

        Raises:
            ValueError: if no shape is known.
        """
        if self._is_graph_network:
            self._graph_of(self._layer_list)
            return
        if input_shape is None:
            raise ValueError("You must provide an `input_shape` argument.")
        input_shape = tuple(input_shape.as_list() if isinstance(input_shape, TensorShape) else input_shape)
        self._build_input_shape = input_shape
        super().build(input_shape)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """The output of the last layer.

        Args:
            inputs: a tensor.
            training: whether the layers train.
            mask: the mask of the input.
        """
        if self._is_graph_network:
            if not self.built:
                self._graph_of(self._layer_list)
            return super().call(inputs, training=training, mask=mask)
        outputs = inputs
        for layer in self.layers:
            # What a layer gives is masked by what it says of the mask that it got.
            arguments = {}
            if "mask" in layer._call_fn_args:
                arguments["mask"] = mask
            if "training" in layer._call_fn_args:
                arguments["training"] = training
            outputs = layer(inputs, **arguments)
            inputs = outputs
            if outputs is None or isinstance(outputs, (list, tuple, dict)):
                raise AttributeError(
                    f"Layer {layer.name!r} of the Sequential model {self.name!r} must give one tensor, but gave {outputs!r}."
                )
            mask = getattr(outputs, "_keras_mask", None)
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the output for inputs of this shape."""
        shape = TensorShape(input_shape) if not isinstance(input_shape, list) else input_shape
        for layer in self.layers:
            shape = layer.compute_output_shape(shape)
        return shape

    def compute_mask(self, inputs: Any, mask: Any) -> Any:  # type: ignore[override]  # 1.15 asks for the mask here
        """The mask of the output."""
        return getattr(self.call(inputs, mask=mask), "_keras_mask", None)

    @property
    def input_spec(self) -> Any:
        """What its first layer asks of the input."""
        first = self.layers[0] if self.layers else None
        return getattr(first, "input_spec", None)

    @input_spec.setter
    def input_spec(self, value: Any) -> None:
        raise AttributeError("can't set attribute 'input_spec' of a model")

    # ---- predicting classes ----

    def predict_proba(self, x: ArrayLike, batch_size: int = 32, verbose: int = 0) -> Any:
        """The outputs for inputs, which are taken for probabilities of classes.

        Args:
            x, batch_size, verbose: as in `predict`.
        """
        predictions = self.predict(x, batch_size, verbose)
        if predictions.min() < 0.0 or predictions.max() > 1.0:
            tf_logging.warning(
                "Network returning invalid probability values. The last layer might not normalize predictions into "
                "probabilities (like softmax or sigmoid would)."
            )
        return predictions

    def predict_classes(self, x: ArrayLike, batch_size: int = 32, verbose: int = 0) -> Any:
        """The classes that the model finds most probable.

        Args:
            x, batch_size, verbose: as in `predict`.
        """
        probabilities = self.predict(x, batch_size=batch_size, verbose=verbose)
        if probabilities.shape[-1] > 1:
            return probabilities.argmax(axis=-1)
        return (probabilities > 0.5).astype("int32")

    # ---- as settings ----

    def get_config(self) -> dict[str, Any]:
        """The layers, as plain values."""
        layers = [serialize_keras_object(layer) for layer in self.layers]
        if self._is_graph_network and layers and "batch_input_shape" not in layers[0]["config"]:
            # An input layer of its own is not among the layers, so the first of them keeps what it said.
            layers[0]["config"]["batch_input_shape"] = self._layer_list[0]._batch_input_shape
        config: dict[str, Any] = {"name": self.name, "layers": layers}
        if self._build_input_shape:
            config["build_input_shape"] = self._build_input_shape
        return config

    @classmethod
    def from_config(cls, config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
        """The model that `get_config` describes.

        Args:
            config: what it gave, or a list of layers as earlier versions wrote it.
            custom_objects: classes and functions by the names they have in it.
        """
        if "name" in config:
            name, shape, layers = config["name"], config.get("build_input_shape"), config["layers"]
        else:
            name, shape, layers = None, None, config
        model = cls(name=name)
        for layer in layers:
            model.add(slots.keras_layer_from_config(layer, custom_objects=custom_objects))
        if not model.inputs and shape:
            model.build(shape)
        return model

    @property
    def _object_identifier(self) -> str:
        return "_tf_keras_sequential"


def _first_input(layer: Any) -> tuple[Any, Any]:
    """The shape and type of the input that a layer, or the first layer in it, was told to expect."""
    while isinstance(layer, Model):
        if not layer.layers:
            raise ValueError("Cannot add an empty model to a `Sequential` model.")
        if layer._is_graph_network and not isinstance(layer, Sequential):
            first = layer._input_layers[0]
        else:
            own = layer._layer_list
            first = own[0] if own else layer.layers[0]
        layer = first
    shape = getattr(layer, "_batch_input_shape", None)
    if shape is None:
        return None, None
    return shape, layer.dtype or backend_config.floatx()
