"""Attention mechanisms that are layers, in graphs: values, gradients, variables, memories that come later, refusals, losses."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.seq2seq.python.ops import attention_wrapper, loss

results = {}
rng = np.random.RandomState(3)
MEMORY = rng.randn(2, 4, 3).astype(np.float32)
QUERY = rng.randn(2, 5).astype(np.float32)
BEFORE = rng.dirichlet(np.ones(4), 2).astype(np.float32)
MASK = np.array([[True, True, False, False], [True, True, True, True]])
MECHANISMS = ("BahdanauAttentionV2", "LuongAttentionV2", "BahdanauMonotonicAttentionV2", "LuongMonotonicAttentionV2")
nest = tf.contrib.framework.nest
NAMES = """AttentionMechanism AttentionWrapper AttentionWrapperState BahdanauAttention BahdanauMonotonicAttention LuongAttention
LuongMonotonicAttention hardmax monotonic_attention safe_cumprod _BaseAttentionMechanism _BaseMonotonicAttentionMechanism"""
results["names beside them"] = [name for name in NAMES.split() if hasattr(attention_wrapper, name)]


def run(name, build):
    with tf.Graph().as_default():
        tf.set_random_seed(5)
        try:
            made = build()
        except (TypeError, ValueError) as error:
            results[name] = [type(error).__name__, str(error).split("Error: ")[-1].strip()]
            return
        tensors = [part for part in nest.flatten(made) if isinstance(part, tf.Tensor)]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            results[name] = {
                "values": sess.run(tensors),
                "shapes": [str(tensor.shape) for tensor in tensors],
                "variables": [variable.name for variable in tf.global_variables()],
                "facts": [str(part) for part in nest.flatten(made) if not isinstance(part, tf.Tensor)],
            }


def asked(mechanism):
    alignments, state = mechanism([tf.constant(QUERY), tf.constant(BEFORE)])
    gradients = tf.gradients(alignments[:, 0] * [1.0, 2.0], mechanism.trainable_variables)
    names = [variable.name for variable in mechanism.weights]
    sizes = [mechanism.batch_size, mechanism.alignments_size, mechanism.state_size, mechanism.dtype, mechanism.built]
    return [alignments, state, mechanism.keys, mechanism.values, gradients, names, sizes]


def made_ready(mechanism):
    mechanism(tf.constant(MEMORY), setup_memory=True)
    return mechanism


def variants(kind):
    settings = [{}, {"memory_sequence_length": [4, 2]}, {"normalize" if "Bahdanau" in kind else "scale": True}]
    if "Bahdanau" in kind:
        settings.append({"kernel_initializer": "ones", "name": "other"})
    if "Monotonic" in kind:
        settings += [{"mode": "hard", "score_bias_init": 0.3}, {"sigmoid_noise": 0.5, "sigmoid_noise_seed": 2}]
        settings += [{"mode": "recursive"}, {"mode": "none"}]
    else:
        settings += [{"probability_fn": "hardmax"}, {"probability_fn": "sigmoid"}]
    return [*settings, {"trainable": False}, {"bogus": 1}, {"dtype": "float64"}]


for kind in MECHANISMS:
    mechanism_class = getattr(attention_wrapper, kind)
    for number, settings in enumerate(variants(kind)):
        run(
            f"{kind} {number}",
            lambda make=mechanism_class, settings=settings: asked(make(5, tf.constant(MEMORY), **settings)),
        )
    made = mechanism_class(5, None)
    config = made.get_config()
    again = mechanism_class.from_config(config)
    results[kind + " config"] = [list(config), str(sorted(config.items(), key=str)), again.get_config() == config]
    run(kind + " first", lambda make=mechanism_class: made_ready(make(5, None)).initial_state(3, tf.float32))


def later(memory, **kwargs):
    mechanism = attention_wrapper.BahdanauAttentionV2(5, None)
    kept = mechanism(memory, setup_memory=True, **kwargs)
    return [kept, mechanism.built, asked(mechanism), mechanism.compute_mask([kept])]


def of_config():
    config = attention_wrapper.LuongAttentionV2(5, None, scale=True).get_config()
    return asked(attention_wrapper.LuongAttentionV2.from_config({**config, "memory": tf.constant(MEMORY)}))


def masked_memory():
    masked = tf.keras.layers.Masking()(tf.constant(MEMORY * MASK[:, :, None].astype(np.float32)))
    return asked(attention_wrapper.LuongAttentionV2(5, masked))


run("later", lambda: later(tf.constant(MEMORY)))
run("later list", lambda: later([tf.constant(MEMORY), tf.constant([3, 2])]))
run("later masked", lambda: later(tf.constant(MEMORY), mask=tf.constant(MASK)))
run("later both", lambda: later([tf.constant(MEMORY), tf.constant([3, 2])], mask=tf.constant(MASK)))
run("later three", lambda: later([tf.constant(MEMORY), tf.constant([3, 2]), tf.constant(1)]))
run("masked memory", masked_memory)
run("of configuration", of_config)
run("no memory", lambda: attention_wrapper.LuongAttentionV2(5, None)([tf.constant(QUERY), tf.constant(BEFORE)]))
run("one input", lambda: attention_wrapper.LuongAttentionV2(5, tf.constant(MEMORY))([tf.constant(QUERY)]))
run("depth", lambda: asked(attention_wrapper.LuongAttentionV2(5, tf.constant(MEMORY)))[0][:, :3])
run("other function", lambda: attention_wrapper._BaseAttentionMechanismV2(None, 3))
run("other layer", lambda: attention_wrapper._BaseAttentionMechanismV2(None, tf.nn.softmax, query_layer=3))
run("no type", lambda: attention_wrapper._BaseAttentionMechanismV2(None, tf.nn.softmax))
for name, settings in (
    ("mask", {"memory_mask": MASK}),
    ("lengths", {"memory_sequence_length": np.array([3, 2])}),
    ("both", {"memory_mask": MASK, "memory_sequence_length": np.array([3, 2])}),
):
    run("memory of " + name, lambda settings=settings: attention_wrapper._prepare_memory(MEMORY, **settings))
    run(
        "score of " + name,
        lambda settings=settings: attention_wrapper._maybe_mask_score(
            tf.constant(BEFORE), score_mask_value=-3.0, **settings
        ),
    )


def wrapped(kind, **settings):
    mechanism = getattr(attention_wrapper, kind)(5, tf.constant(MEMORY), memory_sequence_length=[4, 2])
    cell = attention_wrapper.AttentionWrapper(tf.nn.rnn_cell.GRUCell(5), mechanism, attention_layer_size=4, **settings)
    inputs = tf.constant(np.linspace(-1, 1, 12).reshape(2, 3, 2).astype(np.float32))
    outputs, state = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
    gradients = tf.gradients(outputs * outputs, tf.trainable_variables())
    return [outputs, state.alignments, state.time, gradients]


for kind in MECHANISMS:
    run("wrapped " + kind, lambda kind=kind: wrapped(kind, output_attention=False))


def model(late):
    query, state, memory = (tf.keras.Input(shape) for shape in ((5,), (4,), (4, 3)))
    mechanism = attention_wrapper.BahdanauAttentionV2(5, None if late else memory)
    if late:
        mechanism(memory, setup_memory=True)
    made = tf.keras.Model([query, state, memory], mechanism([query, state])[0])
    made.compile("sgd", "mse")
    history = made.fit([QUERY, BEFORE, MEMORY], BEFORE, epochs=2, verbose=0)
    shapes = [weight.shape for weight in made.get_weights()]
    return [[layer.name.split("_")[0] for layer in made.layers], shapes, sorted(history.history)]


run("model", lambda: model(False))
run("model with memory later", lambda: model(True))

LOGITS = rng.randn(2, 3, 4).astype(np.float32)
TARGETS = np.array([[0, 1, 2], [3, 0, 1]], np.int32)
WEIGHTS = np.array([[1, 1, 0], [1, 0.5, 2]], np.float32)
for number in range(16):
    flags = [bool(number >> bit & 1) for bit in range(4)]
    run(
        f"loss {number:04b}",
        lambda flags=flags: loss.SequenceLoss(*flags)(tf.constant(TARGETS), tf.constant(LOGITS), tf.constant(WEIGHTS)),
    )
made = loss.SequenceLoss(softmax_loss_function=lambda labels, logits: tf.cast(labels, tf.float32), name="mine")
run("loss of a function", lambda: made(tf.constant(TARGETS), tf.constant(LOGITS), tf.constant(WEIGHTS)))
run("loss of weights", lambda: made(tf.constant(TARGETS), tf.constant(LOGITS), tf.constant(WEIGHTS[0])))
results["loss as object"] = [made.get_config(), made.call(None, None) is None, isinstance(made, tf.keras.losses.Loss)]
