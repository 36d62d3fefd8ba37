"""The ops that hold an ensemble of boosted trees and keep it in checkpoints."""

from __future__ import annotations

import numpy as np
import torch

from headrace.core.cases import made, result
from headrace.core.errors import InvalidArgumentError, NotFoundError
from headrace.core.registry import op
from headrace.kernels.host_values import boxed
from headrace.kernels.queues.handles import shared_state
from headrace.kernels.ranks import ranked
from headrace.kernels.trees.ensemble import Ensemble
from headrace.kernels.trees.stump import serialized_stump

_HANDLE = "tree_ensemble_handle: resource"
_SERIALIZED = f"{_HANDLE}, stamp_token: int64, tree_ensemble_serialized: string ->"
handle_op = op(
    "BoostedTreesEnsembleResourceHandleOp", "*, container='', shared_name='' -> resource: resource", stateful=True
)
create_op = op("BoostedTreesCreateEnsemble", _SERIALIZED, stateful=True)
deserialize_op = op("BoostedTreesDeserializeEnsemble", _SERIALIZED, stateful=True)
serialize_op = op(
    "BoostedTreesSerializeEnsemble",
    f"{_HANDLE} -> stamp_token: int64, tree_ensemble_serialized: string",
    stateful=True,
)
states_op = op(
    "BoostedTreesGetEnsembleStates",
    f"{_HANDLE} -> stamp_token: int64, num_trees: int32, num_finalized_trees: int32, num_attempted_layers: int32, "
    "last_layer_nodes_range: int32",
    stateful=True,
)
initialized_op = op("IsBoostedTreesEnsembleInitialized", f"{_HANDLE} -> is_initialized: bool", stateful=True)
handle_op.shape(lambda op: [()])
for _decl in (create_op, deserialize_op):
    _decl.on_host("stamp_token", "tree_ensemble_serialized").writes("tree_ensemble_handle")
for _decl in (serialize_op, states_op, initialized_op):
    _decl.on_host(outputs=True).reads("tree_ensemble_handle")


@handle_op.kernel
def handle_kernel(node):
    ensemble = shared_state(node, "boosted trees", lambda name: Ensemble())
    return lambda: ensemble


@create_op.shape
@deserialize_op.shape
@ranked(0, 0, 0)
def no_outputs(op):
    return []


@serialize_op.shape
@ranked(0)
def serialize_shape(op):
    return [(), ()]


@states_op.shape
@ranked(0)
def states_shape(op):
    return [(), (), (), (), (2,)]


@initialized_op.shape
@ranked(0)
def initialized_shape(op):
    return [()]


@create_op.kernel
def create_kernel(node):
    def create(ensemble, stamp, serialized):
        ensemble.create(int(stamp), boxed(serialized).item())
        return ()

    return create


@deserialize_op.kernel
def deserialize_kernel(node):
    def deserialize(ensemble, stamp, serialized):
        ensemble.replace(int(stamp), boxed(serialized).item())
        return ()

    return deserialize


@serialize_op.kernel
def serialize_kernel(node):
    def serialize(ensemble):
        with ensemble.checked().lock:
            return torch.tensor(ensemble.stamp), boxed(ensemble.message.SerializeToString())

    return serialize


@states_op.kernel
def states_kernel(node):
    def states(ensemble):
        with ensemble.checked().lock:
            stamp, *counts, nodes = ensemble.states()
        return (
            torch.tensor(stamp),
            *(torch.tensor(count, dtype=torch.int32) for count in counts),
            torch.tensor(nodes, dtype=torch.int32),
        )

    return states


@initialized_op.kernel
def initialized_kernel(node):
    return lambda ensemble: torch.tensor(ensemble.is_created)


# ---- examples ----

_MADE = made(handle_op.type)
_CREATED = made(create_op.type, _MADE, np.int64(3), serialized_stump())
handle_op.accepts(shared_name="trees", after=[made(initialized_op.type, result)])
create_op.accepts(_MADE, np.int64(3), serialized_stump(), after=[made(states_op.type, _MADE)])
create_op.rejects(_MADE, np.int64(3), b"no ensemble", error=InvalidArgumentError, differs="1.15 ends the process")
deserialize_op.accepts(_MADE, np.int64(7), b"", before=[_CREATED], after=[made(states_op.type, _MADE)])
deserialize_op.rejects(_MADE, np.int64(7), b"", error=NotFoundError)
serialize_op.accepts(_MADE, before=[_CREATED])
states_op.accepts(_MADE, before=[_CREATED])
initialized_op.accepts(_MADE, before=[_CREATED]).accepts(_MADE)
