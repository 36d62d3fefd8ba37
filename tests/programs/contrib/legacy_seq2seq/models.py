"""The models of tf.contrib.legacy_seq2seq: outputs, states, gradients, names of variables, losses."""

import numpy as np
import tensorflow as tf

L = tf.contrib.legacy_seq2seq
results = {}
rng = np.random.RandomState(4)
BATCH, UNITS, WORDS, SIZE = 2, 3, 5, 4
SOURCE = rng.randint(0, WORDS, [3, BATCH]).astype(np.int32)
TARGET = rng.randint(0, WORDS, [4, BATCH]).astype(np.int32)
X = rng.randn(3, BATCH, SIZE).astype(np.float32)
Y = rng.randn(4, BATCH, SIZE).astype(np.float32)


def init(shape, dtype=tf.float32, partition_info=None):
    size = int(np.prod(shape))
    return tf.constant(np.sin(np.arange(size) * 0.7 + len(shape)).reshape(shape) * 0.6, dtype)


def leaves(structure):
    if isinstance(structure, (list, tuple)):
        return [leaf for item in structure for leaf in leaves(item)]
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in leaves(structure[key])]
    return [structure]


def run(build):
    with tf.Graph().as_default():
        tf.get_variable_scope().set_initializer(init)
        made = build()
        fetches = leaves(made)
        variables = tf.trainable_variables()
        loss = 0.1 * tf.add_n([tf.reduce_sum(f * f) for f in fetches])
        grads = [g if g is None else tf.convert_to_tensor(g) for g in tf.gradients(loss, variables)]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            values, derived = sess.run([fetches, [g for g in grads if g is not None]])
        return {
            "values": values,
            "gradients": derived,
            "missing": [g is None for g in grads],
            "variables": [[v.name, v.shape.as_list()] for v in variables],
            "shapes": [str(f.shape) for f in fetches],
        }


def listed(array):
    return [tf.constant(item) for item in array]


gru, lstm = (lambda: tf.nn.rnn_cell.GRUCell(UNITS)), (lambda: tf.nn.rnn_cell.BasicLSTMCell(UNITS))
results["rnn_decoder"] = run(lambda: L.rnn_decoder(listed(Y), tf.ones([BATCH, UNITS]), gru()))
results["rnn_decoder with loop"] = run(
    lambda: L.rnn_decoder(
        listed(Y), tf.ones([BATCH, UNITS]), gru(), loop_function=lambda prev, i: tf.pad(prev, [[0, 0], [0, 1]]) * i
    )
)
results["basic"] = run(lambda: L.basic_rnn_seq2seq(listed(X), listed(Y), lstm()))
results["tied"] = run(lambda: L.tied_rnn_seq2seq(listed(X), listed(Y), gru()))


def projection():
    return tf.get_variable("words", [UNITS, WORDS]), tf.get_variable("biases", [WORDS])


for feed in [False, True, "fed"]:

    def fed(feed=feed):
        return tf.placeholder_with_default(True, []) if feed == "fed" else feed

    end = " %s" % feed
    results["embedding" + end] = run(
        lambda fed=fed: L.embedding_rnn_seq2seq(
            listed(SOURCE), listed(TARGET), lstm(), WORDS, WORDS, SIZE, feed_previous=fed()
        )
    )
    results["embedding tied" + end] = run(
        lambda fed=fed: L.embedding_tied_rnn_seq2seq(
            listed(SOURCE), listed(TARGET), gru(), WORDS, SIZE, feed_previous=fed(), num_decoder_symbols=WORDS
        )
    )
    results["embedding attention" + end] = run(
        lambda fed=fed: L.embedding_attention_seq2seq(
            listed(SOURCE), listed(TARGET), lstm(), WORDS, WORDS, SIZE, num_heads=2, feed_previous=fed()
        )
    )
    results["one to many" + end] = run(
        lambda fed=fed: L.one2many_rnn_seq2seq(
            listed(SOURCE),
            {"a": listed(TARGET), "b": listed(SOURCE)},
            gru(),
            {"a": gru(), "b": gru()},
            WORDS,
            {"a": WORDS, "b": 6},
            SIZE,
            feed_previous=fed(),
        )
    )
results["embedding with projection"] = run(
    lambda: L.embedding_rnn_seq2seq(
        listed(SOURCE),
        listed(TARGET),
        gru(),
        WORDS,
        WORDS,
        SIZE,
        output_projection=projection(),
        feed_previous=True,
        scope="mine",
    )
)
results["attention with projection"] = run(
    lambda: L.embedding_attention_seq2seq(
        listed(SOURCE),
        listed(TARGET),
        tf.nn.rnn_cell.MultiRNNCell([gru() for _ in range(2)]),
        WORDS,
        WORDS,
        SIZE,
        output_projection=projection(),
        feed_previous=True,
        initial_state_attention=True,
        dtype=tf.float32,
    )
)
results["attention_decoder"] = run(
    lambda: L.attention_decoder(
        listed(Y), tf.ones([BATCH, UNITS]), tf.constant(rng.randn(BATCH, 3, 2), tf.float32), gru(), output_size=2
    )
)

# ---- losses ----

LOGITS = rng.randn(4, BATCH, WORDS).astype(np.float32)
WEIGHTS = np.array([[1, 1], [1, 1], [0.5, 0], [0, 0]], np.float32)
with tf.Graph().as_default(), tf.Session() as sess:
    arguments = listed(LOGITS), listed(TARGET), listed(WEIGHTS)
    results["losses"] = sess.run(
        [
            L.sequence_loss(*arguments),
            L.sequence_loss(*arguments, average_across_timesteps=False),
            L.sequence_loss(*arguments, average_across_batch=False),
            L.sequence_loss_by_example(*arguments),
            L.sequence_loss_by_example(*arguments, average_across_timesteps=False),
            L.sequence_loss(
                *arguments, softmax_loss_function=lambda labels, logits: tf.reduce_sum(logits, 1) * tf.to_float(labels)
            ),
        ]
    )


def buckets(per_example):
    def build():
        outputs, losses = L.model_with_buckets(
            listed(SOURCE),
            listed(TARGET),
            listed(TARGET),
            listed(WEIGHTS),
            [(2, 2), (3, 4)],
            lambda x, y: L.embedding_attention_seq2seq(x, y, gru(), WORDS, WORDS, SIZE),
            per_example_loss=per_example,
        )
        return outputs[0], losses

    return build


results["buckets"] = run(buckets(False))
results["buckets by example"] = run(buckets(True))


def error(function):
    with tf.Graph().as_default():
        try:
            function()
        except (TypeError, ValueError) as e:
            return type(e).__name__
    return None


states = np.zeros([2, 3, 2], np.float32)
results["errors"] = {
    "no inputs": error(lambda: L.attention_decoder([], None, tf.constant(states), gru())),
    "no heads": error(lambda: L.attention_decoder(listed(Y), None, tf.constant(states), gru(), num_heads=0)),
    "lengths": error(lambda: L.sequence_loss(listed(LOGITS), listed(TARGET), listed(WEIGHTS[:2]))),
    "buckets": error(lambda: L.model_with_buckets(listed(SOURCE), [], [], [], [(4, 4)], None)),
    "cell": error(lambda: L.one2many_rnn_seq2seq([], {}, 3, {}, 1, {}, 1)),
    "names": error(lambda: L.one2many_rnn_seq2seq([], {}, gru(), {"a": gru()}, 1, {}, 1)),
}
