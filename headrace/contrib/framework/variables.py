"""Variables by scope, suffix and name, and functions that make them in the collections of `tf.contrib.framework`."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.arg_scope import add_arg_scope
from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection, device, get_collection
from headrace.core.device import DeviceSpec
from headrace.core.dtypes import float32
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.ops.array.constant import placeholder
from headrace.ops.flow.grouping import group
from headrace.state.global_step import assert_global_step, get_global_step
from headrace.state.modes import VariableAggregation, VariableSynchronization
from headrace.state.partitioned import PartitionedVariable
from headrace.state.variable_scope import VariableScope, get_variable, get_variable_scope
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from headrace.core.graph import Graph
    from headrace.core.typing import (
        CollectionNames,
        DTypeLike,
        InitializerLike,
        Partitioner,
        Regularizer,
        SessionLike,
        ShapeLike,
        TensorLike,
    )


def get_variables(
    scope: str | None = None, suffix: str | None = None, collection: str = GraphKeys.GLOBAL_VARIABLES
) -> list[Any]:
    """The variables of a collection whose names begin with `scope` and end with `suffix`.

    Args:
        scope: a variable scope or a regular expression.
        suffix: the end of the name.
        collection: the collection.
    """
    if isinstance(scope, VariableScope):
        scope = scope.name
    if suffix is not None:
        scope = f"{scope or ''}.*{suffix if ':' in suffix else suffix + ':'}"
    return get_collection(collection, scope)


def get_model_variables(scope: str | None = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of the model variables."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of the local variables."""
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: str | None = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of the trainable variables."""
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Any]:
    """The global variables whose names end with `suffix`."""
    return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> list[Any]:
    """The global variables that were given this name, whatever scope is before it."""
    return get_variables(scope=scope, suffix="/" + given_name + ":|^" + given_name + ":")


def get_variables_to_restore(include: Sequence[str] | None = None, exclude: Sequence[str] | None = None) -> list[Any]:
    """The global variables of the scopes `include` (all by default) but not of the scopes `exclude`.

    Raises:
        TypeError: if one is neither a list nor a tuple.
    """
    for value, what in ((include, "include"), (exclude, "exclude")):
        if value is not None and not isinstance(value, (list, tuple)):
            raise TypeError(f"{what} is provided but is not a list or a tuple.")
    included = get_variables() if include is None else [v for scope in include for v in get_variables(scope)]
    unwanted = {v for scope in exclude or () for v in get_variables(scope)}
    return [v for v in included if v not in unwanted]


def get_unique_variable(var_op_name: str) -> Variable:
    """The one global variable whose operation has this name.

    Raises:
        ValueError: if there is none or more than one.
    """
    candidates = get_variables(scope=var_op_name)
    if not candidates:
        raise ValueError(f"Couldn't find variable {var_op_name}")
    for candidate in candidates:
        if candidate.op.name == var_op_name:
            return candidate
    raise ValueError(f"Variable {var_op_name} does not uniquely identify a variable")


def get_variable_full_name(var: Any) -> str:
    """The name of a variable; for part of a partitioned one, that of the whole."""
    info = var._get_save_slice_info()
    return info.full_name if info is not None else var.op.name


def filter_variables(
    var_list: Iterable[Any],
    include_patterns: Sequence[str] | None = None,
    exclude_patterns: str | Sequence[str] | None = None,
    reg_search: bool = True,
) -> list[Any]:
    """The variables whose names match a pattern to include and none to exclude.

    Args:
        var_list: variables.
        include_patterns, exclude_patterns: regular expressions; all match where the former are None.
        reg_search: whether patterns may match anywhere rather than from the beginning.
    """
    find = re.search if reg_search else re.match
    chosen = list(var_list)
    if include_patterns is not None:
        chosen = [v for v in chosen if any(find(pattern, v.name) for pattern in include_patterns)]
    return [v for v in chosen if not any(find(pattern, v.name) for pattern in exclude_patterns or ())]


def assign_from_values(var_names_to_values: dict[str, Any]) -> tuple[Operation, dict[Any, Any]]:
    """An operation that gives variables values, and the feeds to run it with.

    Args:
        var_names_to_values: names of variables to arrays.

    Raises:
        ValueError: if a name is not that of one variable.
        AttributeError: if a value is not an array.
    """
    feeds: dict[Any, Any] = {}
    assignments = []
    for name in var_names_to_values:
        value = var_names_to_values[name]
        found = _named(name)
        fed = placeholder(found.dtype.base_dtype, shape=found.get_shape(), name="placeholder/" + found.op.name)
        assignments.append(found.assign(fed))
        feeds[fed] = value.reshape(found.get_shape().as_list())
    return group(*assignments), feeds


def _named(name: str) -> Variable:
    found = get_variables(scope=name)
    if not found:
        raise ValueError(f"Variable {name} wasn't found")
    if len(found) == 1:
        return found[0]
    for variable in found:
        if variable.op.name == name:
            return variable
    raise ValueError(f"Variable {name} doesn't uniquely identify a variable")


def assign_from_values_fn(var_names_to_values: dict[str, Any]) -> Callable[[Any], None]:
    """A function of a session that gives variables values; argument as in `assign_from_values`."""
    assign, feeds = assign_from_values(var_names_to_values)

    def callback(session: SessionLike) -> None:
        session.run(assign, feeds)

    return callback


def add_model_variable(var: Variable) -> None:
    """Puts a variable into `GraphKeys.MODEL_VARIABLES` if it is not there."""
    if all(have is not var for have in get_collection(GraphKeys.MODEL_VARIABLES)):
        add_to_collection(GraphKeys.MODEL_VARIABLES, var)


def local_variable(
    initial_value: TensorLike, validate_shape: bool = True, name: str | None = None, use_resource: bool | None = None
) -> Variable:
    """A variable of `GraphKeys.LOCAL_VARIABLES` that is not trained."""
    return Variable(
        initial_value,
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES],
        validate_shape=validate_shape,
        use_resource=use_resource,
        name=name,
    )


def global_variable(
    initial_value: Callable[..., Any],
    validate_shape: bool = True,
    name: str | None = None,
    use_resource: bool | None = None,
) -> Variable:
    """A variable of `GraphKeys.GLOBAL_VARIABLES` that is not trained."""
    return Variable(
        initial_value,
        trainable=False,
        collections=[GraphKeys.GLOBAL_VARIABLES],
        validate_shape=validate_shape,
        use_resource=use_resource,
        name=name,
    )


@add_arg_scope
def variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: InitializerLike | None = None,
    regularizer: Regularizer | None = None,
    trainable: bool = True,
    collections: CollectionNames | None = None,
    caching_device: str | Callable[..., Any] | None = None,
    device: Any = None,
    partitioner: Partitioner | None = None,
    custom_getter: Callable[..., Any] | None = None,
    use_resource: bool | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
) -> Any:
    """`tf.get_variable` on a device; `custom_getter` is called in its place."""
    getter: Callable[..., Any] = get_variable
    if custom_getter is not None:
        getter = functools.partial(custom_getter, reuse=get_variable_scope().reuse)
    with _on(device):
        return getter(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=list(dict.fromkeys([GraphKeys.GLOBAL_VARIABLES] if collections is None else collections)),
            caching_device=caching_device,
            partitioner=partitioner,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
        )


def _on(where: Any) -> AbstractContextManager[Any]:
    return device(where or "")


@add_arg_scope
def model_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike = float32,
    initializer: InitializerLike | None = None,
    regularizer: Regularizer | None = None,
    trainable: bool = True,
    collections: CollectionNames | None = None,
    caching_device: str | Callable[..., Any] | None = None,
    device: Any = None,
    partitioner: Partitioner | None = None,
    custom_getter: Callable[..., Any] | None = None,
    use_resource: bool | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
) -> Any:
    """`variable` that joins `GraphKeys.MODEL_VARIABLES` too."""
    made = variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=[*(collections or ()), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES],
        caching_device=caching_device,
        device=device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        use_resource=use_resource,
        synchronization=synchronization,
        aggregation=aggregation,
    )
    if isinstance(made, PartitionedVariable):
        for part in made:
            add_model_variable(part)
    return made


def assert_or_get_global_step(
    graph: Graph | None = None, global_step_tensor: Variable | None = None
) -> Variable | None:
    """A step counter, checked to be one; the graph's for None."""
    if global_step_tensor is None:
        return get_global_step(graph)
    assert_global_step(global_step_tensor)
    return global_step_tensor


class VariableDeviceChooser:
    """A device function that deals variables out to the tasks of a job in turn.

    Args:
        num_tasks: the number of tasks; 0 for no job.
        job_name: the job.
        device_type, device_index: the device of a task.
        replica: the replica.

    Example:
        >>> with slim.arg_scope([slim.variable], device=VariableDeviceChooser(2)):
        ...     net = slim.conv2d(images, 64, [3, 3])
    """

    def __init__(
        self,
        num_tasks: int = 0,
        job_name: str = "ps",
        device_type: str = "CPU",
        device_index: int = 0,
        replica: int | None = None,
    ) -> None:
        self._num_tasks, self._job_name, self._replica = num_tasks, job_name, replica
        self._device_type, self._device_index = device_type, device_index
        self._next_task_id = 0

    def __call__(self, op: Any) -> str:
        """The device of the next variable."""
        spec = DeviceSpec(replica=self._replica, device_type=self._device_type, device_index=self._device_index)
        if self._num_tasks > 0:
            spec.job, spec.task = self._job_name, self._next_task_id
            self._next_task_id = (self._next_task_id + 1) % self._num_tasks
        return spec.to_string()


def zero_initializer(ref: Variable, use_locking: bool = True, name: str | None = "zero_initializer") -> Tensor:
    """An operation that initializes a variable with zeros, without a tensor of zeros being made first.

    Args:
        ref: the variable; it must not be initialized yet when the operation is run.
        use_locking: there is nothing to lock before a variable has a value.
        name: a name for the operation.

    Returns:
        the variable, as a reference or a handle.

    Example:
        >>> start = tf.contrib.framework.zero_initializer(w)
    """
    if hasattr(ref, "handle"):
        return raw.ZeroVarInitializer(ref.handle, shape=ref.shape, dtype=ref.dtype, name=name)
    return raw.ZeroInitializer(ref, name=name)
