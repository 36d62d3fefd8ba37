"""Variable scopes, which name, share and preset variables, and `get_variable`, which asks through them."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_collection, get_default_graph, graph_of_inputs, name_scope
from headrace.core.dtypes import float32
from headrace.state.modes import VariableAggregation, VariableSynchronization
from headrace.state.variable_store import (
    AUTO_REUSE,
    VariableStore,
    disable_resource_variables,
    enable_resource_variables,
    get_default_variable_store,
    makes_eager_variables,
    resource_variables_enabled,
    with_variable_store,
)

_SCOPES = ("__varscope",)


def no_regularizer(_: Any) -> None:
    """A regularizer that keeps the one of the scope away: gives no loss."""
    return None


class VariableScope:
    """What a variable scope presets for `get_variable`.

    Args:
        reuse: True to share variables only, AUTO_REUSE to share or make them, None or False to make them.
        name: the prefix of variable names.
        initializer, regularizer, caching_device, partitioner, custom_getter, dtype, use_resource, constraint: defaults
            for the arguments of `get_variable`.
        name_scope: the name scope it was opened with.
    """

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: Any = float32,
        use_resource: bool | None = None,
        constraint: Any = None,
    ) -> None:
        self._name = name
        self._initializer = initializer
        self._regularizer = regularizer
        self._reuse = reuse
        self._caching_device = caching_device
        self._partitioner = partitioner
        self._custom_getter = custom_getter
        self._name_scope = name_scope
        self._dtype = dtype
        self._use_resource = use_resource
        self._constraint = constraint

    @property
    def name(self) -> str:
        """The prefix of variable names."""
        return self._name

    @property
    def original_name_scope(self) -> str:
        """The name scope it was first opened with, with a slash at the end."""
        return self._name_scope

    @property
    def reuse(self) -> Any:
        """Whether variables are shared."""
        return self._reuse

    @property
    def initializer(self) -> Any:
        """The default initializer."""
        return self._initializer

    @property
    def dtype(self) -> Any:
        """The default element type."""
        return self._dtype

    @property
    def use_resource(self) -> bool | None:
        """Whether resource variables are made; None where nothing says so."""
        return self._use_resource

    @property
    def regularizer(self) -> Any:
        """The default regularizer."""
        return self._regularizer

    @property
    def caching_device(self) -> Any:
        """The default caching device."""
        return self._caching_device

    @property
    def partitioner(self) -> Any:
        """The default partitioner."""
        return self._partitioner

    @property
    def custom_getter(self) -> Any:
        """The default custom getter."""
        return self._custom_getter

    @property
    def constraint(self) -> Any:
        """The default constraint."""
        return self._constraint

    def reuse_variables(self) -> None:
        """From here on variables of this scope are shared, not made."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Sets the default initializer."""
        self._initializer = initializer

    def set_dtype(self, dtype: Any) -> None:
        """Sets the default element type."""
        self._dtype = dtype

    def set_use_resource(self, use_resource: bool | None) -> None:
        """Sets whether resource variables are made."""
        self._use_resource = use_resource

    def set_regularizer(self, regularizer: Any) -> None:
        """Sets the default regularizer."""
        self._regularizer = regularizer

    def set_caching_device(self, caching_device: Any) -> None:
        """Sets the default caching device."""
        self._caching_device = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        """Sets the default partitioner."""
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Sets the default custom getter."""
        self._custom_getter = custom_getter

    def get_collection(self, name: Any) -> list[Any]:
        """The items of a collection that are of this scope."""
        return get_collection(name, self._name + "/" if self._name else "")

    def trainable_variables(self) -> list[Any]:
        """The trainable variables of this scope."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        """The global variables of this scope."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        """The local variables of this scope."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def get_variable(
        self,
        var_store: VariableStore,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        custom_getter: Any = None,
        constraint: Any = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
    ) -> Any:
        """The variable `name` of this scope, found in `var_store` or made; arguments as in `tf.get_variable`."""
        # Names come from variable scopes only.
        with name_scope(None):
            if dtype is not None and initializer is not None and not callable(initializer):
                found = convert_to_tensor(initializer).dtype.base_dtype
                if found != dtype:
                    raise ValueError(f"Initializer type '{found!s}' and explicit dtype '{dtype!s}' don't match.")
            return var_store.get_variable(
                f"{self.name}/{name}" if self.name else name,
                shape=shape,
                dtype=_first(dtype, self._dtype),
                initializer=_first(initializer, self._initializer),
                regularizer=_first(regularizer, self._regularizer),
                # Eager variables are found again in stores that keep them only, whatever the scope says.
                reuse=reuse if makes_eager_variables() else _first(reuse, self._reuse),
                trainable=trainable,
                collections=collections,
                caching_device=_first(caching_device, self._caching_device),
                partitioner=_first(partitioner, self._partitioner),
                validate_shape=validate_shape,
                use_resource=_first(use_resource, self._use_resource),
                custom_getter=_first(custom_getter, self._custom_getter),
                constraint=_first(constraint, self._constraint),
                synchronization=synchronization,
                aggregation=aggregation,
            )


def _first(given: Any, preset: Any) -> Any:
    return preset if given is None else given


class _ScopeStore(threading.local):
    """The open scope of each thread, and how often scopes of each name have been opened."""

    def __init__(self) -> None:
        self.current_scope = VariableScope(False)
        self.variable_scopes_count: dict[str, int] = {}

    def open_variable_scope(self, name: str) -> None:
        self.variable_scopes_count[name] = self.variable_scopes_count.get(name, 0) + 1

    def close_variable_subscopes(self, name: str | None) -> None:
        for key in self.variable_scopes_count:
            if name is None or key.startswith(name + "/"):
                self.variable_scopes_count[key] = 0

    def variable_scope_count(self, name: str) -> int:
        return self.variable_scopes_count.get(name, 0)


def get_variable_scope_store() -> _ScopeStore:
    """What the default graph keeps of open scopes."""
    kept = get_default_graph().get_collection_ref(_SCOPES)
    if not kept:
        kept.append(_ScopeStore())
    return kept[0]


def get_variable_scope() -> VariableScope:
    """The variable scope that is open."""
    return get_variable_scope_store().current_scope


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
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
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = False,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
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


def get_partitioned_variable(name: str | None, partitioner: Any, **settings: Any) -> Any:
    """The partitioned variable of this name in the open scope, whose own name stands in where `name` is None.

    Raises:
        ValueError: if the scope has a custom getter, or there is no partitioner.
    """
    scope = get_variable_scope()
    if scope.custom_getter is not None:
        raise ValueError(
            "Private access to _get_partitioned_variable is not allowed when a custom getter is set.  Current custom "
            f"getter: {scope.custom_getter}.  It is likely that you're using create_partitioned_variables.  If so, consider "
            "instead using get_variable with a non-empty partitioner parameter instead."
        )
    partitioner = _first(partitioner, scope.partitioner)
    if partitioner is None:
        raise ValueError("No partitioner was specified")
    for key in ("initializer", "regularizer", "constraint", "caching_device", "dtype", "use_resource"):
        settings[key] = _first(settings.get(key), getattr(scope, key))
    full_name = "/".join(part for part in (scope.name, name) if part)
    with name_scope(None):
        return get_default_variable_store()._get_partitioned_variable(
            name=full_name, partitioner=partitioner, reuse=scope.reuse, **settings
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


def _chained(custom_getter: Any, outer: Any) -> Any:
    """A custom getter whose true getter is the outer scope's."""
    if outer is None:
        return custom_getter

    def chained(getter: Any, *args: Any, **kwargs: Any) -> Any:
        return custom_getter(functools.partial(outer, getter), *args, **kwargs)

    return chained


class _PureVariableScope:
    """A variable scope without the name scope."""

    def __init__(
        self, name_or_scope: Any, reuse: Any, old_name_scope: str | None, constraint: Any, **presets: Any
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

    def _inheriting(self, outer: VariableScope, name: str, reuse: Any, scope: str) -> VariableScope:
        values = {
            key: _first(given, getattr(outer, key)) for key, given in self._presets.items() if key != "custom_getter"
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
    name_or_scope: Any,
    reuse: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    old_name_scope: str | None = None,
    dtype: Any = float32,
    use_resource: bool | None = None,
    constraint: Any = None,
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
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: bool | None = None,
        constraint: Any = None,
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
            entered = self._enter_again(exits) if self._pure is not None else self._enter_first(exits)
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

    def _enter_first(self, exits: contextlib.ExitStack) -> VariableScope:
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
        wanted = self._default_name if current is None else current
        opened = exits.enter_context(name_scope(wanted))
        self._scope_name = wanted
        unique = _unique_scope_name(self._default_name or "")
        return self._enter_pure(exits, unique, None, opened)

    def _enter_pure(
        self, exits: contextlib.ExitStack, name_or_scope: Any, reuse: Any, old_name_scope: str | None
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
    values: Any,
    name_or_scope: Any,
    default_name: str | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: Any = None,
    use_resource: bool | None = None,
    constraint: Any = None,
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
