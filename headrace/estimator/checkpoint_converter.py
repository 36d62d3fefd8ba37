"""Checkpoints of the canned estimators of `tf.compat.v1` as those of `tf.compat.v2` read them.

The weights keep their names. What optimizers remember moves to the names that Keras' optimizers give it, and their
settings, which are constants of the graph in the one, become variables in the other.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from headrace.checkpoints.checkpoint_utils import load_checkpoint
from headrace.checkpoints.saver import Saver
from headrace.core.errors import NotFoundError
from headrace.core.graph import Graph
from headrace.files import file_io
from headrace.files.paths import as_path
from headrace.messages import protos
from headrace.messages.tensor_proto import array_of
from headrace.runtime.session import Session
from headrace.state.collecting import global_variables_initializer
from headrace.state.variables import VariableV1

if TYPE_CHECKING:
    from pathlib import Path

_PARTS = {"dnn": ("dnn",), "linear": ("linear",), "combined": ("dnn", "linear")}
_STEP = "global_step"
# What a partition leaves of itself in the name of a slot.
_PARTITION = re.compile(r"/(?:par)?t_\d+$")


class _Counterpart(NamedTuple):
    """A Keras optimizer: its name, its slots by the ends of the older names, its settings by name."""

    name: str
    slots: Mapping[str, str]
    # Each with the older name, and what it is where the graph does not tell.
    settings: Mapping[str, tuple[str | None, float]]


_OPTIMIZERS = {
    "Adagrad": _Counterpart(
        "Adagrad", {"": "accumulator"}, {"learning_rate": ("learning_rate", 0.001), "decay": (None, 0.0)}
    ),
    "Adam": _Counterpart(
        "Adam",
        {"": "m", "_1": "v"},
        {
            "learning_rate": ("learning_rate", 0.001),
            "beta_1": ("beta1", 0.9),
            "beta_2": ("beta2", 0.999),
            "decay": (None, 0.0),
        },
    ),
    "Ftrl": _Counterpart(
        "Ftrl",
        {"": "accumulator", "_1": "linear"},
        {
            "learning_rate": ("learning_rate", 0.001),
            "learning_rate_power": ("learning_rate_power", -0.5),
            "l1_regularization_strength": ("l1_regularization_strength", 0.0),
            "l2_regularization_strength": ("l2_regularization_strength", 0.0),
            "decay": (None, 0.0),
        },
    ),
    "RMSProp": _Counterpart(
        "RMSprop",
        {"": "rms", "_1": "momentum"},
        {
            "learning_rate": ("learning_rate", 0.001),
            "rho": ("decay", 0.9),
            "momentum": ("momentum", 0.0),
            "decay": (None, 0.0),
        },
    ),
    "GradientDescent": _Counterpart(
        "SGD", {}, {"learning_rate": ("learning_rate", 0.01), "momentum": (None, 0.0), "decay": (None, 0.0)}
    ),
}


def convert_checkpoint(
    estimator_type: str, source_checkpoint: str | Path, source_graph: str | Path, target_checkpoint: str | Path
) -> None:
    """Converts a checkpoint of an older canned estimator to one that the newer of its kind goes on from.

    Args:
        estimator_type: "dnn", "linear" or "combined".
        source_checkpoint: the path of the checkpoint.
        source_graph: the `graph.pbtxt` beside it, which holds the settings of optimizers.
        target_checkpoint: the path to write to.

    Raises:
        ValueError: for another type, or a combined model both of whose parts are trained by gradient descent.
        NotFoundError: if there is no such checkpoint or graph.
    """
    if estimator_type not in _PARTS:
        raise ValueError(f"estimator_type should be one of {sorted(_PARTS)}, got {estimator_type!r}")
    reader = load_checkpoint(as_path(source_checkpoint))
    values = {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}
    constants = _constants(as_path(source_graph))
    found = [_optimizer_of(part, values) for part in _PARTS[estimator_type]]
    if found == ["GradientDescent", "GradientDescent"]:
        raise ValueError(
            "Two `SGD` optimizers are used in DNNLinearCombined model, and this is not handled by the checkpoint converter."
        )
    converted: dict[str, Any] = {}
    for part, optimizer in zip(_PARTS[estimator_type], found, strict=True):
        converted.update(_converted(part, optimizer, values, constants))
    if estimator_type == "combined":
        # The network's optimizer counts in the global step.
        converted[f"training/{_OPTIMIZERS[found[1]].name}/iter"] = values[_STEP]
    kept = {name: value for name, value in values.items() if not _is_of_optimizer(name)}
    _write({**kept, **converted}, as_path(target_checkpoint))


def _optimizer_of(part: str, values: Mapping[str, Any]) -> str:
    for optimizer in _OPTIMIZERS:
        if any(name.startswith(f"{part}/") and name.endswith(f"/{optimizer}") for name in values):
            return optimizer
    return "GradientDescent"


def _is_of_optimizer(name: str) -> bool:
    end = name.rpartition("/")[2]
    slots = {f"{kind}{suffix}" for kind, counterpart in _OPTIMIZERS.items() for suffix in counterpart.slots}
    return end in slots or re.fullmatch(r"beta[12]_power(_\d+)?", end) is not None


def _converted(
    part: str, optimizer: str, values: Mapping[str, Any], constants: Mapping[str, float]
) -> dict[str, np.ndarray | np.float32]:
    name, slots, settings = _OPTIMIZERS[optimizer]
    made: dict[str, Any] = {}
    for key, (older, default) in settings.items():
        known = None if older is None else constants.get(f"{optimizer}/{older}")
        made[f"training/{name}/{key}"] = np.float32(default if known is None else known)
    with_momentum = made.get(f"training/{name}/momentum", 0.0) != 0.0
    for variable, value in values.items():
        base, _, end = variable.rpartition("/")
        suffix = end.removeprefix(optimizer)
        if not variable.startswith(f"{part}/") or suffix == end or suffix not in slots:
            continue
        if slots[suffix] == "momentum" and not with_momentum:
            continue
        made[f"training/{name}/{_PARTITION.sub('', base)}/{slots[suffix]}"] = value
    return made


def _constants(path: str) -> dict[str, float]:
    """The numbers that a graph in a text file holds, by the last two parts of their names."""
    from google.protobuf import text_format

    if not file_io.file_exists(path):
        raise NotFoundError(None, None, f"{path}; No such file or directory")
    graph_def = text_format.Parse(file_io.read_file_to_string(path), protos.GraphDef())
    found: dict[str, float] = {}
    for node in graph_def.node:
        if node.op == "Const" and not node.attr["value"].tensor.tensor_shape.dim:
            value = array_of(node.attr["value"].tensor)
            if value.dtype.kind == "f":
                found["/".join(node.name.split("/")[-2:])] = float(value)
    return found


def _write(values: Mapping[str, Any], path: str) -> None:
    with Graph().as_default(), Session() as session:
        for name, value in values.items():
            VariableV1(value, name=name)
        session.run(global_variables_initializer())
        file_io.recursive_create_dir(os.path.dirname(path))
        Saver().save(session, path)
