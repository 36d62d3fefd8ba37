"""Datasets of what Python generators yield."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_n_to_tensor
from headrace.core.dtypes import as_dtype
from headrace.core.registry import raw
from headrace.core.shapes import as_shape
from headrace.core.tensor import Tensor
from headrace.data import nest, structure
from headrace.data.element_functions import ElementFunction
from headrace.ops.flow.py_func import py_func

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.shapes import TensorShape
    from headrace.core.typing import DTypeLike, Nested, ShapeLike, TensorLike


class _Passes:
    """The iterators over a generator that are under way."""

    def __init__(self, generator: Callable[..., Any]) -> None:
        self._generator = generator
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._arguments: dict[int, tuple[Any, ...]] = {}
        self.running: dict[int, Any] = {}

    def begin(self, *args: Any) -> np.ndarray:
        """A number for a new pass, with the values the generator is called with."""
        with self._lock:
            number = next(self._numbers)
            self._arguments[number] = args
        return np.array(number, np.int64)

    def iterator(self, number: int) -> Any:
        """The iterator of a pass, made when it is first asked for."""
        found = self.running.get(number)
        if found is None:
            found = self.running[number] = iter(self._generator(*self._arguments.pop(number)))
        return found

    def finish(self, number: np.integer[Any]) -> np.ndarray:
        """Forgets a pass."""
        self.running.pop(int(number), None)
        self._arguments.pop(int(number), None)
        return np.array(0, np.int64)


def generator_passes(
    generator: Callable[..., Any],
    output_types: Nested[DTypeLike],
    output_shapes: Nested[ShapeLike] | None,
    args: Sequence[TensorLike] | None,
) -> Callable[[Any], tuple[Tensor, Any]]:
    """What makes the dataset of one pass over a generator; arguments as for `Dataset.from_generator`.

    Returns:
        a function of any tensor to the tensor that stands for a dataset, and the description of its elements.
    """
    if not callable(generator):
        raise TypeError("`generator` must be callable.")
    if output_shapes is None:
        output_shapes = nest.map_structure(lambda _: as_shape(None), output_types)
    else:
        output_shapes = nest.map_structure_up_to(output_types, as_shape, output_shapes)
    tensors = () if args is None else tuple(convert_n_to_tensor(args, name="args"))
    types = [as_dtype(t) for t in nest.flatten(output_types)]
    shapes = nest.flatten(output_shapes)
    passes = _Passes(generator)
    following = _yielded_arrays(passes, output_types, types, shapes)

    def begin_function(_: Tensor) -> Tensor:
        return py_func(passes.begin, tensors, "int64")

    def next_function(number: Tensor) -> Tensor | tuple[Tensor, Tensor] | dict[str, Tensor]:
        made = py_func(following, [number], types)
        for tensor, shape in zip(made, shapes, strict=True):
            tensor.set_shape(shape)
        return nest.pack_sequence_as(output_types, made)

    def finish_function(number: Tensor) -> Tensor:
        return py_func(passes.finish, [number], "int64")

    def one_pass(dummy: Tensor) -> tuple[Tensor, Any]:
        begin = ElementFunction(begin_function, "Dataset.from_generator()", structure.spec_of(dummy))
        step = ElementFunction(next_function, "Dataset.from_generator()", begin.output_structure)
        finish = ElementFunction(finish_function, "Dataset.from_generator()", begin.output_structure)
        variant = raw.GeneratorDataset(
            [dummy, *begin.captured],
            step.captured,
            finish.captured,
            init_func=begin.name,
            next_func=step.name,
            finalize_func=finish.name,
            **structure.described(step.output_structure),
        )
        return variant, step.output_structure

    return one_pass


def _yielded_arrays(
    passes: _Passes, output_types: object, types: list[DType], shapes: list[TensorShape]
) -> Callable[[np.integer[Any]], list[np.ndarray]]:
    """What gives, for the number of a pass, the arrays of what its generator yields next."""
    flattened = _flattening(output_types, len(types))
    columns = [(t, np.dtype(t.as_numpy_dtype), s, _dims(s)) for t, s in zip(types, shapes, strict=True)]

    def following(number: np.integer[Any]) -> list[np.ndarray]:
        values = flattened(next(passes.iterator(int(number))))
        arrays = []
        for value, (dtype, numpy_dtype, shape, dims) in zip(values, columns, strict=True):
            if type(value) is np.ndarray and value.dtype == numpy_dtype:
                array = value
            else:
                array = _converted(value, dtype, numpy_dtype)
            if dims is not None and array.shape != dims and not shape.is_compatible_with(array.shape):
                raise ValueError(
                    f"`generator` yielded an element of shape {array.shape} where an element of shape {shape} was "
                    "expected."
                )
            arrays.append(array)
        return arrays

    return following


def _flattening(output_types: object, count: int) -> Callable[[Any], Any]:
    """What gives the `count` components of an element in a row."""
    plain = not nest.is_sequence(output_types)
    flat_tuple = type(output_types) is tuple and not any(nest.is_sequence(t) for t in output_types)

    def flattened(values: TensorLike | Mapping[str, int | str]) -> Any:
        if plain:
            return (values,)
        if flat_tuple and type(values) is tuple and len(values) == count:
            return values
        try:
            return nest.flatten_up_to(output_types, values)
        except (TypeError, ValueError):
            raise TypeError(
                "`generator` yielded an element that did not match the expected structure. The expected structure was "
                f"{output_types}, but the yielded element was {values}."
            ) from None

    return flattened


def _dims(shape: Any) -> tuple[Any, ...] | None:
    return None if shape.dims is None else tuple(shape.as_list())


def _converted(value: Any, dtype: DType, numpy_dtype: Any) -> np.ndarray:
    """A yielded component as an array of the promised type.

    Raises:
        TypeError: if it is of another.
    """
    try:
        array = np.asarray(value, dtype=numpy_dtype, order="C")
    except (TypeError, ValueError):
        raise TypeError(
            "`generator` yielded an element that could not be converted to the expected type. The expected type was "
            f"{dtype.name}, but the yielded element was {value}."
        ) from None
    if numpy_dtype.kind == "O":
        return _encoded(array)
    return array


def _encoded(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind == "O":
        flat = [item.encode() if isinstance(item, str) else item for item in array.reshape(-1)]
        out = np.empty(len(flat), object)
        out[:] = flat
        return out.reshape(array.shape)
    return array.astype(object)
