"""The base of Keras' own optimizers, which return lists of updates, and a shell for those of `tf.train`.

They are the classes of `tensorflow.python.keras.optimizers` and of the stand-alone `keras`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.autodiff.gradients import gradients
from headrace.checkpoints.tracking import Trackable
from headrace.core.composite import IndexedSlices
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_sum
from headrace.keras.backend.sessions import batch_get_value, batch_set_value, track_variable
from headrace.keras.backend_config import floatx
from headrace.kernels.composing.filling import zeros
from headrace.ops.math.add_n import add_n
from headrace.ops.math.cast import cast
from headrace.ops.math.clip import clip_by_value
from headrace.optimizers.optimizer import Optimizer as TrainOptimizer
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def new_variable(value: Any, name: str | None = None, dtype: str | None = None) -> Any:
    """A variable of Keras' floating type, or another."""
    made = Variable(np.asarray(value, dtype or floatx()), name=name, use_resource=True)
    track_variable(made)
    return made


def zeros_like(params: Sequence[Any]) -> list[Any]:
    """A variable of zeros for each of some variables."""
    made = [Variable(zeros(param.shape, param.dtype.base_dtype), use_resource=True) for param in params]
    for variable in made:
        track_variable(variable)
    return made


def clip_norm(g: Any, c: float, n: Any) -> Any:
    """A gradient scaled down to the norm `c` if its norm `n` is larger.

    Args:
        g: tensor or IndexedSlices.
        c: the largest norm; 0 or less clips nothing.
        n: the norm, a scalar tensor.
    """
    if c <= 0:
        return g
    values = g.values if isinstance(g, IndexedSlices) else g
    # Scaled only where needed, which also keeps gradients of norm 0 from being divided by it.
    clipped = cond(n >= c, lambda: values * (c / n), lambda: values)
    return IndexedSlices(clipped, g.indices, g.dense_shape) if isinstance(g, IndexedSlices) else clipped


class Optimizer:
    """The base class of Keras' own optimizers: a subclass defines `get_updates`, which returns a list of updates.

    Args:
        **kwargs: `clipnorm`, the largest norm of all gradients together, and `clipvalue`, the largest size of elements.

    Raises:
        TypeError: for other keyword arguments.
        ValueError: if one of them is negative.
    """

    def __init__(self, **kwargs: Any) -> None:
        for key, value in kwargs.items():
            if key not in ("clipnorm", "clipvalue"):
                raise TypeError(f"Unexpected keyword argument passed to optimizer: {key}")
            if value < 0:
                raise ValueError(f"Expected {key} >= 0, received: {value}")
            setattr(self, key, value)
        self.updates: list[Any] = []
        self.weights: list[Any] = []

    def get_updates(self, loss: TensorLike, params: Sequence[Any]) -> list[Any]:
        """The updates of one step towards a smaller loss.

        Args:
            loss: a tensor.
            params: the variables to train.
        """
        raise NotImplementedError(
            f"{type(self).__name__} does not define get_updates: define it in the subclass of Optimizer."
        )

    def get_gradients(self, loss: TensorLike, params: Sequence[Any]) -> list[Any]:
        """The gradients of a loss, clipped as the optimizer says.

        Raises:
            ValueError: if a variable has none.
        """
        grads = gradients(loss, list(params))
        if any(grad is None for grad in grads):
            raise ValueError(
                "An operation has `None` for gradient. Please make sure that all of your ops have a gradient defined (i.e. "
                "are differentiable). Common ops without gradient: K.argmax, K.round, K.eval."
            )
        if getattr(self, "clipnorm", 0) > 0:
            norm = raw.Sqrt(add_n([reduce_sum(raw.Square(_values(grad))) for grad in grads]))
            grads = [clip_norm(grad, self.clipnorm, norm) for grad in grads]  # type: ignore[attr-defined]  # set by keyword
        if getattr(self, "clipvalue", 0) > 0:
            bound = self.clipvalue  # type: ignore[attr-defined]  # set by keyword
            grads = [clip_by_value(grad, -bound, bound) for grad in grads]
        return grads

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Gives its variables new values, in the order of `weights`.

        Raises:
            ValueError: if their number or shapes are others.
        """
        params = self.weights
        if len(params) != len(weights):
            raise ValueError(
                f"Length of the specified weight list ({len(weights)}) does not match the number of weights of the "
                f"optimizer ({len(params)})"
            )
        for param, value in zip(params, weights):
            if tuple(param.shape.as_list()) != np.shape(value):
                raise ValueError(
                    f"Optimizer weight shape {tuple(param.shape.as_list())} not compatible with provided weight shape "
                    f"{np.shape(value)}"
                )
        batch_set_value(list(zip(params, weights)))

    def get_weights(self) -> list[Any]:
        """The values of its variables, as NumPy arrays."""
        return batch_get_value(self.weights)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        return {key: getattr(self, key) for key in ("clipnorm", "clipvalue") if hasattr(self, key)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """The optimizer that `get_config` describes."""
        return cls(**config)

    # ---- for the classes below ----

    def _decayed(self, lr: Any, decay: Any, initial_decay: float) -> Any:
        """The learning rate of the step."""
        if initial_decay <= 0:
            return lr
        return lr * (1.0 / (1.0 + decay * cast(self.iterations, decay.dtype.base_dtype)))  # type: ignore[attr-defined]  # each subclass has it

    def _constrained(self, param: Any, value: Any) -> Any:
        """The update of a variable, projected as the variable asks."""
        constraint = getattr(param, "constraint", None)
        return param.assign(value if constraint is None else constraint(value))


class TFOptimizer(Optimizer, Trackable):
    """An optimizer of `tf.train` as one of Keras'.

    Args:
        optimizer: the optimizer.
        iterations: the variable that counts steps; a new one by default.
    """

    def __init__(self, optimizer: TrainOptimizer, iterations: Any = None) -> None:
        self.optimizer = optimizer
        self._track_trackable(optimizer, name="optimizer")
        self.updates: list[Any] = []
        if iterations is None:
            with name_scope(type(self).__name__):
                iterations = new_variable(0, name="iterations", dtype="int64")
        self.iterations = iterations
        self._track_trackable(iterations, name="global_step")

    def apply_gradients(self, grads: Any) -> Any:
        """Applies pairs of a gradient and its variable, and counts the step."""
        return self.optimizer.apply_gradients(grads, global_step=self.iterations)

    def get_grads(self, loss: Any, params: Sequence[Any]) -> Any:
        """Pairs of a gradient of a loss and its variable."""
        return self.optimizer.compute_gradients(loss, params)

    def get_updates(self, loss: Any, params: Sequence[Any]) -> list[Any]:
        """The updates of one step towards a smaller loss."""
        if not params:
            self.updates = [self.iterations.assign_add(1)]
            return self.updates
        self.updates = [self.apply_gradients(self.optimizer.compute_gradients(loss, params))]
        return self.updates

    @property
    def weights(self) -> Any:  # type: ignore[override]  # there are none to ask for
        """Not known to Keras.

        Raises:
            NotImplementedError: always; `optimizer.variables()` has them.
        """
        raise NotImplementedError("The variables of a tf.train optimizer are those of `optimizer.variables()`.")

    def get_config(self) -> dict[str, Any]:
        """Not known to Keras.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("Optimizers of tf.train have no settings to save; use one of tf.keras.optimizers.")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Not known to Keras.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("Optimizers of tf.train have no settings to load; use one of tf.keras.optimizers.")


def _values(grad: Any) -> Any:
    return grad.values if isinstance(grad, IndexedSlices) else grad
