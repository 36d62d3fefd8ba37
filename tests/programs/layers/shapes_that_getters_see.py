"""The kinds of shapes with which layers ask for variables: getters of programs read them."""

import numpy as np
import tensorflow as tf

results = {}
seen = []


def noting(getter, name, *args, **keywords):
    shape = keywords["shape"]
    seen.append(f"{name} {type(shape).__name__} {[int(size) for size in shape]}")
    return getter(name, *args, **keywords)


images = tf.ones([2, 6, 6, 4])
with tf.variable_scope("net", custom_getter=noting):
    tf.layers.batch_normalization(images, name="fused")
    tf.layers.batch_normalization(images, fused=False, renorm=True, name="plain")
    tf.layers.batch_normalization(images, axis=[1, 3], fused=False, name="two")
    tf.layers.dense(images, 3, name="dense")
    tf.layers.conv2d(images, 3, 2, name="conv")
    tf.layers.separable_conv2d(images, 3, 2, name="separable")
    tf.layers.conv2d_transpose(images, 3, 2, name="transposed")
    tf.contrib.layers.batch_norm(images, scope="contrib_norm")
    tf.contrib.layers.layer_norm(images, scope="layer_norm")
    tf.contrib.layers.instance_norm(images, scope="instance_norm")
    tf.contrib.layers.group_norm(images, groups=2, scope="group_norm")
    tf.contrib.layers.conv2d(images, 3, 2, scope="contrib_conv")
    tf.contrib.layers.fully_connected(images, 3, scope="contrib_dense")
    tf.contrib.layers.bias_add(images, scope="bias")
    tf.contrib.layers.embed_sequence(tf.zeros([2, 3], tf.int32), 5, 2, scope="embedded")
    tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(3, use_peepholes=True, num_proj=2), images[:, :, 0], dtype=tf.float32)
    tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(3), images[:, :, 0], dtype=tf.float32, scope="gru")
    tf.get_variable("own", (2, 3))
results["shapes"] = np.array(seen)
