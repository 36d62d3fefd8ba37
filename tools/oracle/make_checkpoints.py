"""Writes the checkpoints under tests/fixtures/checkpoints, with the real TensorFlow 1.15.5.

    .oracle/tf1/bin/python tools/oracle/make_checkpoints.py [FOLDER]

Every element type in both formats, parts of variables, shards, slots of an optimizer, and objects. The values are those
of `values` below, which the tests import to compare with.
"""

import os
import shutil
import sys

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "tests", "fixtures", "checkpoints")

NUMBERS = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool",
           "complex64", "complex128", "bfloat16")  # fmt: skip
# What the older format has no place for.
NOT_IN_V1 = ("bfloat16", "uint32", "uint64")


def values(dtype_of=np.dtype):
    """An array of every type by name, a scalar, an empty one and strings; `dtype_of` gives the type of a name."""
    made = {}
    for name in NUMBERS:
        kind = dtype_of(name)
        base = np.array([[0, 1, 2], [3, 100, 5]])
        if name.startswith(("int", "float", "bfloat", "complex")):
            base = base * np.array([1, -1, 1])
        made["types/" + name] = (base * (1 + 2j) if name.startswith("complex") else base).astype(kind)
    made["types/int64_wide"] = np.array([-(2**63), 2**63 - 1, 0, -1], np.int64)
    made["types/float64_special"] = np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324])
    made["scalar"] = np.array(2.5, np.float32)
    made["empty"] = np.zeros([0, 3], np.float32)
    made["strings"] = np.array([[b"", b"a"], [b"\x00\xff", b"long " * 40]], object)
    made["string_scalar"] = np.array(b"one", object)
    made["wide/" + "name" * 30] = np.arange(7, dtype=np.int32)
    return made


def main(folder):
    import tensorflow as tf

    tf.logging.set_verbosity(tf.logging.ERROR)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    given = values(lambda name: np.dtype(tf.as_dtype(name).as_numpy_dtype))

    with tf.Graph().as_default(), tf.Session() as sess:
        names = sorted(given)
        tensors = [tf.constant(given[name]) for name in names]
        sess.run(
            tf.raw_ops.SaveV2(
                prefix=folder + "/types", tensor_names=names, shape_and_slices=[""] * len(names), tensors=tensors
            )
        )
        old = [name for name in names if name.split("/")[-1] not in NOT_IN_V1]
        sess.run(
            tf.raw_ops.Save(
                filename=folder + "/types_v1", tensor_names=old, data=[tensors[names.index(name)] for name in old]
            )
        )

    with tf.Graph().as_default(), tf.Session() as sess:
        with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(3)):
            parts = tf.get_variable("rows", [7, 2], initializer=tf.random_uniform_initializer(seed=1))
        with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(2, axis=1)):
            columns = tf.get_variable(
                "columns", [3, 5], initializer=tf.random_uniform_initializer(seed=2), use_resource=True
            )
        with tf.device("/cpu:0"):
            whole = tf.get_variable("whole", [4], initializer=tf.random_uniform_initializer(seed=3))
        loss = tf.reduce_sum(parts.as_tensor()) + tf.reduce_sum(columns.as_tensor()) + tf.reduce_sum(whole)
        tf.train.AdamOptimizer(0.1).minimize(loss, global_step=tf.train.get_or_create_global_step())
        sess.run(tf.global_variables_initializer())
        tf.train.Saver(sharded=True).save(sess, folder + "/sharded", write_meta_graph=False, write_state=False)
        tf.train.Saver(sharded=True, write_version=tf.train.SaverDef.V1).save(
            sess, folder + "/sharded_v1", write_meta_graph=False, write_state=False
        )
        np.savez(
            folder + "/sharded.npz",
            rows=sess.run(parts.as_tensor()),
            columns=sess.run(columns.as_tensor()),
            whole=sess.run(whole),
        )

    with tf.Graph().as_default(), tf.Session() as sess:
        net = tf.contrib.checkpoint.Checkpointable()
        net.weights = tf.get_variable("weights", [2, 3], initializer=tf.ones_initializer(), use_resource=True)
        net.list = [tf.get_variable("item", [], initializer=tf.zeros_initializer(), use_resource=True)]
        optimizer = tf.train.AdamOptimizer(0.1)
        train = optimizer.minimize(tf.reduce_sum(tf.square(net.weights)) + net.list[0])
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        checkpoint = tf.train.Checkpoint(net=net, optimizer=optimizer)
        checkpoint.save(folder + "/objects", session=sess)
        np.savez(
            folder + "/objects.npz",
            weights=sess.run(net.weights),
            item=sess.run(net.list[0]),
            m=sess.run(optimizer.get_slot(net.weights, "m")),
        )

    with tf.Graph().as_default(), tf.Session() as sess:
        for i in range(300):
            tf.get_variable("layer_%03d/weights_of_the_layer" % i, [2], initializer=tf.constant_initializer(i))
        sess.run(tf.global_variables_initializer())
        saver = tf.train.Saver()
        saver.save(sess, folder + "/many", write_meta_graph=False, write_state=False)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else FOLDER)
