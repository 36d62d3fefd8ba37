"""Recurrent networks that run over whole sequences at once, stacks of both ways, grids of cells, and older spellings."""

import numpy as np
import tensorflow as tf

results = {}
rng = np.random.RandomState(0)
X = rng.randn(3, 5, 4).astype(np.float32)
LENGTHS = [4, 2, 0]


def init(shape, dtype=tf.float32, partition_info=None):
    size = int(np.prod(shape))
    return tf.constant(np.sin(np.arange(size) * 0.7 + len(shape)).reshape(shape) * 0.4, dtype)


def flat(structure):
    if isinstance(structure, (list, tuple)):
        return [leaf for item in structure for leaf in flat(item)]
    return [structure]


def run(build):
    """Values and gradients of a network, with the names of its variables."""
    with tf.Graph().as_default():
        tf.get_variable_scope().set_initializer(init)
        x = tf.constant(X)
        fetches = flat(build(x))
        loss = tf.add_n([tf.reduce_sum(f * f) for f in fetches])
        variables = tf.trainable_variables()
        grads = [g if g is None else tf.convert_to_tensor(g) for g in tf.gradients(loss, [x] + variables)]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            out = sess.run([fetches, [g for g in grads if g is not None]])
        return {
            "values": out[0],
            "gradients": [np.round(g, 6) for g in out[1]],
            "missing": [g is None for g in grads],
            "variables": [[v.name, v.shape.as_list()] for v in variables],
            "shapes": [str(f.shape) for f in fetches],
        }


R = tf.contrib.rnn
G = tf.contrib.grid_rnn


def time_major(x):
    return tf.transpose(x, [1, 0, 2])


fused = {
    "lstm": lambda: R.LSTMBlockFusedCell(3),
    "lstm with all": lambda: R.LSTMBlockFusedCell(3, forget_bias=0.5, cell_clip=0.4, use_peephole=True),
    "adapted": lambda: R.FusedRNNCellAdaptor(R.BasicLSTMCell(3)),
    "adapted in a loop": lambda: R.FusedRNNCellAdaptor(R.GRUCell(3), use_dynamic_rnn=True),
    "backwards": lambda: R.TimeReversedFusedRNN(R.LSTMBlockFusedCell(3)),
}
for name in sorted(fused):
    make = fused[name]
    results[name] = run(lambda x, make=make: make()(time_major(x), dtype=tf.float32))
    results[name + " of lengths"] = run(
        lambda x, make=make: make()(time_major(x), dtype=tf.float32, sequence_length=LENGTHS)
    )
    if "adapted" in name:
        results[name + " of a list"] = run(lambda x, make=make: make()(tf.unstack(x, axis=1), dtype=tf.float32))
results["lstm from a state"] = run(
    lambda x: R.LSTMBlockFusedCell(3)(time_major(x), initial_state=(x[:, 0, :3], tf.tanh(x[:, 1, :3])))
)


def cells(*sizes):
    return [R.BasicLSTMCell(size) for size in sizes]


results["stack"] = run(
    lambda x: R.stack_bidirectional_dynamic_rnn(cells(3, 2), cells(3, 2), x, dtype=tf.float32, sequence_length=LENGTHS)
)
results["static stack"] = run(
    lambda x: R.stack_bidirectional_rnn(cells(2, 2), cells(2, 3), tf.unstack(x, axis=1), dtype=tf.float32)
)
results["stack from states"] = run(
    lambda x: R.stack_bidirectional_dynamic_rnn(
        [R.GRUCell(3)], [R.GRUCell(3)], time_major(x), [x[:, 0, :3]], [x[:, 1, :3]], time_major=True
    )
)

grids = {
    "1 basic": lambda: G.Grid1BasicRNNCell(3),
    "1 basic lstm": lambda: G.Grid1BasicLSTMCell(3),
    "1 lstm": lambda: G.Grid1LSTMCell(3, use_peepholes=True),
    "2 basic": lambda: G.Grid2BasicRNNCell(3),
    "2 basic tied": lambda: G.Grid2BasicRNNCell(3, tied=True),
    "2 basic lstm": lambda: G.Grid2BasicLSTMCell(3, non_recurrent_fn=tf.nn.relu),
    "2 lstm": lambda: G.Grid2LSTMCell(3, use_peepholes=True, forget_bias=2.0),
    "2 lstm tied": lambda: G.Grid2LSTMCell(3, tied=True),
    "2 gru": lambda: G.Grid2GRUCell(3),
    "3 lstm": lambda: G.Grid3LSTMCell(3, output_is_tuple=False),
    "in one": lambda: G.GridRNNCell(
        3,
        2,
        input_dims=[0],
        output_dims=[0, 1],
        priority_dims=[0],
        cell_fn=lambda n: R.BasicLSTMCell(n),
        state_is_tuple=False,
        output_is_tuple=False,
    ),
    "two inputs": lambda: G.GridRNNCell(3, 3, input_dims=[0, 1], output_dims=2, cell_fn=lambda n: R.GRUCell(n)),
}
for name in sorted(grids):

    def step(x, make=grids[name]):
        cell = make()
        state = cell.zero_state(3, tf.float32)
        output, state = cell(x[:, 0], state)
        return output, state

    results["grid " + name] = run(step)
results["grid in a network"] = run(
    lambda x: tf.nn.static_rnn(G.Grid2LSTMCell(3), tf.unstack(x[:, :3], axis=1), dtype=tf.float32)[1]
)


def block_ops(x):
    """The ops themselves, with what the cells leave out."""
    from tensorflow.python.ops import gen_rnn_ops

    depth, units = 4, 2
    w = init([depth + units, 4 * units])
    args = {
        "x": x[:, 0], "cs_prev": x[:, 1, :2], "h_prev": x[:, 2, :2], "w": w,
        "wci": w[0, :2], "wcf": w[1, :2], "wco": w[2, :2], "b": w[3],
    }  # fmt: skip
    whole = dict(args, x=time_major(x))
    return [
        gen_rnn_ops.lstm_block_cell(use_peephole=True, **args),
        gen_rnn_ops.block_lstm(tf.constant(5, tf.int64), use_peephole=True, cell_clip=0.7, **whole),
        [t[:3] for t in gen_rnn_ops.block_lstm(tf.constant(3, tf.int64), **whole)],
        gen_rnn_ops.block_lstm(tf.constant(3, tf.int64), **whole)[6],
        # 1.15 differentiates it as if its gates lay as in the first version.
        gen_rnn_ops.block_lstmv2(
            tf.constant(5, tf.int64),
            use_peephole=True,
            cell_clip=0.6,
            **{name: tf.stop_gradient(value) for name, value in whole.items()},
        ),
    ]


results["ops"] = run(block_ops)
results["transposed"] = run(lambda x: R.transpose_batch_time(x))
with tf.Graph().as_default():
    unknown = tf.placeholder(tf.float32, [7, None, 3])
    results["batch sizes"] = [
        R.best_effort_input_batch_size([tf.zeros([7, 2, 3])]),
        R.best_effort_input_batch_size([unknown, tf.zeros([7, 2, 3])]),
        R.best_effort_input_batch_size([unknown]).op.type,
    ]


def refusal(function):
    with tf.Graph().as_default():
        try:
            function(tf.constant(X))
        except (ValueError, TypeError, NotImplementedError) as error:
            return type(error).__name__
    return "accepted"


results["refused"] = [
    refusal(lambda x: R.stack_bidirectional_rnn([], [], [x], dtype=tf.float32)),
    refusal(lambda x: R.stack_bidirectional_dynamic_rnn(R.GRUCell(3), [R.GRUCell(3)], x, dtype=tf.float32)),
    refusal(lambda x: R.stack_bidirectional_dynamic_rnn(cells(3), cells(3, 3), x, dtype=tf.float32)),
    refusal(lambda x: R.stack_bidirectional_dynamic_rnn(cells(3), cells(3), x, [], dtype=tf.float32)),
    refusal(lambda x: R.LSTMBlockFusedCell(3)(x)),
    refusal(lambda x: R.LSTMBlockFusedCell(3)(tf.unstack(x, axis=1), dtype=tf.float32)),
    refusal(lambda x: R.LSTMBlockFusedCell(3)(x[0], dtype=tf.float32)),
    refusal(lambda x: R.FusedRNNCell()),
    refusal(lambda x: R.LSTMBlockWrapper()),
    refusal(lambda x: G.GridRNNCell(3, 0)),
    refusal(lambda x: G.GridRNNCell(3, 2, input_dims=2)),
    refusal(lambda x: G.GridRNNCell(3, 2, cell_fn=lambda n: n)),
]
