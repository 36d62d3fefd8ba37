"""`Model.compile(distribute=...)`: a copy of the model, made in the scope of a strategy, is trained in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.config import tf2
from headrace.core import slots
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2
from headrace.util import tf_logging as logging

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model


def compiled_copy(model: Model, strategy: Any, optimizer: Any, **settings: Any) -> Model:
    """A copy of a model in the scope of a strategy, compiled as the model is.

    Args:
        model: the model.
        strategy: the strategy.
        optimizer: of `compile`; one of Keras is copied too.
        settings: the other arguments of `compile`.

    Raises:
        AttributeError: if `strategy` is none.
        ValueError: where TensorFlow 2's behaviour is on, and for a model that cannot be copied.
    """
    if tf2.enabled():
        raise ValueError(
            "Distribute argument in compile is not available in TF 2.0 please create the model under the distribution "
            "strategy scope."
        )
    logging.warning(
        "Distribute argument in compile is deprecated please create the model under the distribution strategy scope."
    )
    with strategy.scope():
        copy: Model = slots.clone_model(model)
        if isinstance(optimizer, OptimizerV2):
            optimizer = optimizer.from_config(optimizer.get_config())
        copy.compile(optimizer, **settings)
    return copy


def run_copy(model: Model, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls a method of a model's copy, which has the weights of the model, and after training the other way round.

    Args:
        model: the model.
        name: "fit", "evaluate" or "predict".
        args, kwargs: of the method.
    """
    copy = model._copy_under_strategy
    copy.set_weights(model.get_weights())
    result = getattr(copy, name)(*args, **kwargs)
    if name == "fit":
        model.set_weights(copy.get_weights())
        model.history = copy.history
    return result
