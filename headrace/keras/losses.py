"""`tf.keras.losses`: functions that give the loss of each example, and objects that give that of a batch."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.core.tensor import Tensor
from headrace.functions.nn.cross_entropy import sigmoid_cross_entropy_with_logits
from headrace.keras import loss_functions
from headrace.keras.backend.sessions import get_value
from headrace.keras.loss_functions import KLD as KLD
from headrace.keras.loss_functions import MAE as MAE
from headrace.keras.loss_functions import MAPE as MAPE
from headrace.keras.loss_functions import MSE as MSE
from headrace.keras.loss_functions import MSLE as MSLE
from headrace.keras.loss_functions import _maybe_convert_labels as _maybe_convert_labels
from headrace.keras.loss_functions import binary_crossentropy as binary_crossentropy
from headrace.keras.loss_functions import categorical_crossentropy as categorical_crossentropy
from headrace.keras.loss_functions import categorical_hinge as categorical_hinge
from headrace.keras.loss_functions import cosine_proximity as cosine_proximity
from headrace.keras.loss_functions import cosine_similarity as cosine_similarity
from headrace.keras.loss_functions import hinge as hinge
from headrace.keras.loss_functions import huber_loss as huber_loss
from headrace.keras.loss_functions import kld as kld
from headrace.keras.loss_functions import kullback_leibler_divergence as kullback_leibler_divergence
from headrace.keras.loss_functions import logcosh as logcosh
from headrace.keras.loss_functions import mae as mae
from headrace.keras.loss_functions import mape as mape
from headrace.keras.loss_functions import mean_absolute_error as mean_absolute_error
from headrace.keras.loss_functions import mean_absolute_percentage_error as mean_absolute_percentage_error
from headrace.keras.loss_functions import mean_squared_error as mean_squared_error
from headrace.keras.loss_functions import mean_squared_logarithmic_error as mean_squared_logarithmic_error
from headrace.keras.loss_functions import mse as mse
from headrace.keras.loss_functions import msle as msle
from headrace.keras.loss_functions import poisson as poisson
from headrace.keras.loss_functions import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from headrace.keras.loss_functions import squared_hinge as squared_hinge
from headrace.keras.utils.generic_utils import deserialize_keras_object, serialize_keras_object
from headrace.keras.utils.losses_utils import ReductionV2, compute_weighted_loss
from headrace.state.replication import has_strategy
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike

    LossFunction = Callable[..., Tensor]


class Loss:
    """The loss of a batch: subclasses define `call`, which gives that of each example.

    Args:
        reduction: how the losses of the examples become one, of `tf.keras.losses.Reduction`.
        name: the name scope of its operations.

    Raises:
        ValueError: if there is no such reduction.

    Example:
        >>> class Cubic(tf.keras.losses.Loss):
        ...     def call(self, y_true, y_pred):
        ...         return tf.reduce_mean(tf.abs(y_pred - y_true) ** 3, axis=-1)
        >>> model.compile("sgd", loss=Cubic())
    """

    def __init__(self, reduction: str = ReductionV2.AUTO, name: str | None = None) -> None:
        ReductionV2.validate(reduction)
        self.reduction = reduction
        self.name = name

    def __call__(self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None) -> Any:
        """The loss of a batch.

        Args:
            y_true: labels, of shape (batch, ...).
            y_pred: predictions.
            sample_weight: a weight for each example or value, which broadcasts to the losses.

        Returns:
            a scalar; for `Reduction.NONE` a tensor of the losses times their weights.
        """
        # As 1.15 does, so that a lambda's name makes a scope.
        scope = "lambda" if self.name == "<lambda>" else self.name
        with name_scope(scope or type(self).__name__):
            return compute_weighted_loss(self.call(y_true, y_pred), sample_weight, reduction=self._get_reduction())

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """The loss that `get_config` describes."""
        return cls(**config)

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {"reduction": self.reduction, "name": self.name}

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each example, a tensor of shape (batch, ...) without the last dimension.

        Raises:
            ValueError: if the subclass does not define it.
        """
        raise ValueError(
            f"{type(self).__name__} has no losses: it must define `call(y_true, y_pred)`, which gives them."
        )

    def _get_reduction(self) -> str:
        if has_strategy() and self.reduction in (ReductionV2.AUTO, ReductionV2.SUM_OVER_BATCH_SIZE):
            raise ValueError(
                "Please use `tf.keras.losses.Reduction.SUM` or `tf.keras.losses.Reduction.NONE` for loss reduction when losses "
                "are used with `tf.distribute.Strategy` outside of the built-in training loops. A mean over the global batch "
                "is `tf.reduce_sum(loss(labels, predictions)) * (1. / global_batch_size)` with Reduction.NONE."
            )
        return ReductionV2.SUM_OVER_BATCH_SIZE if self.reduction == ReductionV2.AUTO else self.reduction


class LossFunctionWrapper(Loss):
    """A loss function as a `Loss`.

    Args:
        fn: a function of labels, predictions and further arguments.
        reduction, name: as in `Loss`.
        **kwargs: the further arguments.
    """

    def __init__(
        self, fn: LossFunction, reduction: str = ReductionV2.AUTO, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(reduction=reduction, name=name)
        self.fn = fn
        self._fn_kwargs = kwargs

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each example."""
        if self.fn is sigmoid_cross_entropy_with_logits and not self._fn_kwargs:
            # By place it takes what it took in TensorFlow 0.x, logits before labels.
            raise ValueError(
                "Only call `sigmoid_cross_entropy_with_logits` with named arguments (labels=..., logits=...)"
            )
        return self.fn(y_true, y_pred, **self._fn_kwargs)

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {**super().get_config(), **{key: _plain(value) for key, value in self._fn_kwargs.items()}}


def _plain(value: Any) -> Any:
    """A tensor's value, so that settings hold plain numbers; other values as they are."""
    return get_value(value) if isinstance(value, (Tensor, Variable)) else value


def is_categorical_crossentropy(loss: Any) -> bool:
    """Whether a loss, its name or its object, is the categorical cross entropy."""
    return (
        isinstance(loss, CategoricalCrossentropy)
        or (isinstance(loss, LossFunctionWrapper) and loss.fn == categorical_crossentropy)
        or getattr(loss, "__name__", None) == "categorical_crossentropy"
        or (isinstance(loss, str) and loss == "categorical_crossentropy")
    )


class MeanSquaredError(LossFunctionWrapper):
    """The mean of the squared differences.

    Args:
        reduction, name: as in `Loss`.
    """

    def __init__(self, reduction: str = ReductionV2.AUTO, name: str = "mean_squared_error") -> None:
        super().__init__(mean_squared_error, reduction=reduction, name=name)


class MeanAbsoluteError(LossFunctionWrapper):
    """The mean of the absolute differences.

    Args:
        reduction, name: as in `Loss`.
    """

    def __init__(self, reduction: str = ReductionV2.AUTO, name: str = "mean_absolute_error") -> None:
        super().__init__(mean_absolute_error, reduction=reduction, name=name)


class MeanAbsolutePercentageError(LossFunctionWrapper):
    """The mean of the absolute differences in percents of the labels.

    Args:
        reduction, name: as in `Loss`.
    """

    def __init__(self, reduction: str = ReductionV2.AUTO, name: str = "mean_absolute_percentage_error") -> None:
        super().__init__(mean_absolute_percentage_error, reduction=reduction, name=name)


class MeanSquaredLogarithmicError(LossFunctionWrapper):
    """The mean of the squared differences of log(1 + value).

    Args:
        reduction, name: as in `Loss`.
    """

    def __init__(self, reduction: str = ReductionV2.AUTO, name: str = "mean_squared_logarithmic_error") -> None:
        super().__init__(mean_squared_logarithmic_error, reduction=reduction, name=name)


class SquaredHinge(LossFunctionWrapper):
    """The mean of the squares of max(0, 1 - label * prediction).

    Args:
        reduction, name: as in `Loss`.
    """

    def __init__(self, reduction: str = ReductionV2.AUTO, name: str = "squared_hinge") -> None:
        super().__init__(squared_hinge, reduction=reduction, name=name)


class Hinge(LossFunctionWrapper):
    """The mean of max(0, 1 - label * prediction).

    Args:
        reduction, name: as in `Loss`.
    """

    def __init__(self, reduction: str = ReductionV2.AUTO, name: str = "hinge") -> None:
        super().__init__(hinge, reduction=reduction, name=name)


class CategoricalHinge(LossFunctionWrapper):
    """max(0, 1 + the largest prediction of another class - that of the class itself).

    Args:
        reduction, name: as in `Loss`.
    """

    def __init__(self, reduction: str = ReductionV2.AUTO, name: str = "categorical_hinge") -> None:
        super().__init__(categorical_hinge, reduction=reduction, name=name)


class Poisson(LossFunctionWrapper):
    """The mean of prediction - label * log(prediction).

    Args:
        reduction, name: as in `Loss`.
    """

    def __init__(self, reduction: str = ReductionV2.AUTO, name: str = "poisson") -> None:
        super().__init__(poisson, reduction=reduction, name=name)


class LogCosh(LossFunctionWrapper):
    """The mean of log(cosh(difference)).

    Args:
        reduction, name: as in `Loss`.
    """

    def __init__(self, reduction: str = ReductionV2.AUTO, name: str = "logcosh") -> None:
        super().__init__(logcosh, reduction=reduction, name=name)


class KLDivergence(LossFunctionWrapper):
    """The sum of label * log(label / prediction).

    Args:
        reduction, name: as in `Loss`.
    """

    def __init__(self, reduction: str = ReductionV2.AUTO, name: str = "kullback_leibler_divergence") -> None:
        super().__init__(kullback_leibler_divergence, reduction=reduction, name=name)


class BinaryCrossentropy(LossFunctionWrapper):
    """The mean of the cross entropies of two classes.

    Args:
        from_logits: whether predictions are logits.
        label_smoothing: the share of the labels that is spread over both classes.
        reduction, name: as in `Loss`.

    Example:
        >>> model.compile("sgd", loss=tf.keras.losses.BinaryCrossentropy(from_logits=True))
    """

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float | TensorLike = 0,
        reduction: str = ReductionV2.AUTO,
        name: str = "binary_crossentropy",
    ) -> None:
        super().__init__(
            binary_crossentropy,
            reduction=reduction,
            name=name,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
        )
        self.from_logits = from_logits


class CategoricalCrossentropy(LossFunctionWrapper):
    """The cross entropy of distributions over classes.

    Args:
        from_logits: whether predictions are logits.
        label_smoothing: the share of the labels that is spread over all classes.
        reduction, name: as in `Loss`.
    """

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float | TensorLike = 0,
        reduction: str = ReductionV2.AUTO,
        name: str = "categorical_crossentropy",
    ) -> None:
        super().__init__(
            categorical_crossentropy,
            reduction=reduction,
            name=name,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
        )


class SparseCategoricalCrossentropy(LossFunctionWrapper):
    """The cross entropy of classes and distributions over classes.

    Args:
        from_logits: whether predictions are logits.
        reduction, name: as in `Loss`.
    """

    def __init__(
        self,
        from_logits: bool = False,
        reduction: str = ReductionV2.AUTO,
        name: str = "sparse_categorical_crossentropy",
    ) -> None:
        super().__init__(sparse_categorical_crossentropy, reduction=reduction, name=name, from_logits=from_logits)


class CosineSimilarity(LossFunctionWrapper):
    """The cosine of the angle between labels and predictions.

    Args:
        axis: the dimension along which the vectors lie.
        reduction, name: as in `Loss`.
    """

    def __init__(self, axis: int = -1, reduction: str = ReductionV2.AUTO, name: str = "cosine_similarity") -> None:
        super().__init__(cosine_proximity, reduction=reduction, name=name, axis=axis)


class Huber(LossFunctionWrapper):
    """Half the squared difference up to `delta`, and linear from there.

    Args:
        delta: where the square ends.
        reduction, name: as in `Loss`.
    """

    def __init__(self, delta: float = 1.0, reduction: str = ReductionV2.AUTO, name: str = "huber_loss") -> None:
        super().__init__(huber_loss, reduction=reduction, name=name, delta=delta)


@functools.cache
def _by_name() -> dict[str, Any]:
    """The losses of this module by name, and nothing else of it: files of models hold such names."""
    own = {name: value for name, value in globals().items() if inspect.isclass(value) and issubclass(value, Loss)}
    functions = {name: value for name, value in vars(loss_functions).items() if not name.startswith("_")}
    return own | {
        name: value
        for name, value in functions.items()
        if inspect.isfunction(value) and value.__module__ == loss_functions.__name__
    }


def serialize(loss: Any) -> Any:
    """What stands for a loss in settings: the name of a function, a dict of an object's class and settings."""
    return serialize_keras_object(loss)


def deserialize(name: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The loss that a name or a dict of settings stands for.

    Args:
        name: what `serialize` gave.
        custom_objects: names of losses of one's own to these.

    Raises:
        ValueError: if there is no such loss.
    """
    return deserialize_keras_object(
        name, module_objects=_by_name(), custom_objects=custom_objects, printable_module_name="loss function"
    )


def get(identifier: Any) -> Any:
    """The loss that an argument stands for: None, a name, a dict of settings, or a function or object itself.

    Raises:
        ValueError: for anything else.

    Example:
        >>> tf.keras.losses.get("mse")
    """
    if identifier is None:
        return None
    if isinstance(identifier, (str, dict)):
        return deserialize(str(identifier) if isinstance(identifier, str) else identifier)
    if callable(identifier):
        return identifier
    raise ValueError("Could not interpret loss function identifier:", identifier)
