"""Training and evaluating an estimator's model under a distribution strategy: the model function is called for each replica."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection, get_default_graph
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.random_seed import set_random_seed
from headrace.estimator.eval_metrics import metrics_of, update_and_values
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec, value_and_update
from headrace.estimator.util import DatasetInitializerHook
from headrace.ops.flow.grouping import group
from headrace.sessions.scaffold import Scaffold
from headrace.state.global_step import GLOBAL_STEP_READ_KEY, get_global_step
from headrace.state.modes import ReduceOp
from headrace.state.replication import get_loss_reduction

if TYPE_CHECKING:
    from headrace.estimator.estimator import Estimator
    from headrace.sessions.session_run_hook import SessionRunHook


def iterator_from_input_fn(
    estimator: Estimator, input_fn: Callable[..., Any], mode: str, distribution: Any = None
) -> tuple[Any, list[Any]]:
    """An iterator over the inputs, of all replicas of a strategy if there is one, and the hooks that initialize it.

    Args:
        estimator: who calls the function.
        input_fn: it returns a dataset.
        mode: a `ModeKeys`.
        distribution: the strategy, or None.
    """
    if distribution is None:
        iterator = estimator._call_input_fn(input_fn, mode).make_initializable_iterator()
    else:
        iterator = distribution.make_input_fn_iterator(
            lambda context: estimator._call_input_fn(input_fn, mode, context)
        )
    return iterator, [DatasetInitializerHook(iterator)]


def _next_inputs(iterator: Any) -> tuple[Any, Any]:
    """Features and labels of all replicas."""
    element = iterator.get_next()
    if isinstance(element, (list, tuple)):
        if len(element) != 2:
            raise ValueError(
                f"input_fn should return (features, labels) as a len 2 tuple, got {len(element)} elements."
            )
        return element[0], element[1]
    return element, None


def _combined_scaffold(strategy: Any, scaffolds: Any) -> Scaffold:
    """One scaffold of those that the replicas' model functions gave."""
    all_of_them = strategy.experimental_local_results(scaffolds)
    first: Scaffold = all_of_them[0]
    given: dict[str, Any] = {}
    for name in ("init_op", "local_init_op"):
        operations = [getattr(scaffold, name) for scaffold in all_of_them]
        operations = [operation for operation in operations if isinstance(operation, Operation)]
        if operations:
            given[name] = group(*operations)
    return Scaffold(copy_from_scaffold=first, **given) if given else first


def _of_first(strategy: Any, hooks: Sequence[Any]) -> list[SessionRunHook]:
    """The hooks of the first replica."""
    return [strategy.experimental_local_results(hook)[0] for hook in hooks]


def train(
    estimator: Estimator, strategy: Any, input_fn: Callable[..., Any], hooks: list[SessionRunHook], listeners: list[Any]
) -> Any:
    """`Estimator.train` under a strategy; returns the loss of the last step."""
    # The losses of replicas are means over their batches.
    strategy._scale_loss_for_estimator = True
    with Graph().as_default() as graph, strategy.scope():
        set_random_seed(estimator._config.tf_random_seed)
        iterator, input_hooks = estimator._get_iterator_from_input_fn(input_fn, ModeKeys.TRAIN, strategy)
        step = estimator._create_and_assert_global_step(graph)
        # Made here, for code that runs for a replica is not where the collection is looked for.
        add_to_collection(GLOBAL_STEP_READ_KEY, strategy.extended.read_var(step))
        features, labels = _next_inputs(iterator)

        def model(features: Any, labels: Any) -> tuple[Any, ...]:
            spec = estimator._call_model_fn(features, labels, ModeKeys.TRAIN, estimator.config)
            return spec.loss, spec.train_op, spec.scaffold, list(spec.training_hooks), list(spec.training_chief_hooks)

        loss, train_op, scaffold, training_hooks, chief_hooks = strategy.extended.call_for_each_replica(
            model, args=(features, labels)
        )
        scaled = getattr(get_default_graph(), "_is_loss_scaled_by_optimizer", False)
        spec = EstimatorSpec(
            mode=ModeKeys.TRAIN,
            loss=strategy.reduce(get_loss_reduction() if scaled else ReduceOp.SUM, loss, axis=None),
            train_op=strategy.group(train_op),
            scaffold=_combined_scaffold(strategy, scaffold),
            training_hooks=_of_first(strategy, training_hooks),
            training_chief_hooks=_of_first(strategy, chief_hooks),
        )
        return estimator._train_with_estimator_spec(spec, input_hooks, hooks, step, listeners)


def build_evaluation(
    estimator: Estimator,
    strategy: Any,
    graph: Graph,
    input_fn: Callable[..., Any],
    hooks: list[SessionRunHook],
    checkpoint_path: str | None,
) -> tuple[Scaffold, Operation, dict[str, Any], list[SessionRunHook]]:
    """`evaluating.build` under a strategy, in its scope: arguments and results as there."""
    set_random_seed(estimator._config.tf_random_seed)
    estimator._create_and_assert_global_step(graph)
    iterator, input_hooks = estimator._get_iterator_from_input_fn(input_fn, ModeKeys.EVAL, strategy)
    features, labels = _next_inputs(iterator)

    def model(features: Any, labels: Any) -> tuple[Any, ...]:
        spec = estimator._call_model_fn(features, labels, ModeKeys.EVAL, estimator.config)
        metrics = metrics_of(spec)
        pairs = {name: value_and_update(metric) for name, metric in sorted(metrics.items())}
        return pairs, spec.scaffold, list(spec.evaluation_hooks)

    pairs, scaffold, evaluation_hooks = strategy.extended.call_for_each_replica(model, args=(features, labels))
    estimator._maybe_warm_start(checkpoint_path)
    metrics = {
        name: (strategy.experimental_local_results(value)[0], strategy.group(update))
        for name, (value, update) in pairs.items()
    }
    update, values = update_and_values(metrics, get_global_step(graph))
    values[GraphKeys.GLOBAL_STEP] = strategy.extended.read_var(values[GraphKeys.GLOBAL_STEP])
    all_hooks = [*input_hooks, *hooks, *_of_first(strategy, evaluation_hooks)]
    return _combined_scaffold(strategy, scaffold), update, values, all_hooks
