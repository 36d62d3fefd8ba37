"""Functions of datasets that cannot be planned: when that is told."""

import pytest

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.messages import protos


def _broken(*_):
    """A constant of another type than its value, which no Python function of TensorFlow makes."""
    value = protos.AttrValue()
    value.tensor.CopyFrom(tf.make_tensor_proto([], dtype=tf.float32, shape=[0]))
    kind = protos.AttrValue(type=tf.int32.as_datatype_enum)
    graph = tf.get_default_graph()
    return graph.create_op("Const", [], [tf.int32], attrs={"value": value, "dtype": kind}, name="Broken").outputs[0]


@pytest.mark.parametrize(
    "apply",
    [
        lambda dataset: dataset.map(_broken),
        lambda dataset: dataset.map(_broken, num_parallel_calls=2),
        lambda dataset: dataset.filter(lambda x: tf.reduce_all(tf.equal(_broken(x), 1))),
        lambda dataset: dataset.map(lambda x: (_broken(x), tf.random.uniform([]))),
    ],
    ids=["map", "parallel", "filter", "with random numbers"],
)
def test_eagerly_the_dataset_is_there_and_its_elements_are_not(apply):
    with eager_mode():
        dataset = apply(tf.data.Dataset.range(3))
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError, match="Broken"):
                next(iter(dataset))


def test_in_a_graph_the_iterator_is_not():
    with tf.Graph().as_default(), tf.Session() as sess:
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(3).map(_broken))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Broken"):
            sess.run(iterator.initializer)
