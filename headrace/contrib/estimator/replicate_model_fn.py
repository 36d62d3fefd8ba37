"""`replicate_model_fn`: a model function that puts copies of a model on several devices, each with a part of the batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headrace.contrib.estimator.tower_optimizer import forget_towers, sum_on_device, tower_state
from headrace.core.collections import GraphKeys
from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, device, get_collection, name_scope
from headrace.devices.listing import list_local_devices
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import zeros_like
from headrace.losses.weighting import Reduction
from headrace.ops.array.shape import reshape
from headrace.ops.array.split import split
from headrace.ops.flow.grouping import group
from headrace.ops.sparse.slice import sparse_split
from headrace.saved_model.export_output import ClassificationOutput, ExportOutput, PredictOutput, RegressionOutput
from headrace.state.current_scope import get_variable_scope
from headrace.state.updates import assign, assign_add
from headrace.state.variable_scope import variable_scope
from headrace.util import tf_logging
from headrace.util.inspection import fn_args

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor

ModelFn = Callable[..., EstimatorSpec]


def replicate_model_fn(
    model_fn: ModelFn,
    loss_reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    devices: Sequence[str] | None = None,
) -> ModelFn:
    """A model function that puts a copy of the model on each device, and gives each an equal part of the batch.

    Its optimizers must be wrapped in `TowerOptimizer`.

    Args:
        model_fn: the model function.
        loss_reduction: how the loss is made of those of examples: where it is not `Reduction.SUM`, the loss of the whole is
            the mean of the copies'.
        devices: the devices; all GPUs of this machine by default, or its CPU.

    Raises:
        ValueError: if losses are not reduced.

    Example:
        >>> model_fn = tf.contrib.estimator.replicate_model_fn(model_fn, tf.losses.Reduction.SUM)
        >>> estimator = tf.estimator.Estimator(model_fn)
    """
    if loss_reduction == Reduction.NONE:
        raise ValueError("Tower losses need to be reduced in some way, yet none reduction is specified.")
    places = list(devices or _local_devices("GPU") or _local_devices("CPU")[:1])
    tf_logging.info("Replicating the `model_fn` across %s.", places)

    def replicated(features: Any, labels: Any, mode: str, params: Any = None, config: Any = None) -> EstimatorSpec:
        given = {"mode": mode, "params": params, "config": config}
        taken = {name: value for name, value in given.items() if name in fn_args(model_fn)}
        towers = _Towers(model_fn, loss_reduction, places, "labels" in fn_args(model_fn), taken)
        forget_towers()
        try:
            return towers.alone(features, labels) if len(places) == 1 else towers.together(features, labels, mode)
        finally:
            forget_towers()

    return replicated


def _local_devices(kind: str) -> list[str]:
    return [found.name for found in list_local_devices() if found.device_type == kind]


class _Towers:
    """The copies of a model.

    Args:
        model_fn: the model function.
        reduction: how losses are reduced.
        devices: where the copies are.
        takes_labels: whether the model function does.
        given: its other arguments.
    """

    def __init__(
        self, model_fn: ModelFn, reduction: str, devices: Sequence[str], takes_labels: bool, given: Mapping[str, Any]
    ) -> None:
        self._model_fn, self._reduction, self._devices = model_fn, reduction, devices
        self._takes_labels, self._given = takes_labels, given

    def alone(self, features: Any, labels: Any) -> EstimatorSpec:
        """The one copy."""
        with device(self._devices[0]), tower_state().tower(0, 1, self._reduction):
            return self._call(features, labels)

    def together(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        """All copies as one.

        Raises:
            ValueError: if the batch cannot be split, or a model is trained by an optimizer that is not wrapped.
        """
        count = len(self._devices)
        with name_scope("split_inputs"), device("/cpu:0"):
            parts, label_parts = _split(features, count), _split(labels, count)
        specs = []
        for i, where in enumerate(self._devices):
            with _scope_of(i), device(where), tower_state().tower(i, count, self._reduction):
                spec = self._call(parts[i], label_parts[i])
                if spec.loss is not None:
                    spec = spec._replace(loss=tower_state().scaled(spec.loss))
                specs.append(spec)
        tower_state().check()
        if mode == ModeKeys.PREDICT:
            return _predicting(specs)
        if mode == ModeKeys.EVAL:
            return _evaluating(specs)
        if not tower_state().is_used:
            raise ValueError(
                "Please wrap optimizers with TowerOptimizer in order to use replicate_model_fn with multiple `devices`."
            )
        return specs[-1]._replace(loss=_total_loss(specs))

    def _call(self, features: Any, labels: Any) -> EstimatorSpec:
        labels_too = {"labels": labels} if self._takes_labels else {}
        return self._model_fn(features=features, **labels_too, **self._given)


@contextmanager
def _scope_of(tower: int) -> Iterator[None]:
    """The first copy makes the variables, and the others use them."""
    if tower == 0:
        yield
        return
    with variable_scope(get_variable_scope(), reuse=True, auxiliary_name_scope=False), name_scope(f"tower_{tower}"):
        yield


def _split(values: Any, count: int) -> list[Any]:
    """Equal parts of each tensor, along its first axis."""
    if isinstance(values, Mapping):
        parts = {key: _split(value, count) for key, value in values.items()}
        return [{key: part[i] for key, part in parts.items()} for i in range(count)]
    if values is None:
        return [None] * count
    if isinstance(values, SparseTensor):
        return list(sparse_split(sp_input=values, num_split=count, axis=0))
    values = convert_to_tensor(values)
    size = values.shape[0].value if values.shape.ndims else None
    if size is not None and size % count:
        raise ValueError(f"Batch size {size} needs to be divisible by the number of GPUs, which is {count}.")
    return list(split(values, count))


def _total_loss(specs: Sequence[EstimatorSpec]) -> Tensor:
    total: Tensor = sum_on_device([spec.loss for spec in specs], "/cpu:0", "loss")
    return total


def _evaluating(specs: Sequence[EstimatorSpec]) -> EstimatorSpec:
    """The metrics of the first copy, with what the others have counted added to it."""
    updates = [update for spec in specs for _, update in spec.eval_metric_ops.values()]
    with device("/cpu:0"), control_dependencies(updates):
        reduced = _reduce_metric_variables(len(specs))
    metrics = {name: (value, reduced) for name, (value, _) in specs[0].eval_metric_ops.items()}
    return specs[0]._replace(loss=_total_loss(specs), eval_metric_ops=metrics)


def _reduce_metric_variables(number_of_towers: int) -> Any:
    """Adds each variable of the other copies' metrics to that of the first, and lets it begin anew."""
    variables = get_collection(GraphKeys.METRIC_VARIABLES)
    if len(variables) % number_of_towers:
        raise ValueError(
            f"Expected as many local variables of metrics in each of {number_of_towers} towers, but got {len(variables)} in "
            "all instead."
        )
    each = len(variables) // number_of_towers
    made: list[Any] = []
    if number_of_towers == 1:
        return group()
    for i in range(each):
        others = variables[i + each :: each]
        with control_dependencies([assign_add(variables[i], sum_on_device(others, variables[i].device))]):
            made += [assign(other, zeros_like(other)) for other in others]
    return group(*made)


def _joined(parts: Sequence[Any], name: str = "concat") -> Any:
    if isinstance(parts[0], Mapping):
        return {key: _joined([part[key] for part in parts], str(key)) for key in parts[0]}
    return concat([part if part.shape.ndims else reshape(part, [1]) for part in parts], 0, name=name)


def _joined_output(parts: Sequence[Any]) -> ExportOutput:
    first = parts[0]
    if isinstance(first, PredictOutput):
        return PredictOutput(_joined([part.outputs for part in parts]))
    if isinstance(first, RegressionOutput):
        return RegressionOutput(_joined([part.value for part in parts]))
    if isinstance(first, ClassificationOutput):
        scores = None if first.scores is None else _joined([part.scores for part in parts])
        classes = None if first.classes is None else _joined([part.classes for part in parts])
        return ClassificationOutput(scores, classes)
    raise ValueError(f"Export outputs of {type(first).__name__} cannot be joined from several devices.")


def _predicting(specs: Sequence[EstimatorSpec]) -> EstimatorSpec:
    """The predictions of all copies, one after the other."""
    with device("/cpu:0"):
        predictions = _joined([spec.predictions for spec in specs])
        outputs = {
            key: _joined_output([(spec.export_outputs or {})[key] for spec in specs])
            for key in specs[0].export_outputs or {}
        }
    return specs[0]._replace(predictions=predictions, export_outputs=outputs)
