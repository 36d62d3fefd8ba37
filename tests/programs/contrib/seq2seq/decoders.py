"""Decoders, helpers, beam search and the sequence loss: outputs, states, lengths, gradients, names."""

import numpy as np
import tensorflow as tf

S = tf.contrib.seq2seq
results = {}
rng = np.random.RandomState(2)
BATCH, TIME, DEPTH, UNITS, WORDS, END = 3, 5, 4, 4, 6, 1
X = rng.randn(BATCH, TIME, DEPTH).astype(np.float32)
TABLE = rng.randn(WORDS, DEPTH).astype(np.float32)
MEMORY = rng.randn(BATCH, 4, UNITS).astype(np.float32)
LENGTHS = [5, 2, 3]


def init(shape, dtype=tf.float32, partition_info=None):
    size = int(np.prod(shape))
    return tf.constant(np.sin(np.arange(size) * 0.7 + len(shape)).reshape(shape) * 1.2, dtype)


def leaves(structure):
    if isinstance(structure, (list, tuple)):
        return [leaf for item in structure for leaf in leaves(item)]
    if isinstance(structure, tf.TensorArray):
        return [structure.stack()]
    return [structure]


def run(build, gradients=True):
    with tf.Graph().as_default():
        tf.set_random_seed(5)
        tf.get_variable_scope().set_initializer(init)
        x = tf.constant(X)
        table = tf.get_variable("embedding", initializer=tf.constant(TABLE))
        made = build(x, table)
        fetches = leaves(made)
        variables = tf.trainable_variables()
        report = {
            "variables": [[v.name, v.shape.as_list()] for v in variables],
            "shapes": [[str(f.shape), f.dtype.name] for f in fetches],
            "names": [f.name for f in leaves([made[0], made[2]])],
            "kinds": [type(part).__name__ for part in made],
        }
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            report["values"] = sess.run(fetches)
            if gradients:
                loss = 0.1 * tf.add_n([tf.reduce_sum(f * f) for f in fetches if f.dtype.is_floating])
                grads = [g if g is None else tf.convert_to_tensor(g) for g in tf.gradients(loss, [x] + variables)]
                report["missing"] = [g is None for g in grads]
                report["gradients"] = sess.run([g for g in grads if g is not None])
        return report


def basic(helper, layer=True, cell=None, options=None, memory=False):
    def build(x, table):
        inner = cell() if cell else tf.nn.rnn_cell.BasicLSTMCell(UNITS)
        if memory:
            inner = S.AttentionWrapper(inner, S.BahdanauAttention(3, tf.constant(MEMORY)), alignment_history=True)
        state = inner.zero_state(BATCH, tf.float32)
        output = tf.layers.Dense(WORDS, use_bias=False, name="words") if layer else None
        decoder = S.BasicDecoder(inner, helper(x, table), state, output)
        return S.dynamic_decode(decoder, **(options or {}))

    return build


START = [2, 3, 4]
training = lambda x, table: S.TrainingHelper(x, LENGTHS)
greedy = lambda x, table: S.GreedyEmbeddingHelper(table, START, END)
results["training"] = run(basic(training))
results["training imputed"] = run(basic(training, options={"impute_finished": True}))
results["training time major"] = run(
    basic(
        lambda x, t: S.TrainingHelper(tf.transpose(x, [1, 0, 2]), LENGTHS, time_major=True),
        options={"output_time_major": True, "swap_memory": True, "scope": "spoken"},
    )
)
results["training without layer"] = run(basic(training, layer=False, cell=lambda: tf.nn.rnn_cell.GRUCell(UNITS)))
results["training short"] = run(basic(training, options={"maximum_iterations": 2}))
results["training none"] = run(basic(training, options={"maximum_iterations": 0}), gradients=False)
results["training with attention"] = run(basic(training, memory=True, options={"impute_finished": True}))
results["greedy"] = run(basic(greedy, options={"maximum_iterations": 6}))
results["greedy imputed"] = run(basic(greedy, options={"maximum_iterations": 6, "impute_finished": True}))
results["greedy function"] = run(
    basic(
        lambda x, t: S.GreedyEmbeddingHelper(lambda ids: tf.one_hot(ids, WORDS), START, END),
        options={"maximum_iterations": 4},
    )
)
results["greedy with attention"] = run(basic(greedy, memory=True, options={"maximum_iterations": 3}))
results["inference"] = run(
    basic(
        lambda x, t: S.InferenceHelper(
            sample_fn=lambda outputs: tf.tanh(outputs),
            sample_shape=[UNITS],
            sample_dtype=tf.float32,
            start_inputs=x[:, 0],
            end_fn=lambda sample: sample[:, 0] > 0.5,
            next_inputs_fn=lambda sample: sample * 2.0,
        ),
        layer=False,
        options={"maximum_iterations": 5},
    )
)
results["custom"] = run(
    basic(
        lambda x, t: S.CustomHelper(
            initialize_fn=lambda: (tf.tile([False], [BATCH]), x[:, 0]),
            sample_fn=lambda time, outputs, state: tf.argmax(outputs, 1, output_type=tf.int32),
            next_inputs_fn=lambda time, outputs, state, sample_ids: (
                tf.greater_equal(time, LENGTHS),
                tf.nn.embedding_lookup(t, sample_ids),
                state,
            ),
        )
    )
)
# With probability 0 and 1 nothing is left to chance.
for often in [0.0, 1.0]:
    results["scheduled outputs %s" % often] = run(
        basic(lambda x, t, often=often: S.ScheduledOutputTrainingHelper(x, LENGTHS, often), layer=False)
    )
    results["scheduled outputs by function %s" % often] = run(
        basic(
            lambda x, t, often=often: S.ScheduledOutputTrainingHelper(
                x, LENGTHS, often, next_inputs_fn=lambda o: o * 0.5, auxiliary_inputs=tf.constant(X[:, :, :2])
            ),
            layer=False,
        )
    )
scheduled = run(basic(lambda x, t: S.ScheduledEmbeddingTrainingHelper(x, LENGTHS, t, 0.0, seed=1, scheduling_seed=2)))
results["scheduled embeddings"] = scheduled
with tf.Graph().as_default(), tf.Session() as sess:
    tf.get_variable_scope().set_initializer(init)
    ends = []
    for helper in [
        S.SampleEmbeddingHelper(tf.constant(TABLE), START, END, softmax_temperature=0.01, seed=3),
        S.ScheduledEmbeddingTrainingHelper(tf.constant(X), LENGTHS, tf.constant(TABLE), 1.0, seed=4),
    ]:
        drawn = helper.sample(time=0, outputs=tf.constant([[0.0, 50.0], [50.0, 0.0], [0.0, 90.0]]), state=())
        finished, inputs, _ = helper.next_inputs(
            time=tf.constant(0), outputs=tf.zeros([3, 2]), state=(), sample_ids=drawn
        )
        ends.append([str(drawn.shape), drawn.dtype.name] + sess.run([drawn, finished, inputs]))
    results["drawn"] = ends


# ---- beam search ----


def beams(width=3, attention=False, options=None, length=7, cell=None, any_batch=False, **decoder_options):
    def build(x, table):
        inner = cell() if cell else tf.nn.rnn_cell.BasicLSTMCell(UNITS)
        if attention:
            memory = tf.placeholder_with_default(MEMORY, [BATCH, None if attention == "unknown" else 4, UNITS])
            memory = S.tile_batch(memory, width)
            lengths = S.tile_batch(tf.constant([4, 2, 3]), width)
            mechanisms = S.LuongAttention(UNITS, memory, lengths)
            if attention == "two":
                mechanisms = [mechanisms, S.BahdanauAttention(3, memory)]
            inner = S.AttentionWrapper(inner, mechanisms, alignment_history=attention != "bare")
        state = inner.zero_state(BATCH * width, tf.float32)
        if attention:
            state = state.clone(
                cell_state=tf.nn.rnn_cell.LSTMStateTuple(*[S.tile_batch(x[:, i], width) for i in range(2)])
            )
        decoder = S.BeamSearchDecoder(
            inner,
            table,
            tf.placeholder_with_default(START, [None]) if any_batch else START,
            END,
            state,
            beam_width=width,
            output_layer=tf.layers.Dense(WORDS, use_bias=False, name="words"),
            **decoder_options,
        )
        return S.dynamic_decode(decoder, maximum_iterations=length, **(options or {}))

    return build


results["beams"] = run(beams(), gradients=False)
results["one beam"] = run(beams(width=1), gradients=False)
results["beams time major"] = run(beams(options={"output_time_major": True}), gradients=False)
results["beams of two layers"] = run(
    beams(cell=lambda: tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(UNITS) for _ in range(2)])),
    gradients=False,
)
results["beams of penalized length"] = run(beams(length_penalty_weight=0.7), gradients=False)
results["beams with attention"] = run(beams(attention=True), gradients=False)
results["beams of penalized coverage"] = run(
    beams(attention=True, length_penalty_weight=1.0, coverage_penalty_weight=0.2), gradients=False
)
results["beams of penalized mean coverage"] = run(
    beams(attention="two", coverage_penalty_weight=0.4, width=2), gradients=False
)
results["beams with attention to any length"] = run(
    beams(attention="unknown", options={"output_time_major": True}), gradients=False
)
results["beams of any batch"] = run(beams(attention=True, any_batch=True), gradients=False)
results["beams not reordered"] = run(beams(attention="unknown", reorder_tensor_arrays=False), gradients=False)


def tiled():
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.get_variable_scope().set_initializer(init)
        parts = {"a": tf.constant(X[:, 0]), "b": (tf.constant(START), tf.placeholder(tf.int32, [None]))}
        parts = S.tile_batch(parts, 2)
        return [str(parts["b"][1].shape), parts["a"].name] + sess.run([parts["a"], parts["b"][0]])


results["tile_batch"] = tiled()
STEPS = rng.randint(0, 6, [5, 2, 3]).astype(np.int32)
PARENTS = rng.randint(0, 3, [5, 2, 3]).astype(np.int32)
with tf.Graph().as_default(), tf.Session() as sess:
    results["gather_tree"] = [
        sess.run(S.gather_tree(STEPS, PARENTS, np.array(lengths, np.int32), END))
        for lengths in ([5, 5], [3, 0], [9, 1])
    ]
    results["gather_tree shape"] = str(
        S.gather_tree(
            tf.placeholder(tf.int32, [None, 2, None]), tf.placeholder(tf.int32, [5, None, 3]), [1, 2], 0
        ).shape
    )
    PARENTS[2, 1, 0] = 7
    try:
        sess.run(S.gather_tree(STEPS, PARENTS, np.array([5, 5], np.int32), END))
    except tf.errors.InvalidArgumentError as e:
        results["gather_tree error"] = str(e).split("\n")[0][:40]

# ---- sequence loss ----

LOGITS = rng.randn(3, 4, 5).astype(np.float32)
TARGETS = rng.randint(0, 5, [3, 4])
WEIGHTS = np.array([[1, 1, 1, 1], [1, 0.5, 0, 0], [1, 2, 0, 0]], np.float32)
losses = {}
with tf.Graph().as_default(), tf.Session() as sess:
    logits = tf.constant(LOGITS)
    for flags in [(1, 1, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0, 0), (0, 0, 1, 1), (0, 0, 1, 0), (0, 0, 0, 1)]:
        flags = [bool(flag) for flag in flags]
        loss = S.sequence_loss(logits, tf.constant(TARGETS), tf.constant(WEIGHTS), *flags)
        losses[str(flags)] = [str(loss.shape)] + sess.run([loss, tf.gradients(loss, logits)[0]])
    own = S.sequence_loss(
        logits,
        tf.constant(TARGETS),
        tf.constant(WEIGHTS),
        softmax_loss_function=lambda labels, logits: tf.reduce_sum(logits, 1) * tf.to_float(labels),
    )
    losses["own"] = sess.run(own)
    losses["nothing counts"] = sess.run(S.sequence_loss(logits, tf.constant(TARGETS), tf.zeros([3, 4])))
results["losses"] = losses

# ---- errors ----


def error(function):
    with tf.Graph().as_default():
        try:
            function(tf.constant(X), tf.constant(TABLE))
        except (TypeError, ValueError, AttributeError, tf.errors.OpError) as e:
            return type(e).__name__
    return None


lstm = tf.nn.rnn_cell.BasicLSTMCell
results["errors"] = {
    "no decoder": error(lambda x, t: S.dynamic_decode(lstm(3))),
    "no helper": error(lambda x, t: S.BasicDecoder(lstm(3), 3, ())),
    "no layer": error(lambda x, t: S.BasicDecoder(lstm(3), training(x, t), (), output_layer=3)),
    "no cell": error(lambda x, t: S.BasicDecoder(3, training(x, t), ())),
    "lengths": error(lambda x, t: S.TrainingHelper(x, 3)),
    "start": error(lambda x, t: S.GreedyEmbeddingHelper(t, 3, END)),
    "end": error(lambda x, t: S.GreedyEmbeddingHelper(t, START, [END])),
    "probability": error(lambda x, t: S.ScheduledOutputTrainingHelper(x, LENGTHS, [[0.5]])),
    "iterations": error(
        lambda x, t: S.dynamic_decode(
            S.BasicDecoder(lstm(4), training(x, t), lstm(4).zero_state(3, tf.float32)), maximum_iterations=[3]
        )
    ),
    "beam start": error(lambda x, t: S.BeamSearchDecoder(lstm(4), t, 3, END, (), 2)),
    "beam state": error(lambda x, t: S.BeamSearchDecoder(lstm(4), t, START, END, lstm(4).zero_state(3, tf.float32), 2)),
    "coverage": error(
        lambda x, t: S.dynamic_decode(
            S.BeamSearchDecoder(
                lstm(4), t, START, END, lstm(4).zero_state(6, tf.float32), 2, coverage_penalty_weight=0.1
            )
        )
    ),
    "helper": error(lambda x, t: S.Helper()),
    "decoder": error(lambda x, t: S.Decoder()),
    "tile": error(lambda x, t: S.tile_batch(tf.constant(3), 2)),
    "loss rank": error(lambda x, t: S.sequence_loss(x, tf.zeros([3], tf.int32), tf.zeros([3, 5]))),
    "loss both": error(
        lambda x, t: S.sequence_loss(x, tf.zeros([3, 5], tf.int32), tf.zeros([3, 5]), sum_over_batch=True)
    ),
    "batch size": error(lambda x, t: S.CustomHelper(None, None, None).batch_size),
}
