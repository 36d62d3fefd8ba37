"""Constants in a graph whose value and type disagree: the step says so, as does what begins an iteration."""

import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2

results = {}


def disagreeing(value, held, said):
    tensor = attr_value_pb2.AttrValue()
    tensor.tensor.CopyFrom(tf.make_tensor_proto(value, dtype=held))
    attrs = {"value": tensor, "dtype": attr_value_pb2.AttrValue(type=said.as_datatype_enum)}
    return tf.get_default_graph().create_op("Const", [], [said], attrs=attrs, name="disagreeing").outputs[0]


def outcome(run):
    try:
        run()
    except tf.errors.OpError as error:
        return type(error).__name__, str(error).split("\n")[0].strip()
    return "none"


for value, held, said in ((1.5, tf.float32, tf.int32), ([1], tf.int64, tf.float64), (True, tf.bool, tf.float16)):
    with tf.Graph().as_default(), tf.Session() as sess:
        tensor = disagreeing(value, held, said)
        results[f"{held.name} as {said.name}"] = outcome(lambda tensor=tensor: sess.run(tensor))

with tf.Graph().as_default(), tf.Session() as sess:
    dataset = tf.data.Dataset.range(3).map(lambda _: disagreeing(1.5, tf.float32, tf.int32))
    iterator = tf.data.make_initializable_iterator(dataset)
    results["in a map"] = outcome(lambda: (sess.run(iterator.initializer), sess.run(iterator.get_next())))
