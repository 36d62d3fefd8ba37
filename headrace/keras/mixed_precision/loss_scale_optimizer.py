"""An optimizer around one of `tf.keras.optimizers` that scales the loss.

Micikevicius et al., "Mixed precision training", arXiv:1710.03740.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.composite import IndexedSlices
from headrace.core.eager import executing_eagerly
from headrace.functions.flow.case import smart_cond
from headrace.keras.backend.sessions import track_variable
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2
from headrace.ops.flow.grouping import group, no_op
from headrace.ops.math.cast import cast
from headrace.optimizers import loss_scale as loss_scales

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


class LossScaleOptimizer(OptimizerV2):
    """Takes the gradients of a multiple of the loss, divides them again, and leaves out steps where they overflow.

    Args:
        opt: the optimizer that applies the gradients.
        loss_scale: a number, "dynamic", or a `LossScale`.

    Raises:
        ValueError: if `opt` is no optimizer of `tf.keras.optimizers` or clips gradients, or there is no loss scale.

    Example:
        >>> opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), "dynamic")
    """

    _optimizer: OptimizerV2

    def __init__(self, opt: Any, loss_scale: Any) -> None:
        # The state of the base class is that of the inner optimizer.
        if not isinstance(opt, OptimizerV2):
            raise ValueError(f'"opt" must be an instance of OptimizerV2, but got: {opt}')
        for setting in ("clipnorm", "clipvalue"):
            if hasattr(opt, setting):
                raise ValueError(
                    f"LossScaleOptimizer does not support wrapping optimizers with a {setting}. Optimizer {opt} has "
                    f"{setting} {getattr(opt, setting)}"
                )
        found = loss_scales.get(loss_scale)
        if found is None:
            raise ValueError(f"Could not interpret loss scale identifier: {loss_scale}")
        object.__setattr__(self, "_optimizer", opt)
        self._loss_scale = found
        for weight in found._weights.values():
            track_variable(weight)
        self._track_trackable(opt, "base_optimizer")
        self._track_trackable(found, "loss_scale")

    @property
    def loss_scale(self) -> Any:
        """What the loss is multiplied with, a `LossScale`."""
        return self._loss_scale

    def get_scaled_loss(self, loss: Any) -> Any:
        """The loss times the loss scale; a function for a function.

        Args:
            loss: a tensor, or a function without arguments that returns one.
        """
        if not callable(loss):
            return _scaled(loss, self._loss_scale())
        return lambda: _scaled(loss(), self._loss_scale())

    def get_unscaled_gradients(self, grads: Sequence[Any]) -> list[Any]:
        """Gradients of the scaled loss as those of the loss itself.

        Args:
            grads: gradients, None where there is none.
        """
        inverse = 1.0 / self._loss_scale()
        return [None if grad is None else _times(grad, inverse) for grad in grads]

    def _compute_gradients(
        self, loss: Callable[[], Any], var_list: Any, grad_loss: Tensor | None = None
    ) -> list[tuple[Any, Any]]:
        pairs = self._optimizer._compute_gradients(self.get_scaled_loss(loss), var_list, grad_loss)
        found = self.get_unscaled_gradients([grad for grad, _ in pairs])
        return [(grad, var) for grad, (_, var) in zip(found, pairs)]

    def get_gradients(self, loss: Any, params: Any) -> list[Any]:
        """The gradients of a tensor; arguments as in `Optimizer.get_gradients`."""
        return self.get_unscaled_gradients(self._optimizer.get_gradients(self.get_scaled_loss(loss), params))

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None) -> Any:
        """Applies gradients where all are finite, and adapts the loss scale.

        Args:
            grads_and_vars: pairs of a gradient and its variable.
            name: the name of the operation.
        """
        pairs = tuple(grads_and_vars)
        with_gradient = [(grad, var) for grad, var in pairs if grad is not None]
        update, good = self._loss_scale.update([grad for grad, _ in with_gradient])
        if executing_eagerly():
            return self._optimizer.apply_gradients(pairs, name) if bool(good) else None

        def apply() -> Any:
            return group(self._optimizer.apply_gradients(pairs, name))

        return group(smart_cond(good, apply, no_op), update)

    def _assert_valid_dtypes(self, tensors: Any) -> None:
        self._optimizer._assert_valid_dtypes(tensors)

    # ---- the inner optimizer's ----

    @property
    def iterations(self) -> Any:
        """The variable that counts steps: those that were applied."""
        return self._optimizer.iterations

    @iterations.setter
    def iterations(self, variable: Any) -> None:
        self._optimizer.iterations = variable

    @property
    def learning_rate(self) -> Any:
        """The learning rate."""
        return self._optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        self._optimizer.learning_rate = value

    lr = learning_rate

    def get_slot_names(self) -> list[str]:
        """The names of the kinds of slots of the inner optimizer."""
        return self._optimizer.get_slot_names()

    def variables(self) -> list[Any]:
        """The variables of the inner optimizer."""
        return self._optimizer.variables()

    @property
    def weights(self) -> list[Any]:
        """The variables of the inner optimizer."""
        return self._optimizer.weights

    def get_weights(self) -> list[Any]:
        """The values of the variables of the inner optimizer, as NumPy arrays."""
        return self._optimizer.get_weights()

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Gives the variables of the inner optimizer new values."""
        self._optimizer.set_weights(weights)

    def get_slot(self, var: Any, slot_name: str) -> Any:
        """A slot of the inner optimizer.

        Raises:
            AttributeError: always, as slots are saved with the inner optimizer; ask that one.
        """
        raise AttributeError("You cannot call get_slot on a LossScaleOptimizer; ask the optimizer it was made with.")

    def get_config(self) -> dict[str, Any]:
        """Not known to 1.15.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("get_config() is not yet implemented for LossScaleOptimizers")

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
        """Not known to 1.15.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("from_config() is not yet implemented for LossScaleOptimizers")


def _scaled(loss: Any, scale: Tensor) -> Any:
    return loss * (cast(scale, loss.dtype) if hasattr(loss, "dtype") else scale)


def _times(grad: Any, factor: Tensor) -> Any:
    if isinstance(grad, IndexedSlices):
        return IndexedSlices(grad.values * cast(factor, grad.dtype), grad.indices, grad.dense_shape)
    return grad * cast(factor, grad.dtype)
