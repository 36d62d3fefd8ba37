"""The base class of `tf.keras.optimizers`: hyperparameters, slots, gradients and the step that applies them."""

from __future__ import annotations

import abc
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.autodiff.gradient_tape import GradientTape
from headrace.autodiff.gradients import gradients
from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, control_dependencies, get_default_graph, name_scope
from headrace.core.dtypes import DType, bfloat16, float16, float32, float64
from headrace.core.eager import executing_eagerly
from headrace.core.nest import flatten
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.distribute.variables import DistributedVariable
from headrace.keras.optimizers.learning_rate_schedule import (
    LearningRateSchedule,
)
from headrace.keras.optimizers.learning_rate_schedule import (
    deserialize as deserialize_schedule,
)
from headrace.keras.optimizers.optimizer_state import OptimizerState, _primary
from headrace.keras.optimizers.optimizer_state import _var_key as _var_key
from headrace.layers.context import get_graph, to_snake_case, unique_object_name
from headrace.ops.math.cast import cast
from headrace.ops.math.clip import clip_by_norm, clip_by_value
from headrace.optimizers.optimizer import _deduplicate_indexed_slices
from headrace.saved_model.revived_types import VersionedTypeRegistration, register_revived_type
from headrace.state import restoring
from headrace.state.modes import ReduceOp
from headrace.state.replication import get_replica_context, has_strategy, in_cross_replica_context
from headrace.state.scoping import init_scope, makes_eager_variables
from headrace.util import tf_logging as logging

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import DTypeLike, TensorLike

    Gradient = Tensor | IndexedSlices | None
    ApplyState = dict[tuple[str, DType], dict[str, Tensor]]

_SETTINGS = frozenset({"clipnorm", "clipvalue", "lr", "decay"})


class OptimizerV2(OptimizerState, metaclass=abc.ABCMeta):
    """The base class of the optimizers of `tf.keras.optimizers`.

    A subclass overrides `_create_slots`, `_resource_apply_dense`, `_resource_apply_sparse` and `get_config`, and in its
    constructor gives its hyperparameters to `_set_hyper`. They become variables when the first step is built, and are
    read and changed as attributes of the optimizer.

    Args:
        name: the name scope of its steps and variables.
        **kwargs: `clipnorm` and `clipvalue`, the largest norm of a gradient and the largest size of its elements;
            `decay`, by which the learning rate falls as 1 / (1 + decay * step); `lr`, the older name of the learning rate.

    Raises:
        TypeError: for other keyword arguments.
        ValueError: if one of them is negative.

    Example:
        >>> optimizer = tf.keras.optimizers.SGD(0.1)
        >>> v = tf.Variable(2.0, use_resource=True)
        >>> train_op = optimizer.minimize(lambda: tf.square(v), [v])
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        super().__init__(name or unique_object_name(to_snake_case(type(self).__name__), zero_based=True))
        self._use_locking = True
        for key, value in kwargs.items():
            if key not in _SETTINGS:
                raise TypeError(f"Unexpected keyword argument passed to optimizer: {key}")
            if value < 0:
                raise ValueError(f"Expected {key} >= 0, received: {value}")
        self._initial_decay = kwargs.pop("decay", 0.0)
        if "clipnorm" in kwargs:
            self.clipnorm = kwargs.pop("clipnorm")
        if "clipvalue" in kwargs:
            self.clipvalue = kwargs.pop("clipvalue")
        self._read_apply_signatures()

    def _read_apply_signatures(self) -> None:
        """Whether the methods that apply gradients take the values that all variables share; older subclasses do not."""
        self._dense_takes_state = "apply_state" in self._dense_apply_args
        self._sparse_takes_state = "apply_state" in self._sparse_apply_args

    # ---- steps ----

    def minimize(
        self, loss: Callable[[], TensorLike], var_list: Any, grad_loss: Tensor | None = None, name: str | None = None
    ) -> Any:
        """One step towards a smaller loss.

        Args:
            loss: a function without arguments that computes it.
            var_list: the variables to train, or a function without arguments that returns them.
            grad_loss: the gradient of the loss; ones by default.
            name: the name of the operation.

        Returns:
            the operation that does the step; while executing eagerly the step is done.
        """
        return self.apply_gradients(self._compute_gradients(loss, var_list, grad_loss), name=name)

    def _compute_gradients(
        self, loss: Callable[[], Any], var_list: Any, grad_loss: Tensor | None = None
    ) -> list[tuple[Any, Any]]:
        """Pairs of a gradient of the loss and its variable; the first half of `minimize`."""
        with GradientTape() as tape:
            if not callable(var_list):
                tape.watch(var_list)
            value = loss()
        variables = flatten(var_list() if callable(var_list) else var_list)
        with name_scope(self._name + "/gradients"):
            found = self._clipped(tape.gradient(value, variables, grad_loss))
        pairs = list(zip(found, variables, strict=True))
        self._assert_valid_dtypes([var for grad, var in pairs if grad is not None and _has_numbers(var)])
        return pairs

    def get_gradients(self, loss: TensorLike, params: Any) -> list[Any]:
        """The gradients of a tensor, clipped as the optimizer says.

        Args:
            loss: the tensor.
            params: the variables.

        Raises:
            ValueError: if a variable has none.
        """
        params = flatten(params)
        has_run = isinstance(loss, Tensor) and not loss._is_graph_tensor
        with get_graph().as_default(), name_scope(self._name + "/gradients"):
            # What was computed eagerly knows nothing of where it came from.
            found = [None] * len(params) if has_run else gradients(loss, params)
            for grad, param in zip(found, params, strict=True):
                if grad is None:
                    raise ValueError(
                        f"Variable {param} has `None` for gradient. Please make sure that all of your ops have a gradient "
                        "defined (i.e. are differentiable). Common ops without gradient: K.argmax, K.round, K.eval."
                    )
            return self._clipped(found)

    def _clipped(self, found: Sequence[Any]) -> list[Any]:
        if hasattr(self, "clipnorm"):
            found = [None if grad is None else clip_by_norm(grad, self.clipnorm) for grad in found]
        if hasattr(self, "clipvalue"):
            found = [None if grad is None else clip_by_value(grad, -self.clipvalue, self.clipvalue) for grad in found]
        return list(found)

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]], name: str | None = None) -> Any:
        """Applies gradients: the second half of `minimize`.

        Args:
            grads_and_vars: pairs of a gradient, None where there is none, and its variable.
            name: the name of the operation; the optimizer's by default.

        Returns:
            the operation that does the step and counts it; eagerly the variable that counts steps.

        Raises:
            ValueError: if no variable has a gradient.

        Example:
            >>> v = tf.Variable(2.0)
            >>> with tf.GradientTape() as tape:
            ...     loss = tf.square(v)
            >>> optimizer = tf.keras.optimizers.SGD(0.25)
            >>> step = optimizer.apply_gradients(zip(tape.gradient(loss, [v]), [v]))
            >>> v.numpy()
            1.0
        """
        pairs = _filter_grads(grads_and_vars)
        var_list = [var for _, var in pairs]
        with _scope(self._name):
            self._create_all_weights(var_list)
            apply_state = self._prepare(var_list)
            if not has_strategy():
                return self._apply(pairs, name, apply_state)
            if in_cross_replica_context():
                # In 1.15 there is no replica context to ask for its `merge_call` then.
                raise AttributeError(
                    "apply_gradients() of an optimizer in cross-replica context: call it in a function given to "
                    "strategy.experimental_run_v2()."
                )
            apply = functools.partial(self._distributed_apply, apply_state=apply_state)
            return get_replica_context().merge_call(apply, args=(pairs,), kwargs={"name": name})

    def _create_all_weights(self, var_list: Sequence[Any]) -> None:
        """Makes the count of steps, the hyperparameters and the slots of these variables, where they are not there yet."""
        with init_scope():
            _ = self.iterations
            self._create_hypers()
            self._create_slots(var_list)
        restoring.changed()

    def _apply(self, pairs: Sequence[tuple[Any, Any]], name: str | None, apply_state: ApplyState) -> Any:
        """The updates of all variables and the count of the step."""
        eagerly = executing_eagerly()
        updates = []
        with _scope(name or self._name):
            for grad, var in pairs:
                if isinstance(var, Tensor):
                    raise NotImplementedError("Trying to update a Tensor ", var)
                if eagerly:
                    self._update_of(grad, var, apply_state)
                    continue
                if isinstance(var, DistributedVariable):
                    raise ValueError(
                        f"apply_gradients: {var.name} is a variable of several replicas, whose `handle` is not available here: "
                        "train it in `strategy.scope()`, where it was made; compile a model there too."
                    )
                with name_scope(f"update_{var._shared_name}"), colocate_with(var):
                    updates.append(self._update_of(grad, var, apply_state))
            if eagerly:
                return self._iterations.assign_add(1)
            with control_dependencies([update for update in updates if update is not None]):
                return self._iterations.assign_add(1).op

    def _distributed_apply(
        self, distribution: Any, grads_and_vars: Sequence[Any], name: str | None, apply_state: ApplyState
    ) -> Any:
        """`_apply` for all replicas of a strategy, in cross-replica context."""
        extended = distribution.extended
        sums = extended.batch_reduce_to(ReduceOp.SUM, grads_and_vars)

        def update(var: Any, grad: Any) -> Any:
            return self._update_of(grad, var, apply_state)

        updates: list[Any] = []
        with _scope(name or self._name):
            for grad, (_, var) in zip(sums, grads_and_vars, strict=True):
                with name_scope("update" if makes_eager_variables() else f"update_{var._shared_name}"):
                    updates += extended.update(var, update, args=(grad,), group=False)
            if executing_eagerly():
                return self._iterations.assign_add(1)
            with control_dependencies([update for update in updates if update is not None]):
                return self._iterations.assign_add(1).op

    def _update_of(self, grad: Any, var: Any, apply_state: ApplyState) -> Any:
        if isinstance(grad, IndexedSlices):
            if var.constraint is not None:
                raise RuntimeError("Cannot use a constraint function on a sparse variable.")
            shared = {"apply_state": apply_state} if self._sparse_takes_state else {}
            return self._resource_apply_sparse_duplicate_indices(grad.values, var, grad.indices, **shared)
        shared = {"apply_state": apply_state} if self._dense_takes_state else {}
        update = self._resource_apply_dense(grad, var, **shared)
        if var.constraint is None:
            return update
        with control_dependencies([] if update is None or executing_eagerly() else [update]):
            return var.assign(var.constraint(var))

    def get_updates(self, loss: TensorLike, params: Any) -> list[Any]:
        """The operations of one step towards a smaller loss, a tensor, as Keras' training functions run them."""
        pairs = list(zip(self.get_gradients(loss, params), flatten(params), strict=True))
        self._assert_valid_dtypes([var for grad, var in pairs if grad is not None and _has_numbers(var)])
        return [self.apply_gradients(pairs)]

    # ---- what the updates of a step share ----

    def _decayed_lr(self, var_dtype: DTypeLike) -> Any:
        """The learning rate of the step, in a type."""
        rate = self._get_hyper("learning_rate", var_dtype)
        if isinstance(rate, LearningRateSchedule):
            rate = cast(rate(cast(self.iterations, var_dtype)), var_dtype)
        if self._initial_decay > 0.0:
            step = cast(self.iterations, var_dtype)
            rate = rate / (1.0 + self._get_hyper("decay", var_dtype) * step)
        return rate

    def _prepare(self, var_list: Sequence[Any]) -> ApplyState:
        """The tensors that the updates of all variables of a device and type share."""
        state: ApplyState = {}
        # A variable of several replicas is updated on the device of each.
        places = [(getattr(var, "devices", None) or [var.device], var.dtype.base_dtype) for var in var_list]
        for device, dtype in dict.fromkeys((device, dtype) for devices, dtype in places for device in devices):
            state[device, dtype] = {}
            with get_default_graph().device(device):
                self._prepare_local(device, dtype, state)
        return state

    def _prepare_local(self, var_device: str, var_dtype: DType, apply_state: ApplyState) -> None:
        """Puts the shared tensors of a device and type into `apply_state[(var_device, var_dtype)]`."""
        if "learning_rate" in self._hyper:
            apply_state[var_device, var_dtype]["lr_t"] = raw.Identity(self._decayed_lr(var_dtype))

    def _fallback_apply_state(self, var_device: str, var_dtype: DType) -> dict[str, Tensor]:
        """The shared tensors for a caller that prepared none."""
        state: ApplyState = {(var_device, var_dtype): {}}
        self._prepare_local(var_device, var_dtype, state)
        return state[var_device, var_dtype]

    def _shared(self, var: Any, apply_state: ApplyState | None) -> dict[str, Any]:
        """The shared tensors for a variable."""
        device, dtype = var.device, var.dtype.base_dtype
        found = (apply_state or {}).get((device, dtype))
        return self._fallback_apply_state(device, dtype) if found is None else found

    # ---- settings ----

    @abc.abstractmethod
    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        config: dict[str, Any] = {"name": self._name}
        for setting in ("clipnorm", "clipvalue"):
            if hasattr(self, setting):
                config[setting] = getattr(self, setting)
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
        """The optimizer that `get_config` describes.

        Args:
            config: the settings; changed by the call.
            custom_objects: names of classes of one's own to these.
        """
        if not isinstance(config, Mapping):
            raise TypeError(f"{cls.__name__}.from_config: the settings must be a dict, got {config!r}.")
        if "lr" in config:
            config["learning_rate"] = config.pop("lr")
        if isinstance(config.get("learning_rate"), dict):
            config["learning_rate"] = deserialize_schedule(config["learning_rate"], custom_objects=custom_objects)
        return cls(**config)

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

    def _call_if_callable(self, param: Any) -> Any:
        return param() if callable(param) else param

    # ---- what subclasses override ----

    if TYPE_CHECKING:
        # Makes the slots of the variables, before any update is built. Not there in 1.15 either, unless a subclass says it.
        def _create_slots(self, var_list: Sequence[Any]) -> None: ...

    def _resource_apply_dense(self, grad: Any, handle: Any, apply_state: Any) -> Any:
        """Updates a variable by a tensor; returns the operation."""
        raise self._lacks("_resource_apply_dense")

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any, apply_state: Any) -> Any:
        """Updates the rows `indices`, each there once, of a variable; returns the operation."""
        raise self._lacks("_resource_apply_sparse")

    def _lacks(self, hook: str) -> NotImplementedError:
        return NotImplementedError(
            f"{type(self).__name__} does not define {hook}, which this kind of gradient needs: define it in the subclass of "
            "tf.keras.optimizers.Optimizer."
        )

    def _resource_apply_sparse_duplicate_indices(self, grad: Any, var: Any, indices: Any, **kwargs: Any) -> Any:
        """Updates rows of a variable, where indices may come again: sums what has the same index first."""
        summed, unique_indices = _deduplicate_indexed_slices(grad, indices)
        return self._resource_apply_sparse(summed, var, unique_indices, **kwargs)

    def _resource_scatter_add(self, x: Any, i: Any, v: Any) -> Tensor:
        """Adds to rows of a variable; its value after that."""
        with control_dependencies(_done(raw.ResourceScatterAdd(x.handle, i, v))):
            return x.value()

    def _resource_scatter_update(self, x: Any, i: Any, v: Any) -> Tensor:
        """Sets rows of a variable; its value after that."""
        with control_dependencies(_done(raw.ResourceScatterUpdate(x.handle, i, v))):
            return x.value()

    @property
    def _dense_apply_args(self) -> list[str]:
        return inspect.getfullargspec(self._resource_apply_dense).args

    @property
    def _sparse_apply_args(self) -> list[str]:
        return inspect.getfullargspec(self._resource_apply_sparse).args


def _done(operation: Operation | None) -> list[Operation]:
    return [] if operation is None else [operation]


def _has_numbers(var: Any) -> bool:
    return var.dtype.base_dtype.name != "resource"


def _filter_grads(grads_and_vars: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """The pairs that have a gradient, as tensors; a warning about the others, ValueError if there are only these."""
    pairs = list(grads_and_vars)
    found = [
        (grad if isinstance(grad, (Tensor, IndexedSlices)) else convert_to_tensor(grad), var)
        for grad, var in pairs
        if grad is not None
    ]
    if not pairs:
        return found
    without = [var.name for grad, var in pairs if grad is None]
    if not found:
        raise ValueError(f"No gradients provided for any variable: {without}.")
    if without:
        logging.warning("Gradients do not exist for variables %s when minimizing the loss.", without)
    return found


def _scope(name: Any) -> name_scope:
    """The name scope of an optimizer or of its step, which must have a name."""
    if not isinstance(name, str):
        raise ValueError(f"name for name_scope must be a string, got {name!r}.")
    return name_scope(name)


class RestoredOptimizer(OptimizerV2):
    """What an optimizer of a SavedModel kept: hyperparameters, the count of steps and slots. It trains nothing."""

    def __init__(self) -> None:
        super().__init__("RestoredOptimizer")
        # They come from the SavedModel.
        self._hypers_created = True

    def keep_slot(self, var: Any, name: str, slot: Any) -> None:
        """Takes a variable as the slot `name` of another."""
        if name not in self._slot_names:
            self._slot_names.append(name)
        self._slots.setdefault((_primary(var)._graph_key, _var_key(var)), {})[name] = slot
        self._weights.append(slot)

    def get_config(self) -> dict[str, Any]:
        """Nothing: a SavedModel holds no settings.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("An optimizer of a SavedModel has no settings: compile the model with another one.")


register_revived_type(
    "optimizer",
    lambda item: isinstance(item, OptimizerV2),
    [
        VersionedTypeRegistration(
            lambda _: RestoredOptimizer(),
            1,
            min_producer_version=1,
            min_consumer_version=1,
            setter=OptimizerV2._set_hyper,
        )
    ],
)
