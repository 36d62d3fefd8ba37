"""Models from SavedModels: made of their configurations where these say all, of their functions elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint import ObjectSaver
from headrace.core import nest
from headrace.core.eager import executing_eagerly
from headrace.keras.backend.sessions import get_session, track_variable
from headrace.keras.engine.training import Model
from headrace.keras.layers import serialization
from headrace.keras.saving import saving_utils
from headrace.keras.utils.generic_utils import get_custom_objects
from headrace.layers.conditions import smart_cond
from headrace.layers.engine import Layer
from headrace.messages import protos
from headrace.saved_model import folders, objects_loading
from headrace.saved_model.loading import parse_saved_model
from headrace.util import tf_logging as logging

if TYPE_CHECKING:
    Metadata = dict[str, Any]

_MODELS = ("_tf_keras_model", "_tf_keras_network", "_tf_keras_sequential")


def load(path: str, compile: bool = True, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The model that `model.save(path, save_format="tf")` wrote; another object as `tf.saved_model.load_v2` gives it.

    Args:
        path: the folder.
        compile: whether to compile it as it was.
        custom_objects: classes of the program's own by name. Layers of other classes do what their functions in the
            SavedModel do.

    Raises:
        OSError: if there is no SavedModel.
        ValueError: if it holds no objects.
    """
    message = parse_saved_model(path).meta_graphs[0]
    nodes = message.object_graph_def.nodes
    if not nodes:
        raise ValueError(f"The SavedModel in {path} holds no objects; load it by tf.saved_model.loader.load.")
    if nodes[0].user_object.identifier not in _MODELS:
        return objects_loading.load(path)
    return _Loading(path, nodes, dict(custom_objects or {})).run(compile)


def _metadata(node: protos.SavedObject) -> Metadata:
    try:
        found = json.loads(node.user_object.metadata)
    except json.JSONDecodeError as error:
        raise ValueError(f"The metadata of {node.user_object.identifier} is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"The metadata of {node.user_object.identifier} is no dictionary.")
    return found


def _is_layer(node: protos.SavedObject) -> bool:
    return node.user_object.identifier in ("_tf_keras_layer", *_MODELS)


class _Loading:
    """A SavedModel being loaded."""

    def __init__(self, path: str, nodes: Any, custom_objects: dict[str, Any]) -> None:
        self.path, self.nodes, self.custom_objects = path, nodes, custom_objects
        self.metadata = _metadata(nodes[0])
        self._objects: Any = None

    def run(self, compile: bool) -> Any:
        model = self._from_config()
        if model is None:
            model = self._revived_model()
        else:
            # What the optimizer kept is not restored, as in 1.15: a compiled model gets a new one.
            session = None if executing_eagerly() else get_session()
            ObjectSaver(model).restore_found(folders.get_variables_path(self.path), session)
        training_config = self.metadata.get("training_config")
        if compile and training_config is not None:
            model.compile(**saving_utils.compile_args_from_training_config(training_config, self.custom_objects))
            return model
        if compile:
            logging.warning(
                "No training configuration found in save file: the model was *not* compiled. Compile it manually."
            )
        place = next((child.node_id for child in self.nodes[0].children if child.local_name == "optimizer"), None)
        if place is not None:
            self._loaded()
            model.optimizer = self._objects[place]
        return model

    # ---- from its configuration ----

    def _from_config(self) -> Any:
        """The model that the configuration describes; None if there is none, or it says too little."""
        config = self.metadata.get("config")
        kind = self.nodes[0].user_object.identifier
        if config is None or "layers" not in config:
            return None
        described = {"class_name": "Sequential" if kind == "_tf_keras_sequential" else "Model", "config": config}
        model = serialization.deserialize(described, custom_objects=self.custom_objects | self._revived())
        return model if model.built and (model._is_graph_network or kind == "_tf_keras_sequential") else None

    def _revived(self) -> dict[str, Any]:
        """Classes of layers that nobody knows: what they do is in the SavedModel."""
        known = {**get_custom_objects(), **self.custom_objects}
        names: dict[str, dict[str, int]] = {}
        for number, node in enumerate(self.nodes):
            if node.user_object.identifier == "_tf_keras_layer":
                metadata = _metadata(node)
                class_name = metadata.get("class_name", "")
                if class_name not in known and not serialization.is_known(class_name):
                    names.setdefault(class_name, {})[metadata["name"]] = number
        return {name: _revived_class(name, self, places) for name, places in names.items()}

    def _revived_model(self) -> Any:
        """A model that does what its functions do, of a class that is called as its own was."""
        kind = type(self.metadata["class_name"], (RevivedModel,), {})
        model = kind(self._loaded(), self.metadata)
        numbers = {id(item): number for number, item in enumerate(self._objects)}
        kept = [numbers.get(id(item), 0) for item in _part(_part(self._objects[0], "keras_api"), "layers")]
        # The model itself is none of its layers.
        layers = {number: self._revived_layer(number) for number in kept if number and _is_layer(self.nodes[number])}
        attributes = {child.local_name: layers.get(child.node_id) for child in self.nodes[0].children}
        for name, layer in attributes.items():
            # What every model has is not replaced, whatever the file says.
            if layer is not None and name not in model.__dict__ and not hasattr(RevivedModel, name):
                # Past __setattr__: the variables are those of the model's own parts already.
                model.__dict__[name] = layer
        model.__dict__["_revived_layers"] = list(layers.values())
        return model

    def _revived_layer(self, number: int) -> Any:
        """A layer that does what its functions do, of a class that is called as its own was."""
        metadata = _metadata(self.nodes[number])
        return type(metadata["class_name"], (RevivedLayer,), {})(self._objects[number], metadata)

    def layer(self, number: int) -> Any:
        """A layer that does what its functions do."""
        self._loaded()
        return RevivedLayer(self._objects[number], _metadata(self.nodes[number]))

    def _loaded(self) -> Any:
        if self._objects is None:
            self._objects = objects_loading.load_all(self.path)
        return self._objects[0]


def _revived_class(name: str, loading: _Loading, places: Mapping[str, int]) -> type:
    def from_config(cls: type, config: Metadata, custom_objects: Any = None) -> Any:
        number = places.get(config.get("name", ""))
        if number is None:
            raise ValueError(f"Unknown layer: {name}")
        return loading.layer(number)

    return type(name, (RevivedLayer,), {"from_config": classmethod(from_config)})


# ---- from functions


def _part(loaded: Any, name: str) -> Any:
    """An attribute of an object that was loaded.

    Raises:
        ValueError: if it has none.
    """
    found = getattr(loaded, name, None)
    if found is None:
        raise ValueError(f"The SavedModel has no {name!r} for a layer or model that has to have it.")
    return found


def _variables(loaded: Any, name: str) -> list[Any]:
    """An attribute that is a list of variables.

    Raises:
        ValueError: if it is something else.
    """
    found = list(_part(loaded, name))
    # Those of a strategy are of no class in common.
    if not all(hasattr(variable, "read_value") for variable in found):
        raise ValueError(f"The SavedModel has something else than variables among the {name!r} of a layer or model.")
    return found


class _Parts:
    """What a layer or model of functions is made of.

    Args:
        loaded: the object that was loaded.
        metadata: what was said of it.
    """

    def __init__(self, loaded: Any, metadata: Metadata) -> None:
        self.kept, self.metadata = _part(loaded, "keras_api"), metadata
        self.trained = _variables(self.kept, "trainable_variables")
        self.others = _variables(self.kept, "non_trainable_variables")
        for variable in _variables(self.kept, "variables"):
            track_variable(variable)

    def call(self, layer: Any, inputs: Any, *args: Any, training: Any = None, **kwargs: Any) -> Any:
        """The outputs of the saved function; its losses become those of `layer`."""
        function = _part(self.kept, "call_and_return_conditional_losses")
        if self.metadata.get("expects_training_arg"):
            # Saved once for training and once for inference.
            outputs, losses = smart_cond(
                False if training is None else training,
                lambda: function(inputs, *args, training=True, **kwargs),
                lambda: function(inputs, *args, training=False, **kwargs),
            )
        else:
            outputs, losses = function(inputs, *args, **kwargs)
        if nest.flatten(losses):
            layer.add_loss(nest.flatten(losses), inputs=inputs)
        return outputs

    def config(self) -> Metadata:
        """The configuration of the saved one.

        Raises:
            NotImplementedError: if it had none.
        """
        if self.metadata.get("config") is None:
            raise NotImplementedError(f"{self.metadata.get('class_name')} was saved without a configuration.")
        return dict(self.metadata["config"])


class RevivedLayer(Layer):
    """A layer of a SavedModel whose class is not known: its functions compute what it did."""

    def __init__(self, loaded: Any, metadata: Metadata) -> None:
        super().__init__(trainable=metadata.get("trainable", True), name=metadata["name"], dtype=metadata.get("dtype"))
        # Past __setattr__, which would take what it holds for parts of the layer.
        self.__dict__["_parts"] = _Parts(loaded, metadata)
        self.built = True

    @property
    def trainable_weights(self) -> list[Any]:
        """Those that were."""
        return self.__dict__["_parts"].trained if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The others."""
        parts = self.__dict__["_parts"]
        return parts.others if self.trainable else parts.trained + parts.others

    def call(self, inputs: Any, *args: Any, training: Any = None, **kwargs: Any) -> Any:
        """What the saved layer computed."""
        return self.__dict__["_parts"].call(self, inputs, *args, training=training, **kwargs)

    def get_config(self) -> Metadata:
        """The configuration of the saved one."""
        return self.__dict__["_parts"].config()


class RevivedModel(Model):
    """A model of a SavedModel that has no configuration: its functions compute what it did."""

    def __init__(self, loaded: Any, metadata: Metadata) -> None:
        super().__init__(name=metadata["name"])
        self.__dict__["_parts"] = _Parts(loaded, metadata)
        self.built = True

    @property
    def layers(self) -> list[Any]:
        """Those that it had."""
        return list(self.__dict__.get("_revived_layers", ()))

    @property
    def weights(self) -> list[Any]:
        """Those that it had."""
        return list(self.__dict__["_parts"].kept.variables)

    @property
    def trainable_weights(self) -> list[Any]:  # type: ignore[override]  # nothing sets it here
        """Those that were, but those of layers that are not trained any more."""
        fixed = {id(variable) for layer in self.layers if not layer.trainable for variable in layer.weights}
        return [v for v in self.__dict__["_parts"].trained if id(v) not in fixed] if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The others."""
        trained = {id(variable) for variable in self.trainable_weights}
        return [variable for variable in self.weights if id(variable) not in trained]

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """What the saved model computed."""
        return self.__dict__["_parts"].call(self, inputs, training=training)

    def get_config(self) -> Metadata:
        """The configuration of the saved one."""
        return self.__dict__["_parts"].config()
