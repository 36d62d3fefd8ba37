"""What `Session.run` is asked for: nested fetches down to graph elements and results back up into the same structure."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.composite import IndexedSlices, IndexedSlicesValue, SparseTensor, SparseTensorValue
from headrace.core.composite_types import CompositeTensor
from headrace.core.errors import InaccessibleTensorError, InvalidArgumentError
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.runtime.feeding import feeder

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import Fetches, TensorLike
    from headrace.functions.ragged.value import RaggedTensorValue


# Composite types (SparseTensor, IndexedSlices): how to take one apart for fetching and put its value together, and how
# to take a fed one apart.
_fetch_expansions: list[tuple[type, Callable[[Any], tuple[list[Any], Callable[[list[Any]], Any]]]]] = []
_feed_expansions: list[tuple[type, Callable[[Any, Any], list[tuple[Any, Any]]]]] = []


def register_session_run_conversion_functions(
    tensor_type: type,
    fetch_function: Callable[[Any], tuple[list[Any], Callable[[list[Any]], Any]]] | None = None,
    feed_function: Callable[[Any, Any], list[tuple[Any, Any]]] | None = None,
    feed_function_for_partial_run: Callable[[Any], list[Any]] | None = None,
) -> None:
    """Teaches sessions to fetch and feed objects of `tensor_type`.

    Args:
        tensor_type: the type.
        fetch_function: takes the object, returns the fetches it stands for and a function from their values to its own.
        feed_function: takes the object and the value fed for it, returns (tensor, value) pairs.
        feed_function_for_partial_run: takes the object, returns the tensors it stands for in a partial run.

    Raises:
        ValueError: if the type is registered already.
    """
    if any(have is tensor_type for have, _ in _fetch_expansions):
        raise ValueError(f"{tensor_type} has already been registered so ignore it.")
    if fetch_function is not None:
        _fetch_expansions.insert(0, (tensor_type, fetch_function))
    if feed_function is not None:
        _feed_expansions.insert(0, (tensor_type, feed_function))
    if feed_function_for_partial_run is not None:
        _partial_expansions.append((tensor_type, feed_function_for_partial_run))


_partial_expansions: list[tuple[type, Callable[[Any], list[Any]]]] = []


class FetchPlan:
    """The unique elements that a fetch structure needs, and how their values fill it.

    Attributes:
        elements: tensors and operations, each once.
        build: from the values of `elements` (None for operations) to the result.
    """

    def __init__(self, graph: Graph, fetches: Fetches | None) -> None:
        self.elements: list[Tensor | Operation] = []
        self._index: dict[Any, int] = {}
        self._graph = graph
        self.build = self._map(fetches)

    def _element(self, fetch: object) -> int:
        try:
            element = self._graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
        except TypeError as error:
            raise TypeError(
                f"Fetch argument {fetch!r} has invalid type {type(fetch)!r}, must be a string or Tensor. ({error})"
            ) from None
        except ValueError as error:
            raise ValueError(f"Fetch argument {fetch!r} cannot be interpreted as a Tensor. ({error})") from None
        except KeyError as error:
            raise ValueError(f"Fetch argument {fetch!r} cannot be interpreted as a Tensor. ({error})") from None
        if not self._graph.is_fetchable(element):
            raise InaccessibleTensorError(
                f"Operation '{element.name}' has been marked as not fetchable. It belongs to a branch, a loop or a "
                "function: fetch what that returns."
            )
        index = self._index.get(element)
        if index is None:
            index = self._index[element] = len(self.elements)
            self.elements.append(element)
        return index

    def _map(self, fetch: Any) -> Callable[[list[Any]], Any]:
        if fetch is None:
            raise TypeError(f"Fetch argument {fetch!r} has invalid type {type(fetch)!r}")
        if isinstance(fetch, (list, tuple)):
            parts = [self._map(item) for item in fetch]
            if isinstance(fetch, tuple) and hasattr(fetch, "_fields"):
                make = type(fetch)
                return lambda values: make(*[part(values) for part in parts])
            if isinstance(fetch, tuple):
                return lambda values: tuple([part(values) for part in parts])
            return lambda values: [part(values) for part in parts]
        if isinstance(fetch, Mapping):
            keys = list(fetch)
            parts = [self._map(fetch[key]) for key in keys]
            kind: Callable[..., Any] | type = type(fetch)
            if isinstance(fetch, defaultdict):
                kind = functools.partial(kind, fetch.default_factory)
            return lambda values: kind(zip(keys, [part(values) for part in parts], strict=True))
        if hasattr(type(fetch), "__attrs_attrs__"):
            fields = [a.name for a in type(fetch).__attrs_attrs__]
            parts = [self._map(getattr(fetch, field)) for field in fields]
            made: Any = type(fetch)
            return lambda values: made(*[part(values) for part in parts])
        if not isinstance(fetch, (Tensor, Operation, str, bytes)):
            for kind_, expand in _fetch_expansions:
                if isinstance(fetch, kind_):
                    inner, contract = expand(fetch)
                    indices = [self._element(item) for item in inner]
                    return lambda values: contract([values[i] for i in indices])
        index = self._element(fetch)
        return lambda values: values[index]


def expand_feed(graph: Graph, key: Any) -> tuple[list[Tensor], Callable[[Any], list[Any]] | None]:
    """The tensors that a feed key stands for, and how a value fed for it splits; None when it is one tensor.

    Raises:
        TypeError: if `key` cannot be interpreted as a tensor of the graph.
        ValueError: if the tensor may not be fed.
    """
    if not isinstance(key, (Tensor, Operation, str, bytes)):
        if nest.is_sequence(key):
            keys = nest.flatten(key)
            expanded = [expand_feed(graph, item) for item in keys]
            tensors = [tensor for parts, _ in expanded for tensor in parts]
            return tensors, functools.partial(_structure_parts, keys, [split for _, split in expanded])
        for kind, expand in _feed_expansions:
            if isinstance(key, kind):
                tensors = [_feed_tensor(graph, item) for item, _ in expand(key, _Anything())]
                return tensors, functools.partial(_parts, expand, key)
    return [_feed_tensor(graph, key)], None


def _parts(
    expand: Callable[[Any, Any], list[tuple[Any, Any]]],
    key: Any,
    value: TensorLike | SparseTensorValue | RaggedTensorValue,
) -> list[Any]:
    return [part for _, part in expand(key, value)]


def _structure_parts(
    keys: list[Any], splits: list[Callable[[Any], list[Any]] | None], value: np.ndarray | Sequence[Any]
) -> list[Any]:
    """The values fed for a structure of tensors, such as the state of a recurrent network, in the order of `keys`."""
    values = nest.flatten(value)
    if len(values) != len(keys):
        raise ValueError(
            f"Could not flatten dictionary. Key had {len(keys)} elements, but value had {len(values)} elements. "
            f"Key: {keys}, value: {values}."
        )
    parts: list[Any] = []
    for split, item in zip(splits, values, strict=True):
        parts.extend([item] if split is None else split(item))
    return parts


def _fetch_sparse(fetch: SparseTensor) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    return [fetch.indices, fetch.values, fetch.dense_shape], lambda parts: SparseTensorValue(*parts)


def _fetch_slices(fetch: IndexedSlices) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    if fetch.dense_shape is None:
        return [fetch.values, fetch.indices], lambda parts: IndexedSlicesValue(parts[0], parts[1], None)
    return [fetch.values, fetch.indices, fetch.dense_shape], lambda parts: IndexedSlicesValue(*parts)


def _feed_sparse(key: SparseTensor, value: TensorLike | SparseTensorValue | _Anything) -> list[tuple[Any, Any]]:
    tensors = [key.indices, key.values, key.dense_shape]
    if key.dense_shape.op.type == "Const":
        # Of a placeholder of a known shape indices and values are enough.
        tensors.pop()
    return _paired(key, tensors, value, "(indices, values, dense_shape)")


def _feed_slices(key: IndexedSlices, value: Any) -> list[tuple[Any, Any]]:
    tensors = [key.values, key.indices]
    if key.dense_shape is not None:
        tensors.append(key.dense_shape)
    return _paired(key, tensors, value, "(values, indices[, dense_shape])")


def _paired(key: Any, tensors: list[Tensor], value: Any, expected: str) -> list[tuple[Any, Any]]:
    """Each tensor with its part of the value."""
    if isinstance(value, _Anything):
        return [(tensor, value) for tensor in tensors]
    try:
        parts = list(value)
    except TypeError:
        raise TypeError(
            f"A {type(key).__name__} such as {tensors[0].op.name.rpartition('/')[0]!r} is fed {expected}, got {value!r} of "
            f"type {type(value).__name__}."
        ) from None
    if len(parts) < len(tensors):
        for tensor, part in zip(tensors, parts, strict=False):
            # A part of a wrong shape is told first.
            feeder(tensor)(part)
        left_out = tensors[len(parts)].op
        raise InvalidArgumentError(
            None,
            left_out,
            f"You must feed a value for placeholder tensor '{left_out.name}': {expected} is fed, got {len(parts)} parts.",
        )
    return list(zip(tensors, parts, strict=False))


register_session_run_conversion_functions(
    CompositeTensor, lambda fetch: fetch._fetched(), lambda key, value: key._fed(value)
)
register_session_run_conversion_functions(SparseTensor, _fetch_sparse, _feed_sparse)
register_session_run_conversion_functions(IndexedSlices, _fetch_slices, _feed_slices)


class _Anything:
    """Stands for the value of a composite feed while only its tensors are asked for."""

    def __getitem__(self, index: int) -> _Anything:
        if index > 8:
            raise IndexError(index)
        return self

    def __getattr__(self, name: str) -> _Anything:
        return self


def _feed_tensor(graph: Graph, key: TensorLike) -> Tensor:
    try:
        tensor = graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
    except (TypeError, ValueError, KeyError) as error:
        text = error.args[0] if error.args else error
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {text}") from None
    if not graph.is_feedable(tensor):
        raise ValueError(f"Tensor {tensor} may not be fed.")
    return tensor


def refuse_fed_fetches(fetches: Sequence[Any], feeds: Sequence[Any]) -> None:
    """Raises InvalidArgumentError if a tensor is fed and fetched, as prepared and partial runs do not allow in 1.15."""
    fed = {id(tensor) for tensor in feeds}
    for fetch in fetches:
        if id(fetch) in fed:
            raise InvalidArgumentError(None, None, f"{fetch.name} is both fed and fetched.")
