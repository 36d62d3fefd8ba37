"""Bijectors made of others, or of functions: inverses, chains, and functions given one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.distributions.bijector import Bijector
from headrace.kernels import composing
from headrace.kernels.composing.shapes import rank_internal, shape_internal
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.shapes import TensorShape
    from headrace.core.typing import ShapeLike


class Invert(Bijector):
    """The inverse of a bijector.

    Raises:
        NotImplementedError: for one that is not injective.
    """

    def __init__(self, bijector: Bijector, validate_args: bool = False, name: str | None = None) -> None:
        if not bijector._is_injective:
            raise NotImplementedError("Invert is not implemented for non-injective bijectors.")
        self._bijector = bijector
        super().__init__(
            graph_parents=bijector.graph_parents,
            forward_min_event_ndims=bijector.inverse_min_event_ndims,
            inverse_min_event_ndims=bijector.forward_min_event_ndims,
            is_constant_jacobian=bijector.is_constant_jacobian,
            validate_args=validate_args,
            dtype=bijector.dtype,
            name=name or f"invert_{bijector.name}",
        )

    @property
    def bijector(self) -> Bijector:
        """The bijector that is inverted."""
        return self._bijector

    def _forward_event_shape(self, input_shape: ShapeLike) -> TensorShape:
        return self._bijector._inverse_event_shape(input_shape)

    def _forward_event_shape_tensor(self, input_shape: Tensor) -> Tensor:
        return self._bijector._inverse_event_shape_tensor(input_shape)

    def _inverse_event_shape(self, output_shape: ShapeLike) -> TensorShape:
        return self._bijector._forward_event_shape(output_shape)

    def _inverse_event_shape_tensor(self, output_shape: Tensor) -> Tensor:
        return self._bijector._forward_event_shape_tensor(output_shape)

    def _forward(self, x: Tensor, **kwargs: Any) -> Tensor:
        return self._bijector._inverse(x, **kwargs)

    def _inverse(self, y: Tensor, **kwargs: Any) -> Tensor:
        return self._bijector._forward(y, **kwargs)

    def _inverse_log_det_jacobian(self, y: Tensor, **kwargs: Any) -> Tensor:
        return self._bijector._forward_log_det_jacobian(y, **kwargs)

    def _forward_log_det_jacobian(self, x: Tensor, **kwargs: Any) -> Tensor:
        return self._bijector._inverse_log_det_jacobian(x, **kwargs)


class Inline(Bijector):
    """A bijector of functions given one by one: those of its namesakes."""

    def __init__(
        self,
        forward_fn: Callable[..., Any] | None = None,
        inverse_fn: Callable[..., Any] | None = None,
        inverse_log_det_jacobian_fn: Callable[..., Any] | None = None,
        forward_log_det_jacobian_fn: Callable[..., Any] | None = None,
        forward_event_shape_fn: Callable[..., Any] | None = None,
        forward_event_shape_tensor_fn: Callable[..., Any] | None = None,
        inverse_event_shape_fn: Callable[..., Any] | None = None,
        inverse_event_shape_tensor_fn: Callable[..., Any] | None = None,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        forward_min_event_ndims: int | None = None,
        inverse_min_event_ndims: int | None = None,
        name: str = "inline",
    ) -> None:
        super().__init__(
            forward_min_event_ndims=forward_min_event_ndims,
            inverse_min_event_ndims=inverse_min_event_ndims,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name,
        )
        self._functions = {
            "forward_fn": forward_fn,
            "inverse_fn": inverse_fn,
            "inverse_log_det_jacobian_fn": inverse_log_det_jacobian_fn,
            "forward_log_det_jacobian_fn": forward_log_det_jacobian_fn,
        }
        self._shape_functions = {
            "forward": forward_event_shape_fn,
            "forward_tensor": forward_event_shape_tensor_fn,
            "inverse": inverse_event_shape_fn,
            "inverse_tensor": inverse_event_shape_tensor_fn,
        }

    def _shape_by(self, which: str, shape: Any) -> Any:
        function = self._shape_functions[which]
        return shape if function is None else function(shape)

    def _forward_event_shape(self, input_shape: Any) -> TensorShape:
        return self._shape_by("forward", input_shape)

    def _forward_event_shape_tensor(self, input_shape: Tensor) -> Tensor:
        return self._shape_by("forward_tensor", input_shape)

    def _inverse_event_shape(self, output_shape: Any) -> TensorShape:
        return self._shape_by("inverse", output_shape)

    def _inverse_event_shape_tensor(self, output_shape: Tensor) -> Tensor:
        return self._shape_by("inverse_tensor", output_shape)

    def _by(self, which: str, value: Tensor, kwargs: dict[str, Any]) -> Tensor:
        function = self._functions[which]
        if not callable(function):
            raise NotImplementedError(f"{which} is not a callable function.")
        return function(value, **kwargs)

    def _forward(self, x: Tensor, **kwargs: Any) -> Tensor:
        return self._by("forward_fn", x, kwargs)

    def _inverse(self, y: Tensor, **kwargs: Any) -> Any:
        return self._by("inverse_fn", y, kwargs)

    def _inverse_log_det_jacobian(self, y: Tensor, **kwargs: Any) -> Any:
        return self._by("inverse_log_det_jacobian_fn", y, kwargs)

    def _forward_log_det_jacobian(self, x: Tensor, **kwargs: Any) -> Any:
        return self._by("forward_log_det_jacobian_fn", x, kwargs)


def _least_rank(bijectors: Sequence[Bijector], forward: bool) -> int:
    """How many dimensions one value of a chain has before (or after)."""
    ends = [(b.forward_min_event_ndims, b.inverse_min_event_ndims) for b in bijectors]
    ordered = ends[::-1] if forward else [(after, before) for before, after in ends]
    least = at = 0
    for before, after in ordered:
        least += max(before - at, 0)
        at = max(before, at) - (before - after)
    return least


class Chain(Bijector):
    """Bijectors one after another, the last first.

    Raises:
        NotImplementedError: if one is not injective. ValueError: if their types differ.
    """

    def __init__(
        self, bijectors: Sequence[Bijector] | None = None, validate_args: bool = False, name: str | None = None
    ) -> None:
        self._bijectors = bijectors = () if bijectors is None else bijectors
        for each in bijectors:
            if not each._is_injective:
                raise NotImplementedError(f"Invert is not implemented for non-injective bijector ({each.name})")
        dtypes = {each.dtype for each in bijectors} - {None}
        if len(dtypes) > 1:
            raise ValueError(f"incompatible dtypes: {dtypes}")
        names = ["chain", *(each.name for each in bijectors)]
        super().__init__(
            graph_parents=[parent for each in bijectors for parent in each.graph_parents],
            forward_min_event_ndims=_least_rank(bijectors, forward=True),
            inverse_min_event_ndims=_least_rank(bijectors, forward=False),
            is_constant_jacobian=all(each.is_constant_jacobian for each in bijectors),
            validate_args=validate_args,
            dtype=next(iter(dtypes), None),
            name=name or ("_of_".join(names) if bijectors else "identity"),
        )

    @property
    def bijectors(self) -> Sequence[Bijector]:
        """The bijectors."""
        return self._bijectors

    def _ordered(self, way: str) -> Sequence[Bijector]:
        return self._bijectors if way == "inverse" else self._bijectors[::-1]

    def _through(self, way: str, what: str, value: Tensor | TensorShape, kwargs: dict[str, Any] | None = None) -> Any:
        for each in self._ordered(way):
            value = getattr(each, way + what)(value, **(kwargs or {}).get(each.name, {}))
        return value

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return self._through("forward", "_event_shape", input_shape)

    def _forward_event_shape_tensor(self, input_shape: Tensor) -> Tensor:
        return self._through("forward", "_event_shape_tensor", input_shape)

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return self._through("inverse", "_event_shape", output_shape)

    def _inverse_event_shape_tensor(self, output_shape: Tensor) -> Tensor:
        return self._through("inverse", "_event_shape_tensor", output_shape)

    # What a conditional bijector takes besides the value is given under its name.
    def _forward(self, x: Tensor, **kwargs: Any) -> Tensor:
        return self._through("forward", "", x, kwargs)

    def _inverse(self, y: Tensor, **kwargs: Any) -> Tensor:
        return self._through("inverse", "", y, kwargs)

    def _inverse_log_det_jacobian(self, y: Tensor, **kwargs: Any) -> Tensor:
        return self._summed_through("inverse", convert_to_tensor(y, name="y"), self._inverse_min_event_ndims, kwargs)

    def _forward_log_det_jacobian(self, x: Tensor, **kwargs: Any) -> Tensor:
        return self._summed_through("forward", convert_to_tensor(x, name="x"), self._forward_min_event_ndims, kwargs)

    def _summed_through(self, way: str, value: Tensor, event_ndims: Any, kwargs: dict[str, Any]) -> Tensor:
        """The sum of the log determinants of all, each of what the ones before it make of `value`."""
        total: Tensor = cast(0.0, value.dtype.base_dtype)
        if not self._bijectors:
            return total
        event_shape: Any
        if value.shape.is_fully_defined():
            event_shape = value.shape[value.shape.ndims - event_ndims :]
        else:
            event_shape = shape_internal(value)[rank_internal(value) - event_ndims :]
        for each in self._ordered(way):
            own = kwargs.get(each.name, {})
            total = total + getattr(each, f"{way}_log_det_jacobian")(value, event_ndims=event_ndims, **own)
            if value.shape.is_fully_defined() and isinstance(event_ndims, int):
                event_shape = getattr(each, f"{way}_event_shape")(event_shape)
                event_ndims = event_shape.ndims
            else:
                event_shape = getattr(each, f"{way}_event_shape_tensor")(event_shape)
                event_ndims = composing.size(event_shape)
                number = constant_value(event_ndims)
                event_ndims = event_ndims if number is None else int(number)
            value = getattr(each, way)(value, **own)
        return total
