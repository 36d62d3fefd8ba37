"""Assigning to slices of variables."""

import numpy as np
import tensorflow as tf

results = {}
numbers = np.arange(1, 13, dtype=np.float32).reshape(3, 4)

for resource in (False, True):
    with tf.Graph().as_default() as graph:
        v = tf.Variable(numbers, name="v", use_resource=resource)
        one = v[1].assign(tf.zeros([4]))
        part = v[:, 1:3].assign([[9.0, 9.0]] * 3)
        back = v[::-2, 0].assign([5.0, 6.0])
        read = v[2, 1:]
        said = results["resource %s" % resource] = {}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for name, step in (("one", one), ("part", part), ("back", back)):
                session.run(step)
                said[name] = session.run([v, read])
        said["gradient"] = [str(g.get_shape()) for g in tf.gradients(tf.reduce_sum(read), [v])]
        said["made"] = ["%s %s" % (op.name, op.type) for op in graph.get_operations() if "lice" in op.type]
