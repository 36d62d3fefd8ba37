"""The canned estimators on a few rows of a census, trained for twenty steps: losses, metrics, predictions, variables.

The graphs are those of 1.15 operation by operation, so that seeds give the same first values and the same dropout.
"""

import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
fc = tf.feature_column

ROWS = 24
generator = np.random.RandomState(7)
AGE = generator.randint(17, 80, [ROWS, 1]).astype(np.float32)
HOURS = generator.randint(10, 60, [ROWS, 1]).astype(np.float32)
JOB = np.array([[b"clerk", b"nurse", b"cook", b"judge"][i % 4] for i in generator.randint(0, 4, ROWS)])[:, None]
PLACE = generator.randint(0, 6, [ROWS, 1]).astype(np.int64)
WEIGHT = generator.randint(1, 4, [ROWS, 1]).astype(np.float32)
RICH = (AGE + HOURS + 10 * generator.rand(ROWS, 1) > 85).astype(np.int64)

age = fc.numeric_column("age", normalizer_fn=lambda x: (x - 40.0) / 10.0)
hours = fc.numeric_column("hours", normalizer_fn=lambda x: (x - 40.0) / 10.0)
decades = fc.bucketized_column(fc.numeric_column("age"), [25, 35, 45, 55, 65])
job = fc.categorical_column_with_vocabulary_list("job", ["clerk", "nurse", "cook"], num_oov_buckets=1)
place = fc.categorical_column_with_identity("place", 6)
crossed = fc.crossed_column([decades, "job"], 20)
wide = [age, job, crossed, decades]
deep = [age, hours, fc.embedding_column(place, 3), fc.indicator_column(job)]


def features():
    return {"age": AGE, "hours": HOURS, "job": JOB, "place": PLACE, "weight": WEIGHT}


def input_fn(labels, weights=True):
    def made():
        given = features()
        if not weights:
            given.pop("weight")
        return tf.data.Dataset.from_tensor_slices((given, labels)).batch(8).repeat()

    return made


def receiver():
    serialized = tf.placeholder(tf.string, [None], name="examples")
    spec = fc.make_parse_example_spec(wide + deep)
    return tf.estimator.export.ServingInputReceiver(tf.parse_example(serialized, spec), {"examples": serialized})


def signatures(estimator):
    folder = estimator.export_saved_model(tempfile.mkdtemp(), receiver)
    with tf.Session(graph=tf.Graph()) as sess:
        meta_graph = tf.saved_model.load(sess, ["serve"], folder)
        return {
            name: [
                signature.method_name,
                sorted((key, value.name) for key, value in signature.inputs.items()),
                sorted((key, value.name) for key, value in signature.outputs.items()),
            ]
            for name, signature in meta_graph.signature_def.items()
        }


class Losses(tf.train.SessionRunHook):
    def __init__(self):
        self.seen = []

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(run_context.session.graph.get_collection(tf.GraphKeys.LOSSES))

    def after_run(self, run_context, run_values):
        self.seen.append(run_values.results[0])


def tried(name, estimator, labels, exported=False, weights=True):
    given = input_fn(labels, weights)
    losses = Losses()
    estimator.train(given, steps=20, hooks=[losses])
    results[name + "/losses"] = np.array(losses.seen, np.float32)
    for key, value in estimator.evaluate(given, steps=3).items():
        results[name + "/metric/" + key] = value
    first = next(estimator.predict(given))
    for key, value in first.items():
        results[name + "/prediction/" + key] = value
    results[name + "/variables"] = estimator.get_variable_names()
    for variable in estimator.get_variable_names():
        results[name + "/value/" + variable] = estimator.get_variable_value(variable)
    if exported:
        results[name + "/signatures"] = signatures(estimator)


def config():
    return tf.estimator.RunConfig(tf_random_seed=5, model_dir=tempfile.mkdtemp())


est = tf.estimator
three = PLACE % 3
named = np.array([[b"no"], [b"yes"]])[RICH[:, 0]]
numbers = (AGE / 40.0 + HOURS / 40.0).astype(np.float32)

tried(
    "linear",
    est.LinearClassifier(wide, weight_column="weight", config=config()),
    RICH,
    exported=True,
)
tried("linear3", est.LinearClassifier(wide, n_classes=3, optimizer="Adagrad", config=config()), three, exported=True)
tried(
    "linear_named",
    est.LinearClassifier(
        wide, label_vocabulary=["no", "yes"], sparse_combiner="sqrtn", optimizer="SGD", config=config()
    ),
    named,
)
tried("linear_regressor", est.LinearRegressor(wide, weight_column="weight", config=config()), numbers, exported=True)
tried("dnn", est.DNNClassifier([5, 4], deep, weight_column="weight", config=config()), RICH, exported=True)
tried(
    "dnn3",
    est.DNNClassifier(
        [5, 4],
        deep,
        n_classes=3,
        dropout=0.25,
        batch_norm=True,
        activation_fn=tf.nn.tanh,
        optimizer=lambda: tf.train.AdamOptimizer(0.01),
        loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE,
        config=config(),
    ),
    three,
)
tried(
    "dnn_regressor",
    est.DNNRegressor([4], deep, label_dimension=2, optimizer=tf.train.GradientDescentOptimizer(0.01), config=config()),
    np.concatenate([numbers, 1 - numbers], axis=1),
)
tried(
    "combined",
    est.DNNLinearCombinedClassifier(
        linear_feature_columns=wide, dnn_feature_columns=deep, dnn_hidden_units=[4, 3], config=config()
    ),
    RICH,
    exported=True,
)
tried(
    "combined_regressor",
    est.DNNLinearCombinedRegressor(
        linear_feature_columns=wide,
        linear_optimizer="RMSProp",
        dnn_feature_columns=deep,
        dnn_hidden_units=[4],
        dnn_dropout=0.5,
        weight_column="weight",
        config=config(),
    ),
    numbers,
)
tried("baseline", est.BaselineClassifier(n_classes=3, weight_column="weight", config=config()), three)
tried("baseline_regressor", est.BaselineRegressor(config=config()), numbers)

# ---- a model that begins with the weights of another ----

taught = est.DNNClassifier([5, 4], deep, config=config())
taught.train(input_fn(RICH), steps=3)
warm = est.DNNClassifier(
    [5, 4],
    deep,
    n_classes=2,
    config=config(),
    warm_start_from=est.WarmStartSettings(taught.model_dir, ".*hiddenlayer.*"),
)
tried("warm", warm, RICH)

# ---- how examples are parsed ----

spec = est.classifier_parse_example_spec(wide, "label", label_dtype=tf.int64, weight_column="weight")
results["classifier_spec"] = sorted((key, str(value)) for key, value in spec.items())
spec = est.regressor_parse_example_spec([age], "label", label_dimension=3)
results["regressor_spec"] = sorted((key, str(value)) for key, value in spec.items())
for bad in (
    lambda: est.classifier_parse_example_spec([age], "age"),
    lambda: est.DNNLinearCombinedClassifier(),
    lambda: est.LinearClassifier(wide, n_classes=1),
    lambda: est.LinearClassifier(wide, loss_reduction="none"),
    lambda: est.DNNClassifier([2], deep, optimizer="Fast", config=config()).train(input_fn(RICH), steps=1),
):
    try:
        bad()
    except ValueError as error:
        results.setdefault("refused", []).append(type(error).__name__)
