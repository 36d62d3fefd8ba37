# Made by tools/make_stubs.py.

from _typeshed import Incomplete
from collections.abc import Callable
from headrace.core import nest as nest
from headrace.core.tensor import Tensor as Tensor
from headrace.keras import backend_config as backend_config
from headrace.keras.backend.sessions import track_tf_optimizer as track_tf_optimizer
from headrace.keras.engine.input_layer import Input as Input, InputLayer as InputLayer
from headrace.keras.engine.network_run import is_learning_phase as is_learning_phase
from headrace.keras.engine.sequential import Sequential as Sequential
from headrace.keras.engine.training import Model as Model
from headrace.keras.metrics.serialization import clone_metric as clone_metric
from headrace.keras.optimizers.update_lists import TFOptimizer as TFOptimizer
from headrace.keras.utils.generic_utils import CustomObjectScope as CustomObjectScope
from headrace.layers.context import get_graph as get_graph
from headrace.layers.engine import Layer as Layer
from headrace.ops.array.constant import placeholder as placeholder
from headrace.state.replication import has_strategy as has_strategy, in_cross_replica_context as in_cross_replica_context
from typing import Any

Cloner = Callable[[Any], Any]

def share_weights(layer: Any) -> Any:
    """The layer itself: given as `clone_function`, it makes a model that shares its layers with the first.

    Args:
        layer: a layer of the model.
    """
def clone_model(model: Any, input_tensors: Any = None, clone_function: Cloner | None = None) -> Any:
    """A model of the same layers with new weights.

    Args:
        model: a graph of layers, or a `Sequential` model.
        input_tensors: tensors for the copy to take in the place of new placeholders.
        clone_function: makes a layer of the copy from one of the model; by default from the layer's settings.

    Returns:
        the copy, not compiled.

    Raises:
        ValueError: for models that programs wrote as classes, and other things.

    Example:
        >>> twin = tf.keras.models.clone_model(model)
        >>> twin.set_weights(model.get_weights())
    """

class _Copying:
    """A graph of layers that is made again, call by call.

    Args:
        layer_fn: makes a layer from one of the model.
    """
    layer_fn: Incomplete
    layers: dict[int, Any]
    tensors: dict[int, Any]
    def __init__(self, layer_fn: Cloner) -> None: ...
    def copy(self, node: Any) -> Any:
        """Makes a call again, with the layer's copy; returns the new call, or None for an input."""

def clone_and_build_model(model: Any, input_tensors: Any = None, target_tensors: Any = None, custom_objects: dict[str, Any] | None = None, compile_clone: bool = True, in_place_reset: bool = False, optimizer_iterations: Any = None, optimizer_config: dict[str, Any] | None = None) -> Any:
    """A copy of a model with new weights, compiled as the model is.

    Args:
        model: the model.
        input_tensors: tensors for the copy to take in the place of new placeholders.
        target_tensors: tensors for the copy to train on.
        custom_objects: classes and functions by the names they have in settings.
        compile_clone: whether to compile it.
        in_place_reset: whether a model that a program wrote as a class may get new layers itself, as it cannot be copied.
        optimizer_iterations: the variable that counts the steps of its optimizer.
        optimizer_config: the settings of its optimizer; those of the model's by default.

    Returns:
        the copy; the model itself where it was reset.

    Raises:
        ValueError: if the model is not compiled, or cannot be copied.
    """
def in_place_subclassed_model_state_restoration(model: Any) -> None:
    """Gives a model back the layers that `clone_and_build_model` replaced.

    Args:
        model: the model.
    """
__all__ = ['Model', 'Sequential', 'clone_model', 'load_model', 'model_from_config', 'model_from_json', 'model_from_yaml', 'save_model']
from headrace.keras.engine.training import Model as Model
from headrace.keras.engine.sequential import Sequential as Sequential
from headrace.keras.saving.save import load_model as load_model
from headrace.keras.saving.model_config import model_from_config as model_from_config
from headrace.keras.saving.model_config import model_from_json as model_from_json
from headrace.keras.saving.model_config import model_from_yaml as model_from_yaml
from headrace.keras.saving.save import save_model as save_model
