"""RecordInput: every record once an epoch, in batches."""

import os
import tempfile

import tensorflow as tf
from tensorflow.python.ops import data_flow_ops

results = {}
folder = tempfile.mkdtemp()
for i in range(3):
    with tf.python_io.TFRecordWriter(os.path.join(folder, "part%d" % i)) as writer:
        for j in range(4):
            writer.write(b"%d-%d" % (i, j))
pattern = os.path.join(folder, "part*")

with tf.Session() as sess:
    records = data_flow_ops.RecordInput(pattern, batch_size=4, buffer_size=6, parallelism=2, seed=1).get_yield_op()
    results["tensor"] = [records.name, str(records.shape), records.op.type]
    # Of two epochs, each record twice.
    seen = [record for _ in range(6) for record in sess.run(records)]
    results["epochs"] = [sorted(seen[:12]), sorted(seen[12:])]

    lists = data_flow_ops.RecordInput(
        pattern, batch_size=3, buffer_size=100, shift_ratio=0.5, seed=2, batches=2, name="lists"
    ).get_yield_op()
    results["lists"] = [[tensor.name for tensor in batch] for batch in lists]
    results["list shapes"] = str(lists[0][0].shape)
    seen = [record for _ in range(2) for batch in sess.run(lists) for record in batch]
    results["list records"] = sorted(seen)

    nothing = data_flow_ops.RecordInput(os.path.join(folder, "none*")).get_yield_op()
    try:
        sess.run(nothing)
    except tf.errors.OpError as error:
        results["nothing"] = type(error).__name__
