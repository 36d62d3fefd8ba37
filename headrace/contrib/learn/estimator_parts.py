"""What estimators of `tf.contrib.learn` are put together from: inputs, batches of predictions and metrics."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.learn.model_outputs import ModelFnOps
from headrace.core.composite import SparseTensor
from headrace.core.dtypes import DType
from headrace.core.graph import Graph
from headrace.core.shapes import TensorShape
from headrace.estimator.model_fn import EstimatorSpec
from headrace.estimator.predicting import batch_length
from headrace.estimator.util import parse_input_fn_result
from headrace.functions.sparse.building import sparse_placeholder
from headrace.ops.array.constant import placeholder
from headrace.ops.flow.grouping import group
from headrace.sessions.monitored_session import MonitoredSession
from headrace.sessions.session_creators import ChiefSessionCreator

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.sessions.session_run_hook import SessionRunHook


def batches(
    graph: Graph, creator: ChiefSessionCreator, hooks: Sequence[SessionRunHook], predictions: Any, once: bool
) -> Generator[Any, None, None]:
    with graph.as_default():
        session = MonitoredSession(creator, hooks)
    with session:
        while not session.should_stop():
            yield session.run(predictions)
            if once:
                return


def examples(batches: Iterator[Any]) -> Iterator[Any]:
    for batch in batches:
        if not isinstance(batch, dict):
            yield from batch
            continue
        for i in range(batch_length(batch)):
            yield {key: value[i] for key, value in batch.items()}


def inputs(input_fn: Callable[[], Any]) -> tuple[Any, Any, list[SessionRunHook]]:
    return parse_input_fn_result(input_fn())


def updates_and_values(metrics: Mapping[str, Any]) -> tuple[Operation, dict[str, Any]]:
    """The operation that updates all metrics, and their values by name; a metric may be a value alone."""
    updates, values = [], {}
    for name, metric in metrics.items():
        if isinstance(metric, (tuple, list)):
            value, update = metric
            values[name] = value
            if update is not None:
                updates.append(update)
        else:
            values[name] = metric
    return group(*updates), values


def length(x: Any) -> int | None:
    """How many examples arrays hold; None for iterators."""
    first = next(iter(x.values())) if isinstance(x, dict) else x
    return len(first) if hasattr(first, "__len__") else None


def as_model_fn_ops(results: Any, mode: str) -> ModelFnOps:
    """What a model function returned, in one of the forms it may have."""
    if isinstance(results, ModelFnOps):
        return results
    if isinstance(results, EstimatorSpec):
        return ModelFnOps(
            mode,
            None if isinstance(results.predictions, dict) and not results.predictions else results.predictions,
            results.loss,
            results.train_op,
            dict(results.eval_metric_ops),
            None,
            results.training_chief_hooks,
            results.training_hooks,
            results.scaffold,
        )
    # The oldest form.
    if not isinstance(results, tuple) or len(results) != 3:
        raise ValueError(f"Unrecognized value returned by model_fn, please return ModelFnOps: {results!r}")
    predictions, loss, train_op = results
    return ModelFnOps(mode, predictions, loss, train_op)


class TensorSignature(NamedTuple):
    """What is known of features or labels after a training or an evaluation: their type, shape, and whether they are sparse."""

    dtype: DType
    shape: TensorShape
    is_sparse: bool


def tensor_signatures(tensors: Any) -> Any:
    """The signature of a tensor, or a dict of them; None for None."""
    if isinstance(tensors, Mapping):
        return {name: tensor_signatures(each) for name, each in tensors.items()}
    if tensors is None:
        return None
    return TensorSignature(tensors.dtype, tensors.get_shape(), isinstance(tensors, SparseTensor))


def label_placeholders(signatures: Any) -> Any:
    """Placeholders for labels of such signatures, with batches of any size."""
    if isinstance(signatures, Mapping):
        return {name: label_placeholders(each) for name, each in signatures.items()}
    if signatures is None:
        return None
    if signatures.is_sparse:
        return sparse_placeholder(signatures.dtype)
    rank = signatures.shape.ndims
    shape = None if rank is None else [None, *signatures.shape.as_list()[1:]][:rank]
    return placeholder(signatures.dtype, shape)
