"""`tf.compat.v2.Variable`: `tf.Variable` as TensorFlow 2 has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.state import variables
from headrace.state.modes import VariableAggregation, VariableSynchronization
from headrace.state.variable_class import created_variable, default_variable_creator_v2

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import Constraint, ShapeLike, TensorLike


class _Metaclass(type):
    def __call__(
        cls,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: str | Callable[..., Any] | None = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: DType | None = None,
        import_scope: str | None = None,
        constraint: Constraint | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: ShapeLike | None = None,
    ) -> Any:
        return created_variable(
            default_variable_creator_v2,
            initial_value=initial_value,
            trainable=trainable,
            validate_shape=validate_shape,
            caching_device=caching_device,
            name=name,
            variable_def=variable_def,
            dtype=dtype,
            import_scope=import_scope,
            constraint=constraint,
            synchronization=synchronization,
            aggregation=VariableAggregation.NONE if aggregation is None else aggregation,
            shape=shape,
        )

    def __getattr__(cls, name: str) -> Callable[..., Any]:
        # The methods are those of the variables it makes.
        return getattr(variables.Variable, name)

    def __dir__(cls) -> list[str]:
        return sorted({*super().__dir__(), *dir(variables.Variable)})

    def __instancecheck__(cls, instance: TensorLike) -> bool:
        return isinstance(instance, variables.Variable)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, variables.Variable)


class Variable(metaclass=_Metaclass):
    """Makes a resource variable; every variable is an instance of it.

    Args:
        initial_value, trainable, validate_shape, caching_device, name, variable_def, dtype, import_scope, constraint,
            synchronization, aggregation, shape: as for `tf.Variable`, in another order.

    Raises:
        ValueError: as for `tf.Variable`.

    Example:
        >>> tf.compat.v2.Variable(1.0, name="v")
        <tf.Variable 'v:0' shape=() dtype=float32>
    """

    SaveSliceInfo = variables.Variable.SaveSliceInfo

    if TYPE_CHECKING:
        # Calling the class makes a resource variable, through its metaclass.
        def __init__(self, *args: Any, **kwargs: Any) -> None: ...


class _InternalMetaclass(_Metaclass):
    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        # The third argument is `collections` before 1.13 and `validate_shape` since.
        third = args[2] if len(args) > 2 else True
        if not isinstance(third, bool) or not _EARLIER.isdisjoint(kwargs):
            return variables.Variable(*args, **kwargs)
        return super().__call__(*args, **kwargs)


# What only `tf.Variable` of 1.x takes.
_EARLIER = frozenset({"collections", "expected_shape", "use_resource"})


class InternalVariable(metaclass=_InternalMetaclass):
    """`Variable` of TensorFlow's internal module `ops.variables`: that of 2.0 since 1.13, that of 1.x before.

    What is called as before 1.13 makes what `tf.Variable` makes, everything else a resource variable. Every variable
    is an instance.

    Args:
        as of `Variable`, or of `tf.Variable`.

    Example:
        >>> from headrace.python.ops import variables
        >>> isinstance(tf.Variable(1.0), variables.Variable)
        True
    """

    SaveSliceInfo = variables.Variable.SaveSliceInfo
