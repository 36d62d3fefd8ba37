"""tf.contrib.layers: reversible blocks, functions computed again, sequence columns and targets."""

import numpy as np
import tensorflow as tf

layers = tf.contrib.layers
results = {}
R = np.random.RandomState(2)
X1, X2 = R.randn(5, 6).astype(np.float32), R.randn(5, 6).astype(np.float32)
SIDE = R.randn(5, 6).astype(np.float32)


def refused(build):
    try:
        build()
    except (AssertionError, TypeError, ValueError) as error:
        return type(error).__name__
    return "none"


def give(sess):
    for v in tf.global_variables():
        v.load(np.random.RandomState(len(v.name)).randn(*v.shape.as_list()).astype(np.float32) * 0.3, sess)


def f(x):
    return tf.layers.dense(tf.layers.dense(x, 6, activation=tf.tanh), 6)


def f_side(x, side):
    return tf.layers.dense(x, 6) + side[0] * 0.5


for name, options in (
    ("plain", {}),
    ("deep", {"num_layers": 3}),
    ("evaluated", {"num_layers": 2, "is_training": False}),
    ("side", {"num_layers": 2, "sides": True}),
):
    with tf.Graph().as_default(), tf.Session() as sess:
        sides = options.pop("sides", False)
        x1, x2, side = tf.constant(X1), tf.constant(X2), tf.constant(SIDE)
        if sides:
            y1, y2 = layers.rev_block(x1, x2, f_side, f, f_side_input=[side], **options)
        else:
            y1, y2 = layers.rev_block(x1, x2, f, f, **options)
        loss = tf.reduce_mean(y1 * 2.0 + tf.square(y2))
        found = tf.gradients(loss, tf.trainable_variables() + [x1, x2] + ([side] if sides else []))
        give(sess)
        results["rev " + name] = {
            "variables": sorted(v.name for v in tf.trainable_variables()),
            "values": sess.run([y1, y2, found]),
        }

with tf.Graph().as_default(), tf.Session() as sess:
    block = layers.RevBlock([f, f], [f, f], num_layers=2)
    x1, x2 = tf.constant(X1), tf.constant(X2)
    y1, y2 = block.forward(x1, x2)
    count = len(tf.global_variables())
    b1, b2 = block.backward(y1, y2)
    give(sess)
    results["block"] = [
        block.name,
        len(block.variables),
        len(block.trainable_weights),
        count,
        [np.abs(a - b).max() < 1e-4 for a, b in zip(sess.run([b1, b2]), [X1, X2])],
    ]
    results["block"][-1] = [bool(x) for x in results["block"][-1]]
results["block errors"] = [refused(lambda: layers.RevBlock([f], [f, f], num_layers=2))]

# ---- recompute_grad
for name, options in (
    ("plain", None),
    ("data", {"use_data_dep": True, "tupleize_grads": True}),
    ("tuple", {"tupleize_grads": True}),
):
    with tf.Graph().as_default(), tf.Session() as sess:
        told = []

        def layer(x, y, is_recomputing, told=told):
            told.append(is_recomputing)
            with tf.variable_scope("inner", use_resource=True):
                return tf.layers.dense(tf.tanh(tf.layers.dense(x, 4, name="a")), 3, name="b") * y

        wrapped = layers.recompute_grad(layer) if options is None else layers.recompute_grad(**options)(layer)
        x, y = tf.constant(X1), tf.constant(X2[:, :3])
        with tf.contrib.framework.arg_scope([layers.fully_connected], activation_fn=None):
            out = wrapped(x, y)
        found = tf.gradients(tf.reduce_sum(tf.square(out)), [x, y] + tf.trainable_variables())
        give(sess)
        results["recompute " + name] = [sess.run([out, found]), told, [v.name for v in tf.trainable_variables()]]
with tf.Graph().as_default():
    outside = tf.constant(1.0)

    def closes(x):
        return x * outside

    results["recompute errors"] = [
        refused(lambda: layers.recompute_grad(closes)),
        refused(lambda: layers.recompute_grad(lambda x: x)(1.0)),
    ]

# ---- sequences
with tf.Graph().as_default(), tf.Session() as sess:
    words = layers.sparse_column_with_keys("words", ["a", "b", "c"])
    number = layers.real_valued_column("number", dimension=2, normalizer=lambda x: x / 2.0)
    ids = layers.sparse_column_with_integerized_feature("ids", 5)
    columns = [layers.embedding_column(words, 3, initializer=tf.ones_initializer()), layers.one_hot_column(ids), number]
    given = {
        "words": tf.SparseTensor([[0, 0, 0], [0, 2, 0], [1, 1, 0], [1, 1, 1]], ["a", "z", "c", "b"], [2, 3, 2]),
        "ids": tf.SparseTensor([[0, 1, 0], [1, 0, 1]], tf.constant([4, 2], tf.int64), [2, 3, 2]),
        "number": tf.constant(np.arange(12.0).reshape(2, 3, 2).astype(np.float32)),
    }
    net = layers.sequence_input_from_feature_columns(given, columns, weight_collections=["mine"])
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    results["sequence"] = [net.name, [v.name for v in tf.get_collection("mine")], sess.run(net)]
    results["sequence errors"] = [
        refused(lambda: layers.sequence_input_from_feature_columns(given, [words])),
        refused(lambda: layers.sequence_input_from_feature_columns(given, [layers.bucketized_column(number, [1.0])])),
        refused(
            lambda: layers.sequence_input_from_feature_columns(
                given, [layers.one_hot_column(layers.crossed_column([words, ids], 9))]
            )
        ),
    ]
    feature, lists = tf.train.Feature, tf.train.FeatureList
    message = tf.train.SequenceExample(
        context=tf.train.Features(feature={"number": feature(float_list=tf.train.FloatList(value=[1.0, 2.0]))}),
        feature_lists=tf.train.FeatureLists(
            feature_list={
                "steps": lists(feature=[feature(float_list=tf.train.FloatList(value=[float(i)])) for i in range(3)]),
                "words": lists(feature=[feature(bytes_list=tf.train.BytesList(value=[b"a", b"c"]))]),
            }
        ),
    )
    context, steps = layers.parse_feature_columns_from_sequence_examples(
        tf.constant([message.SerializeToString()]),
        [number],
        [layers.real_valued_column("steps"), layers.embedding_column(words, 3)],
    )
    results["parsed"] = [
        sorted(context),
        sorted(steps),
        sess.run([context["number"], steps["steps"]]),
        sess.run(steps["words"]).values.tolist(),
    ]

# ---- targets
LABELS = {
    "classes": np.array([0, 2, 1, 2]),
    "two": np.array([0, 1, 1, 0]),
    "numbers": np.float32([1.0, 2.0, 0.5, -1.0]),
}
LOGITS = R.randn(4, 3).astype(np.float32)


def target(name, made, logits, labels, metrics=None):
    with tf.Graph().as_default(), tf.Session() as sess:
        logits, labels = tf.constant(logits), tf.constant(labels)
        features = {"weight": tf.constant([1.0, 2.0, 0.5, 0.0])}
        found = {
            "loss": made.loss(logits, labels, features),
            "training": made.training_loss(logits, labels, features),
            "predictions": made.logits_to_predictions(logits),
        }
        names = [found["loss"].name, found["training"].name]
        measured = made.get_eval_ops(features, logits, labels, metrics)
        sess.run(tf.local_variables_initializer())
        sess.run([update for _, update in measured.values()])
        found = sess.run(found)
        found["metrics"] = {str(k): v for k, v in sess.run({str(k): v for k, (v, _) in measured.items()}).items()}
        results["target " + name] = [
            names,
            found,
            made.label_name,
            made.weight_column_name,
            made.num_label_columns,
            made.problem_type,
        ]


slim = tf.contrib.slim
target("regression", layers.regression_target(), LOGITS[:, :1], LABELS["numbers"])
target(
    "weighted",
    layers.regression_target("y", "weight"),
    LOGITS[:, :1],
    LABELS["numbers"],
    {"mse": tf.contrib.metrics.streaming_mean_squared_error},
)
target("classes", layers.multi_class_target(3, weight_column_name="weight"), LOGITS, LABELS["classes"])
target(
    "two", layers.multi_class_target(2), LOGITS[:, :1], LABELS["two"], {"acc": tf.contrib.metrics.streaming_accuracy}
)
target("svm", slim.binary_svm_target(), LOGITS[:, :1], LABELS["two"])
results["target names"] = sorted(slim.get_default_binary_metrics_for_eval([0.5, 0.25]))
results["target errors"] = [
    refused(lambda: layers.multi_class_target(1)),
    refused(lambda: slim.binary_svm_target().logits_to_predictions(tf.constant(LOGITS[:, :1]), proba=True)),
    refused(lambda: target("bad", layers.multi_class_target(3), LOGITS, LABELS["classes"], {("a", "b"): None})),
]
