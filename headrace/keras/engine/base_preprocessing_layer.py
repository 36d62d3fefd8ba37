"""Layers whose state is learned from data before a model is trained: what 1.15 keeps for layers to come.

1.15 publishes none of these names; programs reach them by `tensorflow.python.keras.engine.base_preprocessing_layer`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.eager import executing_eagerly
from headrace.core.errors import OutOfRangeError
from headrace.core.shapes import TensorShape
from headrace.data.dataset import make_initializable_iterator
from headrace.data.experimental import INFINITE_CARDINALITY, cardinality
from headrace.keras.backend.sessions import get_session
from headrace.keras.backend.variables import batch_get_value, batch_set_value
from headrace.keras.engine.training_datasets import is_dataset
from headrace.layers.context import get_graph
from headrace.layers.engine import Layer

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, InitializerLike, ShapeLike


class Combiner:
    """A computation over batches whose partial results, the accumulators, can be merged.

    A subclass defines what accumulators are, and all methods. It keeps nothing itself.
    """

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def compute(self, batch_values: Any, accumulator: Any = None) -> Any:
        """The accumulator of a batch, merged with an earlier one if that is given."""

    def merge(self, accumulators: Sequence[Any]) -> Any:
        """One accumulator of several; their order is of no matter."""

    def extract(self, accumulator: Any) -> Any:
        """What an accumulator stands for: a dict of arrays by the names of state variables."""

    def restore(self, output: Any) -> Any:
        """The accumulator from which `extract` gave `output`."""

    def serialize(self, accumulator: Any) -> Any:
        """An accumulator as bytes."""

    def deserialize(self, encoded_accumulator: Any) -> Any:
        """The accumulator that `serialize` gave the bytes of."""


class PreprocessingLayer(Layer):
    """A layer that learns its state from data by `adapt`."""

    def adapt(self, data: Any, reset_state: bool = True) -> Any:
        """Learns the state.

        Args:
            data: a dataset of batches, or an array of samples.
            reset_state: whether to forget what was learned before.
        """


class CombinerPreprocessingLayer(PreprocessingLayer):
    """A preprocessing layer whose state a `Combiner` computes.

    Args:
        combiner: what computes it.
        **kwargs: arguments of layers.

    Attributes:
        state_variables: the variables that hold the state, by name.
    """

    state_variables: dict[str, Any]

    def __init__(self, combiner: Combiner, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._combiner = combiner
        # Past __setattr__: its variables are among the layer's weights already.
        self.__dict__["state_variables"] = {}

    def _add_state_variable(
        self,
        name: str,
        shape: ShapeLike | None,
        dtype: DTypeLike | None,
        initializer: InitializerLike | None = None,
        partitioner: Any = None,
        use_resource: bool | None = None,
        **kwargs: Any,
    ) -> Any:
        """Makes a variable that `adapt` sets.

        Args:
            name, shape, dtype, initializer, partitioner, use_resource: as of `add_weight`.

        Returns:
            the variable; it is not trained.
        """
        weight = self.add_weight(
            name=name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=False,
            partitioner=partitioner,
            use_resource=use_resource,
            **kwargs,
        )
        self.state_variables[name] = weight
        return weight

    def adapt(self, data: Any, reset_state: bool = True) -> None:
        """Learns the state.

        Args:
            data: a finite dataset of batches, or an array, which is one batch.
            reset_state: whether to forget what was learned before.

        Raises:
            ValueError: for other data, and for datasets that have no end.
        """
        accumulator: Any = None
        if self.built and not reset_state:
            accumulator = self._combiner.restore(self._restore_updates())
        batch: Any = None
        for batch in self._batches(data):
            accumulator = self._combiner.compute(batch, accumulator)
        if batch is None:
            raise ValueError("adapt() needs data, and there was no batch in what it got.")
        if not self.built:
            first = batch[0] if isinstance(batch, (list, tuple)) else batch
            self.build(TensorShape([None, *np.shape(first)[1:]]))
            self.built = True
        self._set_state_variables(self._combiner.extract(accumulator))

    def _batches(self, data: Any) -> Iterator[Any]:
        if isinstance(data, np.ndarray):
            return iter([data] if len(data) else [])
        if not is_dataset(data):
            raise ValueError(f"adapt() requires a Dataset or a Numpy array as input, got {type(data)}")
        if self._dataset_is_infinite(data):
            raise ValueError(
                'The dataset passed to "adapt()" has an infinite number of elements. Please use dataset.take(...) to make '
                "the number of elements finite."
            )
        return iter(data) if executing_eagerly() else self._in_session(data)

    def _dataset_is_infinite(self, dataset: Any) -> bool:
        count = cardinality(dataset)
        number = count.numpy() if executing_eagerly() else get_session().run(count)  # type: ignore[attr-defined]  # an EagerTensor
        return bool(number == INFINITE_CARDINALITY)

    def _in_session(self, dataset: Any) -> Iterator[Any]:
        """The elements of a dataset, read in the session of the layers."""
        iterator = make_initializable_iterator(dataset)
        element, session = iterator.get_next(), get_session()
        session.run(iterator.initializer)
        while True:
            try:
                yield session.run(element)
            except OutOfRangeError:
                return

    def _restore_updates(self) -> dict[str, Any]:
        """The state as arrays by name."""
        names = list(self.state_variables)
        return dict(zip(names, batch_get_value([self.state_variables[name] for name in names])))

    def _set_state_variables(self, updates: Mapping[str, Any]) -> None:
        """Sets the state.

        Args:
            updates: arrays by the names of state variables.

        Raises:
            RuntimeError: before `build`.
            KeyError: for an unknown name; ValueError: for another shape.
        """
        if not self.built:
            raise RuntimeError("_set_state_variables() must be called after build().")
        pairs = []
        for name, value in updates.items():
            variable = self.state_variables[name]
            value = np.asarray(value, dtype=variable.dtype.base_dtype.as_numpy_dtype)
            variable.shape.assert_is_compatible_with(TensorShape(value.shape))
            pairs.append((variable, value))
        with get_graph().as_default():
            batch_set_value(pairs)
