"""Variable scopes, which name, share and preset variables, and `get_variable`, which asks through them."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_default_graph, graph_of_inputs, name_scope
from headrace.core.dtypes import float32
from headrace.core.eager import executing_eagerly
from headrace.state.current_scope import (
    VariableScope,
    first_given,
    get_variable_scope,
    get_variable_scope_store,
    no_regularizer,
)
from headrace.state.modes import (
    AUTO_REUSE,
    VariableAggregation,
    VariableSynchronization,
    disable_resource_variables,
    enable_resource_variables,
    resource_variables_enabled,
)
from headrace.state.variable_store import get_default_variable_store, with_variable_store

if TYPE_CHECKING:
    from headrace.core.typing import (
        Constraint,
        DTypeLike,
        InitializerLike,
        Partitioner,
        Regularizer,
        ShapeLike,
        TensorLike,
        VariableGetter,
    )
    from headrace.state.modes import _ReuseMode
    from headrace.state.variable_class import Variable


def get_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: InitializerLike | TensorLike | None = None,
    regularizer: Regularizer | None = None,
    trainable: bool | None = None,
    collections: Sequence[str] | set[str] | None = None,
    caching_device: str | Callable[..., Any] | None = None,
    partitioner: Partitioner | None = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Constraint | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
) -> Any:
    """The variable of this name in the open variable scope: a shared one under `reuse`, else a new one.

    Args:
        name: its name; the scope's name goes before it.
        shape: its shape, not given where `initializer` is a value.
        dtype: its element type; float32 or the scope's by default.
        initializer: a function (shape, dtype, partition_info) or a value; the scope's by default, else
            glorot_uniform for floating types and zeros for others.
        regularizer: a function of the variable whose loss joins `GraphKeys.REGULARIZATION_LOSSES`.
        trainable: whether optimizers train it.
        collections: names of the collections it joins.
        caching_device: a device on which reads are kept.
        partitioner: a function (shape, dtype) to the number of parts along each axis.
        validate_shape: False allows an initial value of unknown shape.
        use_resource: whether it is a resource variable.
        custom_getter: a function called instead, with the true getter as its first argument.
        constraint: a function that projects it after updates.
        synchronization, aggregation: for several replicas.

    Raises:
        ValueError: if it exists and is not to be shared, does not exist and is to be, or has another shape or type.

    Example:
        >>> with tf.variable_scope("layer", reuse=tf.AUTO_REUSE):
        ...     w = tf.get_variable("w", [784, 10])
        >>> w.name
        'layer/w:0'
    """
    return get_variable_scope().get_variable(
        get_default_variable_store(),
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=collections,
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def get_local_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: InitializerLike | TensorLike | None = None,
    regularizer: Regularizer | None = None,
    trainable: bool = False,
    collections: Any = None,
    caching_device: str | Callable[..., Any] | None = None,
    partitioner: Partitioner | None = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Constraint | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
) -> Variable:
    """As `get_variable`, for a variable that joins `GraphKeys.LOCAL_VARIABLES` and is never trained."""
    return get_variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=False,
        collections=[*(collections or []), GraphKeys.LOCAL_VARIABLES],
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        synchronization=synchronization,
        aggregation=aggregation,
        custom_getter=custom_getter,
        constraint=constraint,
    )


# ---- opening scopes ----


def _unique_scope_name(prefix: str) -> str:
    store = get_variable_scope_store()
    current = store.current_scope.name
    name = f"{current}/{prefix}" if current else prefix
    if store.variable_scope_count(name) == 0:
        return prefix
    number = 1
    while store.variable_scope_count(f"{name}_{number}") > 0:
        number += 1
    return f"{prefix}_{number}"


def _chained(custom_getter: VariableGetter, outer: Callable[..., Any] | None) -> Any:
    """A custom getter whose true getter is the outer scope's."""
    if outer is None:
        return custom_getter

    def chained(getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Variable:
        return custom_getter(functools.partial(outer, getter), *args, **kwargs)

    return chained


class _PureVariableScope:
    """A variable scope without the name scope."""

    def __init__(
        self,
        name_or_scope: Any,
        reuse: bool | _ReuseMode | None,
        old_name_scope: str | None,
        constraint: Constraint | None,
        **presets: Any,
    ) -> None:
        self._name_or_scope = name_or_scope
        self._reuse = reuse
        self._old_name_scope = old_name_scope
        self._constraint = constraint
        self._presets = presets
        self._store = get_variable_scope_store()
        self._captured: VariableScope | None = None
        self._entered: VariableScope | None = None
        if isinstance(name_or_scope, VariableScope):
            # Taken as it is now: what is changed in the original later does not count.
            self._captured = self._inheriting(
                name_or_scope, name_or_scope.name, reuse or name_or_scope.reuse, name_or_scope.original_name_scope
            )

    def _inheriting(
        self, outer: VariableScope, name: str, reuse: bool | _ReuseMode | None, scope: str
    ) -> VariableScope:
        values = {
            key: first_given(given, getattr(outer, key))
            for key, given in self._presets.items()
            if key != "custom_getter"
        }
        getter = self._presets["custom_getter"]
        return VariableScope(
            reuse,
            name=name,
            name_scope=scope,
            custom_getter=outer.custom_getter if getter is None else _chained(getter, outer.custom_getter),
            constraint=self._constraint,
            **values,
        )

    def enter(self) -> VariableScope:
        store = self._store
        if executing_eagerly():
            self._check_eagerly()
        self._old = store.current_scope
        if self._captured is not None:
            self._new_name = self._captured.name
            store.open_variable_scope(self._new_name)
            self._old_counts = dict(store.variable_scopes_count)
            self._entered = self._captured
        else:
            name = self._name_or_scope
            self._new_name = f"{self._old.name}/{name}" if self._old.name else name
            self._reuse = self._reuse or self._old.reuse
            scope = name if self._old_name_scope is None else self._old_name_scope
            self._entered = self._inheriting(self._old, self._new_name, self._reuse, scope)
            store.open_variable_scope(self._new_name)
        store.current_scope = self._entered
        return self._entered

    def _check_eagerly(self) -> None:
        use_resource = self._presets["use_resource"]
        if self._presets["caching_device"] is not None or not (use_resource is None or use_resource):
            raise RuntimeError(
                "variable_scope: where operations run eagerly, variables are resource variables without a caching device; "
                f"got caching_device={self._presets['caching_device']!r}, use_resource={use_resource!r}."
            )

    def leave(self) -> None:
        store = self._store
        if store.current_scope is not self._entered:
            raise RuntimeError("Improper nesting of variable_scope.")
        if self._captured is not None:
            store.variable_scopes_count = self._old_counts
        else:
            store.close_variable_subscopes(self._new_name)
        store.current_scope = self._old


@contextlib.contextmanager
def pure_variable_scope(
    name_or_scope: str | VariableScope,
    reuse: bool | _ReuseMode | None = None,
    initializer: InitializerLike | None = None,
    regularizer: Regularizer | None = None,
    caching_device: str | Callable[..., Any] | None = None,
    partitioner: Partitioner | None = None,
    custom_getter: Any = None,
    old_name_scope: str | None = None,
    dtype: DTypeLike = float32,
    use_resource: bool | None = None,
    constraint: Constraint | None = None,
) -> Iterator[VariableScope]:
    """A variable scope that opens no name scope; arguments as in `variable_scope`."""
    scope = _PureVariableScope(
        name_or_scope,
        reuse,
        old_name_scope,
        constraint,
        initializer=initializer,
        regularizer=regularizer,
        caching_device=caching_device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        dtype=dtype,
        use_resource=use_resource,
    )
    entered = scope.enter()
    try:
        yield entered
    finally:
        scope.leave()


# Layers written for 1.x import it under this name.
_pure_variable_scope = pure_variable_scope


class variable_scope:
    """A context for code that makes variables: their names get its name as a prefix, operations a name scope.

    Args:
        name_or_scope: a name, or a `VariableScope` to enter again (its variables, a new name scope).
        default_name: a name to use when `name_or_scope` is None, made unique.
        values: tensors the code takes; they decide the graph.
        initializer, regularizer, caching_device, partitioner, dtype, use_resource, constraint: defaults for the
            arguments of `get_variable` inside.
        custom_getter: a function that `get_variable` calls inside instead, with the true getter first.
        reuse: True to share existing variables, AUTO_REUSE to share or make, None to inherit.
        auxiliary_name_scope: False opens no name scope.

    Raises:
        TypeError, ValueError: for arguments of a wrong kind.

    Example:
        >>> with tf.variable_scope("a") as scope:
        ...     w = tf.get_variable("w", [2])
        >>> with tf.variable_scope(scope, reuse=True):
        ...     tf.get_variable("w") is w
        True
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: Iterable[Any] | None = None,
        initializer: InitializerLike | None = None,
        regularizer: Regularizer | None = None,
        caching_device: str | Callable[..., Any] | None = None,
        partitioner: Partitioner | None = None,
        custom_getter: VariableGetter | None = None,
        reuse: bool | _ReuseMode | None = None,
        dtype: DTypeLike | None = None,
        use_resource: bool | None = None,
        constraint: Constraint | None = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if default_name is None and name_or_scope is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if reuse is False:
            reuse = None
        if not (reuse is True or reuse is None or reuse is AUTO_REUSE):
            raise ValueError("The reuse parameter must be True or False or None.")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(f"The auxiliary_name_scope must be `True` or `False`, while get {auxiliary_name_scope}")
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._reuse = reuse
        self._constraint = constraint
        self._auxiliary_name_scope = auxiliary_name_scope
        self._presets = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "custom_getter": custom_getter,
            "dtype": dtype,
            "use_resource": use_resource,
        }
        self._graph = graph_of_inputs(values if values is not None else [])
        self._pure: _PureVariableScope | None = None
        self._scope_name: str | None = None
        self._open: list[contextlib.ExitStack] = []

    def __enter__(self) -> VariableScope:
        with contextlib.ExitStack() as exits:
            if not get_default_graph().building_function:
                exits.enter_context(self._graph.as_default())
            entered = self._enter_again(exits) if self._pure is not None else self._enterfirst_given(exits)
            self._open.append(exits.pop_all())
        return entered

    def _enter_again(self, exits: contextlib.ExitStack) -> VariableScope:
        """Entered once more, the very same object opens the very same scopes."""
        assert self._pure is not None
        if self._scope_name is not None:
            exits.enter_context(name_scope(self._scope_name))
        entered = self._pure.enter()
        exits.callback(self._pure.leave)
        return entered

    def _enterfirst_given(self, exits: contextlib.ExitStack) -> VariableScope:
        current: str | None = None
        if not self._auxiliary_name_scope:
            outer = get_default_graph().get_name_scope()
            current = outer + "/" if outer else ""
        name_or_scope = self._name_or_scope
        if name_or_scope is None:
            return self._enter_default(exits, current)
        if not isinstance(name_or_scope, (VariableScope, str)):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        own = name_or_scope if isinstance(name_or_scope, str) else name_or_scope.name.split("/")[-1]
        if not own and current is None:
            return self._enter_pure(exits, name_or_scope, self._reuse, None)
        opened = exits.enter_context(name_scope(own if current is None else current))
        self._scope_name = own if current is None else current
        old = opened if isinstance(name_or_scope, str) else name_or_scope.original_name_scope
        return self._enter_pure(exits, name_or_scope, self._reuse, old)

    def _enter_default(self, exits: contextlib.ExitStack, current: str | None) -> VariableScope:
        if self._reuse:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        if not (self._default_name is None or self._default_name or isinstance(self._default_name, (str, bytes))):
            # As a name scope it would be the root; what else is no text is refused there.
            raise TypeError(f"variable_scope: default_name must be a string, got {self._default_name!r}.")
        scope_name = self._default_name if current is None else current
        opened = exits.enter_context(name_scope(scope_name))
        self._scope_name = scope_name
        unique = _unique_scope_name(self._default_name or "")
        return self._enter_pure(exits, unique, None, opened)

    def _enter_pure(
        self,
        exits: contextlib.ExitStack,
        name_or_scope: str | VariableScope,
        reuse: bool | _ReuseMode | None,
        old_name_scope: str | None,
    ) -> VariableScope:
        pure = _PureVariableScope(name_or_scope, reuse, old_name_scope, self._constraint, **self._presets)
        entered = pure.enter()
        exits.callback(pure.leave)
        self._pure = pure
        return entered

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.pop().__exit__(kind, error, trace)


@contextlib.contextmanager
def variable_op_scope(
    values: Iterable[Any] | None,
    name_or_scope: str | VariableScope,
    default_name: str | None = None,
    initializer: InitializerLike | None = None,
    regularizer: Regularizer | None = None,
    caching_device: str | Callable[..., Any] | None = None,
    partitioner: Partitioner | None = None,
    custom_getter: Any = None,
    reuse: bool | _ReuseMode | None = None,
    dtype: DTypeLike | None = None,
    use_resource: bool | None = None,
    constraint: Constraint | None = None,
) -> Iterator[VariableScope]:
    """The 0.x spelling of `variable_scope`, with `values` first."""
    with variable_scope(
        name_or_scope,
        default_name=default_name,
        values=values,
        initializer=initializer,
        regularizer=regularizer,
        caching_device=caching_device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        reuse=reuse,
        dtype=dtype,
        use_resource=use_resource,
        constraint=constraint,
    ) as scope:
        yield scope


__all__ = [
    "AUTO_REUSE",
    "VariableScope",
    "disable_resource_variables",
    "enable_resource_variables",
    "get_local_variable",
    "get_variable",
    "get_variable_scope",
    "no_regularizer",
    "pure_variable_scope",
    "resource_variables_enabled",
    "variable_op_scope",
    "variable_scope",
    "with_variable_store",
]
