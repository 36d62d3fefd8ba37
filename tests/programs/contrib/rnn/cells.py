"""The cells of tf.contrib.rnn: outputs, states, gradients, names of variables."""

import numpy as np
import tensorflow as tf

results = {}
rng = np.random.RandomState(0)
X = rng.randn(2, 3, 4).astype(np.float32)


def init(shape, dtype=tf.float32, partition_info=None):
    size = int(np.prod(shape))
    return tf.constant(np.sin(np.arange(size) * 0.7 + len(shape)).reshape(shape) * 0.4, dtype)


def flat(structure):
    if isinstance(structure, (list, tuple)):
        return [leaf for item in structure for leaf in flat(item)]
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in flat(structure[key])]
    return [structure]


def run(build):
    """Values and gradients of a network, with the names of its variables."""
    with tf.Graph().as_default():
        tf.get_variable_scope().set_initializer(init)
        x = tf.constant(X)
        fetches = flat(build(x))
        loss = tf.add_n([tf.reduce_sum(tf.cast(f * f, tf.float32)) for f in fetches])
        variables = tf.trainable_variables()
        # What is drawn at random in the beginning is given values that both know.
        fixed = [
            v.assign(tf.reshape(init(v.shape.as_list()) * 2 + 0.9, v.shape)) for v in variables if drawn(v.op.name)
        ]
        grads = tf.gradients(loss, [x] + variables)
        grads = [g if g is None else tf.convert_to_tensor(g) for g in grads]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(fixed)
            out = sess.run([fetches, [g for g in grads if g is not None]])
        return {
            "values": out[0],
            "gradients": [np.round(np.asarray(g), 6) for g in out[1]],
            "missing": [g is None for g in grads],
            "variables": [[v.name, v.shape.as_list()] for v in variables],
            "shapes": [str(f.shape) for f in fetches],
        }


def drawn(name):
    return (
        name.rsplit("/", 1)[-1] in ("kernel_u", "period", "phase")
        or "initial_" in name
        or "s_kernel" in name
        or ("output_kernel" in name)
    )


R = tf.contrib.rnn
from tensorflow.contrib.rnn.python.ops import rnn_cell as M  # noqa: E402

N = {"norm_gain": 0.9, "norm_shift": 0.1}
cells = {
    "coupled": lambda: R.CoupledInputForgetGateLSTMCell(3),
    "coupled with all": lambda: R.CoupledInputForgetGateLSTMCell(
        4, use_peepholes=True, num_proj=2, proj_clip=0.3, num_unit_shards=2, num_proj_shards=2, layer_norm=True, **N
    ),
    "coupled in one": lambda: R.CoupledInputForgetGateLSTMCell(3, state_is_tuple=False, num_proj=2),
    "time and frequency": lambda: R.TimeFreqLSTMCell(2, True, cell_clip=0.5, feature_size=4, frequency_skip=1),
    "layer norm basic": lambda: R.LayerNormBasicLSTMCell(3, **N),
    "layer norm basic without": lambda: R.LayerNormBasicLSTMCell(3, layer_norm=False, activation=tf.nn.relu),
    "layer norm": lambda: M.LayerNormLSTMCell(3, layer_norm=True, **N),
    "layer norm with all": lambda: M.LayerNormLSTMCell(
        3, True, cell_clip=0.6, num_proj=2, proj_clip=0.4, layer_norm=True
    ),
    "layer norm without": lambda: M.LayerNormLSTMCell(3, True, num_proj=2),
    "weight norm": lambda: M.WeightNormLSTMCell(3),
    "weight norm with all": lambda: M.WeightNormLSTMCell(3, True, True, cell_clip=0.6, num_proj=2, proj_clip=0.4),
    "weight norm without": lambda: M.WeightNormLSTMCell(3, norm=False),
    "nas": lambda: R.NASCell(3),
    "nas with all": lambda: R.NASCell(3, num_proj=2, use_bias=True),
    "ugrnn": lambda: R.UGRNNCell(3),
    "intersection": lambda: R.IntersectionRNNCell(4),
    "intersection projected": lambda: R.IntersectionRNNCell(3, num_in_proj=3, y_activation=tf.tanh),
    "groups": lambda: R.GLSTMCell(4, number_of_groups=2),
    "groups projected": lambda: R.GLSTMCell(6, number_of_groups=2, num_proj=4),
    "sru": lambda: R.SRUCell(3),
    "ind rnn": lambda: R.IndRNNCell(3),
    "indy gru": lambda: R.IndyGRUCell(3),
    "indy lstm": lambda: R.IndyLSTMCell(3),
    "minimal": lambda: M.MinimalRNNCell(3, kernel_initializer=init, bias_initializer="ones"),
    "cfn": lambda: M.CFNCell(3, activation="relu", kernel_initializer=init),
    "attention": lambda: R.AttentionCellWrapper(R.BasicLSTMCell(3), 2),
    "attention in one": lambda: R.AttentionCellWrapper(R.GRUCell(3), 2, 2, 5, 3, state_is_tuple=False),
    "highway": lambda: R.HighwayWrapper(R.GRUCell(4)),
    "highway of two gates": lambda: R.HighwayWrapper(R.GRUCell(4), couple_carry_transform_gates=False),
    "input projection": lambda: R.InputProjectionWrapper(R.GRUCell(3), 5, activation=tf.nn.relu),
    "output projection": lambda: R.OutputProjectionWrapper(R.GRUCell(3), 5),
    "compiled": lambda: R.CompiledWrapper(R.GRUCell(3)),
    "lstm block": lambda: R.LSTMBlockCell(3),
    "lstm block with peepholes": lambda: R.LSTMBlockCell(3, use_peephole=True, forget_bias=0.5),
    "lstm block clipped": lambda: R.LSTMBlockCell(3, use_peephole=True, cell_clip=0.3),
    "gru block": lambda: R.GRUBlockCell(3),
    "gru block v2": lambda: R.GRUBlockCellV2(3),
}
for name in sorted(cells):

    def dynamic(x, make=cells[name]):
        return tf.nn.dynamic_rnn(make(), x, dtype=tf.float32)

    results[name] = run(dynamic)


def both_kinds(x):
    """A network whose cell sees pairs (time, input)."""
    times = tf.constant(np.array([[0.3, 1.1, 2.5], [0.1, 0.2, 9.4]])[:, :, None])
    return [
        tf.nn.dynamic_rnn(R.PhasedLSTMCell(3, use_peepholes=peepholes), (times, x), dtype=tf.float32, scope=scope)
        for scope, peepholes in (("a", False), ("b", True))
    ]


results["phased"] = run(both_kinds)


def grid(x, times=False, **options):
    cell = R.GridLSTMCell(2, feature_size=2, frequency_skip=1, num_frequency_blocks=[3], **options)
    return tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)


results["grid"] = run(grid)
results["grid in one"] = run(lambda x: grid(x, state_is_tuple=False))
results["grid with all"] = run(lambda x: grid(x, use_peepholes=True, cell_clip=0.4, num_unit_shards=2))
results["grid shared"] = run(lambda x: grid(x, use_peepholes=True, share_time_frequency_weights=True))
results["grid coupled"] = run(lambda x: grid(x, use_peepholes=True, couple_input_forget_gates=True))


def blocks(x):
    cell = R.GridLSTMCell(
        2,
        feature_size=2,
        frequency_skip=1,
        num_frequency_blocks=[1, 2],
        start_freqindex_list=[0, 1],
        end_freqindex_list=[2, 4],
    )
    return tf.nn.dynamic_rnn(cell, x, dtype=tf.float32), tf.constant(0.0)


results["grid of blocks"] = run(blocks)
for offset in (0, 1, -1):

    def both_ways(x, offset=offset):
        cell = R.BidirectionalGridLSTMCell(
            2, feature_size=2, frequency_skip=1, num_frequency_blocks=[3], backward_slice_offset=offset
        )
        return tf.nn.dynamic_rnn(cell, x[:, :2], dtype=tf.float32)

    results["grid both ways %d" % offset] = run(both_ways)


def convolutional(x):
    image = tf.reshape(tf.concat([x, x * 0.5], 2), [2, 3, 2, 4, 1])
    return [
        tf.nn.dynamic_rnn(R.Conv1DLSTMCell(input_shape=[4, 2], output_channels=2, kernel_shape=[3]),
                          tf.reshape(image, [2, 3, 4, 2]), dtype=tf.float32, scope="one"),
        tf.nn.dynamic_rnn(R.Conv2DLSTMCell(input_shape=[2, 4, 1], output_channels=2, kernel_shape=[2, 3]),
                          image, dtype=tf.float32, scope="two"),
        tf.nn.dynamic_rnn(R.Conv3DLSTMCell(input_shape=[2, 2, 2, 1], output_channels=1, kernel_shape=[1, 2, 2],
                                           use_bias=False),
                          tf.reshape(image, [2, 3, 2, 2, 2, 1]), dtype=tf.float32, scope="three"),
    ]  # fmt: skip


results["convolutional"] = run(convolutional)


def skipping(x):
    cell = R.ConvLSTMCell(1, [4, 1], 1, [2], skip_connection=True)
    return cell(x[:, 0, :, None], cell.zero_state(2, tf.float32))


results["skip connection"] = run(skipping)


def words(x):
    ids = tf.constant([[[1], [0], [4]], [[2], [2], [3]]])
    cell = R.EmbeddingWrapper(R.BasicLSTMCell(3), embedding_classes=5, embedding_size=2)
    return tf.nn.dynamic_rnn(cell, ids, dtype=tf.float32), x * 2


results["embedding"] = run(words)


def machine(x):
    cell = M.NTMCell(R.BasicLSTMCell(3), memory_size=5, memory_vector_dim=2, read_head_num=1, write_head_num=1)
    state = cell.zero_state(2, tf.float32)
    outputs = []
    for step in range(3):
        output, state = cell(x[:, step], state)
        outputs.append(output)
    return outputs, state.read_vector_list, state.w_list, state.M


results["turing machine"] = run(machine)


def heads(x):
    cell = M.NTMCell(R.GRUCell(3), 5, 2, read_head_num=2, write_head_num=1, output_dim=3)
    output, state = cell(x[:, 0], cell.zero_state(2, tf.float32))
    output, state = cell(x[:, 1], state)
    return output, state.M, state.w_list


results["two heads"] = run(heads)


def refusal(function):
    with tf.Graph().as_default():
        try:
            function(tf.constant(X))
        except (ValueError, TypeError, NotImplementedError) as error:
            return type(error).__name__
    return "accepted"


results["refused"] = [
    refusal(lambda x: R.AttentionCellWrapper(R.BasicLSTMCell(3), 0)),
    refusal(lambda x: R.AttentionCellWrapper(R.BasicLSTMCell(3), 2, state_is_tuple=False)),
    refusal(lambda x: R.AttentionCellWrapper(None, 2)),
    refusal(lambda x: R.GridLSTMCell(3)),
    refusal(lambda x: R.GLSTMCell(3, number_of_groups=2)),
    refusal(lambda x: R.GLSTMCell(4, number_of_groups=2)(x[:, 0, :3], (x[:, 0], x[:, 0]))),
    refusal(lambda x: R.ConvLSTMCell(2, [4, 1], 1, [2])),
    refusal(lambda x: R.EmbeddingWrapper(R.GRUCell(3), 0, 2)),
    refusal(lambda x: R.OutputProjectionWrapper(R.GRUCell(3), 0)),
    refusal(lambda x: R.InputProjectionWrapper(3, 3)),
    refusal(lambda x: R.IntersectionRNNCell(3)(x[:, 0], x[:, 0, :3])),
    refusal(lambda x: R.GRUBlockCell()),
    refusal(lambda x: R.GRUBlockCell(3)(x[:, 0], x[:, 0])),
    refusal(lambda x: R.CoupledInputForgetGateLSTMCell(3, num_unit_shards=99)(x[:, 0], (x[:, 0, :3], x[:, 0, :3]))),
    refusal(lambda x: R.UGRNNCell(3)(tf.placeholder(tf.float32, [2, None]), x[:, 0, :3])),
    refusal(lambda x: R.HighwayWrapper(R.GRUCell(3))(x[:, 0], x[:, 0, :3])),
]
