"""Invertible transforms that know how they change densities."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_default_graph, name_scope
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import is_tensor
from headrace.distributions.parameters import maybe_get_static_value
from headrace.functions.flow.checks import assert_greater_equal
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.shapes import rank_internal, shape_internal
from headrace.ops.array.constant import constant
from headrace.ops.array.shape import broadcast_static_shape

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.dtypes import DType
    from headrace.core.typing import ShapeLike, TensorLike


def _snake(name: str) -> str:
    name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name.lstrip("_"))
    return re.sub("([a-z0-9])([A-Z])", r"\1_\2", name).lower()


class Bijector:
    """The base of bijectors. A subclass overrides `_forward`, `_inverse` and one of the two log-determinants.

    Args:
        graph_parents: the tensors it depends on.
        is_constant_jacobian: whether the Jacobian is the same everywhere.
        validate_args: whether to check values when the graph runs.
        dtype: the type it takes; None for any.
        forward_min_event_ndims, inverse_min_event_ndims: how many dimensions one value has before and after.
        name: a name for its operations.

    Raises:
        ValueError: if neither number of dimensions is given, or one is negative.
        TypeError: if one is no int.
    """

    def __init__(
        self,
        graph_parents: list[Any] | None = None,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        dtype: DType | None = None,
        forward_min_event_ndims: int | None = None,
        inverse_min_event_ndims: int | None = None,
        name: str | None = None,
    ) -> None:
        self._graph_parents = list(graph_parents or [])
        if forward_min_event_ndims is None and inverse_min_event_ndims is None:
            raise ValueError("Must specify at least one of `forward_min_event_ndims` and `inverse_min_event_ndims`.")
        forward: Any = inverse_min_event_ndims if forward_min_event_ndims is None else forward_min_event_ndims
        inverse: Any = forward_min_event_ndims if inverse_min_event_ndims is None else inverse_min_event_ndims
        for which, number in (("forward", forward), ("inverse", inverse)):
            if not isinstance(number, int):
                kind = type(number).__name__
                raise TypeError(f"Expected {which}_min_event_ndims to be of type int, got {kind}")
            if number < 0:
                raise ValueError(f"{which}_min_event_ndims must be a non-negative integer.")
        self._forward_min_event_ndims, self._inverse_min_event_ndims = forward, inverse
        self._is_constant_jacobian = is_constant_jacobian
        self._validate_args = validate_args
        self._dtype = dtype
        self._name = name or _snake(type(self).__name__)
        for index, parent in enumerate(self._graph_parents):
            if parent is None or not is_tensor(parent):
                raise ValueError(f"Graph parent item {index} is not a Tensor; {parent}.")
        # What was computed for a tensor, with the tensor, so that it stays the one meant by its identity.
        self._inverses: dict[Any, tuple[Tensor, Tensor]] = {}
        self._forwards: dict[Any, tuple[Tensor, Tensor]] = {}
        # Log-determinants of the inverse: by the value before or after, and those that are the same everywhere.
        self._logs: dict[Any, tuple[Tensor, Tensor]] = {}
        self._constant_logs: dict[Any, Tensor] = {}

    @property
    def graph_parents(self) -> list[Any]:
        """The tensors it depends on."""
        return self._graph_parents

    @property
    def forward_min_event_ndims(self) -> int:
        """How many dimensions one value has before."""
        return self._forward_min_event_ndims

    @property
    def inverse_min_event_ndims(self) -> int:
        """How many dimensions one value has after."""
        return self._inverse_min_event_ndims

    @property
    def is_constant_jacobian(self) -> bool:
        """Whether the Jacobian is the same everywhere."""
        return self._is_constant_jacobian

    @property
    def _is_injective(self) -> bool:
        return True

    @property
    def validate_args(self) -> bool:
        """Whether values are checked."""
        return self._validate_args

    @property
    def dtype(self) -> Any:
        """The type it takes; None for any."""
        return self._dtype

    @property
    def name(self) -> str:
        """The name of its operations."""
        return self._name

    @contextlib.contextmanager
    def _name_scope(self, name: str | None = None, values: list[Any] | None = None) -> Iterator[str]:
        with name_scope(self._name), name_scope(name, values=(values or []) + self._graph_parents) as scope:
            yield scope

    # ---------------------------------------------------------------------------------------------------- shapes

    def _forward_event_shape(self, input_shape: ShapeLike) -> Any:
        return input_shape

    def _forward_event_shape_tensor(self, input_shape: Tensor) -> Tensor:
        return input_shape

    def _inverse_event_shape(self, output_shape: ShapeLike) -> Any:
        return output_shape

    def _inverse_event_shape_tensor(self, output_shape: Tensor) -> Tensor:
        return output_shape

    def forward_event_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of a value after, from that before."""
        return self._forward_event_shape(TensorShape(input_shape))

    def inverse_event_shape(self, output_shape: ShapeLike) -> TensorShape:
        """The shape of a value before, from that after."""
        return self._inverse_event_shape(TensorShape(output_shape))

    def forward_event_shape_tensor(self, input_shape: TensorLike, name: str = "forward_event_shape_tensor") -> Tensor:
        """As `forward_event_shape`, of int32 vectors."""
        with self._name_scope(name, [input_shape]):
            return self._forward_event_shape_tensor(convert_to_tensor(input_shape, "int32", name="input_shape"))

    def inverse_event_shape_tensor(self, output_shape: TensorLike, name: str = "inverse_event_shape_tensor") -> Tensor:
        """As `inverse_event_shape`, of int32 vectors."""
        with self._name_scope(name, [output_shape]):
            return self._inverse_event_shape_tensor(convert_to_tensor(output_shape, "int32", name="output_shape"))

    # ------------------------------------------------------------------------------------------------- there and back

    def _forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("forward not implemented.")

    def _inverse(self, y: Tensor) -> Any:
        raise NotImplementedError("inverse not implemented")

    def _forward_log_det_jacobian(self, x: Tensor) -> Any:
        raise NotImplementedError("forward_log_det_jacobian not implemented.")

    def _inverse_log_det_jacobian(self, y: Tensor) -> Any:
        raise NotImplementedError("inverse_log_det_jacobian not implemented.")

    def _argument(self, value: TensorLike, name: str) -> Tensor:
        tensor = convert_to_tensor(value, name=name)
        if self._dtype is not None and self._dtype.base_dtype != tensor.dtype.base_dtype:
            raise TypeError(f"Input had dtype {self._dtype} but expected {tensor.dtype}.")
        return tensor

    def forward(self, x: TensorLike, name: str = "forward") -> Tensor:
        """The value after, from that before."""
        return self._call_forward(x, name)

    def _call_forward(self, x: TensorLike, name: str, **kwargs: Any) -> Tensor:
        with self._name_scope(name, [x]):
            x = self._argument(x, "x")
            if not self._is_injective:
                return self._forward(x, **kwargs)
            key = (id(x), _frozen(kwargs))
            if key not in self._forwards:
                y = self._forward(x, **kwargs)
                self._forwards[key] = (x, y)
                self._inverses.setdefault((id(y), _frozen(kwargs)), (y, x))
            return self._forwards[key][1]

    def inverse(self, y: Tensor | np.ndarray, name: str = "inverse") -> Any:
        """The value before, from that after."""
        return self._call_inverse(y, name)

    def _call_inverse(self, y: Tensor | np.ndarray, name: str, **kwargs: Any) -> Tensor | tuple[Tensor, Tensor]:
        with self._name_scope(name, [y]):
            y = self._argument(y, "y")
            if not self._is_injective:
                return self._inverse(y, **kwargs)
            key = (id(y), _frozen(kwargs))
            if key not in self._inverses:
                x = self._inverse(y, **kwargs)
                self._inverses[key] = (y, x)
                self._forwards.setdefault((id(x), _frozen(kwargs)), (x, y))
            return self._inverses[key][1]

    def forward_log_det_jacobian(
        self, x: TensorLike, event_ndims: int | Tensor, name: str = "forward_log_det_jacobian"
    ) -> Tensor:
        """The logarithm of how much `forward` stretches space at `x`.

        Args:
            x: the value before.
            event_ndims: how many of its dimensions are one value.
            name: a name for the operations.

        Raises:
            ValueError: if `event_ndims` is too small. NotImplementedError: if the bijector cannot say.
        """
        return self._call_forward_log_det_jacobian(x, event_ndims, name)

    def _call_forward_log_det_jacobian(
        self, x: TensorLike, event_ndims: int | Tensor, name: str, **kwargs: Any
    ) -> Tensor:
        if not self._is_injective:
            raise NotImplementedError("forward_log_det_jacobian cannot be implemented for non-injective transforms.")
        with (
            self._name_scope(name, [x]),
            control_dependencies(self._checks(self._forward_min_event_ndims, event_ndims)),
        ):
            constant = self._constant_log(event_ndims)
            if constant is not None:
                return -1.0 * constant
            x = self._argument(x, "x")
            arguments = _frozen(kwargs)
            y = self._forwards.get((id(x), arguments), (x, None))[1]
            log = self._kept_log(x, y, arguments, event_ndims)
            if log is None:
                try:
                    log = -self._forward_log_det_jacobian(x, **kwargs)
                    log = self._summed(x, log, self._forward_min_event_ndims, event_ndims)
                except NotImplementedError as missing:
                    log = self._other_log(lambda: self._log_forward_there(x, y, event_ndims, kwargs), missing)
                self._keep_log(log, x, arguments, event_ndims)
            return -log

    def inverse_log_det_jacobian(
        self, y: TensorLike, event_ndims: int | Tensor, name: str = "inverse_log_det_jacobian"
    ) -> Any:
        """The logarithm of how much `inverse` stretches space at `y`. As `forward_log_det_jacobian`."""
        return self._call_inverse_log_det_jacobian(y, event_ndims, name)

    def _call_inverse_log_det_jacobian(self, y: TensorLike, event_ndims: int | Tensor, name: str, **kwargs: Any) -> Any:
        with self._name_scope(name, [y]):
            constant = self._constant_log(event_ndims)
            if constant is not None:
                return constant
            y = self._argument(y, "y")
            least = self._inverse_min_event_ndims
            with control_dependencies(self._checks(least, event_ndims)):
                if not self._is_injective:
                    logs = self._inverse_log_det_jacobian(y, **kwargs)
                    return tuple(self._summed(y, log, least, event_ndims) for log in logs)
                arguments = _frozen(kwargs)
                x = self._inverses.get((id(y), arguments), (y, None))[1]
                log = self._kept_log(y, x, arguments, event_ndims)
                if log is None:
                    try:
                        log = self._summed(y, self._inverse_log_det_jacobian(y, **kwargs), least, event_ndims)
                    except NotImplementedError as missing:
                        log = self._other_log(lambda: self._log_inverse_there(y, x, event_ndims, kwargs), missing)
                    self._keep_log(log, y, arguments, event_ndims)
                return log

    def _log_forward_there(self, x: Tensor, y: Tensor | None, event_ndims: TensorLike, kwargs: Any) -> Tensor:
        """The log-determinant of the inverse, from its own function at the value after."""
        if y is None:
            y = self._forward(x, **kwargs)
            self._keep_pair(x, y, kwargs)
        log = self._inverse_log_det_jacobian(y, **kwargs)
        return self._summed(y, log, self._inverse_min_event_ndims, event_ndims)

    def _log_inverse_there(self, y: Tensor, x: Tensor | None, event_ndims: TensorLike, kwargs: Any) -> Tensor:
        """The log-determinant of the inverse, from the function of the other direction at the value before."""
        if x is None:
            x = self._inverse(y, **kwargs)
            self._keep_pair(x, y, kwargs)
        log = -self._forward_log_det_jacobian(x, **kwargs)
        return self._summed(x, log, self._forward_min_event_ndims, event_ndims)

    def _keep_pair(self, x: Tensor, y: Tensor, kwargs: Any) -> None:
        arguments = _frozen(kwargs)
        self._forwards.setdefault((id(x), arguments), (x, y))
        self._inverses.setdefault((id(y), arguments), (y, x))

    @staticmethod
    def _other_log(compute: Callable[[], Tensor], missing: NotImplementedError) -> Tensor:
        try:
            return compute()
        except NotImplementedError:
            raise missing from None

    def _constant_log(self, event_ndims: TensorLike) -> Tensor | None:
        found = self._constant_logs.get(_frozen_number(event_ndims))
        return found if found is not None and found.graph is get_default_graph() else None

    def _kept_log(
        self, value: Tensor, partner: Tensor | None, arguments: Sequence[Any], event_ndims: TensorLike
    ) -> Tensor | None:
        """What was computed for this value, or for its partner on the other side."""
        for end in (value, partner):
            found = self._logs.get((id(end), arguments, _frozen_number(event_ndims)))
            if found is not None:
                return found[1]
        return None

    def _keep_log(self, log: Tensor, value: Tensor, arguments: Sequence[Any], event_ndims: TensorLike) -> None:
        self._logs[id(value), arguments, _frozen_number(event_ndims)] = (value, log)
        if self._is_constant_jacobian:
            self._constant_logs[_frozen_number(event_ndims)] = log

    def _summed(self, value: Tensor, log: Tensor, least: int, event_ndims: Any) -> Tensor:
        """The log-determinant summed over the dimensions of one value that it was not taken over."""
        rank = rank_internal(value)
        shape = shape_internal(value)[rank - event_ndims : rank - least]
        ones = composing.ones(shape, log.dtype)
        count = maybe_get_static_value(event_ndims)
        if count is None:
            axes: Any = composing.range_(-(event_ndims - least), 0)
        else:
            axes = [-index for index in range(1, int(count) - least + 1)]
        summed = reduce_sum(ones * log, axis=axes)
        static = value.get_shape()
        if count is not None and static.ndims is not None and log.get_shape().ndims is not None:
            size = static.ndims
            whole = broadcast_static_shape(log.get_shape(), static[size - int(count) : size - least])
            summed.set_shape(whole[: len(whole.as_list()) - (int(count) - least)])
        return summed

    def _checks(self, least: int, event_ndims: TensorLike) -> list[Any]:
        tensor = convert_to_tensor(event_ndims, name="event_ndims")
        if not tensor.dtype.is_integer:
            raise ValueError(f"Expected integer dtype, got dtype {tensor.dtype}")
        value = maybe_get_static_value(tensor)
        if value is None:
            return [assert_greater_equal(tensor, least)] if self._validate_args else []
        if value.ndim != 0:
            raise ValueError(f"Expected scalar event_ndims, got shape {tensor.get_shape()}")
        if least > value:
            raise ValueError(f"event_ndims ({value}) must be larger than min_event_ndims ({least})")
        return []


def _frozen_number(event_ndims: TensorLike) -> int:
    """A key for a number of dimensions; a tensor stands for itself."""
    return event_ndims if isinstance(event_ndims, int) else id(event_ndims)


def _frozen(kwargs: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(sorted((key, id(value)) for key, value in kwargs.items()))


class Identity(Bijector):
    """The bijector that changes nothing."""

    def __init__(self, validate_args: bool = False, name: str = "identity") -> None:
        super().__init__(is_constant_jacobian=True, validate_args=validate_args, forward_min_event_ndims=0, name=name)

    def _forward(self, x: Tensor) -> Tensor:
        return x

    def _inverse(self, y: Tensor) -> Tensor:
        return y

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return constant(0.0, dtype=y.dtype)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return constant(0.0, dtype=x.dtype)
