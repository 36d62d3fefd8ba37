"""Tables and helpers inside TensorFlow that tests and tools of those years look into."""

import collections

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import device, dtypes, errors_impl, subscribe
from tensorflow.python.training import evaluation, server_lib, warm_starting_util
from tensorflow.python.util import is_in_graph_mode, memory

results = {}

results["ranges"] = sorted(
    [tf.as_dtype(kind).name, float(low), float(high)] for kind, (low, high) in dtypes.dtype_range.items()
)
results["intern"] = [[number, kind.name] for number, kind in sorted(dtypes._INTERN_TABLE.items())]
results["to numpy"] = sorted(dtypes._TF_TO_NP)
results["codes"] = [[code, kind.__name__] for code, kind in sorted(errors_impl._CODE_TO_EXCEPTION_CLASS.items())]
results["classes"] = sorted(errors_impl._EXCEPTION_CLASS_TO_CODE.values())

merge = device.MergeDevice("/job:worker/cpu:0")
with tf.Graph().as_default(), tf.device("/task:3/device:GPU:1"):
    placed = tf.constant(1)
results["merged"] = [merge.is_null_merge, device.MergeDevice("").is_null_merge, merge.shortcut_string_merge(placed.op)]
results["merged"].append(merge(placed.op).to_string())

source = tf.constant(1.0, name="source")
copy = subscribe.subscribe(source, lambda tensor: [tf.no_op()])
results["subscribed"] = [subscribe._is_subscribed_identity(tensor) for tensor in (source, copy, tf.identity(source))]


def outcome(*args):
    try:
        return str(server_lib._make_server_def(*args))
    except (TypeError, ValueError) as error:
        return [type(error).__name__, str(error).split(".")[0]]


results["servers"] = [
    outcome({"local": ["a:1"]}, None, None, None, None),
    outcome({"local": ["a:1", "b:2"]}, None, None, None, None),
    outcome({"local": ["a:1"], "other": ["b:2"]}, None, None, None, None),
    outcome({"local": ["a:1"], "other": ["b:2"]}, "other", 0, "grpc", None),
    outcome(3, None, None, None, None),
]
results["graph mode"] = is_in_graph_mode.IS_IN_GRAPH_MODE()
memory.dismantle_ordered_dict(collections.OrderedDict(a=1))

first = tf.get_variable("first", [2])
parts = tf.get_variable("parts", [4, 2], partitioner=tf.fixed_size_partitioner(2))
results["grouped"] = sorted(
    [name, [variable.name for variable in found]]
    for name, found in warm_starting_util._get_grouped_variables(".*").items()
)

seen = []
counted = tf.py_func(lambda: seen.append(1) or np.float32(1), [], tf.float32)
hook = evaluation._MultiStepStopAfterNEvalsHook(5, steps_per_run=2)
results["final"] = evaluation._evaluate_once(
    None, eval_ops=counted, final_ops=tf.constant(3), hooks=[evaluation._StopAfterNEvalsHook(4), hook]
)
results["evaluated"] = len(seen)
results["locals"] = sorted(variable.name for variable in tf.local_variables())

for name in ("AddSignOptimizer", "PowerSignOptimizer"):
    table = tf.get_variable(name, [3, 2], use_resource=True)
    loss = tf.reduce_sum(tf.gather(table, [0, 2]))
    try:
        getattr(tf.contrib.opt, name)(0.1).minimize(loss, var_list=[table])
        results[name] = "made"
    except NotImplementedError:
        results[name] = "not there"
