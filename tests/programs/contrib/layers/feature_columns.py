"""tf.contrib.layers: feature columns, inputs of networks and weighted sums made from them."""

import os
import tempfile

import numpy as np
import tensorflow as tf

L = tf.contrib.layers
results = {}
folder = tempfile.mkdtemp()
vocabulary = os.path.join(folder, "words.txt")
with open(vocabulary, "w") as f:
    f.write("x\ny\nq\n")
half = tf.constant_initializer(0.5)


def ramp(shape, dtype=None, partition_info=None):
    return tf.reshape(tf.range(int(np.prod(shape)), dtype=tf.float32), shape) / 10.0


def columns():
    age = L.real_valued_column("age")
    vec = L.real_valued_column("vec", dimension=2, default_value=[1.0, 2.0], normalizer=lambda x: x * 2)
    word = L.sparse_column_with_hash_bucket("word", 10)
    ids = L.sparse_column_with_integerized_feature("ids", 5, combiner="mean")
    other = L.sparse_column_with_integerized_feature("ids2", 5)
    key = L.sparse_column_with_keys("key", ["a", "b", "c"])
    words = L.sparse_column_with_vocabulary_file("word", vocabulary, num_oov_buckets=2, vocab_size=3)
    buckets = L.bucketized_column(age, [18, 30, 50])
    vec_buckets = L.bucketized_column(L.real_valued_column("vec", dimension=2), [1.5, 3.0])
    cross = L.crossed_column([word, key], hash_bucket_size=20)
    shared = L.shared_embedding_columns([ids, other], dimension=2, initializer=ramp)
    weighted = L.weighted_sparse_column(key, "wts")
    return {
        "age": age,
        "vec": vec,
        "word": word,
        "ids": ids,
        "key": key,
        "words": words,
        "weighted": weighted,
        "buckets": buckets,
        "vec buckets": vec_buckets,
        "cross": cross,
        "bucket cross": L.crossed_column([buckets, key], 20, hash_key=7),
        "nested": L.crossed_column([cross, buckets], 30),
        "embedding": L.embedding_column(word, dimension=3, initializer=ramp),
        "sqrtn": L.embedding_column(weighted, dimension=2, combiner="sqrtn", initializer=ramp, max_norm=0.5),
        "cross embedding": L.embedding_column(cross, 2, initializer=ramp, trainable=False),
        "one hot": L.one_hot_column(key),
        "one hot words": L.one_hot_column(words),
        "one hot weighted": L.one_hot_column(weighted),
        "shared 0": shared[0],
        "shared 1": shared[1],
        "scattered": L.scattered_embedding_column("word2", size=30, dimension=2, hash_key=7, initializer=ramp),
    }


def features():
    def sparse(values, dtype):
        return tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant(values, dtype), [2, 2])

    return {
        "age": tf.constant([[20.0], [60.0]]),
        "vec": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
        "word": sparse(["x", "y", "z"], tf.string),
        "ids": sparse([1, 2, 4], tf.int64),
        "ids2": sparse([0, 2, 3], tf.int64),
        "key": sparse(["a", "c", "b"], tf.string),
        "wts": sparse([0.5, 2.0, 1.0], tf.float32),
        "word2": sparse(["p", "q", "r"], tf.string),
    }


made = columns()
for name, column in sorted(made.items()):
    results["column " + name] = [column.name, type(column).__name__]
    results["config " + name] = sorted(column.config)
spec = L.create_feature_spec_for_parsing(list(made.values()))
results["spec"] = {k: [type(v).__name__, v.dtype.name] for k, v in spec.items()}
results["spec vec"] = [list(spec["age"].shape), list(spec["vec"].shape)]

DEEP = [
    "age",
    "vec",
    "buckets",
    "vec buckets",
    "embedding",
    "sqrtn",
    "one hot",
    "one hot words",
    "one hot weighted",
    "cross embedding",
    "shared 0",
    "shared 1",
    "scattered",
]
WIDE = ["age", "vec", "word", "ids", "key", "weighted", "buckets", "vec buckets", "cross", "bucket cross", "nested"]


def described(sess, tensors):
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    return {
        "values": sess.run(tensors),
        "variables": [[v.name, str(v.shape)] for v in tf.global_variables()],
        "trainable": [v.name for v in tf.trainable_variables()],
        "model": [v.name for v in tf.get_collection(tf.GraphKeys.MODEL_VARIABLES)],
    }


for name in DEEP:
    with tf.Graph().as_default(), tf.Session() as sess:
        results["deep " + name] = described(sess, L.input_from_feature_columns(features(), [made[name]]))
with tf.Graph().as_default(), tf.Session() as sess:
    outputs = {}
    net = L.input_from_feature_columns(features(), [made[k] for k in DEEP], ["mine"], scope="net", cols_to_outs=outputs)
    results["deep"] = described(sess, net)
    results["deep more"] = [net.name, str(net.shape), len(tf.get_collection("mine")), sorted(c.name for c in outputs)]

for name in WIDE:
    with tf.Graph().as_default(), tf.Session() as sess:
        total, weights, bias = L.weighted_sum_from_feature_columns(features(), [made[name]], num_outputs=2)
        first = weights[made[name]][0]
        filled = first.assign(ramp(first.shape.as_list()))
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        sess.run(filled)
        results["wide " + name] = [sess.run(total), first.name, str(first.shape), bias.name]
with tf.Graph().as_default(), tf.Session() as sess:
    total, weights, bias = L.weighted_sum_from_feature_columns(
        features(), [made[k] for k in WIDE], 3, ["mine"], scope="w"
    )
    results["wide"] = described(sess, total)
    results["wide more"] = [total.name, sorted(c.name for c in weights), len(tf.get_collection("mine"))]
with tf.Graph().as_default(), tf.Session() as sess:
    joint = [made[k] for k in ("word", "key", "cross")]
    total, weights, bias = L.joint_weighted_sum_from_feature_columns(features(), joint, num_outputs=2)
    filled = weights[0].assign(ramp(weights[0].shape.as_list()))
    results["joint"] = described(sess, filled)
    results["joint filled"] = [sess.run(total), total.name]

with tf.Graph().as_default(), tf.Session() as sess:
    example = tf.train.Example()
    example.features.feature["age"].float_list.value.append(33.0)
    example.features.feature["key"].bytes_list.value.extend([b"b", b"?"])
    some = [made["age"], made["buckets"], made["key"]]
    parsed = L.parse_feature_columns_from_examples([example.SerializeToString()], some)
    sess.run(tf.tables_initializer())
    results["parsed"] = [
        sess.run(parsed[made["buckets"]]),
        sess.run(parsed[made["key"]]).values,
        sess.run(parsed["age"]),
    ]
    held = L.make_place_holder_tensors_for_base_features(some)
    results["held"] = [sorted(held), str(held["age"].shape), type(held["key"]).__name__]
    inferred = L.infer_real_valued_columns({"a": tf.zeros([2, 3, 4]), "b": tf.zeros([2], tf.int32)})
    results["inferred"] = [[c.name, c.dimension, c.dtype.name] for c in inferred]
    changed = L.transform_features(features(), [made["buckets"], made["word"]])
    results["changed"] = [sorted(c.name for c in changed), sess.run(changed[made["buckets"]])]

for name, make in {
    "dimension": lambda: L.real_valued_column("x", dimension=0),
    "dimension type": lambda: L.real_valued_column("x", dimension=2.5),
    "default": lambda: L.real_valued_column("x", dimension=3, default_value=[1.0, 2.0]),
    "default type": lambda: L.real_valued_column("x", default_value="a"),
    "bucket source": lambda: L.bucketized_column(made["word"], [1]),
    "boundaries": lambda: L.bucketized_column(made["age"], [3, 1]),
    "one column": lambda: L.crossed_column([made["word"]], 10),
    "crossed numbers": lambda: L.crossed_column([made["word"], made["age"]], 10),
    "size": lambda: L.sparse_column_with_hash_bucket("x", 0),
    "float ids": lambda: L.sparse_column_with_integerized_feature("x", 4, dtype=tf.float32),
    "deep word": lambda: L.input_from_feature_columns(features(), [made["word"]]),
    "wide embedding": lambda: L.weighted_sum_from_feature_columns(features(), [made["embedding"]], 1),
    "joint numbers": lambda: L.joint_weighted_sum_from_feature_columns(features(), [made["age"]], 1),
    "twice": lambda: L.check_feature_columns([made["age"], made["age"]]),
    "checkpoint": lambda: L.embedding_column(made["word"], 2, ckpt_to_load_from="x"),
    "shared": lambda: L.shared_embedding_columns([made["ids"], made["word"]], 2),
}.items():
    try:
        make()
        results[name] = "fine"
    except (TypeError, ValueError, NotImplementedError) as error:
        results[name] = type(error).__name__
