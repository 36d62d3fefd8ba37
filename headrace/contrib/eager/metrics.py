"""`tfe.metrics`: metrics that are objects with variables, in eager execution and in graphs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.tracking import Trackable
from headrace.contrib.summary.recorded_summaries import scalar
from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.dtypes import bool as bool_type
from headrace.core.dtypes import float64, int64
from headrace.core.eager import eager_mode, executing_eagerly
from headrace.core.registry import raw
from headrace.functions.flow.case import smart_cond
from headrace.functions.flow.checks import assert_equal
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels.composing.shapes import shape, size
from headrace.ops.flow.grouping import group
from headrace.ops.math.add_n import add_n
from headrace.ops.math.cast import cast
from headrace.state.initializers import Zeros
from headrace.state.polymorphic_function import defun
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, InitializerLike, ShapeLike, TensorLike


_NO_SCOPE_CHARACTERS = re.compile("[^A-Za-z0-9.]")


class Metric(Trackable):
    """What is gathered about an evaluation, batch by batch.

    Descendants define `build`, which makes the variables with `add_variable`; `call`, which updates them from a batch; and
    `result`. Calling the metric builds it the first time, and then updates it; in a graph it returns what does so.

    Args:
        name: its name; that of the class by default.
        use_global_variables: whether, in a graph, its variables are global rather than local ones.

    Example:
        >>> mean = tfe.metrics.Mean()
        >>> mean(0.0), mean(10.0)
        >>> mean.result().numpy()
        5.0
    """

    def __init__(self, name: str | None = None, use_global_variables: bool = False) -> None:
        self._built = False
        self._vars: list[Any] = []
        self._initial_values: list[Any] = []
        self._use_global_variables = use_global_variables
        name = name or type(self).__name__
        scope_name = _NO_SCOPE_CHARACTERS.sub("_", name)
        with variable_scope(scope_name, use_resource=True, reuse=False) as scope:
            # Where the scope's name was made unique, so is that of the metric.
            self._name = name + scope.name[scope.name.rfind(scope_name) + len(scope_name) :]
            self._scope = scope
        define = self.build

        def build(*args: Any, **kwargs: Any) -> None:
            define(*args, **kwargs)
            self._built = True

        self.build = build  # type: ignore[method-assign]  # the method of this one object
        if executing_eagerly():
            self._made_in: Callable[..., Any] = eager_mode
        else:
            self._made_in = get_default_graph().as_default
            self.call = defun(self.call)  # type: ignore[method-assign]  # the method of this one object

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Updates it from a batch; the arguments are those of `call`."""
        if not self._built:
            with variable_scope(self._scope), self._made_in():
                self.build(*args, **kwargs)
        return self.call(*args, **kwargs)

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def variables(self) -> list[Any]:
        """Its variables, once it has been called."""
        return self._vars

    def init_variables(self) -> Operation | None:
        """Sets its variables back: at once in eager execution, by the returned operation in a graph."""
        if not executing_eagerly():
            return group(*[variable.initializer for variable in self._vars])
        for variable, value in zip(self._vars, self._initial_values, strict=True):
            variable.assign(value)
        return None

    def build(self, *args: Any, **kwargs: Any) -> None:
        """Makes its variables; called before `call` the first time, with the same arguments."""
        raise NotImplementedError("Metrics must define a build() member function")

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Updates its variables from a batch; in a graph it becomes a function, all of which runs."""
        raise NotImplementedError("Metrics must define a call() member function")

    def result(self) -> Tensor:
        """What the batches so far come to."""
        raise NotImplementedError("Metrics must define a result() member function")

    def value(self) -> Any:
        """The result in a graph, the function that computes it in eager execution."""
        return self.result if executing_eagerly() else self.result()

    def aggregate(self, metrics: Sequence[Metric]) -> None:
        """Adds what other metrics of its class have gathered.

        Raises:
            TypeError: if one is of another class.
            ValueError: if their variables differ.
        """
        for other in metrics:
            if type(other) is not type(self):
                raise TypeError(f"All metrics must be the same type, '{type(self)}' != '{type(other)}'.")
        for i, variable in enumerate(self._vars):
            if any(other._vars[i].name != variable.name for other in metrics):
                raise ValueError("All metrics must have variables in the same order.")
            variable.assign_add(add_n([other._vars[i] for other in metrics]))

    def add_variable(
        self,
        name: str,
        shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        initializer: InitializerLike | None = None,
    ) -> Any:
        """Makes a variable, in `build` only; arguments as of `tf.get_variable`.

        Raises:
            RuntimeError: after it was built.
        """
        if self._built:
            raise RuntimeError("Can't call add_variable() except in build().")
        collections = None
        if not executing_eagerly():
            kind = GraphKeys.GLOBAL_VARIABLES if self._use_global_variables else GraphKeys.LOCAL_VARIABLES
            collections = [kind, GraphKeys.METRIC_VARIABLES]
        variable = get_variable(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=False,
            collections=collections,
            use_resource=True,
        )
        self._track_trackable(variable, name, overwrite=True)
        self._vars.append(variable)
        if executing_eagerly():
            self._initial_values.append(variable.value())
        return variable


class Mean(Metric):
    """The mean of values, weighted if weights are given.

    Args:
        name: its name.
        dtype: the type it computes in.
        use_global_variables: as in `Metric`.
    """

    def __init__(self, name: str | None = None, dtype: DTypeLike = float64, use_global_variables: bool = False) -> None:
        super().__init__(name=name, use_global_variables=use_global_variables)
        self.dtype = dtype

    def build(self, *args: Any, **kwargs: Any) -> None:
        """Makes the sum and the count."""
        del args, kwargs
        self.numer = self.add_variable("numer", (), self.dtype, Zeros)
        self.denom = self.add_variable("denom", (), self.dtype, Zeros)

    def call(self, values: TensorLike, weights: TensorLike | None = None) -> Any:
        """Adds values.

        Args:
            values: a tensor.
            weights: a weight for each of them.

        Returns:
            the sum of the values without weights; values times weights, and the weights, with them.
        """
        if weights is None:
            self.denom.assign_add(cast(raw.Identity(size(values)), self.dtype))
            values = reduce_sum(values)
            self.numer.assign_add(cast(values, self.dtype))
            return values
        weights = cast(weights, self.dtype)
        self.denom.assign_add(reduce_sum(weights))
        values = cast(values, self.dtype) * weights
        self.numer.assign_add(reduce_sum(values))
        return values, weights

    def result(self, write_summary: TensorLike = True) -> Tensor:
        """The mean.

        Args:
            write_summary: whether it is written as a summary too, where those are recorded: a bool or a tensor.
        """
        mean = self.numer / self.denom

        def written() -> Tensor:
            scalar(name=self.name, tensor=mean)
            return mean

        smart_cond(convert_to_tensor(write_summary), written, lambda: mean, name="")
        return mean


class _Matches(Mean):
    """The mean of how often something is right."""

    def __init__(self, name: str | None = None, dtype: DType = float64) -> None:
        super().__init__(name=name, dtype=dtype)

    def _count(self, labels: TensorLike, predictions: TensorLike, right: Tensor, weights: Any) -> Any:
        Mean.call(self, cast(right, self.dtype), weights=weights)
        return (labels, predictions) if weights is None else (labels, predictions, weights)


def _check_same_shape(labels: TensorLike, predictions: TensorLike) -> None:
    assert_equal(shape(labels), shape(predictions), message="Shapes of labels and predictions are unequal")


class Accuracy(_Matches):
    """How often predictions equal labels.

    Args:
        name: its name.
        dtype: the type it computes in.
    """

    def call(self, labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None) -> Any:  # type: ignore[override]  # each metric says what a batch is
        """Adds a batch: labels and predictions of one shape and type, and a weight for each example."""
        _check_same_shape(labels, predictions)
        return self._count(labels, predictions, raw.Equal(labels, predictions), weights)


class CategoricalAccuracy(_Matches):
    """How often the largest prediction is where the label has its one.

    Args:
        name: its name.
        dtype: the type it computes in.
    """

    def call(self, labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None) -> Any:  # type: ignore[override]  # each metric says what a batch is
        """Adds a batch: one-hot labels, predictions of their shape, and a weight for each example."""
        _check_same_shape(labels, predictions)
        labels = raw.ArgMax(labels, -1)
        predictions = raw.ArgMax(predictions, -1)
        return self._count(labels, predictions, raw.Equal(labels, predictions), weights)


class BinaryAccuracy(_Matches):
    """How often predictions are on the labels' side of a threshold.

    Args:
        threshold: 0.5 for probabilities, 0 for logits.
        name: its name.
        dtype: the type it computes in.
    """

    def __init__(self, threshold: float, name: str | None = None, dtype: DType = float64) -> None:
        super().__init__(name=name, dtype=dtype)
        self.threshold = threshold

    def call(self, labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None) -> Any:  # type: ignore[override]  # each metric says what a batch is
        """Adds a batch: labels of zeros and ones, predictions of their shape, and a weight for each example."""
        _check_same_shape(labels, predictions)
        predictions = convert_to_tensor(predictions) > self.threshold
        labels = cast(labels, bool_type)
        return self._count(labels, predictions, raw.Equal(labels, predictions), weights)


class SparseAccuracy(_Matches):
    """How often the largest prediction is that of the label.

    Args:
        name: its name.
        dtype: the type it computes in.
    """

    def call(self, labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None) -> Any:  # type: ignore[override]  # each metric says what a batch is
        """Adds a batch: integers as labels, predictions with a dimension of classes more, a weight for each example."""
        assert_equal(shape(labels), shape(predictions)[0], message="First axis of labels and predictions is unequal")
        predictions = raw.ArgMax(predictions, -1)
        labels = cast(labels, int64)
        return self._count(labels, predictions, raw.Equal(labels, predictions), weights)
