"""The ops that ask an ensemble of trees."""

from __future__ import annotations

import numpy as np

from headrace.core.cases import made
from headrace.core.errors import NotFoundError
from headrace.core.registry import op
from headrace.kernels.host_values import to_array
from headrace.kernels.ranks import check_rank
from headrace.kernels.trees.stump import serialized_stump
from headrace.kernels.trees.traversal import continued_predictions, debug_paths, predictions
from headrace.messages import protos

_FEATURES = "bucketized_features: num_bucketized_features * int32"
_SIZES = "*, num_bucketized_features: int >= 1, logits_dimension: int"
predict_op = op(
    "BoostedTreesPredict", f"tree_ensemble_handle: resource, {_FEATURES}, {_SIZES} -> logits: float", stateful=True
)
training_op = op(
    "BoostedTreesTrainingPredict",
    f"tree_ensemble_handle: resource, cached_tree_ids: int32, cached_node_ids: int32, {_FEATURES}, {_SIZES} -> "
    "partial_logits: float, tree_ids: int32, node_ids: int32",
    stateful=True,
)
debug_op = op(
    "BoostedTreesExampleDebugOutputs",
    f"tree_ensemble_handle: resource, {_FEATURES}, {_SIZES} -> examples_debug_outputs_serialized: string",
    stateful=True,
)
for _decl in (predict_op, training_op, debug_op):
    _decl.reads("tree_ensemble_handle")
debug_op.on_host("bucketized_features", outputs=True)
training_op.on_host("cached_tree_ids", "cached_node_ids")


def _rows(features):
    for feature in features:
        check_rank(feature.dims, 1)
    return features[0].dims[0] if features[0].dims else None


@predict_op.shape
def predict_shape(op):
    return [(_rows(op.inputs[1:]), op.attrs["logits_dimension"])]


@predict_op.kernel
def predict_kernel(node):
    logits = node.attrs["logits_dimension"]

    def predict(ensemble, *features):
        with ensemble.checked().lock:
            return predictions(ensemble, features, logits)

    return predict


@training_op.shape
def training_shape(op):
    rows = _rows(op.inputs[3:])
    return [(rows, op.attrs["logits_dimension"]), (rows,), (rows,)]


@training_op.kernel
def training_kernel(node):
    logits = node.attrs["logits_dimension"]

    def predict(ensemble, trees, nodes, *features):
        with ensemble.checked().lock:
            return continued_predictions(ensemble, to_array(trees), to_array(nodes), features, logits)

    return predict


@debug_op.shape
def debug_shape(op):
    return [(_rows(op.inputs[1:]),)]


@debug_op.kernel
def debug_kernel(node):
    logits = node.attrs["logits_dimension"]

    def explain(ensemble, *features):
        with ensemble.checked().lock:
            paths = debug_paths(ensemble, features, logits)
        outputs = np.empty(len(paths), object)
        for row, (asked, reached) in enumerate(paths):
            outputs[row] = protos.DebugOutput(feature_ids=asked, logits_path=reached).SerializeToString()
        return outputs

    return explain


# ---- examples ----

_MADE = made("BoostedTreesEnsembleResourceHandleOp")
_CREATED = made("BoostedTreesCreateEnsemble", _MADE, np.int64(3), serialized_stump())
_BUCKETS = [np.array([0, 1, 2], np.int32)]
predict_op.accepts(_MADE, _BUCKETS, logits_dimension=1, before=[_CREATED])
predict_op.rejects(_MADE, _BUCKETS, logits_dimension=1, error=NotFoundError)
_UNSEEN = np.zeros(3, np.int32), np.array([-1, 1, -1], np.int32)
training_op.accepts(_MADE, *_UNSEEN, _BUCKETS, logits_dimension=1, before=[_CREATED])
training_op.rejects(_MADE, *_UNSEEN, _BUCKETS, logits_dimension=1, error=NotFoundError)
debug_op.accepts(_MADE, _BUCKETS, logits_dimension=1, before=[_CREATED])
debug_op.rejects(_MADE, _BUCKETS, logits_dimension=1, error=NotFoundError)
