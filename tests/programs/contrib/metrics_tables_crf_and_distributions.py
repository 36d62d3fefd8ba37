"""Small things of many modules of tf.contrib: counts, lookups, sequence states, crf cells, transforms, moving moments."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import crf, distributions, image, lookup, metrics, opt, rnn, seq2seq, stateless
from tensorflow.contrib.distributions import bijectors

results = {}


def outcome(function):
    try:
        return ["nothing", type(function()).__name__]
    except Exception as error:
        return [type(error).__name__, str(error)]


# ---- metrics ----
predictions = tf.placeholder(tf.float32, [None], name="predictions")
labels = tf.placeholder(tf.float32, [None], name="labels")
weights = tf.placeholder_with_default([1.0, 0.5, 2.0, 1.0], [None])
made = {
    "fn": metrics.streaming_false_negatives(predictions > 0.5, labels > 0.5, weights),
    "fp": metrics.streaming_false_positives(predictions > 0.5, labels > 0.5, name="wrong"),
    "tn": metrics.streaming_true_negatives(predictions > 0.5, labels > 0.5, weights, ["values"], ["updates"]),
    "recall": metrics.streaming_recall_at_thresholds(predictions, labels > 0.5, [0.2, 0.5, 0.8], weights),
    "cosine": metrics.streaming_mean_cosine_distance(
        tf.nn.l2_normalize(tf.reshape(predictions, [2, 2]), 1), tf.nn.l2_normalize(tf.reshape(labels, [2, 2]), 1), 1
    ),
}
results["locals"] = [one.name for one in tf.local_variables()]
results["lists"] = [[one.name for one in tf.get_collection(key)] for key in ("values", "updates")]
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    for batch in ([[0.1, 0.9, 0.6, 0.3], [0.0, 1.0, 0.0, 1.0]], [[0.7, 0.4, 0.55, 0.9], [1.0, 1.0, 0.0, 0.0]]):
        session.run({key: update for key, (_, update) in made.items()}, dict(zip((predictions, labels), batch)))
    results["metrics"] = session.run({key: value for key, (value, _) in made.items()})

# ---- image transforms ----
flat = np.array([[1.0, 0.2, 3.0, -0.1, 1.1, 2.0, 0.01, 0.02]], np.float32)
matrices = image.flat_transforms_to_matrices(flat)
with tf.Session() as session:
    results["transforms"] = session.run(
        [
            matrices,
            image.matrices_to_flat_transforms(matrices * 2.0),
            image.flat_transforms_to_matrices(flat[0]),
            image.translations_to_projective_transforms([[3.0, -2.0], [1.0, 0.0]]),
            image.translations_to_projective_transforms([3.0, -2.0], name="moved"),
        ]
    )
results["bad transforms"] = [
    outcome(lambda: image.flat_transforms_to_matrices(np.zeros([2, 7], np.float32)))[0],
    outcome(lambda: image.matrices_to_flat_transforms(np.zeros([2, 3, 2], np.float32)))[0],
    outcome(lambda: image.translations_to_projective_transforms(np.zeros([2, 2, 2], np.float32)))[0],
]

# ---- tables ----
results["hashers"] = [
    list(lookup.FastHashSpec),
    list(lookup.StrongHashSpec([3, 4])),
    list(lookup.HasherSpec("own", None)),
    outcome(lambda: lookup.StrongHashSpec([1]))[0],
    outcome(lambda: lookup.StrongHashSpec([1.5, 2]))[0],
]


class Names(lookup.TableInitializerBase):
    def __init__(self):
        super(Names, self).__init__(tf.string, tf.int64)

    def initialize(self, table):
        inner = lookup.KeyValueTensorInitializer(["a", "b"], [5, 6], tf.string, tf.int64)
        return inner.initialize(table)


with tf.Graph().as_default():
    table = lookup.HashTable(Names(), -2, name="own")
    found = table.lookup(tf.constant(["b", "c"]))
    results["table"] = [
        isinstance(table, lookup.InitializableLookupTableBase),
        isinstance(table, lookup.LookupInterface),
        table.key_dtype.name,
        table.value_dtype.name,
        Names().key_dtype.name,
        found.name,
        outcome(lambda: lookup.LookupInterface(tf.string, tf.int64).size())[0],
        outcome(lambda: lookup.TableInitializerBase(tf.string, tf.int64).initialize(table))[0],
    ]
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        results["found"] = session.run([found, table.size()])
    for spec in (lookup.HasherSpec("slowhash", None), lookup.HasherSpec("stronghash", [1])):
        results["hash " + spec.hasher] = outcome(
            lambda: lookup.IdTableWithHashBuckets(None, 4, hasher_spec=spec).lookup(tf.constant(["a"]))
        )[0]

# ---- weight decay as an extension ----
with tf.Graph().as_default():

    class Decayed(opt.DecoupledWeightDecayExtension, tf.train.MomentumOptimizer):
        def __init__(self, weight_decay, *args, **kwargs):
            super(Decayed, self).__init__(weight_decay, *args, **kwargs)

    v = tf.Variable([1.0, -2.0], name="v")
    w = tf.Variable([[1.0], [3.0]], name="w")
    optimizer = Decayed(0.1, learning_rate=0.5, momentum=0.9, name="Mine")
    loss = tf.reduce_sum(v**2) + tf.reduce_sum(tf.gather(w, [1]))
    train = optimizer.minimize(loss, decay_var_list=[v])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train)
        results["decayed"] = session.run([v, w])
    results["decay names"] = [train.name, optimizer.get_name(), [one.name for one in tf.global_variables()]]

# ---- crf ----
with tf.Graph().as_default(), tf.Session() as session:
    cell = crf.CrfDecodeForwardRnnCell(np.array([[0.1, 0.5], [-0.3, 0.2]], np.float32))
    pointers, state = cell(np.array([[1.0, 2.0], [0.0, 1.0]], np.float32), tf.constant([[0.5, 0.4], [0.1, 0.9]]))
    back = crf.CrfDecodeBackwardRnnCell(2)
    tags, last = back(pointers, tf.constant([[1], [0]]))
    results["crf"] = [session.run([pointers, state, tags, last]), cell.state_size, cell.output_size, back.state_size]
    results["crf types"] = [pointers.dtype.name, tags.dtype.name, str(tags.shape), back.output_size]

# ---- stateless numbers ----
with tf.Graph().as_default(), tf.Session() as session:
    drawn = [
        stateless.stateless_random_normal([3], [1, 2], 1.0, 2.0),
        stateless.stateless_random_uniform([3], [1, 2], 3, 40, tf.int32, "whole"),
        stateless.stateless_random_uniform([2], [1, 2], dtype=tf.float64),
    ]
    results["stateless"] = [session.run(drawn), [one.name for one in drawn]]

# ---- distributions ----
with tf.Graph().as_default(), tf.Session() as session:
    mean = tf.Variable([0.0, 1.0])
    variance = tf.Variable([1.0, 2.0])
    session.run(tf.global_variables_initializer())
    moved = distributions.assign_moving_mean_variance(mean, variance, tf.constant([2.0, 4.0]), 0.9, name="move")
    results["moving"] = [session.run(moved), session.run(moved), session.run([mean, variance])]
    results["softplus"] = session.run(distributions.softplus_inverse([1e-8, 0.5, 3.0, 90.0]))
    grid2, chances2 = distributions.quadrature_scheme_softmaxnormal_quantiles(
        tf.constant([[0.3], [-0.2]]), tf.constant([[1.0], [0.5]]), 4
    )
    results["quadrature"] = session.run([grid2, chances2])
    absolute = bijectors.AbsoluteValue()
    affine = bijectors.AffineLinearOperator(
        shift=[1.0, 2.0], scale=tf.linalg.LinearOperatorLowerTriangular([[2.0, 0.0], [1.0, 3.0]])
    )
    x = tf.constant([[1.0, -2.0], [0.5, 0.0]])
    results["bijectors"] = session.run(
        [
            absolute.forward(x),
            absolute.inverse(tf.abs(x)),
            absolute.inverse_log_det_jacobian(tf.constant([2.0, 3.0]), 0),
            affine.forward(x),
            affine.inverse(x),
            affine.forward_log_det_jacobian(x, 1),
            affine.inverse_log_det_jacobian(x, 1),
            bijectors.AffineLinearOperator()(x)
            if False
            else bijectors.AffineLinearOperator(shift=[1.0, 2.0]).forward(x),
        ]
    )
    results["bijector names"] = [absolute.name, affine.name, isinstance(affine, bijectors.Bijector), affine.dtype.name]

    class Cubed(bijectors.Bijector):
        def __init__(self):
            super(Cubed, self).__init__(forward_min_event_ndims=0, validate_args=False, name="cubed")

        def _forward(self, x):
            return x**3

        def _inverse(self, y):
            return tf.sign(y) * tf.abs(y) ** (1 / 3.0)

        def _inverse_log_det_jacobian(self, y):
            return -np.log(3.0) - 2.0 / 3.0 * tf.log(tf.abs(y))

    cubed = distributions.TransformedDistribution(distributions.Normal([0.5, 1.0], 1.0), Cubed())
    results["cubed"] = session.run([cubed.log_prob([0.1, 8.0]), Cubed().forward_log_det_jacobian([2.0], 0)])
    kinds = [distributions.FULLY_REPARAMETERIZED, distributions.NOT_REPARAMETERIZED]
    own = distributions.ReparameterizationType("some")
    results["kinds"] = [
        isinstance(kinds[0], distributions.ReparameterizationType),
        repr(own),
        own == distributions.ReparameterizationType("some"),
        kinds[0] == kinds[1],
        repr(kinds[0]),
    ]

    class Given(distributions.ConditionalDistribution):
        def __init__(self):
            super(Given, self).__init__(tf.float32, kinds[0], False, True, name="Given")

        def _log_prob(self, x, shift=0.0):
            """About shift."""
            return -((x - shift) ** 2)

        def _sample_n(self, n, seed=None, shift=0.0):
            return tf.fill([n], shift)

        def _cdf(self, x, shift=0.0):
            return tf.sigmoid(x - shift)

        def _batch_shape(self):
            return tf.TensorShape([])

        _event_shape = _batch_shape

        def _batch_shape_tensor(self):
            return tf.constant([], tf.int32)

        _event_shape_tensor = _batch_shape_tensor

    given = Given()
    results["conditional"] = session.run(
        [
            given.log_prob(2.0),
            given.log_prob(2.0, shift=1.5),
            given.sample(2, shift=4.0),
            given.cdf(1.0, shift=1.0),
        ]
    )
    layer = bijectors.masked_dense(
        tf.ones([2, 3]), 6, num_blocks=3, exclusive=True, kernel_initializer=tf.ones_initializer()
    )
    session.run(tf.global_variables_initializer())
    results["masked"] = [session.run(layer), [one.name for one in tf.trainable_variables()][2:]]

# ---- seq2seq ----
with tf.Graph().as_default(), tf.Session() as session:
    memory = tf.constant(np.random.RandomState(0).randn(2, 4, 3).astype(np.float32))
    attention = seq2seq.LuongAttention(3, memory, memory_sequence_length=[4, 2])
    cell = seq2seq.AttentionWrapper(rnn.LSTMCell(3), attention, attention_layer_size=2, alignment_history=True)
    start = cell.zero_state(2, tf.float32)
    changed = start.clone(time=tf.constant(1), attention=tf.ones([2, 2]))
    results["state"] = [
        type(start).__name__,
        isinstance(start, seq2seq.AttentionWrapperState),
        isinstance(attention, seq2seq.AttentionMechanism),
        list(start._fields),
        changed.attention.name,
        outcome(lambda: start.clone(attention=tf.ones([3, 5])))[0],
        outcome(lambda: start.clone(attention=tf.ones([3, 5, 1])))[0],
        outcome(lambda: start.clone(nothing=1))[0],
        [isinstance(rnn.LSTMCell(3), rnn.LayerRNNCell), isinstance(rnn.BasicRNNCell(3), rnn.LayerRNNCell)],
    ]
    results["outputs"] = [
        list(kind._fields)
        for kind in (
            seq2seq.BasicDecoderOutput,
            seq2seq.BeamSearchDecoderOutput,
            seq2seq.BeamSearchDecoderState,
            seq2seq.FinalBeamSearchDecoderOutput,
        )
    ]
    output = seq2seq.BasicDecoderOutput(tf.ones([2]), tf.zeros([2]))
    results["mapped"] = session.run(list(output._replace(sample_id=tf.constant([7.0]))))
