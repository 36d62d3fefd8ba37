"""A single string out of every op that makes one goes on into ops that reshape, stack, fill, slice and write it."""

import numpy as np
import tensorflow as tf

results = {}
example = tf.train.Example()
example.features.feature["name"].bytes_list.value.append(b"hello 12")
record = example.SerializeToString()
feature = {"name": tf.FixedLenFeature([], tf.string)}
text = tf.placeholder(tf.string, [])
table = tf.contrib.lookup.index_to_string_table_from_tensor(["a", "b"])
pixels = np.zeros([2, 3, 3], np.uint8)
counter = tf.Variable(np.int64(-1), trainable=False)
sequence = tf.train.SequenceExample().SerializeToString()
default = {"name": tf.FixedLenFeature([], tf.string, "default")}
sources = {
    "example": tf.parse_single_example(text, feature)["name"],
    "sequence": tf.parse_single_sequence_example(sequence, default)[0]["name"],
    "csv": tf.decode_csv("x,1,y", [["a"], [1], ["b"]])[0],
    "csv with a default": tf.decode_csv(",1,y", [["a"], [1], ["b"]])[0],
    "table": table.lookup(tf.constant(1, tf.int64)),
    "serialized": tf.serialize_tensor(text),
    "list": tf.contrib.input_pipeline.obtain_next(["p", "q"], counter),
}
uses = {
    "reshaped": lambda value: tf.reshape(value, [1]),
    "new axis": lambda value: value[tf.newaxis],
    "filled": lambda value: tf.fill([2], value),
    "stacked": lambda value: tf.stack([value, value]),
    "ensured": lambda value: tf.ensure_shape(value, []),
    "written": lambda value: tf.TensorArray(tf.string, 1).write(0, value).stack(),
    "reversed": lambda value: tf.reverse(value, []),
    "in a dataset": lambda value: tf.data.experimental.get_single_element(
        tf.data.Dataset.from_tensors(value).map(lambda one: tf.reshape(one, [1])).batch(1)
    ),
}
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    for source in sorted(sources):
        for use in sorted(uses):
            results[source + " " + use] = sess.run(uses[use](sources[source]), {text: record})
            sess.run(counter.initializer)
    for name, encoded in [("jpeg", tf.image.encode_jpeg(pixels)), ("png", tf.image.encode_png(pixels))]:
        again = tf.image.decode_image(tf.reshape(encoded, [1])[0])
        results[name] = sess.run(again)
