"""The operations behind datasets of batches from files, which random seeds count."""

import os
import tempfile

import tensorflow as tf

results = {}
folder = tempfile.mkdtemp()
table = os.path.join(folder, "table.csv")
with open(table, "w") as file:
    file.write("a,b,c\n" + "".join("%d,%g,word%d\n" % (i, i / 2, i % 3) for i in range(6)))
records = os.path.join(folder, "records")
with tf.python_io.TFRecordWriter(records) as writer:
    for i in range(6):
        example = tf.train.Example()
        example.features.feature["n"].int64_list.value.append(i)
        example.features.feature["tags"].bytes_list.value.extend([b"t"] * (i % 3))
        example.features.feature["steps"].float_list.value.extend([0.5] * (i % 4))
        example.features.feature["at"].int64_list.value.extend(range(i % 3))
        example.features.feature["of"].float_list.value.extend([2.5] * (i % 3))
        writer.write(example.SerializeToString())


def operations(name, make):
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(4)
        dataset = make()
        element = dataset.make_one_shot_iterator().get_next()
        results[name + "_ops"] = [[op.type, op.name] for op in graph.get_operations()]
        results[name + "_functions"] = sorted(
            [node.op for node in function.node_def] for function in graph.as_graph_def().library.function
        )
        results[name + "_types"] = [str(dataset.output_types), str(dataset.output_shapes)]
        draws = tf.random_uniform([2])
        with tf.Session() as session:
            for i in range(3):
                found = session.run(element)
                features = found[0] if isinstance(found, tuple) else found
                for key in sorted(features):
                    value = features[key]
                    parts = list(value) if isinstance(value, tf.SparseTensorValue) else [value]
                    results["%s_%d_%s" % (name, i, key)] = [part.tolist() for part in parts]
            results[name + "_draws"] = session.run(draws)


make_csv = tf.data.experimental.make_csv_dataset
operations("csv", lambda: make_csv(table, 2, num_epochs=1, shuffle=False))
operations(
    "csv_typed",
    lambda: make_csv(
        table, 2, column_defaults=[tf.int32, [0.5], tf.string], label_name="a", num_epochs=None, shuffle=False
    ),
)
features = {
    "n": tf.FixedLenFeature([], tf.int64),
    "missing": tf.FixedLenFeature([2], tf.float32, default_value=[1.0, 2.0]),
    "tags": tf.VarLenFeature(tf.string),
    "steps": tf.FixedLenSequenceFeature([], tf.float32, allow_missing=True),
}
batched = tf.data.experimental.make_batched_features_dataset
operations("records", lambda: batched(records, 2, features, label_key="n", num_epochs=1, shuffle=False))
operations("records_on", lambda: batched(records, 2, features, reader_num_threads=3, shuffle=False))
sparse = dict(features, merged=tf.SparseFeature("at", "of", tf.float32, 4))
operations("sparse", lambda: batched(records, 2, sparse, num_epochs=1, shuffle=False, parser_num_threads=1))
apply = tf.data.experimental
operations(
    "turns",
    lambda: (
        tf.data.Dataset.range(4)
        .apply(
            apply.parallel_interleave(lambda x: tf.data.Dataset.range(x), 2, block_length=2, prefetch_input_elements=1)
        )
        .apply(apply.unique())
        .apply(apply.ignore_errors())
        .map(lambda x: {"x": x})
        .apply(apply.group_by_window(lambda x: x["x"] % 2, lambda _, window: window.batch(1), 1))
        .apply(apply.take_while(lambda x: x["x"][0] < 9))
    ),
)
