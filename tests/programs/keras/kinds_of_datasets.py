"""Whether datasets are known to be no batches, or not shuffled."""

import numpy as np
import tensorflow as tf
from tensorflow.python.keras.engine import training_utils

results = {}
rows = tf.data.Dataset.from_tensor_slices(np.ones((6, 2)))
datasets = {
    "rows": rows,
    "batches": rows.batch(2),
    "shuffled": rows.shuffle(3),
    "shuffled batches": rows.batch(2).shuffle(2),
    "batches of shuffled": rows.shuffle(3).batch(2),
    "mapped batches": rows.batch(2).map(lambda value: value),
    "map_and_batch": rows.apply(tf.data.experimental.map_and_batch(lambda value: value, 2)),
    "shuffle_and_repeat": rows.apply(tf.data.experimental.shuffle_and_repeat(3)),
    "zipped": tf.data.Dataset.zip((rows, rows.batch(2))),
    "concatenated": rows.concatenate(rows.shuffle(2)),
    "prefetched": rows.shuffle(3).prefetch(1),
    "flat_map": rows.flat_map(lambda value: tf.data.Dataset.from_tensors(value).batch(2)),
}
for name, dataset in datasets.items():
    for check in (training_utils.assert_not_batched, training_utils.assert_not_shuffled):
        try:
            check(dataset)
            results["{}/{}".format(check.__name__, name)] = "passes"
        except ValueError as error:
            results["{}/{}".format(check.__name__, name)] = str(error)
