"""Feature columns of every kind: input layers, weighted sums, variables, parsing, what is refused."""

import os
import tempfile

import numpy as np
import tensorflow as tf

results = {}
fc = tf.feature_column
folder = tempfile.mkdtemp()
words = os.path.join(folder, "words.txt")
with open(words, "w") as file:
    file.write("red\ngreen\nblue\nwhite\n")


def sparse(rows, dtype=str):
    indices, values = [], []
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            indices.append([i, j])
            values.append(value)
    return tf.SparseTensor(indices, values, [len(rows), max(len(row) for row in rows)])


def features():
    return {
        "price": tf.constant([[1.0], [12.5], [100.0]]),
        "size": tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
        "flat": tf.constant([1, 2, 3]),
        "color": sparse([["red", "pink"], ["blue"], []]),
        "shade": tf.constant([["white"], [""], ["green"]]),
        "number": sparse([[3, 1], [0], [2, 2]]),
        "weight": sparse([[0.5, 2.0], [1.5], [1.0, 3.0]]),
        "colorweight": sparse([[0.5, 2.0], [1.5], []]),
    }


price = fc.numeric_column("price")
size = fc.numeric_column("size", shape=2, normalizer_fn=lambda x: x / 2)
flat = fc.numeric_column("flat", dtype=tf.int64)
buckets = fc.bucketized_column(price, [0.0, 10.0, 50.0])
two_buckets = fc.bucketized_column(fc.numeric_column("size", shape=(2,)), [2.0, 4.0])
hashed = fc.categorical_column_with_hash_bucket("color", 5)
hashed_numbers = fc.categorical_column_with_hash_bucket("number", 7, dtype=tf.int64)
listed = fc.categorical_column_with_vocabulary_list("color", ["red", "green", "blue"], num_oov_buckets=2)
listed_default = fc.categorical_column_with_vocabulary_list("shade", ["white", "green"], default_value=1)
listed_numbers = fc.categorical_column_with_vocabulary_list("number", [3, 2, 1])
filed = fc.categorical_column_with_vocabulary_file("color", words, vocabulary_size=3, num_oov_buckets=1)
filed_all = fc.categorical_column_with_vocabulary_file("color", words)
identity = fc.categorical_column_with_identity("number", 4)
identity_default = fc.categorical_column_with_identity("number", 3, default_value=0)
weighted = fc.weighted_categorical_column(identity, "weight")
crossed = fc.crossed_column(["color", "shade"], 10)
crossed_columns = fc.crossed_column([listed, buckets, "shade"], 12, hash_key=3)
crossed_twice = fc.crossed_column([crossed, identity], 8)

categories = {
    "hashed": hashed,
    "hashed numbers": hashed_numbers,
    "listed": listed,
    "listed default": listed_default,
    "listed numbers": listed_numbers,
    "filed": filed,
    "filed all": filed_all,
    "identity": identity,
    "identity default": identity_default,
    "weighted": weighted,
    "crossed": crossed,
    "crossed columns": crossed_columns,
    "crossed twice": crossed_twice,
    "buckets": buckets,
    "two buckets": two_buckets,
}


def ran(build):
    """The value of a tensor that columns make, with weights that differ by row, and the names of the variables."""
    with tf.Graph().as_default():
        tf.set_random_seed(4)
        value = build()
        values = value if isinstance(value, (list, tuple)) else [value]
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
            for variable in tf.global_variables():
                shape = variable.shape.as_list()
                variable.load(np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 7 + 0.1, sess)
            got = sess.run(values)
        names = [(v.name, v.shape.as_list()) for v in tf.global_variables()]
        return {"values": got, "names": names, "tensors": [each.name for each in values]}


for name, column in sorted(categories.items()):
    results["names of " + name] = [column.name, column.num_buckets]
    results["indicator of " + name] = ran(lambda: fc.input_layer(features(), [fc.indicator_column(column)]))
    results["embedding of " + name] = ran(lambda: fc.input_layer(features(), [fc.embedding_column(column, 2)]))
    for combiner in ("sum", "mean", "sqrtn"):
        results["linear model of %s, %s" % (name, combiner)] = ran(
            lambda: fc.linear_model(features(), [column], units=2, sparse_combiner=combiner)
        )
    with tf.Graph().as_default():
        results["spec of " + name] = {key: str(value) for key, value in column.parse_example_spec.items()}

for combiner in ("mean", "sum", "sqrtn"):
    results["embedding, " + combiner] = ran(
        lambda: fc.input_layer(features(), [fc.embedding_column(weighted, 3, combiner, max_norm=1.0)])
    )
results["initial values"] = {}
with tf.Graph().as_default(), tf.Session() as sess:
    tf.set_random_seed(3)
    fc.input_layer(features(), [fc.embedding_column(identity, 4), fc.embedding_column(hashed, 2)])
    sess.run(tf.global_variables_initializer())
    results["initial values"] = [sess.run(v) for v in tf.global_variables()]
results["several"] = ran(
    lambda: fc.input_layer(
        features(),
        [size, price, buckets, fc.indicator_column(listed), flat, fc.embedding_column(identity, 2), two_buckets],
    )
)
results["linear of several"] = ran(
    lambda: fc.linear_model(features(), [size, price, buckets, listed, flat, weighted, crossed_columns], units=3)
)


def shared():
    numbers = fc.categorical_column_with_identity("number", 4)
    others = fc.categorical_column_with_identity("flat", 4)
    one, two = fc.shared_embedding_columns([numbers, others], 2)
    return fc.input_layer(features(), [one, two, price])


results["shared"] = ran(shared)


def to_variables():
    found = {}
    outputs = {}
    columns = [fc.embedding_column(identity, 2), price]
    layer = fc.input_layer(features(), columns, cols_to_vars=found, cols_to_output_tensors=outputs)
    results["variables of columns"] = sorted((c.name, [v.name for v in vs]) for c, vs in found.items())
    results["outputs of columns"] = sorted((c.name, t.name) for c, t in outputs.items())
    found = {}
    fc.linear_model(features(), [identity, price], cols_to_vars=found)
    results["variables of the linear model"] = sorted(
        (c if c == "bias" else c.name, [v.name for v in vs]) for c, vs in found.items()
    )
    return layer


results["to variables"] = ran(to_variables)


def collections():
    with tf.variable_scope("outer", partitioner=tf.fixed_size_partitioner(2)):
        layer = fc.input_layer(
            features(), [fc.embedding_column(identity, 2)], weight_collections=["mine"], trainable=False
        )
    results["collections"] = {
        key: [v.name for v in tf.get_collection(key)] for key in ("mine", "trainable_variables", "model_variables")
    }
    return layer


results["in parts"] = ran(collections)

everything = [price, size, flat, fc.embedding_column(weighted, 2), fc.indicator_column(listed), crossed]
results["parse spec"] = {key: str(value) for key, value in sorted(fc.make_parse_example_spec(everything).items())}

# Sequences.
contrib = tf.contrib.feature_column
sequence_input_layer = contrib.sequence_input_layer


def sequences():
    return {
        "tokens": sparse([["red", "blue", "red"], ["green"], []]),
        "level": sparse([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0], []]),
        "ids": sparse([[0, 2], [1], []]),
    }


tokens = contrib.sequence_categorical_column_with_vocabulary_list("tokens", ["red", "green", "blue"])
level = contrib.sequence_numeric_column("level", shape=2)
ids = contrib.sequence_categorical_column_with_identity("ids", 3)
level_alone = contrib.sequence_numeric_column("level")
hashed_tokens = contrib.sequence_categorical_column_with_hash_bucket("tokens", 4)
filed_tokens = contrib.sequence_categorical_column_with_vocabulary_file("tokens", words)

for name, column in [
    ("tokens", fc.embedding_column(tokens, 2)),
    ("indicator", fc.indicator_column(tokens)),
    ("hashed", fc.embedding_column(hashed_tokens, 2)),
    ("filed", fc.indicator_column(filed_tokens)),
    ("ids", fc.embedding_column(ids, 3)),
    ("level", level),
    ("level alone", level_alone),
]:
    results["sequence of " + name] = ran(lambda: sequence_input_layer(sequences(), [column]))
results["sequences"] = ran(lambda: sequence_input_layer(sequences(), [fc.embedding_column(ids, 2), level]))


def refused(function):
    try:
        with tf.Graph().as_default():
            function()
    except Exception as error:
        return type(error).__name__
    return "nothing"


results["refused"] = {
    "shape": refused(lambda: fc.numeric_column("a", shape=0)),
    "shape type": refused(lambda: fc.numeric_column("a", shape=1.5)),
    "default": refused(lambda: fc.numeric_column("a", default_value="x")),
    "default shape": refused(lambda: fc.numeric_column("a", shape=3, default_value=[1.0, 2.0])),
    "dtype": refused(lambda: fc.numeric_column("a", dtype=tf.string)),
    "normalizer": refused(lambda: fc.numeric_column("a", normalizer_fn=3)),
    "boundaries": refused(lambda: fc.bucketized_column(price, [2.0, 1.0])),
    "source": refused(lambda: fc.bucketized_column(hashed, [2.0])),
    "rank": refused(lambda: fc.bucketized_column(fc.numeric_column("a", shape=(2, 2)), [2.0])),
    "buckets": refused(lambda: fc.categorical_column_with_hash_bucket("a", 0)),
    "hash dtype": refused(lambda: fc.categorical_column_with_hash_bucket("a", 3, tf.float32)),
    "no words": refused(lambda: fc.categorical_column_with_vocabulary_list("a", [])),
    "words twice": refused(lambda: fc.categorical_column_with_vocabulary_list("a", ["x", "x"])),
    "word dtype": refused(lambda: fc.categorical_column_with_vocabulary_list("a", [1.0])),
    "both": refused(lambda: fc.categorical_column_with_vocabulary_list("a", ["x"], default_value=0, num_oov_buckets=1)),
    "no file": refused(lambda: fc.categorical_column_with_vocabulary_file("a", "nowhere.txt")),
    "no path": refused(lambda: fc.categorical_column_with_vocabulary_file("a", "")),
    "identity": refused(lambda: fc.categorical_column_with_identity("a", 0)),
    "identity default": refused(lambda: fc.categorical_column_with_identity("a", 2, 5)),
    "one key": refused(lambda: fc.crossed_column(["a"], 5)),
    "hashed key": refused(lambda: fc.crossed_column(["a", hashed], 5)),
    "cross buckets": refused(lambda: fc.crossed_column(["a", "b"], 0)),
    "dimension": refused(lambda: fc.embedding_column(hashed, 0)),
    "initializer": refused(lambda: fc.embedding_column(hashed, 1, initializer=3)),
    "half a checkpoint": refused(lambda: fc.embedding_column(hashed, 1, ckpt_to_load_from="x")),
    "different sizes": refused(lambda: fc.shared_embedding_columns([identity, hashed_numbers], 2)),
    "sparse number": refused(lambda: fc.input_layer({"a": sparse([[1.0]])}, [fc.numeric_column("a")])),
    "missing": refused(lambda: fc.input_layer({}, [price])),
    "scalar": refused(lambda: fc.input_layer({"price": tf.constant(1.0)}, [price])),
    "no columns": refused(lambda: fc.input_layer(features(), [])),
    "dense": refused(lambda: fc.input_layer(features(), [hashed])),
    "twice": refused(lambda: fc.input_layer(features(), [price, price])),
    "no column": refused(lambda: fc.input_layer(features(), ["price"])),
    "dictionary": refused(lambda: fc.input_layer(features(), {"a": price})),
    "batches": refused(lambda: fc.input_layer({"price": [[1.0]], "size": [[1.0, 2.0], [1.0, 2.0]]}, [price, size])),
    "text for numbers": refused(lambda: fc.linear_model({"color": sparse([[1, 2]])}, [hashed])),
    "sequence": refused(lambda: fc.input_layer(sequences(), [fc.embedding_column(tokens, 2)])),
}
