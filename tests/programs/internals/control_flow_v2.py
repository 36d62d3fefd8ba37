"""The internal modules of control flow v2, the enumeration of error codes, and batches of tuples beside dictionaries."""

import tensorflow as tf
from tensorflow.core.lib.core import error_codes_pb2
from tensorflow.core.protobuf import queue_runner_pb2
from tensorflow.python.ops import cond_v2, control_flow_util_v2, control_flow_v2_toggles, while_v2

results = {}


def kind(function):
    try:
        function()
    except Exception as e:
        return type(e).__name__
    return None


x = tf.constant(1.0)
branch = cond_v2.cond_v2(x > 0, lambda: x * 2, lambda: x, name="chosen")
case = cond_v2.indexed_case(tf.constant(1), [lambda: x, lambda: x + 5.0])
loop = while_v2.while_loop(lambda v: v < 8.0, lambda v: v * 2.0, [x], return_same_structure=False)
same = while_v2.while_loop(lambda v: v < 8.0, lambda v: v * 2.0, [x])
wanted = ("If", "StatelessIf", "While", "StatelessWhile", "Case")
results["names"] = [branch.name, case.name, loop.name, type(same).__name__]
results["types"] = [op.type for op in tf.get_default_graph().get_operations() if op.type in wanted]
results["toggles"] = [control_flow_v2_toggles.control_flow_v2_enabled(), control_flow_util_v2.in_defun()]
gradient = tf.gradients(branch + case + loop, x)[0]
with tf.Session() as sess:
    results["values"] = sess.run([branch, case, loop, same[0], gradient])

queue = tf.FIFOQueue(3, tf.float32)
runner = tf.train.QueueRunner(queue, [queue.enqueue(1.0)] * 2)
results["message"] = str(runner.to_proto())
results["codes"] = [error_codes_pb2.OUT_OF_RANGE, error_codes_pb2.Code.Name(3), error_codes_pb2.Code.Value("ABORTED")]
results["by_name"] = list(
    queue_runner_pb2.QueueRunnerDef(queue_closed_exception_types=["ABORTED", 5]).queue_closed_exception_types
)
results["mixed"] = [
    kind(lambda: tf.train.batch_join([(x, x), {"a": x}], 2)),
    kind(lambda: tf.train.batch_join([{"a": x}, (x,)], 2)),
    kind(lambda: tf.train.batch_join([{"a": x}, {"b": x}], 2)),
]
