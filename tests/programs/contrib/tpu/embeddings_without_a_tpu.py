"""Columns and specs of embeddings for TPUs: what they check, keep and compute on other devices."""

import tempfile

import numpy as np
import tensorflow as tf

results = {}
here = tf.tpu.experimental
spec_class = tf.estimator.tpu.experimental.EmbeddingConfigSpec
columns = tf.feature_column
ones = tf.ones_initializer()
errors = (ValueError, TypeError, RuntimeError, KeyError, IndexError, AttributeError)


def table(shape, dtype=None, partition_info=None):
    return tf.reshape(tf.range(float(np.prod([int(each) for each in shape]))), shape)


def told(call):
    try:
        return str(call())
    except errors as error:
        return type(error).__name__


a = columns.categorical_column_with_identity("a", 5)
b = columns.categorical_column_with_identity("b", 5)
wide = columns.categorical_column_with_identity("b", 6)
words = columns.categorical_column_with_vocabulary_list("v", ["x", "y"], num_oov_buckets=2)
steps = columns.sequence_categorical_column_with_identity("s", 5)
weighted = columns.weighted_categorical_column(a, "w")
weighted_steps = columns.weighted_categorical_column(steps, "sw")
hashed = columns.categorical_column_with_hash_bucket("h", 7)
number = columns.numeric_column("n")
others = [hashed, columns.crossed_column(["p", "q"], 5), columns.bucketized_column(number, [0.0]), number, None, "a"]
others.append(columns.indicator_column(a))

# How tables are trained on a TPU.
adam, adagrad, descent = here.AdamParameters, here.AdagradParameters, here.StochasticGradientDescentParameters
for name, made in [
    ("adam", adam(0.1)),
    ("adagrad", adagrad(0.1)),
    ("descent", descent(0.1)),
    ("all of adam", adam(0.1, 0.2, 0.3, 0.4, False, False, True, -1.0, 1.0)),
    ("all of adagrad", adagrad(None, 0.2, False, -1.0, 1.0)),
    ("all of descent", descent(lambda: 1, 2.0, 1.0).clip_weight_max),
]:
    results[name] = sorted(vars(made).items()) if hasattr(made, "learning_rate") else made
results["refused parameters"] = [
    told(lambda settings=settings: bool(adam(0.1, **settings)))
    for settings in (
        {"beta1": 1.0},
        {"beta1": -0.1},
        {"beta1": 0.0},
        {"beta2": 1.0},
        {"beta2": -0.1},
        {"epsilon": 0.0},
        {"beta1": "x"},
        {"lazy_adam": False, "use_gradient_accumulation": False},
    )
] + [told(lambda value=value: bool(adagrad(0.1, value))) for value in (0.0, -1.0, 1)]


# What columns take and say.
def fields(column):
    return [
        column.name,
        column.combiner,
        column.variable_shape.as_list(),
        sorted(column.parse_example_spec),
        column.get_combiner(),
        [int(each) for each in column.get_embedding_table_size()],
        column.get_feature_key_name(),
        column.get_embedding_var_name(),
        column.get_weight_key_name(),
        column.is_sequence_column(),
        column.is_categorical_column_weighted(),
        column.get_sequence_length_feature_key_name(),
        column.get_max_sequence_length(),
        column.get_learning_rate_fn() is None,
        type(column.get_initializer()).__name__,
    ]


results["columns"] = [
    fields(here.embedding_column(a, 3)),
    fields(here.embedding_column(a, 3, "sum", ones, 0, lambda step: 0.1)),
    fields(here.embedding_column(words, 2, "sqrtn")),
    fields(here.embedding_column(weighted, 2)),
    fields(here.embedding_column(steps, 2, max_sequence_length=3)),
    fields(here.embedding_column(weighted_steps, 2)),
]
results["shared columns"] = [
    [fields(column) for column in here.shared_embedding_columns(*given, **named)]
    for given, named in (
        (([b, a], 3), {}),
        (([a], 3, "sum", ones, "table"), {}),
        (((weighted, b), 2), {"learning_rate_fn": lambda step: 0.1}),
        (([steps, a], 2), {"max_sequence_lengths": [3, 0]}),
    )
]
results["refused columns"] = [
    told(lambda given=given: here.embedding_column(*given).name)
    for given in [(each, 3) for each in others]
    + [(a, None), (a, 0), (a, "x"), (a, 3, "other"), (a, 3, "mean", 3), (a, 3, "mean", None, 2)]
    + [(a, 3, "mean", None, None), (steps, 3), (steps, 3, "mean", None, -1), (steps, 3, "mean", None, 0.5)]
]
results["refused shared columns"] = [
    told(lambda given=given, named=named: here.shared_embedding_columns(*given, **named)[0].name)
    for given, named in [(([a, each], 3), {}) for each in others]
    + [
        (([], 3), {}),
        (([a, wide], 3), {}),
        (([a, words], 3), {}),
        (([a, steps], 3), {}),
        (([a, b], 0), {}),
        (([a, b], 3, "mean", 3), {}),
        (([a, b], 3), {"max_sequence_lengths": [0]}),
        (([a, b], 3), {"max_sequence_lengths": [0, 1]}),
        (([steps, steps], 3), {"max_sequence_lengths": [2, 0]}),
    ]
]
same, other = here.embedding_column(a, 3, initializer=ones), here.embedding_column(a, 4, initializer=ones)
results["equal"] = [
    same == here.embedding_column(a, 3, initializer=ones),
    same == other,
    hash(same) == hash(here.embedding_column(a, 3, initializer=ones)),
    here.embedding_column(steps, 3, "mean", ones, 1) == here.embedding_column(steps, 3, "mean", ones, 2),
    same == columns.embedding_column(a, 3, initializer=ones),
    isinstance(same, type(columns.embedding_column(a, 3))),
]

# Specs of tables.
plain, parameters = here.embedding_column(a, 3), adagrad(0.1)
results["defaults of a spec"] = [str(each) for each in spec_class([plain], parameters)[2:]]
results["fields of a spec"] = list(spec_class._fields)
results["specs"] = [
    told(lambda named=named: len(spec_class(**named)))
    for named in (
        {},
        {"feature_columns": [plain]},
        {"optimization_parameters": parameters},
        {"feature_columns": [], "optimization_parameters": parameters},
        {"feature_columns": (plain,), "optimization_parameters": adam(0.1)},
        {"feature_columns": plain, "optimization_parameters": adam(0.1)},
        {"feature_columns": [a], "optimization_parameters": adam(0.1)},
        {"feature_columns": [plain, number], "optimization_parameters": descent(0.1)},
        {"feature_columns": [columns.embedding_column(a, 3)], "optimization_parameters": descent(0.1)},
        {"feature_columns": [columns.indicator_column(a)], "optimization_parameters": descent(0.1)},
        {"feature_columns": columns.shared_embedding_columns([a, b], 3), "optimization_parameters": descent(0.1)},
        {"feature_columns": here.shared_embedding_columns([a, b], 3), "optimization_parameters": descent(0.1)},
        {"feature_columns": [plain], "optimization_parameters": tf.train.AdagradOptimizer(0.1)},
        {"feature_columns": [plain], "optimization_parameters": parameters, "partition_strategy": "mod"},
        {"feature_columns": [plain], "optimization_parameters": parameters, "partition_strategy": "other"},
        {"feature_columns": [plain], "optimization_parameters": parameters, "clipping_limit": -2.0},
        {"feature_columns": [plain], "optimization_parameters": parameters, "feature_to_config_dict": {"a": 1}},
        {"feature_to_config_dict": {"a": 1}, "optimization_parameters": parameters},
        {"table_to_config_dict": {"a": 1}, "optimization_parameters": parameters},
        {"feature_to_config_dict": {"a": 1}, "table_to_config_dict": {"t": 1}, "optimization_parameters": parameters},
    )
]

# What columns compute without a TPU.
cases = {
    "mean": [here.embedding_column(a, 2, initializer=table)],
    "sum": [here.embedding_column(weighted, 2, "sum", table), number],
    "sqrtn of words": [here.embedding_column(words, 2, "sqrtn", table)],
    "two of one": [here.embedding_column(a, 2, initializer=table), here.embedding_column(b, 2, initializer=ones)],
    "bad combiner": [here.embedding_column(a, 2, "other", table)],
    "sequence": [here.embedding_column(steps, 2, "mean", table, 2)],
    "weighted sequence": [here.embedding_column(weighted_steps, 2, "mean", table)],
    "shared": here.shared_embedding_columns([b, a], 2, "mean", table),
    "shared named": here.shared_embedding_columns([b, weighted], 2, "sum", table, "table"),
    "shared sequence": here.shared_embedding_columns([steps], 2, "sum", table, max_sequence_lengths=[2]),
}
ways = {
    "input_layer": columns.input_layer,
    "DenseFeatures": lambda given, chosen: tf.keras.layers.DenseFeatures(chosen)(given),
    "sequence_input_layer": tf.contrib.feature_column.sequence_input_layer,
    "SequenceFeatures": lambda given, chosen: tf.keras.experimental.SequenceFeatures(chosen)(given),
    "linear_model": columns.linear_model,
}


def outcome(way, chosen):
    with tf.Graph().as_default():
        made = way(features(), chosen)
        names = [(each.name, each.shape.as_list()) for each in tf.global_variables()]
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.tables_initializer()])
            return [names, session.run(made)]


def features():
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 2]], np.array([1, 4, 2, 3], np.int64), [4, 3])
    return {
        "a": ids,
        "b": tf.constant([[0], [1], [2], [-1]], tf.int64),
        "s": ids,
        "w": tf.SparseTensor(ids.indices, np.float32([1.0, 3.0, 2.0, 0.0]), [4, 3]),
        "sw": tf.SparseTensor(ids.indices, np.float32([1.0, 3.0, 2.0, 0.5]), [4, 3]),
        "v": tf.constant([["x"], ["y"], ["z"], [""]]),
        "n": tf.constant([[1.0], [2.0], [3.0], [4.0]]),
    }


for way_name, way in ways.items():
    for name, chosen in cases.items():
        try:
            results[way_name + " of " + name] = outcome(way, chosen)
        except errors + (NotImplementedError,) as error:
            results[way_name + " of " + name] = type(error).__name__


# A model whose tables a TPU would hold.
def input_fn(params):
    data = tf.data.Dataset.from_tensor_slices(
        ({"a": [[1], [2], [1], [3]], "n": [[1.0], [2.0], [3.0], [4.0]]}, [1.0, 2.0, 3.0, 4.0])
    )
    return data.repeat().batch(params["batch_size"], drop_remainder=True)


def model_fn(features, labels, mode, params):
    net = columns.input_layer(features, [here.embedding_column(a, 2, initializer=ones), number])
    value = tf.reduce_sum(net, 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.contrib.tpu.TPUEstimatorSpec(mode, predictions={"value": value})
    loss = tf.reduce_mean(tf.square(value - labels))
    train_op = tf.train.AdagradOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    metrics = (lambda value, labels: {"error": tf.metrics.mean_absolute_error(labels, value)}, [value, labels])
    return tf.contrib.tpu.TPUEstimatorSpec(mode, loss=loss, train_op=train_op, eval_metrics=metrics)


modes = tf.contrib.tpu.InputPipelineConfig


def trained(spec, tpu_config=None, steps=2):
    config = tf.contrib.tpu.RunConfig(
        model_dir=tempfile.mkdtemp(), tf_random_seed=1, tpu_config=tpu_config or tf.contrib.tpu.TPUConfig()
    )
    estimator = tf.contrib.tpu.TPUEstimator(
        model_fn,
        config=config,
        use_tpu=False,
        train_batch_size=2,
        eval_batch_size=4,
        predict_batch_size=2,
        embedding_config_spec=spec,
    )
    estimator.train(input_fn, steps=steps)
    found = {name: estimator.get_variable_value(name) for name in sorted(estimator.get_variable_names())}
    evaluated = {key: np.float32(value) for key, value in estimator.evaluate(input_fn, steps=1).items()}
    predicted = estimator.predict(input_fn)
    return [found, evaluated, [next(predicted)["value"] for _ in range(4)]]


spec = spec_class([here.embedding_column(a, 2, initializer=ones), number], parameters)
results["trained"] = trained(spec)
results["trained by others"] = [
    told(lambda spec=spec, settings=settings: bool(trained(spec, settings, 1)))
    for spec, settings in (
        (3, None),
        (spec, tf.contrib.tpu.TPUConfig(num_cores_per_replica=2)),
        (spec, tf.contrib.tpu.TPUConfig(per_host_input_for_training=modes.PER_SHARD_V1)),
        (spec, tf.contrib.tpu.TPUConfig(per_host_input_for_training=modes.PER_HOST_V2)),
        (spec_class([plain], adam(0.1), pipeline_execution_with_tensor_core=True, clipping_limit=1.0), None),
        (spec_class([plain], descent(lambda step: 0.1), experimental_gradient_multiplier_fn=lambda step: 1.0), None),
        (spec_class([columns.embedding_column(a, 2)], adam(0.1)), None),
        (spec_class([plain, here.embedding_column(a, 4)], adam(0.1)), None),
        (spec_class([number], adam(0.1)), None),
        (spec_class([plain], adam(0.1), partition_strategy="mod"), None),
    )
]
