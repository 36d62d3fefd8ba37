"""`map_fn`, `scan`, `foldl` and `foldr`: a function applied along the first axis, as a loop over TensorArrays."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph, name_scope
from headrace.core.dims import Dims, merge_dim
from headrace.core.eager import executing_eagerly
from headrace.core.tensor import Tensor
from headrace.functions.flow.modes import calls_functions
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_loop import while_loop
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.constant import constant
from headrace.state.variable_scope import get_variable_scope

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import TensorLike


@contextlib.contextmanager
def cached_variables() -> Iterator[None]:
    """A context in which variables made inside a loop are read once, outside it."""
    scope = get_variable_scope()
    if scope.caching_device is not None or executing_eagerly():
        yield
        return
    scope.set_caching_device(lambda op: op.device)
    try:
        yield
    finally:
        scope.set_caching_device(None)


class Structure:
    """How flat values make the structure of `like`; a single value stays itself."""

    def __init__(self, like: object) -> None:
        self._like = like
        self._is_sequence = nest.is_sequence(like)

    def flatten(self, value: object) -> list[Any]:
        return nest.flatten(value) if self._is_sequence else [value]

    def pack(self, values: list[Any]) -> Any:
        return nest.pack_sequence_as(self._like, values) if self._is_sequence else values[0]


def _length(first: Tensor, zero_is_known: bool = False) -> int | Tensor:
    """The size of the first axis: a number where it is known, else a tensor."""
    known = None if first.dims is None else first.dims[0]
    if known is not None and (known or zero_is_known):
        return known
    return shape(first)[0]


def _static_length(elements: list[Tensor]) -> int | None:
    known: int | None = None
    for tensor in elements:
        if tensor.dims is not None:
            known = merge_dim(known, tensor.dims[0])
    return known


def _with_length(results: list[Tensor], length: int | None) -> list[Tensor]:
    for result in results:
        if result.dims is not None:
            result.set_shape([length, *result.dims[1:]])
    return results


def map_fn(
    fn: Callable[[Any], Any],
    elems: TensorLike,
    dtype: DType | Sequence[str] | None = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
) -> Any:
    """Applies `fn` to each element along the first axis.

    Args:
        fn: takes an element (in the structure of `elems`), returns tensors in the structure of `dtype`.
        elems: a tensor or structure of tensors of the same first size.
        dtype: the types of what `fn` returns, in its structure; that of `elems` by default.
        parallel_iterations, back_prop, swap_memory: as in `tf.while_loop`.
        infer_shape: whether all results have one shape.
        name: a name scope.

    Returns:
        the results stacked along a new first axis, in the structure of `dtype`.

    Raises:
        TypeError: if `fn` is not callable, or `elems` is sparse.
        ValueError: if an element is a scalar.

    Example:
        >>> tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3]))  # [1, 4, 9]
    """
    if not callable(fn):
        raise TypeError("fn must be callable.")
    if isinstance(elems, SparseTensor):
        raise TypeError(
            "map_fn does not take a SparseTensor: map its values, SparseTensor(input.indices, fn(input.values), "
            "input.dense_shape)."
        )
    inputs = Structure(elems)
    flat = inputs.flatten(elems)
    with name_scope(name, "map", flat), cached_variables():
        tensors = [convert_to_tensor(item, name="elem") for item in flat]
        dtype = dtype or inputs.pack([tensor.dtype for tensor in tensors])
        outputs = Structure(dtype)
        if tensors[0].dims == ():
            raise ValueError(
                "elems must be a 1+ dimensional Tensor, not a scalar"
                if len(tensors) == 1
                else "elements in elems must be 1+ dimensional Tensors, not scalars"
            )
        count = _length(tensors[0])
        sources = [TensorArray(t.dtype, size=count, dynamic_size=False, infer_shape=True) for t in tensors]
        sources = [array.unstack(tensor) for array, tensor in zip(sources, tensors, strict=True)]
        start = constant(0)
        results = [
            TensorArray(kind, size=count, dynamic_size=False, infer_shape=infer_shape)
            for kind in outputs.flatten(dtype)
        ]

        def compute(i: Tensor, arrays: list[TensorArray]) -> tuple[Tensor, list[TensorArray]]:
            made = fn(inputs.pack([array.read(i) for array in sources]))
            nest.assert_same_structure(dtype or elems, made)
            arrays = [array.write(i, value) for array, value in zip(arrays, outputs.flatten(made), strict=True)]
            return i + 1, arrays

        _, final = while_loop(
            lambda i, _: i < count,
            compute,
            (start, results),
            parallel_iterations=parallel_iterations or 10,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=count,
        )
        stacked = _with_length([array.stack() for array in final], _static_length(tensors))
        return outputs.pack(stacked)


def scan(
    fn: Callable[[Any, Any], Any],
    elems: TensorLike,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Folds `fn` over the elements along the first axis and keeps every intermediate result.

    Args:
        fn: takes the accumulated value and an element, returns the next accumulated value.
        elems: a tensor or structure of tensors of the same first size.
        initializer: the first accumulated value; the first element by default.
        parallel_iterations, back_prop, swap_memory: as in `tf.while_loop`.
        infer_shape: whether all results have one shape.
        reverse: whether to go from the last element to the first.
        name: a name scope.

    Returns:
        the accumulated values stacked along a new first axis.

    Raises:
        TypeError: if `fn` is not callable, or what it returns has another structure than the accumulated value.

    Example:
        >>> tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3]))  # [1, 3, 6]
    """
    if not callable(fn):
        raise TypeError("fn must be callable.")
    inputs = Structure(elems)
    outputs = inputs if initializer is None else Structure(initializer)
    flat = inputs.flatten(elems)
    with name_scope(name, "scan", flat), cached_variables():
        tensors = [convert_to_tensor(item, name="elem") for item in flat]
        count = _length(tensors[0], zero_is_known=True)
        sources = _unstacked(tensors, count)
        if initializer is None:
            values = [array.read(count - 1 if reverse else 0) for array in sources]
            done = 1
        else:
            values = [convert_to_tensor(item) for item in outputs.flatten(initializer)]
            done = 0
        results = _kept_values(values, count, infer_shape)
        if initializer is None:
            first = count - 1 if reverse else 0
            results = [array.write(first, value) for array, value in zip(results, values, strict=True)]

        def compute(
            i: int | Tensor, accumulated: list[Any], arrays: list[TensorArray]
        ) -> tuple[int | Tensor, list[Tensor], list[TensorArray]]:
            element = inputs.pack([array.read(i) for array in sources])
            made = fn(outputs.pack(accumulated), element)
            nest.assert_same_structure(elems if initializer is None else initializer, made)
            following = outputs.flatten(made)
            _check_types(accumulated, following)
            arrays = [array.write(i, value) for array, value in zip(arrays, following, strict=True)]
            return i - 1 if reverse else i + 1, following, arrays

        _, _, final = while_loop(
            (lambda i, _, __: i >= 0) if reverse else (lambda i, _, __: i < count),
            compute,
            (count - 1 - done if reverse else done, values, results),
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=count,
        )
        stacked = _with_length([array.stack() for array in final], _static_length(tensors))
        return outputs.pack(stacked)


def _check_types(accumulated: Sequence[Tensor], following: Sequence[Any]) -> None:
    """Raises TypeError where, in a function, a loop would go on with a tensor of another type."""
    if not calls_functions(get_default_graph()):
        return
    for before, after in zip(accumulated, following, strict=True):
        if isinstance(after, Tensor) and after.dtype.base_dtype is not before.dtype.base_dtype:
            raise TypeError(
                f"The function of tf.scan takes '{before.name}' of type {before.dtype.base_dtype.name} and returns "
                f"'{after.name}' of type {after.dtype.base_dtype.name} for it; tf.cast it."
            )


def _kept_values(values: list[Tensor], count: int | Tensor, infer_shape: bool) -> list[TensorArray]:
    """Where what each of `values` becomes is kept, `count` times."""
    return [
        TensorArray(
            value.dtype,
            size=count,
            element_shape=value.dims if infer_shape else None,
            dynamic_size=False,
            infer_shape=infer_shape,
        )
        for value in values
    ]


def _unstacked(tensors: list[Tensor], count: Any) -> list[TensorArray]:
    """The elements of each tensor, to be read one by one."""
    arrays = [
        TensorArray(t.dtype, size=count, dynamic_size=False, element_shape=_element(t), infer_shape=True)
        for t in tensors
    ]
    return [array.unstack(tensor) for array, tensor in zip(arrays, tensors, strict=True)]


def _element(tensor: Tensor) -> Dims:
    return None if tensor.dims is None else tensor.dims[1:]


def _fold(
    fn: Callable[[Any, Any], Any], elems: TensorLike, initializer: Any, right: bool, name: str | None, **options: Any
) -> Tensor:
    if not callable(fn):
        raise TypeError("fn must be callable.")
    with name_scope(name, "foldr" if right else "foldl", [elems]), cached_variables():
        tensors = [convert_to_tensor(item, name="elem") for item in nest.flatten(elems)]
        count = _length(tensors[0])
        sources = nest.map_structure(
            lambda item: TensorArray(item.dtype, size=count, dynamic_size=False, infer_shape=True).unstack(item),
            nest.pack_sequence_as(elems, tensors),
        )

        def element(i: TensorLike) -> Tensor:
            return nest.map_structure(lambda array: array.read(i), sources)

        start: Any
        if initializer is None:
            if right:
                start = count - 1
                value = element(start)
            else:
                value = element(0)
                start = constant(1)
        else:
            start = count if right else constant(0)
            value = initializer

        def compute(i: Tensor, accumulated: Tensor) -> list[Tensor]:
            if right:
                i -= 1
                return [i, fn(accumulated, element(i))]
            made = fn(accumulated, element(i))
            return [i + 1, made]

        _, result = while_loop(
            (lambda i, _: i > 0) if right else (lambda i, _: i < count),
            compute,
            [start, value],
            maximum_iterations=count,
            **options,
        )
        return result


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: TensorLike,
    initializer: TensorLike | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Tensor:
    """Combines the elements along the first axis from the first to the last.

    Args:
        fn: takes the accumulated value and an element, returns the next accumulated value.
        elems: a tensor or structure of tensors of the same first size.
        initializer: the first accumulated value; the first element by default.
        parallel_iterations, back_prop, swap_memory: as in `tf.while_loop`.
        name: a name scope.

    Returns:
        the last accumulated value.

    Raises:
        TypeError: if `fn` is not callable.

    Example:
        >>> tf.foldl(lambda a, x: a - x, tf.constant([10, 2, 3]))  # 5
    """
    return _fold(
        fn,
        elems,
        initializer,
        False,
        name,
        parallel_iterations=parallel_iterations,
        back_prop=back_prop,
        swap_memory=swap_memory,
    )


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: TensorLike,
    initializer: TensorLike | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """`foldl` from the last element to the first; its arguments are those of `foldl`.

    Example:
        >>> tf.foldr(lambda a, x: a - x, tf.constant([1, 2, 10]))  # 7
    """
    return _fold(
        fn,
        elems,
        initializer,
        True,
        name,
        parallel_iterations=parallel_iterations,
        back_prop=back_prop,
        swap_memory=swap_memory,
    )
