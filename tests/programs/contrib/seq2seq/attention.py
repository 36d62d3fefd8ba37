"""Attention mechanisms and the wrapper: outputs, states, gradients, alignments, names of variables."""

import numpy as np
import tensorflow as tf

S = tf.contrib.seq2seq
results = {}
rng = np.random.RandomState(1)
BATCH, TIME, DEPTH, UNITS = 3, 5, 4, 4
X = rng.randn(BATCH, TIME, DEPTH).astype(np.float32)
MEMORY = rng.randn(BATCH, 6, DEPTH).astype(np.float32)
LENGTHS = [6, 2, 4]


def init(shape, dtype=tf.float32, partition_info=None):
    size = int(np.prod(shape))
    return tf.constant(np.sin(np.arange(size) * 0.7 + len(shape)).reshape(shape) * 0.4, dtype)


def leaves(structure):
    if isinstance(structure, (list, tuple)):
        return [leaf for item in structure for leaf in leaves(item)]
    if isinstance(structure, tf.TensorArray):
        return [structure.stack()]
    return [structure]


def run(build):
    with tf.Graph().as_default():
        tf.get_variable_scope().set_initializer(init)
        x, memory = tf.constant(X), tf.constant(MEMORY)
        fetches = leaves(build(x, memory))
        loss = tf.add_n([tf.reduce_sum(f * f) for f in fetches if f.dtype.is_floating])
        variables = tf.trainable_variables()
        grads = tf.gradients(loss, [x, memory] + variables)
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


def wrapped(mechanism, **options):
    def build(x, memory):
        cell = S.AttentionWrapper(tf.nn.rnn_cell.GRUCell(UNITS), mechanism(memory), **options)
        outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
        return outputs, state

    return build


mechanisms = {
    "luong": lambda m: S.LuongAttention(UNITS, m),
    "luong scaled": lambda m: S.LuongAttention(UNITS, m, LENGTHS, scale=True),
    "luong hard": lambda m: S.LuongAttention(UNITS, m, probability_fn=S.hardmax),
    "luong masked softly": lambda m: S.LuongAttention(UNITS, m, LENGTHS, score_mask_value=-1.5),
    "bahdanau": lambda m: S.BahdanauAttention(3, m, LENGTHS),
    "bahdanau normalized": lambda m: S.BahdanauAttention(3, m, normalize=True, name="Seen"),
    "bahdanau own keys": lambda m: S.BahdanauAttention(3, m, custom_key_value_fn=lambda k, v: (k * 2.0, v + 1.0)),
    "bahdanau monotonic": lambda m: S.BahdanauMonotonicAttention(3, m, LENGTHS, normalize=True, score_bias_init=0.3),
    "bahdanau monotonic recursive": lambda m: S.BahdanauMonotonicAttention(3, m, mode="recursive"),
    "luong monotonic": lambda m: S.LuongMonotonicAttention(UNITS, m, LENGTHS, scale=True, score_bias_init=-0.2),
    "luong monotonic hard": lambda m: S.LuongMonotonicAttention(UNITS, m, mode="hard"),
}
for name in sorted(mechanisms):
    results[name] = run(wrapped(mechanisms[name]))

luong, bahdanau = mechanisms["luong"], mechanisms["bahdanau"]
results["layer"] = run(wrapped(luong, attention_layer_size=5))
results["history"] = run(wrapped(bahdanau, alignment_history=True, attention_layer_size=2))
results["cell output"] = run(wrapped(bahdanau, output_attention=False))
results["named"] = run(wrapped(bahdanau, name="decoder_cell"))
results["own inputs"] = run(wrapped(luong, cell_input_fn=lambda x, a: x * a))
results["own layer"] = run(
    wrapped(luong, attention_layer=tf.layers.Dense(3, tf.tanh, name="mixed", kernel_initializer=init))
)


def double_attention(mechanism, output, state, layer):
    alignments, state = mechanism(output, state)
    seen = tf.reduce_sum(tf.expand_dims(alignments, 2) * mechanism.values, 1)
    return seen * 2.0, alignments, state


results["own attention"] = run(wrapped(luong, attention_fn=double_attention))


def several(x, memory):
    both = [luong(memory), bahdanau(memory * 0.5)]
    cell = S.AttentionWrapper(
        tf.nn.rnn_cell.BasicLSTMCell(UNITS), both, attention_layer_size=[2, 3], alignment_history=True
    )
    return tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)


results["several"] = run(several)


def cloned(x, memory):
    inner = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(UNITS) for _ in range(2)])
    cell = S.AttentionWrapper(inner, bahdanau(memory), initial_cell_state=(x[:, 0], x[:, 1]))
    state = cell.zero_state(BATCH, tf.float32)
    results["state"] = [str(state.cell_state[0].shape), state.time.dtype.name, str(cell.state_size), cell.output_size]
    state = state.clone(cell_state=(x[:, 1], x[:, 2]))
    output, state = cell(x[:, 3], state)
    return output, cell(x[:, 4], state)


results["cloned"] = run(cloned)

# ---- functions ----

p = np.array([[0.2, 0.9, 0.5, 0.1], [1.0, 0.0, 0.3, 0.6]], np.float32)
before = np.array([[0.1, 0.2, 0.3, 0.4], [1.0, 0.0, 0.0, 0.0]], np.float32)
with tf.Graph().as_default(), tf.Session() as sess:
    results["hardmax"] = sess.run(S.hardmax(tf.constant([[1.0, 3.0, 3.0], [0.0, -1.0, -2.0]])))
    x = tf.constant([[0.5, 0.0, 0.25], [1.0, 0.5, 0.5]])
    product = S.safe_cumprod(x, axis=1, exclusive=True)
    results["safe_cumprod"] = sess.run([product, tf.gradients(product, x)[0]])
    for mode in ["recursive", "parallel", "hard"]:
        chosen = tf.constant(p if mode != "hard" else np.round(p))
        attention = S.monotonic_attention(chosen, before, mode)
        results["monotonic " + mode] = sess.run([attention, tf.gradients(attention, chosen)[0]])

# ---- errors ----


def error(function):
    with tf.Graph().as_default():
        try:
            function(tf.constant(X), tf.constant(MEMORY))
        except (TypeError, ValueError, AttributeError, tf.errors.OpError) as e:
            return type(e).__name__
    return None


gru = tf.nn.rnn_cell.GRUCell
results["errors"] = {
    "mode": error(lambda x, m: S.monotonic_attention(p, before, "soft")),
    "no function": error(lambda x, m: S.LuongAttention(4, m, probability_fn=3)),
    "layer and size": error(
        lambda x, m: S.AttentionWrapper(gru(4), luong(m), attention_layer_size=2, attention_layer=tf.layers.Dense(2))
    ),
    "sizes": error(lambda x, m: S.AttentionWrapper(gru(4), [luong(m)], attention_layer_size=[2, 3])),
    "no mechanism": error(lambda x, m: S.AttentionWrapper(gru(4), "luong")),
    "no mechanisms": error(lambda x, m: S.AttentionWrapper(gru(4), [luong(m), 3])),
    "no cell": error(lambda x, m: S.AttentionWrapper(3, luong(m))),
    "no state": error(lambda x, m: S.AttentionWrapper(gru(4), luong(m))(x[:, 0], x[:, 0])),
    "units": error(lambda x, m: S.AttentionWrapper(gru(3), luong(m)).call(x[:, 0, :1], None)),
    "luong units": error(lambda x, m: tf.nn.dynamic_rnn(S.AttentionWrapper(gru(3), luong(m)), x, dtype=tf.float32)),
    "clone": error(
        lambda x, m: S.AttentionWrapper(gru(4), luong(m)).zero_state(3, tf.float32).clone(cell_state=x[:, 0, :2])
    ),
    "batch": error(lambda x, m: S.AttentionWrapper(gru(4), luong(m)).zero_state(2, tf.float32)),
    "memory": error(lambda x, m: luong(tf.placeholder(tf.float32, [None, None, None]))),
}
