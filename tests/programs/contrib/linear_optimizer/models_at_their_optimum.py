"""tf.contrib.linear_optimizer: models trained to their optimum, over tensors and over feature columns; what is refused."""

import numpy as np
import tensorflow as tf

linear = tf.contrib.linear_optimizer
layers = tf.contrib.layers
results = {}
COUNT = 8
LOSSES = ("logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss", "poisson_loss")
VARIANTS = {
    "plain": {},
    "l1": {"symmetric_l1_regularization": 0.5, "symmetric_l2_regularization": 2.0},
    "shards": {"num_table_shards": 2},
    "parts": {},
    "uniform": {"adaptive": False},
}


def operations(graph):
    found = []
    for op in graph.get_operations():
        waits = sorted(c.name for c in op.control_inputs)
        found.append(" ".join([op.type, op.name] + [i.name for i in op.inputs] + ["^" + name for name in waits]))
    return found


def model_of(loss, in_parts=False, **options):
    numbers = np.arange(COUNT)
    examples = {
        "sparse_features": [
            linear.SparseFeatureColumn(numbers, numbers % 3, np.linspace(0.5, 1, COUNT)),
            linear.SparseFeatureColumn([0, 0, 2, 3, 5, 7], [1, 0, 1, 1, 0, 1], [1.0] * 6),
        ],
        "dense_features": [
            tf.constant(np.linspace(-1, 1, 2 * COUNT).reshape(COUNT, 2).astype(np.float32)),
            tf.ones([COUNT, 1]),
        ],
        "example_labels": tf.constant((numbers % 2).astype(np.float32)),
        "example_weights": tf.constant(np.linspace(0.5, 1.5, COUNT).astype(np.float32)),
        "example_ids": tf.constant([str(number) for number in numbers]),
    }
    if in_parts:
        sparse = [tf.Variable(tf.zeros([2]), name="s0"), tf.Variable(tf.zeros([1]), name="s1")]
        dense = [tf.Variable(tf.zeros([1]), name="d0"), tf.Variable(tf.zeros([1]), name="d1")]
    else:
        sparse, dense = tf.Variable(tf.zeros([3]), name="s"), tf.Variable(tf.zeros([2]), name="d")
    variables = {
        "sparse_features_weights": [sparse, tf.Variable(tf.zeros([2]), name="t")],
        "dense_features_weights": [dense, tf.Variable(tf.zeros([1]), name="bias")],
    }
    settings = {"symmetric_l1_regularization": 0.0, "symmetric_l2_regularization": 1.0, "loss_type": loss}
    settings.update(options)
    return examples, linear.SdcaModel(examples, variables, settings)


for loss in LOSSES:
    for variant in sorted(VARIANTS if loss in LOSSES[:2] else ["plain"]):
        with tf.Graph().as_default() as graph, tf.Session() as session:
            examples, model = model_of(loss, variant == "parts", **VARIANTS[variant])
            step = tf.train.get_or_create_global_step()
            train = model.update_weights(model.minimize(step))
            told = [model.predictions(examples), model.unregularized_loss(examples), model.regularized_loss(examples)]
            gap = model.approximate_duality_gap()
            if loss == "logistic_loss" and variant in ("plain", "shards", "parts"):
                results["operations " + variant] = operations(graph)
            session.run(tf.global_variables_initializer())
            before = session.run(gap)
            for _ in range(60):
                session.run(train)
            predictions, plain, regularized = session.run(told)
            results[loss + " " + variant] = {
                "predictions": [round(float(p), 1) + 0.0 for p in predictions],
                "loss": [round(float(plain), 2), round(float(regularized), 2)],
                "gap before": bool(np.isnan(before)),
                "gap is small": loss == "hinge_loss" or bool(abs(session.run(gap)) < 0.1),
                "step": int(session.run(step)),
                "variables": [v.op.name for v in tf.global_variables()],
                "summaries": sorted(s.name for s in tf.get_collection("summaries")),
            }


def refused(name, function):
    with tf.Graph().as_default():
        try:
            function()
            results["refused " + name] = "nothing"
        except Exception as error:
            results["refused " + name] = type(error).__name__


OPTIONS = {"loss_type": "hinge_loss", "symmetric_l1_regularization": 1, "symmetric_l2_regularization": 1}
EXAMPLES = dict(example_labels=1, example_weights=1, example_ids=1, sparse_features=[], dense_features=[])
WEIGHTS = {"sparse_features_weights": [], "dense_features_weights": []}
refused("another loss", lambda: model_of("other_loss"))
refused("negative l1", lambda: model_of("hinge_loss", symmetric_l1_regularization=-1.0))
refused("negative l2", lambda: model_of("hinge_loss", symmetric_l2_regularization=-1.0))
refused("nothing", lambda: linear.SdcaModel(None, None, None))
refused("a tuple", lambda: linear.SdcaModel(dict(EXAMPLES, sparse_features=()), WEIGHTS, OPTIONS))
refused("missing", lambda: linear.SdcaModel({"sparse_features": []}, WEIGHTS, OPTIONS))
refused("text as number of an example", lambda: linear.SparseFeatureColumn(["a"], [1], None))
refused("half an example", lambda: linear.SparseFeatureColumn([1.5], [1], None))
without_values = linear.SparseFeatureColumn([0, 1], [1, 2], None)
results["column"] = [without_values.example_indices.name, without_values.feature_indices.name]
results["no values"] = without_values.feature_values is None

with tf.Graph().as_default() as graph, tf.Session() as session:
    number = layers.real_valued_column("number", 2)
    bucket = layers.bucketized_column(layers.real_valued_column("level"), [0.0, 1.0])
    word = layers.sparse_column_with_hash_bucket("word", 5)
    weighted = layers.weighted_sparse_column(word, "weight")
    crossed = layers.crossed_column([word, layers.sparse_column_with_hash_bucket("other", 4)], 7)
    columns = [number, bucket, word, weighted, crossed]
    features = {
        "number": tf.constant([[1.0, 2.0], [3.0, -1.0]]),
        "level": tf.constant([[0.5], [2.0]]),
        "word": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.placeholder_with_default(["a", "a", "c"], [3]), [2, 2]),
        "weight": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 2]),
        "other": tf.SparseTensor([[0, 0], [1, 0]], ["x", "y"], [2, 1]),
        "id": tf.constant(["1", "2"]),
        "importance": tf.constant([[1.0], [2.0]]),
    }
    for column in columns:
        column.insert_transformed_feature(features)
    sizes = {number: 2, bucket: 3, word: 5, weighted: 5, crossed: 7}
    variables = {column: [tf.Variable(tf.zeros([sizes[column]]))] for column in columns}
    optimizer = linear.SDCAOptimizer("id", symmetric_l2_regularization=2.0)
    results["settings"] = [
        optimizer.get_name(),
        optimizer.example_id_column,
        optimizer.num_loss_partitions,
        optimizer.num_table_shards,
        optimizer.symmetric_l1_regularization,
        optimizer.symmetric_l2_regularization,
        optimizer.adaptive,
        optimizer.partitioner,
    ]
    labels = tf.constant([[1.0], [0.0]])
    step = tf.train.get_or_create_global_step()
    model, train = optimizer.get_train_step(variables, "importance", "squared_loss", features, labels, step)
    update = model.update_weights(train)
    results["operations of columns"] = operations(graph)
    session.run(tf.global_variables_initializer())
    for _ in range(60):
        session.run(update)
    results["weights of columns"] = [np.round(session.run(variables[c][0]), 1) + 0.0 for c in columns]
    unknown = layers.embedding_column(word, 2)
    refused(
        "an embedding",
        lambda: optimizer.get_train_step({unknown: [1]}, None, "squared_loss", {unknown: 1}, labels, step),
    )
