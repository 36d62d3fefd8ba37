"""Batches of a model made under a distribution strategy: each is divided among the replicas, and what they give put together."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from headrace.core import nest
from headrace.core.defaults import name_scope
from headrace.core.eager import executing_eagerly
from headrace.data.dataset_base import DatasetBase
from headrace.distribute.batch_splitting import auto_shard_dataset, rebatch, split_batch
from headrace.distribute.coordinator import CoordinatorMode, run_distribute_coordinator
from headrace.distribute.parameter_server import ParameterServerExtended
from headrace.distribute.values import regroup
from headrace.keras.backend.execution import function
from headrace.keras.engine import training_eager
from headrace.keras.engine.training_copies import run_copy
from headrace.keras.engine.training_loop import PREDICT, TRAIN
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2
from headrace.kernels import composing
from headrace.layers.context import get_graph, step_of_replica
from headrace.sessions.worker_context import get_current_worker_context
from headrace.state.automatic_dependencies import AutomaticControlDependencies
from headrace.state.modes import ReduceOp
from headrace.state.polymorphic_function import function as polymorphic_function
from headrace.state.replication import get_strategy, has_strategy, in_cross_replica_context

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def strategy_of(model: Model) -> Any:
    """The strategy that a model is trained under: that in force.

    Returns:
        None if there is none, or the model is one replica's own copy, whose updates the optimizer brings together.

    Raises:
        ValueError: in the scope of another strategy than that of its variables.
    """
    if model._of_one_replica:
        return None
    strategy = None
    if has_strategy():
        if not in_cross_replica_context():
            raise ValueError(
                "`Model.compile()` in a replica's context: compile the model in `strategy.scope()`, outside of functions given "
                "to `experimental_run_v2`."
            )
        strategy = get_strategy()
    if strategy is None:
        # The variables may be a strategy's all the same: then what trains them fails, as in 1.15, unless the model was
        # compiled in the scope before, and is trained in a graph.
        return None if executing_eagerly() else model._distribution_strategy
    for variable in model.variables if model.built else ():
        if getattr(variable, "_distribute_strategy", None) is not strategy:
            raise ValueError(
                f"Variable ({variable}) was not created in the distribution strategy scope of ({strategy}). It is most likely "
                "because some layers were created outside the distribution strategy scope. Try to make sure your code looks "
                "similar to the following: with strategy.scope(): model = create_model(); model.compile(...)"
            )
    return strategy


def check_compilable(
    model: Model, sample_weight_mode: Any, weighted_metrics: Any, target_tensors: Any, others: Mapping[str, Any]
) -> None:
    """Checks that a model can be compiled under a strategy with these arguments; `others` are those of a keyword only.

    Raises:
        NotImplementedError, ValueError: if it cannot.
    """
    if sample_weight_mode:
        raise NotImplementedError("sample_weight_mode is not supported with tf.distribute.Strategy.")
    if target_tensors:
        raise ValueError("target_tensors is not supported with tf.distribute.Strategy.")
    if executing_eagerly():
        if others.get("run_eagerly") and not others.get("experimental_run_tf_function", True):
            raise ValueError(
                "We currently do not support enabling `run_eagerly` with distribution strategy. "
                "Leave experimental_run_tf_function at True for it."
            )
        return
    if weighted_metrics:
        raise NotImplementedError("weighted_metrics is not supported with tf.distribute.Strategy.")
    if not model.built or not model._is_graph_network:
        # Its variables would not be made in the scope.
        raise ValueError(
            "We currently do not support distribution strategy with a `Sequential` model that is created without "
            "`input_shape`/`input_dim` set in its first layer or a subclassed model."
        )


def check_fit_in_graph(model: Model, x: Any, validation_split: float, class_weight: Any) -> None:
    """Checks arguments of `fit` in a graph, which has no part of the samples or weights of classes under a strategy.

    Raises:
        NotImplementedError, ValueError, KeyError, AssertionError: as 1.15's, for models of a strategy.
    """
    if model._distribution_strategy is None:
        return
    if class_weight:
        raise NotImplementedError(
            "`class_weight` is currently not supported when using tf.distribute.Strategy. Give `sample_weight`."
        )
    if validation_split and 0.0 < validation_split < 1.0:
        raise ValueError(
            "validation_split argument is not supported with distribution strategies. Give `validation_data`."
        )
    missing = [name for name in model._feed_input_names if name not in x] if isinstance(x, dict) else []
    if missing:
        raise KeyError(f"fit: no data for the input {missing[0]!r} among {list(x)}")
    check_divisible(model, x)


def check_divisible(model: Model, x: Any) -> None:
    """Checks that the replicas of a model can divide what it is given in a graph: arrays, or a dataset.

    Raises:
        AssertionError: if it is something else.
    """
    if model._distribution_strategy is None or isinstance(x, DatasetBase):
        return
    if not isinstance(next(iter(nest.flatten(x)), None), np.ndarray):
        raise AssertionError(f"Under a strategy, in a graph, a model is given NumPy arrays or a dataset; got {x!r}.")


def check_scope(model: Model) -> None:
    """Checks that a model of no strategy is not run in the scope of one, where 1.15's newer loops would nest scopes.

    Raises:
        RuntimeError: if it is.
    """
    newer = model._experimental_run_tf_function and not model._of_one_replica
    if newer and model._distribution_strategy is None and has_strategy():
        raise RuntimeError(
            "Must not nest tf.distribute.Strategy scopes: the model was made outside of this one. Make and compile it in "
            "`strategy.scope()`, or run it outside."
        )


def check_no_strategy(model: Model, name: str) -> None:
    """Checks that a method of generators is not called of a model of a strategy.

    Raises:
        NotImplementedError: if it is.
    """
    if model._distribution_strategy is not None:
        raise NotImplementedError(
            f"`{name}` is not supported for models compiled with tf.distribute.Strategy. Give `{name.split('_')[0]}` a "
            "dataset."
        )


def on_worker(
    method: Callable[Concatenate[Model, _Given], _Result],
) -> Callable[Concatenate[Model, _Given], _Result]:
    """A method of models that runs as a worker of the cluster, where the model's strategy has one."""

    @functools.wraps(method)
    def run_as_worker(model: Model, *args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
        if model._copy_under_strategy is not None:
            of_copy: _Result = run_copy(model, method.__name__, args, kwargs)
            return of_copy
        strategy = getattr(model, "_distribution_strategy", None)
        if (
            strategy is None
            or not strategy.extended._in_multi_worker_mode()
            or get_current_worker_context() is not None
        ):
            return method(model, *args, **kwargs)
        result: _Result = run_distribute_coordinator(
            lambda _: method(model, *args, **kwargs), strategy, mode=CoordinatorMode.INDEPENDENT_WORKER
        )
        return result

    return run_as_worker


def global_batch_size_supported(distribution_strategy: Any) -> bool:
    """Whether batches under a strategy are those of all replicas together; those of contrib's are of one replica each."""
    return bool(distribution_strategy.extended._global_batch_size)


def part_of_worker(model: Model, dataset: Any) -> Any:
    """What this process takes of a dataset: where several workers train a model, its part of each batch or of the files."""
    strategy = model._distribution_strategy
    context = getattr(strategy.extended, "_input_context", None) if strategy is not None else None
    if context is None or not strategy.extended._in_multi_worker_mode():
        return dataset
    pipelines = context().num_input_pipelines
    return auto_shard_dataset(rebatch(dataset, pipelines), pipelines, context().input_pipeline_id)


def run(model: Model, mode: str, inputs: Any, targets: Sequence[Any], sample_weights: Sequence[Any]) -> Any:
    """Runs a batch in a mode, a part of it on each replica.

    Args:
        model: the model.
        mode: "train", "test" or "predict".
        inputs, targets, sample_weights: the whole batch.

    Returns:
        as `training_eager.run`: the sum of the replicas' losses and the metrics of the whole, or all outputs.
    """
    strategy = model._distribution_strategy
    extended = strategy.extended
    devices = extended.worker_devices

    def run_part(x: Any, y: Sequence[Any], weights: Sequence[Any]) -> Any:
        with step_of_replica():
            return training_eager.run(model, mode, x, list(y), list(weights))

    parts = split_batch((inputs, tuple(targets or ()), tuple(sample_weights or ())), devices)
    with strategy.scope():
        batch = regroup(extended._device_map, parts) if len(parts) > 1 else parts[0]
        given = strategy.experimental_run_v2(run_part, args=batch)
        if mode == PREDICT:
            return nest.map_structure(lambda output: _whole(strategy, output), given)
        loss, *others = given
        total = strategy.reduce(ReduceOp.SUM, loss, axis=None)
        return [total, *(extended._local_results(value)[0] for value in others)]


def _whole(strategy: Any, output: Any) -> Any:
    parts = strategy.experimental_local_results(output)
    return parts[0] if len(parts) == 1 else composing.concat(list(parts), 0)


def _of_several_tasks(model: Model) -> bool:
    """Whether variables lie on other tasks than what is computed of them: a function would be one task's."""
    extended = model._distribution_strategy.extended
    return isinstance(extended, ParameterServerExtended) and extended._in_multi_worker_mode()


def function_of(model: Model, mode: str) -> Any:
    """The function for batches of a mode in a graph: it is fed a whole batch, and divides it among the replicas.

    Args:
        model: the model.
        mode: "train", "test" or "predict".
    """
    fed = model._fed(mode)
    endpoints = [endpoint for endpoint in model._training_endpoints if not endpoint.should_skip_target()]
    inputs = model._feed_inputs[0] if len(model._feed_inputs) == 1 else list(model._feed_inputs)
    targets = [] if mode == PREDICT else [endpoint.target for endpoint in endpoints]
    weights = [] if mode == PREDICT else [endpoint.sample_weight for endpoint in endpoints]
    if all(weight is None for weight in weights):
        weights = []
    with get_graph().as_default(), name_scope({"train": "training", "test": "evaluation"}.get(mode, mode)):
        if mode == TRAIN and isinstance(model.optimizer, OptimizerV2):
            # In this name scope, which is not that of the function's body.
            with model._distribution_strategy.scope(), name_scope(model.optimizer._name):
                model.optimizer._create_all_weights(model._unique_trainable_weights)
        # Updates come after one another as they were written.
        if _of_several_tasks(model):
            with AutomaticControlDependencies() as order:
                made = [
                    order.mark_as_return(value) for value in nest.flatten(run(model, mode, inputs, targets, weights))
                ]
        else:
            whole = polymorphic_function(lambda *batch: run(model, mode, *batch), autograph=False)
            made = nest.flatten(whole(inputs, targets, weights))
        return function(fed, made, name=f"{mode}_function", **getattr(model, "_function_kwargs", {}))
