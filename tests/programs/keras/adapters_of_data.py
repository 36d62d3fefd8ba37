"""The adapters that make datasets of what models are trained on: kinds, sizes, batches, mistakes."""

import numpy as np
import tensorflow as tf
from tensorflow.python.keras.engine import data_adapter, training_generator, training_utils

tf.enable_eager_execution()
results = {}
x, y = np.ones((50, 1), "float32"), np.zeros((50, 1), "float32")


def batches():
    while True:
        yield np.ones((5, 10)), np.zeros((5, 1))


class Rows(tf.keras.utils.Sequence):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        return np.ones((5, 10)), np.zeros((5, 1))


dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(5)
given = {
    "arrays": (x, y),
    "lists of arrays": ([x, x], y),
    "dicts": ({"a": x}, {"b": y}),
    "tensors": (tf.constant(x), tf.constant(y)),
    "dataset": (dataset, None),
    "generator": (batches(), None),
    "sequence": (Rows(), None),
    "numbers": ([1, 2, 3], [4, 5, 6]),
    "sparse": (tf.sparse.from_dense(x), y),
    "iterator": (iter([1]), None),
    "nothing": (None, None),
}
for name, pair in given.items():
    try:
        results["select/" + name] = data_adapter.select_data_adapter(*pair).__name__
    except ValueError as error:
        results["select/" + name] = str(error)


def told(adapter):
    values = [
        adapter.get_size(), adapter.batch_size(), adapter.has_partial_batch(), adapter.partial_batch_size(),
        adapter.should_recreate_iterator(3), adapter.should_recreate_iterator(None),
        tf.data.get_output_shapes(adapter.get_dataset()), tf.data.get_output_types(adapter.get_dataset()),
    ]  # fmt: skip
    return [str(value).replace("Dimension(", "").replace(")", "") for value in values]


tensors = data_adapter.TensorLikeDataAdapter
for kwargs in (
    {"batch_size": 5}, {"batch_size": 8}, {"steps": 3}, {"batch_size": 60}, {"batch_size": 5, "epochs": 3},
    {"batch_size": 5, "shuffle": True}, {"batch_size": 5, "shuffle": "batch"},
    {"batch_size": 8, "sample_weights": np.ones(50)},
):  # fmt: skip
    adapter = tensors(x, y, **kwargs)
    results["tensors/{}".format(sorted((k, str(v)[:5]) for k, v in kwargs.items()))] = told(adapter)
    results["tensors/{}/count".format(sorted((k, str(v)[:5]) for k, v in kwargs.items()))] = len(
        list(adapter.get_dataset())
    )
for name in ("dataset", "generator", "sequence"):
    kind = data_adapter.select_data_adapter(*given[name])
    results[name] = told(kind(given[name][0]))
    try:
        kind(given[name][0], y)
    except ValueError as error:
        results[name + "/with targets"] = str(error)
results["numbers"] = told(data_adapter.ListsOfScalarsDataAdapter([1, 2, 3], [4, 5, 6], batch_size=2))
results["sparse"] = told(data_adapter.CompositeTensorDataAdapter(*given["sparse"], batch_size=8))
ordered = tensors(np.arange(10.0), None, batch_size=4)
results["rows"] = [batch[0].numpy().tolist() for batch in ordered.get_dataset()]

outs = [np.arange(4.0).reshape(2, 2) + i for i in range(3)]
for kwargs in ({"use_steps": True, "steps": 3}, {"use_steps": False, "num_samples": 6, "batch_size": 2}):
    aggregator = training_utils.OutputsAggregator(**kwargs)
    aggregator.create({"a": outs[0], "b": [outs[0]]})
    for i, out in enumerate(outs):
        aggregator.aggregate({"a": out, "b": [out]}, 2 * i, 2 * i + 2)
    aggregator.finalize()
    results["outputs/{}/a".format(kwargs["use_steps"])] = aggregator.results["a"]
    results["outputs/{}/b".format(kwargs["use_steps"])] = aggregator.results["b"][0]

model = tf.keras.Sequential([tf.keras.layers.Dense(2, batch_input_shape=(7, 3))])
results["batch size"] = training_utils.get_static_batch_size(tf.keras.Sequential([model]))
results["shape and type"] = str(training_utils.get_input_shape_and_dtype(model))
made, steps = training_generator.convert_to_generator_like((x, y, None), batch_size=20)
results["generator-like"] = [str([part.shape for part in batch]) for batch in made] + [steps]
results["sequence as it is"] = training_generator.convert_to_generator_like(Rows())[1]
