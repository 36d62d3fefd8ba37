"""What ops of networks refuse: when, as which class and in which words."""

import re

import numpy as np
import tensorflow as tf

# The cases use these by name.
from tensorflow.python.ops import (  # noqa: F401
    candidate_sampling_ops,
    ctc_ops,
    embedding_ops,
    gen_nn_ops,
    nn_impl,
    nn_ops,
)

results = {}
fed = {}


def counted(*sizes):
    """Floats from -1 on in steps of a seventh."""
    return (np.arange(int(np.prod(sizes)), dtype=np.float32) / 7 - 1).reshape(sizes)


def whole(*sizes):
    return np.arange(int(np.prod(sizes)), dtype=np.int32).reshape(sizes)


def late(value, shape=None):
    """A tensor of which nothing is known before the graph runs."""
    tensor = tf.placeholder(np.asarray(value).dtype, shape)
    fed[tensor] = value
    return tensor


def sized(*sizes, **keywords):
    return tf.placeholder(keywords.get("dtype", tf.float32), list(sizes))


def unknown(dtype=tf.float32):
    return tf.placeholder(dtype)


def phrase(error):
    """The message without the operation it is about."""
    text = str(getattr(error, "message", error)).split(" for '")[0].split(" (op ")[0]
    told = re.sub(r"\s+", " ", text.split("; close: ")[0])
    return re.split(r" \[\[node | \[<string>| \[\[\{\{node", told)[0].replace(", ", ",")[:60].rstrip(". ")


def fetched(value):
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in fetched(item)]
    return [value] if isinstance(value, (tf.Tensor, tf.Operation, tf.SparseTensor)) else []


NAMES = dict(globals(), C=tf.constant)
CASES = """
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(5, 5, 2, 3)), [1, 1, 1, 1], 'VALID')
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 3, 3)), [1, 1, 1, 1], 'VALID')
nn_ops.conv2d(C(counted(4, 4, 2)), C(counted(2, 2, 2, 3)), [1, 1, 1, 1], 'VALID')
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 2)), [1, 1, 1, 1], 'VALID')
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 2, 3)), [2, 1, 1, 1], 'VALID')
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 2, 3)), [1, 1, 1, 2], 'VALID')
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 2, 3)), [1, 1, 1], 'VALID')
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 2, 3)), [1, 0, 1, 1], 'VALID')
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 2, 3)), [1, -1, 1, 1], 'VALID')
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 2, 3)), [1, 1, 1, 1], 'valid')
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 2, 3)), [1, 1, 1, 1], 'VALID', data_format='NCHW')
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 2, 3)), [1, 1, 1, 1], 'VALID', data_format='FOO')
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 2, 3)), [1, 1, 1, 1], [[0, 1], [1, 1], [2, 0], [0, 0]])
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 2, 3)), [1, 1, 1, 1], [[0, 0], [1, 1], [2, 0]])
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 2, 3)), [1, 1, 1, 1], [[0, 0], [-1, 1], [2, 0], [0, 0]])
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 2, 3)), [1, 1, 1, 1], [0, 0, 1, 1])
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 2, 3)), [1, 1, 1, 1], 'VALID', dilations=[2, 1, 1, 1])
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 2, 3)), [1, 1, 1, 1], 'VALID', dilations=[1, 0, 1, 1])
nn_ops.conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 2, 3)), [1, 1, 1, 1], 'VALID', dilations=[1, 1, 1])
nn_ops.conv2d(C(whole(1, 4, 4, 2)), C(whole(2, 2, 2, 3)), [1, 1, 1, 1], 'VALID')
nn_ops.conv2d(late(counted(1, 4, 4, 2)), late(counted(2, 2, 3, 3)), [1, 1, 1, 1], 'VALID')
nn_ops.conv2d(late(counted(4, 4, 2)), late(counted(2, 2, 2, 3)), [1, 1, 1, 1], 'VALID')
nn_ops.conv2d_backprop_input([1, 4, 4, 2], C(counted(2, 2, 2, 3)), C(counted(1, 3, 3, 4)), [1, 1, 1, 1], 'VALID')
nn_ops.conv2d_backprop_input([1, 4, 4, 2], C(counted(2, 2, 2, 3)), C(counted(2, 3, 3, 3)), [1, 1, 1, 1], 'VALID')
nn_ops.conv2d_backprop_filter(C(counted(1, 4, 4, 2)), [2, 2, 2, 3], C(counted(1, 3, 3, 4)), [1, 1, 1, 1], 'VALID')
nn_ops.conv2d_backprop_filter(C(counted(1, 4, 4, 2)), [2, 2, 2], C(counted(1, 3, 3, 3)), [1, 1, 1, 1], 'VALID')
nn_ops.conv2d_transpose(C(counted(1, 3, 3, 3)), C(counted(2, 2, 2, 4)), [1, 4, 4, 2], [1, 1, 1, 1], 'VALID')
nn_ops.conv2d_transpose(C(counted(1, 3, 3, 3)), C(counted(2, 2, 2, 3)), [4, 4, 2], [1, 1, 1, 1], 'VALID')
nn_ops.conv2d_transpose(C(counted(1, 3, 3, 3)), C(counted(2, 2, 2, 3)), [1, 4, 4, 2], [1, 1, 1, 1], 'FOO')
nn_ops.conv1d(C(counted(4, 2)), C(counted(2, 2, 3)), 1, 'VALID')
nn_ops.conv1d(C(counted(1, 4, 2)), C(counted(2, 3, 3)), 1, 'VALID')
nn_ops.conv1d(C(counted(1, 4, 2)), C(counted(2, 2, 3)), 1, 'VALID', data_format='foo')
nn_ops.conv3d(C(counted(1, 3, 3, 3, 2)), C(counted(2, 2, 2, 3, 3)), [1, 1, 1, 1, 1], 'VALID')
nn_ops.conv3d(C(counted(1, 3, 3, 3, 2)), C(counted(2, 2, 2, 2, 3)), [1, 1, 1, 1], 'VALID')
nn_ops.conv3d(C(counted(1, 3, 3, 3, 2)), C(counted(4, 2, 2, 2, 3)), [1, 1, 1, 1, 1], 'VALID')
nn_ops.conv3d_transpose(C(counted(1, 2, 2, 2, 3)), C(counted(2, 2, 2, 2, 3)), [1, 3, 3, 3, 2], 1, 'foo')
nn_impl.depthwise_conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 3, 3)), [1, 1, 1, 1], 'VALID')
nn_impl.depthwise_conv2d(C(counted(1, 4, 4, 2)), C(counted(2, 2, 2, 3)), [1, 1, 1, 1], 'VALID', data_format='NCHW')
nn_ops.atrous_conv2d(C(counted(1, 6, 6, 2)), C(counted(2, 2, 3, 3)), 2, 'VALID')
nn_ops.atrous_conv2d(C(counted(1, 6, 6, 2)), C(counted(2, 2, 2, 3)), 0, 'VALID')
nn_ops.atrous_conv2d(C(counted(1, 6, 6, 2)), C(counted(2, 2, 2, 3)), 2, 'FOO')
nn_ops.convolution(C(counted(1, 6, 6, 2)), C(counted(2, 2, 2, 3)), 'VALID', dilation_rate=[2, 2], strides=[2, 2])
nn_ops.convolution(C(counted(1, 6, 6, 2)), C(counted(2, 2, 2, 3)), 'foo')
nn_ops.convolution(C(counted(1, 6, 6, 2)), C(counted(2, 2, 2, 3)), 'VALID', strides=[0, 1])
nn_ops.convolution(C(counted(1, 6, 6, 2)), C(counted(2, 2, 3)), 'VALID')
nn_ops.convolution(C(counted(1, 6, 6, 2)), C(counted(2, 2, 3, 3)), 'VALID')
nn_ops.with_space_to_batch(C(counted(1, 6, 6, 2)), dilation_rate=[2, 1], padding='SAME', op=lambda x, y, z:x)
nn_ops.pool(C(counted(1, 6, 6, 2)), [2, 2], 'FOO', 'VALID', strides=[2, 2])
nn_ops.pool(C(counted(1, 6, 6, 2)), [2, 2], 'MAX', 'SAME', dilation_rate=[2, 2])
nn_ops.pool(C(counted(1, 6, 6, 2)), [2, 2], 'MAX', 'SAME', dilation_rate=[2, 2], strides=[2, 2])
nn_ops.pool(C(counted(1, 6, 6, 2)), [2], 'MAX', 'SAME')
nn_ops.pool(C(counted(1, 6, 6, 2)), [2, 2], 'MAX', 'SAME', dilation_rate=[1, 4])
nn_ops.max_pool(C(counted(1, 4, 4, 2)), [1, 5, 2, 1], [1, 2, 2, 1], 'VALID')
nn_ops.max_pool(C(counted(1, 4, 4, 2)), [1, 2, 2], [1, 2, 2, 1], 'VALID')
nn_ops.max_pool(C(counted(4, 4, 2)), [1, 2, 2, 1], [1, 2, 2, 1], 'VALID')
nn_ops.max_pool(C(counted(1, 4, 4, 2)), [2, 2, 2, 1], [1, 2, 2, 1], 'VALID')
nn_ops.max_pool(C(counted(1, 4, 4, 4)), [1, 1, 1, 3], [1, 1, 1, 3], 'VALID')
nn_ops.max_pool(C(counted(1, 4, 4, 4)), [1, 1, 1, 2], [1, 1, 1, 1], 'VALID')
nn_ops.max_pool(C(counted(1, 4, 4, 4)), [1, 2, 2, 2], [1, 1, 1, 2], 'VALID')
nn_ops.max_pool(C(counted(1, 4, 4, 2)), [1, 2, 2, 1], [1, 2, 2, 1], 'foo')
nn_ops.max_pool(C(counted(1, 4, 4, 2)), [1, 2, 2, 1], [1, 0, 2, 1], 'VALID')
nn_ops.max_pool(C(counted(1, 4, 4, 2)), [1, 0, 2, 1], [1, 1, 2, 1], 'VALID')
nn_ops.max_pool(C(counted(1, 2, 4, 4)), [1, 1, 2, 2], [1, 1, 2, 2], 'VALID', data_format='foo')
nn_ops.avg_pool(C(counted(1, 4, 4, 2)), [1, 5, 2, 1], [1, 2, 2, 1], 'VALID')
nn_ops.avg_pool(C(counted(1, 4, 4, 2)), [2, 1, 1, 1], [1, 1, 1, 1], 'VALID')
nn_ops.avg_pool(C(whole(1, 4, 4, 2)), [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')
nn_ops.max_pool3d(C(counted(1, 2, 2, 2, 1)), [1, 3, 2, 2, 1], [1, 1, 1, 1, 1], 'VALID')
nn_ops.max_pool3d(C(counted(1, 2, 2, 2, 1)), [2, 2, 2, 2, 1], [1, 1, 1, 1, 1], 'VALID')
gen_nn_ops.avg_pool_grad(C([1, 4, 4]), C(counted(1, 2, 2, 1)), [1, 2, 2, 1], [1, 2, 2, 1], 'VALID')
nn_ops.bias_add(C(counted(2, 3)), C(counted(2)))
nn_ops.bias_add(C(counted(3)), C(counted(3)))
nn_ops.bias_add(C(counted(2, 3)), C(counted(3, 1)))
nn_ops.bias_add(C(counted(2, 3)), C(counted(3)), data_format='foo')
nn_ops.bias_add(late(counted(2, 3)), late(counted(2)))
nn_ops.bias_add(late(counted(2, 3)), late(counted(2, 1)))
gen_nn_ops.bias_add_grad(C(counted(3)))
nn_ops.relu(C(['a']))
nn_ops.relu(C([True]))
nn_ops.elu(C([-1, 1]))
nn_ops.leaky_relu(C([-1., 1.]), alpha=C(0.3))
nn_ops.softmax(C(counted(2, 3)), axis=2)
nn_ops.softmax(C(counted(2, 3)), axis=-3)
nn_ops.softmax(C(1.))
nn_ops.softmax(C(counted(2, 3)), axis=0, dim=0)
nn_ops.softmax(C(whole(2, 3)))
nn_ops.softmax_cross_entropy_with_logits(labels=C(counted(2, 2)), logits=C(counted(2, 3)))
gen_nn_ops.softmax_cross_entropy_with_logits(C(counted(2, 3)), C(counted(4)))
nn_ops.sparse_softmax_cross_entropy_with_logits(labels=C([0, 3]), logits=C(counted(2, 3)))
nn_ops.sparse_softmax_cross_entropy_with_logits(labels=C([0, -1]), logits=C(counted(2, 3)))
nn_ops.sparse_softmax_cross_entropy_with_logits(labels=C([0]), logits=C(counted(2, 3)))
nn_ops.sparse_softmax_cross_entropy_with_logits(labels=C([[0, 1]]), logits=C(counted(2, 3)))
nn_ops.sparse_softmax_cross_entropy_with_logits(labels=C(0), logits=C(1.))
nn_ops.sparse_softmax_cross_entropy_with_logits(labels=C(1.), logits=C(counted(2, 3)))
nn_ops.sparse_softmax_cross_entropy_with_logits(labels=late([0, 1, 2]), logits=late(counted(2, 3)))
nn_ops.sparse_softmax_cross_entropy_with_logits(labels=C(whole(3)), logits=C(counted(2, 3, 4)))
gen_nn_ops.sparse_softmax_cross_entropy_with_logits(C(counted(2, 3)), C([0, 5]))
nn_impl.sigmoid_cross_entropy_with_logits(labels=C(counted(3)), logits=C(counted(2)))
nn_impl.weighted_cross_entropy_with_logits(C(counted(3)), C(counted(2)), 2.)
nn_impl.log_poisson_loss(C(counted(3)), C(counted(2)))
nn_ops.l2_loss(C(whole(3)))
nn_impl.fused_batch_norm(C(counted(1, 2, 2, 3)), C(counted(3)), C(counted(3)), is_training=False)
nn_impl.fused_batch_norm(C(counted(1, 2, 2, 3)), C(counted(2)), C(counted(3)))
nn_impl.fused_batch_norm(C(counted(2, 2, 3)), C(counted(3)), C(counted(3)))
nn_ops.local_response_normalization(C(counted(2, 2, 4)))
nn_ops.lrn(late(counted(2, 2, 4)))
gen_nn_ops.lrn_grad(C(counted(1, 2, 2, 4)), C(counted(1, 2, 2, 4)), C(counted(1, 2, 2, 3)))
nn_ops.dropout(C(counted(3)), 0.)
nn_ops.dropout(C(counted(3)), -1.)
nn_ops.dropout(C(counted(3)), 2.)
nn_ops.dropout(C(counted(3)), rate=1.)
nn_ops.dropout(C(counted(3)), [0., 1.])
nn_ops.dropout(C(whole(3)), 0.5)
nn_ops.dropout(C(counted(3)), 0.5, rate=0.5)
nn_ops.dropout(C(counted(3)))
nn_ops.dropout(C(counted(2, 3)), 0.5, noise_shape=[2, 4])
nn_ops.dropout(C(counted(2, 3)), 'a')
nn_ops.dropout(sized(None, 3), 0.5, noise_shape=[None, 1])
embedding_ops.embedding_lookup(C(counted(3, 2)), [0, 5])
embedding_ops.embedding_lookup([], [0])
embedding_ops.embedding_lookup(None, [0])
embedding_ops.embedding_lookup([C(counted(2, 2)), C(counted(2, 2))], [0, 3], partition_strategy='foo')
embedding_ops.embedding_lookup_sparse(C(counted(3, 2)), [0], None)
embedding_ops.embedding_lookup_sparse(C(counted(3, 2)), tf.SparseTensor([[0, 0], [1, 0]], [0, 1], [2, 1]), C([1.]))
embedding_ops.safe_embedding_lookup_sparse([], tf.SparseTensor([[0, 0]], [0], [1, 1]))
candidate_sampling_ops.log_uniform_candidate_sampler(C([[0, 1]], tf.int64), 3, 2, True, 5, seed=1)
candidate_sampling_ops.uniform_candidate_sampler(C([[0, 1]], tf.int64), 2, 7, True, 5, seed=1)
ctc_ops.ctc_loss(tf.SparseTensor([[0, 0], [0, 1]], [1, 2], [1, 2]), C(counted(4, 1, 4)), [5])
ctc_ops.ctc_loss([[1]], C(counted(4, 1, 4)), [4])
ctc_ops.ctc_loss(tf.SparseTensor([[0, 0], [0, 1]], [1, 2], [1, 2]), C(counted(4, 1, 4)), [4, 4])
ctc_ops.ctc_beam_search_decoder(C(counted(4, 1, 4)), [4], beam_width=2, top_paths=3)
nn_ops.quantized_relu_x(C(1), 1., 0., 1.)
gen_nn_ops.relu_grad(C(counted(3)), C(counted(2)))
nn_impl.nce_loss(C(counted(5, 3)), C(counted(5)), C([[1]], tf.int64), C(counted(1, 3)), 2, 5, num_true=2)
"""

for case in CASES.strip().splitlines():
    fed.clear()
    with tf.Graph().as_default(), tf.Session() as session:
        when, names = "building", dict(NAMES)
        try:
            *before, expression = case.split(" ;; ")
            for statement in before:
                exec(statement, names)
            value = eval(expression, names)
            when = "running"
            session.run([tf.global_variables_initializer(), tf.tables_initializer()])
            session.run(fetched(value), dict(fed))
            results[case] = "taken"
        except Exception as error:
            results[case] = [when, type(error).__name__, phrase(error)]
