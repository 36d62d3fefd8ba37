"""The variables of a graph by name: what `get_variable` finds, makes and refuses."""

from __future__ import annotations

import contextlib
import inspect
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import add_to_collection, add_to_collections, colocate_with, get_default_graph, name_scope
from headrace.core.dtypes import DType, as_dtype, float32, string
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.tensor import Tensor
from headrace.state import initializers, restoring
from headrace.state.modes import (
    AUTO_REUSE,
    VariableAggregation,
    VariableSynchronization,
    resource_variables_enabled,
    validate_synchronization_aggregation_trainable,
)
from headrace.state.partitioned import PartitionedVariable, PartitionInfo, call_partitioner, slice_axis, slices_of
from headrace.state.resource_variable_class import BaseResourceVariable
from headrace.state.resource_variables import ResourceVariable
from headrace.state.scoping import init_scope, makes_eager_variables
from headrace.state.slice_info import SaveSliceInfo
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from headrace.core.typing import (
        CollectionNames,
        Constraint,
        DTypeLike,
        InitializerLike,
        Partitioner,
        Regularizer,
        ShapeLike,
        TensorLike,
        VariableGetter,
    )
    from headrace.state.initializers import Initializer
    from headrace.state.modes import _ReuseMode


# `variable_scope.variable` of 1.x.
variable = Variable

_STORE = ("__variable_store",)


def accepts_argument(function: Any, name: str) -> bool:
    """Whether `function` can be given the keyword argument `name`."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return name in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _needs_no_arguments(function: Any) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


class VariableStore:
    """The variables and partitioned variables of one graph that `get_variable` made, by full name."""

    def __init__(self) -> None:
        self._vars: dict[str, Any] = {}
        # Whether variables made eagerly are found again by name: those of an EagerVariableStore are.
        self._store_eager_variables = False
        self._partitioned_vars: dict[str, PartitionedVariable] = {}

    def get_variable(
        self,
        name: str,
        shape: ShapeLike | None = None,
        dtype: DTypeLike = float32,
        initializer: InitializerLike | TensorLike | None = None,
        regularizer: Regularizer | None = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: Sequence[str] | set[str] | None = None,
        caching_device: Callable[..., Any] | None = None,
        partitioner: Partitioner | None = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        custom_getter: VariableGetter | None = None,
        constraint: Constraint | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
    ) -> Any:
        """The variable of this full name, found or made; arguments as in `tf.get_variable`.

        `reuse` is True to find only, False to make only, None or AUTO_REUSE for either.
        """
        if makes_eager_variables():
            if not self._store_eager_variables and reuse:
                raise RuntimeError(
                    "When eager execution is enabled variable reuse is only supported when an EagerVariableStore is active. "
                    "See the documentation on EagerVariableStore for example usage."
                )
            if self._store_eager_variables:
                reuse = AUTO_REUSE
        if custom_getter is not None and not callable(custom_getter):
            raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
        dtype = getattr(dtype, "base_dtype", dtype)
        synchronization, aggregation, trainable = validate_synchronization_aggregation_trainable(
            synchronization, aggregation, trainable, name
        )
        settings = {
            "shape": shape,
            "dtype": dtype,
            "initializer": initializer,
            "regularizer": regularizer,
            "reuse": reuse,
            "trainable": trainable,
            "collections": collections,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "validate_shape": validate_shape,
            "use_resource": use_resource,
            "synchronization": synchronization,
            "aggregation": aggregation,
        }
        if custom_getter is None:
            return self._true_getter(name, constraint=constraint, **settings)
        # Getters written before variables had constraints do not take one.
        if accepts_argument(custom_getter, "constraint"):
            settings["constraint"] = constraint
        return custom_getter(getter=self._true_getter, name=name, **settings)

    def _true_getter(
        self,
        name: str,
        shape: ShapeLike | None = None,
        dtype: DTypeLike = float32,
        initializer: InitializerLike | TensorLike | None = None,
        regularizer: Regularizer | None = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: CollectionNames | None = None,
        caching_device: Callable[..., Any] | None = None,
        partitioner: Partitioner | None = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        constraint: Constraint | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
    ) -> PartitionedVariable | Variable:
        common = {
            "name": name,
            "shape": shape,
            "dtype": dtype,
            "initializer": initializer,
            "regularizer": regularizer,
            "reuse": reuse,
            "trainable": trainable,
            "collections": collections,
            "caching_device": caching_device,
            "validate_shape": validate_shape,
            "use_resource": use_resource,
            "constraint": constraint,
            "synchronization": synchronization,
            "aggregation": aggregation,
        }
        is_scalar = isinstance(shape, (list, tuple)) and not shape
        if partitioner is not None and not is_scalar:
            if not callable(partitioner):
                raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
            with name_scope(None):
                return self._get_partitioned_variable(partitioner=partitioner, **common)
        if reuse is True and partitioner is None and name in self._partitioned_vars:
            return self._get_partitioned_variable(partitioner=None, **common)
        if f"{name}/part_0" in self._vars:
            raise ValueError(
                f"No partitioner was provided, but a partitioned version of the variable was found: {name}/part_0. "
                "Perhaps a variable of the same name was already created with partitioning?"
            )
        return self._get_single_variable(**common)

    def _get_partitioned_variable(
        self,
        name: str,
        partitioner: Any,
        shape: Sequence[int] | None = None,
        dtype: DTypeLike = float32,
        initializer: InitializerLike | None = None,
        reuse: bool | _ReuseMode | None = None,
        **common: Any,
    ) -> PartitionedVariable:
        if name in self._vars:
            raise ValueError(
                f"A partitioner was provided, but an unpartitioned version of the variable was found: {name}.  Perhaps a "
                "variable of the same name was already created without partitioning?"
            )
        dtype = as_dtype(dtype)
        static_shape = TensorShape.from_dims(as_dims(shape))
        if isinstance(initializer, Tensor):
            static_shape = static_shape.merge_with(initializer.get_shape())
        partitions = call_partitioner(partitioner, static_shape, dtype) if not reuse or partitioner else None
        if name in self._partitioned_vars:
            return self._existing_partitioned(name, static_shape, dtype, partitions, reuse)
        if reuse is True:
            raise ValueError(
                f"PartitionedVariable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
                "reuse=False or reuse=tf.AUTO_REUSE in VarScope?"
            )
        assert partitions is not None
        axis, count = slice_axis(partitions)
        self._check_shards(name, count)
        full_shape: list[Any] = static_shape.as_list()
        parts = []
        for i, (offset, size) in enumerate(slices_of(full_shape, count, axis)):
            part_name = f"{name}/part_{i}"
            part_dtype = dtype
            with name_scope(part_name + "/PartitionedInitializer"):
                init: Callable[..., Any] | Initializer
                init_shape: list[int] = size
                if initializer is None:
                    init, _ = self._get_default_initializer(name=name, shape=static_shape, dtype=dtype)
                elif callable(initializer):
                    init = initializer
                else:
                    if isinstance(initializer, Tensor):
                        init = raw.Slice(initializer, offset, size)
                        part_dtype = init.dtype.base_dtype
                    else:
                        init = raw.Slice(convert_to_tensor(initializer, dtype), offset, size)
                    init_shape = None
            with name_scope(None):
                part = self._get_single_variable(
                    name=part_name,
                    shape=init_shape,
                    dtype=part_dtype,
                    initializer=init,
                    partition_info=PartitionInfo(full_shape=full_shape, var_offset=offset),
                    reuse=reuse,
                    **common,
                )
            part._set_save_slice_info(SaveSliceInfo(name, full_shape, offset, size))
            parts.append(part)
        made = PartitionedVariable(
            name=name, shape=static_shape, dtype=dtype, variable_list=parts, partitions=partitions
        )
        self._partitioned_vars[name] = made
        return made

    def _existing_partitioned(
        self, name: str, shape: TensorShape, dtype: DType, partitions: Any, reuse: bool | _ReuseMode | None
    ) -> PartitionedVariable:
        if reuse is False:
            raise ValueError(
                f"Partitioned variable with name {name} already exists. Did you mean to set reuse=True or "
                "reuse=tf.AUTO_REUSE in VarScope?"
            )
        found = self._partitioned_vars[name]
        if not shape.is_compatible_with(found.get_shape()):
            raise ValueError(
                f"Trying to reuse partitioned variable {name}, but specified shape {shape} and found shape "
                f"{found.get_shape()}."
            )
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError(
                f"Trying to reuse partitioned variable {name}, but specified dtype {dtype.name} and found dtype "
                f"{found.dtype.name}."
            )
        if partitions is not None and list(found._get_partitions()) != list(partitions):
            raise ValueError(
                f"Trying to reuse partitioned variable {name}, but specified partitions {partitions} and found partitions "
                f"{found._get_partitions()}."
            )
        return found

    def _check_shards(self, name: str, count: int) -> None:
        if f"{name}/part_0" not in self._vars:
            return
        prefix = (
            "Partitioner returned a different partitioning than what was already found.  Partitioner returned "
            f"{count} shards, and shard {name}/part_0 was found, but"
        )
        if f"{name}/part_{count - 1}" not in self._vars:
            raise ValueError(f"{prefix} {name}/part_{count - 1} was not.")
        if f"{name}/part_{count}" in self._vars:
            raise ValueError(f"{prefix} so was the extra shard {name}/part_{count}.")

    def _get_single_variable(
        self,
        name: str,
        shape: ShapeLike | None = None,
        dtype: DTypeLike = float32,
        initializer: Any = None,
        regularizer: Regularizer | None = None,
        partition_info: PartitionInfo | None = None,
        reuse: bool | _ReuseMode | None = None,
        trainable: bool | None = None,
        collections: CollectionNames | None = None,
        caching_device: Callable[..., Any] | None = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        constraint: Constraint | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
    ) -> Variable:
        from_value = initializer is not None and not callable(initializer)
        if shape is not None and from_value:
            raise ValueError("If initializer is a constant, do not specify shape.")
        dtype = as_dtype(dtype)
        static_shape = TensorShape.from_dims(as_dims(shape))
        if name in self._vars:
            return self._existing(name, static_shape, dtype, reuse)
        if reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
                "reuse=tf.AUTO_REUSE in VarScope?"
            )
        if initializer is None:
            initializer, from_value = self._get_default_initializer(name=name, shape=static_shape, dtype=dtype)
        variable_dtype: DType | None = None
        if from_value:
            value = initializer
        else:
            if inspect.isclass(initializer):
                initializer = initializer()
            if shape is not None and static_shape.is_fully_defined():
                value = _bound_initializer(initializer, static_shape.as_list(), dtype, partition_info)
                variable_dtype = dtype.base_dtype
            elif _needs_no_arguments(initializer):
                value = initializer
            else:
                raise ValueError(
                    "The initializer passed is not valid. It should be a callable with no arguments and the shape should "
                    "not be provided or an instance of `tf.keras.initializers.*' and `shape` should be fully defined."
                )
        made = Variable(
            initial_value=value,
            name=name,
            trainable=trainable,
            collections=collections,
            caching_device=caching_device,
            dtype=variable_dtype,
            validate_shape=validate_shape,
            constraint=constraint,
            use_resource=resource_variables_enabled() if use_resource is None else use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
        )
        # Those of strategies are what their parts are; reference variables are always a graph's.
        eagerly = not getattr(made, "_in_graph_mode", True)
        if not eagerly or self._store_eager_variables:
            self._vars[name] = made
            restoring.changed()
            if eagerly:
                # Eager variables join collections only where a store keeps them.
                add_to_collections(collections or [GraphKeys.GLOBAL_VARIABLES], made)
                if trainable:
                    add_to_collection(GraphKeys.TRAINABLE_VARIABLES, made)
        if regularizer:
            # Eagerly it is the loss of the first value, as in 1.15: programs compute others from the variable.
            place = contextlib.nullcontext() if eagerly else colocate_with(made)
            with place, name_scope(name + "/Regularizer/"), init_scope():
                loss = regularizer(made)
            _keep_loss(loss, name, eagerly)
        return made

    def _existing(self, name: str, shape: TensorShape, dtype: DType, reuse: bool | _ReuseMode | None) -> Variable:
        found = self._vars[name]
        if reuse is False:
            message = (
                f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in "
                "VarScope?"
            )
            if isinstance(found, BaseResourceVariable):
                raise ValueError(message)
            lines = traceback.format_list(found.op.traceback[::-1][:5])
            raise ValueError(f"{message} Originally defined at:\n\n{''.join(lines)}")
        if not shape.is_compatible_with(found.get_shape()):
            raise ValueError(
                f"Trying to share variable {name}, but specified shape {shape} and found shape {found.get_shape()}."
            )
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError(
                f"Trying to share variable {name}, but specified dtype {dtype.name} and found dtype {found.dtype.name}."
            )
        return found

    def _get_default_initializer(
        self, name: str, shape: ShapeLike | None = None, dtype: DType = float32
    ) -> tuple[Any, bool]:
        """The initializer where none is given, by type alone, and False: it is no value."""
        del shape
        if dtype.is_floating:
            return initializers.default_initializer(), False
        if dtype.is_integer or dtype.is_unsigned or dtype.is_bool or dtype == string:
            return initializers.zeros_initializer(), False
        raise ValueError(f"An initializer for variable {name} of {dtype.base_dtype!s} is required")


def _bound_initializer(
    initializer: InitializerLike, shape: list[Any], dtype: DType, partition_info: PartitionInfo | None
) -> Callable[[], Any]:
    return lambda: initializer(shape, dtype=dtype, partition_info=partition_info)


def get_default_variable_store() -> VariableStore:
    """The store of the default graph."""
    kept = get_default_graph().get_collection_ref(_STORE)
    if not kept:
        kept.append(VariableStore())
    return kept[0]


@contextlib.contextmanager
def with_variable_store(store: VariableStore) -> Iterator[None]:
    """A context in which `store` is the store of the default graph."""
    kept = get_default_graph().get_collection_ref(_STORE)
    outer = list(kept)
    kept[:] = [store]
    try:
        yield
    finally:
        kept[:] = outer


class EagerVariableStore:
    """Keeps the variables that `get_variable` makes eagerly, so that they are found again by name.

    Args:
        store: the store of another one, to share it.

    Raises:
        ValueError: if `store` is one that does not keep eager variables.

    Example:
        >>> container = tfe.EagerVariableStore()
        >>> with container.as_default():
        ...     y = tf.layers.dense(x, 10, name="l1")
        >>> container.variables()
    """

    def __init__(self, store: VariableStore | None = None) -> None:
        if store is not None and not store._store_eager_variables:
            raise ValueError(
                "Cannot construct EagerVariableStore from a VariableStore object that does not hold eager variables."
            )
        self._store = VariableStore() if store is None else store
        self._store._store_eager_variables = True

    def as_default(self) -> AbstractContextManager[Any]:
        """A context in which variables are kept here."""
        return with_variable_store(self._store)

    def variables(self) -> list[Any]:
        """The variables, by name."""
        return sorted(self._store._vars.values(), key=lambda variable: variable.name)

    def trainable_variables(self) -> list[Any]:
        """Those of `variables` that are trained."""
        return [variable for variable in self.variables() if variable.trainable]

    def non_trainable_variables(self) -> list[Any]:
        """Those of `variables` that are not trained."""
        return [variable for variable in self.variables() if not variable.trainable]

    def copy(self) -> EagerVariableStore:
        """Another store, with variables of its own that have the same names and values."""
        made = EagerVariableStore()
        for key, variable in self._store._vars.items():
            made._store._vars[key] = ResourceVariable(
                variable.read_value(), name=variable.name.split(":")[0], trainable=variable.trainable
            )
        return made


def _keep_loss(loss: Any, name: str, eagerly: bool) -> None:
    """Keeps what the regularizer of the variable called `name` gave."""
    if loss is None:
        return
    if not eagerly and not hasattr(loss, "name"):
        raise AttributeError(f"The regularizer of {name!r} gave {loss!r}, which has no `name` as tensors do.")
    add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
