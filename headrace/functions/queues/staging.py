"""The staging areas of programs: small stores of elements, for what is to lie ready on a device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, get_default_graph, name_scope
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.queues.queues import scope_values
from headrace.kernels.composing.arranging import identity
from headrace.ops.flow.grouping import no_op
from headrace.ops.queues import staging_ops

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import TensorLike


assert staging_ops  # declares the ops


class BaseStagingArea:
    """What both kinds of staging area share.

    Args:
        dtypes: the types of an element's components.
        shapes: their shapes, or None.
        names: names for them, or None.
        shared_name: areas of one shared name in a session are one; one of its own by default.
        capacity: how many elements it holds; 0 for any number.
        memory_limit: how many bytes they may take; 0 for any number.

    Raises:
        ValueError: if `shapes` or `names` are not as many as `dtypes`, or `shared_name` is not a string.
    """

    def __init__(
        self,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        if shared_name is None:
            self._name = get_default_graph().unique_name(type(self).__name__)
        elif isinstance(shared_name, str):
            self._name = shared_name
        else:
            raise ValueError("shared_name must be a string")
        self._dtypes = dtypes
        if shapes is not None and len(shapes) != len(dtypes):
            raise ValueError("StagingArea shapes must be the same length as dtypes")
        self._shapes = [TensorShape(shape) for shape in (shapes if shapes is not None else [None] * len(dtypes))]
        if names is not None and len(names) != len(dtypes):
            raise ValueError("StagingArea names must be the same length as dtypes")
        self._names = names
        self._capacity = capacity
        self._memory_limit = memory_limit
        with name_scope(f"{self._name}_root"):
            self._place = no_op()

    @property
    def name(self) -> str:
        """The area's name."""
        return self._name

    @property
    def dtypes(self) -> Any:
        """The types of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components."""
        return self._shapes

    @property
    def names(self) -> Any:
        """The names of the components, or None."""
        return self._names

    @property
    def capacity(self) -> int:
        """How many elements it holds."""
        return self._capacity

    @property
    def memory_limit(self) -> int:
        """How many bytes they may take."""
        return self._memory_limit

    def _components(self, values: Any, indices: Sequence[int] | None) -> tuple[list[Tensor], list[int]]:
        if isinstance(values, Mapping):
            if not self._names:
                raise ValueError("Staging areas must have names to enqueue a dictionary")
            if not set(values) <= set(self._names):
                raise ValueError(
                    f"Keys in dictionary to put do not match names of staging area. Dictionary: ({sorted(values)}), "
                    f"Queue: ({sorted(self._names)})"
                )
            indices = [i for i, name in enumerate(self._names) if name in values]
            values = [values[self._names[i]] for i in indices]
        else:
            if self._names:
                raise ValueError("You must enqueue a dictionary in a staging area with names")
            if indices is None:
                raise ValueError("Indices must be supplied when inserting a list of tensors")
            if len(indices) != len(values):
                raise ValueError(f"Number of indices {len(indices)} doesn't match number of values {len(values)}")
        if len(values) > len(self._dtypes):
            raise ValueError(f"Unexpected number of inputs '{len(values)}' vs '{len(self._dtypes)}'")
        tensors = []
        for value, i in zip(values, indices, strict=True):
            if value.dtype != self._dtypes[i]:
                raise ValueError(f"Datatypes do not match. '{value.dtype}' != '{self._dtypes[i]}'")
            value.shape.assert_is_compatible_with(self._shapes[i])
            tensors.append(convert_to_tensor(value, dtype=self._dtypes[i], name=f"component_{i}"))
        return tensors, list(indices)

    def _transferred(self, tensors: Any) -> list[Tensor]:
        """The tensors on the device that is asked for here."""
        tensors = list(tensors) if isinstance(tensors, (tuple, list)) else [tensors]
        if no_op().device != self._place.device:
            tensors = [identity(tensor) for tensor in tensors]
        return tensors

    def _taken(self, tensors: Any, indices: Sequence[int]) -> Any:
        moved = self._transferred(tensors)
        for tensor, i in zip(moved, indices, strict=True):
            tensor.set_shape(self._shapes[i])
        if self._names:
            return {self._names[i]: tensor for tensor, i in zip(moved, indices, strict=True)}
        return moved

    def _attrs(self, name: str | None) -> dict[str, Any]:
        return {
            "dtypes": self._dtypes,
            "shared_name": self._name,
            "name": name,
            "capacity": self._capacity,
            "memory_limit": self._memory_limit,
        }


class StagingArea(BaseStagingArea):
    """A staging area whose elements leave it in the order they came.

    Example:
        >>> area = tf.contrib.staging.StagingArea([tf.float32], shapes=[[4, 3]])
        >>> put, taken = area.put([x]), area.get()
        >>> sess.run(put)
        >>> value = sess.run(taken)
    """

    def put(self, values: Any, name: str | None = None) -> Operation:
        """Puts an element in, waiting for room.

        Args:
            values: the components: a tensor, a list, or a dict where the area has names.
            name: a name for the operation.

        Raises:
            ValueError: if they do not fit the area's types and shapes.
        """
        with name_scope(name, f"{self._name}_put", scope_values(values)) as scope:
            if not isinstance(values, (list, tuple, dict)):
                values = [values]
            tensors, _ = self._components(values, list(range(len(values))))
            attrs = self._attrs(scope)
            del attrs["dtypes"]
            with colocate_with(self._place):
                return raw.Stage(values=tensors, **attrs)

    def get(self, name: str | None = None) -> Any:
        """Takes the oldest element out, waiting for one: a list of tensors, or a dict where the area has names."""
        with colocate_with(self._place):
            taken = raw.Unstage(**self._attrs(f"{self._name}_get" if name is None else name))
        return self._taken(taken, range(len(self._dtypes)))

    def peek(self, index: TensorLike, name: str | None = None) -> Any:
        """The element at `index`, which stays; waits for it."""
        with colocate_with(self._place):
            seen = raw.StagePeek(index, **self._attrs(f"{self._name}_peek" if name is None else name))
        return self._taken(seen, range(len(self._dtypes)))

    def size(self, name: str | None = None) -> Tensor:
        """How many elements are in it: an int32 scalar."""
        return raw.StageSize(**self._attrs(f"{self._name}_size" if name is None else name))

    def clear(self, name: str | None = None) -> Operation:
        """Drops all elements."""
        return raw.StageClear(**self._attrs(f"{self._name}_clear" if name is None else name))


class MapStagingArea(BaseStagingArea):
    """A staging area whose elements are found by an int64 key.

    Args:
        dtypes, shapes, names, shared_name, capacity, memory_limit: as for `BaseStagingArea`.
        ordered: whether an element without a key asked for is that of the least key.
    """

    def __init__(
        self,
        dtypes: DType | Sequence[str | DType],
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        ordered: bool = False,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)
        self._prefix = "OrderedMap" if ordered else "Map"

    def _op(self, what: str) -> Any:
        return getattr(raw, self._prefix + what)

    def put(self, key: Any, vals: Any, indices: Any = None, name: str | None = None) -> Operation:
        """Puts components of an element in; it can be taken when it has all.

        Args:
            key: an int64 scalar tensor.
            vals: a list of tensors with `indices`, or a dict where the area has names.
            indices: which components they are.
            name: a name for the operation.
        """
        with name_scope(name, f"{self._name}_put", scope_values(vals)) as scope:
            tensors, places = self._components(vals, indices)
            with colocate_with(self._place):
                return self._op("Stage")(key, places, tensors, **self._attrs(scope))

    def _chosen(self, indices: Any) -> tuple[list[int], list[Any]]:
        if indices is None:
            indices = list(range(len(self._dtypes)))
        if not isinstance(indices, (tuple, list)):
            raise TypeError(f"Invalid indices type '{type(indices)}'")
        if not indices:
            raise ValueError("Empty indices")
        if all(isinstance(i, str) for i in indices):
            if self._names is None:
                raise ValueError(
                    f"String indices provided '{indices}', but this Staging Area was not created with names."
                )
            unknown = [i for i in indices if i not in self._names]
            if unknown:
                raise ValueError(f"Named index '{unknown[0]}' not in Staging Area names '{self._names}'")
            indices = [self._names.index(i) for i in indices]
        elif not all(isinstance(i, int) for i in indices):
            raise TypeError(f"Mixed types in indices '{indices}'. May only be str or int")
        return list(indices), [self._dtypes[i] for i in indices]

    def _fetch(self, what: str, key: Any, indices: Any, name: str) -> Any:
        places, dtypes = self._chosen(indices)
        with colocate_with(self._place):
            values = self._op(what)(key, places, **{**self._attrs(name), "dtypes": dtypes})
        return self._taken(values, places)

    def peek(self, key: Any, indices: Any = None, name: str | None = None) -> Any:
        """Components of the element of a key, which stay; waits for them."""
        return self._fetch("Peek", key, indices, f"{self._name}_pop" if name is None else name)

    def get(self, key: Any = None, indices: Any = None, name: str | None = None) -> Any:
        """Takes components out, waiting for them.

        Args:
            key: the element's key; any complete element by default.
            indices: which components, by number or name; all by default.
            name: a name for the operation.

        Returns:
            (key, components).
        """
        if key is not None:
            return key, self._fetch("Unstage", key, indices, f"{self._name}_get" if name is None else name)
        places, dtypes = self._chosen(indices)
        name = f"{self._name}_get_nokey" if name is None else name
        with colocate_with(self._place):
            found, values = self._op("UnstageNoKey")(places, **{**self._attrs(name), "dtypes": dtypes})
        return self._transferred(found)[0], self._taken(values, places)

    def size(self, name: str | None = None) -> Tensor:
        """How many complete elements are in it: an int32 scalar."""
        return self._op("Size")(**self._attrs(f"{self._name}_size" if name is None else name))

    def incomplete_size(self, name: str | None = None) -> Tensor:
        """How many elements still lack components: an int32 scalar."""
        name = f"{self._name}_incomplete_size" if name is None else name
        return self._op("IncompleteSize")(**self._attrs(name))

    def clear(self, name: str | None = None) -> Operation:
        """Drops all elements."""
        return self._op("Clear")(**self._attrs(f"{self._name}_clear" if name is None else name))
