"""What model functions of tf.contrib.learn are made of: ops and models, as 1.15 still has them."""

import numpy as np
import tensorflow as tf

learn = tf.contrib.learn
state = np.random.RandomState(0)
results = {}
_logits = [state.randn(2, 3).astype(np.float32) for _ in range(2)]
_labels = [np.eye(3, dtype=np.float32)[[0, 1]], np.eye(3, dtype=np.float32)[[2, 1]]]
_steps = state.randn(2, 3, 4).astype(np.float32)


def said(name, build):
    """Values with all weights the same, the names and shapes of variables, and how many losses were collected."""
    with tf.Graph().as_default(), tf.variable_scope("", initializer=tf.constant_initializer(0.1)):
        found = build()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            results[name] = [np.asarray(value) for value in tf.contrib.framework.nest.flatten(session.run(found))]
        results[name + " variables"] = sorted((v.op.name, v.shape.as_list()) for v in tf.global_variables())
        results[name + " losses"] = len(tf.get_collection(tf.GraphKeys.LOSSES))


def refused(name, build):
    with tf.Graph().as_default():
        try:
            build()
        except Exception as error:
            results[name] = type(error).__name__


def gru():
    return tf.nn.rnn_cell.GRUCell(4)


def recurrent(cell_type, layers=1, bidirectional=False, lengths=None, attention=None):
    def build():
        model = learn.models.get_rnn_model(
            4,
            cell_type,
            layers,
            lambda x: tf.unstack(x, axis=1),
            bidirectional,
            learn.models.linear_regression,
            lengths,
            None,
            attention,
            None,
            None,
        )
        return model(tf.constant(_steps), tf.constant([1.0, 2.0]))

    return build


def class_weight_of_graph():
    tf.constant([1.0, 2.0, 3.0], name="class_weight")
    return learn.models.logistic_regression(tf.constant(_logits[0]), tf.constant(_labels[0]))


ops, models = learn.ops, learn.models
said("categorical", lambda: ops.categorical_variable(tf.constant([[0, 1], [2, 0]]), 3, 4, "words"))
said("lookup", lambda: ops.embedding_lookup(tf.constant(_logits[0]), tf.constant([[0, 1], [1, 1]])))
said(
    "regressor",
    lambda: ops.mean_squared_error_regressor(
        tf.constant(_logits[0]), tf.ones([2]), tf.ones([3, 1]), tf.constant([0.5])
    ),
)
said(
    "regressor of three",
    lambda: ops.mean_squared_error_regressor(tf.constant(_logits[0]), tf.constant(_labels[0]), tf.eye(3), tf.ones([3])),
)
said(
    "classifier",
    lambda: ops.softmax_classifier(tf.constant(_logits[0]), tf.constant(_labels[0]), tf.eye(3), tf.ones([3])),
)
said(
    "classifier, weighted",
    lambda: ops.softmax_classifier(
        tf.constant(_logits[0]), tf.constant(_labels[0]), tf.eye(3), tf.ones([3]), tf.constant([1.0, 2.0, 3.0])
    ),
)
said("sequence inputs", lambda: ops.seq2seq_inputs(tf.constant(_steps), tf.constant(_steps[:, :2]), 3, 2))
said("decoder", lambda: ops.rnn_decoder(tf.unstack(_steps, axis=1), tf.ones([2, 4]), gru()))
said("to sequence", lambda: ops.rnn_seq2seq(tf.unstack(_steps, axis=1), tf.unstack(_steps, axis=1), gru()))
said(
    "two cells",
    lambda: ops.rnn_seq2seq(tf.unstack(_steps, axis=1), tf.unstack(_steps, axis=1), gru(), gru(), scope="s"),
)
said("sequence classifier", lambda: ops.sequence_classifier([tf.constant(v) for v in _logits], _labels))
said(
    "sampled",
    lambda: ops.sequence_classifier([tf.constant(v) for v in _logits], _labels, [tf.constant(2 * v) for v in _logits]),
)
said("linear", lambda: models.linear_regression(tf.constant(_logits[0]), tf.constant([1.0, 2.0])))
said("linear, zero", lambda: models.linear_regression_zero_init(tf.constant(_logits[0]), tf.constant(_labels[0])))
said("logistic", lambda: models.logistic_regression(tf.constant(_logits[0]), tf.constant(_labels[0])))
said("logistic, weighted by the graph", class_weight_of_graph)
said("both directions", lambda: models.bidirectional_rnn(gru(), gru(), tf.unstack(_steps, axis=1), dtype=tf.float32))
said("model of gru", recurrent("gru"))
said("model of two rnn", recurrent("rnn", 2))
said("model of lstm, both directions", recurrent("lstm", bidirectional=True))
said("model of gru, lengths", recurrent("gru", lengths=[1, 2]))
said("model of lstm, attention", recurrent("lstm", attention=2))
refused("another cell", recurrent("other"))
refused("no cell", lambda: models.bidirectional_rnn(3, gru(), tf.unstack(_steps, axis=1), dtype=tf.float32))
refused("no list", lambda: models.bidirectional_rnn(gru(), gru(), tf.constant(_steps), dtype=tf.float32))
refused("no inputs", lambda: models.bidirectional_rnn(gru(), gru(), [], dtype=tf.float32))
