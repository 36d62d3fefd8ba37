"""Connectionist temporal classification: losses with every option, gradients, decoders, dense labels."""

import numpy as np
import tensorflow as tf

results = {}
random = np.random.RandomState(0)
TIME, BATCH, CLASSES = 9, 3, 5
logits = random.normal(size=[TIME, BATCH, CLASSES]) * 2
indices = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [1, 3], [2, 0]]
values = [0, 1, 1, 2, 2, 2, 3, 1]


def loss_of(values, lengths, indices=indices, dtype=tf.float32, **options):
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder_with_default(tf.constant(logits, dtype), [None, None, None])
        labels = tf.SparseTensor(indices, tf.constant(values, tf.int32), [BATCH, 9])
        if options.get("time_major") is False:
            x = tf.transpose(x, [1, 0, 2])
        loss = tf.nn.ctc_loss(labels, x, lengths, **options)
        gradient = tf.gradients(loss * [1.0, 2.0, 0.5] if len(lengths) == 3 else loss, x)[0]
        try:
            return sess.run([loss, gradient, loss.op.outputs[1]]) + [loss.name, str(loss.op.outputs[1].shape)]
        except tf.errors.InvalidArgumentError as error:
            return error.message.split("\n")[0].split(" (defined")[0][:150]


for merge in (True, False):
    for collapse in (True, False):
        results["loss %s %s" % (merge, collapse)] = loss_of(
            values, [9, 8, 4], ctc_merge_repeated=merge, preprocess_collapse_repeated=collapse
        )
results["too long"] = loss_of(values, [9, 3, 4])
results["too long, ignored"] = loss_of(values, [9, 3, 0], ignore_longer_outputs_than_inputs=True)
results["no path"] = loss_of(values, [9, 4, 4])
results["batch major"] = loss_of(values, [9, 8, 4], time_major=False)
results["ending in null"] = loss_of([0, 1, 4, 2, 2, 2, 4, 1], [9, 8, 4])
results["null inside"] = loss_of([0, 4, 1, 2, 2, 2, 3, 1], [9, 8, 4])
results["negative"] = loss_of([0, -1, 1, 2, 2, 2, 3, 1], [9, 8, 4])
results["long length"] = loss_of(values, [10, 8, 4])
results["few lengths"] = loss_of(values, [9, 8])
results["empty row"] = loss_of(values[:7], [9, 8, 4], indices=indices[:7])
results["out of order"] = loss_of(values[:2], [9, 8, 4], indices=[[1, 0], [0, 1]])

with tf.Graph().as_default(), tf.Session() as sess:
    x = tf.constant(logits, tf.float32)
    for merge in (True, False):
        (decoded,), score = tf.nn.ctc_greedy_decoder(x, [9, 7, 0], merge_repeated=merge)
        results["greedy %s" % merge] = list(sess.run(decoded)) + [sess.run(score), decoded.values.name, score.name]
        for width, paths in ((100, 1), (4, 3), (1, 1), (20, 5)):
            decoded, score = tf.nn.ctc_beam_search_decoder(x, [9, 7, 5], width, paths, merge_repeated=merge)
            results["beam %s %s %s" % (merge, width, paths)] = [list(sess.run(d)) for d in decoded] + [sess.run(score)]
    results["shapes"] = [str(score.shape), str(decoded[0].indices.shape), score.name]
    decoded, score = tf.nn.ctc_beam_search_decoder_v2(x, [9, 9, 9], 10)
    results["beam v2"] = [list(sess.run(decoded[0])), sess.run(score)]
    try:
        sess.run(tf.nn.ctc_beam_search_decoder(x, [9, 7, 5], 2, 3)[1])
    except tf.errors.InvalidArgumentError as error:
        results["many paths"] = "requested more paths than the beam width" in error.message

    labels = tf.constant([[1, 2, 2, 0], [3, 3, 4, 1], [2, 0, 0, 0]])
    dense = tf.nn.ctc_loss_v2(labels, x, [3, 4, 1], [9, 8, 4])
    results["dense"] = sess.run([dense, tf.gradients(dense, x)[0]])
    labels = tf.constant([[1, 0, 0, 3], [3, 3, 4, 1], [4, 0, 0, 0]])
    dense = tf.nn.ctc_loss_v2(labels, tf.transpose(x, [1, 0, 2]), [3, 4, 0], [9, 8, 4], False, blank_index=2)
    results["dense, other blank"] = sess.run([dense, tf.gradients(dense, x)[0]])
    sparse = tf.SparseTensor(indices, tf.constant(values, tf.int32), [BATCH, 4])
    results["sparse, last blank"] = sess.run(tf.nn.ctc_loss_v2(sparse, x, None, [9, 8, 4], blank_index=-1))
    sparse = tf.SparseTensor(indices, tf.constant([3, 1, 1, 2, 2, 2, 4, 1], tf.int32), [BATCH, 4])
    results["sparse, first blank"] = sess.run(tf.nn.ctc_loss_v2(sparse, x, None, [9, 8, 4], blank_index=0))
    results["collapsed"] = [
        list(sess.run(tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 3, 3, 3], [1, 2, 3, 4, 5]], [5, 4, 2])))
    ]
errors = []
for call in (
    lambda x: tf.nn.ctc_loss([[1]], x, [1]),
    lambda x: tf.nn.ctc_loss_v2(tf.SparseTensor([[0, 0]], [1], [1, 1]), x, None, [1]),
    lambda x: tf.gradients(tf.gradients(tf.nn.ctc_loss(tf.SparseTensor([[0, 0]], [1], [1, 1]), x, [1, 1, 1]), x), x),
):
    with tf.Graph().as_default():
        try:
            call(tf.constant(logits, tf.float32))
            errors.append("none")
        except (LookupError, TypeError, ValueError) as error:
            errors.append(type(error).__name__)
results["errors"] = errors
