"""`tf.Variable`: what both kinds of variable are to a program, and which kind it gets."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_default_graph, get_default_session
from headrace.core.dtypes import DType
from headrace.core.eager import executing_eagerly
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Reference, Tensor
from headrace.functions.array.brackets import slice_helper_var
from headrace.functions.flow.cond import cond
from headrace.messages import protos
from headrace.state import slice_info
from headrace.state.current_scope import get_variable_scope
from headrace.state.modes import (
    VariableAggregation,
    VariableSynchronization,
    resource_variables_enabled,
    validate_synchronization_aggregation_trainable,
)
from headrace.state.scoping import creators_of, init_scope, makes_eager_variables
from headrace.state.slice_info import prepend_name_scope, strip_name_scope
from headrace.state.sparse_updates import SparseUpdates
from headrace.state.updates import is_variable_initialized

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import CollectionNames, Constraint, DTypeLike, SessionLike, ShapeLike, TensorLike


# The class of variables reached by reference (False) and of those reached by a resource handle (True); each enters itself.
_kinds: dict[bool, type[Variable]] = {}


def created_variable(create: Callable[..., Any], **kwargs: Any) -> Variable:
    """What the variable creators in force make, the innermost of which calls `create`."""
    for creator in creators_of(get_default_graph()).stack:
        create = functools.partial(creator, create)
    return create(**kwargs)


class VariableMetaclass(type):
    """Makes `tf.Variable(...)` the kind of variable that scopes and creators ask for."""

    def _variable_v1_call(
        cls,
        initial_value: TensorLike | Callable[..., Any] | None = None,
        trainable: bool | None = None,
        collections: CollectionNames | None = None,
        validate_shape: bool = True,
        caching_device: Callable[..., Any] | None = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: DTypeLike | None = None,
        expected_shape: Any = None,
        import_scope: str | None = None,
        constraint: Constraint | None = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: int | VariableAggregation = VariableAggregation.NONE,
        shape: ShapeLike | None = None,
    ) -> Variable:
        return created_variable(
            default_variable_creator,
            initial_value=initial_value,
            trainable=trainable,
            collections=collections,
            validate_shape=validate_shape,
            caching_device=caching_device,
            name=name,
            variable_def=variable_def,
            dtype=dtype,
            expected_shape=expected_shape,
            import_scope=import_scope,
            constraint=constraint,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=VariableAggregation.NONE if aggregation is None else aggregation,
            shape=shape,
        )

    def __call__(cls, *args: Any, **kwargs: Any) -> Variable:
        if cls is Variable:
            return cls._variable_v1_call(*args, **kwargs)
        return super().__call__(*args, **kwargs)

    @property
    def __signature__(cls) -> inspect.Signature | None:
        # What `help` shows, and editors; a kind's own is found by Python.
        return inspect.signature(cls._variable_v1_call) if cls is Variable else None


class _ResourceOnly:
    """A method of variables that only resource variables have."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, variable: Variable | None, owner: type) -> _ResourceOnly:
        if variable is None:
            return self
        raise AttributeError(
            f"{type(variable).__name__} {variable.name!r} has no {self._name}: use tf.gather or tf.gather_nd, or make it "
            "with use_resource=True."
        )


class Variable(SparseUpdates, metaclass=VariableMetaclass):
    """State that a session keeps between runs, with an initial value.

    Args:
        initial_value: what converts to a tensor, or a function without arguments that returns it.
        trainable: whether optimizers train it: whether it is in `GraphKeys.TRAINABLE_VARIABLES`. True by default.
        collections: names of the collections it joins; `[GraphKeys.GLOBAL_VARIABLES]` by default.
        validate_shape: False allows an initial value of unknown shape, and other shapes to be assigned.
        caching_device: a device on which reads are kept, or a function of the operation.
        name: its name; "Variable" by default, made unique.
        variable_def: a `VariableDef` of a variable whose operations exist in the graph, instead of all else.
        dtype: the element type; that of the initial value by default.
        expected_shape: an older name, which has no effect.
        import_scope: a name scope to put before the names in `variable_def`.
        constraint: a function from the variable to what optimizers leave it as after an update.
        use_resource: True makes a resource variable, False a reference variable; by default the scope decides.
        synchronization, aggregation: for several replicas; see `VariableSynchronization`.
        shape: its shape where that is not the initial value's.

    Raises:
        ValueError: if the initial value is missing or of unknown shape, or another argument does not fit.

    Example:
        >>> w = tf.Variable(tf.zeros([784, 10]), name="weights")
        >>> w
        <tf.Variable 'weights:0' shape=(784, 10) dtype=float32_ref>
    """

    SaveSliceInfo = slice_info.SaveSliceInfo
    # NumPy's binary operators step back, so that `array + variable` reaches __radd__.
    __array_priority__ = 100

    _initializer_op: Any
    _initial_value: Any
    _trainable: bool
    _synchronization: VariableSynchronization
    _aggregation: VariableAggregation
    _constraint: Callable[..., Any] | None
    _save_slice_info: slice_info.SaveSliceInfo | None = None
    _in_graph_mode = True
    # The distribution strategy in whose scope it was made.
    _distribute_strategy: Any = None

    def __init_subclass__(cls, is_resource: bool | None = None, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if is_resource is not None:
            _kinds[is_resource] = cls

    if TYPE_CHECKING:
        # Calling the class makes one of the kinds, through its metaclass.
        def __init__(self, *args: Any, **kwargs: Any) -> None: ...

        # `_OverloadAllOperators` installs these.
        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __rfloordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __rmod__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __rmatmul__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __xor__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...

    # ---- what a kind provides ----

    def value(self) -> Tensor:
        """Its value as a tensor."""
        raise NotImplementedError

    def read_value(self) -> Tensor:
        """Its value, read where the program stands: after the control dependencies in force."""
        raise NotImplementedError

    def set_shape(self, shape: Sequence[float]) -> None:
        """Says that its shape is `shape`, where that is more than is known."""
        raise NotImplementedError

    def assign(self, value: object, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Gives it a new value."""
        raise NotImplementedError

    def assign_add(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Adds `delta` to it."""
        raise NotImplementedError

    def assign_sub(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtracts `delta` from it."""
        raise NotImplementedError

    def count_up_to(self, limit: int) -> Tensor:
        """Adds 1 to it until it is `limit`."""
        raise NotImplementedError

    # What only resource variables have; who asks whether a variable has it must hear no.
    sparse_read: Any = _ResourceOnly()
    gather_nd: Any = _ResourceOnly()

    def _as_graph_element(self) -> Tensor:
        raise NotImplementedError

    @property
    def name(self) -> str:
        """The name of the tensor that stands for it, "w:0"."""
        raise NotImplementedError

    @property
    def op(self) -> Operation:
        """The operation that holds it."""
        raise NotImplementedError

    @property
    def dtype(self) -> DType:
        """The element type; that of a reference for reference variables."""
        raise NotImplementedError

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        raise NotImplementedError

    # ---- what both have ----

    def __repr__(self) -> str:
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def get_shape(self) -> TensorShape:
        """The static shape (same as `shape`)."""
        return self.shape

    @property
    def graph(self) -> Graph:
        """The graph it is in."""
        return self.op.graph

    @property
    def _graph_key(self) -> Graph:
        return self.graph

    @property
    def device(self) -> str:
        """The device it was asked to be on, or ''."""
        return self.op.device

    @property
    def initializer(self) -> Operation:
        """The operation that gives it its initial value."""
        return self._initializer_op

    @property
    def initial_value(self) -> Tensor:
        """The tensor of the initial value."""
        return self._initial_value

    @property
    def trainable(self) -> bool:
        """Whether optimizers train it by default."""
        return self._trainable

    @property
    def synchronization(self) -> VariableSynchronization:
        """When replicas are brought in step."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """How updates of replicas are put together."""
        return self._aggregation

    @property
    def constraint(self) -> Any:
        """The function that projects it after updates, or None."""
        return self._constraint

    @property
    def _shared_name(self) -> str:
        return self.name[: self.name.index(":")]

    def initialized_value(self) -> Tensor:
        """Its value if it has one when run, else its initial value."""
        with init_scope():
            return cond(is_variable_initialized(self), self.read_value, lambda: self.initial_value)

    def load(self, value: TensorLike, session: SessionLike | None = None) -> None:
        """Gives it a new value in `session` or the default session, without adding operations.

        Raises:
            ValueError: if there is no session, or the shape does not fit.
        """
        session = session or get_default_session()
        if session is None:
            raise ValueError("Either session argument should be provided or default session should be established")
        session.run(self.initializer, {self.initializer.inputs[1]: value})

    def eval(self, session: SessionLike | None = None) -> np.ndarray:
        """Its value in `session` or the default session, as a NumPy array."""
        return self._as_graph_element().eval(session=session)

    def _get_save_slice_info(self) -> slice_info.SaveSliceInfo | None:
        return self._save_slice_info

    def _set_save_slice_info(self, save_slice_info: slice_info.SaveSliceInfo | None) -> None:
        self._save_slice_info = save_slice_info

    def experimental_ref(self) -> Reference:
        """A hashable reference to this variable."""
        return Reference(self)

    def _strided_slice_assign(self, **parts: Any) -> Any:
        raise NotImplementedError

    def __getitem__(self, slice_spec: object) -> Tensor:
        return slice_helper_var(self, slice_spec)

    def __iter__(self) -> Any:
        raise TypeError("'Variable' object is not iterable.")

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __copy__(self) -> Variable:
        return self

    @classmethod
    def _OverloadAllOperators(cls) -> None:
        """Gives variables the operators of the tensor of their value."""
        for operator in sorted(Tensor.OVERLOADABLE_OPERATORS - {"__eq__", "__ne__", "__getitem__"}):
            setattr(cls, operator, _operator_of_value(operator))

    def to_proto(self, export_scope: str | None = None) -> Any:
        """It as a `VariableDef`; None if it is not below `export_scope`."""
        if executing_eagerly():
            raise RuntimeError("to_proto not supported in EAGER mode.")
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        found = protos.VariableDef(
            variable_name=strip_name_scope(self._holder().name, export_scope),
            initializer_name=strip_name_scope(self.initializer.name, export_scope),
            snapshot_name=strip_name_scope(self._snapshot_tensor().name, export_scope),
            trainable=self.trainable,
            synchronization=self.synchronization.value,
            aggregation=self.aggregation.value,
        )
        if self._initial_value is not None:
            found.initial_value_name = strip_name_scope(self._initial_value.name, export_scope)
        if self._save_slice_info is not None:
            found.save_slice_info_def.MergeFrom(self._save_slice_info.to_proto(export_scope))
        return found

    @staticmethod
    def from_proto(variable_def: protos.VariableDef, import_scope: str | None = None) -> Variable:
        """The variable of a `VariableDef` whose operations exist in the default graph."""
        if not isinstance(variable_def, protos.VariableDef):
            raise (AssertionError if variable_def else ValueError)(f"from_proto: {variable_def!r} is no VariableDef.")
        return _kinds[variable_def.is_resource](variable_def=variable_def, import_scope=import_scope)

    def _holder(self) -> Tensor:
        raise NotImplementedError

    def _snapshot_tensor(self) -> Tensor:
        raise NotImplementedError

    def _settings_from_proto(self, variable_def: Any, import_scope: str | None) -> Callable[[str], Any]:
        """Takes over what both kinds keep; returns the lookup of a name in the message."""
        graph = get_default_graph()

        def element(name: str) -> Operation | Tensor:
            return graph.as_graph_element(prepend_name_scope(name, import_scope))

        self._initializer_op = element(variable_def.initializer_name)
        named = variable_def.initial_value_name
        self._initial_value = element(named) if named else None
        self._synchronization, self._aggregation, self._trainable = validate_synchronization_aggregation_trainable(
            variable_def.synchronization, variable_def.aggregation, variable_def.trainable, variable_def.variable_name
        )
        self._save_slice_info = None
        if variable_def.HasField("save_slice_info_def"):
            self._save_slice_info = slice_info.SaveSliceInfo(
                save_slice_info_def=variable_def.save_slice_info_def, import_scope=import_scope
            )
        self._constraint = None
        return element

    def _settings_from_arguments(
        self,
        name: str | None,
        trainable: bool | None,
        collections: CollectionNames | None,
        constraint: Constraint | None,
        synchronization: VariableSynchronization | None,
        aggregation: int | VariableAggregation | None,
    ) -> list[Any]:
        """Checks and takes over what both kinds keep; returns the collections to join."""
        if collections is None:
            collections = [GraphKeys.GLOBAL_VARIABLES]
        if not isinstance(collections, (list, tuple, set)):
            raise ValueError(
                "collections argument to Variable constructor must be a list, tuple, or set. Got "
                f"{collections} of type {type(collections)}"
            )
        if constraint is not None and not callable(constraint):
            raise ValueError("The `constraint` argument must be a callable.")
        self._constraint = constraint
        self._synchronization, self._aggregation, self._trainable = validate_synchronization_aggregation_trainable(
            synchronization, aggregation, trainable, name
        )
        collections = list(collections)
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
            collections.append(GraphKeys.TRAINABLE_VARIABLES)
        return collections


def _operator_of_value(operator: str) -> Callable[..., Any]:
    def run(variable: Variable, *args: Any) -> Tensor:
        # Looked up when used: the families of ops define the operators of tensors.
        return getattr(Tensor, operator)(variable.value(), *args)

    run.__name__ = operator
    return run


Variable._OverloadAllOperators()
VariableV1 = Variable


def default_variable_creator(next_creator: Any = None, **kwargs: Any) -> Variable:
    """Makes the kind of variable that is asked for, by the argument, the variable scope or the default."""
    assert next_creator is None
    use_resource = kwargs.pop("use_resource", None)
    if use_resource is None:
        use_resource = get_variable_scope().use_resource
    if use_resource is None:
        use_resource = resource_variables_enabled()
    if use_resource or makes_eager_variables():
        kwargs.pop("expected_shape", None)
        return _kinds[True](**kwargs)
    kwargs.pop("distribute_strategy", None)
    return _kinds[False](**kwargs)


def default_variable_creator_v2(next_creator: Any = None, **kwargs: Any) -> Variable:
    """Makes a resource variable, in the collections of all variables whatever creators ask for: 2.0 knows no others.

    So the parts of what a strategy makes of it are in `GLOBAL_VARIABLES` too, and in checkpoints.
    """
    assert next_creator is None
    for earlier in ("collections", "expected_shape", "use_resource"):
        kwargs.pop(earlier, None)
    return _kinds[True](**kwargs)


def check_outside_of_branches(initial_value: Tensor, name: str) -> None:
    """Raises ValueError if the initial value is made inside a branch or loop, where it may not exist."""
    if initial_value.op._get_control_flow_context() is not None:
        raise ValueError(
            f"Initializer for variable {name} is from inside a control-flow construct, such as a loop or conditional. "
            "When creating a variable inside a loop or conditional, use a lambda as the initializer."
        )
