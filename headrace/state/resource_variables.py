"""Resource variables: how they are made, in graphs and eagerly, and read from messages."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, device, get_default_graph, name_scope
from headrace.core.dims import compatible_dims
from headrace.core.eager import executing_eagerly
from headrace.core.framework_ops import uid
from headrace.core.graph_scopes import VALID_OP_NAME
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, as_dims
from headrace.state.initial_values import try_guard_against_uninitialized_dependencies
from headrace.state.resource_variable_class import BaseResourceVariable
from headrace.state.scoping import init_scope, name_from_scope_name
from headrace.state.variable_class import check_outside_of_branches

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames, Constraint, DTypeLike, ShapeLike
    from headrace.messages import protos
    from headrace.state.modes import VariableAggregation, VariableSynchronization


# Called with each variable that is made outside of all graphs.
called_when_made: list[Callable[[ResourceVariable], None]] = []


class ResourceVariable(BaseResourceVariable, is_resource=True):
    """A variable reached by a resource handle; arguments as those of `tf.Variable`.

    Example:
        >>> tf.Variable(1.0, use_resource=True, name="v")
        <tf.Variable 'v:0' shape=() dtype=float32>
    """

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: CollectionNames | None = None,
        validate_shape: bool = True,
        caching_device: Callable[..., Any] | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        variable_def: protos.VariableDef | None = None,
        import_scope: str | None = None,
        constraint: Constraint | None = None,
        distribute_strategy: Any = None,
        synchronization: VariableSynchronization | None = None,
        aggregation: VariableAggregation | None = None,
        shape: Any = None,
    ) -> None:
        self._distribute_strategy = distribute_strategy
        if variable_def is not None:
            if initial_value is not None:
                raise ValueError("variable_def and initial_value are mutually exclusive.")
            self._init_from_proto(variable_def, import_scope)
            return
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        collections = self._settings_from_arguments(
            name, trainable, collections, constraint, synchronization, aggregation
        )
        from_function = callable(initial_value)
        graph = get_default_graph()
        with init_scope(), name_scope(name, "Variable", [] if from_function else [initial_value]) as scope:
            graph = get_default_graph()
            handle_name = name_from_scope_name(scope)
            if executing_eagerly():
                self._begin_now(initial_value() if from_function else initial_value, dtype, shape, handle_name)
                # Programs keep eager variables themselves; all but the step, which is looked for.
                if GraphKeys.GLOBAL_STEP in collections:
                    graph.add_to_collection(GraphKeys.GLOBAL_STEP, self)
                return
            # Colocated with a variable that does not exist yet.
            with graph._attr_scope_of({"_class": [f"loc:@{handle_name}"]}):
                with name_scope("Initializer"), device(None):
                    tensor = convert_to_tensor(
                        initial_value() if from_function else initial_value, dtype, name="initial_value"
                    )
                dims = tensor.dims if shape is None else as_dims(shape)
                if not compatible_dims(dims, tensor.dims):
                    raise ValueError(
                        f"The initial value's shape ({tensor.shape}) is not compatible with the explicitly supplied "
                        f"`shape` argument ({shape})."
                    )
                self._dtype = tensor.dtype.base_dtype
                self._shape = TensorShape.from_dims(dims)
                self._handle = raw.VarHandleOp(
                    shape=dims, dtype=self._dtype, shared_name=handle_name, name=scope, container=graph._container
                )
                self._handle_name = self._handle.name
                # Tapes ask handles for their variables.
                self._handle._variable = weakref.ref(self)
            check_outside_of_branches(tensor, scope)
            self._initial_value = tensor
            with name_scope("IsInitialized"):
                self._is_initialized_op = raw.VarIsInitializedOp(self._handle)
            elsewhere = colocate_with(None, ignore_existing=True)
            with name_scope("Assign") as assign_name, elsewhere, device(self._handle.device):
                self._initializer_op = raw.AssignVariableOp(
                    self._handle, try_guard_against_uninitialized_dependencies(scope, tensor), name=assign_name
                )
                self._initializer_op._in_program_order = True
            with name_scope("Read"):
                with device(self._handle.device):
                    self._graph_element = self._read_variable_op()
                if caching_device is not None:
                    with colocate_with(None, ignore_existing=True), device(caching_device):
                        self._cached_value = raw.Identity(self._graph_element)
            graph.add_to_collections(collections, self)

    def _begin_now(self, initial_value: Any, dtype: DTypeLike | None, shape: ShapeLike | None, name: str) -> None:
        """Makes it with its value, outside of all graphs."""
        tensor = convert_to_tensor(initial_value, dtype, name="initial_value")
        dims = tensor.dims if shape is None else as_dims(shape)
        if not compatible_dims(dims, tensor.dims):
            raise ValueError(
                f"The initial value's shape ({tensor.shape}) is not compatible with the explicitly supplied "
                f"`shape` argument ({TensorShape.from_dims(dims)})."
            )
        if not VALID_OP_NAME.match(name):
            # Names of operations are free eagerly, not those of variables.
            raise ValueError(f"'{name}' is not a valid name of a variable")
        self._in_graph_mode = False
        self._handle_name = f"{name}:0"
        self._dtype = tensor.dtype.base_dtype
        self._shape = TensorShape.from_dims(dims)
        self._initial_value = self._initializer_op = self._graph_element = None  # type: ignore[assignment]  # those of graphs
        self._handle = raw.VarHandleOp(shape=dims, dtype=self._dtype, shared_name=f"{name}_{uid()}", name=name)
        # Tapes ask handles for their variables, and order them by numbers, which are given when first asked for.
        self._handle._variable = weakref.ref(self)
        self._handle._id  # noqa: B018  asked for here
        raw.AssignVariableOp(self._handle, tensor)
        for function in called_when_made:
            function(self)

    def __deepcopy__(self, memo: Any) -> ResourceVariable:
        if self._in_graph_mode:
            raise NotImplementedError("__deepcopy__() is only available when eager execution is enabled.")
        made = ResourceVariable(
            initial_value=self.read_value(),
            trainable=self._trainable,
            constraint=self._constraint,
            dtype=self._dtype,
            name=self._shared_name + "_copy",
        )
        memo[id(self)] = made
        return made

    def __reduce__(self) -> Any:
        made = functools.partial(
            ResourceVariable,
            initial_value=self.numpy(),
            trainable=self._trainable,
            name=self._shared_name,
            dtype=self._dtype,
            constraint=self._constraint,
        )
        return made, ()

    def _init_from_proto(self, variable_def: protos.VariableDef, import_scope: str | None) -> None:
        if not variable_def.is_resource:
            raise ValueError("Trying to restore Variable as ResourceVariable.")
        element = self._settings_from_proto(variable_def, import_scope)
        self._handle = element(variable_def.variable_name)
        self._handle_name = self._handle.name
        self._shape = TensorShape.from_dims(self._handle.op.attrs["shape"])
        self._dtype = self._handle.op.attrs["dtype"]
        if not variable_def.snapshot_name:
            self._graph_element = self._handle.graph.get_tensor_by_name(f"{self._handle.op.name}/Read/ReadVariableOp:0")
            return
        snapshot = element(variable_def.snapshot_name)
        if snapshot.op.type != "ReadVariableOp":
            self._cached_value = snapshot
        while snapshot.op.type != "ReadVariableOp":
            snapshot = snapshot.op.inputs[0]
        self._graph_element = snapshot
