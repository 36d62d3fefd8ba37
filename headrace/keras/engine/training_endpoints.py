"""An output of a model as training sees it: with its loss, its target and the weights of its samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.eager import executing_eagerly
from headrace.core.errors import InvalidArgumentError
from headrace.keras import backend_config, losses
from headrace.keras.backend.variables import is_placeholder, placeholder
from headrace.keras.engine.training_input_checks import is_composite
from headrace.ops.array.constant import constant, placeholder_with_default

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


# The loss whose targets are the numbers of classes.
_SPARSE = "sparse_categorical_crossentropy"


def _shape_of(tensor: Any) -> Any:
    """The static shape of a tensor as a tuple, None if nothing is known of it."""
    return None if tensor is None or tensor.shape.ndims is None else tuple(tensor.shape.as_list())


class TrainingTarget:
    """The target of an output.

    Args:
        target: the tensor.
        feedable: whether training feeds it.
        skip_target_weights: whether its samples have no weights.
    """

    def __init__(self, target: TensorLike | None, feedable: bool = False, skip_target_weights: bool = True) -> None:
        self.target = target
        self.feedable = feedable
        self.skip_target_weights = skip_target_weights


class TrainingEndpoint:
    """An output with what trains it.

    Args:
        output: the tensor.
        output_name: its name in the model.
        loss_fn: its loss; None for an output that is not trained.
        loss_weight: the factor of its loss in the total.
        training_target: its target.
        output_loss_metric: the metric that averages its loss, where there are several outputs.
        sample_weight: the tensor of the weights of its samples.
        sample_weight_mode: None or "temporal".
    """

    def __init__(
        self,
        output: Any,
        output_name: str,
        loss_fn: Any,
        loss_weight: float | None = None,
        training_target: TrainingTarget | None = None,
        output_loss_metric: Any = None,
        sample_weight: Any = None,
        sample_weight_mode: str | None = None,
    ) -> None:
        self.output = output
        self.output_name = output_name
        self.loss_fn = loss_fn
        self.loss_weight = loss_weight
        self.training_target = training_target
        self.output_loss_metric = output_loss_metric
        self.sample_weight = sample_weight
        self.sample_weight_mode = sample_weight_mode

    @property
    def shape(self) -> Any:
        """The shape of the output, with the axis of the batch."""
        return _shape_of(self.output)

    @property
    def loss_name(self) -> str:
        """The name of its loss among the metrics."""
        return f"{self.output_name}_loss"

    def create_training_target(self, target: Any, run_eagerly: bool = False) -> None:
        """Makes the target: a placeholder of the type that the loss takes unless `target` is one.

        Args:
            target: a tensor to train on, or None.
            run_eagerly: whether batches are run eagerly, which needs no placeholder.
        """
        if self.training_target is not None:
            raise ValueError("The training_target field for the _TrainingEndpoint instance has already been populated")
        if run_eagerly:
            self.training_target = TrainingTarget(None, feedable=True, skip_target_weights=False)
            return
        if self.should_skip_target():
            self.training_target = TrainingTarget(None)
            return
        feedable = False
        if target is None or is_placeholder(target):
            feedable = True
        if target is None:
            rank = len(self.shape)
            target = placeholder(
                # Targets of one number a sample are fed as a column, also where the output is none.
                ndim=None if rank == 1 else rank,
                name=f"{self.output_name}_target",
                sparse=is_composite(self.output),
                dtype=self._target_dtype(),
            )
        self.training_target = TrainingTarget(target, feedable, skip_target_weights=False)

    def _target_dtype(self) -> Any:
        dtype = self.output.dtype.base_dtype.name
        return "float32" if dtype in ("int32", "int64", "bool", "uint8", "string") else dtype

    def should_skip_target(self) -> bool:
        """Whether the output is not trained."""
        return self.loss_fn is None

    def should_skip_target_weights(self) -> bool:
        """Whether its samples have no weights."""
        return self.should_skip_target() or self.training_target is None or self.training_target.skip_target_weights

    def has_training_target(self) -> bool:
        """Whether there is a target."""
        return self.training_target is not None

    def has_feedable_training_target(self) -> bool:
        """Whether there is a target that is fed."""
        return not self.should_skip_target() and self.training_target is not None and self.training_target.feedable

    @property
    def target(self) -> Any:
        """The tensor of the target, None where there is none."""
        return None if self.training_target is None else self.training_target.target

    @property
    def feed_output_shape(self) -> Any:
        """The shape that a target must have; None where it is the loss that knows."""
        if not self.has_feedable_training_target():
            return None
        loss, shape = self.loss_fn, self.shape
        wrapped = getattr(loss, "fn", loss)
        known = getattr(wrapped, "__name__", "")
        if known == _SPARSE or isinstance(loss, losses.SparseCategoricalCrossentropy):
            if backend_config.image_data_format() == "channels_first" and len(shape) in (4, 5):
                return (shape[0], 1, *shape[2:])
            return (*shape[:-1], 1)
        if isinstance(loss, losses.Loss) and wrapped is loss:
            return shape
        # A function that only the program knows may compare other shapes.
        return shape if getattr(losses, known, None) is not None else None

    def sample_weights_mismatch(self) -> bool:
        """Whether the mode asks for weights where there are none, or the other way round."""
        return (self.sample_weight_mode is not None and self.sample_weight is None) or (
            self.sample_weight_mode is None and self.sample_weight is not None
        )

    def populate_sample_weight(self, sample_weight: Any, sample_weight_mode: str | None) -> None:
        """Makes the tensor of the weights where the mode or weights that are given ask for one.

        Args:
            sample_weight: weights given as a tensor; anything else is fed.
            sample_weight_mode: "temporal", "samplewise" or None.
        """
        if sample_weight is None and (
            self.should_skip_target_weights() or sample_weight_mode is None or executing_eagerly()
        ):
            self.sample_weight = None
            return
        if sample_weight_mode not in ("temporal", "samplewise"):
            raise AssertionError(f"Invalid sample weight mode: {sample_weight_mode}")
        temporal = sample_weight_mode == "temporal"
        shape = [None, None] if temporal else [None]
        if sample_weight is not None:
            if not sample_weight.shape.is_compatible_with(shape):
                raise ValueError(f"Received sample weight with shape {sample_weight.shape}. Expected shape {shape}.")
            self.sample_weight = sample_weight
            return
        ones = constant([[1.0]] if temporal else [1.0], backend_config.floatx())
        self.sample_weight = placeholder_with_default(ones, shape=shape, name=f"{self.output_name}_sample_weights")


def without_targets(names: Sequence[str], eagerly: bool) -> Exception:
    """The error for outputs that are trained, or tested, and were given no targets.

    In 1.x graphs it is the step's: the placeholders of the targets are not fed; eagerly the list of targets is too short.
    """
    message = f"The outputs {list(names)} have losses, so the model needs targets `y` for them; none were given."
    return IndexError(message) if eagerly else InvalidArgumentError(None, None, message)
