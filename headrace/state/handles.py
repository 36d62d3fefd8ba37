"""Variables known by their handles alone: copies for other graphs, which hold no initial values."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph, name_scope
from headrace.core.dims import compatible_dims
from headrace.core.dtypes import as_dtype, float32
from headrace.core.framework_ops import uid
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.tensor import Tensor
from headrace.kernels.state.handles import handle_dims, handle_dtype
from headrace.messages import protos
from headrace.state.resource_variable_class import BaseResourceVariable
from headrace.state.scoping import name_from_scope_name

if TYPE_CHECKING:
    from headrace.core.typing import Constraint, DTypeLike, TensorLike
    from headrace.state.modes import VariableAggregation, VariableSynchronization


class UninitializedVariable(BaseResourceVariable):
    """A variable of a type and a shape that something else gives its value: restoring, or the graph it is a copy for.

    Args:
        trainable: whether it is to be trained; True by default.
        caching_device: a device to keep its value on after it is read.
        name: its name.
        shape: its shape.
        dtype: its element type.
        constraint: a function of its value that gives the one to keep after an update.
        synchronization, aggregation: as of `tf.Variable`.

    Raises:
        NotImplementedError: for a `caching_device`.
    """

    def __init__(
        self,
        trainable: bool | None = None,
        caching_device: str | Callable[..., Any] | None = None,
        name: str | None = None,
        shape: TensorLike | None = None,
        dtype: DTypeLike = float32,
        constraint: Constraint | None = None,
        synchronization: VariableSynchronization | None = None,
        aggregation: VariableAggregation | None = None,
    ) -> None:
        if caching_device is not None:
            raise NotImplementedError(
                "UninitializedVariable(caching_device=...): it is not read when made; leave it None."
            )
        collections = self._settings_from_arguments(
            name, trainable, [GraphKeys.GLOBAL_VARIABLES], constraint, synchronization, aggregation
        )
        with name_scope(name, "Variable") as scope:
            self._dtype = as_dtype(dtype)
            self._shape = TensorShape.from_dims(as_dims(shape))
            graph = get_default_graph()
            handle_name = name_from_scope_name(scope)
            self._in_graph_mode = not graph.is_eager
            self._handle_name = f"{handle_name}:0"
            self._handle = raw.VarHandleOp(
                shape=self._shape.as_dims,
                dtype=self._dtype,
                shared_name=handle_name if self._in_graph_mode else f"{handle_name}_{uid()}",
                name=scope,
                container=graph._container,
            )
            # Tapes ask handles for their variables.
            self._handle._variable = weakref.ref(self)
            self._initializer_op = self._is_initialized_op = self._initial_value = None
            if self._in_graph_mode:
                with name_scope("Read"):
                    self._graph_element = self._read_variable_op()
                graph.add_to_collections(collections, self)


def copy_to_graph_uninitialized(var: BaseResourceVariable) -> UninitializedVariable:
    """A variable of the default graph with the type, the shape and the name of another graph's."""
    made = UninitializedVariable(
        trainable=var.trainable,
        constraint=var.constraint,
        shape=var.shape,
        dtype=var.dtype,
        name=var.name.partition(":")[0],
        synchronization=var.synchronization,
        aggregation=var.aggregation,
    )
    return made


def shape_safe_assign_variable_handle(
    handle: Tensor, shape: Sequence[int], value: TensorLike, name: str | None = None
) -> Any:
    """Assigns through a handle what is known to fit.

    Args:
        handle: the variable's handle.
        shape: its shape.
        value: what is assigned.
        name: a name for the operation.

    Raises:
        ValueError: if the shapes do not fit.
    """
    tensor = convert_to_tensor(value)
    if not compatible_dims(as_dims(shape), tensor.dims):
        raise ValueError(f"Shapes {TensorShape(shape)} and {tensor.shape} are incompatible")
    return raw.AssignVariableOp(handle, tensor, name=name)


def get_resource_handle_data(graph_op: Tensor) -> Any:
    """What a handle is known to lead to, as a `CppShapeInferenceResult.HandleData`."""
    dtype = handle_dtype(graph_op)
    data = protos.CppShapeInferenceResult.HandleData()
    if dtype is not None:
        data.is_set = True
        data.shape_and_type.add(
            shape=TensorShape.from_dims(handle_dims(graph_op)).as_proto(), dtype=dtype.as_datatype_enum
        )
    return data
