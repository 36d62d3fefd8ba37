"""Which variable scope is open, and what it presets for the variables made in it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_collection, get_default_graph, name_scope
from headrace.core.dtypes import float32
from headrace.core.eager import executing_eagerly
from headrace.state.modes import AUTO_REUSE, VariableAggregation, VariableSynchronization
from headrace.state.scoping import makes_eager_variables

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
    from headrace.state.variable_store import VariableStore

_SCOPES = ("__varscope",)


def no_regularizer(_: Variable) -> None:
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
        reuse: bool | _ReuseMode | None,
        name: str = "",
        initializer: InitializerLike | None = None,
        regularizer: Regularizer | None = None,
        caching_device: Callable[..., Any] | None = None,
        partitioner: Partitioner | None = None,
        custom_getter: VariableGetter | None = None,
        name_scope: str = "",
        dtype: DTypeLike = float32,
        use_resource: bool | None = None,
        constraint: Constraint | None = None,
    ) -> None:
        if executing_eagerly():
            # Programs that read it shall neither expect variables to be there already, nor that they are new.
            reuse, use_resource = AUTO_REUSE, True
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
    def regularizer(self) -> Callable[..., Any] | None:
        """The default regularizer."""
        return self._regularizer

    @property
    def caching_device(self) -> Callable[..., Any] | None:
        """The default caching device."""
        return self._caching_device

    @property
    def partitioner(self) -> Callable[..., Any] | None:
        """The default partitioner."""
        return self._partitioner

    @property
    def custom_getter(self) -> Callable[..., Any] | None:
        """The default custom getter."""
        return self._custom_getter

    @property
    def constraint(self) -> Any:
        """The default constraint."""
        return self._constraint

    def reuse_variables(self) -> None:
        """From here on variables of this scope are shared, not made."""
        self._reuse = True

    def set_initializer(self, initializer: InitializerLike) -> None:
        """Sets the default initializer."""
        self._initializer = initializer

    def set_dtype(self, dtype: DTypeLike) -> None:
        """Sets the default element type."""
        self._dtype = dtype

    def set_use_resource(self, use_resource: bool | None) -> None:
        """Sets whether resource variables are made.

        Raises:
            ValueError: eagerly, where there are no others.
        """
        if not use_resource and executing_eagerly():
            raise ValueError(
                f"set_use_resource: variables are resource variables where operations run eagerly, got {use_resource}."
            )
        self._use_resource = use_resource

    def set_regularizer(self, regularizer: Regularizer) -> None:
        """Sets the default regularizer."""
        self._regularizer = regularizer

    def set_caching_device(self, caching_device: Callable[..., Any] | None) -> None:
        """Sets the default caching device.

        Raises:
            NotImplementedError: eagerly, where what is read is where it is read.
        """
        if executing_eagerly():
            raise NotImplementedError(
                "set_caching_device: reads are not kept on a device where operations run eagerly; use tf.device."
            )
        self._caching_device = caching_device

    def set_partitioner(self, partitioner: Partitioner | None) -> None:
        """Sets the default partitioner."""
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter: VariableGetter) -> None:
        """Sets the default custom getter."""
        self._custom_getter = custom_getter

    def get_collection(self, name: str) -> list[Any]:
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
        shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        initializer: InitializerLike | TensorLike | None = None,
        regularizer: Regularizer | None = None,
        reuse: bool | _ReuseMode | None = None,
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
        """The variable `name` of this scope, found in `var_store` or made; arguments as in `tf.get_variable`."""
        # Names come from variable scopes only.
        with name_scope(None):
            if dtype is not None and initializer is not None and not callable(initializer):
                found = convert_to_tensor(initializer).dtype.base_dtype
                if found != dtype:
                    raise ValueError(f"Initializer type '{found!s}' and explicit dtype '{dtype!s}' don't match.")
            return var_store.get_variable(
                # What is no text is refused where the two are joined.
                self.name + "/" + name if self.name else name,
                shape=shape,
                dtype=first_given(dtype, self._dtype),
                initializer=first_given(initializer, self._initializer),
                regularizer=first_given(regularizer, self._regularizer),
                # Eager variables are found again in stores that keep them only, whatever the scope says.
                reuse=reuse if makes_eager_variables() else first_given(reuse, self._reuse),
                trainable=trainable,
                collections=collections,
                caching_device=first_given(caching_device, self._caching_device),
                partitioner=first_given(partitioner, self._partitioner),
                validate_shape=validate_shape,
                use_resource=first_given(use_resource, self._use_resource),
                custom_getter=first_given(custom_getter, self._custom_getter),
                constraint=first_given(constraint, self._constraint),
                synchronization=synchronization,
                aggregation=aggregation,
            )


def first_given(given: object, preset: object) -> Any:
    return preset if given is None else given


class ScopeStore(threading.local):
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


def get_variable_scope_store() -> ScopeStore:
    """What the default graph keeps of open scopes."""
    kept = get_default_graph().get_collection_ref(_SCOPES)
    if not kept:
        kept.append(ScopeStore())
    return kept[0]


def get_variable_scope() -> VariableScope:
    """The variable scope that is open."""
    return get_variable_scope_store().current_scope
