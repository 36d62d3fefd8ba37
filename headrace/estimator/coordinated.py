"""Estimators whose tasks a distribute coordinator runs: each worker has a copy, with the strategy and task it is told."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from headrace.distribute.coordinator import CoordinatorMode, run_distribute_coordinator
from headrace.distribute.coordinator_worker import CoordinatedWorker, TaskType
from headrace.sessions.hooks import StopAtStepHook
from headrace.sessions.worker_context import get_current_worker_context
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.estimator.estimator import Estimator
    from headrace.estimator.run_config import RunConfig
    from headrace.estimator.training import EvalSpec, TrainingExecutor, TrainSpec
    from headrace.sessions.session_run_hook import SessionRunHook

_Result = TypeVar("_Result")


def should_run_distribute_coordinator(config: RunConfig) -> bool:
    """Whether a distribute coordinator runs the tasks of a configuration's cluster.

    Args:
        config: the configuration.
    """
    return getattr(config, "_distribute_coordinator_mode", None) is not None


def _worker() -> CoordinatedWorker:
    worker = get_current_worker_context()
    assert isinstance(worker, CoordinatedWorker)  # the coordinator runs who asks
    return worker


def _for_worker(estimator: Estimator, name: str, strategy: Any) -> Estimator:
    """A copy of an estimator for the worker that this thread is.

    Args:
        estimator: the estimator.
        name: "train_distribute" or "eval_distribute": what the strategy is for.
        strategy: the worker's.
    """
    local = copy.copy(estimator)
    local._config = config = estimator._config._for_worker(_worker())
    if name == "train_distribute":
        config._train_distribute = local._train_strategy = strategy
    else:
        config._eval_distribute = local.eval_strategy = strategy
        # A training session takes the worker's settings by itself.
        local._session_config = _worker().session_config
    tf_logging.info("Updated config: %s", str(vars(config)))
    return local


def train_and_evaluate(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec, executor_cls: type[TrainingExecutor]
) -> None:
    """Runs the task that this process is, or with a cluster of servers all tasks, each in a thread.

    Args:
        estimator, train_spec, eval_spec: as of `tf.estimator.train_and_evaluate`.
        executor_cls: made of an estimator and the two; its `run_evaluator` evaluates until training ends.
    """
    config = estimator._config
    mode = config._distribute_coordinator_mode

    def train(strategy: Any) -> None:
        local = _for_worker(estimator, "train_distribute", strategy)
        # Hooks of one process are those of one graph: the chief's.
        has_hooks = mode == CoordinatorMode.INDEPENDENT_WORKER or _worker().is_chief
        hooks = train_spec.hooks if has_hooks else ()
        local.train(train_spec.input_fn, hooks=hooks, max_steps=train_spec.max_steps)

    def evaluate(strategy: Any) -> None:
        local = _for_worker(estimator, "eval_distribute", strategy)
        executor_cls(local, train_spec, eval_spec).run_evaluator()

    run_distribute_coordinator(
        train,
        config.train_distribute,
        evaluate,
        config.eval_distribute,
        mode=mode or CoordinatorMode.INDEPENDENT_WORKER,
        cluster_spec=config.cluster_spec if mode == CoordinatorMode.STANDALONE_CLIENT else None,
        session_config=copy.deepcopy(config.session_config),
    )


def estimator_train(
    estimator: Estimator,
    train_distributed_fn: Callable[[Estimator, Any, list[SessionRunHook]], _Result],
    hooks: list[SessionRunHook],
) -> _Result | None:
    """Trains in a thread for each worker of a cluster of servers.

    Args:
        estimator: the estimator.
        train_distributed_fn: of a worker's copy of it, its strategy and its hooks.
        hooks: the chief's; other workers only stop when it does.

    Returns:
        what the function returned, where one call trains for all workers.

    Raises:
        ValueError: if the cluster's tasks run themselves, or each worker has a graph of its own: `train_and_evaluate` does
            what each has to; or if there is an evaluator.
    """
    strategy = estimator._config.train_distribute
    _check_alone(estimator._config, "estimator.train")
    _check_one_graph(strategy, "Estimator.train")

    def train(strategy: Any) -> _Result:
        local = _for_worker(estimator, "train_distribute", strategy)
        if _worker().is_chief:
            return train_distributed_fn(local, strategy, hooks)
        stopping: list[SessionRunHook] = [copy.copy(hook) for hook in hooks if isinstance(hook, StopAtStepHook)]
        return train_distributed_fn(local, strategy, stopping)

    return _run_alone(estimator._config, train, strategy)


def estimator_evaluate(
    estimator: Estimator,
    evaluate_distributed_fn: Callable[[Estimator, Any, list[SessionRunHook]], _Result],
    hooks: list[SessionRunHook],
) -> _Result | None:
    """Evaluates on the workers of a cluster of servers; arguments and errors as of `estimator_train`."""
    _check_alone(estimator._config, "Estimator.evaluate")
    _check_one_graph(estimator._config.eval_distribute, "Estimator.evaluate")

    def evaluate(strategy: Any) -> _Result:
        local = _for_worker(estimator, "eval_distribute", strategy)
        return evaluate_distributed_fn(local, strategy, hooks if _worker().is_chief else [])

    return _run_alone(estimator._config, evaluate, estimator._config.eval_distribute)


def _check_alone(config: RunConfig, what: str) -> None:
    """Raises ValueError unless one process runs all workers, and there are no others."""
    if config._distribute_coordinator_mode != CoordinatorMode.STANDALONE_CLIENT:
        raise ValueError(f"Only `STANDALONE_CLIENT` mode is supported when you call `{what}`")
    if TaskType.EVALUATOR in config.cluster_spec.jobs:
        raise ValueError("'evaluator' job is not supported if you don't use `train_and_evaluate`")


def _check_one_graph(strategy: Any, what: str) -> None:
    """Raises ValueError if workers have graphs of their own, of which none is the caller's."""
    if strategy.extended.experimental_between_graph:
        raise ValueError(
            f"`{what}` API is not supported for {type(strategy).__name__} with `STANDALONE_CLIENT` mode. Call "
            "`train_and_evaluate`."
        )


def _run_alone(config: RunConfig, function: Callable[[Any], _Result], strategy: Any) -> _Result | None:
    result: _Result | None = run_distribute_coordinator(
        function,
        strategy,
        mode=CoordinatorMode.STANDALONE_CLIENT,
        cluster_spec=config.cluster_spec,
        session_config=copy.deepcopy(config.session_config),
    )
    return result
