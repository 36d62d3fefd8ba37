"""`keras.models`: models that take the arguments of Keras 1, and files of all of Keras' years."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from headrace.core import nest
from headrace.keras.engine.sequential import Sequential as TfSequential
from headrace.keras.engine.training import Model as TfModel
from headrace.keras.saving import model_config, network_weights, save
from headrace.keras.standalone import layers, legacy_layers, metric_names, optimizers
from headrace.keras.standalone.held_out import show_validation_data
from headrace.keras.standalone.history import with_old_names
from headrace.keras.standalone.layer_classes import named_from_one
from headrace.keras.standalone.merging import Merge
from headrace.keras.standalone.renames import FIT, GENERATOR, MODEL
from headrace.keras.standalone.stand_in import stand_in
from headrace.keras.utils.generic_utils import CustomObjectScope

Objects = Mapping[str, Any]


def _train(self: Any, name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """Calls the method of `tf.keras` that trains; callbacks see what validates it, and metrics have their old names too."""
    method = getattr(super(Model, self), name)
    show_validation_data(self, inspect.signature(method).bind_partial(*given, **named).arguments)
    return with_old_names(method(*given, **named))


def _fit(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Trains the model; see `tf.keras.Model.fit`."""
    return _train(self, "fit", *FIT.convert("fit", args, kwargs, 2))


def _generator_method(name: str, training: bool = False) -> Callable[..., Any]:
    """A method over generators: Keras 1 counted samples where Keras 2 counts batches."""

    def method(self: Any, generator: Any, *args: Any, **kwargs: Any) -> Any:
        counted = [key for key in ("samples_per_epoch", "val_samples", "nb_val_samples") if key in kwargs]
        if counted:
            warnings.warn(
                f"{name}: {', '.join(counted)} counted samples in Keras 1; Keras 2 counts batches of the generator, as "
                "steps_per_epoch, steps and validation_steps.",
                stacklevel=2,
            )
        given, named = GENERATOR.convert(name, args, kwargs, 2)
        size = getattr(generator, "batch_size", None)
        if "samples_per_epoch" in counted and size:
            named["steps_per_epoch"] //= size
        if training:
            return _train(self, name, [generator, *given], named)
        return getattr(super(Model, self), name)(generator, *given, **named)

    method.__name__, method.__doc__ = name, getattr(TfModel, name).__doc__
    return method


def _compile(self: Any, optimizer: Any = "rmsprop", *args: Any, **kwargs: Any) -> None:
    """Says how the model is trained; metrics are called in logs as they are here, such as "accuracy"."""
    with metric_names.in_full():
        super(Model, self).compile(optimizers.get(optimizer), *args, **kwargs)


def _load_weights(
    self: Any, filepath: str, by_name: bool = False, skip_mismatch: bool = False, reshape: bool = False
) -> Any:
    """Sets the weights to those of a file.

    Args:
        self: the model.
        filepath: an HDF5 file, or the prefix of a checkpoint.
        by_name: whether layers are found by name.
        skip_mismatch: with `by_name`, whether layers of other shapes are left as they are.
        reshape: not supported.
    """
    if reshape:
        raise NotImplementedError(
            "load_weights(reshape=True) is not supported: set the reshaped arrays by set_weights."
        )
    return network_weights.load_weights(self, filepath, by_name, skip_mismatch)


Model: Any = stand_in(
    TfModel,
    MODEL,
    module="keras.models",
    members={
        "compile": _compile,
        "evaluate_generator": _generator_method("evaluate_generator"),
        "fit": _fit,
        "fit_generator": _generator_method("fit_generator", training=True),
        "load_weights": _load_weights,
        "predict_generator": _generator_method("predict_generator"),
        "_goes_on_shuffling": True,
        **named_from_one(TfModel),
    },
)


class Sequential(TfSequential, Model):
    """A stack of layers, which may begin with a `Merge` of other models.

    Args:
        layers: the layers.
        name: its name.
    """

    def add(self, layer: Any) -> None:
        """Adds a layer on top.

        Args:
            layer: the layer; a `Merge` only as the first.
        """
        if not isinstance(layer, Merge):
            super().add(layer)
            return
        if self.layers:
            raise ValueError("A Merge of models is the first layer of a Sequential model; here others come before it.")
        if layer.output is None:
            raise ValueError("A Merge in a Sequential model needs the models whose outputs it combines.")
        self.inputs, self.outputs = nest.flatten(layer.inputs), [layer.output]
        self._init_graph_network(self.inputs, self.outputs, name=self.name)
        self.built = True


Sequential._stands_for = TfSequential
Sequential.__module__ = "keras.models"


@contextmanager
def _scope(custom_objects: Objects | None) -> Iterator[None]:
    """Names in files of Keras 1 and 2, and the program's own; nobody is told to write files otherwise."""
    old = {name: getattr(legacy_layers, name) for name in ("Highway", "MaxoutDense")}
    known = layers.legacy_objects() | old | {"Model": Model, "Sequential": Sequential}
    with CustomObjectScope(known, custom_objects or {}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Update your `", UserWarning)
        yield


def load_model(filepath: Any, custom_objects: Objects | None = None, compile: bool = True) -> Any:
    """The model of a file that Keras 1.2 to 2.3, `tf.keras` or Headrace wrote; see `tf.keras.models.load_model`."""
    with _scope(custom_objects), metric_names.in_full():
        return save.load_model(filepath, None if custom_objects is None else dict(custom_objects), compile)


def save_model(model: Any, filepath: Any, overwrite: bool = True, include_optimizer: bool = True) -> None:
    """Writes a model to an HDF5 file; see `tf.keras.models.save_model`."""
    save.save_model(model, filepath, overwrite, include_optimizer, save_format="h5")


def model_from_config(config: dict[str, Any], custom_objects: Objects | None = None) -> Any:
    """A model with new weights from its configuration; see `tf.keras.models.model_from_config`."""
    with _scope(custom_objects):
        return model_config.model_from_config(config, None if custom_objects is None else dict(custom_objects))


def model_from_json(json_string: str, custom_objects: Objects | None = None) -> Any:
    """A model with new weights from its configuration in JSON; see `tf.keras.models.model_from_json`."""
    with _scope(custom_objects):
        return model_config.model_from_json(json_string, None if custom_objects is None else dict(custom_objects))


def model_from_yaml(yaml_string: str, custom_objects: Objects | None = None) -> Any:
    """A model with new weights from its configuration in YAML; see `tf.keras.models.model_from_yaml`."""
    with _scope(custom_objects):
        return model_config.model_from_yaml(yaml_string, None if custom_objects is None else dict(custom_objects))
