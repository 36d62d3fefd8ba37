"""`replicate_model_fn`: a model function that puts copies of a model on several devices, each with a part of the batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headrace.contrib.estimator.tower_optimizer import forget_towers, sum_on_device, tower_state
from headrace.core.collections import GraphKeys
from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_collection, name_scope
from headrace.core.defaults import device as on_device
from headrace.core.device import DeviceSpec
from headrace.devices.listing import list_local_devices
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import zeros_like
from headrace.losses.weighting import Reduction
from headrace.messages import protos
from headrace.ops.array.shape import reshape
from headrace.ops.array.split import split
from headrace.ops.flow.grouping import group
from headrace.ops.sparse.slice import sparse_split
from headrace.saved_model.export_output import ClassificationOutput, ExportOutput, PredictOutput, RegressionOutput
from headrace.sessions.cluster import STANDARD_PS_OPS, RoundRobinStrategy
from headrace.state.updates import assign, assign_add
from headrace.state.variable_scope import variable_scope
from headrace.util import tf_logging
from headrace.util.inspection import fn_args

if TYPE_CHECKING:
    from headrace.core.operation import Operation
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
    return replicate_model_fn_with_mode(model_fn, loss_reduction, devices)


class VariableDistributionMode:
    """Where the variables of a replicated model are."""

    SHARED_LOCAL_PARAMETER_SERVER = 1  # all in one place
    SHARED_ROUND_ROBIN = 2  # on the devices of the copies, in turn


def replicate_model_fn_with_mode(
    model_fn: ModelFn,
    loss_reduction: str,
    devices: Sequence[str] | None = None,
    mode: int = VariableDistributionMode.SHARED_LOCAL_PARAMETER_SERVER,
) -> ModelFn:
    """What `replicate_model_fn` gives, with its variables placed by a `VariableDistributionMode`.

    Args:
        model_fn, loss_reduction, devices: as of `replicate_model_fn`.
        mode: where the variables are.

    Raises:
        ValueError: if losses are not reduced.
    """
    if loss_reduction == Reduction.NONE:
        raise ValueError("Tower losses need to be reduced in some way, yet none reduction is specified.")
    places = list(devices or local_devices("GPU") or local_devices("CPU")[:1])
    alone = len(places) == 1
    gathered_on = places[0] if alone and "gpu" in places[0].lower() else "/CPU:0"
    variables_on = places if mode == VariableDistributionMode.SHARED_ROUND_ROBIN else [gathered_on]
    tf_logging.info(
        f"Replicating the `model_fn` across {places}.  Variables are going to be placed on {variables_on}.  "
        f"Consolidation device is going to be {gathered_on}."
    )

    def replicated(features: Any, labels: Any, mode: str, params: Any = None, config: Any = None) -> EstimatorSpec:
        forget_towers()
        try:
            parts, label_parts = (
                ([features], [labels]) if alone else split_batch(features, labels, len(places), "/cpu:0")
            )
            specs = get_loss_towers(
                model_fn, mode, parts, label_parts, params, config, places, variables_on, loss_reduction
            )
            return specs[0] if alone else _together(specs, mode, gathered_on)
        finally:
            forget_towers()

    return replicated


def local_devices(device_type: str) -> list[str]:
    """The names of this machine's devices of a type.

    Args:
        device_type: such as `GPU`.
    """
    return [found.name for found in list_local_devices() if found.device_type == device_type]


def get_loss_towers(
    model_fn: ModelFn,
    mode: str | None,
    features: Sequence[Any],
    labels: Sequence[Any],
    params: Any,
    config: Any,
    devices: Sequence[str],
    local_ps_devices: Sequence[str],
    loss_reduction: str,
    name_scope_pattern: str = "tower_{}",
) -> list[EstimatorSpec]:
    """What the copies of a model give, each with its part of the loss.

    Args:
        model_fn: the model function.
        mode, params, config: its other arguments.
        features, labels: of each copy.
        devices: where the copies are.
        local_ps_devices: where the variables are, in turn.
        loss_reduction: how losses are reduced.
        name_scope_pattern: from the number of a copy after the first to the scope of its names.

    Raises:
        ValueError: if a model is trained by an optimizer that is not wrapped.
    """
    given = {"mode": mode, "params": params, "config": config}
    taken = {name: value for name, value in given.items() if name in fn_args(model_fn)}
    chosen_in_turn = RoundRobinStrategy(len(local_ps_devices))
    specs = []
    for i, where in enumerate(devices):
        placing = local_device_setter(where, local_ps_devices, chosen_in_turn)
        labels_too = {"labels": labels[i]} if "labels" in fn_args(model_fn) else {}
        with _scope_of(i, name_scope_pattern), on_device(placing), tower_state().tower(i, len(devices), loss_reduction):
            spec = model_fn(features=features[i], **labels_too, **taken)
            if spec.train_op is not None and len(devices) > 1 and not tower_state().is_used:
                raise ValueError(
                    "Please wrap optimizers with TowerOptimizer in order to use replicate_model_fn with multiple `devices`."
                )
            if spec.loss is not None:
                spec = spec._replace(loss=tower_state().scaled(spec.loss))
        specs.append(spec)
    return specs


def local_device_setter(
    worker_device: str, ps_devices: Sequence[str], ps_strategy: Callable[[Any], int]
) -> Callable[[Any], str]:
    """A function for `tf.device` that puts variables on some devices, and all else on one.

    Args:
        worker_device: the device of all else.
        ps_devices: those of variables.
        ps_strategy: from an operation to the number of its device.
    """

    def choose(op: Any) -> str:
        holds = (op if isinstance(op, protos.NodeDef) else op.node_def).op in STANDARD_PS_OPS
        spec = DeviceSpec.from_string(ps_devices[ps_strategy(op)] if holds else worker_device)
        spec.merge_from(DeviceSpec.from_string(op.device or ""))
        return spec.to_string()

    return choose


def _together(specs: Sequence[EstimatorSpec], mode: str, gathered_on: str) -> EstimatorSpec:
    """All copies as one.

    Raises:
        ValueError: if not all call the same optimizers.
    """
    tower_state().check()
    if mode == ModeKeys.PREDICT:
        return predict_spec(specs, gathered_on)
    if mode == ModeKeys.EVAL:
        return eval_spec(specs, gathered_on)
    return train_spec(specs, specs[-1].train_op, gathered_on)


@contextmanager
def _scope_of(tower: int, pattern: str) -> Iterator[None]:
    """The first copy makes the variables, and the others use them: scopes and layers without a name are counted anew."""
    with variable_scope("", reuse=tower > 0), name_scope(pattern.format(tower) if tower else ""):
        yield


def split_batch(features: Any, labels: Any, number_of_shards: int, device: str) -> tuple[list[Any], list[Any]]:
    """Equal parts of a batch.

    Args:
        features, labels: tensors, sparse tensors, or dictionaries of them.
        number_of_shards: how many parts.
        device: where they are made.

    Raises:
        ValueError: if the size of the batch is no multiple of the number.
    """
    with name_scope("split_inputs"), on_device(device):
        return _split(features, number_of_shards), _split(labels, number_of_shards)


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


def train_spec(
    tower_specs: Sequence[EstimatorSpec],
    train_op: Any,
    aggregation_device: str,
    aggregated_loss_name: str = "loss",
) -> EstimatorSpec:
    """That of the last copy, with the loss of all.

    Args:
        tower_specs: those of the copies.
        train_op: what trains them.
        aggregation_device: where what is of all is computed.
        aggregated_loss_name: the name of the loss.
    """
    loss = sum_on_device([spec.loss for spec in tower_specs], aggregation_device, aggregated_loss_name)
    return tower_specs[-1]._replace(loss=loss, train_op=train_op)


def eval_spec(
    tower_specs: Sequence[EstimatorSpec], aggregation_device: str, aggregated_loss_name: str = "loss"
) -> EstimatorSpec:
    """The metrics of the first copy, with what the others have counted added to it.

    Args:
        tower_specs, aggregation_device, aggregated_loss_name: as of `train_spec`.
    """
    loss = sum_on_device([spec.loss for spec in tower_specs], aggregation_device, aggregated_loss_name)
    updates = [update for spec in tower_specs for _, update in spec.eval_metric_ops.values()]
    with control_dependencies(updates):
        reduced = reduce_metric_variables(len(tower_specs))
    metrics = {name: (value, reduced) for name, (value, _) in tower_specs[0].eval_metric_ops.items()}
    return tower_specs[0]._replace(loss=loss, eval_metric_ops=metrics)


def reduce_metric_variables(number_of_towers: int) -> Operation:
    """Adds each variable of the other copies' metrics to that of the first, and lets it begin anew.

    Args:
        number_of_towers: how many copies there are.

    Raises:
        ValueError: if the copies have different numbers of such variables.
    """
    variables = get_collection(GraphKeys.METRIC_VARIABLES)
    if len(variables) % number_of_towers:
        raise ValueError(
            "The calls of `model_fn()` gave different `EstimatorSpec.eval_metric_ops`. Expected "
            f"{len(variables) // number_of_towers * number_of_towers} local variables, but got {len(variables)} instead."
        )
    each = len(variables) // number_of_towers
    made: list[Any] = []
    for i in range(each) if number_of_towers > 1 else ():
        others = variables[i + each :: each]
        with control_dependencies([assign_add(variables[i], sum_on_device(others, variables[i].device))]):
            made += [assign(other, zeros_like(other)) for other in others]
    return group(*made)


def concat_tensor_dicts(*tensor_dicts: Mapping[str, Any]) -> dict[str, Tensor]:
    """Of each key, the tensors of the dictionaries that have it, one after the other.

    Args:
        tensor_dicts: the dictionaries.
    """
    parts: dict[str, list[Any]] = {}
    for given in tensor_dicts:
        for key, value in given.items():
            parts.setdefault(key, []).append(convert_to_tensor(value))
    return {
        key: concat([part if part.shape.ndims else reshape(part, [1]) for part in values], 0, name=key)
        for key, values in parts.items()
    }


def predict_spec(tower_specs: Sequence[EstimatorSpec], aggregation_device: str) -> EstimatorSpec:
    """The predictions of all copies, one after the other.

    Args:
        tower_specs, aggregation_device: as of `train_spec`.
    """
    with on_device(aggregation_device):
        predictions = _joined([spec.predictions for spec in tower_specs])
        outputs = {
            key: _joined_output([(spec.export_outputs or {})[key] for spec in tower_specs])
            for key in tower_specs[0].export_outputs or {}
        }
    return tower_specs[0]._replace(predictions=predictions, export_outputs=outputs)


def _joined(parts: Sequence[Any]) -> Any:
    if isinstance(parts[0], Mapping):
        return concat_tensor_dicts(*parts)
    return concat_tensor_dicts(*({"concat": part} for part in parts))["concat"]


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
