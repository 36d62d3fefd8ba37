"""What describes elements and the tensors that stand for them, optionals as values, and functions that end too early."""

import os
import tempfile
import warnings

import numpy as np
import tensorflow as tf
from tensorflow.python.data.ops import optional_ops
from tensorflow.python.data.util import structure

results = {}


def kind(function):
    try:
        return function()
    except Exception as e:
        return type(e).__name__


ragged = tf.ragged.constant([[1, 2], [3]])
described = {
    "tensor": (tf.TensorSpec([None, 3], tf.float32, "n"), tf.ones([2, 3])),
    "sparse": (tf.SparseTensorSpec([None, 3], tf.int32), tf.SparseTensor([[0, 1]], [1], [1, 3])),
    "ragged": (tf.RaggedTensorSpec([2, None], tf.int32), ragged),
    "ragged rows": (tf.RaggedTensorSpec([2, None, 3], tf.int32, 1, tf.int32), None),
    "flat": (tf.RaggedTensorSpec([5, 3], tf.float32, 0), None),
    "array": (tf.TensorArraySpec([3], tf.float32, True, False), None),
    "optional": (
        optional_ops.OptionalSpec(tf.TensorSpec([], tf.float32)),
        tf.data.experimental.Optional.from_value(1.0),
    ),
    "dataset": (tf.data.DatasetSpec(tf.TensorSpec([], tf.float32)), tf.data.Dataset.from_tensors(1.0)),
    "slices": (tf.IndexedSlicesSpec([4, 2]), None),
    "counted slices": (tf.IndexedSlicesSpec([4, 2], tf.float32, tf.int32, tf.int32, [2]), None),
}
for name, (spec, value) in described.items():
    results[name] = [
        repr(spec),
        repr(spec._serialize()),
        repr(spec._component_specs),
        repr(spec._flat_tensor_specs),
        spec._deserialize(spec._serialize()) == spec,
        spec.is_compatible_with(spec),
        repr(spec.most_specific_compatible_type(spec)),
        kind(lambda: repr(spec._to_legacy_output_types())),
        kind(lambda: repr(spec._to_legacy_output_shapes())),
        kind(lambda: repr(spec._batch(3))),
        kind(lambda: repr(spec._batch(None)._unbatch())),
    ]
    if value is not None:
        results[name] += [
            [t.dtype.name for t in spec._to_tensor_list(value)],
            kind(lambda: [str(t.shape) for t in spec._to_batched_tensor_list(value)]),
            type(spec._from_tensor_list(spec._to_tensor_list(value))).__name__ if name != "dataset" else None,
        ]
        if name == "optional":
            results[name].pop()
results["arrays"] = [
    type(tf.RaggedTensorSpec([2, None], tf.int32)._from_components([np.array([1]), np.array([0, 1])])).__name__,
    type(tf.SparseTensorSpec([3])._from_components([np.array([[0]]), np.array([1.0]), np.array([3])])).__name__,
]
results["flat types"] = [
    t.name for t in structure.get_flat_tensor_types((described["sparse"][0], described["tensor"][0]))
]

# Optionals add up, and have zeros.
one, two = (tf.data.experimental.Optional.from_value(pair) for pair in ((1.0, 2.0), (3.0, 4.0)))
none = tf.data.experimental.Optional.none_from_structure(one.value_structure)
total = tf.add_n([one._variant_tensor, two._variant_tensor])
made = [optional_ops._OptionalImpl(t, one.value_structure) for t in (total, tf.zeros_like(total))]
empty = optional_ops._OptionalImpl(tf.zeros_like(none._variant_tensor), one.value_structure)
mixed = optional_ops._OptionalImpl(tf.add_n([one._variant_tensor, none._variant_tensor]), one.value_structure)
results["names"] = [one._variant_tensor.op.name, two._variant_tensor.op.name]


def elements(dataset):
    iterator = tf.data.make_initializable_iterator(dataset)
    following = iterator.get_next()
    sess.run(iterator.initializer)
    found = []
    try:
        while True:
            found.append(sess.run(following))
    except tf.errors.OutOfRangeError:
        return found


def ended(_):
    raise StopIteration()


def last(x):
    return tf.py_func(ended, [x], tf.int64)


def counted():
    return tf.data.Dataset.range(3)


def warned(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    words = ("Creating resources inside a function passed to", "from outer graph might be getting used by function")
    return [[word in str(w.message) for w in caught].count(True) for word in words]


def with_table(x):
    words = tf.contrib.lookup.KeyValueTensorInitializer(["a"], [1.0])
    tf.contrib.lookup.HashTable(words, 0.0, name="t1")
    return x


with tf.Session() as sess:
    results["optionals"] = [sess.run(each.get_value()) for each in made] + [sess.run(empty.has_value())]
    results["mixed"] = kind(lambda: sess.run(mixed.has_value()))
    chained = counted().map(lambda i: tf.RaggedTensor.from_tensor(i * [[1]])).map(lambda x: tf.concat([x, x], 0))
    results["chained"] = [value.to_list() for value in elements(chained)]
    held = counted().map(lambda i: tf.data.experimental.Optional.from_value(tf.cast(i, tf.float32) * tf.ones([3])))
    results["held"] = elements(held.map(lambda optional: optional.get_value() + 1))
    experimental = tf.data.experimental
    results["ended"] = {
        "map": kind(lambda: elements(counted().map(last))),
        "filter": kind(lambda: elements(counted().filter(lambda x: tf.equal(last(x), 1)))),
        "flat_map": kind(lambda: elements(counted().flat_map(lambda x: tf.data.Dataset.from_tensors(last(x))))),
        "interleave": kind(lambda: elements(counted().interleave(lambda x: tf.data.Dataset.from_tensors(last(x)), 2))),
        "map_and_batch": kind(lambda: elements(counted().apply(experimental.map_and_batch(last, 2)))),
        "scan": kind(
            lambda: elements(counted().apply(experimental.scan(tf.constant(0, tf.int64), lambda s, x: (s, last(x)))))
        ),
        "take_while": kind(lambda: elements(counted().apply(experimental.take_while(lambda x: tf.equal(last(x), 1))))),
        "reduce": kind(lambda: sess.run(counted().reduce(tf.constant(0, tf.int64), lambda s, x: last(x)))),
    }
    two = os.path.join(tempfile.mkdtemp(), "two.csv")
    with open(two, "w") as file:
        file.write("1,2\n")
    csv = tf.data.experimental.CsvDataset
    results["csv"] = [
        kind(lambda: elements(csv(two, [tf.int32, tf.int32], buffer_size=size))) for size in (0, -1, 10)
    ] + [
        kind(lambda: elements(csv(two, [[[0]], [[0]]]))),
        kind(lambda: elements(csv(two, [tf.placeholder_with_default([[0]], None)] * 2))),
        kind(lambda: elements(csv(two, [[0, 1], [0]]))),
    ]
    results["negative"] = [
        kind(lambda: elements(tf.data.TextLineDataset(two, buffer_size=-1))),
        kind(lambda: elements(tf.data.TFRecordDataset(two, buffer_size=-1))),
    ]

results["tables"] = warned(lambda: counted().map(with_table)) + warned(
    lambda: counted().filter(lambda x: with_table(x) > 0)
)
tf.set_random_seed(10)
results["seeds"] = [
    warned(lambda: counted().map(lambda x: (tf.random_shuffle([x, x]), x)[1])),
    warned(lambda: counted().map(lambda x: tf.random_uniform([], seed=3))),
    warned(lambda: counted().map(lambda x: x + 1)),
]
