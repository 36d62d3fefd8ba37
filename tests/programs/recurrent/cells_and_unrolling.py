"""Recurrent cells and the functions that unroll them: outputs, states, gradients, variable and operation names."""

import numpy as np
import tensorflow as tf

results = {}
rng = np.random.RandomState(0)
X = rng.randn(3, 5, 4).astype(np.float32)
LENGTHS = [5, 2, 0]


def init(shape, dtype=tf.float32, partition_info=None):
    size = int(np.prod(shape))
    return tf.constant(np.sin(np.arange(size) * 0.7 + len(shape)).reshape(shape) * 0.4, dtype)


def run(build, ops=False):
    """Values and gradients of a network, with the names of its variables."""
    with tf.Graph().as_default() as graph:
        tf.get_variable_scope().set_initializer(init)
        x = tf.constant(X)
        fetches = flat(build(x))
        loss = tf.add_n([tf.reduce_sum(f * f) for f in fetches])
        variables = tf.trainable_variables()
        grads = [
            g if isinstance(g, tf.Tensor) or g is None else tf.convert_to_tensor(g)
            for g in tf.gradients(loss, [x] + variables)
        ]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            out = sess.run([fetches, [g for g in grads if g is not None]])
        made = {
            "values": out[0],
            "gradients": out[1],
            "missing": [g is None for g in grads],
            "variables": [[v.name, v.shape.as_list()] for v in variables],
            "shapes": [str(f.shape) for f in fetches],
        }
        if ops:
            made["ops"] = [[op.name, op.type] for op in graph.get_operations()]
        return made


def flat(structure):
    if isinstance(structure, (list, tuple)):
        return [leaf for item in structure for leaf in flat(item)]
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in flat(structure[key])]
    return [structure]


C = tf.nn.rnn_cell
cells = {
    "basic": lambda: C.BasicRNNCell(3),
    "basic relu": lambda: C.BasicRNNCell(3, activation="relu"),
    "gru": lambda: C.GRUCell(3),
    "gru with bias": lambda: C.GRUCell(3, bias_initializer=tf.constant_initializer(0.2)),
    "basic lstm": lambda: C.BasicLSTMCell(3),
    "basic lstm in one": lambda: C.BasicLSTMCell(3, state_is_tuple=False, forget_bias=0.5),
    "lstm": lambda: C.LSTMCell(3),
    "lstm with all": lambda: C.LSTMCell(3, use_peepholes=True, cell_clip=0.5, num_proj=2, proj_clip=0.4),
    "lstm in one": lambda: C.LSTMCell(3, num_proj=2, state_is_tuple=False),
    "two layers": lambda: C.MultiRNNCell([C.BasicLSTMCell(3), C.GRUCell(2)]),
    "residual": lambda: C.ResidualWrapper(C.GRUCell(4)),
    "device": lambda: C.DeviceWrapper(C.BasicRNNCell(3), "/cpu:0"),
    "dropout of nothing": lambda: C.DropoutWrapper(C.GRUCell(3)),
}
for name in sorted(cells):

    def dynamic(x, make=cells[name], lengths=None):
        return tf.nn.dynamic_rnn(make(), x, lengths, dtype=tf.float32)

    def static(x, make=cells[name]):
        return tf.nn.static_rnn(make(), tf.unstack(x, axis=1), dtype=tf.float32)

    results["dynamic " + name] = run(dynamic)
    results["lengths " + name] = run(lambda x, dynamic=dynamic: dynamic(x, lengths=LENGTHS))
    results["static " + name] = run(static)

results["static lengths"] = run(
    lambda x: tf.nn.static_rnn(C.BasicLSTMCell(3), tf.unstack(x, axis=1), dtype=tf.float32, sequence_length=LENGTHS)
)
results["time major"] = run(
    lambda x: tf.nn.dynamic_rnn(C.GRUCell(3), tf.transpose(x, [1, 0, 2]), dtype=tf.float32, time_major=True)
)
results["initial state"] = run(
    lambda x: tf.nn.dynamic_rnn(C.GRUCell(3), x, initial_state=tf.tanh(tf.reduce_sum(x, 1))[:, :3])
)
results["both ways"] = run(
    lambda x: tf.nn.bidirectional_dynamic_rnn(C.GRUCell(3), C.BasicLSTMCell(2), x, LENGTHS, dtype=tf.float32)
)
results["both ways without lengths"] = run(
    lambda x: tf.nn.bidirectional_dynamic_rnn(C.GRUCell(3), C.GRUCell(3), x, dtype=tf.float32)
)
results["static both ways"] = run(
    lambda x: tf.nn.static_bidirectional_rnn(
        C.GRUCell(3), C.BasicLSTMCell(2), tf.unstack(x, axis=1), dtype=tf.float32, sequence_length=[5, 2, 1]
    )
)
results["a cell by itself"] = run(lambda x: C.BasicLSTMCell(3)(x[:, 0], C.BasicLSTMCell(3).zero_state(3, tf.float32)))


def raw(x):
    cell = C.LSTMCell(3)
    inputs = tf.TensorArray(tf.float32, size=5).unstack(tf.transpose(x, [1, 0, 2]))

    def loop_fn(time, output, state, loop_state):
        next_state = cell.zero_state(3, tf.float32) if output is None else state
        finished = time >= tf.constant([5, 3, 1])
        done = tf.reduce_all(finished)
        next_input = tf.cond(done, lambda: tf.zeros([3, 4]), lambda: inputs.read(time))
        return finished, next_input, next_state, output, None

    arrays, state, _ = tf.nn.raw_rnn(cell, loop_fn)
    return arrays.stack(), state


results["raw"] = run(raw)
results["ops of dynamic"] = run(lambda x: tf.nn.dynamic_rnn(C.BasicLSTMCell(3), x, LENGTHS, dtype=tf.float32), True)[
    "ops"
]
results["ops of static"] = run(lambda x: tf.nn.static_rnn(C.GRUCell(3), tf.unstack(x, axis=1), dtype=tf.float32), True)[
    "ops"
]


def reused(x):
    cell = C.BasicLSTMCell(3)
    with tf.variable_scope("model"):
        first = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    with tf.variable_scope("model", reuse=True):
        second = tf.nn.dynamic_rnn(C.BasicLSTMCell(3), x * 2.0, dtype=tf.float32)
    return first, second


results["reused"] = run(reused)


def older_style(x):
    """The loop over steps of the how-to notes, with shared variables."""
    cell = C.MultiRNNCell([C.BasicLSTMCell(3) for _ in range(2)])
    state = cell.zero_state(3, tf.float32)
    outputs = []
    with tf.variable_scope("RNN"):
        for step in range(3):
            if step > 0:
                tf.get_variable_scope().reuse_variables()
            output, state = cell(x[:, step, :], state)
            outputs.append(output)
    return outputs, state


results["older style"] = run(older_style)


class Doubling(C.RNNCell):
    """A cell of the user's own, with its variables in `call`."""

    @property
    def state_size(self):
        return 3

    @property
    def output_size(self):
        return 3

    def call(self, inputs, state):
        w = tf.get_variable("w", [4, 3])
        new = tf.tanh(tf.matmul(inputs, w) + 2.0 * state)
        return new, new


results["own cell"] = run(lambda x: tf.nn.dynamic_rnn(Doubling(), x, dtype=tf.float32))


def refusal(function):
    with tf.Graph().as_default():
        try:
            function(tf.constant(X))
        except (ValueError, TypeError, NotImplementedError) as error:
            return type(error).__name__
    return "accepted"


results["refused"] = [
    refusal(lambda x: tf.nn.dynamic_rnn(3, x, dtype=tf.float32)),
    refusal(lambda x: tf.nn.dynamic_rnn(C.GRUCell(3), x)),
    refusal(lambda x: tf.nn.dynamic_rnn(C.GRUCell(3), tf.placeholder(tf.float32, [3, 5, None]), dtype=tf.float32)),
    refusal(lambda x: tf.nn.static_rnn(C.GRUCell(3), x, dtype=tf.float32)),
    refusal(lambda x: tf.nn.static_rnn(C.GRUCell(3), [], dtype=tf.float32)),
    refusal(lambda x: tf.nn.dynamic_rnn(C.GRUCell(3), x, [[1, 2, 3]], dtype=tf.float32)),
    refusal(lambda x: C.MultiRNNCell([])),
    refusal(lambda x: C.MultiRNNCell([C.BasicLSTMCell(3)], state_is_tuple=False)),
    refusal(lambda x: C.DropoutWrapper(C.GRUCell(3), input_keep_prob=1.5)),
    refusal(lambda x: C.DropoutWrapper(C.GRUCell(3), variational_recurrent=True)),
    refusal(lambda x: C.GRUCell(3)(tf.constant([[1, 2]]), tf.zeros([1, 3]))),
]
