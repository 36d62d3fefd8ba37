"""The ops that hold an ensemble of `tf.contrib.boosted_trees` and keep it in checkpoints."""

from __future__ import annotations

import numpy as np
import torch

from headrace.core.cases import made, result
from headrace.core.errors import InvalidArgumentError, NotFoundError
from headrace.core.registry import op
from headrace.kernels.host_values import boxed, to_tensor
from headrace.kernels.queues.handles import shared_state
from headrace.kernels.ranks import ranked
from headrace.kernels.trees.gradient_ensemble import GradientEnsemble
from headrace.kernels.trees.gradient_stump import serialized_gradient_stump

_HANDLE = "tree_ensemble_handle: resource"
_SERIALIZED = f"{_HANDLE}, stamp_token: int64, tree_ensemble_config: string ->"
handle_op = op(
    "DecisionTreeEnsembleResourceHandleOp", "*, container='', shared_name='' -> resource: resource", stateful=True
)
create_op = op("CreateTreeEnsembleVariable", _SERIALIZED, stateful=True)
deserialize_op = op("TreeEnsembleDeserialize", _SERIALIZED, stateful=True)
serialize_op = op(
    "TreeEnsembleSerialize", f"{_HANDLE} -> stamp_token: int64, tree_ensemble_config: string", stateful=True
)
stamp_op = op("TreeEnsembleStampToken", f"{_HANDLE} -> stamp_token: int64", stateful=True)
initialized_op = op("TreeEnsembleIsInitializedOp", f"{_HANDLE} -> is_initialized: bool", stateful=True)
handlers_op = op(
    "TreeEnsembleUsedHandlers",
    f"{_HANDLE}, stamp_token: int64, *, num_all_handlers: int >= 0 -> num_used_handlers: int64, "
    "used_handlers_mask: bool",
    stateful=True,
)
stats_op = op(
    "TreeEnsembleStats",
    f"{_HANDLE}, stamp_token: int64 -> num_trees: int64, num_layers: int64, active_tree: int64, active_layer: int64, "
    "attempted_trees: int64, attempted_layers: int64",
    stateful=True,
)
handle_op.shape(lambda op: [()])
for _decl in (create_op, deserialize_op):
    _decl.on_host("stamp_token", "tree_ensemble_config").writes("tree_ensemble_handle")
    _decl.shape(ranked(0, 0, 0)(lambda op: []))
for _decl in (serialize_op, stamp_op, initialized_op, handlers_op, stats_op):
    _decl.on_host(*(arg.name for arg in _decl.signature.inputs[1:]), outputs=True).reads("tree_ensemble_handle")
serialize_op.shape(ranked(0)(lambda op: [(), ()]))
stamp_op.shape(ranked(0)(lambda op: [()]))
initialized_op.shape(ranked(0)(lambda op: [()]))
handlers_op.shape(ranked(0, 0)(lambda op: [(), (op.attrs["num_all_handlers"],)]))
stats_op.shape(ranked(0, 0)(lambda op: [()] * 6))


@handle_op.kernel
def handle_kernel(node):
    ensemble = shared_state(node, "gradient trees", lambda name: GradientEnsemble(f"tree ensemble {name}"))
    return lambda: ensemble


@create_op.kernel
def create_kernel(node):
    def create(ensemble, stamp, serialized):
        ensemble.create(int(stamp), boxed(serialized).item())
        return ()

    return create


@deserialize_op.kernel
def deserialize_kernel(node):
    def deserialize(ensemble, stamp, serialized):
        ensemble.checked().replace(int(stamp), boxed(serialized).item())
        return ()

    return deserialize


@serialize_op.kernel
def serialize_kernel(node):
    def serialize(ensemble):
        with ensemble.checked().lock:
            return torch.tensor(ensemble.stamp), boxed(ensemble.message.SerializeToString())

    return serialize


@stamp_op.kernel
def stamp_kernel(node):
    return lambda ensemble: torch.tensor(ensemble.checked().stamp)


@initialized_op.kernel
def initialized_kernel(node):
    return lambda ensemble: torch.tensor(ensemble.is_created)


@handlers_op.kernel
def handlers_kernel(node):
    count = node.attrs["num_all_handlers"]

    def handlers(ensemble, stamp):
        mask = np.zeros(count, bool)
        with ensemble.checked().lock:
            if not ensemble.is_current(int(stamp)):
                return torch.tensor(0), to_tensor(mask)
            used = [number for number in ensemble.message.growing_metadata.used_handler_ids if 0 <= number < count]
        mask[used] = True
        return torch.tensor(len(used)), to_tensor(mask)

    return handlers


@stats_op.kernel
def stats_kernel(node):
    def stats(ensemble, stamp):
        with ensemble.checked().lock:
            if not ensemble.is_current(int(stamp)):
                return (torch.tensor(0),) * 6
            metadata, growing = ensemble.message.tree_metadata, ensemble.message.growing_metadata
            count = len(metadata)
            finished = count if count and metadata[-1].is_finalized else max(count - 1, 0)
            layers = sum(tree.num_layers_grown for tree in metadata)
            active = metadata[-1].num_layers_grown if count else 0
            numbers = finished, layers, count, active, growing.num_trees_attempted, growing.num_layers_attempted
        return tuple(torch.tensor(number) for number in numbers)

    return stats


# ---- examples ----

_MADE = made(handle_op.type)
_CREATED = made(create_op.type, _MADE, np.int64(3), serialized_gradient_stump())
_AFTER = [made(serialize_op.type, _MADE)]
handle_op.accepts(shared_name="trees", after=[made(initialized_op.type, result)])
create_op.accepts(_MADE, np.int64(3), serialized_gradient_stump(), after=_AFTER)
create_op.rejects(_MADE, np.int64(3), b"no ensemble", error=InvalidArgumentError, differs="1.15 ends the process")
deserialize_op.accepts(_MADE, np.int64(7), b"", before=[_CREATED], after=_AFTER)
deserialize_op.rejects(_MADE, np.int64(7), b"", error=NotFoundError)
serialize_op.accepts(_MADE, before=[_CREATED])
stamp_op.accepts(_MADE, before=[_CREATED])
initialized_op.accepts(_MADE, before=[_CREATED]).accepts(_MADE)
handlers_op.accepts(_MADE, np.int64(3), num_all_handlers=4, before=[_CREATED])
stats_op.accepts(_MADE, np.int64(3), before=[_CREATED])
