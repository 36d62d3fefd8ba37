"""Single steps of beam search, and other parts of modules that programs reach into."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.opt.python.training import (
    agn_optimizer,
    elastic_average_optimizer,
    model_average_optimizer,
    weight_decay_optimizers,
)
from tensorflow.contrib.seq2seq.python.ops import beam_search_decoder
from tensorflow.python.framework import ops
from tensorflow.python.ops import array_ops, rnn_cell_impl
from tensorflow.python.ops.signal import util_ops

results = {}

draw = np.random.RandomState(5)
logits = draw.randn(2, 3, 6).astype(np.float32)
state = beam_search_decoder.BeamSearchDecoderState(
    cell_state=tf.constant(draw.randn(2, 3, 4).astype(np.float32)),
    log_probs=tf.nn.log_softmax(draw.randn(2, 3).astype(np.float32)),
    finished=tf.constant([[False, True, False], [False, False, True]]),
    lengths=tf.constant([[2, 1, 2], [2, 2, 1]], tf.int64),
    accumulated_attention_probs=(),
)
with tf.Session() as sess:
    masked = beam_search_decoder._mask_probs(tf.nn.log_softmax(logits), 2, state.finished)
    results["masked"] = sess.run(tf.maximum(masked, -100.0))
    for weight in [0.0, 0.8]:
        output, following = beam_search_decoder._beam_search_step(
            time=2,
            logits=tf.constant(logits),
            next_cell_state=tf.constant(draw.randn(2, 3, 4).astype(np.float32)),
            beam_state=state,
            batch_size=tf.constant(2),
            beam_width=3,
            end_token=2,
            length_penalty_weight=weight,
            coverage_penalty_weight=0.0,
        )
        output, following = sess.run([output, following])
        results["step %s" % weight] = [list(output), list(following)[:4]]

    times = np.arange(18).reshape(3, 2, 3).astype(np.int32)
    parents = np.array([[[0, 0, 0], [0, 0, 0]], [[0, 1, 1], [1, 2, 0]], [[2, 1, 2], [2, 1, 1]]], np.int32)
    gathered = beam_search_decoder.gather_tree_from_array(
        tf.constant(times), tf.constant(parents), tf.constant([[3, 3, 2], [3, 1, 3]])
    )
    results["along the beams"] = sess.run(gathered)
    check = beam_search_decoder._check_batch_beam(tf.zeros([4, 6, 5]), 2, 3)
    results["holds beams"] = sess.run(check) is None
    results["may hold beams"] = [
        beam_search_decoder._check_static_batch_beam_maybe(tf.TensorShape(shape), 2, 3)
        for shape in ([6, None], [2, 3], [4, 5], [None, 7])
    ]

    results["complex norm"] = sess.run(tf.math.reduce_euclidean_norm(tf.constant([[3 + 4j, 1j], [2.0, 2j]]), axis=1))
    negative = tf.constant([[-3.0], [4.0]])
    results["norms"] = sess.run([tf.math.reduce_euclidean_norm(negative, axis=axis) for axis in [0, 1, []]])
    results["strings"] = sess.run(tf.scatter_nd([[0], [2], [0]], ["a", "b", "c"], [3]))

results["names"] = [
    elastic_average_optimizer.LOCAL_VARIABLE_NAME,
    elastic_average_optimizer.GLOBAL_VARIABLE_NAME,
    agn_optimizer.GRAD_VARIABLE_NAME,
    model_average_optimizer.GLOBAL_VARIABLE_NAME,
]
try:
    tf.ones([2])["x"]
except TypeError as error:
    results["index"] = array_ops._SLICE_TYPE_ERROR in str(error)

with tf.Graph().as_default() as graph:
    first = ops.Operation(ops._NodeDef("NoOp", "first"), graph)
    second = ops.Operation(ops._NodeDef("NoOp", "second"), graph, original_op=first)
    results["original"] = [second.name, second._original_op.name, first._original_op is None]

with tf.Graph().as_default() as graph:
    values = [tf.Variable([1.0, 2.0], name="a"), tf.Variable([3.0], name="b")]
    optimizer = tf.contrib.opt.GGTOptimizer(0.01, window=3)
    optimizer.apply_gradients([(tf.constant([0.1, 0.3]), values[0]), (tf.constant([0.2]), values[1])])
    results["operations of GGT"] = [op.name for op in graph.get_operations()]
    state = [optimizer._get_moment1(), optimizer._get_grad_buffer(), optimizer._get_flat_grad()]
    results["variables of GGT"] = [variable.name for variable in state]


for resource in [False, True]:
    with tf.Graph().as_default(), tf.Session() as sess:
        step = tf.train.get_or_create_global_step()
        value = tf.get_variable("v", initializer=[[1.0, 2.0], [3.0, 4.0]], use_resource=resource)
        optimizer = weight_decay_optimizers.ShampooWOptimizer(0.01, step, learning_rate=0.1)
        train = optimizer.apply_gradients([(tf.constant([[0.1, 0.2], [0.3, 0.5]]), value)], global_step=step)
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        results["Shampoo with decay, resource %s" % resource] = sess.run(value)

with tf.Session() as sess:
    results["divisors"] = sess.run([util_ops.gcd(12, 18), util_ops.gcd(tf.constant(12, tf.int64), 5)])
try:
    tf.nn.dynamic_rnn(3, tf.zeros([1, 2, 3]))
except TypeError as error:
    results["no cell"] = rnn_cell_impl.ASSERT_LIKE_RNNCELL_ERROR_REGEXP in str(error)
