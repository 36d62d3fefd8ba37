"""Variables reached by a reference: the kind that `tf.Variable` makes by default."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor, register_tensor_conversion_function
from headrace.core.defaults import colocate_with, device, get_default_graph, name_scope
from headrace.core.dims import is_fully_defined
from headrace.core.dtypes import DType
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.tensor import Tensor
from headrace.state.initial_values import try_guard_against_uninitialized_dependencies
from headrace.state.scoping import init_scope, name_from_scope_name
from headrace.state.variable_class import Variable, check_outside_of_branches

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames, Constraint, DTypeLike, ShapeLike, TensorLike
    from headrace.messages import protos
    from headrace.state.modes import VariableAggregation, VariableSynchronization


def variable_op_v2(
    shape: ShapeLike | None, dtype: DTypeLike, name: str = "Variable", container: str = "", shared_name: str = ""
) -> Tensor:
    """The operation of a reference variable, without an initializer.

    Args:
        shape: its shape; None leaves it open.
        dtype: its element type.
        name: its name.
        container, shared_name: where and under which name a session keeps it.
    """
    return raw.VariableV2(
        shape=as_dims(shape),
        dtype=dtype,
        name=name,
        container=container or get_default_graph()._container,
        shared_name=shared_name,
    )


class RefVariable(Variable, is_resource=False):
    """A variable that operations change through a reference to it: the kind `tf.Variable` makes by default."""

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: CollectionNames | None = None,
        validate_shape: bool = True,
        caching_device: Callable[..., Any] | None = None,
        name: str | None = None,
        variable_def: protos.VariableDef | None = None,
        dtype: DTypeLike | None = None,
        expected_shape: Any = None,
        import_scope: str | None = None,
        constraint: Constraint | None = None,
        synchronization: VariableSynchronization | None = None,
        aggregation: int | VariableAggregation | None = None,
        shape: ShapeLike | None = None,
    ) -> None:
        if variable_def is not None:
            if initial_value is not None:
                raise ValueError("variable_def and initial_value are mutually exclusive.")
            element = self._settings_from_proto(variable_def, import_scope)
            self._variable: Tensor = element(variable_def.variable_name)
            self._snapshot: Tensor = element(variable_def.snapshot_name)
            self._caching_device = None
            return
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        collections = self._settings_from_arguments(
            name, trainable, collections, constraint, synchronization, aggregation
        )
        from_function = callable(initial_value)
        with init_scope(), name_scope(name, "Variable", [] if from_function else [initial_value]) as scope:
            if from_function:
                # Colocated with a variable that does not exist yet.
                with get_default_graph()._attr_scope_of({"_class": [f"loc:@{name_from_scope_name(scope)}"]}):
                    with name_scope("Initializer"), device(None):
                        tensor = convert_to_tensor(initial_value(), dtype, name="initial_value")
                    self._make_op(tensor, shape, validate_shape, scope)
            else:
                tensor = convert_to_tensor(initial_value, dtype, name="initial_value")
                check_outside_of_branches(tensor, scope)
                self._make_op(tensor, shape, validate_shape, scope)
            if validate_shape and not is_fully_defined(tensor.dims):
                raise ValueError(f"initial_value must have a shape specified: {tensor}")
            self._initial_value = tensor
            self._initializer_op = raw.Assign(
                self._variable,
                try_guard_against_uninitialized_dependencies(scope, tensor),
                validate_shape=validate_shape,
            ).op
            self._initializer_op._in_program_order = True
            with device(caching_device) if caching_device is not None else colocate_with(self._variable.op):
                self._snapshot = raw.Identity(self._variable, name="read")
        get_default_graph().add_to_collections(collections, self)
        self._caching_device = caching_device

    def _make_op(self, tensor: Tensor, shape: ShapeLike, validate_shape: bool, scope: str) -> None:
        if shape is None:
            shape = tensor.dims if validate_shape else None
        self._variable = variable_op_v2(shape, tensor.dtype.base_dtype, scope)

    def _as_graph_element(self) -> Tensor:
        return self._variable

    def _holder(self) -> Tensor:
        return self._variable

    def _snapshot_tensor(self) -> Tensor:
        return self._snapshot

    def _ref(self) -> Tensor:
        return self._variable

    def value(self) -> Tensor:
        """The tensor "w/read" that reads it."""
        return self._snapshot

    def read_value(self) -> Tensor:
        """Its value, read by a new operation where the program stands."""
        return raw.Identity(self._variable, name="read")

    def set_shape(self, shape: Sequence[float]) -> None:
        """Adds what `shape` knows to the static shape."""
        self._variable.set_shape(shape)
        self._snapshot.set_shape(shape)

    @property
    def name(self) -> str:
        """The name of its reference, "w:0"."""
        return self._variable.name

    @property
    def op(self) -> Operation:
        """The operation that holds it."""
        return self._variable.op

    @property
    def dtype(self) -> DType:
        """The type of its reference; `.base_dtype` is that of its elements."""
        return self._variable.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._variable.shape

    def is_initialized(self, name: str | None = None) -> Tensor:
        """A scalar bool: whether it has a value."""
        return raw.IsVariableInitialized(self._variable, name=name)

    def assign(self, value: object, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Gives it a new value.

        Args:
            value: a tensor of its type and shape.
            use_locking: whether to lock it meanwhile.
            name: a name for the operation.
            read_value: whether to return the new value, rather than the operation.

        Example:
            >>> sess.run(w.assign(w * 2.0))
        """
        result = raw.Assign(self._variable, value, use_locking=use_locking, validate_shape=True, name=name)
        return result if read_value else result.op

    def assign_add(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Tensor:
        """Adds `delta` to it; arguments as in `assign`."""
        result = raw.AssignAdd(self._variable, delta, use_locking=use_locking, name=name)
        return result if read_value else result.op

    def assign_sub(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Tensor:
        """Takes `delta` from it; arguments as in `assign`."""
        result = raw.AssignSub(self._variable, delta, use_locking=use_locking, name=name)
        return result if read_value else result.op

    def _scatter_rows(self, kind: str, indices: Any, updates: Any, use_locking: bool, name: str | None) -> Tensor:
        apply = getattr(raw, f"Scatter{kind}")
        return apply(self._variable, indices, updates, use_locking=use_locking, name=name)

    def _scatter_slices(self, kind: str, indices: Any, updates: Any, name: str | None) -> Tensor:
        return getattr(raw, f"ScatterNd{kind}")(self._variable, indices, updates, use_locking=True, name=name)

    def _strided_slice_assign(self, **parts: Any) -> Tensor:
        return raw.StridedSliceAssign(ref=self._variable, **parts)

    def count_up_to(self, limit: int) -> Tensor:
        """Adds 1 and gives the value before; OutOfRangeError when run at `limit`."""
        return raw.CountUpTo(self._variable, limit=limit)

    # The in-place operators give a new tensor, as they always did for this kind.

    def __iadd__(self, other: Any) -> Any:
        return self + other

    def __isub__(self, other: Any) -> Any:
        return self - other

    def __imul__(self, other: Any) -> Any:
        return self * other

    def __itruediv__(self, other: Any) -> Any:
        return self / other

    def __ipow__(self, other: Any) -> Any:
        return self**other


def _ref_variable_to_tensor(
    variable: RefVariable, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    if dtype is not None and not dtype.is_compatible_with(variable.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type '{variable.dtype.name}'"
        )
    return variable._ref() if as_ref else variable.value()


register_tensor_conversion_function(RefVariable, _ref_variable_to_tensor)
