"""What all optimizers share: gradients, slots, and the operation that applies one step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.autodiff.gradient_tape import GradientTape
from headrace.autodiff.gradients import gradients
from headrace.core.attributes import check_attribute
from headrace.core.collections import GraphKeys
from headrace.core.composite import IndexedSlices, convert_to_tensor_or_indexed_slices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import (
    colocate_with,
    control_dependencies,
    get_collection,
    get_collection_ref,
    get_default_graph,
    name_scope,
)
from headrace.core.dtypes import DType, bfloat16, float16, float32, float64
from headrace.core.eager import executing_eagerly
from headrace.core.nest import flatten
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.segments import unsorted_segment_sum
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.unique import unique
from headrace.ops.flow.grouping import group
from headrace.ops.flow.grouping import tuple as control_tuple
from headrace.optimizers import slots
from headrace.optimizers.processors import part_beside, place_of_step, processor_of
from headrace.state import restoring
from headrace.state.collecting import trainable_variables
from headrace.state.dependencies import SlotOwner, TrackableReference
from headrace.state.modes import ReduceOp
from headrace.state.replication import (
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
    scaled_for_replicas,
)
from headrace.state.resource_variable_class import BaseResourceVariable, is_resource_variable
from headrace.state.scoping import init_scope
from headrace.state.updates import assign_add
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.shapes import TensorShape
    from headrace.core.typing import TensorLike


# 1.x collected resource variables apart for a while.
_TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"


def _deduplicate_indexed_slices(values: TensorLike, indices: TensorLike) -> tuple[Tensor, Tensor]:
    """The sums of the slices that have the same index, and each index once."""
    unique_indices, positions = unique(indices)
    return unsorted_segment_sum(values, positions, shape(unique_indices)[0]), unique_indices


def _var_key(var: Any) -> tuple[Any, Any]:
    container = getattr(var, "_distributed_container", None)
    if container is not None:
        # The slots of a variable of several replicas are such variables too, kept by the name of the first part.
        var = container().primary
    if not getattr(var, "_in_graph_mode", True):
        return var._graph_key, var._unique_id
    return var.op.graph, var.op.name


def _name_of(var: Variable) -> str:
    if executing_eagerly() or not getattr(var, "_in_graph_mode", True):
        return ""
    return var.op.name


class Optimizer(SlotOwner):
    """The base class of optimizers.

    A subclass overrides `_create_slots`, `_prepare`, `_apply_dense` and `_apply_sparse` (for reference variables),
    `_resource_apply_dense` and `_resource_apply_sparse` (for resource variables) and `_finish`, as it needs.

    Args:
        use_locking: whether updates lock the variables.
        name: the name scope of the updates, and what slot names end in.

    Raises:
        ValueError: if `name` is empty.

    Example:
        >>> train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        >>> sess.run(train_op)
    """

    # With a slot it is the `__base__` of optimizers that have other bases, too: GPflow asks for that.
    __slots__ = ("_use_locking",)
    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        # Slot name to slot of each variable.
        self._slots: dict[str, dict[tuple[Any, str], Any]] = {}
        self._non_slot_dict: dict[tuple[str, Any], Any] = {}

    def get_name(self) -> str:
        """Its name."""
        return self._name

    def minimize(
        self,
        loss: Callable[..., Any] | Tensor | Variable,
        global_step: Variable | None = None,
        var_list: Sequence[Variable] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Tensor | None = None,
    ) -> Any:
        """Builds the operation of one step towards a smaller `loss`.

        Args:
            loss: a tensor.
            global_step: a variable to count up after the updates.
            var_list: the variables to train; those of `GraphKeys.TRAINABLE_VARIABLES` by default.
            gate_gradients: GATE_NONE, GATE_OP or GATE_GRAPH: what waits for what.
            aggregation_method: one of `tf.AggregationMethod`.
            colocate_gradients_with_ops: whether gradients are placed with the forward operations.
            name: a name for the operation.
            grad_loss: the gradient of `loss`; ones by default.

        Raises:
            ValueError: if no variable has a gradient, or an argument does not fit.

        Example:
            >>> w = tf.Variable(1.0)
            >>> train_op = tf.train.AdamOptimizer(0.1).minimize(tf.square(w))
        """
        grads_and_vars = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        if all(grad is None for grad, _ in grads_and_vars):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, "
                f"between variables {[str(var) for _, var in grads_and_vars]} and loss {loss}."
            )
        return self.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: Callable[..., Any] | Tensor | Variable,
        var_list: Sequence[Variable] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Tensor | None = None,
    ) -> list[tuple[Any, Any]]:
        """The gradients of `loss`: the first half of `minimize`, whose arguments it takes.

        Returns:
            pairs of a gradient (a tensor, an IndexedSlices, or None) and its variable.

        Raises:
            ValueError: if there is nothing to optimize, or `loss` is of a type that has no gradients.
        """
        if callable(loss) and not isinstance(loss, Tensor):
            asked = trainable_variables() if var_list is None else flatten(var_list)
            if executing_eagerly() or all(hasattr(variable, "handle") for variable in asked):
                return self._compute_by_tape(loss, var_list, grad_loss)
            loss = convert_to_tensor(get_default_graph().as_graph_element(loss()))
        elif executing_eagerly():
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled."
            )
        if gate_gradients not in (Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH.  Not "
                f"{gate_gradients}"
            )
        loss = scaled_for_replicas(loss)
        self._assert_valid_dtypes([loss])
        if grad_loss is not None:
            self._assert_valid_dtypes([grad_loss])
        if var_list is None:
            var_list = trainable_variables() + get_collection(_TRAINABLE_RESOURCE_VARIABLES)
        else:
            var_list = flatten(var_list)
        var_list = var_list + get_collection(GraphKeys._STREAMING_MODEL_PORTS)
        processors = [processor_of(var) for var in var_list]
        if not var_list:
            raise ValueError("No variables to optimize.")
        grads = gradients(
            loss,
            [processor.target() for processor in processors],
            grad_ys=grad_loss,
            gate_gradients=gate_gradients == Optimizer.GATE_OP,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gate_gradients == Optimizer.GATE_GRAPH:
            grads = control_tuple(grads)
        grads_and_vars = list(zip(grads, var_list, strict=True))
        self._assert_valid_dtypes(
            [var for grad, var in grads_and_vars if grad is not None and var.dtype.base_dtype.name != "resource"]
        )
        return grads_and_vars

    def _compute_by_tape(
        self, loss: Callable[..., Any], var_list: Sequence[Variable] | None, grad_loss: Tensor | None
    ) -> list[tuple[Any, Any]]:
        with GradientTape() as tape:
            if var_list is not None:
                tape.watch(var_list)
            value = loss()
        variables = list(tape.watched_variables()) if var_list is None else flatten(var_list)
        with control_dependencies([] if executing_eagerly() else [value]):
            found = tape.gradient(value, variables, grad_loss)
        return list(zip(found, variables, strict=True))

    def apply_gradients(
        self, grads_and_vars: Iterable[Any], global_step: TensorLike | None = None, name: str | None = None
    ) -> Any:
        """The operation that applies gradients: the second half of `minimize`.

        Args:
            grads_and_vars: pairs as `compute_gradients` returns them.
            global_step: a variable to count up after the updates.
            name: a name for the operation; the optimizer's by default.

        Raises:
            TypeError: if a gradient is no tensor.
            ValueError: if no variable has a gradient; under a strategy an error of what sums the gradients.
            RuntimeError: in cross-replica context of a distribution strategy.

        Example:
            >>> pairs = optimizer.compute_gradients(loss)
            >>> train_op = optimizer.apply_gradients([(tf.clip_by_norm(g, 1.0), v) for g, v in pairs])
        """
        grads_and_vars = tuple(grads_and_vars)
        if has_strategy():
            if in_cross_replica_context():
                raise RuntimeError(
                    "Use `_distributed_apply()` instead of `apply_gradients()` in a cross-replica context."
                )
            found = [(grad, var) for grad, var in grads_and_vars if grad is not None]
            return get_replica_context().merge_call(self._distributed_apply, args=(found, global_step, name))
        if not grads_and_vars:
            raise ValueError("No variables provided.")
        converted = [(_converted(grad), var, processor_of(var)) for grad, var in grads_and_vars]
        var_list = [var for grad, var, _ in converted if grad is not None]
        if not var_list:
            raise ValueError(f"No gradients provided for any variable: {[str(var) for _, var, _ in converted]}.")
        with init_scope():
            self._create_slots(var_list)
        restoring.changed()
        update_ops = []
        with name_scope(name, self._name) as scope:
            self._prepare()
            for grad, var, processor in converted:
                if grad is not None:
                    with name_scope(f"update_{_name_of(var)}"), colocate_with(var):
                        update_ops.append(processor.update_op(self, grad))
            if global_step is None:
                apply_updates = self._finish(update_ops, scope)
            else:
                finished = self._finish(update_ops, "update")
                with control_dependencies([finished]), colocate_with(place_of_step(global_step)):
                    check_attribute("apply_gradients: global_step", global_step, "dtype", "a variable")
                    apply_updates = _count_up(global_step, scope)
            return _as_train_op(apply_updates)

    def _distributed_apply(
        self, distribution: Any, grads_and_vars: Iterable[Any], global_step: Any = None, name: str | None = None
    ) -> Any:
        """`apply_gradients` for all replicas of a strategy, in cross-replica context.

        Args:
            distribution: the strategy.
            grads_and_vars: pairs of the replicas' gradients and a variable.
            global_step, name: as of `apply_gradients`.
        """
        extended = distribution.extended
        grads_and_vars = list(grads_and_vars)
        var_list = [var for _, var in grads_and_vars]
        sums = extended.batch_reduce_to(ReduceOp.SUM, grads_and_vars)
        with init_scope():
            self._create_slots(var_list)
        restoring.changed()

        def update(var: Any, grad: Any) -> Any:
            processor = processor_of(var)
            with name_scope(f"update_{_name_of(var)}"):
                return processor.update_op(self, convert_to_tensor_or_indexed_slices(grad))

        with name_scope(name, self._name) as scope:
            self._prepare()
            update_ops = [
                op
                for grad, var in zip(sums, var_list, strict=True)
                for op in extended.update(var, update, args=(grad,), group=False)
            ]
            finished = extended.update_non_slot(
                extended.non_slot_devices(var_list), self._finish, args=(update_ops, "update"), group=False
            )
            if global_step is None:
                apply_updates = distribution.group(finished, name=scope)
            else:
                with control_dependencies([] if executing_eagerly() else finished):
                    apply_updates = extended.update(global_step, assign_add, args=(1,), kwargs={"name": scope})
            return _as_train_op(apply_updates)

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        # An optimizer serves several graphs; what it made in others is no part of this one.
        graph = get_default_graph()
        own = [(name, made) for (name, _), made in self._non_slot_dict.items() if made._graph_key is graph]
        found = [TrackableReference(name, made) for name, made in sorted(own, key=lambda pair: pair[0])]
        # One around another optimizer depends on that.
        return [*found, *super()._checkpoint_dependencies]

    # ---- slots ----

    def get_slot(self, var: Any, name: str) -> Any:
        """The slot `name` of a variable, None if there is none.

        Args:
            var: a variable that the optimizer updates.
            name: one of `get_slot_names()`.
        """
        named = self._slots.get(name)
        return part_beside(var, named.get(_var_key(var))) if named else None

    def get_slot_names(self) -> list[str]:
        """The names of the kinds of slots it has made."""
        return sorted(self._slots)

    def variables(self) -> list[Any]:
        """The variables it has made in the default graph, by name."""
        graph = get_default_graph()
        own = list(self._non_slot_variables())
        own += [slot for named in self._slots.values() for slot in named.values()]
        return sorted((var for var in own if var._graph_key is graph), key=lambda var: var.name)

    def _create_non_slot_variable(self, initial_value: float, name: str, colocate_with: Variable) -> Variable:
        return self._non_slot(initial_value, name, colocate_with)

    def _non_slot(self, initial_value: float, name: str, beside: Variable) -> Variable:
        key = (name, getattr(beside, "_graph_key", None) or beside.graph)
        var = self._non_slot_dict.get(key)
        if var is None:
            place = get_strategy().extended.colocate_vars_with(beside) if has_strategy() else colocate_with(beside)
            with place:
                var = Variable(initial_value, name=name, trainable=False, use_resource=is_resource_variable(beside))
            self._non_slot_dict[key] = var
        return var

    def _get_non_slot_variable(self, name: str, graph: Graph | None = None) -> Variable | None:
        found: Any = self._non_slot_dict.get((name, graph))
        # Of one for several replicas, that of the replica which is updated.
        return found.get() if hasattr(found, "_should_act_as_resource_variable") else found

    def _non_slot_variables(self) -> Iterable[Any]:
        return self._non_slot_dict.values()

    def _slot_dict(self, slot_name: str) -> dict[tuple[Any, str], Any]:
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(self, var: Variable, val: Tensor, slot_name: str, op_name: str) -> Variable:
        named = self._slot_dict(slot_name)
        key = _var_key(var)
        if key not in named:
            named[key] = slots.create_slot(var, val, op_name)
        return named[key]

    def _get_or_make_slot_with_initializer(
        self, var: Variable, initializer: Any, shape: TensorShape, dtype: DType, slot_name: str, op_name: str
    ) -> Variable:
        named = self._slot_dict(slot_name)
        key = _var_key(var)
        if key not in named:
            named[key] = slots.create_slot_with_initializer(var, initializer, shape, dtype, op_name)
        return named[key]

    def _zeros_slot(self, var: Variable, slot_name: str, op_name: str) -> Variable:
        named = self._slot_dict(slot_name)
        key = _var_key(var)
        if key not in named:
            named[key] = slots.create_zeros_slot(var, op_name)
        return named[key]

    # ---- types ----

    def _assert_valid_dtypes(self, tensors: Iterable[Any]) -> None:
        valid = self._valid_dtypes()
        for tensor in tensors:
            dtype = tensor.dtype.base_dtype
            if dtype not in valid:
                raise ValueError(f"Invalid type {dtype!r} for {tensor.name}, expected: {list(valid)}.")

    def _valid_dtypes(self) -> set[DType]:
        """The types of losses, variables and gradients that it takes."""
        return {float16, bfloat16, float32, float64}

    # ---- what subclasses override ----

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        """Makes the slots of the variables; called before any update is built."""

    def _prepare(self) -> None:
        """Makes the tensors that all updates share; called in the name scope of the step."""

    def _lacks(self, hook: str) -> NotImplementedError:
        return NotImplementedError(
            f"{type(self).__name__} does not define {hook}, which this kind of variable and gradient needs: define it in "
            "the subclass of tf.train.Optimizer."
        )

    def _apply_dense(self, grad: TensorLike, var: TensorLike) -> Operation | Tensor | Variable:
        """Updates a reference variable by a tensor; returns the operation."""
        raise self._lacks("_apply_dense")

    def _resource_apply_dense(self, grad: TensorLike, handle: TensorLike) -> Operation | Tensor | Variable | None:
        """Updates a resource variable by a tensor; returns the operation."""
        raise self._lacks("_resource_apply_dense")

    def _apply_sparse(self, grad: IndexedSlices, var: TensorLike) -> Operation | Tensor:
        """Updates a reference variable by an IndexedSlices in which each index is there once; returns the operation."""
        raise self._lacks("_apply_sparse")

    def _resource_apply_sparse(self, grad: TensorLike, handle: TensorLike, indices: TensorLike) -> Operation | None:
        """Updates the rows `indices`, each there once, of a resource variable; returns the operation."""
        raise self._lacks("_resource_apply_sparse")

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: TensorLike) -> Operation | Tensor:
        """Updates a reference variable by an IndexedSlices as it comes: sums what has the same index first."""
        summed, unique_indices = _deduplicate_indexed_slices(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(summed, unique_indices, grad.dense_shape), var)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: TensorLike, indices: Tensor
    ) -> Operation | None:
        """Updates rows of a resource variable, where indices may come again: sums what has the same index first."""
        summed, unique_indices = _deduplicate_indexed_slices(grad, indices)
        return self._resource_apply_sparse(summed, handle, unique_indices)

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Any:
        """The operation that is done when the updates are; called in the name scope of the step."""
        return group(*update_ops, name=name_scope)

    def _call_if_callable(self, param: TensorLike | Callable[..., Any]) -> Any:
        """`param`, or what it returns."""
        return param() if callable(param) else param


def _as_train_op(apply_updates: Any) -> Any:
    """The operation of a step, in the collection of such; None while executing eagerly."""
    if executing_eagerly():
        return None
    if isinstance(apply_updates, Tensor):
        apply_updates = apply_updates.op
    train_op = get_collection_ref(GraphKeys.TRAIN_OP)
    if all(apply_updates is not known for known in train_op):
        train_op.append(apply_updates)
    return apply_updates


def _converted(grad: TensorLike | None) -> IndexedSlices | Tensor | None:
    if grad is None:
        return None
    try:
        grad = convert_to_tensor_or_indexed_slices(grad)
    except TypeError:
        raise TypeError(f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {grad}") from None
    if not isinstance(grad, (Tensor, IndexedSlices)):
        raise TypeError(f"Gradient must be a Tensor, IndexedSlices, or None: {grad}")
    return grad


def _count_up(global_step: TensorLike, name: str) -> Operation | Tensor:
    if isinstance(global_step, BaseResourceVariable):
        return raw.AssignAddVariableOp(global_step.handle, convert_to_tensor(1, dtype=global_step.dtype), name=name)
    return assign_add(global_step, 1, name=name)
