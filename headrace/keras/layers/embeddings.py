"""The layer that looks up a vector for each integer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import int32, int64
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.functions.nn.embedding import embedding_lookup
from headrace.layers import named
from headrace.layers.engine import Layer
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FunctionIdentifier, ShapeLike


class Embedding(Layer):
    """Vectors for integers: rows of a table that is learned.

    Args:
        input_dim: the number of rows: integers are below it.
        output_dim: the size of a row.
        embeddings_initializer, embeddings_regularizer, embeddings_constraint: as in `add_weight`.
        activity_regularizer: a function of the outputs whose value becomes a loss.
        mask_zero: whether 0 stands for steps that are not to be used.
        input_length: the length of the sequences, or the sizes of all axes behind the batch's, where it is known.

    Example:
        >>> ids = tf.keras.Input((20,), dtype="int32")
        >>> words = tf.keras.layers.Embedding(10000, 64, mask_zero=True)(ids)
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: FunctionIdentifier | None = "uniform",
        embeddings_regularizer: Any = None,
        activity_regularizer: FunctionIdentifier | None = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        input_length: int | Sequence[int | None] | None = None,
        **kwargs: Any,
    ) -> None:
        if "input_shape" not in kwargs:
            kwargs["input_shape"] = (input_length,) if input_length else (None,)
        # The inputs are integers; what is looked up is not of their type.
        kwargs["dtype"] = kwargs.pop("dtype", None) or "float32"
        super().__init__(**kwargs)
        self.input_dim = input_dim
        self.output_dim = output_dim
        self.embeddings_initializer = named.get_initializer(embeddings_initializer)
        self.embeddings_regularizer = named.get_regularizer(embeddings_regularizer)
        self.activity_regularizer = named.get_regularizer(activity_regularizer)
        self.embeddings_constraint = named.get_constraint(embeddings_constraint)
        self.mask_zero = mask_zero
        self.supports_masking = mask_zero
        self.input_length = input_length

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the table."""
        self.embeddings = self.add_weight(
            shape=(self.input_dim, self.output_dim),
            initializer=self.embeddings_initializer,
            name="embeddings",
            regularizer=self.embeddings_regularizer,
            constraint=self.embeddings_constraint,
        )
        self.built = True

    def compute_mask(self, inputs: Any, mask: Any = None) -> Tensor | None:
        """Which integers are not 0, if 0 is masked."""
        return raw.NotEqual(inputs, 0) if self.mask_zero else None

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the inputs, with that of a row behind it; ValueError if it is not as `input_length` says."""
        sizes = TensorShape(input_shape).as_list()
        if self.input_length is None:
            return TensorShape([*sizes, self.output_dim])
        lengths = list(self.input_length) if isinstance(self.input_length, (list, tuple)) else [self.input_length]
        agree = len(lengths) == len(sizes) - 1 and all(
            length is None or size is None or length == size for length, size in zip(lengths, sizes[1:])
        )
        if not agree:
            raise ValueError(f'"input_length" is {self.input_length}, but received input has shape {tuple(sizes)}')
        known = [size if length is None else length for length, size in zip(lengths, sizes[1:])]
        return TensorShape([sizes[0], *known, self.output_dim])

    def call(self, inputs: Any) -> Tensor:
        """The rows that the inputs name."""
        if inputs.dtype not in (int32, int64):
            inputs = cast(inputs, int32)
        return embedding_lookup(self.embeddings, inputs)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {
            **super().get_config(),
            "input_dim": self.input_dim,
            "output_dim": self.output_dim,
            **named.settings(
                self, "embeddings_initializer embeddings_regularizer activity_regularizer embeddings_constraint"
            ),
            "mask_zero": self.mask_zero,
            "input_length": self.input_length,
        }
