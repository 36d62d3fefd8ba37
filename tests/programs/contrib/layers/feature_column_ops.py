"""tf.contrib.layers: the operations that old-style columns make, dense features, hashes with keys, what columns say."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.layers.python.layers import feature_column, feature_column_ops

L = tf.contrib.layers
results = {}


def sparse(name, dtype):
    return tf.SparseTensor(
        tf.placeholder(tf.int64, [None, 2], name=name + "_indices"),
        tf.placeholder(dtype, [None], name=name),
        tf.placeholder(tf.int64, [2], name=name + "_shape"),
    )


def features():
    return {
        "price": tf.placeholder(tf.float32, [None, 1], name="price"),
        "age": tf.placeholder(tf.float64, [None], name="age"),
        "land": sparse("land", tf.string),
        "words": sparse("words", tf.string),
        "ids": sparse("ids", tf.int64),
        "mass": sparse("mass", tf.float32),
    }


price = L.real_valued_column("price")
age = L.real_valued_column("age", normalizer=lambda x: x / 3.0)
buckets = L.bucketized_column(price, [0.0, 10.0, 100.0])
land = L.sparse_column_with_hash_bucket("land", 10)
keyed = L.sparse_column_with_hash_bucket("land", 11, hash_keys=[[1, 2], [3, 4]])
words = L.sparse_column_with_keys("words", ["x", "y", "z"], combiner="sqrtn")
ids = L.sparse_column_with_integerized_feature("ids", 20)
heavy = L.weighted_sparse_column(ids, "mass")
cross = L.crossed_column([buckets, land], 60)
scattered = L.scattered_embedding_column("land", 100, 4, hash_key=5)


def made(name, build):
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        try:
            build(features())
        except Exception as error:
            results[name] = [type(error).__name__, " ".join(str(error).split()[:6])]
            return
        listed = [[op.name.split("/")[-1], op.type] for op in graph.get_operations()]
        results[name] = [["%s %s" % tuple(op) for op in listed], sorted(v.name for v in tf.global_variables())]


made("wide", lambda f: L.weighted_sum_from_feature_columns(f, [age, buckets, words, cross], 1))
made("wide weighted", lambda f: L.weighted_sum_from_feature_columns(f, [heavy, price], 2, weight_collections=["mine"]))
made("wide keyed", lambda f: L.weighted_sum_from_feature_columns(f, [keyed], 2))
made("joint", lambda f: L.joint_weighted_sum_from_feature_columns(f, [land, ids, cross], 1))
made("joint weighted", lambda f: L.joint_weighted_sum_from_feature_columns(f, [heavy], 1))
made("joint mean", lambda f: L.joint_weighted_sum_from_feature_columns(f, [words], 1))
made("joint numbers", lambda f: L.joint_weighted_sum_from_feature_columns(f, [price], 1))
made("joint nothing", lambda f: L.joint_weighted_sum_from_feature_columns(f, [], 1))
made(
    "deep",
    lambda f: L.input_from_feature_columns(f, [L.embedding_column(land, 3), age, buckets, L.one_hot_column(ids)]),
)
made("deep one hot weighted", lambda f: L.input_from_feature_columns(f, [L.one_hot_column(heavy)]))
made("deep scattered", lambda f: L.input_from_feature_columns(f, [scattered]))
made("deep sparse", lambda f: L.input_from_feature_columns(f, [land]))
made("deep cross", lambda f: L.input_from_feature_columns(f, [cross]))
made("wide embedding", lambda f: L.weighted_sum_from_feature_columns(f, [L.embedding_column(land, 3)], 1))
made("sequence", lambda f: L.sequence_input_from_feature_columns(f, [L.embedding_column(land, 3), age]))
made("sequence buckets", lambda f: L.sequence_input_from_feature_columns(f, [buckets]))
made("missing", lambda f: L.input_from_feature_columns({}, [L.bucketized_column(price, [1.0])]))
made("missing in cross", lambda f: L.weighted_sum_from_feature_columns({"price": f["price"]}, [cross], 1))


def train(f):
    with tf.variable_scope("linear", partitioner=tf.fixed_size_partitioner(2)):
        wide = L.weighted_sum_from_feature_columns(f, [land, cross], 1)[0]
    deep = L.fully_connected(L.input_from_feature_columns(f, [L.embedding_column(land, 3), price]), 1)
    labels = tf.placeholder(tf.float32, [None, 1])
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=wide + deep, labels=labels))
    L.optimize_loss(loss, tf.train.get_or_create_global_step(), 0.1, "Ftrl")


made("train", train)

# Dense features: -1 and "" are nothing, zeros are numbers.
with tf.Graph().as_default(), tf.Session() as sess:
    dense = {
        "ids": tf.constant([[0, 4], [2, -1]], tf.int64),
        "land": tf.constant([["a"], [""]]),
        "words": tf.constant([["x"], ["q"]]),
    }
    dense["mass"] = tf.constant([[0.5, 2.0], [3.0, 0.0]])
    dense["price"] = tf.constant([[5.0], [500.0]])
    total, variables, bias = L.weighted_sum_from_feature_columns(dense, [ids, land, keyed, words, cross], 1)
    update = [
        v.assign(tf.reshape(tf.range(v.shape[0].value, dtype=tf.float32), v.shape)) for v in tf.trainable_variables()
    ]
    hot = L.input_from_feature_columns(dense, [L.one_hot_column(ids), L.one_hot_column(heavy), L.one_hot_column(land)])
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    sess.run(update)
    results["dense"] = sess.run([total, hot])
    results["transformed"] = sess.run(feature_column_ops._Transformer(dict(dense)).transform(buckets))
    transformer = feature_column_ops._Transformer(dict(dense))
    results["once"] = transformer.transform(land) is transformer.transform(land)
    results["only columns"] = [c.name for c in L.transform_features(dense, [buckets, ids])]

# What columns say.
h = [L.sparse_column_with_hash_bucket("c%d" % i, 10) for i in (3, 1, 2, 0, 4)]
several, one = L.shared_embedding_columns(h, 2), L.shared_embedding_columns(h[:1], 2)
results["shared"] = [
    type(several).__name__,
    several[0].shared_embedding_name,
    several[0].name,
    type(one).__name__,
    one[0].name,
]
mixed = L.shared_embedding_columns([L.weighted_sparse_column(h[0], "w"), h[1]], 2)
results["mixed"] = [mixed[0].shared_embedding_name, mixed[1].shared_vocab_size]
pair = L.bucketized_column(L.real_valued_column("pair", dimension=2), [1.0, 2.0])
results["lengths"] = [pair.length, land.length, cross.length, L.embedding_column(words, 2).length]
results["compatible"] = [
    land.is_compatible(h[0]),
    land.is_compatible(ids),
    words.is_compatible(words),
    heavy.is_compatible(ids),
]
results["keys"] = [
    c.key.replace(str(getattr(c, "initializer", "")), "") for c in (land, price, age, buckets, heavy, scattered)
]
results["spec"] = sorted(L.create_feature_spec_for_parsing({0: land, 1: price}))
for bad in ([], [1, 2], [[1, 2, 3]], [["a", "b"]], ()):
    try:
        L.sparse_column_with_hash_bucket("land", 10, hash_keys=bad)
    except Exception as error:
        results["hash_keys %s" % (bad,)] = [type(error).__name__, str(error)]

with tf.Graph().as_default():
    held = L.make_place_holder_tensors_for_base_features([land, price, L.real_valued_column("many", dimension=3)])
    results["placeholders"] = sorted([k, str(v.shape), v.op.name] for k, v in held.items())
    looked = ids._wide_embedding_lookup_arguments(held["land"])
    results["wide arguments"] = [looked.vocab_size, looked.combiner, looked.weight_tensor is None, looked._fields]
    looked = L.embedding_column(ids, 5, max_norm=2.0)._deep_embedding_lookup_arguments(held["land"])
    results["deep arguments"] = [looked.dimension, looked.max_norm, looked.trainable, looked._fields]
    cube = tf.zeros([4, 3, 5])
    results["reshaped"] = [
        str(c._to_dnn_input_layer(t, output_rank=r).shape)
        for c, t, r in ((price, cube, 2), (price, cube, 3), (price, cube, 4), (price, tf.zeros([4, 3], tf.int32), 3))
    ]
    for rank in (5, 6):
        try:
            price._to_dnn_input_layer(cube, output_rank=rank)
        except ValueError as error:
            results["rank %d" % rank] = str(error)[:80]
    padded = feature_column._real_valued_var_len_column("n", default_value=2, normalizer=lambda x: x * 2)
    thin = feature_column._real_valued_var_len_column("n", is_sparse=True, dtype=tf.int64)
    results["of any length"] = [type(c.config["n"]).__name__ for c in (padded, thin)]
    results["steps"] = sorted(
        [k, type(v).__name__, getattr(v, "allow_missing", None)]
        for k, v in feature_column._create_sequence_feature_spec_for_parsing(
            [land, price, L.real_valued_column("given", default_value=1.0)], allow_missing_by_default=False
        ).items()
    )

# Embeddings of tables of other types; gradients computed once more with other variables.
with tf.Graph().as_default():
    number = tf.SparseTensor([[0, 0]], tf.constant([1], tf.int64), [1, 1])
    tables = [np.zeros([2, 3], np.float32), np.zeros([2, 3], np.float64)]
    for name, call in {
        "tables": lambda: L.safe_embedding_lookup_sparse(tables, number),
        "recomputed": lambda: twice(),
    }.items():

        def twice():
            layer = L.recompute_grad(lambda x: tf.layers.dense(x, 2))
            with tf.variable_scope("twice", use_resource=True):
                x = tf.ones([2, 4])
                y = layer(x) + layer(x)
            return tf.gradients(y, [x] + tf.trainable_variables())

        try:
            call()
            results[name] = "made"
        except Exception as error:
            results[name] = type(error).__name__

# Inner axes made one, and batch normalization by a variable.
with tf.Graph().as_default(), tf.Session() as sess:
    from tensorflow.contrib.layers.python.layers import layers as contrib_layers

    results["inner"] = [
        str(contrib_layers._inner_flatten(tf.placeholder(tf.float32, s), r).shape)
        for s, r in (([2, 3, 4], 2), ([None, 3, 4], 2), ([2, None, 4], 2), ([2, 3, 4], 3), ([2, 3, 4, 5], 1))
    ]
    training = tf.Variable(True, trainable=False)
    x = tf.constant(np.arange(12.0, dtype=np.float32).reshape(3, 2, 1, 2))
    fused = L.batch_norm(x, is_training=training, fused=True, decay=0.5)
    slow = L.batch_norm(x, is_training=training, fused=False, decay=0.5)
    sess.run(tf.global_variables_initializer())
    update = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    results["trained"] = sess.run([fused, slow] + update)
    sess.run(training.assign(False))
    results["used"] = sess.run([fused, slow] + update)
    try:
        tf.contrib.framework.get_graph_from_inputs([x], graph=tf.Graph())
    except ValueError as error:
        results["other graph"] = "not from the passed-in graph" in str(error)
    from tensorflow.python.layers import utils

    results["sizes"] = [utils.conv_input_length(4, 2, p, 2) for p in ("same", "valid", "full")]
    results["sizes"] += [utils.deconv_output_length(4, 2, p, 2) for p in ("same", "valid", "full")]
    results["known"] = [utils.constant_value(v) for v in (True, 0, tf.constant(True), training)]
    try:
        utils.constant_value(5)
    except TypeError as error:
        results["no condition"] = type(error).__name__

# Features that are constants of the graph: what follows from them is known while it is built.
with tf.Graph().as_default() as graph:
    fixed = {
        name: tf.SparseTensor([[i, 0] for i in range(3)], values, [3, 1])
        for name, values in (("land", ["a", "b", "a"]), ("words", ["x", "y", "q"]))
    }
    fixed["price"] = tf.constant([[1.0], [20.0], [3.0]])
    crossed = L.crossed_column([land, words, buckets], 50)
    sums = L.weighted_sum_from_feature_columns(fixed, [crossed, L.crossed_column([land, buckets], 40, hash_key=3)], 1)[
        0
    ]
    net = L.input_from_feature_columns(fixed, [L.embedding_column(crossed, 2), L.embedding_column(land, 2)])
    results["constant shapes"] = [
        "%s %s" % (op.type, [str(t.shape) for t in op.outputs]) for op in graph.get_operations()
    ]
