"""A variable that all replicas share, and whose updates by replicas become one: of central storage."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor, register_tensor_conversion_function
from headrace.core.tensor import Tensor
from headrace.distribute.mirrored_variables import assigning
from headrace.distribute.replica_context import get_update_device
from headrace.distribute.variables import aggregated, in_scope_of
from headrace.distribute.whole_updates import WholeUpdatesOnly
from headrace.state.modes import VariableAggregation
from headrace.state.replication import get_replica_context, in_cross_replica_context
from headrace.state.variable_class import Variable

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.dtypes import DType
    from headrace.core.shapes import TensorShape
    from headrace.core.typing import SessionLike

_NEEDS_AGGREGATION = (
    "You must specify an aggregation method to update a variable in replica context: make it with "
    "tf.Variable(..., aggregation=tf.VariableAggregation.SUM), or another of tf.VariableAggregation, so that the values of "
    "all replicas become one before it is updated."
)


class AggregatingVariable(WholeUpdatesOnly, Variable):
    """A variable of all replicas, to which what they assign comes as one value.

    Args:
        strategy: the strategy in whose scope it was made.
        v: the variable itself.
        aggregation: how what replicas assign becomes one value.
    """

    _should_act_as_resource_variable = True

    def __init__(self, strategy: Any, v: Any, aggregation: VariableAggregation) -> None:
        self._distribute_strategy = strategy
        self._v = v
        self._aggregation = aggregation
        v._aggregating_container = weakref.ref(self)
        v._handle._variable = v._aggregating_container

    def get(self) -> Any:
        """The variable itself."""
        return self._v

    @property
    def distribute_strategy(self) -> Any:
        """The strategy in whose scope it was made."""
        return self._distribute_strategy

    def __getattr__(self, name: str) -> Any:
        if name == "_v":
            raise AttributeError(name)
        return getattr(self._v, name)

    def _update(self, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
        strategy = self._distribute_strategy
        assign: Callable[..., Any] = assigning(name)
        with in_scope_of(strategy):
            if in_cross_replica_context():
                if get_update_device() is not None:
                    return assign(self._v, *args, **kwargs)
                return strategy.extended.update(self, assign, args=args, kwargs=kwargs)
            if self._aggregation == VariableAggregation.NONE:
                raise ValueError(_NEEDS_AGGREGATION)

            def merged(strategy: Any, value: Any, *others: Any, **keywords: Any) -> Any:
                value = aggregated(strategy, value, self._aggregation, self)
                return strategy.extended.update(self, assign, args=(value, *others), kwargs=keywords)

            return get_replica_context().merge_call(merged, args=args, kwargs=kwargs)

    def assign(self, *args: Any, **kwargs: Any) -> Any:
        """Gives it a new value; arguments as of a variable's `assign`."""
        return self._update("assign", args, kwargs)

    def assign_add(self, *args: Any, **kwargs: Any) -> Any:
        """Adds to it; arguments as of a variable's `assign_add`."""
        return self._update("assign_add", args, kwargs)

    def assign_sub(self, *args: Any, **kwargs: Any) -> Any:
        """Takes from it; arguments as of a variable's `assign_sub`."""
        return self._update("assign_sub", args, kwargs)

    # ---- what the variable itself says ----

    @property
    def name(self) -> str:
        """The name of the variable."""
        return self._v.name

    @property
    def op(self) -> Any:
        """The operation that holds it."""
        return self._v.op

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._v.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._v.shape

    @property
    def device(self) -> str:
        """Its device."""
        return self._v.device

    @property
    def graph(self) -> Any:
        """The graph it is in."""
        return self._v.graph

    @property
    def _graph_key(self) -> Any:
        return self._v._graph_key

    @property
    def _in_graph_mode(self) -> bool:  # type: ignore[override]  # that of the variable
        return self._v._in_graph_mode

    @property
    def _shared_name(self) -> str:
        return self._v._shared_name

    @property
    def trainable(self) -> bool:
        """Whether optimizers train it by default."""
        return self._v.trainable

    @property
    def synchronization(self) -> Any:
        """When replicas are brought in step."""
        return self._v.synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """How updates of replicas are put together."""
        return self._aggregation

    @property
    def initializer(self) -> Any:
        """The operation that gives it its initial value."""
        return self._v.initializer

    @property
    def initial_value(self) -> Tensor:
        """The tensor of the initial value."""
        return self._v.initial_value

    def initialized_value(self) -> Tensor:
        """Its value if it has one when run, else its initial value."""
        return self._v.initialized_value()

    def value(self) -> Tensor:
        """Its value."""
        return self._v.value()

    def read_value(self) -> Tensor:
        """Its value, read where the program stands."""
        return self._v.read_value()

    def _read_variable_op(self) -> Tensor:
        return self._v._read_variable_op()

    def eval(self, session: SessionLike | None = None) -> np.ndarray:
        """Its value in a session."""
        return self._v.eval(session)

    def load(self, value: Any, session: SessionLike | None = None) -> None:
        """Gives it a new value in a session."""
        self._v.load(value, session)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """It as a `VariableDef`."""
        return self._v.to_proto(export_scope)

    @property
    def _save_slice_info(self) -> Any:  # type: ignore[override]  # that of the variable
        return self._v._save_slice_info

    def _set_save_slice_info(self, save_slice_info: Any) -> None:
        self._v._set_save_slice_info(save_slice_info)

    def _as_graph_element(self) -> Any:
        return self._v._as_graph_element()

    def _as_control_input(self) -> Any:
        return self._v.op

    def _scatter_rows(self, *args: Any) -> Any:
        return self._v._scatter_rows(*args)

    def _scatter_slices(self, *args: Any) -> Any:
        return self._v._scatter_slices(*args)

    def _strided_slice_assign(self, **parts: Any) -> Any:
        return self._v._strided_slice_assign(**parts)

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        """What checkpoints keep: the variable itself."""
        return {"VARIABLE_VALUE": self._v}

    def __repr__(self) -> str:
        return repr(self._v)

    def __hash__(self) -> int:
        return id(self)


def _tensor_of_aggregating(
    variable: AggregatingVariable, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    return convert_to_tensor(variable._v, dtype, name, as_ref=as_ref)


register_tensor_conversion_function(AggregatingVariable, _tensor_of_aggregating)
