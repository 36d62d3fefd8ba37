"""How a TPU would hold and train tables of embeddings; elsewhere they are variables that the model's optimizer trains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from headrace.feature_column.embedding import EmbeddingColumn, _SharedEmbeddingColumn
from headrace.feature_column.numeric import NumericColumn
from headrace.feature_column.shared_embedding import SharedEmbeddingColumn

# Those of `tf.tpu.experimental` among them: their classes are made of these.
_COLUMNS = (NumericColumn, EmbeddingColumn, SharedEmbeddingColumn, _SharedEmbeddingColumn)


class _OptimizationParameters:
    """What all ways of training have: the rate, whether gradients are accumulated, and bounds of the weights."""

    def __init__(
        self,
        learning_rate: float | None,
        use_gradient_accumulation: bool,
        clip_weight_min: float | None,
        clip_weight_max: float | None,
    ) -> None:
        self.learning_rate = learning_rate
        self.use_gradient_accumulation = use_gradient_accumulation
        self.clip_weight_min, self.clip_weight_max = clip_weight_min, clip_weight_max


class AdagradParameters(_OptimizationParameters):
    """Adagrad, for tables in a TPU's memory; elsewhere nothing reads it.

    Args:
        learning_rate: the rate.
        initial_accumulator: what the sums of squares begin with, above 0.
        use_gradient_accumulation: whether the gradients of a batch are applied as one.
        clip_weight_min, clip_weight_max: the bounds of the weights; None for none.

    Raises:
        ValueError: for sums that begin with 0 or less.

    Example:
        >>> tf.tpu.experimental.AdagradParameters(0.1)
    """

    def __init__(
        self,
        learning_rate: float | None,
        initial_accumulator: float = 0.1,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
    ) -> None:
        super().__init__(learning_rate, use_gradient_accumulation, clip_weight_min, clip_weight_max)
        if initial_accumulator <= 0:
            raise ValueError(f"Adagrad initial_accumulator must be positive; got {initial_accumulator}.")
        self.initial_accumulator = initial_accumulator


class AdamParameters(_OptimizationParameters):
    """Adam, for tables in a TPU's memory; elsewhere nothing reads it.

    Args:
        learning_rate: the rate.
        beta1, beta2: how much of the moments is kept at each step, from 0 to below 1.
        epsilon: what keeps the step finite, above 0.
        lazy_adam: whether only the rows of a batch are changed.
        sum_inside_sqrt: whether `epsilon` is added within the root.
        use_gradient_accumulation: whether the gradients of a batch are applied as one.
        clip_weight_min, clip_weight_max: the bounds of the weights; None for none.

    Raises:
        ValueError: for other values, or all rows changed without accumulation.

    Example:
        >>> tf.tpu.experimental.AdamParameters(0.001, lazy_adam=False)
    """

    def __init__(
        self,
        learning_rate: float | None,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-08,
        lazy_adam: bool = True,
        sum_inside_sqrt: bool = True,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
    ) -> None:
        super().__init__(learning_rate, use_gradient_accumulation, clip_weight_min, clip_weight_max)
        for name, value in (("beta1", beta1), ("beta2", beta2)):
            if value < 0.0 or value >= 1.0:
                raise ValueError(f"{name} must be between 0. and 1; got {value}.")
        if epsilon <= 0.0:
            raise ValueError(f"epsilon must be positive; got {epsilon}.")
        if not use_gradient_accumulation and not lazy_adam:
            raise ValueError("When disabling Lazy Adam, gradient accumulation must be used.")
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.lazy_adam, self.sum_inside_sqrt = lazy_adam, sum_inside_sqrt


class StochasticGradientDescentParameters(_OptimizationParameters):
    """Gradient descent, for tables in a TPU's memory; elsewhere nothing reads it.

    Args:
        learning_rate: the rate.
        clip_weight_min, clip_weight_max: the bounds of the weights; None for none.

    Example:
        >>> tf.tpu.experimental.StochasticGradientDescentParameters(0.1)
    """

    def __init__(
        self,
        learning_rate: float | None,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
    ) -> None:
        super().__init__(learning_rate, False, clip_weight_min, clip_weight_max)


_PARAMETERS = (AdagradParameters, AdamParameters, StochasticGradientDescentParameters)


class _Fields(NamedTuple):
    feature_columns: Sequence[Any] | None
    optimization_parameters: _OptimizationParameters
    clipping_limit: float | None
    pipeline_execution_with_tensor_core: bool
    experimental_gradient_multiplier_fn: Callable[..., Any] | None
    feature_to_config_dict: Mapping[str, Any] | None
    table_to_config_dict: Mapping[str, Any] | None
    partition_strategy: str


class EmbeddingConfigSpec(_Fields):
    """Which embeddings a TPU would hold and how it would train them.

    A `TPUEstimator` that is given one trains here as without: the columns make variables where the model uses them, and
    the model's optimizer trains those.

    Args:
        feature_columns: columns of embeddings, and of numbers.
        optimization_parameters: `tf.tpu.experimental.AdagradParameters`, `AdamParameters` or
            `StochasticGradientDescentParameters`.
        clipping_limit: the bound of the gradients of the tables.
        pipeline_execution_with_tensor_core: whether a step looks up while that before it is still trained.
        experimental_gradient_multiplier_fn: what the gradients are multiplied by, of the global step.
        feature_to_config_dict, table_to_config_dict: the tables as 1.x's internals write them, which have no public
            classes; use `feature_columns`.
        partition_strategy: how tables are divided among TPUs, "div" or "mod".

    Raises:
        ValueError: without columns, for other ways of training, or other ways to divide; TypeError: for other columns.

    Example:
        >>> ids = tf.feature_column.categorical_column_with_identity("ids", 100)
        >>> spec = tf.estimator.tpu.experimental.EmbeddingConfigSpec(
        ...     feature_columns=[tf.tpu.experimental.embedding_column(ids, dimension=16)],
        ...     optimization_parameters=tf.tpu.experimental.AdagradParameters(0.1),
        ... )
    """

    def __new__(
        cls,
        feature_columns: Sequence[Any] | None = None,
        optimization_parameters: _OptimizationParameters | None = None,
        clipping_limit: float | None = None,
        pipeline_execution_with_tensor_core: bool = False,
        experimental_gradient_multiplier_fn: Callable[..., Any] | None = None,
        feature_to_config_dict: Mapping[str, Any] | None = None,
        table_to_config_dict: Mapping[str, Any] | None = None,
        partition_strategy: str = "div",
    ) -> EmbeddingConfigSpec:
        _check_features(feature_columns, feature_to_config_dict, table_to_config_dict)
        if not isinstance(optimization_parameters, _PARAMETERS):
            raise ValueError(
                f"optimization_parameters must be an instance of type {_PARAMETERS}. Got {type(optimization_parameters)}."
            )
        if partition_strategy not in ("mod", "div"):
            raise ValueError(f'Invalid partition_strategy {partition_strategy}. Must be one of "mod" or "div".')
        return super().__new__(
            cls,
            feature_columns,
            optimization_parameters,
            clipping_limit,
            pipeline_execution_with_tensor_core,
            experimental_gradient_multiplier_fn,
            feature_to_config_dict,
            table_to_config_dict,
            partition_strategy,
        )


def _check_features(columns: Sequence[Any] | None, features: Any, tables: Any) -> None:
    """Raises ValueError unless there are columns or a pair of dicts, TypeError for what neither may hold."""
    if bool(columns) == bool(features and tables):
        raise ValueError(
            "Exactly one of `feature_columns` and the pair `feature_to_config_dict` and `table_to_config_dict` must be "
            "specified."
        )
    for column in columns or ():
        if not isinstance(column, _COLUMNS):
            raise TypeError(f"All feature columns must be supported types in {_COLUMNS}. Got {type(column)}.")
    if not columns:
        name, config = next(iter(features.items()))
        raise TypeError(
            f"Config for feature {name} must be of type `FeatureConfig`. Got {type(config)}. There are none of those in "
            "Headrace: give the embeddings as feature_columns."
        )
