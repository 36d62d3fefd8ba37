# Made by tools/make_stubs.py.

from _typeshed import Incomplete
from collections.abc import Callable
from headrace.core.defaults import name_scope as name_scope
from headrace.core.tensor import Tensor as Tensor
from headrace.core.typing import TensorLike as TensorLike
from headrace.functions.nn.cross_entropy import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from headrace.keras import loss_functions as loss_functions
from headrace.keras.backend.sessions import get_value as get_value
from headrace.keras.utils.generic_utils import deserialize_keras_object as deserialize_keras_object, serialize_keras_object as serialize_keras_object
from headrace.keras.utils.losses_utils import ReductionV2 as ReductionV2, compute_weighted_loss as compute_weighted_loss
from headrace.state.replication import has_strategy as has_strategy
from headrace.state.variables import Variable as Variable
from typing import Any

LossFunction = Callable[..., Tensor]

class Loss:
    '''The loss of a batch: subclasses define `call`, which gives that of each example.

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
    '''
    reduction: Incomplete
    name: Incomplete
    def __init__(self, reduction: str = ..., name: str | None = None) -> None: ...
    def __call__(self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None) -> Any:
        """The loss of a batch.

        Args:
            y_true: labels, of shape (batch, ...).
            y_pred: predictions.
            sample_weight: a weight for each example or value, which broadcasts to the losses.

        Returns:
            a scalar; for `Reduction.NONE` a tensor of the losses times their weights.
        """
    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """The loss that `get_config` describes."""
    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each example, a tensor of shape (batch, ...) without the last dimension.

        Raises:
            ValueError: if the subclass does not define it.
        """

class LossFunctionWrapper(Loss):
    """A loss function as a `Loss`.

    Args:
        fn: a function of labels, predictions and further arguments.
        reduction, name: as in `Loss`.
        **kwargs: the further arguments.
    """
    fn: Incomplete
    def __init__(self, fn: LossFunction, reduction: str = ..., name: str | None = None, **kwargs: Any) -> None: ...
    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each example."""
    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""

def is_categorical_crossentropy(loss: Any) -> bool:
    """Whether a loss, its name or its object, is the categorical cross entropy."""

class MeanSquaredError(LossFunctionWrapper):
    """The mean of the squared differences.

    Args:
        reduction, name: as in `Loss`.
    """
    def __init__(self, reduction: str = ..., name: str = 'mean_squared_error') -> None: ...

class MeanAbsoluteError(LossFunctionWrapper):
    """The mean of the absolute differences.

    Args:
        reduction, name: as in `Loss`.
    """
    def __init__(self, reduction: str = ..., name: str = 'mean_absolute_error') -> None: ...

class MeanAbsolutePercentageError(LossFunctionWrapper):
    """The mean of the absolute differences in percents of the labels.

    Args:
        reduction, name: as in `Loss`.
    """
    def __init__(self, reduction: str = ..., name: str = 'mean_absolute_percentage_error') -> None: ...

class MeanSquaredLogarithmicError(LossFunctionWrapper):
    """The mean of the squared differences of log(1 + value).

    Args:
        reduction, name: as in `Loss`.
    """
    def __init__(self, reduction: str = ..., name: str = 'mean_squared_logarithmic_error') -> None: ...

class SquaredHinge(LossFunctionWrapper):
    """The mean of the squares of max(0, 1 - label * prediction).

    Args:
        reduction, name: as in `Loss`.
    """
    def __init__(self, reduction: str = ..., name: str = 'squared_hinge') -> None: ...

class Hinge(LossFunctionWrapper):
    """The mean of max(0, 1 - label * prediction).

    Args:
        reduction, name: as in `Loss`.
    """
    def __init__(self, reduction: str = ..., name: str = 'hinge') -> None: ...

class CategoricalHinge(LossFunctionWrapper):
    """max(0, 1 + the largest prediction of another class - that of the class itself).

    Args:
        reduction, name: as in `Loss`.
    """
    def __init__(self, reduction: str = ..., name: str = 'categorical_hinge') -> None: ...

class Poisson(LossFunctionWrapper):
    """The mean of prediction - label * log(prediction).

    Args:
        reduction, name: as in `Loss`.
    """
    def __init__(self, reduction: str = ..., name: str = 'poisson') -> None: ...

class LogCosh(LossFunctionWrapper):
    """The mean of log(cosh(difference)).

    Args:
        reduction, name: as in `Loss`.
    """
    def __init__(self, reduction: str = ..., name: str = 'logcosh') -> None: ...

class KLDivergence(LossFunctionWrapper):
    """The sum of label * log(label / prediction).

    Args:
        reduction, name: as in `Loss`.
    """
    def __init__(self, reduction: str = ..., name: str = 'kullback_leibler_divergence') -> None: ...

class BinaryCrossentropy(LossFunctionWrapper):
    '''The mean of the cross entropies of two classes.

    Args:
        from_logits: whether predictions are logits.
        label_smoothing: the share of the labels that is spread over both classes.
        reduction, name: as in `Loss`.

    Example:
        >>> model.compile("sgd", loss=tf.keras.losses.BinaryCrossentropy(from_logits=True))
    '''
    from_logits: Incomplete
    def __init__(self, from_logits: bool = False, label_smoothing: float | TensorLike = 0, reduction: str = ..., name: str = 'binary_crossentropy') -> None: ...

class CategoricalCrossentropy(LossFunctionWrapper):
    """The cross entropy of distributions over classes.

    Args:
        from_logits: whether predictions are logits.
        label_smoothing: the share of the labels that is spread over all classes.
        reduction, name: as in `Loss`.
    """
    def __init__(self, from_logits: bool = False, label_smoothing: float | TensorLike = 0, reduction: str = ..., name: str = 'categorical_crossentropy') -> None: ...

class SparseCategoricalCrossentropy(LossFunctionWrapper):
    """The cross entropy of classes and distributions over classes.

    Args:
        from_logits: whether predictions are logits.
        reduction, name: as in `Loss`.
    """
    def __init__(self, from_logits: bool = False, reduction: str = ..., name: str = 'sparse_categorical_crossentropy') -> None: ...

class CosineSimilarity(LossFunctionWrapper):
    """The cosine of the angle between labels and predictions.

    Args:
        axis: the dimension along which the vectors lie.
        reduction, name: as in `Loss`.
    """
    def __init__(self, axis: int = -1, reduction: str = ..., name: str = 'cosine_similarity') -> None: ...

class Huber(LossFunctionWrapper):
    """Half the squared difference up to `delta`, and linear from there.

    Args:
        delta: where the square ends.
        reduction, name: as in `Loss`.
    """
    def __init__(self, delta: float = 1.0, reduction: str = ..., name: str = 'huber_loss') -> None: ...

def serialize(loss: Any) -> Any:
    """What stands for a loss in settings: the name of a function, a dict of an object's class and settings."""
def deserialize(name: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The loss that a name or a dict of settings stands for.

    Args:
        name: what `serialize` gave.
        custom_objects: names of losses of one's own to these.

    Raises:
        ValueError: if there is no such loss.
    """
def get(identifier: Any) -> Any:
    '''The loss that an argument stands for: None, a name, a dict of settings, or a function or object itself.

    Raises:
        ValueError: for anything else.

    Example:
        >>> tf.keras.losses.get("mse")
    '''
__all__ = ['BinaryCrossentropy', 'CategoricalCrossentropy', 'CategoricalHinge', 'CosineSimilarity', 'Hinge', 'Huber', 'KLD', 'KLDivergence', 'LogCosh', 'Loss', 'MAE', 'MAPE', 'MSE', 'MSLE', 'MeanAbsoluteError', 'MeanAbsolutePercentageError', 'MeanSquaredError', 'MeanSquaredLogarithmicError', 'Poisson', 'SparseCategoricalCrossentropy', 'SquaredHinge', 'binary_crossentropy', 'categorical_crossentropy', 'categorical_hinge', 'cosine', 'cosine_proximity', 'cosine_similarity', 'deserialize', 'get', 'hinge', 'kld', 'kullback_leibler_divergence', 'logcosh', 'mae', 'mape', 'mean_absolute_error', 'mean_absolute_percentage_error', 'mean_squared_error', 'mean_squared_logarithmic_error', 'mse', 'msle', 'poisson', 'serialize', 'sparse_categorical_crossentropy', 'squared_hinge']
from headrace.keras.loss_functions import KLD as KLD
from headrace.keras.loss_functions import MAE as MAE
from headrace.keras.loss_functions import MAPE as MAPE
from headrace.keras.loss_functions import MSE as MSE
from headrace.keras.loss_functions import MSLE as MSLE
from headrace.keras.loss_functions import binary_crossentropy as binary_crossentropy
from headrace.keras.loss_functions import categorical_crossentropy as categorical_crossentropy
from headrace.keras.loss_functions import categorical_hinge as categorical_hinge
from headrace.keras.loss_functions import cosine_proximity as cosine
from headrace.keras.loss_functions import cosine_proximity as cosine_proximity
from headrace.keras.loss_functions import cosine_similarity as cosine_similarity
from headrace.keras.loss_functions import hinge as hinge
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
