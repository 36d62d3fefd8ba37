"""The canned estimators of 2.x's interface, which train by optimizers of Keras: losses, metrics, predictions, variables."""

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
fc = tf.feature_column
E = tf.compat.v2.estimator

ROWS = 24
generator = np.random.RandomState(7)
AGE = generator.randint(17, 80, [ROWS, 1]).astype(np.float32)
JOB = np.array([[b"clerk", b"nurse", b"cook", b"judge"][i % 4] for i in generator.randint(0, 4, ROWS)])[:, None]
WEIGHT = generator.randint(1, 4, [ROWS, 1]).astype(np.float32)
RICH = (AGE + 20 * generator.rand(ROWS, 1) > 55).astype(np.int64)

age = fc.numeric_column("age", normalizer_fn=lambda x: (x - 40.0) / 10.0)
decades = fc.bucketized_column(fc.numeric_column("age"), [25, 35, 45, 55, 65])
job = fc.categorical_column_with_vocabulary_list("job", ["clerk", "nurse", "cook"], num_oov_buckets=1)
wide = [age, job, fc.crossed_column([decades, "job"], 20)]
deep = [age, fc.embedding_column(job, 3)]


def input_fn(labels, keys=("age", "job", "weight")):
    def made():
        given = {key: {"age": AGE, "job": JOB, "weight": WEIGHT}[key] for key in keys}
        return tf.data.Dataset.from_tensor_slices((given, labels)).batch(8).repeat()

    return made


class Losses(tf.train.SessionRunHook):
    def __init__(self):
        self.seen = []

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(tf.get_collection(tf.GraphKeys.LOSSES)[-1])

    def after_run(self, run_context, run_values):
        self.seen.append(run_values.results)


def told(name, estimator, labels, keys=("age", "job", "weight")):
    losses = Losses()
    estimator.train(input_fn(labels, keys), steps=12, hooks=[losses])
    values = {key: estimator.get_variable_value(key) for key in estimator.get_variable_names()}
    metrics = estimator.evaluate(input_fn(labels, keys), steps=3)
    first = next(estimator.predict(input_fn(labels, keys)))
    results[name] = {
        "losses": losses.seen,
        "variables": {key: [list(np.shape(value)), float(np.sum(np.abs(value)))] for key, value in values.items()},
        "metrics": metrics,
        "first": first,
    }


def config():
    return E.RunConfig(tf_random_seed=11)


told("linear classes", E.LinearClassifier(wide, weight_column="weight", config=config()), RICH)
told("linear three", E.LinearClassifier(wide, n_classes=3, sparse_combiner="mean", config=config()), RICH)
told("linear numbers", E.LinearRegressor(wide, optimizer="Adam", config=config()), AGE / 50.0)
told("baseline", E.BaselineClassifier(config=config()), RICH, ["age"])
told(
    "baseline numbers",
    E.BaselineRegressor(optimizer=tf.keras.optimizers.SGD(0.1), config=config()),
    AGE / 50.0,
    ["age"],
)
told("network", E.DNNClassifier([6, 4], deep, dropout=0.25, config=config()), RICH)
told("normalized", E.DNNRegressor([6, 4], deep, batch_norm=True, optimizer="RMSProp", config=config()), AGE / 50.0)
told(
    "both",
    E.DNNLinearCombinedClassifier(
        linear_feature_columns=wide,
        dnn_feature_columns=deep,
        dnn_hidden_units=[5],
        dnn_optimizer="Adam",
        loss_reduction="sum",
        config=config(),
    ),
    RICH,
)
heads = E.MultiHead([E.MultiClassHead(3, name="c"), E.RegressionHead(name="r")])
told(
    "heads",
    E.DNNEstimator(heads, [4], deep, config=config()),
    {"c": RICH, "r": AGE / 50.0},
)

mistakes = {}
for what, make in {
    "an optimizer of 1.x": lambda: E.LinearClassifier(wide, optimizer=tf.train.AdamOptimizer()).train(
        input_fn(RICH), steps=1
    ),
    "a reduction of 1.x": lambda: E.LinearClassifier(wide, loss_reduction=tf.losses.Reduction.SUM),
    "no columns": lambda: E.DNNLinearCombinedClassifier(),
    "no hidden units": lambda: E.DNNLinearCombinedClassifier(dnn_feature_columns=deep).train(input_fn(RICH), steps=1),
    "shared columns of 1.x": lambda: E.DNNClassifier([2], fc.shared_embedding_columns([job], 2)).train(
        input_fn(RICH), steps=1
    ),
    "the older export": lambda: E.BaselineClassifier().export_savedmodel,
}.items():
    try:
        make()
        mistakes[what] = "none"
    except Exception as error:
        mistakes[what] = type(error).__name__
results["mistakes"] = mistakes
