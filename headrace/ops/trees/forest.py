"""The ops of `tf.contrib.tensor_forest`: trees, what is kept of their leaves, and how they grow."""

from __future__ import annotations

import numpy as np
import torch

from headrace.core.cases import made, result
from headrace.core.errors import InvalidArgumentError, NotFoundError
from headrace.core.registry import op
from headrace.kernels.host_values import boxed, to_array, to_tensor
from headrace.kernels.queues.handles import shared_state
from headrace.kernels.ranks import check_rank, ranked
from headrace.kernels.trees.forest_data import data_kinds, feature_matrix, present_columns
from headrace.kernels.trees.forest_draws import Columns, Draws
from headrace.kernels.trees.forest_leaves import Growth
from headrace.kernels.trees.forest_pruning import EarlyFinish, Pruning, of_depth
from headrace.kernels.trees.forest_stats import FertileLeaves
from headrace.kernels.trees.forest_tree import ForestTree
from headrace.messages import forest_protos
from headrace.util.compat import as_bytes

_TREE, _STATS = "tree_handle: resource", "stats_handle: resource"
_DATA = "input_data: float, sparse_input_indices: int64, sparse_input_values: float, sparse_input_shape: int64"
_LABELS = "input_labels: float, input_weights: float"
tree_op = op("DecisionTreeResourceHandleOp", "*, container='', shared_name='' -> resource: resource", stateful=True)
stats_op = op("FertileStatsResourceHandleOp", "*, container='', shared_name='' -> resource: resource", stateful=True)
create_tree_op = op("CreateTreeVariable", f"{_TREE}, tree_config: string, *, params: string ->", stateful=True)
restore_tree_op = op("TreeDeserialize", f"{_TREE}, tree_config: string, *, params: string ->", stateful=True)
serialize_tree_op = op("TreeSerialize", f"{_TREE} -> tree_config: string", stateful=True)
tree_made_op = op("TreeIsInitializedOp", f"{_TREE} -> is_initialized: bool", stateful=True)
size_op = op("TreeSize", f"{_TREE} -> tree_size: int32", stateful=True)
usage_op = op("FeatureUsageCounts", f"{_TREE}, *, params: string -> feature_counts: int32", stateful=True)
create_stats_op = op(
    "CreateFertileStatsVariable", f"{_STATS}, stats_config: string, *, params: string ->", stateful=True
)
restore_stats_op = op("FertileStatsDeserialize", f"{_STATS}, stats_config: string, *, params: string ->", stateful=True)
serialize_stats_op = op("FertileStatsSerialize", f"{_STATS}, *, params: string -> stats_config: string", stateful=True)
stats_made_op = op("FertileStatsIsInitializedOp", f"{_STATS} -> is_initialized: bool", stateful=True)
traverse_op = op(
    "TraverseTreeV4", f"{_TREE}, {_DATA}, *, input_spec: string, params: string -> leaf_ids: int32", stateful=True
)
predict_op = op(
    "TreePredictionsV4",
    f"{_TREE}, {_DATA}, *, input_spec: string, params: string -> predictions: float, tree_paths: string",
    stateful=True,
)
update_op = op("UpdateModelV4", f"{_TREE}, leaf_ids: int32, {_LABELS}, *, params: string ->", stateful=True)
process_op = op(
    "ProcessInputV4",
    f"{_TREE}, {_STATS}, {_DATA}, {_LABELS}, leaf_ids: int32, *, random_seed: int, input_spec: string, params: string -> "
    "finished_nodes: int32",
    stateful=True,
)
grow_op = op("GrowTreeV4", f"{_TREE}, {_STATS}, finished_nodes: int32, *, params: string ->", stateful=True)
finalize_op = op("FinalizeTree", f"{_TREE}, {_STATS}, *, params: string ->", stateful=True)
_CHANGE = (create_tree_op, restore_tree_op, create_stats_op, restore_stats_op, update_op)
for _decl in _CHANGE:
    _decl.writes(_decl.signature.inputs[0].name)
for _decl in (grow_op, finalize_op):
    _decl.writes("tree_handle", "stats_handle")
process_op.reads("tree_handle").writes("stats_handle")
_ASK = (serialize_tree_op, tree_made_op, size_op, usage_op, serialize_stats_op, stats_made_op, traverse_op, predict_op)
for _decl in _ASK:
    _decl.reads(_decl.signature.inputs[0].name)
for _decl in (
    restore_tree_op, serialize_tree_op, size_op, usage_op, restore_stats_op, serialize_stats_op, predict_op, process_op,
    grow_op, finalize_op,
):  # fmt: skip
    _decl.not_differentiable()
for _decl in (traverse_op, predict_op, process_op):
    # What they read are trees and leaves, which no output shares memory with.
    _decl.fresh()
for _decl in (*_CHANGE, grow_op, finalize_op, process_op, *_ASK):
    _decl.on_host(*(arg.name for arg in _decl.signature.inputs if not arg.name.endswith("handle")), outputs=True)


def parsed_params(serialized: bytes | str) -> forest_protos.TensorForestParams:
    """The parameters in a serialized message; InvalidArgumentError where they are none, or ask for what is not there."""
    from google.protobuf.message import DecodeError

    params = forest_protos.TensorForestParams()
    try:
        params.ParseFromString(as_bytes(serialized))
    except DecodeError:
        raise InvalidArgumentError(None, None, "Unable to parse the forest's parameters from their proto.") from None
    return params


def _growth(params: forest_protos.TensorForestParams) -> Growth:
    """How leaves are split.

    Raises:
        NotImplementedError: for strategies that are not here.
    """
    finish = None
    # Numbers have no such strategies.
    if params.finish_type.type != forest_protos.SPLIT_FINISH_BASIC and not params.is_regression:
        if params.finish_type.type != forest_protos.SPLIT_FINISH_DOMINATE_HOEFFDING or not params.HasField(
            "min_split_samples"
        ):
            raise NotImplementedError(
                "Forests whose splits finish early are supported with SPLIT_FINISH_DOMINATE_HOEFFDING and "
                "min_split_samples only, which a param_file may set: use split_finish_name='basic' otherwise."
            )
        every = of_depth(params.finish_type.check_every_steps)
        finish = EarlyFinish(of_depth(params.min_split_samples), every, of_depth(params.dominate_fraction))
    if params.stats_type == forest_protos.STATS_FIXED_SIZE_SPARSE_GINI and not params.is_regression:
        raise NotImplementedError(
            "Forests that count a few classes only (STATS_FIXED_SIZE_SPARSE_GINI) are not supported: use "
            "STATS_SPARSE_GINI, which counts all of them."
        )
    pruning = None
    if params.pruning_type.type != forest_protos.SPLIT_PRUNE_NONE:
        every, dominates = params.pruning_type.prune_every_samples, params.dominate_fraction
        pruning = Pruning(params.pruning_type.type, of_depth(every), of_depth(dominates))
    candidates, after = params.num_splits_to_consider, params.split_after_samples
    is_even = {param.WhichOneof("ParamType") for param in (candidates, after)} <= {None, "constant_value"}
    is_sparse = params.stats_type == forest_protos.STATS_SPARSE_GINI and not params.is_regression
    return Growth(
        of_depth(candidates),
        of_depth(after),
        max(params.num_outputs, 1),
        params.is_regression,
        is_even,
        pruning,
        params.initialize_average_splits and not params.is_regression,
        params.inequality_test_type,
        is_sparse,
        # 1.15 cannot keep the squares of classes that are counted sparsely: it ends the process.
        params.use_running_stats_method and not params.is_regression and not is_sparse,
        finish,
    )


def _labels(labels: torch.Tensor, weights: torch.Tensor, targets: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels of shape [examples, outputs], and a weight for each: 1 for those beyond the weights that are given."""
    found, given = to_array(labels), to_array(weights).reshape(-1)
    count = len(found)
    found = found.reshape(-1)[: count * targets].reshape(count, targets)
    if len(given) >= count:
        return found, given[:count]
    missing = np.ones(count - len(given), np.float32)
    return found, np.concatenate((given, missing)) if len(given) else missing


def _targets(params: forest_protos.TensorForestParams, labels: torch.Tensor) -> int:
    """How many numbers an example is labelled with; classes are read one after the other, whatever the shape is."""
    return labels.shape[1] if params.is_regression and labels.ndim > 1 else 1


@tree_op.kernel
def tree_kernel(node):
    tree = shared_state(node, "forest tree", lambda name: ForestTree())
    return lambda: tree


@stats_op.kernel
def stats_kernel(node):
    stats = shared_state(node, "fertile stats", lambda name: FertileLeaves())
    return lambda: stats


@create_tree_op.kernel
def create_tree_kernel(node):
    params = parsed_params(node.attrs["params"])

    def create(tree, config):
        with tree.lock:
            if not tree.is_created:
                tree.create(params, as_bytes(boxed(config).item()))
        return ()

    return create


@restore_tree_op.kernel
def restore_tree_kernel(node):
    params = parsed_params(node.attrs["params"])

    def restore(tree, config):
        with tree.checked().lock:
            tree.create(params, as_bytes(boxed(config).item()))
        return ()

    return restore


@serialize_tree_op.kernel
def serialize_tree_kernel(node):
    def serialize(tree):
        with tree.checked().lock:
            return boxed(tree.serialized())

    return serialize


@tree_made_op.kernel
@stats_made_op.kernel
def made_kernel(node):
    return lambda state: torch.tensor(state.is_created)


@size_op.kernel
def size_kernel(node):
    return lambda tree: torch.tensor(len(tree.checked()), dtype=torch.int32)


@usage_op.kernel
def usage_kernel(node):
    features = parsed_params(node.attrs["params"]).num_features
    return lambda tree: to_tensor(tree.checked().usage_counts(features))


@create_stats_op.kernel
def create_stats_kernel(node):
    growth = _growth(parsed_params(node.attrs["params"]))

    def create(stats, config):
        with stats.lock:
            if not stats.is_created:
                stats.create(growth)
                if text := as_bytes(boxed(config).item()):
                    stats.restore(text)
        return ()

    return create


@restore_stats_op.kernel
def restore_stats_kernel(node):
    growth = _growth(parsed_params(node.attrs["params"]))

    def restore(stats, config):
        with stats.checked().lock:
            stats.create(growth)
            if text := as_bytes(boxed(config).item()):
                stats.restore(text)
        return ()

    return restore


@serialize_stats_op.kernel
def serialize_stats_kernel(node):
    keeps = parsed_params(node.attrs["params"]).checkpoint_stats

    def serialize(stats):
        with stats.checked().lock:
            return boxed(stats.serialized(keeps))

    return serialize


@traverse_op.kernel
def traverse_kernel(node):
    kinds = data_kinds(node.attrs["input_spec"])

    def traverse(tree, *data):
        with tree.checked().lock:
            return to_tensor(tree.leaves_of(feature_matrix(data, kinds)).astype(np.int32))

    return traverse


@predict_op.kernel
def predict_kernel(node):
    kinds, with_paths = data_kinds(node.attrs["input_spec"]), parsed_params(node.attrs["params"]).inference_tree_paths

    def predict(tree, *data):
        with tree.checked().lock:
            leaves = tree.leaves_of(feature_matrix(data, kinds))
            paths = np.empty(len(leaves) if with_paths else 0, object)
            if with_paths:
                paths[:] = tree.paths_of(leaves)
            return to_tensor(tree.predictions(leaves)), paths

    return predict


@update_op.kernel
def update_kernel(node):
    params = parsed_params(node.attrs["params"])

    def update(tree, leaves, labels, weights):
        with tree.checked().lock:
            known = _labels(labels, weights, _targets(params, labels))
            tree.add_examples(to_array(leaves).astype(np.int64), *known)
        return ()

    return update


@process_op.kernel
def process_kernel(node):
    kinds, seed = data_kinds(node.attrs["input_spec"]), node.attrs["random_seed"]
    params = parsed_params(node.attrs["params"])
    collates = params.collate_examples

    def process(tree, stats, *inputs):
        labels, weights = _labels(*inputs[4:6], _targets(params, inputs[4]))
        if params.is_regression:
            # 1.15 takes no account of the weights of numbers.
            weights = np.ones_like(weights)
        draws = Draws(seed or int(np.random.randint(1 << 62)))
        values = feature_matrix(inputs[:4], kinds)
        columns = Columns(draws, kinds.matching, present_columns(inputs[:4]), kinds.sparse_matches)
        with stats.checked().lock:
            finished = stats.add_examples(
                values,
                labels,
                weights,
                to_array(inputs[6]).astype(np.int64),
                columns,
                collates,
            )
        return to_tensor(np.array(finished, np.int32))

    return process


@grow_op.kernel
def grow_kernel(node):
    params = parsed_params(node.attrs["params"])
    most = params.max_nodes

    def grow(tree, stats, finished):
        with tree.checked().lock, stats.checked().lock:
            for leaf in to_array(finished).tolist():
                if len(tree) >= most:
                    break
                _grow(tree, stats, leaf)
        return ()

    return grow


def _grow(tree: ForestTree, stats: FertileLeaves, leaf: int) -> None:
    """Splits a leaf by the best of its candidates, or has it look for others."""
    row = stats.row_of[leaf]
    best = stats.best(row)
    depth = int(stats.depths[row])
    if best is None:
        # A leaf that cannot be split begins again, with new candidates.
        stats.end(leaf)
        stats.begin(leaf, depth)
        return
    sides, known = stats.sides(row, best)
    split = int(stats.features[row, best]), float(stats.means[row, best]), int(stats.tests[row, best])
    children = tree.split(leaf, *split)
    for child, sums, has in zip(children, sides, known, strict=True):
        if stats.growth.is_regression:
            tree.sums[child] = sums[1 : 1 + stats.growth.classes] / sums[0]
        else:
            tree.sums[child] = sums
            if has is not True:
                tree.has[child] = has
        stats.begin(child, depth + 1)
    stats.end(leaf)


@finalize_op.kernel
def finalize_kernel(node):
    # Leaves hold their sums as they are; nothing is left to do when a tree is finished.
    return lambda tree, stats: (tree.checked(), stats.checked(), ())[2]


tree_op.shape(lambda op: [()])
stats_op.shape(lambda op: [()])
for _decl in (create_tree_op, restore_tree_op, create_stats_op, restore_stats_op):
    _decl.shape(ranked(0, 0)(lambda op: []))
for _decl in (serialize_tree_op, tree_made_op, size_op, serialize_stats_op, stats_made_op):
    _decl.shape(ranked(0)(lambda op: [()]))
usage_op.shape(ranked(0)(lambda op: [(None,)]))
grow_op.shape(ranked(0, 0, 1)(lambda op: []))
finalize_op.shape(ranked(0, 0)(lambda op: []))
update_op.shape(ranked(0, 1)(lambda op: []))


@traverse_op.shape
@predict_op.shape
@process_op.shape
def data_shape(op):
    data = op.inputs[2 if op.type == "ProcessInputV4" else 1]
    check_rank(data.dims, (1, 2))
    rows = data.dims[0] if data.dims else None
    if op.type == "TreePredictionsV4":
        # Paths are told where the parameters ask for them.
        return [(rows, None), (None,)]
    return [(rows,)] if op.type == "TraverseTreeV4" else [(None,)]


# ---- examples ----


def _params(**settings: object) -> bytes:
    params = forest_protos.TensorForestParams(
        num_trees=1, max_nodes=20, num_features=2, checkpoint_stats=True, num_outputs=3
    )
    params.num_splits_to_consider.constant_value, params.split_after_samples.constant_value = 3, 4
    for name, value in settings.items():
        setattr(params, name, value)
    serialized: bytes = params.SerializeToString()
    return serialized


_KINDS = {"classes": _params(), "numbers": _params(is_regression=True, num_outputs=1, leaf_type=2, stats_type=2)}
_SPEC = b"dense_features_size: 2 dense: [{name: dense_features original_type: 0 size: 2}] sparse: []"
_X = np.array([[0, 1], [2, 3], [1, 5], [4, 4], [5, 1], [7, 2]], np.float32)
_INPUT = _X, np.zeros((0, 2), np.int64), np.zeros(0, np.float32), np.zeros(2, np.int64)
_Y, _NO_WEIGHTS = np.array([0, 1, 2, 0, 1, 1], np.float32), np.zeros(0, np.float32)
_TREE_MADE, _STATS_MADE = made(tree_op.type), made(stats_op.type)
tree_op.accepts(shared_name="tree", after=[made(tree_made_op.type, result)])
stats_op.accepts(shared_name="stats", after=[made(stats_made_op.type, result)])
for _config in _KINDS.values():
    _p = {"params": _config}
    _with_spec = {"input_spec": _SPEC, **_p}
    _kept = [made(serialize_tree_op.type, _TREE_MADE), made(serialize_stats_op.type, _STATS_MADE, **_p)]
    _create = [made(create_tree_op.type, _TREE_MADE, b"", **_p), made(create_stats_op.type, _STATS_MADE, b"", **_p)]
    _zeros = np.zeros(6, np.int32)
    _update = made(update_op.type, _TREE_MADE, _zeros, _Y, _NO_WEIGHTS, **_p)
    _process = made(
        process_op.type, _TREE_MADE, _STATS_MADE, *_INPUT, _Y, _NO_WEIGHTS, _zeros, random_seed=7, **_with_spec
    )
    _grow_root = made(grow_op.type, _TREE_MADE, _STATS_MADE, np.zeros(1, np.int32), **_p)
    _grown = [*_create, _update, _process, _process, _grow_root]
    create_tree_op.accepts(_TREE_MADE, b"", **_p, after=_kept[:1])
    create_stats_op.accepts(_STATS_MADE, b"", **_p, after=_kept[1:])
    restore_tree_op.accepts(_TREE_MADE, b"", **_p, before=_create, after=_kept[:1])
    restore_stats_op.accepts(_STATS_MADE, b"", **_p, before=_create, after=_kept[1:])
    update_op.accepts(_TREE_MADE, _zeros, _Y, _NO_WEIGHTS, **_p, before=_create, after=_kept[:1])
    process_op.accepts(
        _TREE_MADE, _STATS_MADE, *_INPUT, _Y, _NO_WEIGHTS, _zeros,
        random_seed=7, **_with_spec, before=_create, after=_kept[1:],
    )  # fmt: skip
    grow_op.accepts(
        _TREE_MADE, _STATS_MADE, np.zeros(1, np.int32),
        **_p, before=[*_create, _update, _process, _process], after=_kept,
    )  # fmt: skip
    traverse_op.accepts(_TREE_MADE, *_INPUT, **_with_spec, before=_grown)
    predict_op.accepts(_TREE_MADE, *_INPUT, **_with_spec, before=_grown)
    usage_op.accepts(_TREE_MADE, **_p, before=_grown)
    serialize_tree_op.accepts(_TREE_MADE, before=_grown)
    serialize_stats_op.accepts(_STATS_MADE, **_p, before=_grown)
    size_op.accepts(_TREE_MADE, before=_grown)
_OF_CLASSES = {"params": _KINDS["classes"]}
update_op.rejects(
    _TREE_MADE,
    np.zeros(2, np.int32),
    np.array([0, 3], np.float32),
    _NO_WEIGHTS,
    **_OF_CLASSES,
    before=[made(create_tree_op.type, _TREE_MADE, b"", **_OF_CLASSES)],
    error=InvalidArgumentError,
    differs="1.15 ends the process",
)
tree_made_op.accepts(_TREE_MADE).accepts(_TREE_MADE, before=_create)
stats_made_op.accepts(_STATS_MADE).accepts(_STATS_MADE, before=_create)
size_op.rejects(_TREE_MADE, error=NotFoundError)
finalize_op.no_case("1.15 has switched it off: it ends the process")
