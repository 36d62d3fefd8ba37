"""Small models with their data, which strategies are tested on; as 1.15's `model_collection` has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.checkpoints.module import Module
from headrace.core.tensor import Tensor
from headrace.keras.engine.input_layer import Input
from headrace.keras.engine.sequential import Sequential
from headrace.keras.engine.training import Model
from headrace.keras.optimizers.gradient_descent import SGD
from headrace.layers.core import Dense
from headrace.ops.array.constant import constant
from headrace.state.polymorphic_function import function
from headrace.state.variables import Variable
from headrace.testing.combinations import NamedObject

_BATCH_SIZE = 10
_OUTPUT = "output_layer"


class ModelAndInput:
    """A model and what it is trained and asked on."""

    def get_model(self, **kwargs: Any) -> tuple[Any, str]:
        """The model, compiled where it can be, and the name of its output."""
        raise NotImplementedError(f"{type(self).__name__} must define get_model.")

    def get_data(self) -> tuple[Tensor, Tensor, Tensor]:
        """The inputs and outputs of training, and the inputs of predictions."""
        inputs, outputs, asked = (np.random.rand(1000, width).astype(np.float32) for width in (3, 5, 3))
        return constant(inputs), constant(outputs), constant(asked)

    def get_batch_size(self) -> int:
        """How many samples a batch has."""
        return _BATCH_SIZE


class SimpleFunctionalModel(ModelAndInput):
    """A dense layer as a model of inputs and outputs."""

    def get_model(self, **kwargs: Any) -> tuple[Model, str]:
        inputs = Input(shape=(3,))
        return _compiled(Model(inputs=inputs, outputs=Dense(5, name=_OUTPUT)(inputs)), kwargs), _OUTPUT


class SimpleSequentialModel(ModelAndInput):
    """A dense layer as a sequence of one."""

    def get_model(self, **kwargs: Any) -> tuple[Model, str]:
        return _compiled(Sequential([Dense(5, name=_OUTPUT, input_dim=3)]), kwargs), _OUTPUT


class _SimpleModel(Model):
    def __init__(self) -> None:
        super().__init__()
        self.output_name = _OUTPUT
        self._dense_layer = Dense(5, name=_OUTPUT)

    def call(self, inputs: Tensor) -> Any:  # type: ignore[override]  # there are no other arguments
        """What the layer gives."""
        return self._dense_layer(inputs)


class SimpleSubclassModel(ModelAndInput):
    """A dense layer in a class of its own."""

    def get_model(self, **kwargs: Any) -> tuple[Model, str]:
        return _compiled(_SimpleModel(), kwargs), _OUTPUT


class _SimpleModule(Module):
    def __init__(self) -> None:
        self.v = Variable(3.0)

    @function
    def __call__(self, x: Tensor) -> Any:
        return self.v * x


class SimpleTFModuleModel(ModelAndInput):
    """A product with a variable as a `tf.Module`."""

    def get_model(self, **kwargs: Any) -> tuple[Module, str]:
        return _SimpleModule(), "foo"


def _compiled(model: Model, settings: dict[str, Any]) -> Model:
    model.compile(SGD(learning_rate=0.001), "mse", metrics=["mae"], **settings)
    return model


simple_functional_model = NamedObject("SimpleFunctionalModel", SimpleFunctionalModel())
simple_sequential_model = NamedObject("SimpleSequentialModel", SimpleSequentialModel())
simple_subclass_model = NamedObject("SimpleSubclassModel", SimpleSubclassModel())
simple_tfmodule_model = NamedObject("SimpleTFModuleModel", SimpleTFModuleModel())
