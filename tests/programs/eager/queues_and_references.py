"""Queues while executing eagerly, and ops on references, which there are none of."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
ops = tf.raw_ops


def outcome(function):
    try:
        return function()
    except (RuntimeError, TypeError, ValueError, tf.errors.OpError) as error:
        return type(error).__name__


queue = tf.FIFOQueue(5, [tf.int32, tf.float32], shapes=[[], [2]])
queue.enqueue_many([[1, 2, 3], np.arange(6, dtype=np.float32).reshape(3, 2)])
results["many"] = [value.numpy() for value in queue.dequeue_many(2)]
results["shapes"] = [value.shape.as_list() for value in queue.dequeue_up_to(1)]
queue = tf.PriorityQueue(5, [tf.string], [[]])
queue.enqueue_many(([3, 1, 2], ["c", "a", "b"]))
results["by priority"] = [value.numpy().tolist() for value in queue.dequeue_many(3)]
queue = tf.PaddingFIFOQueue(5, [tf.int32], [[None]])
queue.enqueue([[1, 2]])
queue.enqueue([[3]])
results["padded"] = queue.dequeue_many(2).numpy()
queue = tf.RandomShuffleQueue(5, 0, [tf.int32], shapes=[[]], seed=3)
queue.enqueue_many([[1, 2, 3, 4, 5]])
results["shuffled"] = sorted(queue.dequeue_many(5).numpy().tolist())

number, numbers, text = tf.constant(1.0), tf.constant([1.0]), tf.constant("a")
for name, function in {
    "assign": lambda: ops.Assign(ref=number, value=2.0),
    "scatter": lambda: ops.ScatterUpdate(ref=numbers, indices=[0], updates=[2.0]),
    "initialized": lambda: ops.IsVariableInitialized(ref=number),
    "descent": lambda: ops.ApplyGradientDescent(var=number, alpha=1.0, delta=1.0),
    "queue": lambda: ops.FIFOQueue(component_types=[tf.int32]),
    "size": lambda: ops.QueueSize(handle=text),
    "reader": lambda: ops.TextLineReader(),
    "read": lambda: ops.ReaderRead(reader_handle=text, queue_handle=text),
    "table": lambda: ops.HashTable(key_dtype=tf.int32, value_dtype=tf.int32),
    "find": lambda: ops.LookupTableFind(table_handle=text, keys=[1], default_value=0),
    "switch": lambda: ops.RefSwitch(data=number, pred=True),
    "variable": lambda: ops.VariableV2(shape=[], dtype=tf.float32),
    "temporary": lambda: ops.TemporaryVariable(shape=[], dtype=tf.float32),
    "stack": lambda: ops.Stack(elem_type=tf.float32),
    "accumulator": lambda: ops.ConditionalAccumulator(dtype=tf.float32, shape=[]),
    "sparse accumulator": lambda: tf.SparseConditionalAccumulator(tf.float32, shape=[3, 2]),
    "slice": lambda: ops.StridedSliceAssign(ref=numbers, begin=[0], end=[1], strides=[1], value=[2.0]),
}.items():
    results[name] = outcome(function)
